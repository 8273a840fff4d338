//! Events: what the core tells its clients without being asked (desktop.md 9.2).

use crate::error::AppError;
use crate::ids::{CallId, RequestId, SessionId, TurnId};
use crate::model::Usage;
use crate::request::RequestCancelReason;
use crate::row::{Row, ToolView};
use crate::session::{QueueEntry, SessionSummary, Todo};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// With an answer.
    Complete,
    /// With an error.
    Error,
    /// By the person.
    Interrupted,
}

/// Weight of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    /// Worth knowing.
    Info,
    /// Something does not work as configured.
    Warning,
}

/// A standing notice of the core: a read-only database, an ignored setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Notice {
    /// Id, for `notice.clear`.
    pub notice_id: String,
    /// Weight.
    pub level: NoticeLevel,
    /// Key of the sentence in the catalogue.
    pub key: String,
    /// Values for its placeholders.
    pub values: BTreeMap<String, String>,
    /// The sentence in English.
    pub text: String,
    /// What to do.
    pub hint: Option<String>,
}

/// What a running turn does when it is not streaming.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum StatusKind {
    /// Waits for the model's first words.
    WaitingForModel,
    /// The connection broke; it is tried again.
    Reconnecting,
    /// A failed call is tried again after a pause.
    Retrying,
    /// The model has been silent for a while.
    Quiet,
    /// A tool batch runs.
    RunningTools,
}

/// One event. Events with a session have that session's own `seq`; the others share a global one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", content = "payload")]
pub enum CoreEvent {
    /// A turn began; `row` is the person's message.
    #[serde(rename = "message.start")]
    MessageStart {
        /// The turn.
        turn_id: TurnId,
        /// The user row.
        row: Row,
    },
    /// Text of the answer. Creates the assistant row `row_id` when it is new.
    #[serde(rename = "message.delta")]
    MessageDelta {
        /// The turn.
        turn_id: TurnId,
        /// Row it belongs to.
        row_id: String,
        /// Text to append.
        text: String,
    },
    /// The assistant row is complete, though the turn goes on (tool calls follow). `text` replaces what was streamed.
    #[serde(rename = "message.interim")]
    MessageInterim {
        /// The turn.
        turn_id: TurnId,
        /// The finished row.
        row: Row,
    },
    /// The turn ended.
    #[serde(rename = "message.complete")]
    MessageComplete {
        /// The turn.
        turn_id: TurnId,
        /// How.
        status: TurnStatus,
        /// Final text; empty when there is none.
        text: String,
        /// Assistant row that holds the final text, if any.
        row_id: Option<String>,
        /// Tokens of the turn.
        usage: Usage,
        /// What failed.
        error: Option<AppError>,
        /// Why the loop ended (agent.md 4.6).
        exit_reason: String,
    },
    /// Reasoning text. Creates the reasoning row when it is new.
    #[serde(rename = "reasoning.delta")]
    ReasoningDelta {
        /// The turn.
        turn_id: TurnId,
        /// Row it belongs to.
        row_id: String,
        /// Text to append.
        text: String,
    },
    /// The model began to write a call.
    #[serde(rename = "tool.generating")]
    ToolGenerating {
        /// The turn.
        turn_id: TurnId,
        /// Name of the tool.
        name: String,
    },
    /// A call was accepted (queued, running or waiting). Creates or replaces the tool row.
    #[serde(rename = "tool.start")]
    ToolStart {
        /// The turn.
        turn_id: TurnId,
        /// Row of the call.
        row_id: String,
        /// The call.
        tool: ToolView,
    },
    /// Output of a running call, to be appended to its terminal body.
    #[serde(rename = "tool.progress")]
    ToolProgress {
        /// The turn.
        turn_id: TurnId,
        /// Row of the call.
        row_id: String,
        /// The call.
        call_id: CallId,
        /// New output with ANSI colours.
        text: String,
    },
    /// A call ended.
    #[serde(rename = "tool.complete")]
    ToolComplete {
        /// The turn.
        turn_id: TurnId,
        /// Row of the call.
        row_id: String,
        /// The call with its result.
        tool: ToolView,
    },
    /// The plan changed.
    #[serde(rename = "todo.updated")]
    TodoUpdated {
        /// All steps.
        todos: Vec<Todo>,
    },
    /// A row that is neither text nor call: a steered message, a notice, an error.
    #[serde(rename = "row.added")]
    RowAdded {
        /// The row.
        row: Row,
    },
    /// Messages that wait.
    #[serde(rename = "queue.updated")]
    QueueUpdated {
        /// In order.
        entries: Vec<QueueEntry>,
        /// Whether the queue waits for the person (after an interrupt).
        paused: bool,
    },
    /// Anything about the session changed: title, state, model, mode.
    #[serde(rename = "session.info")]
    SessionInfo {
        /// The session now.
        session: SessionSummary,
    },
    /// Tokens of the session changed.
    #[serde(rename = "session.usage")]
    SessionUsage {
        /// Sum over the session.
        usage: Usage,
    },
    /// What a running turn does when nothing streams.
    #[serde(rename = "status")]
    Status {
        /// What.
        kind: StatusKind,
        /// In words.
        text: String,
        /// Which attempt, when it is tried again.
        attempt: Option<u32>,
    },
    /// A question was withdrawn; the client removes exactly that card.
    #[serde(rename = "request.cancel")]
    RequestCancel {
        /// The question.
        id: RequestId,
        /// Its method.
        method: String,
        /// Why.
        reason: RequestCancelReason,
    },
    /// Global: the session list changed; `session` is the new row, `removed` a row that is gone.
    #[serde(rename = "sessions.changed")]
    SessionsChanged {
        /// New or changed row.
        session: Option<SessionSummary>,
        /// Row that is gone.
        removed: Option<SessionId>,
    },
    /// Global: a notice to show.
    #[serde(rename = "notice.show")]
    NoticeShow {
        /// The notice.
        notice: Notice,
    },
    /// Global: a notice that no longer holds.
    #[serde(rename = "notice.clear")]
    NoticeClear {
        /// Which.
        notice_id: String,
    },
}

