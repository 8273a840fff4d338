//! Wire formats: pure functions and state machines over bytes, no input or output.

pub mod chat;
pub mod chat_stream;
mod loose;
pub mod sse;
mod tool_slots;
