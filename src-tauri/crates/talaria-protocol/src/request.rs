//! Reverse requests: the core asks, a client answers (desktop.md 9.3).

use crate::ids::{CallId, RequestId, SessionId};
use crate::row::FileDiff;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use ts_rs::TS;

/// The closed set of answers to an approval. What cannot be read as one of these is a denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalChoice {
    /// This call only.
    Once,
    /// This call and equal ones of the session.
    Session,
    /// This call and equal ones from now on.
    Always,
    /// Not.
    Deny,
}

/// Verdict on one simple command of a compound one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PartVerdict {
    /// It only reads.
    Reads,
    /// Nothing dangerous was found, but it may change something.
    Safe,
    /// A rule of the session or the person allows it.
    Allowed,
    /// It needs an answer.
    Asks,
    /// It never runs.
    Blocked,
}

/// One simple command of a compound one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CommandPart {
    /// Operator before it (`&&`, `||`, `;`, `|`, `&`); empty for the first.
    pub operator: String,
    /// The command in full.
    pub command: String,
    /// Verdict.
    pub verdict: PartVerdict,
    /// Why it asks or is blocked, one short sentence each.
    pub reasons: Vec<String>,
}

/// Where something would run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Target {
    /// `local`, `ssh`, `docker`, `cloud`.
    pub kind: String,
    /// Name for people: `this computer`, a host, a container.
    pub name: String,
}

/// A question whether a call may run. Nothing has run yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ApprovalParams {
    /// Session that asks.
    pub session_id: SessionId,
    /// Id of the question; the answer names it.
    pub request_id: RequestId,
    /// Call it is about.
    pub call_id: CallId,
    /// Name of the tool.
    pub tool: String,
    /// One line: what would be done.
    pub summary: String,
    /// Full command, for commands.
    pub command: Option<String>,
    /// Its simple commands with their verdicts.
    pub parts: Vec<CommandPart>,
    /// Change, for writes.
    pub diff: Option<FileDiff>,
    /// Arguments of the call.
    pub arguments: Value,
    /// Working directory.
    pub cwd: String,
    /// Where it would run.
    pub target: Target,
    /// Why it asks.
    pub risk: Vec<String>,
    /// Answers on offer, in order.
    pub choices: Vec<ApprovalChoice>,
    /// Whether a rule for good may be made.
    pub allow_permanent: bool,
    /// What `session` would allow, in words.
    pub scope_preview: Option<String>,
}

/// Answer to an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApprovalReply {
    /// The choice.
    pub choice: ApprovalChoice,
    /// A note that goes to the model with a denial.
    #[serde(default)]
    pub note: Option<String>,
}

/// One question of the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Question {
    /// Id of the question within the request.
    pub qid: String,
    /// The question.
    pub question: String,
    /// Offered answers; empty for an open question. The UI always adds free text.
    pub choices: Vec<String>,
    /// Whether several may be chosen.
    pub multi: bool,
}

/// Questions to the person, one to five.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ClarifyParams {
    /// Session that asks.
    pub session_id: SessionId,
    /// Id of the request.
    pub request_id: RequestId,
    /// Call it is about.
    pub call_id: CallId,
    /// What is asked.
    pub questions: Vec<Question>,
}

/// Answers by question id; `null` for one that was skipped, `answers: null` for all dismissed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ClarifyReply {
    /// Answers.
    #[serde(default)]
    pub answers: Option<BTreeMap<String, Option<String>>>,
}

/// A question of the core with its method name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "method", content = "params", rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "a handful exist at a time, and each is matched on at once"
)]
pub enum ServerRequest {
    /// May this run?
    Approval(ApprovalParams),
    /// What did you mean?
    Clarify(ClarifyParams),
}

impl ServerRequest {
    /// Method name on the wire.
    pub fn method(&self) -> &'static str {
        match self {
            ServerRequest::Approval(_) => "approval",
            ServerRequest::Clarify(_) => "clarify",
        }
    }

    /// Session that asks.
    pub fn session_id(&self) -> &SessionId {
        match self {
            ServerRequest::Approval(p) => &p.session_id,
            ServerRequest::Clarify(p) => &p.session_id,
        }
    }

    /// Call it is about.
    pub fn call_id(&self) -> &CallId {
        match self {
            ServerRequest::Approval(p) => &p.call_id,
            ServerRequest::Clarify(p) => &p.call_id,
        }
    }
}

/// A question that nobody has answered yet; part of the reply to attach and resume, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct OpenRequest {
    /// JSON-RPC id of the question.
    pub id: RequestId,
    /// The question.
    pub request: ServerRequest,
    /// UNIX seconds.
    pub asked_at: f64,
}

/// Why a question was withdrawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RequestCancelReason {
    /// Nobody answered in time.
    Timeout,
    /// The turn was interrupted.
    Interrupted,
    /// Another client answered.
    Resolved,
    /// The session was closed or deleted.
    SessionClosed,
    /// The core stops.
    Shutdown,
}
