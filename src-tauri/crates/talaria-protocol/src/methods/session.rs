//! Parameters and replies of `session.*`, without the queue.

use crate::ids::{SessionId, TurnId};
use crate::model::ModelRoute;
use crate::request::OpenRequest;
use crate::row::Row;
use crate::session::{ApprovalMode, QueueEntry, SessionSummary, Todo};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A new session.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct SessionCreateParams {
    /// Absolute folder to work in; without it the default folder, and for the demo a sample project.
    #[serde(default)]
    pub project_dir: Option<String>,
    /// Model; without it the default.
    #[serde(default)]
    pub model: Option<ModelRoute>,
    /// Mode; without it the default.
    #[serde(default)]
    pub approval_mode: Option<ApprovalMode>,
    /// Limit of model calls a turn; without it the configured one (90).
    #[serde(default)]
    pub max_iterations: Option<u32>,
}

/// A session to load.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionResumeParams {
    /// Which.
    pub session_id: SessionId,
    /// How many rows at most; without it 40.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Names a session.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionRefParams {
    /// Which.
    pub session_id: SessionId,
}

/// Names a session and brings a text.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionTextParams {
    /// Which.
    pub session_id: SessionId,
    /// The text.
    pub text: String,
}

/// Everything a window needs to paint a session. Events after `seq` continue it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionSnapshot {
    /// The session.
    pub session: SessionSummary,
    /// Newest rows, oldest first; a running turn is part of them.
    pub rows: Vec<Row>,
    /// For `session.history`; `None` when these are all.
    pub older_cursor: Option<String>,
    /// Rows before these, roughly, for the scroll bar.
    pub older_rows: u64,
    /// Event that `rows` include last.
    pub seq: u64,
    /// Running turn.
    pub running_turn: Option<TurnId>,
    /// The plan.
    pub todos: Vec<Todo>,
    /// What waits.
    pub queue: Vec<QueueEntry>,
    /// Whether the queue waits for the person.
    pub queue_paused: bool,
    /// Questions that are open, oldest first.
    pub open_requests: Vec<OpenRequest>,
    /// Unsent text.
    pub draft: String,
}

/// Older rows.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionHistoryParams {
    /// Which.
    pub session_id: SessionId,
    /// From a snapshot or an earlier page.
    pub cursor: String,
    /// How many rows at most; without it 80.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Older rows.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionHistoryReply {
    /// Oldest first.
    pub rows: Vec<Row>,
    /// For the next page.
    pub older_cursor: Option<String>,
    /// Rows before these, roughly.
    pub older_rows: u64,
}

/// A page of the session list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct SessionListParams {
    /// How many at most; without it 50.
    #[serde(default)]
    pub limit: Option<u32>,
    /// From an earlier page.
    #[serde(default)]
    pub cursor: Option<String>,
    /// Only titles and previews that contain this.
    #[serde(default)]
    pub query: Option<String>,
}

/// A page of the session list.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionListReply {
    /// Newest first.
    pub sessions: Vec<SessionSummary>,
    /// For the next page.
    pub next_cursor: Option<String>,
}

/// A new title.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionRenameParams {
    /// Which.
    pub session_id: SessionId,
    /// 1 to 200 characters.
    pub title: String,
}

/// A session after a change.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionReply {
    /// The session now.
    pub session: SessionSummary,
}

/// A session to delete.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionDeleteParams {
    /// Which.
    pub session_id: SessionId,
    /// Whether to skip the ten seconds in which it can be restored.
    #[serde(default)]
    pub now: bool,
}

/// How long a delete can be undone.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionDeleteReply {
    /// UNIX seconds; `None` when it is gone already.
    pub undo_until: Option<f64>,
}
