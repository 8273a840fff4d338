//! Sessions and turns: who may do what when, what the model is asked, what becomes of its calls, and what is stored.
//!
//! [`Sessions`] is the door. One owner task per session holds its state; a turn runs beside it and hands its history
//! back. Models and environments come through [`ModelSource`] and [`EnvironmentSource`]: this crate knows no tool family,
//! no backend and no vendor by name.

mod attempt;
mod batch;
mod calls;
mod clock;
mod context_files;
mod core;
mod desk;
mod failure;
mod feed;
mod gate;
mod git;
mod guardrail;
mod history;
mod ids;
mod load;
mod one_call;
mod prompt;
mod record;
mod session;
mod sessions;
mod shared;
mod text;
mod transcript;
mod turn;

pub use core::{AgentSettings, Core, CoreParts, EnvironmentSource, ModelSource, Overrides};
pub use failure::storage_error;
pub use history::{parse_history, repair as repair_history};
pub use one_call::{CallReport, ToolBench};
pub use session::QueueChange;
pub use sessions::{NewSessionParts, Sessions};
