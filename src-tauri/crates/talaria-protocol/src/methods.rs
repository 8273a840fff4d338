//! The one list of methods. It yields the handler trait, the dispatcher and the TypeScript map, so that a method
//! without a handler does not compile.

use crate::error::AppError;
use crate::event::{EventFrame, Notice};
use crate::ids::{CallId, ClientId, Epoch, RequestId, SessionId, TurnId};
use crate::model::{DiscoveredServer, ModelInfo, ModelRoute, TestLeg, Usage};
use crate::request::OpenRequest;
use crate::row::Row;
use crate::session::{ApprovalMode, QueueEntry, SessionSummary, Todo};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::future::Future;
use ts_rs::TS;

/// Why a request got no result.
#[derive(Debug)]
pub enum DispatchError {
    /// No such method.
    UnknownMethod,
    /// The parameters do not fit; the text says where.
    InvalidParams(String),
    /// The handler failed.
    App(Box<AppError>),
}

impl From<AppError> for DispatchError {
    fn from(error: AppError) -> Self {
        DispatchError::App(Box::new(error))
    }
}

/// Declares the methods: `"wire.name" => handler_name(Params) -> Reply,`.
#[macro_export]
macro_rules! methods {
    ($($(#[$doc:meta])* $wire:literal => $name:ident($params:ty) -> $reply:ty,)*) => {
        /// One handler per method. Handlers are thin: unpack, call one thing, map the error.
        pub trait Methods: Send + Sync {
            $(
                $(#[$doc])*
                fn $name(
                    &self,
                    client: &ClientId,
                    params: $params,
                ) -> impl Future<Output = Result<$reply, AppError>> + Send;
            )*
        }

        /// Names of all methods.
        pub const METHODS: &[&str] = &[$($wire),*];

        /// Runs the named method with JSON parameters (`null` or absent counts as `{}`) and gives its JSON result.
        pub async fn dispatch<H: Methods>(
            handler: &H,
            client: &ClientId,
            method: &str,
            params: Option<&RawValue>,
        ) -> Result<Box<RawValue>, DispatchError> {
            let text = match params.map(RawValue::get) {
                None | Some("null") => "{}",
                Some(text) => text,
            };
            match method {
                $(
                    $wire => {
                        let params: $params = serde_json::from_str(text)
                            .map_err(|error| DispatchError::InvalidParams(error.to_string()))?;
                        let reply = handler.$name(client, params).await?;
                        serde_json::value::to_raw_value(&reply)
                            .map_err(|error| AppError::internal(error.to_string()).into())
                    }
                )*
                _ => Err(DispatchError::UnknownMethod),
            }
        }

        /// Rows of the TypeScript map, and the declarations of all types that the methods name.
        pub(crate) fn typescript_methods(cfg: &ts_rs::Config, types: &mut $crate::bindings::Declarations) -> String {
            let mut map = String::from("export interface Methods {\n");
            $(
                types.add::<$params>(cfg);
                types.add::<$reply>(cfg);
                map.push_str(&format!(
                    "  \"{}\": [{}, {}];\n",
                    $wire,
                    <$params as TS>::name(cfg),
                    <$reply as TS>::name(cfg),
                ));
            )*
            map.push_str("}\n");
            map
        }
    };
}

methods! {
    /// First call of a client.
    "client.hello" => client_hello(HelloParams) -> HelloReply,
    /// A new session. Nothing is stored before its first message.
    "session.create" => session_create(SessionCreateParams) -> SessionSnapshot,
    /// Loads a session, subscribes this client to it and gives its newest rows and open questions.
    "session.resume" => session_resume(SessionResumeParams) -> SessionSnapshot,
    /// Older rows.
    "session.history" => session_history(SessionHistoryParams) -> SessionHistoryReply,
    /// Sessions, newest first, straight from the store.
    "session.list" => session_list(SessionListParams) -> SessionListReply,
    /// Gives a title that is never overwritten.
    "session.rename" => session_rename(SessionRenameParams) -> SessionReply,
    /// Hides a session; it is gone for good after ten seconds unless restored.
    "session.delete" => session_delete(SessionDeleteParams) -> SessionDeleteReply,
    /// Undoes a delete.
    "session.restore" => session_restore(SessionRefParams) -> SessionReply,
    /// Stops the running turn and pauses the queue.
    "session.interrupt" => session_interrupt(SessionRefParams) -> Done,
    /// Gives text to the running turn; it arrives at the next tool boundary.
    "session.steer" => session_steer(SessionTextParams) -> PromptReply,
    /// Adds to the queue.
    "session.queue.add" => session_queue_add(SessionTextParams) -> QueueReply,
    /// Changes an entry of the queue.
    "session.queue.edit" => session_queue_edit(QueueEditParams) -> QueueReply,
    /// Moves an entry to a place, from 0.
    "session.queue.move" => session_queue_move(QueueMoveParams) -> QueueReply,
    /// Removes an entry.
    "session.queue.remove" => session_queue_remove(QueueEntryParams) -> QueueReply,
    /// Sends what waits, after an interrupt.
    "session.queue.resume" => session_queue_resume(SessionRefParams) -> QueueReply,
    /// Keeps an unsent text.
    "session.draft" => session_draft(SessionTextParams) -> Done,
    /// Sends a message: begins a turn, or steers or queues when one runs.
    "prompt.submit" => prompt_submit(PromptSubmitParams) -> PromptReply,
    /// Models that can be chosen now.
    "model.list" => model_list(ModelListParams) -> ModelListReply,
    /// Chooses the model of a session, or the default.
    "model.set" => model_set(ModelSetParams) -> ModelSetReply,
    /// Tries a model: key, address, protocol, model, first words.
    "model.test" => model_test(ModelTestParams) -> ModelTestReply,
    /// Sets the mode of a session, or the default.
    "approvals.mode.set" => approvals_mode_set(ApprovalModeParams) -> ApprovalModeReply,
    /// Settings, layered.
    "config.get" => config_get(ConfigGetParams) -> ConfigGetReply,
    /// Writes one setting; comments and unknown keys stay.
    "config.set" => config_set(ConfigSetParams) -> ConfigGetReply,
    /// Tokens by session or in all.
    "usage.get" => usage_get(UsageGetParams) -> UsageGetReply,
    /// Events after a point, for a client that missed some.
    "events.since" => events_since(EventsSinceParams) -> EventsSinceReply,
    /// A slice of the whole result of a call.
    "tool.result" => tool_result(ToolResultParams) -> ToolResultReply,
}

/// The reply of a method that only acknowledges.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct Done {}

/// First call of a client.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HelloParams {
    /// Protocol version the client speaks: major.minor.
    pub protocol: String,
    /// Version of the client.
    pub app_version: String,
    /// `desktop` or `cli`.
    pub client: String,
    /// Window, for a desktop client.
    #[serde(default)]
    pub window_id: Option<String>,
    /// Reverse requests this client answers, for example `approval`.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// What the client saw last.
    #[serde(default)]
    pub resume: Option<ResumePoint>,
}

/// Where a client stopped listening. Keys are session ids, and `global`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ResumePoint {
    /// Epoch it saw.
    pub epoch: Epoch,
    /// Newest `seq` per stream.
    pub last_seq: BTreeMap<String, u64>,
}

/// What the core is.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HelloReply {
    /// Protocol version of the core. A different major means: do not go on.
    pub protocol: String,
    /// Version of the core.
    pub core_version: String,
    /// This start of the core.
    pub epoch: Epoch,
    /// Seconds between heartbeats on connections that can break.
    pub heartbeat_s: u64,
    /// Optional abilities of the core.
    pub features: Vec<String>,
    /// Newest `seq` of the global stream.
    pub global_seq: u64,
    /// Whether the missed events of `resume` were replayed; otherwise load again.
    pub replayed: bool,
    /// Notices that hold now.
    pub notices: Vec<Notice>,
    /// Default model, if one is configured or was found.
    pub default_model: Option<ModelRoute>,
    /// Default mode.
    pub default_mode: ApprovalMode,
    /// Name of this machine for people.
    pub machine: String,
    /// Home folder of Talaria.
    pub home: String,
}

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

