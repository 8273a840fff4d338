//! Where commands and file operations run: [`Environment`] adds wrapping, state, timeouts, draining and output caps on
//! top of the small trait [`Backend`]; this crate has the local backend.
//!
//! What a backend can do is asked of it ([`Backend::files`]), never assumed. This crate knows no tool and no session.

mod ansi;
mod backend;
mod capture;
mod child_env;
#[cfg(any(test, feature = "contract"))]
pub mod contract;
mod environment;
#[cfg(any(test, feature = "contract"))]
pub mod file_contract;
mod files;
#[cfg(unix)]
mod local;
#[cfg(unix)]
mod local_files;
mod login;
mod state;
mod wrapper;

pub use ansi::{keep_colours, strip_escapes};
pub use backend::{
    BASE_DESCRIPTOR, Backend, EnvMap, ExecError, ExitState, OutputSink, Process, STATE_DESCRIPTOR, Script,
};
pub use capture::{OutputCap, TextForm};
pub use child_env::child_env;
pub use environment::{
    CommandEnd, CommandResult, EXIT_INTERRUPTED, EXIT_NO_FOLDER, EXIT_TIMED_OUT, Environment, EnvironmentOptions,
    RunRequest,
};
pub use files::{FileError, FileHost, FileKind, FileStat, WriteOutcome};
#[cfg(unix)]
pub use local::LocalBackend;
#[cfg(unix)]
pub use local_files::LocalFiles;
pub use login::{Login, LoginShell};
