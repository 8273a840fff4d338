use super::*;
use serde_json::json;

#[test]
fn blank_text_is_no_arguments() {
    assert_eq!(parse_arguments("  \n"), Ok(Map::new()));
}

#[test]
fn half_a_surrogate_pair_becomes_a_replacement_character() {
    let parsed = parse_arguments(r#"{"a":"x\ud83dy","b":"\ud83d\ude00","c":"\\ud83d"}"#).map(Value::Object);
    assert_eq!(parsed, Ok(json!({"a": "x\u{fffd}y", "b": "😀", "c": "\\ud83d"})));
}

#[test]
fn what_is_wrong_is_said() {
    assert_eq!(
        parse_arguments("[1]"),
        Err("the arguments must be a JSON object, not an array".to_owned())
    );
    assert!(parse_arguments("{\"a\":").is_err_and(|reason| reason.starts_with("the arguments are not valid JSON: ")));
}
