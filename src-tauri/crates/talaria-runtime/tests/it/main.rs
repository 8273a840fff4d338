//! The whole runtime against a scripted model: real store, real tools, real wire format.

mod approvals;
mod faults;
mod kill;
mod rig;
mod sessions;
mod turns;
