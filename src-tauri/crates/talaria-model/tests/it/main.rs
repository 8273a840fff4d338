//! Behaviour cases of the wire format.

// The lint's exception for tests covers test functions only, not their helpers.
#![allow(clippy::expect_used, clippy::panic)]

mod cases;
mod stream_assembly;
mod think_scrub;
