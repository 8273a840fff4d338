//! The settings as the program uses them, with their defaults.

use crate::secrets::Secret;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use talaria_protocol::{ApprovalMode, WhenBusy};

/// All settings that this version uses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// Layout of the file, for later migrations.
    pub config_version: u32,
    /// The model of new sessions.
    pub model: ModelSettings,
    /// Model servers of the person's own.
    pub custom_providers: Vec<CustomProvider>,
    /// Toolsets that are switched on.
    pub toolsets: Vec<String>,
    /// Globs of files that the agent leaves alone.
    pub ignore: Vec<String>,
    /// The agent's loop.
    pub agent: AgentSettings,
    /// When the person is asked.
    pub approvals: ApprovalSettings,
    /// Commands that never ask.
    pub command_allowlist: Vec<String>,
    /// Commands and where they run.
    pub terminal: TerminalSettings,
    /// Limits of what a tool hands to the model.
    pub tool_output: ToolOutputSettings,
    /// Most characters of a file that one read gives.
    pub file_read_max_chars: usize,
    /// Most characters of an instruction file in the prompt; `None` follows the model's window.
    pub context_file_max_chars: Option<usize>,
    /// The window.
    pub display: DisplaySettings,
    /// The database.
    pub storage: StorageSettings,
    /// Safety nets.
    pub security: SecuritySettings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            config_version: 1,
            model: ModelSettings::default(),
            custom_providers: Vec::new(),
            toolsets: vec!["talaria-desktop".to_owned()],
            ignore: Vec::new(),
            agent: AgentSettings::default(),
            approvals: ApprovalSettings::default(),
            command_allowlist: Vec::new(),
            terminal: TerminalSettings::default(),
            tool_output: ToolOutputSettings::default(),
            file_read_max_chars: 100_000,
            context_file_max_chars: None,
            display: DisplaySettings::default(),
            storage: StorageSettings::default(),
            security: SecuritySettings::default(),
        }
    }
}

impl Config {
    /// The whole as a tree, keys of providers hidden.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// One setting or section by its dotted key.
    pub fn get(&self, key: &str) -> Option<Value> {
        let path = format!("/{}", key.replace('.', "/"));
        self.to_value().pointer(&path).cloned()
    }
}

/// The model of new sessions. In the file a bare name or a map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelSettings {
    /// Model id; empty when none is chosen.
    pub default: String,
    /// Provider profile, or the name of one of `custom_providers`.
    pub provider: Option<String>,
    /// Address of the server.
    pub base_url: Option<String>,
    /// Environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// Window in tokens.
    pub context_length: Option<u64>,
    /// Most tokens of one answer.
    pub max_tokens: Option<u64>,
}

/// A model server of the person's own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CustomProvider {
    /// Name, for `model.provider`.
    pub name: String,
    /// Address of the server.
    pub base_url: String,
    /// Environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// The key itself, where the person wrote it into the file.
    pub api_key: Option<Secret>,
    /// Models it serves.
    pub models: Vec<String>,
    /// Window of its models in tokens.
    pub context_length: Option<u64>,
}

/// The agent's loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentSettings {
    /// Model calls a turn.
    pub max_turns: u32,
    /// Tries of one model call.
    pub api_max_retries: u32,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            max_turns: 90,
            api_max_retries: 3,
        }
    }
}

/// When the person is asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ApprovalSettings {
    /// Mode of new sessions.
    pub mode: ApprovalMode,
    /// Seconds a question waits; 0 waits as long as somebody is there.
    pub timeout: u64,
}

/// Commands and where they run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TerminalSettings {
    /// Working folder; `None` is the project's.
    pub cwd: Option<String>,
    /// Seconds a command may take.
    pub timeout: u64,
    /// Variables that commands may see though they look secret.
    pub env_passthrough: Vec<String>,
    /// Files that a login shell reads first.
    pub shell_init_files: Vec<String>,
    /// Whether the usual profile files are read when `shell_init_files` is empty.
    pub auto_source_bashrc: bool,
}

impl Default for TerminalSettings {
    fn default() -> Self {
        Self {
            cwd: None,
            timeout: 180,
            env_passthrough: Vec::new(),
            shell_init_files: Vec::new(),
            auto_source_bashrc: true,
        }
    }
}

/// Limits of what a tool hands to the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolOutputSettings {
    /// Bytes in all.
    pub max_bytes: usize,
    /// Lines in all.
    pub max_lines: usize,
    /// Characters of a line.
    pub max_line_length: usize,
}

impl Default for ToolOutputSettings {
    fn default() -> Self {
        Self {
            max_bytes: 50_000,
            max_lines: 2_000,
            max_line_length: 2_000,
        }
    }
}

/// The window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DisplaySettings {
    /// What a message does while a turn runs.
    pub busy_input_mode: WhenBusy,
}

/// When a commit counts as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Synchronous {
    /// Survives `kill -9`.
    #[default]
    Normal,
    /// Survives loss of power too, at the cost of a disk flush a commit.
    Full,
}

/// The database.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StorageSettings {
    /// Durability of a commit.
    pub synchronous: Synchronous,
}

/// Safety nets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SecuritySettings {
    /// Whether secrets are removed from what a tool hands to the model.
    pub redact_secrets: bool,
    /// Whether addresses of the local network may be fetched.
    pub allow_private_urls: bool,
}

impl Default for SecuritySettings {
    fn default() -> Self {
        Self {
            redact_secrets: true,
            allow_private_urls: false,
        }
    }
}
