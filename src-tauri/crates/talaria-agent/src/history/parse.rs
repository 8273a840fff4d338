//! Reads a history in chat form as others write it.

use serde_json::{Map, Value};
use std::hash::{DefaultHasher, Hash, Hasher};
use talaria_model::sanitize_lone_surrogates;
use talaria_protocol::{CallId, Content, Message, Role, ToolCall};

/// Reads a JSON list of messages. Lone surrogates become U+FFFD; messages with unknown roles and things that are no messages are
/// left out.
///
/// # Errors
/// When the text is not a JSON list; the message says where.
pub fn parse_history(json: &str) -> Result<Vec<Message>, String> {
    let clean = sanitize_lone_surrogates(json);
    let list: Vec<Value> = serde_json::from_str(&clean).map_err(|error| error.to_string())?;
    Ok(list.iter().filter_map(Value::as_object).filter_map(message).collect())
}

fn message(fields: &Map<String, Value>) -> Option<Message> {
    let role = match fields.get("role")?.as_str()? {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => return None,
    };
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(Message {
        content: fields.get("content").and_then(content),
        tool_calls: match fields.get("tool_calls").and_then(Value::as_array) {
            Some(calls) => calls
                .iter()
                .enumerate()
                .filter_map(|(index, call)| tool_call(call, index))
                .collect(),
            None => Vec::new(),
        },
        tool_call_id: fields.get("tool_call_id").and_then(id),
        tool_name: text("tool_name").or_else(|| text("name")),
        reasoning: text("reasoning"),
        reasoning_content: text("reasoning_content"),
        reasoning_details: fields
            .get("reasoning_details")
            .filter(|value| !value.is_null())
            .cloned(),
        finish_reason: text("finish_reason"),
        timestamp: fields.get("timestamp").and_then(Value::as_f64).unwrap_or(0.0),
        api_content: text("api_content"),
        ..Message::text(role, "")
    })
}

fn content(value: &Value) -> Option<Content> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(Content::Text(text.clone())),
        Value::Array(parts) => Some(Content::Parts(
            parts
                .iter()
                .filter_map(|part| serde_json::from_value(part.clone()).ok())
                .collect(),
        )),
        other => Some(Content::Text(other.to_string())),
    }
}

fn tool_call(value: &Value, index: usize) -> Option<ToolCall> {
    let call = value.as_object()?;
    let function = call.get("function").and_then(Value::as_object);
    let name = function
        .and_then(|function| function.get("name"))
        .and_then(Value::as_str)
        .unwrap_or_default();
    let arguments = match function.and_then(|function| function.get("arguments")) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(value) => value.to_string(),
    };
    let id = call.get("id").and_then(id).filter(|id| !id.as_str().is_empty());
    Some(ToolCall {
        id: id.unwrap_or_else(|| derived_id(name, &arguments, index)),
        name: name.to_owned(),
        arguments,
    })
}

fn id(value: &Value) -> Option<CallId> {
    match value {
        Value::String(text) => Some(CallId::new(text.clone())),
        Value::Number(number) => Some(CallId::new(number.to_string())),
        _ => None,
    }
}

/// An id for a call that has none: the same for the same call, so that a provider's cache keeps fitting.
pub(super) fn derived_id(name: &str, arguments: &str, index: usize) -> CallId {
    let mut hasher = DefaultHasher::new();
    (name, arguments, index).hash(&mut hasher);
    CallId::new(format!("call_{:012x}", hasher.finish() & 0xffff_ffff_ffff))
}
