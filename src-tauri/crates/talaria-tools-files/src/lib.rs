//! The tools `read_file` and `write_file`.
//!
//! Both reach files through the environment's [`FileHost`](talaria_exec::FileHost) alone, so that they work wherever the session's
//! commands run. What a session has seen of a file is kept in its memory: unchanged pages are not sent twice, and a file that changed
//! since it was read is not overwritten.

mod arguments;
mod diff;
mod guard;
mod internal_text;
mod kind;
mod lint;
mod lock;
mod memory;
mod page;
mod place;
mod read_file;
mod similar_names;
mod text_form;
mod write_file;

pub use read_file::ReadFile;
pub use write_file::WriteFile;

#[cfg(test)]
mod testing;