/// Which models to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ModelListParams {
    /// Whether to look for local servers again instead of using what was found lately.
    #[serde(default)]
    pub refresh: bool,
}

/// Models that can be chosen now.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ModelListReply {
    /// Configured first, then local, then by key, the demo last.
    pub models: Vec<ModelInfo>,
    /// Local servers that were looked for.
    pub servers: Vec<DiscoveredServer>,
    /// The default.
    pub default_model: Option<ModelRoute>,
}

/// Chooses a model.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ModelSetParams {
    /// Session; without it the default is set and written.
    #[serde(default)]
    pub session_id: Option<SessionId>,
    /// The model.
    pub route: ModelRoute,
}

/// The choice in force.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ModelSetReply {
    /// The model.
    pub route: ModelRoute,
    /// Whether the provider's prompt cache is lost by it (context over 20,000 tokens).
    pub cache_lost: bool,
}

/// Model to try.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ModelTestParams {
    /// The model.
    pub route: ModelRoute,
}

/// How the test went.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ModelTestReply {
    /// Whether all legs worked.
    pub ok: bool,
    /// Legs in order.
    pub legs: Vec<TestLeg>,
    /// First failing leg as an error with a way out.
    pub error: Option<AppError>,
}

/// Sets a mode.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ApprovalModeParams {
    /// Session; without it the default is set and written.
    #[serde(default)]
    pub session_id: Option<SessionId>,
    /// The mode.
    pub mode: ApprovalMode,
}

