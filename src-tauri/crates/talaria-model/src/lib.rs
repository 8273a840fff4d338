//! Models: wire formats (pure), vendor profiles, one kept-alive HTTP client, streaming and retry classes.
//!
//! The agent sees [`ModelTransport`] only: a request goes in, deltas come out through a [`DeltaSink`], a
//! [`Completion`] or a [`ModelError`] ends it. This crate knows no session, no store and no tool.

mod error;
mod transport;

pub use error::ModelError;
pub use transport::{
    AssembledCall, ChatRequest, Completion, Delta, DeltaSink, FinishReason, ModelTransport, ToolDefinition, WireMessage,
};
