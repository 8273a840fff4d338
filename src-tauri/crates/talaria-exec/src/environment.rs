//! An environment: one place with its state (folder, exports) over the calls.

use crate::backend::{Backend, ExecError, ExitState, OutputSink, Process, Script};
use crate::capture::{Capture, OutputCap, TextForm};
use crate::child_env::child_env;
use crate::login::{Login, LoginShell};
use crate::{EnvMap, state, wrapper};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Exit code of a command that ran out of time.
pub const EXIT_TIMED_OUT: i32 = 124;
/// Exit code of a command whose folder could not be entered; it never ran.
pub const EXIT_NO_FOLDER: i32 = 126;
/// Exit code of an interrupted command.
pub const EXIT_INTERRUPTED: i32 = 130;

/// How an [`Environment`] starts out.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentOptions {
    /// The project folder: where commands start.
    pub cwd: String,
    /// Variables of the first command; `None` takes those of this process as [`child_env`] leaves them.
    pub base_env: Option<EnvMap>,
    /// Whether the person's login shell is asked for its variables, functions and aliases.
    pub login: Login,
}

impl EnvironmentOptions {
    /// Starts in `cwd` with the variables of this process and without asking the login shell.
    pub fn new(cwd: impl Into<String>) -> Self {
        Self {
            cwd: cwd.into(),
            base_env: None,
            login: Login::Skip,
        }
    }
}

/// A command to run in an [`Environment`].
pub struct RunRequest<'a> {
    /// Shell text.
    pub command: String,
    /// Time from the start of the process until it is ended.
    pub timeout: Duration,
    /// Folder for this command alone; `None` is the environment's current one.
    pub workdir: Option<String>,
    /// Standard input; `None` is /dev/null.
    pub stdin: Option<Vec<u8>>,
    /// How much output is kept.
    pub cap: OutputCap,
    /// Whether escape sequences stay in [`CommandResult::output`].
    pub text: TextForm,
    /// Gets output as it comes, decoded, escape sequences included. Must not block.
    pub on_output: Option<&'a mut (dyn FnMut(&str) + Send)>,
}

impl RunRequest<'_> {
    /// A command with 180 s of time, no input and all of its output kept as it is.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            timeout: Duration::from_secs(180),
            workdir: None,
            stdin: None,
            cap: OutputCap::Unlimited,
            text: TextForm::Raw,
            on_output: None,
        }
    }
}

/// Why a command is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// It ended by itself.
    Exited,
    /// It ran out of time and was ended.
    TimedOut,
    /// It was cancelled; it is being ended behind the caller's back.
    Interrupted,
    /// Its folder could not be entered; nothing ran.
    NoFolder,
}

/// What a command gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandResult {
    /// stdout and stderr as they came, capped; after an abnormal end its last line says so.
    pub output: String,
    /// Tail of the output for people: colours kept, progress bars collapsed.
    pub display: String,
    /// Whether `display` lacks the beginning.
    pub display_cut: bool,
    /// Exit code; 128 + n after signal n.
    pub exit_code: i32,
    /// Why it is over.
    pub end: CommandEnd,
    /// Bytes written.
    pub total_bytes: u64,
    /// Characters written, in the form that `output` has.
    pub total_chars: u64,
    /// Lines written; an unfinished last one counts.
    pub total_lines: u64,
    /// Characters left out of the middle of `output`.
    pub omitted_chars: u64,
    /// The environment's folder after the command.
    pub cwd: String,
}

/// A place where a session's commands run, with the state that survives from call to call.
///
/// Every command is a fresh shell. The exported variables and the folder live here and go to the next one through
/// `exec`; functions, aliases and options of the login shell are taken once. Nothing is written to disk.
pub struct Environment {
    backend: Arc<dyn Backend>,
    root: String,
    pub(crate) login: Option<LoginShell>,
    base_env: Arc<EnvMap>,
    state: Mutex<State>,
    tracker: TaskTracker,
}

struct State {
    cwd: String,
    /// `None` until the login shell was asked.
    env: Option<Arc<EnvMap>>,
    /// Names that a command of this environment set or removed.
    changed: BTreeSet<String>,
}

impl Environment {
    /// An environment on a backend. Starts nothing.
    pub fn new(backend: Arc<dyn Backend>, options: EnvironmentOptions) -> Self {
        let base_env = Arc::new(options.base_env.unwrap_or_else(|| child_env(std::env::vars_os())));
        let login = match options.login {
            Login::Take(shell) if backend.has_state_descriptor() => Some(shell),
            Login::Take(_) | Login::Skip => None,
        };
        let env = if login.is_some() {
            None
        } else {
            Some(Arc::clone(&base_env))
        };
        Self {
            backend,
            root: options.cwd.clone(),
            login,
            base_env,
            state: Mutex::new(State {
                cwd: options.cwd,
                env,
                changed: BTreeSet::new(),
            }),
            tracker: TaskTracker::new(),
        }
    }

