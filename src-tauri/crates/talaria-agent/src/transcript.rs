//! Rows of a transcript from what is stored.

use crate::batch::view_of;
use talaria_protocol::{Delivery, Role, Row, ToolCall, ToolState};
use talaria_store::{Display, StoredMessage};
use talaria_tools::Registry;

/// Rows for a page of stored messages, oldest first. A card that was not stored with its result is drawn from the call.
pub(crate) fn rows(registry: &Registry, messages: &[StoredMessage]) -> Vec<Row> {
    let mut rows = Vec::with_capacity(messages.len());
    // Calls of the newest assistant message, for results without a stored card.
    let mut calls: &[ToolCall] = &[];
    for stored in messages {
        let row_id = format!("m{}", stored.id);
        let turn_id = stored.turn_id();
        let message = &stored.message;
        if let Some(Display::Row { row }) = &stored.display {
            rows.push(with_id((**row).clone(), row_id));
            continue;
        }
        match message.role {
            Role::User => {
                let delivery = match &stored.display {
                    Some(Display::User { delivery }) => *delivery,
                    _ => Delivery::Sent,
                };
                rows.push(Row::User {
                    row_id,
                    turn_id,
                    text: message.content_text(),
                    at: message.timestamp,
                    delivery,
                });
            }
            Role::Assistant => {
                calls = &message.tool_calls;
                let (at, reasoning_ms) = match &stored.display {
                    Some(Display::Assistant { at, reasoning_ms }) => (*at, *reasoning_ms),
                    _ => (message.timestamp, None),
                };
                if let Some(reasoning) = message.reasoning.as_ref().filter(|text| !text.trim().is_empty()) {
                    rows.push(Row::Reasoning {
                        row_id: format!("{row_id}r"),
                        turn_id: turn_id.clone(),
                        text: reasoning.clone(),
                        streaming: false,
                        at,
                        duration_ms: reasoning_ms,
                    });
                }
                let text = message.content_text();
                if !text.trim().is_empty() && message.finish_reason.as_deref() != Some(crate::history::CLOSED) {
                    rows.push(Row::Assistant {
                        row_id,
                        turn_id,
                        text,
                        streaming: false,
                        at,
                    });
                }
            }
            Role::Tool => {
                let mut view = match &stored.display {
                    Some(Display::Tool { tool }) => (**tool).clone(),
                    _ => {
                        let call = calls
                            .iter()
                            .find(|call| Some(&call.id) == message.tool_call_id.as_ref());
                        let call = call.cloned().unwrap_or_else(|| ToolCall {
                            id: message.tool_call_id.clone().unwrap_or_default(),
                            name: message.tool_name.clone().unwrap_or_default(),
                            arguments: "{}".to_owned(),
                        });
                        view_of(registry, &call, ToolState::Cancelled)
                    }
                };
                // A card stored while its call still ran belongs to a process that ended.
                if !ended(view.state) {
                    view.state = ToolState::Cancelled;
                }
                rows.push(Row::Tool {
                    row_id,
                    turn_id,
                    tool: view,
                });
            }
            Role::System => {}
        }
    }
    rows
}

/// Whether a call in this state goes on no more.
pub(crate) fn ended(state: ToolState) -> bool {
    matches!(
        state,
        ToolState::Done | ToolState::Failed | ToolState::Cancelled | ToolState::Denied
    )
}

fn with_id(mut row: Row, id: String) -> Row {
    match &mut row {
        Row::User { row_id, .. }
        | Row::Assistant { row_id, .. }
        | Row::Reasoning { row_id, .. }
        | Row::Tool { row_id, .. }
        | Row::Notice { row_id, .. }
        | Row::Error { row_id, .. } => *row_id = id,
    }
    row
}

/// The sentence of an error result, for the note beside a step.
pub(crate) fn error_text(result: &str) -> String {
    serde_json::from_str::<serde_json::Value>(result)
        .ok()
        .and_then(|value| value.get("error").and_then(|error| error.as_str().map(str::to_owned)))
        .unwrap_or_else(|| result.to_owned())
}
