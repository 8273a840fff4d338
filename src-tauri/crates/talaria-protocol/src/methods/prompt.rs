//! Parameters and replies of `prompt.*`, `session.queue.*` and `tool.*`.

use crate::ids::{CallId, SessionId, TurnId};
use crate::session::QueueEntry;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a message does when a turn runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum WhenBusy {
    /// Give it to the running turn.
    #[default]
    Steer,
    /// Send it after the turn.
    Queue,
    /// Stop the turn and send it.
    Interrupt,
}

/// A message.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptSubmitParams {
    /// Which session.
    pub session_id: SessionId,
    /// The text, not blank.
    pub text: String,
    /// What to do when a turn runs.
    #[serde(default)]
    pub when_busy: WhenBusy,
    /// Token of the client's choice; the same token is accepted once, so that a resend after a lost answer is safe.
    #[serde(default)]
    pub client_token: Option<String>,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Accepted {
    /// It began a turn.
    Started,
    /// It goes into the running turn.
    Steered,
    /// It waits.
    Queued,
}

/// What became of a message.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptReply {
    /// What.
    pub accepted: Accepted,
    /// The turn it began or steers.
    pub turn_id: Option<TurnId>,
}

/// Names an entry of the queue.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct QueueEntryParams {
    /// Which session.
    pub session_id: SessionId,
    /// Which entry.
    pub entry_id: String,
}

/// New text for an entry.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct QueueEditParams {
    /// Which session.
    pub session_id: SessionId,
    /// Which entry.
    pub entry_id: String,
    /// The text, not blank.
    pub text: String,
}

/// New place for an entry.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct QueueMoveParams {
    /// Which session.
    pub session_id: SessionId,
    /// Which entry.
    pub entry_id: String,
    /// From 0.
    pub index: u32,
}

/// The queue after a change.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct QueueReply {
    /// In order.
    pub entries: Vec<QueueEntry>,
    /// Whether it waits for the person.
    pub paused: bool,
}

/// Which result.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolResultParams {
    /// Which session.
    pub session_id: SessionId,
    /// Which turn; call ids may come again in later turns.
    pub turn_id: TurnId,
    /// Which call.
    pub call_id: CallId,
    /// First character, from 0.
    #[serde(default)]
    pub offset: u64,
    /// How many characters at most; without it 65,536.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// A slice of a result.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolResultReply {
    /// The slice.
    pub text: String,
    /// Characters in all.
    pub total: u64,
}
