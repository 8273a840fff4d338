//! Where commands and file operations run: [`Environment`] adds wrapping, state, timeouts, draining and output caps on
//! top of the small trait [`Backend`]; this crate has the local backend.
//!
//! What a backend can do is asked of it ([`Backend::files`]), never assumed. This crate knows no tool and no session.

mod backend;
mod environment;
mod files;

pub use backend::{Backend, ExecError, ExitState, OutputSink, Process, Script};
pub use environment::Environment;
pub use files::{FileError, FileHost, FileKind, FileStat, WriteOutcome};
