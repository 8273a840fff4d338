//! What a tool is, and what it may ask of the session that called it.

use futures::future::BoxFuture;
use serde_json::Value;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use talaria_exec::Environment;
use talaria_protocol::{AppError, CallId, FileDiff, Question, SessionId, Todo, ToolBody, ToolState, Verb};
use tokio_util::sync::CancellationToken;

/// Static description of a tool. `parameters` is a JSON schema of type object.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    /// Name, unique in the registry.
    pub name: &'static str,
    /// Toolset it belongs to.
    pub toolset: &'static str,
    /// What the model reads.
    pub description: String,
    /// JSON schema of the arguments.
    pub parameters: Value,
    /// Largest result in characters; `None` is unlimited.
    pub max_result_chars: Option<usize>,
    /// How it may run beside others.
    pub parallel: ParallelClass,
    /// Whether a call that was cut off may have changed something.
    pub has_effects: bool,
}

/// How calls of one batch may run together (tools.md 5.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParallelClass {
    /// Beside anything that is not a barrier.
    Safe,
    /// Beside calls whose `path` does not overlap.
    PathScoped,
    /// Alone.
    Barrier,
}

/// What a call is about to do; the gate decides on it before the call runs.
#[derive(Clone, Debug)]
pub enum Intent {
    /// It reads, or changes only the session's own state. Never asks.
    Read,
    /// It runs a shell command.
    Command {
        /// The command in full.
        command: String,
        /// Folder it would run in.
        cwd: String,
    },
    /// It writes a file.
    Write {
        /// Absolute path with links resolved.
        path: String,
        /// The change.
        diff: FileDiff,
    },
}

/// The gate's answer.
#[derive(Clone, Debug)]
pub enum Decision {
    /// It may run. `note` goes into the result when a person said so.
    Run {
        /// For the model: that and how it was approved.
        note: Option<String>,
    },
    /// It must not run.
    Refuse {
        /// For the model: why, and what not to try.
        message: String,
        /// Whether nobody could be asked (as opposed to: somebody or a rule said no).
        unanswered: bool,
    },
}

/// Decides whether a call may run; asks the person where the mode says so. Every failure refuses.
pub trait Gate: Send + Sync {
    /// Decides on one call. Cancelling the call refuses it.
    fn decide<'a>(
        &'a self,
        cx: &'a ToolContext,
        tool: &'a ToolSpec,
        args: &'a Value,
        intent: Intent,
    ) -> BoxFuture<'a, Decision>;
}

/// What a call may ask of the session that made it.
pub trait CallHost: Send + Sync {
    /// Shows output of the running call (terminal output with ANSI colours).
    fn progress(&self, text: &str);
    /// The plan.
    fn todos(&self) -> Vec<Todo>;
    /// Replaces the plan.
    fn set_todos(&self, todos: Vec<Todo>);
    /// Asks the person; `None` when dismissed or nobody is there.
    fn clarify<'a>(&'a self, call: &'a CallId, question: Question) -> BoxFuture<'a, Option<String>>;
    /// Says what the call waits for or does, for a status line.
    fn status(&self, text: &str);
}

/// Surroundings of one call.
pub struct ToolContext {
    /// Session that calls.
    pub session_id: SessionId,
    /// The call.
    pub call_id: CallId,
    /// Project folder, absolute; relative paths start at [`Environment`]'s current folder.
    pub project_dir: PathBuf,
    /// Home folder of Talaria.
    pub talaria_home: PathBuf,
    /// The person's home folder.
    pub user_home: PathBuf,
    /// Where commands and file operations run.
    pub environment: Arc<Environment>,
    /// Ends with the call.
    pub cancel: CancellationToken,
    /// The session.
    pub host: Arc<dyn CallHost>,
    /// Things a tool family keeps per session (read tracker, …).
    pub memory: Arc<SessionMemory>,
    /// Limits from the configuration.
    pub limits: ToolLimits,
}

/// Limits from the configuration (state.md 22).
#[derive(Clone, Debug)]
pub struct ToolLimits {
    /// `tool_output.max_bytes`, in characters.
    pub terminal_chars: usize,
    /// `tool_output.max_lines`.
    pub read_lines: usize,
    /// `tool_output.max_line_length`.
    pub line_chars: usize,
    /// `file_read_max_chars`.
    pub read_chars: usize,
    /// `terminal.timeout` in seconds.
    pub terminal_timeout_s: u64,
    /// Ceiling of a foreground timeout in seconds.
    pub terminal_max_timeout_s: u64,
}

impl Default for ToolLimits {
    fn default() -> Self {
        Self {
            terminal_chars: 50_000,
            read_lines: 2_000,
            line_chars: 2_000,
            read_chars: 100_000,
            terminal_timeout_s: 180,
            terminal_max_timeout_s: 600,
        }
    }
}

