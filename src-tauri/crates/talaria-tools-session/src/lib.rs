//! Tools todo and clarify.
