//! What only a desktop can do.

pub mod open;
pub mod rendering;
pub mod window;