/// The mode in force.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ApprovalModeReply {
    /// The mode.
    pub mode: ApprovalMode,
}

/// Which settings.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ConfigGetParams {
    /// Dotted key such as `agent.max_turns`; without it all settings.
    #[serde(default)]
    pub key: Option<String>,
}

/// Settings in force.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ConfigGetReply {
    /// Value of the key, or the whole tree.
    pub value: Value,
    /// File that is written to.
    pub path: String,
    /// Unknown keys and values that were ignored, one sentence each.
    pub warnings: Vec<String>,
}

/// One setting to write.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ConfigSetParams {
    /// Dotted key.
    pub key: String,
    /// New value; `null` takes the key out of the file.
    pub value: Value,
}

/// Whose usage.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct UsageGetParams {
    /// Session; without it all.
    #[serde(default)]
    pub session_id: Option<SessionId>,
}

/// Usage of one model.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ModelUsage {
    /// Model id.
    pub model: String,
    /// Provider.
    pub provider: String,
    /// Tokens.
    pub usage: Usage,
}

/// Tokens used.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct UsageGetReply {
    /// In all.
    pub total: Usage,
    /// By model.
    pub models: Vec<ModelUsage>,
}

/// From where on.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct EventsSinceParams {
    /// Epoch the client saw.
    pub epoch: Epoch,
    /// Session; without it the global stream.
    #[serde(default)]
    pub session_id: Option<SessionId>,
    /// Newest `seq` the client has.
    pub seq: u64,
}

/// Missed events.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct EventsSinceReply {
    /// Whether `events` close the gap; otherwise load the session again.
    pub complete: bool,
    /// In order.
    pub events: Vec<EventFrame>,
    /// Questions that are open.
    pub open_requests: Vec<OpenRequest>,
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

/// Answer to a reverse request as a client sends it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AnswerParams {
    /// The question.
    pub id: RequestId,
    /// The answer.
    pub result: Value,
}

/// Why the core did not start; shown on a screen of its own.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct BootFailure {
    /// What failed and what to do.
    pub error: AppError,
    /// Last lines of the log, secrets removed.
    pub log_tail: Vec<String>,
    /// Home folder of Talaria.
    pub home: String,
    /// Log file.
    pub log_path: String,
    /// Who holds what is needed, where known: program, process, start.
    pub held_by: Option<String>,
}

impl BootFailure {
    /// A failure of the runtime itself, with nothing known but a sentence.
    pub fn from_message(message: impl Into<String>) -> Self {
        Self {
            error: AppError::internal(message),
            log_tail: Vec::new(),
            home: String::new(),
            log_path: String::new(),
            held_by: None,
        }
    }
}
