//! Whole-program tests on the Rust side: the borders between crates.

mod borders;
