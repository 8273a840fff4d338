//! The least that a place must do to run commands.

use crate::files::FileHost;
use futures::future::BoxFuture;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

/// The variables of a process. Names and values need not be UTF-8.
pub type EnvMap = BTreeMap<OsString, OsString>;

/// Descriptor to which a script writes its state when [`Script::wants_state`] is set.
///
/// High enough to stay clear of the numbers that scripts use themselves, and far below the limit of open files.
pub const STATE_DESCRIPTOR: i32 = 99;

/// Descriptor from which a script reads [`Script::base`].
pub const BASE_DESCRIPTOR: i32 = 98;

/// Why a command could not be run or watched. A command that ran and failed is not an error.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The working directory does not exist or cannot be entered.
    #[error("the folder {path} cannot be entered: {reason}")]
    Directory {
        /// The folder.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// The shell could not be started.
    #[error("the shell could not be started: {reason}")]
    Spawn {
        /// What the system said.
        reason: String,
    },
    /// The system has no process, descriptor or memory to spare now; later it may. Nothing ran.
    #[error("the system has no process to spare: {reason}")]
    Busy {
        /// What the system said.
        reason: String,
    },
    /// The running command can no longer be watched.
    #[error("the command can no longer be watched: {reason}")]
    Lost {
        /// What the system said.
        reason: String,
    },
}

/// A shell script to run as a fresh process (group).
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Text for `bash -c`.
    pub text: String,
    /// Whether the shell is a login shell.
    pub login: bool,
    /// The whole environment of the process; `None` inherits the backend's own base environment.
    pub env: Option<Arc<EnvMap>>,
    /// Folder that the process starts in; `None` leaves it to the script. Spawning fails with [`ExecError::Directory`]
    /// when it cannot be entered.
    pub cwd: Option<String>,
    /// Standard input; `None` is /dev/null.
    pub stdin: Option<Vec<u8>>,
    /// Whether the script writes its state (folder, exports) to an inherited descriptor, where the backend has such.
    pub wants_state: bool,
    /// Functions, aliases and options that the script sources from [`BASE_DESCRIPTOR`], where the backend has such.
    pub base: Option<Arc<str>>,
}

/// How a process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExitState {
    /// Exit code; 128 + n after signal n.
    pub code: i32,
    /// What the script wrote to its state descriptor, if it had one and wrote.
    pub state: Option<Vec<u8>>,
}

/// Takes output bytes (stdout and stderr merged) as they come. Must not block.
pub trait OutputSink: Send {
    /// Takes some bytes.
    fn bytes(&mut self, bytes: &[u8]);
}

impl<F: FnMut(&[u8]) + Send> OutputSink for F {
    fn bytes(&mut self, bytes: &[u8]) {
        self(bytes)
    }
}

/// A running process group.
pub trait Process: Send {
    /// Process id, where there is one.
    fn pid(&self) -> Option<u32>;
    /// Feeds output to `sink` until the end of the command: end of file, or 50 ms after the exit when something
    /// inherited the pipe. Dropping the future keeps the process running; dropping the process ends it by force.
    fn finish<'a>(&'a mut self, sink: &'a mut dyn OutputSink) -> BoxFuture<'a, Result<ExitState, ExecError>>;
    /// Ends the whole group: politely, after one second by force. Returns when none of it is left. What it wrote
    /// before can still be had from [`Process::finish`].
    fn kill(&mut self) -> BoxFuture<'_, ()>;
}

/// A place that can run shell scripts. `Environment` adds wrapping, state, timeouts and draining on top.
pub trait Backend: Send + Sync {
    /// Kind and name for people: (`local`, `this computer`).
    fn target(&self) -> (&'static str, String);
    /// Starts a script.
    fn spawn(&self, script: Script) -> BoxFuture<'_, Result<Box<dyn Process>, ExecError>>;
    /// Gives back what the backend holds.
    fn cleanup(&self) -> BoxFuture<'_, Result<(), ExecError>>;
    /// Whether scripts can hand back state through an inherited descriptor.
    fn has_state_descriptor(&self) -> bool {
        false
    }
    /// Direct file access, where the backend has it.
    fn files(&self) -> Option<&dyn FileHost> {
        None
    }
}
