use super::*;

fn repaired(text: &str) -> Value {
    serde_json::from_str(repair_arguments(text).text(text.trim())).unwrap()
}

#[test]
fn the_ladder() {
    let cases = [
        ("", "{}"),
        ("  ", "{}"),
        ("null", "{}"),
        ("[1]", "{}"),
        ("{\"a\": 1,}", r#"{"a":1}"#),
        ("{\"a\": [1, 2,], }", r#"{"a":[1,2]}"#),
        ("{\"a\": {\"b\": [1, {\"c\": 2", r#"{"a":{"b":[1,{"c":2}]}}"#),
        ("{\"a\": [1, 2}", r#"{"a":[1,2]}"#),
        ("{\"a\": 1}}}]", r#"{"a":1}"#),
        ("{\"a\": \"x\ny\u{1}\"}", "{\"a\":\"x\\ny\\u0001\"}"),
        ("```\n{\"a\":1}\n```", r#"{"a":1}"#),
        ("```json{\"a\":1}", r#"{"a":1}"#),
        (r#""{\"a\": 1}""#, r#"{"a":1}"#),
        (r#"{"a":1}{"a":1}"#, r#"{"a":1}"#),
        (r#"{"a":1}{"a":2}"#, "{}"),
        (
            "{'a': 'it\\'s', 'b': True, 'c': None, \"d\": False}",
            r#"{"a":"it's","b":true,"c":null,"d":false}"#,
        ),
        (r#"{"a": "C:\dir"#, r#"{"a":"C:\\dir"}"#),
        (r#"{"a": "\ud83d\ude00 \ud83d", }"#, "{\"a\":\"😀 \u{fffd}\"}"),
        ("{\"cmd\": \"echo {", r#"{"cmd":"echo {"}"#),
        ("{\"a\":", "{}"),
        ("not json", "{}"),
    ];
    for (text, expected) in cases {
        assert_eq!(
            repaired(text),
            serde_json::from_str::<Value>(expected).unwrap(),
            "{text:?}"
        );
    }
}

#[test]
fn a_valid_object_is_left_alone() {
    assert_eq!(repair_arguments("{\"b\": 1, \"a\": 2}"), Repaired::Valid);
}

#[test]
fn a_cut_at_any_place_gives_an_object() {
    let text = r#"{"path": "a\u00e9\ud83d\ude00\n日", "n": [1, -2.5e3, {"x": null}], "ok": true}"#;
    for (cut, _) in text.char_indices() {
        assert!(repaired(&text[..cut]).is_object(), "cut at {cut}");
    }
}

#[test]
fn endless_nesting_is_hopeless_and_not_a_crash() {
    assert_eq!(repair_arguments(&"{\"a\":".repeat(100_000)), Repaired::Hopeless);
    assert_eq!(repair_arguments(&"[".repeat(100_000)), Repaired::Hopeless);
}

#[test]
fn lone_surrogates_only() {
    assert!(matches!(
        sanitize_lone_surrogates(r#""\ud83d\ude00 \\ud83d é""#),
        Cow::Borrowed(_)
    ));
    assert_eq!(
        sanitize_lone_surrogates(r#""\ud83d \uDE00\ud83d\ud83d\ude00""#),
        r#""\uFFFD \uFFFD\uFFFD\ud83d\ude00""#
    );
    assert_eq!(sanitize_lone_surrogates(r#""\ud8"#), r#""\ud8"#);
}
