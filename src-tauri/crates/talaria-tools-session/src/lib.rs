//! The tools that keep a session's plan and ask the person: `todo` and `clarify`. Both act through the session alone and touch
//! nothing outside of it.

mod clarify;
mod todo;

pub use clarify::Clarify;
pub use todo::TodoList;

#[cfg(test)]
mod testing;
