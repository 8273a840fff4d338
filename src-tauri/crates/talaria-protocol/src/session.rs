//! What the sidebar and the status bar show of a session.

use crate::ids::SessionId;
use crate::model::{ModelRoute, Usage};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What runs without a question (security.md 2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalMode {
    /// Commands that only read run; every write and every other command asks.
    #[default]
    Ask,
    /// As `ask`, and writes inside the project run.
    AcceptEdits,
    /// Safe commands and edits inside the project run; a reviewer model looks at the rest before the person does.
    Smart,
    /// Nothing is written; only read-only commands run.
    Plan,
    /// Nothing asks; what is blocked stays blocked.
    Auto,
}

/// What a session is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// Nothing runs.
    #[default]
    Idle,
    /// A turn runs.
    Running,
    /// A turn waits for the person.
    NeedsYou,
    /// The last turn failed.
    Failed,
}

/// A row of the session list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionSummary {
    /// Durable id.
    pub session_id: SessionId,
    /// Title: the person's, else the first words of the first message.
    pub title: String,
    /// Whether the person gave the title; such a title is never overwritten.
    pub title_is_users: bool,
    /// What is happening or how it ended, one line.
    pub preview: String,
    /// What the session is doing.
    pub state: SessionState,
    /// UNIX seconds.
    pub started_at: f64,
    /// UNIX seconds of the newest message.
    pub last_active_at: f64,
    /// Folder that the session works in.
    pub project_dir: Option<String>,
    /// Branch of that folder, where known.
    pub git_branch: Option<String>,
    /// Model in use; `None` when none is configured.
    pub model: Option<ModelRoute>,
    /// Mode in force.
    pub approval_mode: ApprovalMode,
    /// Number of messages stored.
    pub message_count: u64,
    /// Sum over the session.
    pub usage: Usage,
    /// Where the session was started: `desktop`, `cli`.
    pub source: String,
}

/// A message that waits for the running turn to end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QueueEntry {
    /// Id within the session, for edits.
    pub entry_id: String,
    /// What will be sent.
    pub text: String,
}

/// State of one step of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
    /// Given up.
    Cancelled,
}

/// One step of the plan that the model keeps with the `todo` tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Todo {
    /// Id that the model chose.
    pub id: String,
    /// What is to be done, at most 4,000 characters.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
}

/// Counts over a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TodoSummary {
    /// All steps.
    pub total: u32,
    /// Not begun.
    pub pending: u32,
    /// Being done.
    pub in_progress: u32,
    /// Done.
    pub completed: u32,
    /// Given up.
    pub cancelled: u32,
}
