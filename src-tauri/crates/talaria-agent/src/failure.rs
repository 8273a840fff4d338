//! Failures of lower crates as a person reads them.

use talaria_protocol::{AppError, ErrorKind, Layer};
use talaria_store::{ReadOnlyReason, StoreError};

/// A failure of the store with its way out.
pub fn storage_error(error: &StoreError) -> AppError {
    let disk =
        |key: &str, hint: &str| AppError::new(ErrorKind::Storage, Layer::Disk, key, error.to_string()).with_hint(hint);
    match error {
        StoreError::DiskFull { path } => disk("error.disk.full", "Free some space, then send the message again.")
            .with_value("path", path.display().to_string())
            .retryable(),
        StoreError::ReadOnly {
            path,
            reason: ReadOnlyReason::NewerSchema { .. },
        } => disk(
            "error.disk.newer",
            "Update Talaria, or start it with another TALARIA_HOME. Your chats can be read.",
        )
        .with_value("path", path.display().to_string()),
        StoreError::ReadOnly { path, .. } | StoreError::Unwritable { path, .. } => disk(
            "error.disk.read_only",
            "Make the folder writable, or start Talaria with another TALARIA_HOME.",
        )
        .with_value("path", path.display().to_string()),
        StoreError::Locked { path, .. } => disk(
            "error.disk.locked",
            "Close the program that holds it, then try again. Your chats are safe; nothing was changed.",
        )
        .with_value("path", path.display().to_string())
        .retryable(),
        StoreError::Corrupt { path, .. } => disk(
            "error.disk.corrupt",
            "The file was left as it is. Restore it from a backup, or move it away to start with an empty history.",
        )
        .with_value("path", path.display().to_string()),
        StoreError::Foreign { path } => disk(
            "error.disk.foreign",
            "Move the file away, or start Talaria with another TALARIA_HOME.",
        )
        .with_value("path", path.display().to_string()),
        StoreError::NoSession { session_id } => AppError::not_found(error.to_string())
            .with_hint("It may have been deleted. Start a new chat.")
            .with_value("session", session_id.to_string()),
        StoreError::TitleTaken { title, .. } => AppError::invalid(error.to_string())
            .with_hint("Choose another title.")
            .with_value("title", title.clone()),
        StoreError::Closed => AppError::new(
            ErrorKind::Cancelled,
            Layer::Runtime,
            "error.closing",
            "Talaria is closing",
        )
        .with_hint("Start it again."),
        StoreError::Value { .. } | StoreError::Panicked | StoreError::Sqlite(_) => disk(
            "error.disk.other",
            "Try again. If it stays, start Talaria anew and look into the log.",
        )
        .retryable(),
    }
}

/// Another process runs a turn in the session.
pub(crate) fn held_by_another(holder: &talaria_store::LeaseHolder) -> AppError {
    AppError::new(
        ErrorKind::Busy,
        Layer::Runtime,
        "error.session.busy",
        format!(
            "{} (process {}) runs a turn in this session",
            holder.owner.program, holder.owner.pid
        ),
    )
    .with_hint("Wait until it is done, stop it there, or work in a new chat. Nothing was changed here.")
    .with_value("program", holder.owner.program.clone())
    .with_value("pid", holder.owner.pid.to_string())
    .retryable()
}
