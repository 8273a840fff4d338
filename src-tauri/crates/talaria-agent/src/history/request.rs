//! The history as it goes into a request (agent.md 3.2). Runs before every model call, so what is fine is shared.

use super::{is_sendable_name, repair, says_something};
use std::sync::Arc;
use talaria_model::WireMessage;
use talaria_protocol::{CallId, Content, Message, Role};

/// The history in the form that a strict provider takes. Only messages that must change are copied; in a history whose
/// structure is broken, which a repair at load leaves none of, all are.
pub(crate) fn for_request(history: &[Arc<WireMessage>]) -> Vec<Arc<WireMessage>> {
    if is_sound(history) {
        return history.iter().map(trimmed).collect();
    }
    let mut messages: Vec<Message> = history.iter().map(|wire| wire.message.clone()).collect();
    repair(&mut messages);
    messages
        .into_iter()
        .map(|message| trimmed(&WireMessage::new(message)))
        .collect()
}

/// The message without blanks around its text, which some providers refuse.
fn trimmed(wire: &Arc<WireMessage>) -> Arc<WireMessage> {
    match &wire.message.content {
        Some(Content::Text(text)) if text.trim().len() != text.len() => WireMessage::new(Message {
            content: Some(Content::Text(text.trim().to_owned())),
            ..wire.message.clone()
        }),
        _ => Arc::clone(wire),
    }
}

/// Whether a strict provider takes the history as it stands. Looks at structure only: arguments are checked when a call
/// is accepted and when a history is loaded.
pub(super) fn is_sound(history: &[Arc<WireMessage>]) -> bool {
    let mut previous = None;
    let mut open: Vec<&CallId> = Vec::new();
    for (index, wire) in history.iter().enumerate() {
        let message = &wire.message;
        let fits = match message.role {
            Role::System => index == 0,
            Role::User => {
                open.is_empty()
                    && previous != Some(Role::User)
                    && says_something(message)
                    && message.tool_calls.is_empty()
            }
            Role::Assistant => open.is_empty() && previous != Some(Role::Assistant) && says_something(message),
            Role::Tool => {
                let answered = message
                    .tool_call_id
                    .as_ref()
                    .and_then(|id| open.iter().position(|open| *open == id));
                answered.map(|at| open.swap_remove(at)).is_some() && message.content.is_some()
            }
        };
        if !fits {
            return false;
        }
        if message.role == Role::Assistant {
            for call in &message.tool_calls {
                if open.contains(&&call.id) || call.id.as_str().is_empty() || !is_sendable_name(&call.name) {
                    return false;
                }
                open.push(&call.id);
            }
        }
        previous = Some(message.role);
    }
    open.is_empty()
}