    /// Names of variables that a command of this environment set or removed, and that later commands get so.
    pub fn changed_variables(&self) -> BTreeSet<String> {
        self.state().changed.clone()
    }

    /// Starts asking the login shell without waiting for it, so that the first command need not. Call it where a
    /// session starts, inside a runtime.
    pub fn prepare(&self) {
        if let Some(login) = &self.login
            && login.is_open()
        {
            let (login, backend, env) = (login.clone(), Arc::clone(&self.backend), Arc::clone(&self.base_env));
            let tracker = self.tracker.clone();
            self.tracker.spawn(async move {
                login.taken(backend.as_ref(), &env, &tracker).await;
            });
        }
    }

    /// The backend underneath.
    pub fn backend(&self) -> &dyn Backend {
        self.backend.as_ref()
    }

    /// The folder that the environment was made with.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The current folder; follows the `cd` of commands.
    pub fn cwd(&self) -> String {
        self.state().cwd.clone()
    }

    /// A path as a command would understand it: `~` and relative paths become absolute. Touches no disk.
    pub fn resolve(&self, path: &str) -> String {
        let (cwd, home) = {
            let state = self.state();
            let env = state.env.as_ref().unwrap_or(&self.base_env);
            (state.cwd.clone(), env.get(OsStr::new("HOME")).cloned())
        };
        let rest = if path == "~" { Some("") } else { path.strip_prefix("~/") };
        match (rest, home) {
            (Some(rest), Some(home)) => Path::new(&home).join(rest).to_string_lossy().into_owned(),
            _ if path.starts_with('/') => path.to_owned(),
            _ => Path::new(&cwd).join(path).to_string_lossy().into_owned(),
        }
    }

    /// Waits until every process that was cancelled or abandoned is gone. Commands can still be run afterwards.
    pub async fn shutdown(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }

