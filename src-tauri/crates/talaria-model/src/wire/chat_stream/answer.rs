//! State of one answer: what its chunks add up to.

use super::StreamFault;
use super::chunk::{CallWire, Chunk, DeltaWire, ErrorFields, FunctionWire};
use crate::repair::sanitize_lone_surrogates;
use crate::think::{Piece, ThinkScrubber};
use crate::transport::{Completion, Delta, DeltaSink, FinishReason};
use crate::wire::loose::{Loose, content_text};
use crate::wire::sse::SseEvent;
use crate::wire::tool_slots::{CallEnd, CallPiece, ToolSlots};
use serde_json::Value;
use std::borrow::Cow;
use talaria_protocol::Usage;

#[derive(Debug, Default)]
pub(super) struct Answer {
    scrubber: ThinkScrubber,
    pub(super) text: String,
    /// What stood in think tags.
    hidden: String,
    reasoning: String,
    reasoning_content: Option<String>,
    details: Vec<Value>,
    refusal: String,
    pub(super) calls: ToolSlots,
    pub(super) finish: Option<FinishReason>,
    usage: Option<Usage>,
    model: Option<String>,
    pub(super) done: bool,
    pub(super) had_choice: bool,
    pub(super) shown_text: bool,
    pub(super) shown_reasoning: bool,
    pub(super) fault: Option<StreamFault>,
}

impl Answer {
    pub(super) fn fail(&mut self, fault: StreamFault) {
        self.fault.get_or_insert(fault);
    }

    pub(super) fn event(&mut self, event: SseEvent<'_>, sink: &mut dyn DeltaSink) {
        if !self.done && self.fault.is_none() {
            self.data(event.name, event.data, sink);
        }
    }

