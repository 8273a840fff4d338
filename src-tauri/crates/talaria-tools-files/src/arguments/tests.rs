use super::*;
use serde_json::json;

#[test]
fn counts_are_clamped_and_never_an_error() {
    for (value, expected) in [
        (json!(7), 7),
        (json!(0), 1),
        (json!(-5), 1),
        (json!(99_999), 2000),
        (json!(3.9), 3),
        (json!("12"), 12),
        (json!("many"), 500),
        (json!(null), 500),
        (json!([1]), 500),
    ] {
        assert_eq!(count(&json!({"limit": value}), "limit", 500, 2000), expected, "{value}");
    }
    assert_eq!(count(&json!({}), "limit", 500, 100), 100);
    assert_eq!(
        count(&json!({"offset": u64::MAX}), "offset", 1, u64::MAX),
        9_000_000_000_000_000
    );
}

#[test]
fn a_path_is_a_text_that_is_not_blank() {
    assert!(path("t", &json!({"path": "a b"})).is_ok_and(|path| path == "a b"));
    for args in [
        json!({}),
        json!({"path": " "}),
        json!({"path": 5}),
        json!({"path": "a\0b"}),
    ] {
        assert!(matches!(path("t", &args), Err(ToolError::Tell(_))), "{args}");
    }
}
