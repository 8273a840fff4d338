//! The real program against a scripted model: what it prints, how it ends, and what it leaves behind.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod asking;
mod home;
mod json;
mod model;
mod rig;
mod run;
mod serve;
mod sessions;
mod signals;
mod tools;
