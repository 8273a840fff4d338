//! The whole runtime against a scripted model: real store, real tools, real wire format.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails by panicking"
)]

mod approvals;
mod faults;
mod kill;
mod rig;
mod sessions;
mod turns;
