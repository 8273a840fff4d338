//! The least that a place must do to run commands.

use crate::files::FileHost;
use futures::future::BoxFuture;
use std::collections::BTreeMap;

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
    pub env: Option<BTreeMap<String, String>>,
    /// Folder that the process starts in; `None` leaves it to the script.
    pub cwd: Option<String>,
    /// Standard input; `None` is /dev/null.
    pub stdin: Option<Vec<u8>>,
    /// Whether the script writes its state (folder, exports) to an inherited descriptor, where the backend has such.
    pub wants_state: bool,
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
    /// inherited the pipe. Dropping the future keeps the process running.
    fn finish<'a>(&'a mut self, sink: &'a mut dyn OutputSink) -> BoxFuture<'a, Result<ExitState, ExecError>>;
    /// Ends the whole group: politely, after one second by force. Returns when none of it is left.
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
