//! What a window shows when there is no core to talk to.

use crate::error::AppError;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

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
