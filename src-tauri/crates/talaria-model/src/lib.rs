//! Models: wire formats (pure), vendor profiles, one kept-alive HTTP client, streaming and retry classes.
//!
//! The agent sees [`ModelTransport`] only: a request goes in, deltas come out through a [`DeltaSink`], a
//! [`Completion`] or a [`ModelError`] ends it. This crate knows no session, no store and no tool.

mod client;
mod demo;
mod discover;
mod error;
mod profile;
mod repair;
mod retry;
mod think;
mod transport;
pub mod wire;

pub use client::{HttpModel, SharedClient, Timers, open_route};
pub use demo::{DemoModel, Pace, create_sample_project};
pub use discover::{Candidate, discover, list_models, test_route, usual_places};
pub use error::ModelError;
pub use profile::{CapKey, KeyNeed, PROFILES, Profile, ReasoningEcho, ResolvedRoute, SecretLookup, profile, resolve};
pub use repair::{Repaired, repair_arguments, sanitize_lone_surrogates};
pub use retry::{MAX_RETRY_AFTER, backoff, backoff_malformed};
pub use think::{Piece, ThinkScrubber};
pub use transport::{
    AssembledCall, ChatRequest, Completion, Delta, DeltaSink, FinishReason, ModelTransport, ToolDefinition, WireMessage,
};
