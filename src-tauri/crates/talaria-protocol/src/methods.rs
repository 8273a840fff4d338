//! The one list of methods. It yields the handler trait, the dispatcher and the TypeScript map, so that a method
//! without a handler does not compile.

mod client;
mod prompt;
mod session;
mod settings;

pub use client::*;
pub use prompt::*;
pub use session::*;
pub use settings::*;

use crate::error::AppError;
use crate::ids::ClientId;
use serde_json::value::RawValue;
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