impl CoreEvent {
    /// The name on the wire.
    pub fn type_name(&self) -> &'static str {
        match self {
            CoreEvent::MessageStart { .. } => "message.start",
            CoreEvent::MessageDelta { .. } => "message.delta",
            CoreEvent::MessageInterim { .. } => "message.interim",
            CoreEvent::MessageComplete { .. } => "message.complete",
            CoreEvent::ReasoningDelta { .. } => "reasoning.delta",
            CoreEvent::ToolGenerating { .. } => "tool.generating",
            CoreEvent::ToolStart { .. } => "tool.start",
            CoreEvent::ToolProgress { .. } => "tool.progress",
            CoreEvent::ToolComplete { .. } => "tool.complete",
            CoreEvent::TodoUpdated { .. } => "todo.updated",
            CoreEvent::RowAdded { .. } => "row.added",
            CoreEvent::QueueUpdated { .. } => "queue.updated",
            CoreEvent::SessionInfo { .. } => "session.info",
            CoreEvent::SessionUsage { .. } => "session.usage",
            CoreEvent::Status { .. } => "status",
            CoreEvent::RequestCancel { .. } => "request.cancel",
            CoreEvent::SessionsChanged { .. } => "sessions.changed",
            CoreEvent::NoticeShow { .. } => "notice.show",
            CoreEvent::NoticeClear { .. } => "notice.clear",
        }
    }
}

/// An event with its place in the stream of its session (or the global stream).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct EventFrame {
    /// Session; `None` for global events.
    pub session_id: Option<SessionId>,
    /// Grows by one per (epoch, session), or per epoch for global events. From 1.
    pub seq: u64,
    /// The event.
    #[serde(flatten)]
    pub event: CoreEvent,
}
