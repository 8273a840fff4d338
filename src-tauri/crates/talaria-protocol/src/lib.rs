//! The vocabulary that the window, `talariad` and the runtime share: ids, messages, transcript rows,
//! methods, events, reverse requests and errors.
//!
//! Everything that crosses the wire is declared here once; [`methods!`](crate::methods) yields the dispatcher,
//! the handler trait and the TypeScript map. This crate knows serde and ts-rs and nothing else of the system.
//!
//! Wire rules: `*Params`, `*Reply`, `*Event`; snake case; unions tagged by `type`; ids are strings; integers fit in
//! 53 bits; absent options are `null`.

mod bindings;
mod boot;
mod error;
mod event;
mod frame;
mod ids;
mod message;
mod methods;
mod model;
mod request;
mod row;
mod session;

pub use bindings::typescript;
pub use boot::BootFailure;
pub use error::{AppError, ErrorKind, Layer};
pub use event::{CoreEvent, EventFrame, Notice, NoticeLevel, StatusKind, TurnStatus};
pub use frame::{
    ErrorObject, INVALID_PARAMS, INVALID_REQUEST, Incoming, MAX_FRAME_BYTES, METHOD_NOT_FOUND, Notification,
    PARSE_ERROR, RUNTIME_ERROR, RequestFrame, ResponseFrame, ServerRequestFrame,
};
pub use ids::{CallId, ClientId, Epoch, ProcessId, RequestId, SessionId, TurnId};
pub use message::{Content, ContentPart, EffectDisposition, ImageUrl, Message, Role, ToolCall};
pub use methods::*;
pub use model::{DiscoveredServer, ModelInfo, ModelRoute, ModelSource, TestLeg, TestLegState, Usage};
pub use request::{
    ApprovalChoice, ApprovalParams, ApprovalReply, ClarifyParams, ClarifyReply, CommandPart, OpenRequest, PartVerdict,
    Question, RequestCancelReason, ServerRequest, Target,
};
pub use row::{
    ApprovalRecord, Delivery, DiffHunk, DiffLine, DiffLineKind, FileDiff, Row, ToolBody, ToolState, ToolView, Verb,
};
pub use session::{ApprovalMode, QueueEntry, SessionState, SessionSummary, Todo, TodoStatus, TodoSummary};
