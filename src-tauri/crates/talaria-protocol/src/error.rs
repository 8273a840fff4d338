//! What a client learns of a failure: a kind for the program, a sentence and a way out for the person.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// What a program may branch on. A kind exists only while something branches on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The request itself is wrong: a missing field, a value out of range.
    Invalid,
    /// The named session, request, file or model does not exist.
    NotFound,
    /// Another process or turn holds what was asked for; trying again later may work.
    Busy,
    /// The model's server refused the key, or there is none.
    Auth,
    /// No model is configured for this session.
    NoModel,
    /// The model's server failed, cannot be reached or answers nonsense.
    Model,
    /// The disk, the database or the home folder failed or is read-only.
    Storage,
    /// A setting is wrong or cannot be written.
    Config,
    /// The person or a rule refused.
    Denied,
    /// The work was cancelled.
    Cancelled,
    /// A fault of the runtime itself.
    Internal,
}

/// The part of the system that failed (`error.layer` of desktop.md 9.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The model refused or answered nothing usable.
    Model,
    /// The model's address cannot be reached or does not speak the protocol.
    Endpoint,
    /// The answer broke off or went silent.
    Stream,
    /// The key is missing, wrong or lacks a right.
    Auth,
    /// The account has no credit or quota left.
    Billing,
    /// A server between us and the model failed.
    Gateway,
    /// The runtime itself.
    Runtime,
    /// The disk or the database.
    Disk,
}

/// A failure as shown to a person. Branch on `kind`, show `message` and `hint`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AppError {
    /// Branch on this.
    pub kind: ErrorKind,
    /// Which part failed.
    pub layer: Layer,
    /// Show this: what failed, in the person's words (English).
    pub message: String,
    /// And this: what to do now.
    pub hint: Option<String>,
    /// Whether doing the same again may work.
    pub retryable: bool,
    /// Key of the sentence in the UI's catalogue, such as `error.model.auth`.
    pub key: String,
    /// Values for the placeholders of that sentence.
    pub values: BTreeMap<String, String>,
}

impl AppError {
    /// An error of the runtime that is not worth repeating.
    pub fn new(kind: ErrorKind, layer: Layer, key: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind,
            layer,
            message: message.into(),
            hint: None,
            retryable: false,
            key: key.into(),
            values: BTreeMap::new(),
        }
    }

    /// A request that cannot be served as it stands.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, Layer::Runtime, "error.invalid", message)
    }

    /// Something named in the request does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, Layer::Runtime, "error.not_found", message)
    }

    /// A fault of ours.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, Layer::Runtime, "error.internal", message)
    }

    /// Adds what to do now.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a value for the sentence's placeholder.
    pub fn with_value(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.values.insert(name.into(), value.into());
        self
    }

    /// Marks that doing the same again may work.
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }
}

impl std::fmt::Display for AppError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for AppError {}
