//! Turns a reply into bytes and waits.

use super::{Answer, Body, Chunking, Fault, Reply};
use crate::gate::Gate;
use crate::http::{self, LAST_CHUNK};
use crate::request::CapturedRequest;
use bytes::{Bytes, BytesMut};
use serde_json::{Value, json};
use std::time::Duration;

/// Writes of a prepared stream are large, so that the server never is the slow side.
const LARGE_WRITE: usize = 256 * 1024;

/// One step of answering.
#[derive(Debug)]
pub(crate) enum Act {
    Write(Bytes),
    Wait(Duration),
    Hold(Gate),
    /// Says nothing more; goes on only when the client goes away.
    Stall,
    Close,
}

/// What an answer depends on.
pub(crate) struct Answering<'a> {
    pub request: &'a CapturedRequest,
    /// Number of the request, from 1: in made-up ids.
    pub number: usize,
}

impl Reply {
    /// Makes bytes that take long to make.
    pub(crate) fn prepare(&self) {
        if let Body::Deltas { count, rendered } = &self.body {
            rendered.get_or_init(|| deltas(*count, self.chunking));
        }
    }

    /// The steps of this answer.
    pub(crate) fn acts(&self, answering: &Answering<'_>) -> Vec<Act> {
        let mut acts = Vec::new();
        if !self.delay.is_zero() {
            acts.push(Act::Wait(self.delay));
        }
        if let Body::Computed(decide) = &self.body {
            let reply = decide(answering.request);
            acts.extend(self.holds.iter().map(|(_, gate)| Act::Hold(gate.clone())));
            acts.extend(reply.acts(answering));
            return acts;
        }
        match self.fault {
            Some(Fault::CloseWithoutAnswer) => {
                self.hold_at(0, &mut acts);
                acts.push(Act::Close);
                return acts;
            }
            Some(Fault::Garbage) => {
                self.hold_at(0, &mut acts);
                acts.push(Act::Write(Bytes::from_static(
                    b"\x00\x7fSSH-2.0-not-http\r\n\xff\xfe\r\n\r\n",
                )));
                acts.push(Act::Close);
                return acts;
            }
            _ => {}
        }
        match &self.body {
            Body::Computed(_) => {}
            Body::Http { status, headers, body } => self.whole(*status, headers, body.clone(), &mut acts),
            Body::Answer(answer) if answer.plain || !answering.request.streams() => {
                let body = self.object(answer, answering).to_string();
                self.whole(200, &[content_type("application/json")], body.into(), &mut acts);
            }
            Body::Answer(answer) => self.stream(self.events(answer, answering), &mut acts),
            Body::Events(bytes) => self.stream(split_events(bytes), &mut acts),
            Body::Deltas { count, rendered } => {
                self.hold_at(0, &mut acts);
                acts.push(Act::Write(stream_head()));
                let mut bytes = rendered.get_or_init(|| deltas(*count, self.chunking)).clone();
                while !bytes.is_empty() {
                    acts.push(Act::Write(bytes.split_to(bytes.len().min(LARGE_WRITE))));
                }
            }
        }
        acts
    }

    fn whole(&self, status: u16, headers: &[(String, String)], body: Bytes, acts: &mut Vec<Act>) {
        self.hold_at(0, acts);
        let (kept, end) = self.faulty(body.len());
        let mut bytes = BytesMut::from(&http::head(status, headers, Some(body.len()))[..]);
        bytes.extend_from_slice(&body[..kept]);
        acts.push(Act::Write(bytes.freeze()));
        acts.extend(end);
    }

    /// How many of `length` bytes of the body go out, and what follows.
    fn faulty(&self, length: usize) -> (usize, Option<Act>) {
        match self.fault {
            Some(Fault::Cut(after)) => (length.min(after), Some(Act::Close)),
            Some(Fault::Stall(after)) => (length.min(after), Some(Act::Stall)),
            _ => (length, None),
        }
    }

    fn stream(&self, events: Vec<Bytes>, acts: &mut Vec<Act>) {
        let total = events.iter().map(Bytes::len).sum();
        let (mut left, end) = self.faulty(total);
        let pieces = match self.chunking {
            Chunking::PerEvent => events,
            Chunking::Pieces(size) => {
                let whole = Bytes::from(events.concat());
                whole.chunks(size.max(1)).map(Bytes::copy_from_slice).collect()
            }
        };
        self.hold_at(0, acts);
        acts.push(Act::Write(stream_head()));
        for (sent, piece) in pieces.iter().enumerate() {
            if sent > 0 {
                self.hold_at(sent, acts);
                if !self.pace.is_zero() {
                    acts.push(Act::Wait(self.pace));
                }
            }
            let kept = piece.len().min(left);
            left -= kept;
            let mut framed = BytesMut::with_capacity(kept + 16);
            http::chunk(&piece[..kept], &mut framed);
            if !framed.is_empty() {
                acts.push(Act::Write(framed.freeze()));
            }
            if left == 0 && end.is_some() {
                break;
            }
        }
        match end {
            Some(end) => acts.push(end),
            None => {
                self.hold_at(pieces.len(), acts);
                acts.push(Act::Write(Bytes::from_static(LAST_CHUNK)));
            }
        }
    }

    fn hold_at(&self, chunks: usize, acts: &mut Vec<Act>) {
        let gates = self.holds.iter().filter(|(at, _)| *at == chunks);
        acts.extend(gates.map(|(_, gate)| Act::Hold(gate.clone())));
    }

