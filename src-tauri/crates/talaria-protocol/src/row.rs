//! Rows of a transcript: what a window paints. The core builds them, live and from the store alike.

use crate::error::AppError;
use crate::ids::{CallId, RequestId, TurnId};
use crate::request::{ApprovalChoice, Question};
use crate::session::Todo;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use ts_rs::TS;

/// How a person's message reached the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// It began a turn.
    Sent,
    /// It was given to a running turn.
    Steered,
}

/// One row. `row_id` is unique in its session and stable while the session is loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "most rows of a working turn are calls, which are the large variant"
)]
pub enum Row {
    /// What the person wrote.
    User {
        /// Id of the row.
        row_id: String,
        /// Turn that it began or steered.
        turn_id: TurnId,
        /// The text as typed.
        text: String,
        /// UNIX seconds.
        at: f64,
        /// How it was delivered.
        delivery: Delivery,
    },
    /// Markdown of the model.
    Assistant {
        /// Id of the row.
        row_id: String,
        /// Turn it belongs to.
        turn_id: TurnId,
        /// Markdown so far.
        text: String,
        /// Whether more may come.
        streaming: bool,
        /// UNIX seconds of its beginning.
        at: f64,
    },
    /// Reasoning of the model, folded by default.
    Reasoning {
        /// Id of the row.
        row_id: String,
        /// Turn it belongs to.
        turn_id: TurnId,
        /// Text so far.
        text: String,
        /// Whether more may come.
        streaming: bool,
        /// UNIX seconds of its beginning.
        at: f64,
        /// How long it took, once it ended.
        duration_ms: Option<u64>,
    },
    /// A call of a tool. Consecutive ones of a turn are drawn as a group.
    Tool {
        /// Id of the row.
        row_id: String,
        /// Turn it belongs to.
        turn_id: TurnId,
        /// The call.
        tool: ToolView,
    },
    /// One muted line: an interruption, a model switch, a repaired history.
    Notice {
        /// Id of the row.
        row_id: String,
        /// Key of the sentence in the catalogue.
        key: String,
        /// Values for its placeholders.
        values: BTreeMap<String, String>,
        /// The sentence in English.
        text: String,
        /// UNIX seconds.
        at: f64,
    },
    /// A turn that failed.
    Error {
        /// Id of the row.
        row_id: String,
        /// Turn that failed.
        turn_id: TurnId,
        /// What failed and what to do.
        error: AppError,
        /// UNIX seconds.
        at: f64,
    },
}

impl Row {
    /// Id of the row.
    pub fn row_id(&self) -> &str {
        match self {
            Row::User { row_id, .. }
            | Row::Assistant { row_id, .. }
            | Row::Reasoning { row_id, .. }
            | Row::Tool { row_id, .. }
            | Row::Notice { row_id, .. }
            | Row::Error { row_id, .. } => row_id,
        }
    }
}

/// State of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolState {
    /// The model still writes its arguments.
    Generating,
    /// It waits for calls before it.
    Queued,
    /// It runs.
    Running,
    /// It waits for the person.
    Waiting,
    /// It ended; a non-zero exit is not a failure by itself.
    Done,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// The person or a rule refused it; nothing ran.
    Denied,
}

/// Plain verb of a step (design.md 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// Reads a file.
    Read,
    /// Searches files.
    Search,
    /// Writes a file.
    Edit,
    /// Runs a command.
    Run,
    /// Fetches from the web.
    Fetch,
    /// Opens something.
    Open,
    /// Asks the person.
    Ask,
    /// Keeps the plan.
    Plan,
    /// Anything else; the tool's name is shown.
    Use,
}

/// A call as it is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ToolView {
    /// The call.
    pub call_id: CallId,
    /// Name of the tool.
    pub name: String,
    /// What it does.
    pub verb: Verb,
    /// To what: path, command, question. Mono in the window.
    pub target: String,
    /// Arguments after coercion.
    pub arguments: Value,
    /// State.
    pub state: ToolState,
    /// UNIX seconds, once it runs.
    pub started_at: Option<f64>,
    /// Once it ended.
    pub duration_ms: Option<u64>,
    /// Short result: `214 lines`, `exit 0`, the reason of a failure.
    pub note: Option<String>,
    /// What unfolds below the step.
    pub body: ToolBody,
    /// How the person answered, if asked.
    pub approval: Option<ApprovalRecord>,
}

/// How an approval was answered; kept in the transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ApprovalRecord {
    /// The question.
    pub request_id: RequestId,
    /// The answer; `deny` also when nobody could be asked.
    pub choice: ApprovalChoice,
    /// The person's note.
    pub note: Option<String>,
    /// UNIX seconds.
    pub at: f64,
    /// Who answered: `you`, or `nobody` when there was no surface to ask.
    pub by: String,
}

/// What a card shows. Long texts are cut at 64 KiB; `tool.result` gives the whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToolBody {
    /// Nothing yet, or nothing worth showing.
    Empty,
    /// A command and its output.
    Terminal {
        /// The command in full.
        command: String,
        /// Working directory.
        cwd: String,
        /// Exit code once it ended.
        exit_code: Option<i32>,
        /// Tail of the output with its ANSI colours; other control sequences removed.
        output: String,
        /// Lines in all.
        total_lines: u64,
        /// Whether `output` is not all of it.
        truncated: bool,
    },
    /// A change of files.
    Edit {
        /// One entry a file.
        files: Vec<FileDiff>,
    },
    /// Text that was read.
    Text {
        /// The text.
        text: String,
        /// Whether it is cut.
        truncated: bool,
    },
    /// A question to the person.
    Question {
        /// What was asked.
        question: Question,
        /// The answer; `None` when dismissed or still open.
        answer: Option<String>,
    },
    /// The plan after the call.
    Todos {
        /// All steps.
        todos: Vec<Todo>,
    },
    /// Any other result.
    Json {
        /// The result.
        result: Value,
    },
}

/// Change of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileDiff {
    /// Path as shown: relative to the project where it lies inside.
    pub path: String,
    /// Whether the file is new.
    pub created: bool,
    /// Added lines.
    pub added: u32,
    /// Removed lines.
    pub removed: u32,
    /// Changed places with three lines of context; cut at 400 lines in all.
    pub hunks: Vec<DiffHunk>,
    /// Whether hunks were left out.
    pub truncated: bool,
}

/// One changed place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DiffHunk {
    /// Unchanged lines skipped before this place.
    pub skipped: u32,
    /// Lines in order.
    pub lines: Vec<DiffLine>,
}

/// Kind of a diff line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DiffLineKind {
    /// In both.
    Same,
    /// Only in the new text.
    Added,
    /// Only in the old text.
    Removed,
}

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DiffLine {
    /// Kind.
    pub kind: DiffLineKind,
    /// Line number: in the old text for removed lines, in the new one else. From 1.
    pub number: u32,
    /// The line without its line break.
    pub text: String,
}
