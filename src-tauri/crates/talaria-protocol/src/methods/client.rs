//! Parameters and replies of `client.*` and `events.*`.

use crate::event::{EventFrame, Notice};
use crate::ids::{Epoch, SessionId};
use crate::model::ModelRoute;
use crate::request::OpenRequest;
use crate::session::ApprovalMode;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

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
