//! Behaviour cases of the wire format.

mod cases;
mod stream_assembly;
mod think_scrub;