impl ToolContext {
    /// A path as a model writes it, made absolute: `~` is the environment's home folder, relative paths start at its current
    /// folder, `.` and `..` are folded. Symbolic links stay; [`FileHost::real_path`](talaria_exec::FileHost::real_path)
    /// resolves them.
    pub fn absolute_path(&self, path: &str) -> String {
        fold_path(&self.environment.resolve(path))
    }
}

/// An absolute path without `.`, `..` and doubled slashes, by its text alone.
fn fold_path(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            _ => kept.push(part),
        }
    }
    let mut folded = String::with_capacity(path.len());
    for part in &kept {
        folded.push('/');
        folded.push_str(part);
    }
    if folded.is_empty() {
        folded.push('/');
    }
    folded
}

/// What tool families keep per session, by type.
#[derive(Default)]
pub struct SessionMemory {
    slots: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
    lookup_row: AtomicU64,
}

impl SessionMemory {
    /// Number of the row of look-ups that is going on; see [`Tool::is_lookup`].
    pub fn lookup_row(&self) -> u64 {
        self.lookup_row.load(Ordering::Relaxed)
    }

    /// Ends the row of look-ups: what was seen may have changed, so looking again is reasonable.
    pub fn end_lookup_row(&self) {
        self.lookup_row.fetch_add(1, Ordering::Relaxed);
    }

    /// The family's own memory, made at first use.
    pub fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut slots = self.slots.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let slot = slots.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        match Arc::clone(slot).downcast::<T>() {
            Ok(memory) => memory,
            // The key is the type, so the slot always holds it.
            Err(_) => Arc::new(T::default()),
        }
    }
}

/// What a call gave.
#[derive(Clone, Debug)]
pub struct ToolOutput {
    /// What the model reads; a JSON object as text for all built-in tools.
    pub result: String,
    /// What the card shows.
    pub body: ToolBody,
    /// Short result beside the step: `214 lines`, `exit 0`.
    pub note: Option<String>,
    /// Done, failed or cancelled.
    pub state: ToolState,
}

/// How a call failed.
#[derive(Debug)]
pub enum ToolError {
    /// Becomes the tool's result; the model may try something else.
    Tell(String),
    /// The call was cancelled; `partial` is what it had.
    Cancelled {
        /// Result so far, as the model should read it.
        partial: Option<Box<ToolOutput>>,
    },
    /// Ends the turn and reaches the person.
    Stop(Box<AppError>),
}

/// How a step is drawn before it has a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTitle {
    /// What it does.
    pub verb: Verb,
    /// To what.
    pub target: String,
}

/// A tool. One file, registered by [`register_tool!`](crate::register_tool).
pub trait Tool: Send + Sync {
    /// Static description; called once.
    fn spec(&self) -> ToolSpec;
    /// Verb and target for these (maybe incomplete) arguments.
    fn title(&self, args: &Value) -> CallTitle;
    /// What the call would do. Fails with the message for the model when the arguments are unusable.
    fn intent<'a>(&'a self, cx: &'a ToolContext, args: &'a Value) -> BoxFuture<'a, Result<Intent, ToolError>>;
    /// Runs the call. Comes only after the gate said so.
    fn call<'a>(&'a self, cx: &'a ToolContext, args: &'a Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>>;
    /// Whether the tool only looks something up (reads, searches). Its family watches for the same look-up several times in
    /// a row; a call of any other tool ends the row.
    fn is_lookup(&self) -> bool {
        false
    }
    /// Whether the tool can be offered now; checked at most every 30 s.
    fn available(&self) -> bool {
        true
    }
}

/// How dispatch ended, for the transcript and the history.
#[derive(Clone, Debug)]
pub struct ToolOutcome {
    /// What the model reads; never empty.
    pub result: String,
    /// What the card shows.
    pub body: ToolBody,
    /// Short result.
    pub note: Option<String>,
    /// End state.
    pub state: ToolState,
    /// Whether the call may have had effects although it did not end normally.
    pub effect_unknown: bool,
    /// Set when the turn must end with this error.
    pub stop: Option<Box<AppError>>,
    /// Whether a denial was for want of somebody to ask.
    pub unanswered: bool,
}

/// A tool in the program; collected by the linker.
pub struct RegisteredTool {
    /// Makes the tool.
    pub make: fn() -> Box<dyn Tool>,
}

inventory::collect!(RegisteredTool);

/// Registers a tool type that implements `Default`.
#[macro_export]
macro_rules! register_tool {
    ($tool:ty) => {
        $crate::inventory::submit! {
            $crate::RegisteredTool { make: || Box::new(<$tool>::default()) }
        }
    };
}
