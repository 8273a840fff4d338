//! Tools: the trait [`Tool`], self-registration, availability, coercion and dispatch.
//!
//! A tool is one file that registers itself with [`register_tool!`]; nothing else lists it. Every call goes through
//! [`Registry::dispatch`], which asks the [`Gate`] with the call's [`Intent`] before anything runs, so that no tool can forget
//! to ask. This crate knows no tool by name, no session and no model.

mod arguments;
mod availability;
mod coerce;
mod dispatch;
mod error_text;
mod outcome;
mod plan;
mod registry;
mod repair;
mod schema;
mod tool;

#[cfg(test)]
mod cases;

pub use coerce::coerce;
pub use dispatch::PreparedCall;
pub use error_text::sanitize_error;
#[doc(hidden)]
pub use inventory;
pub use plan::{Scope, Segment, plan};
pub use registry::{Definition, Registry, Toolsets};
pub use repair::repair_name;
pub use schema::sanitize_parameters;
pub use tool::{
    CallHost, CallTitle, Decision, Gate, Intent, ParallelClass, RegisteredTool, SessionMemory, Tool, ToolContext,
    ToolError, ToolLimits, ToolOutcome, ToolOutput, ToolSpec,
};
