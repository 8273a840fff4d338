//! What the scripted model answers.

mod render;

use crate::gate::Gate;
use crate::request::CapturedRequest;
use bytes::Bytes;
pub(crate) use render::{Act, Answering};
use serde_json::Value;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How the body of a stream is cut into HTTP chunks. Each is written by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chunking {
    /// One chunk for each event, as most servers do.
    #[default]
    PerEvent,
    /// Chunks of so many bytes, whatever is in them.
    Pieces(usize),
}

impl Chunking {
    /// Every byte by itself.
    pub const BYTES: Self = Self::Pieces(1);
    /// What a proxy that buffers sends.
    pub const PIECES_16_KIB: Self = Self::Pieces(16 * 1024);
}

/// One answer and how it is given.
#[derive(Clone, Debug)]
pub struct Reply {
    body: Body,
    finish_reason: Option<String>,
    usage: Option<(u64, u64)>,
    chunking: Chunking,
    delay: Duration,
    pace: Duration,
    holds: Vec<(usize, Gate)>,
    fault: Option<Fault>,
}

#[derive(Clone)]
enum Body {
    Answer(Answer),
    Events(Bytes),
    Deltas {
        count: usize,
        rendered: Arc<OnceLock<Bytes>>,
    },
    Http {
        status: u16,
        headers: Vec<(String, String)>,
        body: Bytes,
    },
    Computed(Arc<dyn Fn(&CapturedRequest) -> Reply + Send + Sync>),
}

#[derive(Clone, Debug, Default)]
struct Answer {
    reasoning: Vec<String>,
    text: Vec<String>,
    calls: Vec<ScriptedCall>,
    plain: bool,
}

#[derive(Clone, Debug)]
struct ScriptedCall {
    id: Option<String>,
    name: String,
    arguments: String,
}

impl ScriptedCall {
    fn new(name: String, arguments: Value) -> Self {
        let arguments = match arguments {
            Value::String(text) => text,
            value => value.to_string(),
        };
        Self {
            id: None,
            name,
            arguments,
        }
    }
}

#[derive(Clone, Debug)]
enum Fault {
    Cut(usize),
    Stall(usize),
    CloseWithoutAnswer,
    Garbage,
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(answer) => answer.fmt(f),
            Self::Events(bytes) => write!(f, "Events({} bytes)", bytes.len()),
            Self::Deltas { count, .. } => write!(f, "Deltas({count})"),
            Self::Http { status, body, .. } => write!(f, "Http({status}, {} bytes)", body.len()),
            Self::Computed(_) => f.write_str("Computed"),
        }
    }
}

/// Says `text` in one delta.
pub fn says(text: impl Into<String>) -> Reply {
    says_in_pieces([text.into()])
}

/// Says a text in several deltas.
pub fn says_in_pieces<T: Into<String>>(pieces: impl IntoIterator<Item = T>) -> Reply {
    let text = pieces.into_iter().map(Into::into).collect();
    Reply::new(Body::Answer(Answer {
        text,
        ..Answer::default()
    }))
}

/// Thinks `reasoning` (as `reasoning_content`), then says `text`.
pub fn thinks(reasoning: impl Into<String>, text: impl Into<String>) -> Reply {
    let answer = Answer {
        reasoning: vec![reasoning.into()],
        text: vec![text.into()],
        ..Answer::default()
    };
    Reply::new(Body::Answer(answer))
}

/// Calls a tool. A string as `arguments` is sent as it stands, valid JSON or not; anything else as its JSON text.
pub fn calls(tool: impl Into<String>, arguments: Value) -> Reply {
    calls_many([(tool, arguments)])
}

/// Calls several tools in one answer.
pub fn calls_many<T: Into<String>>(calls: impl IntoIterator<Item = (T, Value)>) -> Reply {
    let calls = calls
        .into_iter()
        .map(|(name, arguments)| ScriptedCall::new(name.into(), arguments));
    Reply::new(Body::Answer(Answer {
        calls: calls.collect(),
        ..Answer::default()
    }))
}

/// Says `text`, then calls a tool.
pub fn calls_with_text(text: impl Into<String>, tool: impl Into<String>, arguments: Value) -> Reply {
    let mut reply = calls(tool, arguments);
    reply.answer_mut().text = vec![text.into()];
    reply
}

/// An answer with all that one can have; a string as arguments is sent as it stands.
pub(crate) fn answers(
    reasoning: Option<String>,
    text: Vec<String>,
    calls: impl Iterator<Item = (Option<String>, String, Value)>,
    plain: bool,
) -> Reply {
    let calls = calls.map(|(id, name, arguments)| ScriptedCall {
        id,
        ..ScriptedCall::new(name, arguments)
    });
    let reasoning = reasoning.into_iter().collect();
    Reply::new(Body::Answer(Answer {
        reasoning,
        text,
        calls: calls.collect(),
        plain,
    }))
}

/// Streams these bytes of `text/event-stream` as they are.
pub fn raw_events(bytes: impl Into<Bytes>) -> Reply {
    Reply::new(Body::Events(bytes.into()))
}

/// Streams `count` short text deltas as fast as the socket takes them; the bytes are made beforehand.
pub fn stream_of(count: usize) -> Reply {
    Reply::new(Body::Deltas {
        count,
        rendered: Arc::default(),
    })
}

