//! Histories that a strict provider takes (agent.md 3): reading what came from elsewhere, repairing what is stored,
//! closing what a crash or an interrupt left open.
//!
//! What always holds after a repair: one optional system message first; user and assistant turns alternate; each call of
//! an assistant turn has exactly one result directly behind it; no result stands alone; arguments are JSON objects.

mod parse;
mod request;

use crate::calls::INVALID_NAME;
use std::collections::HashSet;
use std::sync::Arc;
use talaria_model::{Repaired, WireMessage, repair_arguments};
use talaria_protocol::{CallId, Content, ContentPart, EffectDisposition, Message, Role, Todo, ToolCall, TurnStatus};

pub use parse::parse_history;
pub(crate) use request::for_request;

/// Finish reason of the turn that closes an unfinished one; it has no row of its own.
pub(crate) const CLOSED: &str = "closed";
/// Finish reason of an answer that was held back until a check; the answer behind it takes its place.
const PROVISIONAL: &str = "verification_required";

/// Longest name of a call that every provider takes.
const MOST_NAME_BYTES: usize = 64;

const NO_RESULT: &str = "{\"error\":\"No result is known for this call; it may not have run.\"}";
const CORRUPT: &str = "[The arguments of this call were unreadable and were replaced by {}.]";

/// Repairs a history in place. Gives whether anything changed.
pub fn repair(messages: &mut Vec<Message>) -> bool {
    let before = messages.clone();
    let mut index = 0;
    // Providers take instructions at the beginning only.
    messages.retain(|message| {
        index += 1;
        message.role != Role::System || index == 1
    });
    for message in messages.iter_mut() {
        normalise(message);
    }
    let mut repaired = merge_neighbours(std::mem::take(messages));
    repaired = pair_results(repaired);
    repaired.retain(says_something);
    // Taking results and empty turns out may have made neighbours of turns of one role.
    *messages = merge_neighbours(repaired);
    *messages != before
}

/// Adds a message of the person. After a turn without an answer it joins the message before it, as it would in each
/// request.
pub(crate) fn push_user(history: &mut Vec<Arc<WireMessage>>, message: Message) {
    match history.last() {
        Some(last) if last.message.role == Role::User => {
            let mut merged = last.message.clone();
            merge_users(&mut merged, message);
            history.pop();
            history.push(WireMessage::new(merged));
        }
        _ => history.push(WireMessage::new(message)),
    }
}

/// A history with what was missing, and the messages that were added at its end.
pub(crate) struct Recovered {
    pub messages: Vec<Message>,
    pub added: Vec<Message>,
}

/// Closes what a crash left open: calls without a result get one that says whether they may have run, and a history that
/// ends with results gets a closing turn, so that the person's next message follows an assistant turn.
pub(crate) fn recover(messages: Vec<Message>, reads_only: &dyn Fn(&str) -> bool) -> Recovered {
    let mut added = Vec::new();
    let last_turn = messages.iter().rposition(|message| message.role == Role::Assistant);
    if let Some(at) = last_turn {
        let tail = &messages[at + 1..];
        let only_results = tail.iter().all(|message| message.role == Role::Tool);
        let unanswered = messages[at]
            .tool_calls
            .iter()
            .filter(|call| !tail.iter().any(|result| result.tool_call_id.as_ref() == Some(&call.id)));
        if only_results {
            for call in unanswered {
                added.push(cut_off_result(call, reads_only(&call.name)));
            }
            if !messages[at].tool_calls.is_empty() {
                added.push(closing_turn());
            }
        }
    }
    let mut messages = messages;
    messages.extend(added.iter().cloned());
    repair(&mut messages);
    Recovered { messages, added }
}

fn cut_off_result(call: &ToolCall, reads_only: bool) -> Message {
    let text = match reads_only {
        true => "Talaria stopped before this call had a result. It only reads; make it again if you need it.",
        false => "Talaria stopped while this call ran. It may have run in part or whole; check before you repeat it.",
    };
    Message {
        effect_disposition: Some(match reads_only {
            true => EffectDisposition::None,
            false => EffectDisposition::Unknown,
        }),
        timestamp: crate::clock::unix_now(),
        ..Message::tool(call, crate::calls::error_json(text))
    }
}

