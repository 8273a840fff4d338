//! One module per table: its SQL, its types, its migrations and what can be done with it.

pub(crate) mod leases;
pub(crate) mod messages;
pub(crate) mod session_model_usage;
pub(crate) mod session_prompts;
pub(crate) mod session_queue;
pub(crate) mod session_ui;
pub(crate) mod sessions;
pub(crate) mod state_meta;

use crate::error::StoreError;
use crate::schema::Migration;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Migrations of all tables, referred-to tables first.
pub(crate) const MIGRATIONS: &[&[Migration]] = &[
    sessions::MIGRATIONS,
    session_prompts::MIGRATIONS,
    messages::MIGRATIONS,
    session_model_usage::MIGRATIONS,
    session_ui::MIGRATIONS,
    session_queue::MIGRATIONS,
    leases::MIGRATIONS,
    state_meta::MIGRATIONS,
];

pub(crate) fn to_json<T: Serialize + ?Sized>(what: &str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::value(what, error))
}

pub(crate) fn from_json<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::value(what, error))
}

/// SQLite keeps 64-bit signed integers; our counters stay below 2^53.
pub(crate) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

pub(crate) fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
