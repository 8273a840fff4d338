//! The seam between the agent and whatever answers: an HTTP server or the scripted demo model.

use crate::error::ModelError;
use futures::future::BoxFuture;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::{Arc, OnceLock};
use talaria_protocol::{Message, Usage};
use tokio_util::sync::CancellationToken;

/// A message of a request. Keeps its wire form, so that a long history is serialised once and not at each call.
#[derive(Debug)]
pub struct WireMessage {
    /// The message, already repaired for a strict provider.
    pub message: Message,
    wire: OnceLock<Box<RawValue>>,
}

impl WireMessage {
    /// Wraps a repaired message.
    pub fn new(message: Message) -> Arc<Self> {
        Arc::new(Self {
            message,
            wire: OnceLock::new(),
        })
    }

    /// The wire form made by `build` at the first call. One history is only ever sent in one wire format; a switch of
    /// the format wraps the messages anew.
    pub fn wire(&self, build: impl FnOnce(&Message) -> Box<RawValue>) -> &RawValue {
        self.wire.get_or_init(|| build(&self.message))
    }
}

/// A tool as offered to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// Name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// JSON schema of the arguments: an object.
    pub parameters: Value,
}

/// A request in protocol-neutral form.
#[derive(Clone, Debug)]
pub struct ChatRequest {
    /// Model id as the server knows it.
    pub model: String,
    /// System prompt; sent as the first message.
    pub system: Option<Arc<WireMessage>>,
    /// History without the system prompt.
    pub messages: Vec<Arc<WireMessage>>,
    /// Tools on offer, in name order; empty offers none.
    pub tools: Arc<[ToolDefinition]>,
    /// Cap of the answer in tokens; `None` leaves it to the profile or the server.
    pub max_tokens: Option<u32>,
    /// Temperature; `None` leaves it to the server.
    pub temperature: Option<f32>,
}

/// Normalised reason for the end of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// The model is done.
    Stop,
    /// The model wants tools run.
    ToolCalls,
    /// The output limit was reached or the stream was cut after text had come.
    Length,
    /// The provider or the model refused.
    ContentFilter,
    /// The answer is not finished and must be asked for again.
    Incomplete,
}

impl FinishReason {
    /// The name in the store and in cases.
    pub fn as_str(self) -> &'static str {
        match self {
            FinishReason::Stop => "stop",
            FinishReason::ToolCalls => "tool_calls",
            FinishReason::Length => "length",
            FinishReason::ContentFilter => "content_filter",
            FinishReason::Incomplete => "incomplete",
        }
    }
}

/// A call as it came out of the stream.
#[derive(Clone, Debug, PartialEq)]
pub struct AssembledCall {
    /// Id, unique within the answer; made up when the server gave none.
    pub id: String,
    /// Name as the model wrote it.
    pub name: String,
    /// Argument text as the model wrote it; `{}` when it wrote none.
    pub arguments: String,
    /// Whether `arguments` is valid JSON. If not, the call must not run.
    pub valid: bool,
}

/// A finished answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// Visible text without reasoning.
    pub text: String,
    /// Reasoning for display: structured reasoning, else what stood in think tags.
    pub reasoning: String,
    /// Reasoning exactly as the provider's `reasoning_content`, kept for providers that want it back.
    pub reasoning_content: Option<String>,
    /// Opaque reasoning blocks to send back.
    pub reasoning_details: Option<Value>,
    /// Calls in order.
    pub tool_calls: Vec<AssembledCall>,
    /// Why it ended.
    pub finish: FinishReason,
    /// Tokens, where the server said.
    pub usage: Option<Usage>,
    /// Whether the stream broke off after text had been delivered: the text is kept, the caller may ask to go on.
    pub cut_off: bool,
    /// Names of calls that were dropped because the stream broke off inside them.
    pub dropped_calls: Vec<String>,
    /// Model that answered, as the server says.
    pub model: Option<String>,
}

/// What a running answer gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delta<'a> {
    /// Visible text, think tags removed.
    Text(&'a str),
    /// Reasoning.
    Reasoning(&'a str),
    /// The model began a call.
    CallStarted {
        /// Name of the tool.
        name: &'a str,
    },
    /// Nothing came for 30 s; repeated every 30 s.
    Quiet {
        /// Seconds without a byte.
        seconds: u64,
    },
    /// The connection broke and is tried again; what was shown of this answer is void if `restart`.
    Reconnecting {
        /// Which attempt begins, from 2.
        attempt: u32,
        /// Whether text already delivered must be dropped.
        restart: bool,
    },
    /// All deltas of one network read were given: the moment to hand them on.
    Flush,
}

/// Takes the deltas of an answer in order. Must not block.
pub trait DeltaSink: Send {
    /// Takes one.
    fn delta(&mut self, delta: Delta<'_>);
}

impl<F: FnMut(Delta<'_>) + Send> DeltaSink for F {
    fn delta(&mut self, delta: Delta<'_>) {
        self(delta)
    }
}

/// Whatever answers a chat request: a server behind HTTP, or the scripted demo.
pub trait ModelTransport: Send + Sync {
    /// Asks once, reconnects within the rules of agent.md 7 included. Cancelling drops the answer at once and gives
    /// [`ModelError::Cancelled`]; what was delivered through `sink` stays with the caller.
    fn ask<'a>(
        &'a self,
        request: &'a ChatRequest,
        sink: &'a mut dyn DeltaSink,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Completion, ModelError>>;
}