fn closing_turn() -> Message {
    Message {
        finish_reason: Some(CLOSED.to_owned()),
        timestamp: crate::clock::unix_now(),
        ..Message::assistant("(This turn was cut off before it had an answer.)")
    }
}

/// Text of the turn that closes one without an answer.
pub(crate) fn unfinished_note(status: TurnStatus) -> &'static str {
    match status {
        TurnStatus::Interrupted => "(The person stopped this turn before it had an answer.)",
        TurnStatus::Error | TurnStatus::Complete => "(This turn ended with an error before it had an answer.)",
    }
}

/// The plan as the newest `todo` result has it. Larger results than 512,000 characters are not read.
pub(crate) fn newest_todos(messages: &[Message]) -> Vec<Todo> {
    #[derive(serde::Deserialize)]
    struct Plan {
        todos: Vec<Todo>,
    }
    messages
        .iter()
        .rev()
        .filter(|message| message.role == Role::Tool && message.tool_name.as_deref() == Some("todo"))
        .map(Message::content_text)
        .filter(|text| text.len() <= 512_000)
        .find_map(|text| serde_json::from_str::<Plan>(&text).ok())
        .map(|plan| plan.todos)
        .unwrap_or_default()
}

/// Mends a message by itself: fields that do not fit its role, empty contents, names and arguments of calls.
fn normalise(message: &mut Message) {
    if message.role != Role::Assistant {
        message.tool_calls.clear();
    }
    if message.role != Role::Tool {
        message.tool_call_id = None;
    }
    if let Some(Content::Parts(parts)) = &message.content
        && parts.is_empty()
    {
        message.content = None;
    }
    let mut ids = HashSet::new();
    let mut calls = std::mem::take(&mut message.tool_calls);
    for (index, call) in calls.iter_mut().enumerate() {
        if !is_sendable_name(&call.name) {
            call.name = sendable_name(&call.name);
        }
        if call.id.as_str().is_empty() {
            call.id = parse::derived_id(&call.name, &call.arguments, index);
        }
    }
    // The second call of one id in one turn cannot be told apart from the first.
    calls.retain(|call| ids.insert(call.id.clone()));
    message.tool_calls = calls;
}

