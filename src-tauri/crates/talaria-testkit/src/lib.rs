//! What tests stand on: a model server that follows a script, a judge of histories, a temporary home, and fakes of the
//! seam traits.
//!
//! [`ScriptedModel`] speaks Chat Completions on a loopback port and keeps the requests it got; [`Reply`] says what it
//! answers, [`Gate`] makes it wait for the test. A dev-dependency only: nothing here is part of a program that is shipped,
//! and a broken test set-up panics.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot be set up fails by panicking"
)]

mod fake_backend;
mod fake_session;
mod gate;
mod http;
mod model;
mod reply;
mod request;
mod script_file;
mod strict;
mod temp_home;

pub use fake_backend::{FakeBackend, FakeRun};
pub use fake_session::{FakeGate, FakeHost, tool_context};
pub use gate::Gate;
pub use model::{Script, ScriptedModel};
pub use reply::{
    Chunking, Reply, calls, calls_many, calls_with_text, html, http, plain_json, raw_events, respond_with, says,
    says_in_pieces, stream_of, thinks,
};
pub use request::CapturedRequest;
pub use strict::{strict_history, strict_request};
pub use temp_home::TempHome;
