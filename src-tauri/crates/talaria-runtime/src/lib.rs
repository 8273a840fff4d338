//! Puts the runtime together: settings, store, models, environments, tools and sessions; and answers every method of
//! the protocol.
//!
//! [`Runtime::start`] gives a runtime or the reason why there is none. Handlers are thin: they unpack, call one thing
//! and map the error. This crate knows no window.

mod boot;
mod client;
mod environments;
mod handlers;
mod log;
mod models;
mod sample;
mod settings;

// The linker drops crates that nobody names; these register their tools when they are linked.
use talaria_tools_files as _;
use talaria_tools_session as _;
use talaria_tools_terminal as _;

pub use boot::{Runtime, RuntimeOptions};
pub use client::LocalClient;
pub use talaria_agent::{CallReport, Overrides, ToolBench};
