//! What can go wrong, by what a caller can do about it.

use crate::blocked::{self, LockHolder};
use rusqlite::ErrorCode;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use talaria_protocol::SessionId;

/// Why a store takes no writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadOnlyReason {
    /// A newer program wrote the database; it is left exactly as it is.
    NewerSchema {
        /// Schema number of the file.
        found: u32,
        /// Highest schema number this program knows.
        known: u32,
    },
    /// The file or its folder cannot be written by this person.
    Unwritable,
}

impl fmt::Display for ReadOnlyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadOnlyReason::NewerSchema { found, known } => {
                write!(f, "it has schema {found} and this program knows schemas up to {known}")
            }
            ReadOnlyReason::Unwritable => f.write_str("the file or its folder is write-protected"),
        }
    }
}

/// A failure of the store.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is not a sound database. `kept` is the untouched copy that was put aside, if one was made.
    #[error("{} is damaged{}", path.display(), kept_note(kept.as_deref()))]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// Copy of the file as it was found.
        kept: Option<PathBuf>,
        /// What SQLite said.
        source: Arc<rusqlite::Error>,
    },
    /// The file is a database of some other program.
    #[error("{} is a database of another program", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The store is open, but only for reading.
    #[error("{} can only be read: {reason}", path.display())]
    ReadOnly {
        /// The database.
        path: PathBuf,
        /// Why.
        reason: ReadOnlyReason,
    },
    /// There is no database yet and none can be made here.
    #[error("cannot create {}: {source}", path.display())]
    Unwritable {
        /// The database that was to be made or opened.
        path: PathBuf,
        /// What the system said.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// No space is left where the database is.
    #[error("no space left for {}", path.display())]
    DiskFull {
        /// The database.
        path: PathBuf,
    },
    /// Another program holds the database longer than the retries last.
    #[error("{} is locked by {}", path.display(), holder_note(holder.as_ref()))]
    Locked {
        /// The database.
        path: PathBuf,
        /// Who holds it, where the system tells.
        holder: Option<LockHolder>,
    },
    /// No session has this id.
    #[error("there is no session {session_id}")]
    NoSession {
        /// The id.
        session_id: SessionId,
    },
    /// Another session has this title.
    #[error("the title \"{title}\" belongs to session {holder}")]
    TitleTaken {
        /// The title.
        title: String,
        /// The session that has it.
        holder: SessionId,
    },
    /// A stored value cannot be read back.
    #[error("cannot read {what}: {source}")]
    Value {
        /// Table, column and row.
        what: String,
        /// What is wrong with it.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// The store was closed before this could run.
    #[error("the store is closed")]
    Closed,
    /// The closure panicked; nothing of it was kept.
    #[error("a database operation panicked; it was rolled back")]
    Panicked,
    /// Any other failure of the database engine or the disk below it.
    #[error("database error: {0}")]
    Sqlite(Arc<rusqlite::Error>),
}

fn kept_note(kept: Option<&Path>) -> String {
    kept.map(|path| format!("; a copy of it as found is {}", path.display()))
        .unwrap_or_default()
}

fn holder_note(holder: Option<&LockHolder>) -> String {
    holder.map_or_else(|| "another program".to_owned(), LockHolder::to_string)
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        StoreError::Sqlite(Arc::new(error))
    }
}

impl StoreError {
    pub(crate) fn value(
        what: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> StoreError {
        StoreError::Value {
            what: what.into(),
            source: Arc::from(source.into()),
        }
    }

    /// Turns a bare engine error into the variant a caller can act on, now that the file is known.
    pub(crate) fn at(self, path: &Path) -> StoreError {
        let StoreError::Sqlite(source) = self else { return self };
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Corrupt {
                path,
                kept: None,
                source,
            },
            Some(ErrorCode::DiskFull) => StoreError::DiskFull { path },
            Some(ErrorCode::SystemIoFailure) if os_says_full(&path) => StoreError::DiskFull { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                let holder = blocked::lock_holder(&path);
                StoreError::Locked { path, holder }
            }
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly {
                path,
                reason: ReadOnlyReason::Unwritable,
            },
            _ => StoreError::Sqlite(source),
        }
    }

    pub(crate) fn code(&self) -> Option<ErrorCode> {
        match self {
            StoreError::Sqlite(source) => source.sqlite_error_code(),
            _ => None,
        }
    }
}

/// SQLite reports a full disk as a plain I/O failure where it cannot grow the shared-memory file, so ask the disk.
fn os_says_full(path: &Path) -> bool {
    let probe = path.with_extension("space-probe");
    let full = std::fs::write(&probe, [0u8; 8192]).is_err_and(|error| {
        matches!(
            error.kind(),
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
        )
    });
    if let Err(error) = std::fs::remove_file(&probe)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::debug!(%error, "cannot remove the space probe");
    }
    full
}