    fn events(&self, answer: &Answer, answering: &Answering<'_>) -> Vec<Bytes> {
        let id = format!("chatcmpl-{}", answering.number);
        let model = answering.request.model();
        let event = |choices: Value, usage: Option<Value>| {
            let mut chunk = json!({
                "id": id, "object": "chat.completion.chunk", "created": CREATED, "model": model, "choices": choices,
            });
            if let Some(usage) = usage {
                chunk["usage"] = usage;
            }
            Bytes::from(format!("data: {chunk}\n\n"))
        };
        let delta = |delta: Value| event(json!([{"index": 0, "delta": delta, "finish_reason": null}]), None);
        let mut events = vec![delta(json!({"role": "assistant", "content": ""}))];
        events.extend(
            answer
                .reasoning
                .iter()
                .map(|text| delta(json!({"reasoning_content": text}))),
        );
        events.extend(answer.text.iter().map(|text| delta(json!({"content": text}))));
        for (index, call) in answer.calls.iter().enumerate() {
            let function = json!({"name": call.name, "arguments": ""});
            let begun = json!({"index": index, "id": call_id(answer, index, answering), "type": "function", "function": function});
            events.push(delta(json!({"tool_calls": [begun]})));
            // In two parts, as models stream them.
            let middle = call.arguments.ceil_char_boundary(call.arguments.len() / 2);
            let (head, tail) = call.arguments.split_at(middle);
            for part in [head, tail].into_iter().filter(|part| !part.is_empty()) {
                events.push(delta(
                    json!({"tool_calls": [{"index": index, "function": {"arguments": part}}]}),
                ));
            }
        }
        let reason = self.reason(answer);
        if !reason.is_empty() {
            events.push(event(json!([{"index": 0, "delta": {}, "finish_reason": reason}]), None));
        }
        if answering.request.json()["stream_options"]["include_usage"] == true
            && let Some(usage) = self.usage_json()
        {
            events.push(event(json!([]), Some(usage)));
        }
        events.push(Bytes::from_static(b"data: [DONE]\n\n"));
        events
    }

    fn object(&self, answer: &Answer, answering: &Answering<'_>) -> Value {
        let calls: Vec<Value> = answer
            .calls
            .iter()
            .enumerate()
            .map(|(index, call)| {
                let function = json!({"name": call.name, "arguments": call.arguments});
                json!({"id": call_id(answer, index, answering), "type": "function", "function": function})
            })
            .collect();
        let mut message = json!({"role": "assistant", "content": null});
        if !answer.text.is_empty() {
            message["content"] = answer.text.concat().into();
        }
        if !answer.reasoning.is_empty() {
            message["reasoning_content"] = answer.reasoning.concat().into();
        }
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        let mut object = json!({
            "id": format!("chatcmpl-{}", answering.number), "object": "chat.completion", "created": CREATED,
            "model": answering.request.model(),
            "choices": [{"index": 0, "message": message, "finish_reason": self.reason(answer)}],
        });
        if let Some(usage) = self.usage_json() {
            object["usage"] = usage;
        }
        object
    }

    fn reason<'a>(&'a self, answer: &Answer) -> &'a str {
        let usual = if answer.calls.is_empty() { "stop" } else { "tool_calls" };
        self.finish_reason.as_deref().unwrap_or(usual)
    }

    fn usage_json(&self) -> Option<Value> {
        self.usage.map(|(prompt, completion)| {
            json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion})
        })
    }
}

const CREATED: u32 = 1_760_000_000;

fn call_id(answer: &Answer, index: usize, answering: &Answering<'_>) -> String {
    let given = answer.calls.get(index).and_then(|call| call.id.clone());
    given.unwrap_or_else(|| format!("call_{}_{index}", answering.number))
}

fn content_type(value: &str) -> (String, String) {
    ("content-type".to_owned(), value.to_owned())
}

fn stream_head() -> Bytes {
    http::head(
        200,
        &[
            content_type("text/event-stream; charset=utf-8"),
            ("cache-control".to_owned(), "no-cache".to_owned()),
        ],
        None,
    )
}

/// Raw bytes cut behind each blank line.
fn split_events(bytes: &Bytes) -> Vec<Bytes> {
    let mut events = Vec::new();
    let mut rest = bytes.clone();
    while let Some(end) = rest.windows(2).position(|two| two == b"\n\n") {
        events.push(rest.split_to(end + 2));
    }
    if !rest.is_empty() {
        events.push(rest);
    }
    events
}

/// The whole framed body of a long stream of text.
fn deltas(count: usize, chunking: Chunking) -> Bytes {
    let event = |delta: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":{CREATED},\"model\":\"scripted\",\
             \"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let text = event("{\"content\":\" word\"}", "null");
    let end = event("{}", "\"stop\"") + "data: [DONE]\n\n";
    let mut out = BytesMut::with_capacity((text.len() + 8) * count + end.len() + 64);
    match chunking {
        Chunking::PerEvent => {
            let mut one = BytesMut::new();
            http::chunk(text.as_bytes(), &mut one);
            for _ in 0..count {
                out.extend_from_slice(&one);
            }
            http::chunk(end.as_bytes(), &mut out);
        }
        Chunking::Pieces(size) => {
            let whole = text.repeat(count) + &end;
            for piece in whole.as_bytes().chunks(size.max(1)) {
                http::chunk(piece, &mut out);
            }
        }
    }
    out.extend_from_slice(LAST_CHUNK);
    out.freeze()
}