    /// Runs a command to its end.
    ///
    /// Cancelling returns at once with what there is; the process group is ended behind it (see [`Self::shutdown`]).
    /// So does dropping the future. A command that fails, runs out of time or has no folder is a result, not an error.
    pub async fn run(
        &self,
        mut request: RunRequest<'_>,
        cancel: &CancellationToken,
    ) -> Result<CommandResult, ExecError> {
        let mut capture = Capture::new(request.cap, request.text, request.on_output.take());
        let (env, base) = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(self.interrupted(capture)),
            held = self.held() => held,
        };
        let timeout = request.timeout;
        let (process, start_dir, moves) = match self.start(request, &env, base).await? {
            Started::Running {
                process,
                start_dir,
                moves,
            } => (process, start_dir, moves),
            Started::NoFolder { message } => {
                capture.say(&message);
                return Ok(self.result(capture, CommandEnd::NoFolder, EXIT_NO_FOLDER));
            }
        };
        let mut running = Running {
            process: Some(process),
            tracker: &self.tracker,
        };
        let deadline = Instant::now() + timeout;
        let outcome = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            exit = running.finish(&mut capture) => Some(exit?),
            () = tokio::time::sleep_until(deadline) => {
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => return Ok(self.interrupted(capture)),
                    () = running.end(&mut capture) => {}
                }
                capture.note(&format!("[Command timed out after {}s]", timeout.as_secs()));
                return Ok(self.result(capture, CommandEnd::TimedOut, EXIT_TIMED_OUT));
            }
        };
        let Some(exit) = outcome else {
            return Ok(self.interrupted(capture));
        };
        running.process = None;
        if let Some(bytes) = &exit.state {
            self.remember(bytes, &env, moves.then_some(start_dir.as_str()));
        }
        Ok(self.result(capture, CommandEnd::Exited, exit.code))
    }

    fn interrupted(&self, mut capture: Capture<'_>) -> CommandResult {
        capture.note("[Command interrupted]");
        self.result(capture, CommandEnd::Interrupted, EXIT_INTERRUPTED)
    }

    fn result(&self, capture: Capture<'_>, end: CommandEnd, exit_code: i32) -> CommandResult {
        let captured = capture.finish();
        CommandResult {
            output: captured.text,
            display: captured.display,
            display_cut: captured.display_cut,
            exit_code,
            end,
            total_bytes: captured.total_bytes,
            total_chars: captured.total_chars,
            total_lines: captured.total_lines,
            omitted_chars: captured.omitted_chars,
            cwd: self.cwd(),
        }
    }

    /// The variables for the next command, and what it sources; asks the login shell the first time.
    async fn held(&self) -> (Arc<EnvMap>, Option<Arc<str>>) {
        let Some(login) = &self.login else {
            let held = self.state().env.clone();
            return (held.unwrap_or_else(|| Arc::clone(&self.base_env)), None);
        };
        let taken = login.taken(self.backend.as_ref(), &self.base_env, &self.tracker).await;
        let mut state = self.state();
        let env = state.env.get_or_insert_with(|| match &taken.env {
            Some(env) => Arc::clone(env),
            None => Arc::clone(&self.base_env),
        });
        (Arc::clone(env), taken.base.clone())
    }

    async fn start(
        &self,
        request: RunRequest<'_>,
        env: &Arc<EnvMap>,
        base: Option<Arc<str>>,
    ) -> Result<Started, ExecError> {
        let own_folder = request.workdir.is_none();
        let mut folder = match &request.workdir {
            Some(workdir) => self.resolve(workdir),
            None => self.cwd(),
        };
        if folder.contains('\0') {
            return Ok(Started::NoFolder {
                message: "The working directory contains a NUL character.".to_owned(),
            });
        }
        let holds_state = self.backend.has_state_descriptor();
        // A start-up file or an exported function may have given the program's name another meaning.
        let is_bare = holds_state
            && base.is_none()
            && wrapper::is_one_program(&request.command)
            && !env.contains_key(OsStr::new("BASH_ENV"))
            && !env
                .keys()
                .any(|name| name.as_encoded_bytes().starts_with(b"BASH_FUNC_"));
        let text = if is_bare {
            request.command
        } else {
            wrapper::command(&request.command, holds_state, &folder, base.is_some())
        };
        let mut script = Script {
            text,
            env: Some(Arc::clone(env)),
            cwd: holds_state.then(|| folder.clone()),
            stdin: request.stdin,
            wants_state: holds_state && !is_bare,
            base,
            ..Script::default()
        };
        loop {
            match self.backend.spawn(script.clone()).await {
                Ok(process) => {
                    return Ok(Started::Running {
                        process,
                        start_dir: folder,
                        moves: own_folder,
                    });
                }
                Err(ExecError::Directory { path, reason }) => {
                    // A folder that a command left and removed is not the person's concern; the project folder is.
                    match self.fallback(&folder).filter(|_| own_folder) {
                        Some(parent) => {
                            tracing::warn!(gone = %path, now = %parent, "the current folder is gone");
                            self.state().cwd.clone_from(&parent);
                            script.cwd = Some(parent.clone());
                            folder = parent;
                        }
                        None => {
                            return Ok(Started::NoFolder {
                                message: self.no_folder(&path, &reason),
                            });
                        }
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The parent of a folder that is gone, unless that leaves the project.
    fn fallback(&self, folder: &str) -> Option<String> {
        let gone = Path::new(folder);
        let root = Path::new(&self.root);
        if root.starts_with(gone) {
            return None;
        }
        gone.parent().map(|parent| parent.to_string_lossy().into_owned())
    }

    fn no_folder(&self, path: &str, reason: &str) -> String {
        let mut message = if path == self.root {
            format!("The project folder {path} cannot be entered: {reason}. Nothing was run. ")
        } else {
            format!("The folder {path} cannot be entered: {reason}. Nothing was run. ")
        };
        let hint = if path == self.root {
            "Ask the person to restore it or to open the project in another folder."
        } else {
            "Check the path, or leave workdir out to use the current folder."
        };
        // Writing to a String cannot fail.
        let _ = message.write_str(hint);
        message
    }

    /// Takes over what a command changed, and only that: commands that run side by side keep each other's exports.
    fn remember(&self, bytes: &[u8], before: &Arc<EnvMap>, start_dir: Option<&str>) {
        let Some(after) = state::parse(bytes) else {
            return;
        };
        let changes = state::changes(before, after.env);
        let mut held = self.state();
        if let (Some(start_dir), Some(cwd)) = (start_dir, after.cwd)
            && cwd != start_dir
        {
            held.cwd = cwd;
        }
        if !changes.is_empty() {
            held.changed.extend(changes.names());
            let env = held.env.get_or_insert_with(|| Arc::clone(before));
            changes.apply(Arc::make_mut(env));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Started {
    Running {
        process: Box<dyn Process>,
        start_dir: String,
        moves: bool,
    },
    NoFolder {
        message: String,
    },
}

/// A process that is ended, behind the caller's back, when its command is left before its end.
pub(crate) struct Running<'a> {
    pub(crate) process: Option<Box<dyn Process>>,
    pub(crate) tracker: &'a TaskTracker,
}

impl Running<'_> {
    pub(crate) async fn finish(&mut self, sink: &mut dyn OutputSink) -> Result<ExitState, ExecError> {
        match &mut self.process {
            Some(process) => process.finish(sink).await,
            None => Ok(ExitState::default()),
        }
    }

    /// Ends the process and takes what it still wrote.
    async fn end(&mut self, capture: &mut Capture<'_>) {
        if let Some(process) = &mut self.process {
            process.kill().await;
            if let Err(error) = process.finish(capture).await {
                tracing::debug!(%error, "the rest of the output is lost");
            }
        }
        self.process = None;
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            match tokio::runtime::Handle::try_current() {
                Ok(handle) => {
                    self.tracker.spawn_on(async move { process.kill().await }, &handle);
                }
                // Dropping the process ends it by force.
                Err(_) => drop(process),
            }
        }
    }
}

#[cfg(test)]
mod tests;
