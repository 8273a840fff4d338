use super::*;
use serde_json::json;

fn call(id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}})
}

fn calls(ids: &[&str]) -> Value {
    let calls: Vec<Value> = ids.iter().map(|id| call(id)).collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

fn says(role: &str) -> Value {
    json!({"role": role, "content": "x"})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": ""})
}

#[test]
fn takes_what_every_provider_takes() {
    let history = [
        says("system"),
        says("user"),
        calls(&["a", "b"]),
        result("b"),
        result("a"),
        calls(&["a"]),
        result("a"),
        says("user"),
    ];
    assert_eq!(strict_history(&history), None);
    assert_eq!(strict_request(&json!({"model": "m", "messages": history})), None);
}

#[test]
fn names_what_a_strict_provider_refuses() {
    let refused: [(&[Value], &str); 12] = [
        (&[says("user"), says("user")], "messages[1]: two user messages in a row"),
        (
            &[says("user"), says("assistant"), says("assistant")],
            "messages[2]: two assistant messages in a row",
        ),
        (
            &[says("user"), result("a")],
            "messages[1]: the result of \"a\" answers no open call",
        ),
        (&[says("user"), calls(&["a"])], "at the end, 1 calls were not answered"),
        (
            &[says("user"), calls(&["a"]), says("user")],
            "messages[2]: before it, 1 calls were not answered",
        ),
        (
            &[says("user"), calls(&["a", "a"])],
            "messages[1]: two calls with the id \"a\"",
        ),
        (
            &[says("user"), calls(&["a"]), result("a"), result("a")],
            "messages[3]: the result of \"a\" answers no open call",
        ),
        (
            &[says("user"), says("system")],
            "messages[1]: a system message inside the conversation",
        ),
        (&[says("meta")], "messages[0]: unknown role \"meta\""),
        (
            &[json!({"role": "user", "content": " "})],
            "messages[0]: an empty user message",
        ),
        (
            &[json!({"role": "assistant", "content": "x", "tool_calls": null})],
            "messages[0]: tool_calls is null",
        ),
        (
            &[json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "f", "arguments": "[]"}}]})],
            "messages[0]: the arguments of \"a\" are no JSON object",
        ),
    ];
    for (history, problem) in refused {
        assert_eq!(strict_history(history).as_deref(), Some(problem), "{history:?}");
    }
}

#[test]
fn a_request_begins_with_the_person_and_has_no_private_keys() {
    let request = |messages: Value| strict_request(&json!({"model": "m", "messages": messages})).unwrap_or_default();
    assert_eq!(
        request(json!([says("assistant"), says("user")])),
        "the conversation does not begin with a user message"
    );
    assert_eq!(
        request(json!([says("user"), says("assistant")])),
        "the conversation ends with an assistant message"
    );
    assert_eq!(
        request(json!([{"role": "user", "content": "x", "timestamp": 1}])),
        "messages[0]: unknown key \"timestamp\"",
    );
    assert_eq!(
        strict_request(&json!({"model": "m"})).unwrap_or_default(),
        "messages: missing or empty"
    );
}
