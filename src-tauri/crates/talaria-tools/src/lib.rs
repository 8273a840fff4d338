//! Tools: the trait [`Tool`], self-registration, availability, coercion and dispatch.
//!
//! A tool is one file that registers itself with [`register_tool!`]; nothing else lists it. Every call goes through
//! [`dispatch`](crate::Registry), which asks the [`Gate`] with the call's [`Intent`] before anything runs, so that no tool can forget
//! to ask. This crate knows no tool by name, no session and no model.

mod tool;

#[doc(hidden)]
pub use inventory;
pub use tool::{
    CallHost, CallTitle, Decision, Gate, Intent, ParallelClass, RegisteredTool, SessionMemory, Tool, ToolContext,
    ToolError, ToolLimits, ToolOutcome, ToolOutput, ToolSpec,
};
