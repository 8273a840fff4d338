use super::*;

fn property(schema: Value) -> Value {
    sanitize_parameters(&json!({"type": "object", "properties": {"p": schema}}))["properties"]["p"].clone()
}

#[test]
fn nodes_become_what_every_provider_takes() {
    for (schema, expected) in [
        (json!("string"), json!({"type": "string"})),
        (json!("whatever"), json!({"type": "object", "properties": {}})),
        (
            json!({"type": ["string", "null"]}),
            json!({"type": "string", "nullable": true}),
        ),
        (
            json!({"type": ["string", "integer", "null"]}),
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}], "nullable": true}),
        ),
        (json!({"type": ["null"]}), json!({"type": "null"})),
        (json!({"type": []}), json!({"type": "object", "properties": {}})),
        (json!({"type": "object"}), json!({"type": "object", "properties": {}})),
        (
            json!({"type": "object", "properties": {"a": "string"}, "required": ["a", "b"]}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
        ),
        (
            json!({"type": "object", "properties": {}, "required": ["b"]}),
            json!({"type": "object", "properties": {}}),
        ),
        (
            json!({"anyOf": [{"type": "integer", "minimum": 1, "description": "in"}, {"type": "null"}], "description": "out"}),
            json!({"type": "integer", "minimum": 1, "description": "out", "nullable": true}),
        ),
        (json!({"$ref": "#/$defs/x", "default": 1}), json!({"$ref": "#/$defs/x"})),
        (
            json!({"type": "array", "items": "string"}),
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        (
            json!({"type": "object", "additionalProperties": false}),
            json!({"type": "object", "properties": {}, "additionalProperties": false}),
        ),
        (
            json!({"enum": [["a", "null"], null]}),
            json!({"enum": [["a", "null"], null]}),
        ),
    ] {
        assert_eq!(property(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn the_top_is_a_plain_object() {
    let empty = json!({"type": "object", "properties": {}});
    for schema in [
        json!(null),
        json!("string"),
        json!({"type": "string"}),
        json!({"anyOf": [{"type": "object"}]}),
    ] {
        assert_eq!(sanitize_parameters(&schema), empty, "{schema}");
    }
}
