//! Parameters and replies of `model.*`, `approvals.*`, `config.*` and `usage.*`.

use crate::error::AppError;
use crate::ids::SessionId;
use crate::model::{DiscoveredServer, ModelInfo, ModelRoute, TestLeg, Usage};
use crate::session::ApprovalMode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

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
