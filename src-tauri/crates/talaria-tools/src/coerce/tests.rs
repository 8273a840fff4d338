use super::*;
use serde_json::json;

fn coerced(properties: Value, args: Value) -> Value {
    let Value::Object(mut args) = args else {
        panic!("arguments are an object")
    };
    coerce(&mut args, &json!({"type": "object", "properties": properties}));
    Value::Object(args)
}

/// Numbers are equal only if both are integers or both are not: `==` of JSON values says so.
#[test]
fn cases_coercion() {
    crate::cases::run("coercion", |case| {
        let input = &case["input"];
        let result = coerced(input["properties"].clone(), input["args"].clone());
        (result == case["expect"]["args"])
            .then_some(())
            .ok_or(result.to_string())
    });
}

#[test]
fn integers_beyond_64_bits_stay_text() {
    let long = "123456789012345678901234567890";
    assert_eq!(
        coerced(json!({"n": {"type": "integer"}}), json!({"n": long})),
        json!({"n": long})
    );
    assert_eq!(
        coerced(json!({"n": {"type": "integer"}}), json!({"n": "1e999999999"})),
        json!({"n": "1e999999999"})
    );
    let largest = u64::MAX.to_string();
    assert_eq!(
        coerced(json!({"n": {"type": "integer"}}), json!({"n": largest})),
        json!({"n": u64::MAX})
    );
}

#[test]
fn numbers_follow_the_syntax_of_json() {
    for text in ["007", "+5", ".5", "5.", "1e", "0x10", "٣", "", "1 2"] {
        assert_eq!(
            coerced(json!({"n": {"type": "number"}}), json!({"n": text})),
            json!({"n": text}),
            "{text}"
        );
    }
    assert_eq!(
        coerced(json!({"n": {"type": "integer"}}), json!({"n": "12.50e1"})),
        json!({"n": 125})
    );
    assert_eq!(
        coerced(json!({"n": {"type": "number"}}), json!({"n": "-0"})),
        json!({"n": 0})
    );
}

#[test]
fn text_of_a_list_is_parsed_inside_as_well() {
    let schema =
        json!({"xs": {"type": "array", "items": {"type": "object", "properties": {"tags": {"type": "array"}}}}});
    let args = json!({"xs": r#"["{\"tags\":\"[1]\"}"]"#});
    assert_eq!(coerced(schema, args), json!({"xs": [{"tags": [1]}]}));
}

#[test]
fn a_union_wraps_only_what_no_member_takes() {
    let schema = json!({"v": {"type": ["array", "string"]}, "w": {"type": ["array", "integer"]}});
    assert_eq!(
        coerced(schema.clone(), json!({"v": "p", "w": 5})),
        json!({"v": "p", "w": 5})
    );
    assert_eq!(
        coerced(schema, json!({"v": "[1]", "w": true})),
        json!({"v": [1], "w": [true]})
    );
}
