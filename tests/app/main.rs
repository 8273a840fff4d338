//! Whole-program tests on the Rust side: the borders between crates, and frames through Tauri's mock runtime.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

mod borders;
mod window;
