//! The tool `terminal`: runs a shell command where the session works.
//!
//! Commands run to their end inside the call; background processes and terminals are not offered yet. This crate knows the
//! environment and nothing of how or where it runs things.

mod guidance;
mod meaning;
mod progress;
mod request;
mod terminal;
