//! Judges a history as the strictest providers do.

use serde_json::Value;
use std::collections::HashSet;

/// Keys of a message that the wire format knows.
const KNOWN_KEYS: [&str; 8] = [
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "reasoning_content",
    "reasoning_details",
    "refusal",
];

/// What a strict provider would refuse in the messages of a request, the system prompt included or not: the first problem,
/// or `None`. Roles alternate; every call is answered exactly once directly behind it; no result stands alone; ids are
/// unique in a turn; arguments are JSON objects; nothing is empty.
pub fn strict_history(messages: &[Value]) -> Option<String> {
    let mut before = "";
    let mut waiting: HashSet<&str> = HashSet::new();
    for (index, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        let problem = match role {
            "system" | "developer" if index > 0 => Some("a system message inside the conversation".to_owned()),
            "tool" => tool_result(message, &mut waiting),
            _ if !waiting.is_empty() => Some(format!("before it, {} calls were not answered", waiting.len())),
            "system" | "developer" | "user" if is_empty(&message["content"]) => {
                Some(format!("an empty {role} message"))
            }
            "system" | "developer" => None,
            "user" | "assistant" if before == role => Some(format!("two {role} messages in a row")),
            "user" => None,
            "assistant" => assistant(message, &mut waiting),
            other => Some(format!("unknown role {other:?}")),
        };
        if let Some(problem) = problem {
            return Some(format!("messages[{index}]: {problem}"));
        }
        before = role;
    }
    (!waiting.is_empty()).then(|| format!("at the end, {} calls were not answered", waiting.len()))
}

/// As [`strict_history`], for the body of a whole request: the conversation begins with the person and ends with what the
/// model must answer, no message has a key that the wire format does not know, and calls name tools properly.
pub fn strict_request(body: &Value) -> Option<String> {
    let Some(messages) = body["messages"].as_array().filter(|messages| !messages.is_empty()) else {
        return Some("messages: missing or empty".to_owned());
    };
    if body["model"].as_str().is_none_or(str::is_empty) {
        return Some("model: missing or empty".to_owned());
    }
    for (index, message) in messages.iter().enumerate() {
        let unknown = message
            .as_object()
            .and_then(|map| map.keys().find(|key| !KNOWN_KEYS.contains(&key.as_str())));
        if let Some(key) = unknown {
            return Some(format!("messages[{index}]: unknown key {key:?}"));
        }
    }
    if let Some(problem) = strict_history(messages) {
        return Some(problem);
    }
    let mut conversation = messages
        .iter()
        .filter(|message| !matches!(message["role"].as_str(), Some("system" | "developer")));
    match conversation.next() {
        Some(first) if first["role"] == "user" => {}
        _ => return Some("the conversation does not begin with a user message".to_owned()),
    }
    match messages.last() {
        Some(last) if last["role"] == "assistant" => Some("the conversation ends with an assistant message".to_owned()),
        _ => None,
    }
}

fn tool_result<'m>(message: &'m Value, waiting: &mut HashSet<&'m str>) -> Option<String> {
    let id = message["tool_call_id"].as_str().unwrap_or_default();
    if !message["content"].is_string() && !message["content"].is_array() {
        return Some(format!("the result of {id:?} has no content"));
    }
    (!waiting.remove(id)).then(|| format!("the result of {id:?} answers no open call"))
}

fn assistant<'m>(message: &'m Value, waiting: &mut HashSet<&'m str>) -> Option<String> {
    let calls = match &message["tool_calls"] {
        Value::Null if message.get("tool_calls").is_some() => return Some("tool_calls is null".to_owned()),
        Value::Null if is_empty(&message["content"]) => return Some("an empty assistant message".to_owned()),
        Value::Null => return None,
        Value::Array(calls) if !calls.is_empty() => calls,
        _ => return Some("tool_calls is no list, or an empty one".to_owned()),
    };
    for call in calls {
        let id = call["id"].as_str().unwrap_or_default();
        if id.is_empty() {
            return Some("a call without an id".to_owned());
        }
        if !waiting.insert(id) {
            return Some(format!("two calls with the id {id:?}"));
        }
        let name = call["function"]["name"].as_str().unwrap_or_default();
        let named = (1..=64).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        if call["type"] != "function" || !named {
            return Some(format!("the call {id:?} is no function call or has the name {name:?}"));
        }
        let arguments = call["function"]["arguments"]
            .as_str()
            .map(serde_json::from_str::<Value>);
        if !matches!(arguments, Some(Ok(Value::Object(_)))) {
            return Some(format!("the arguments of {id:?} are no JSON object"));
        }
    }
    None
}

fn is_empty(content: &Value) -> bool {
    match content {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(parts) => parts.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