    pub(super) fn data(&mut self, event: &str, data: &[u8], sink: &mut dyn DeltaSink) {
        match serde_json::from_slice::<Chunk<'_>>(data) {
            Ok(chunk) => self.chunk(event, chunk, sink),
            Err(error) => self.odd_data(event, data, &error, sink),
        }
    }

    /// What is no JSON at first sight: the end marker, a notice, or a chunk that must be cleaned first.
    fn odd_data(&mut self, event: &str, data: &[u8], error: &serde_json::Error, sink: &mut dyn DeltaSink) {
        let data = data.trim_ascii();
        if data == b"[DONE]" {
            self.done = true;
            return;
        }
        let text = String::from_utf8_lossy(data);
        if !data.starts_with(b"{") {
            if event == "error" {
                self.fail(StreamFault::Reported {
                    code: "error".to_owned(),
                    detail: text.into_owned(),
                });
            }
            return;
        }
        let clean = sanitize_lone_surrogates(&text);
        if matches!((&text, &clean), (Cow::Owned(_), _) | (_, Cow::Owned(_)))
            && let Ok(chunk) = serde_json::from_str::<Chunk<'_>>(&clean)
        {
            return self.chunk(event, chunk, sink);
        }
        // Some servers leave out the blank line between events.
        if text.contains('\n')
            && text
                .lines()
                .all(|line| line.is_empty() || line == "[DONE]" || is_json(line))
        {
            for line in text.lines().filter(|line| !line.is_empty()) {
                if !self.done {
                    self.data(event, line.as_bytes(), sink);
                }
            }
            return;
        }
        self.fail(StreamFault::Malformed {
            detail: format!("an event is not valid JSON: {error}"),
        });
    }

    fn chunk(&mut self, event: &str, chunk: Chunk<'_>, sink: &mut dyn DeltaSink) {
        if let Some(fault) = reported(event, &chunk) {
            return self.fail(fault);
        }
        if self.model.is_none() {
            self.model = chunk.model.ident().map(Cow::into_owned);
        }
        if let Some(usage) = &chunk.usage {
            self.usage = usage.tokens().or(self.usage.take());
        }
        for choice in chunk.choices.unwrap_or_default() {
            if choice.index.number().unwrap_or(0) != 0 {
                continue;
            }
            self.had_choice = true;
            if let Some(usage) = &choice.usage {
                self.usage = usage.tokens().or(self.usage.take());
            }
            if let Some(delta) = choice.delta.or(choice.message.map(|message| *message)) {
                self.delta(delta, sink);
            }
            if let Loose::Text(text) = &choice.text {
                self.content(text, sink);
            }
            if let Some(reason) = choice.finish_reason.ident() {
                if reason == "error" {
                    self.fail(StreamFault::Reported {
                        code: "error".to_owned(),
                        detail: "the server ended the answer with an error".to_owned(),
                    });
                }
                self.finish = Some(finish_reason(&reason));
            }
        }
    }

    fn delta(&mut self, delta: DeltaWire<'_>, sink: &mut dyn DeltaSink) {
        self.reasoning_of(&delta, sink);
        match &delta.content {
            Loose::Text(text) => self.content(text, sink),
            Loose::Other(parts) => {
                let (text, reasoning) = content_text(parts);
                self.reason(&reasoning, sink);
                self.content(&text, sink);
            }
            Loose::Null | Loose::Int(_) => {}
        }
        if let Loose::Text(text) = &delta.refusal {
            self.refusal.push_str(text);
        }
        for (position, call) in delta.tool_calls.unwrap_or_default().iter().enumerate() {
            self.call(call, position, sink);
        }
        if let Some(function) = delta.function_call {
            let call = CallWire {
                index: Loose::Int(0),
                id: Loose::Null,
                function: Some(*function),
            };
            self.call(&call, 0, sink);
        }
    }

    fn reasoning_of(&mut self, delta: &DeltaWire<'_>, sink: &mut dyn DeltaSink) {
        if let Loose::Text(text) = &delta.reasoning_content {
            self.reasoning_content.get_or_insert_default().push_str(text);
        }
        // Servers that send both send the same text twice.
        let shown = [&delta.reasoning_content, &delta.reasoning]
            .into_iter()
            .find_map(|field| match field {
                Loose::Text(text) if !text.is_empty() => Some(text.as_ref()),
                _ => None,
            });
        if let Some(text) = shown {
            self.reason(text, sink);
        }
        if let Loose::Other(details) = &delta.reasoning_details
            && let Value::Array(details) = details.as_ref()
        {
            for detail in details {
                if shown.is_none()
                    && let Some(text) = detail
                        .get("text")
                        .or_else(|| detail.get("summary"))
                        .and_then(Value::as_str)
                {
                    self.reason(text, sink);
                }
                merge_detail(&mut self.details, detail);
            }
        }
    }

    fn reason(&mut self, text: &str, sink: &mut dyn DeltaSink) {
        if !text.is_empty() {
            self.reasoning.push_str(text);
            self.shown_reasoning = true;
            sink.delta(Delta::Reasoning(text));
        }
    }

    fn content(&mut self, text: &str, sink: &mut dyn DeltaSink) {
        if !text.is_empty() {
            self.scrub(|scrubber, out| scrubber.push(text, out), sink);
        }
    }

    fn scrub(&mut self, feed: impl FnOnce(&mut ThinkScrubber, &mut dyn FnMut(Piece<'_>)), sink: &mut dyn DeltaSink) {
        let Self {
            scrubber,
            text,
            hidden,
            shown_text,
            shown_reasoning,
            calls,
            ..
        } = self;
        // Once a call has begun, text is recorded and no longer shown.
        let show = calls.is_empty();
        feed(scrubber, &mut |piece| match piece {
            Piece::Visible(visible) => {
                text.push_str(visible);
                if show {
                    *shown_text = true;
                    sink.delta(Delta::Text(visible));
                }
            }
            Piece::Hidden(thought) => {
                hidden.push_str(thought);
                *shown_reasoning = true;
                sink.delta(Delta::Reasoning(thought));
            }
        });
    }

    fn call(&mut self, call: &CallWire<'_>, position: usize, sink: &mut dyn DeltaSink) {
        let empty = FunctionWire::default();
        let function = call.function.as_ref().unwrap_or(&empty);
        let (id, name) = (call.id.ident(), function.name.ident());
        let arguments = match &function.arguments {
            Loose::Text(text) => Cow::Borrowed(text.as_ref()),
            Loose::Other(value) => Cow::Owned(value.to_string()),
            Loose::Null | Loose::Int(_) => Cow::Borrowed(""),
        };
        if self.calls.is_empty() {
            self.scrub(|scrubber, out| scrubber.finish(out), sink);
        }
        let began = self.calls.add(CallPiece {
            index: call.index.number(),
            id: id.as_deref(),
            name: name.as_deref(),
            arguments: &arguments,
            position,
        });
        if let Some(name) = began {
            sink.delta(Delta::CallStarted { name });
        }
    }

    pub(super) fn complete(mut self, sink: &mut dyn DeltaSink) -> Result<Completion, StreamFault> {
        self.scrub(|scrubber, out| scrubber.finish(out), sink);
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let ended = self.finish.is_some() || self.done;
        let whole = ended && self.finish != Some(FinishReason::Length);
        let tool_calls = self
            .calls
            .finish(if whole { CallEnd::Whole } else { CallEnd::CutShort });
        let reasoning = if self.reasoning.is_empty() {
            self.hidden
        } else {
            self.reasoning
        };
        let mut text = self.text;
        let mut finish = self.finish;
        if text.trim().is_empty() && tool_calls.is_empty() && !self.refusal.is_empty() {
            sink.delta(Delta::Text(&self.refusal));
            text = self.refusal;
            finish = Some(FinishReason::ContentFilter);
        }
        if finish.is_none() && text.is_empty() && reasoning.is_empty() && tool_calls.is_empty() {
            return Err(StreamFault::Nothing { done: self.done });
        }
        let runnable = !tool_calls.is_empty() && tool_calls.iter().all(|call| call.valid);
        let cut_off = finish.is_none() && !self.done && !runnable;
        let finish = finish.unwrap_or(match (cut_off, tool_calls.is_empty()) {
            (true, _) => FinishReason::Length,
            (false, true) => FinishReason::Stop,
            (false, false) => FinishReason::ToolCalls,
        });
        let broken = tool_calls.iter().filter(|call| cut_off && !call.valid);
        Ok(Completion {
            dropped_calls: broken.map(|call| call.name.clone()).collect(),
            text,
            reasoning,
            reasoning_content: self.reasoning_content,
            reasoning_details: (!self.details.is_empty()).then_some(Value::Array(self.details)),
            tool_calls,
            finish,
            usage: self.usage,
            cut_off,
            model: self.model,
        })
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn finish_reason(reason: &str) -> FinishReason {
    match reason.to_ascii_lowercase().as_str() {
        "tool_calls" | "tool_use" | "function_call" => FinishReason::ToolCalls,
        "length" | "max_tokens" | "model_length" | "max_output_tokens" => FinishReason::Length,
        "content_filter" | "safety" | "refusal" | "recitation" | "sensitive" => FinishReason::ContentFilter,
        "incomplete" => FinishReason::Incomplete,
        _ => FinishReason::Stop,
    }
}

/// The error that a chunk reports, in any of the forms that servers use.
fn reported(event: &str, chunk: &Chunk<'_>) -> Option<StreamFault> {
    let fault = |fields: ErrorFields| StreamFault::Reported {
        code: fields.code,
        detail: fields.detail,
    };
    match &chunk.error {
        Loose::Null | Loose::Int(0) => {}
        Loose::Other(value) if **value == Value::Bool(false) => {}
        error => return Some(fault(ErrorFields::of(error))),
    }
    let named = event == "error" || matches!(&chunk.object, Loose::Text(object) if object == "error");
    let bare = chunk.choices.is_none() && chunk.detail != Loose::Null;
    (named || bare).then(|| fault(ErrorFields::of_top(chunk)))
}

/// Appends a piece of an opaque reasoning block: text joins the block it continues, the rest replaces.
fn merge_detail(details: &mut Vec<Value>, piece: &Value) {
    const JOINED: [&str; 3] = ["text", "summary", "data"];
    if let (Some(Value::Object(last)), Value::Object(piece)) = (details.last_mut(), piece) {
        let same = |key: &str| last.get(key) == piece.get(key);
        if piece.contains_key("index") && same("index") && same("type") {
            for (key, value) in piece {
                match (last.get_mut(key), value) {
                    (Some(Value::String(text)), Value::String(more)) if JOINED.contains(&key.as_str()) => {
                        text.push_str(more);
                    }
                    (Some(_), Value::Null) => {}
                    _ => {
                        last.insert(key.clone(), value.clone());
                    }
                }
            }
            return;
        }
    }
    details.push(piece.clone());
}
