//! Whole-program tests on the Rust side: the borders between crates, and frames through Tauri's mock runtime.

mod borders;
mod window;
