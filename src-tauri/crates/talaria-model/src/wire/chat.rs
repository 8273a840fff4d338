//! Builds the body of a Chat Completions request. The same request gives the same bytes, and a longer history begins
//! with the bytes of the shorter one, so that a provider's prompt cache holds.

mod canonical;

use crate::profile::{CapKey, ReasoningEcho};
use crate::repair::repair_arguments;
use crate::transport::{ChatRequest, ToolDefinition};
use canonical::sorted;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;
use talaria_protocol::{Content, Message, Role};

/// What a route wants to be different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChatStyle {
    /// Field that caps the answer.
    pub cap_key: CapKey,
    /// Reasoning that is sent back.
    pub reasoning_echo: ReasoningEcho,
    /// Whether the answer is to be streamed.
    pub stream: bool,
    /// Whether usage may be asked for in a stream.
    pub stream_usage: bool,
}

/// The tools of a request in wire form; made once for a set of tools.
pub fn tools_json(tools: &[ToolDefinition]) -> Option<Box<RawValue>> {
    #[derive(Serialize)]
    struct Function<'a> {
        name: &'a str,
        description: &'a str,
        parameters: Box<RawValue>,
    }
    #[derive(Serialize)]
    struct Tool<'a> {
        r#type: &'static str,
        function: Function<'a>,
    }
    if tools.is_empty() {
        return None;
    }
    let wire: Vec<Tool<'_>> = tools
        .iter()
        .map(|tool| Tool {
            r#type: "function",
            function: Function {
                name: &tool.name,
                description: &tool.description,
                parameters: raw(&tool.parameters),
            },
        })
        .collect();
    Some(raw(&wire))
}

/// The body. Messages come last, so that bodies of one conversation share their beginning.
pub fn body(request: &ChatRequest, tools: Option<&RawValue>, style: ChatStyle) -> Vec<u8> {
    let wires: Vec<&RawValue> = request
        .messages
        .iter()
        .map(|message| message.wire(|m| message_json(m, style.reasoning_echo)))
        .collect();
    let size = wires.iter().map(|wire| wire.get().len() + 1).sum::<usize>();
    let tools_size = tools.map_or(0, |tools| tools.get().len());
    let system_size = request
        .system
        .as_ref()
        .map_or(0, |system| system.message.content_text().len());
    let mut out = String::with_capacity(size + tools_size + system_size + system_size / 8 + 512);
    out.push_str("{\"model\":");
    out.push_str(raw(&request.model).get());
    if style.stream {
        out.push_str(",\"stream\":true");
        if style.stream_usage {
            out.push_str(",\"stream_options\":{\"include_usage\":true}");
        }
    }
    if let Some(cap) = request.max_tokens {
        let key = match style.cap_key {
            CapKey::MaxTokens => "max_tokens",
            CapKey::MaxCompletionTokens => "max_completion_tokens",
        };
        out.push_str(&format!(",\"{key}\":{cap}"));
    }
    if let Some(temperature) = request.temperature.filter(|temperature| temperature.is_finite()) {
        out.push_str(&format!(",\"temperature\":{temperature}"));
    }
    if let Some(tools) = tools {
        out.push_str(",\"tools\":");
        out.push_str(tools.get());
    }
    out.push_str(",\"messages\":[");
    let mut first = true;
    if let Some(system) = &request.system {
        // Not through the message's own memory: its role depends on the model.
        out.push_str(system_json(&system.message, &request.model).get());
        first = false;
    }
    for wire in wires {
        if !first {
            out.push(',');
        }
        first = false;
        out.push_str(wire.get());
    }
    out.push_str("]}");
    out.into_bytes()
}

fn system_json(message: &Message, model: &str) -> Box<RawValue> {
    #[derive(Serialize)]
    struct System<'a> {
        role: &'static str,
        content: &'a Option<Content>,
    }
    let model = model.to_ascii_lowercase();
    let developer = model.contains("gpt-5") || model.contains("codex");
    raw(&System {
        role: if developer { "developer" } else { "system" },
        content: &message.content,
    })
}

/// One message of the history in wire form: public keys only.
fn message_json(message: &Message, echo: ReasoningEcho) -> Box<RawValue> {
    #[derive(Serialize)]
    #[serde(untagged)]
    enum ContentWire<'a> {
        Text(&'a str),
        Kept(&'a Option<Content>),
    }
    #[derive(Serialize)]
    struct Function<'a> {
        name: &'a str,
        arguments: Cow<'a, str>,
    }
    #[derive(Serialize)]
    struct Call<'a> {
        id: &'a talaria_protocol::CallId,
        r#type: &'static str,
        function: Function<'a>,
    }
    #[derive(Serialize)]
    struct Wire<'a> {
        role: &'static str,
        content: ContentWire<'a>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_call_id: Option<&'a talaria_protocol::CallId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_details: Option<&'a Value>,
    }
    let assistant = message.role == Role::Assistant;
    let replayed = message.api_content.as_deref().filter(|_| message.role != Role::System);
    let calls = message.tool_calls.iter().map(|call| Call {
        id: &call.id,
        r#type: "function",
        function: Function {
            name: &call.name,
            arguments: wire_arguments(&call.arguments),
        },
    });
    raw(&Wire {
        role: message.role.as_str(),
        content: replayed.map_or(ContentWire::Kept(&message.content), ContentWire::Text),
        tool_calls: calls.collect(),
        tool_call_id: message.tool_call_id.as_ref().filter(|_| message.role == Role::Tool),
        reasoning_content: (assistant && echo == ReasoningEcho::Content).then(|| echoed(message)),
        reasoning_details: message
            .reasoning_details
            .as_ref()
            .filter(|_| assistant && echo == ReasoningEcho::Details),
    })
}

/// What a vendor that insists on `reasoning_content` gets back. Display reasoning of a turn with calls may come from
/// another vendor, so a blank stands for it.
fn echoed(message: &Message) -> &str {
    let stored = message.reasoning_content.as_deref();
    let shown = message.reasoning.as_deref().filter(|_| message.tool_calls.is_empty());
    stored.or(shown).filter(|text| !text.is_empty()).unwrap_or(" ")
}

fn wire_arguments(arguments: &str) -> Cow<'_, str> {
    if let Some(text) = sorted(arguments) {
        return text;
    }
    let repaired = repair_arguments(arguments);
    let text = repaired.text(arguments);
    Cow::Owned(sorted(text).unwrap_or(Cow::Borrowed("{}")).into_owned())
}

fn raw(value: &impl Serialize) -> Box<RawValue> {
    // Our own types with text keys always serialise; an empty object keeps the body valid all the same.
    to_raw_value(value).unwrap_or_else(|_| RawValue::from_string("{}".to_owned()).unwrap_or_default())
}

/// Tokens of a body, roughly: what timers scale by.
pub fn rough_tokens(body: &[u8]) -> usize {
    body.len() / 4
}

#[cfg(test)]
mod tests;