/// Whether every provider takes the name of a call.
fn is_sendable_name(name: &str) -> bool {
    (1..=MOST_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The name with what providers refuse replaced, still recognisable.
fn sendable_name(name: &str) -> String {
    let name = name.trim();
    if name.is_empty() {
        return INVALID_NAME.to_owned();
    }
    let letters = name.chars().map(|letter| {
        u8::try_from(letter)
            .ok()
            .filter(|byte| is_name_byte(*byte))
            .map_or('_', char::from)
    });
    letters.take(MOST_NAME_BYTES).collect()
}

/// Whether a message has anything to send. A result without content gets one; a system prompt is left as it is.
fn says_something(message: &Message) -> bool {
    match message.role {
        Role::Assistant => !message.tool_calls.is_empty() || has_content(message),
        Role::User => has_content(message) || message.api_content.is_some(),
        Role::System | Role::Tool => true,
    }
}

fn has_content(message: &Message) -> bool {
    match &message.content {
        Some(Content::Text(text)) => !text.trim().is_empty(),
        Some(Content::Parts(parts)) => !parts.is_empty(),
        None => false,
    }
}

/// Joins neighbours of one role. Results are left alone.
fn merge_neighbours(messages: Vec<Message>) -> Vec<Message> {
    let mut out: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages {
        match out.last_mut() {
            Some(last) if last.role == message.role && message.role == Role::User => merge_users(last, message),
            Some(last) if last.role == message.role && message.role == Role::Assistant => {
                merge_assistants(last, message)
            }
            _ => out.push(message),
        }
    }
    out
}

fn merge_users(first: &mut Message, second: Message) {
    first.api_content = None;
    first.content = match (first.content.take(), second.content) {
        (None, other) | (other, None) => other,
        (Some(Content::Text(a)), Some(Content::Text(b))) => Some(Content::Text(join(&a, &b, "\n\n"))),
        (Some(a), Some(b)) => {
            let mut parts = into_parts(a);
            parts.extend(into_parts(b));
            Some(Content::Parts(parts))
        }
    };
}

fn merge_assistants(first: &mut Message, second: Message) {
    if first.finish_reason.as_deref() == Some(PROVISIONAL) && first.tool_calls.is_empty() {
        *first = second;
        return;
    }
    first.api_content = None;
    first.content = match (first.content.take(), second.content) {
        (None, other) | (other, None) => other,
        (Some(Content::Text(a)), Some(Content::Text(b))) => Some(Content::Text(join(&a, &b, "\n"))),
        (Some(a), Some(b)) => {
            let mut parts = into_parts(a);
            parts.extend(into_parts(b));
            Some(Content::Parts(parts))
        }
    };
    let known: HashSet<CallId> = first.tool_calls.iter().map(|call| call.id.clone()).collect();
    first
        .tool_calls
        .extend(second.tool_calls.into_iter().filter(|call| !known.contains(&call.id)));
    if first.reasoning_content.is_none() {
        first.reasoning_content = second.reasoning_content;
    }
    if first.reasoning.is_none() {
        first.reasoning = second.reasoning;
    }
    if first.reasoning_details.is_none() {
        first.reasoning_details = second.reasoning_details;
    }
    first.finish_reason = second.finish_reason;
    first.timestamp = second.timestamp;
}

fn join(a: &str, b: &str, between: &str) -> String {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b.to_owned(),
        (_, true) => a.to_owned(),
        (false, false) => format!("{a}{between}{b}"),
    }
}

fn into_parts(content: Content) -> Vec<ContentPart> {
    match content {
        Content::Text(text) if text.is_empty() => Vec::new(),
        Content::Text(text) => vec![ContentPart::Text { text }],
        Content::Parts(parts) => parts,
    }
}

/// Keeps the results that answer a call of the assistant turn directly before them, adds those that are missing, and mends
/// unreadable arguments.
fn pair_results(messages: Vec<Message>) -> Vec<Message> {
    let mut out: Vec<Message> = Vec::with_capacity(messages.len());
    let mut messages = messages.into_iter().peekable();
    while let Some(mut message) = messages.next() {
        if message.role == Role::Tool {
            continue;
        }
        if message.tool_calls.is_empty() {
            out.push(message);
            continue;
        }
        let mut results: Vec<Option<Message>> = vec![None; message.tool_calls.len()];
        let mut order = Vec::with_capacity(results.len());
        while let Some(result) = messages.next_if(|next| next.role == Role::Tool) {
            let at = result
                .tool_call_id
                .as_ref()
                .and_then(|id| answered(&message.tool_calls, &results, id));
            if let Some(at) = at {
                order.push(at);
                results[at] = Some(result);
            }
        }
        order.extend(
            (0..results.len())
                .filter(|at| results[*at].is_none())
                .collect::<Vec<_>>(),
        );
        for (call, result) in message.tool_calls.iter_mut().zip(&mut results) {
            let repaired = repair_arguments(&call.arguments);
            let hopeless = matches!(repaired, Repaired::Hopeless);
            call.arguments = repaired.text(&call.arguments).to_owned();
            let result = result.get_or_insert_with(|| Message::tool(call, NO_RESULT));
            result.tool_call_id = Some(call.id.clone());
            if result.content.is_none() {
                result.content = Some(Content::Text(NO_RESULT.to_owned()));
            }
            if hopeless {
                mark_corrupt(result);
            }
        }
        out.push(message);
        out.extend(order.into_iter().filter_map(|at| results[at].take()));
    }
    out
}

/// The call that a result answers: the one with its id, else one whose composite id `a|b` it names in part. Each call is
/// answered once.
fn answered(calls: &[ToolCall], results: &[Option<Message>], id: &CallId) -> Option<usize> {
    let free = |at: &usize| results[*at].is_none();
    let exact = calls.iter().position(|call| call.id == *id).filter(free);
    exact.or_else(|| {
        if calls.iter().any(|call| call.id == *id) {
            return None;
        }
        let half = first_half(id);
        (0..calls.len())
            .filter(free)
            .find(|at| first_half(&calls[*at].id) == half)
    })
}

fn first_half(id: &CallId) -> &str {
    let text = id.as_str();
    text.split_once('|').map_or(text, |(first, _)| first)
}

fn mark_corrupt(result: &mut Message) {
    let text = result.content_text();
    if !text.starts_with(CORRUPT) {
        result.content = Some(Content::Text(format!("{CORRUPT}\n{text}")));
    }
}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;
