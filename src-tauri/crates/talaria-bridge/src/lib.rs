//! The bridge between the runtime and its clients: event streams with sequence numbers and replay ([`Hub`]), questions
//! of the core to its clients ([`Ask`]), and JSON-RPC frames ([`serve_peer`]).
//!
//! A client never has a queue of its own: it has a place in each stream it follows and reads on from there, so a slow
//! client costs nothing and sees a gap in `seq` at worst. This crate knows no session logic, no store and no window.

mod hub;
mod peer;
mod requests;
mod stream;

pub use hub::{Delivery, Follower, Hub};
pub use peer::{Outbox, serve_peer};
pub use requests::{Answer, Ask};
pub use stream::{MAX_REPLAY_BYTES, MAX_REPLAY_EVENTS, Published};
