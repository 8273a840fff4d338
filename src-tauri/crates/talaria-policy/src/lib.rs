//! Pure decisions: what a command would do, what a mode makes of it, which paths are closed, what a child process inherits.
//!
//! [`assess`] reads a command as shell and gives every simple command in it a verdict; [`decide`] turns verdict, mode
//! and grants into a ruling. Nothing here asks, runs or reads anything, and whatever cannot be understood asks.

mod assess;
mod block;
mod decide;
mod env_rules;
mod findings;
mod grants;
mod normalise;
mod path_rules;
mod peel;
mod reads;
mod shell;
mod words;

pub use assess::{Assessment, CommandContext, Finding, Verdict, assess};
pub use decide::{Action, Ask, Ruling, Surface, decide, denied_message, unanswered_message};
pub use env_rules::{Platform, may_pass_through, reaches_code, reaches_terminal};
pub use grants::Grants;
pub use path_rules::{Change, PathContext, PathDenied, Spellings, check_change, check_read, device_denied};