/// Answers with a status, a content type and a body.
pub fn http(status: u16, content_type: &str, body: impl Into<Bytes>) -> Reply {
    let headers = vec![("content-type".to_owned(), content_type.to_owned())];
    Reply::new(Body::Http {
        status,
        headers,
        body: body.into(),
    })
}

/// Answers with a web page, as a captive portal or a wrong address does.
pub fn html(status: u16) -> Reply {
    http(
        status,
        "text/html; charset=utf-8",
        "<!doctype html><title>Welcome</title><h1>It works</h1>",
    )
}

/// Says `text` as one plain JSON object although a stream was asked for.
pub fn plain_json(text: impl Into<String>) -> Reply {
    let mut reply = says(text);
    reply.answer_mut().plain = true;
    reply
}

/// Answers what `decide` makes of the request.
pub fn respond_with(decide: impl Fn(&CapturedRequest) -> Reply + Send + Sync + 'static) -> Reply {
    Reply::new(Body::Computed(Arc::new(decide)))
}

impl Reply {
    fn new(body: Body) -> Self {
        Self {
            body,
            finish_reason: None,
            usage: Some((100, 20)),
            chunking: Chunking::default(),
            delay: Duration::ZERO,
            pace: Duration::ZERO,
            holds: Vec::new(),
            fault: None,
        }
    }

    /// Refuses the key, as OpenAI words it.
    pub fn unauthorized() -> Self {
        let body = r#"{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#;
        http(401, "application/json", body)
    }

    /// Refuses for the rate and asks to wait so many seconds.
    pub fn rate_limited(retry_after_s: u32) -> Self {
        let body = r#"{"error":{"message":"Rate limit reached.","type":"requests","param":null,"code":"rate_limit_exceeded"}}"#;
        http(429, "application/json", body).header("retry-after", &retry_after_s.to_string())
    }

    /// Fails with a status and an error body of the usual form.
    pub fn error(status: u16, message: &str) -> Self {
        let kind = if status < 500 {
            "invalid_request_error"
        } else {
            "server_error"
        };
        let body = serde_json::json!({"error": {"message": message, "type": kind, "param": null, "code": null}});
        http(status, "application/json", body.to_string())
    }

    /// Closes the connection without a byte.
    pub fn closes() -> Self {
        Self {
            fault: Some(Fault::CloseWithoutAnswer),
            ..says("")
        }
    }

    /// Answers with bytes that are no HTTP, then closes.
    pub fn garbage() -> Self {
        Self {
            fault: Some(Fault::Garbage),
            ..says("")
        }
    }

    /// Adds a header to an answer made by [`http`] and its kin.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match &mut self.body {
            Body::Http { headers, .. } => headers.push((name.to_owned(), value.to_owned())),
            other => panic!("{other:?} has no headers of its own"),
        }
        self
    }

    /// Reasoning before what is said or called.
    pub fn with_reasoning(mut self, reasoning: impl Into<String>) -> Self {
        self.answer_mut().reasoning = vec![reasoning.into()];
        self
    }

    /// Ids of the calls; without it they are made from the number of the request.
    pub fn with_ids<T: Into<String>>(mut self, ids: impl IntoIterator<Item = T>) -> Self {
        for (call, id) in self.answer_mut().calls.iter_mut().zip(ids) {
            call.id = Some(id.into());
        }
        self
    }

    /// The `finish_reason`, instead of `stop` or `tool_calls`. Empty sends none.
    pub fn finish_reason(mut self, reason: &str) -> Self {
        self.finish_reason = Some(reason.to_owned());
        self
    }

    /// Prompt and completion tokens, instead of 100 and 20.
    pub fn usage(mut self, prompt: u64, completion: u64) -> Self {
        self.usage = Some((prompt, completion));
        self
    }

    /// Says nothing of tokens.
    pub fn without_usage(mut self) -> Self {
        self.usage = None;
        self
    }

    /// How the stream is cut into HTTP chunks.
    pub fn chunking(mut self, chunking: Chunking) -> Self {
        self.chunking = chunking;
        self
    }

    /// Waits before the first byte.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Waits before each chunk after the first.
    pub fn pace(mut self, pace: Duration) -> Self {
        self.pace = pace;
        self
    }

    /// Waits at `gate` before the first byte.
    pub fn hold(self, gate: &Gate) -> Self {
        self.hold_after(0, gate)
    }

    /// Waits at `gate` after so many chunks. The first event of an answer only names the role.
    pub fn hold_after(mut self, chunks: usize, gate: &Gate) -> Self {
        self.holds.push((chunks, gate.clone()));
        self
    }

    /// Closes the connection after so many bytes of the body.
    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.fault = Some(Fault::Cut(bytes));
        self
    }

    /// Falls silent for good after so many bytes of the body.
    pub fn stall_after(mut self, bytes: usize) -> Self {
        self.fault = Some(Fault::Stall(bytes));
        self
    }

    fn answer_mut(&mut self) -> &mut Answer {
        match &mut self.body {
            Body::Answer(answer) => answer,
            other => panic!("{other:?} says and calls nothing"),
        }
    }
}
