//! Settings, paths and secrets.
//!
//! [`Home`] is the folder of Talaria; [`Settings`] reads its `config.yaml` in layers (defaults, user file, project
//! file, environment, session) into one typed [`Config`], and writes single keys back without touching the rest of the
//! file; [`Secrets`] is the one place that is asked for a key.
//!
//! One bad value costs only itself: it is skipped with a [`Warning`] and the layer below stands. This crate knows the
//! protocol's words and nothing else of the system.

mod config;
mod edit;
mod env;
mod error;
mod file;
mod home;
mod keys;
mod layers;
mod secrets;
mod settings;

pub use config::{
    AgentSettings, ApprovalSettings, Config, CustomProvider, DisplaySettings, ModelSettings, SecuritySettings,
    StorageSettings, Synchronous, TerminalSettings, ToolOutputSettings,
};
pub use env::Env;
pub use error::{ConfigError, Warning};
pub use home::Home;
pub use layers::Loaded;
pub use secrets::{Secret, Secrets};
pub use settings::{Project, Settings};
