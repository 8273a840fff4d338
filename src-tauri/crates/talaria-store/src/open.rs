//! Opening a connection: journal mode, pragmas, and what to do with a file that cannot be opened as it should.

use crate::error::{ReadOnlyReason, StoreError};
use crate::process::random;
use crate::schema::{self, SCHEMA_VERSION, Version};
use crate::store::{StoreOptions, Synchronous};
use crate::time::file_stamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const BUSY_TIMEOUT: Duration = Duration::from_secs(1);

/// What came of opening the database.
pub(crate) enum Opened {
    ReadWrite(Connection),
    ReadOnly { reason: ReadOnlyReason, access: ReadAccess },
}

/// How a read-only connection may look at the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadAccess {
    /// Others may write meanwhile.
    Shared,
    /// Nothing beside the file can be made here, and nothing waits in a log: read it as if it never changed.
    Immutable,
}

/// Opens or makes the database and brings its schema up to date.
pub(crate) fn database(path: &Path, options: &StoreOptions) -> Result<Opened, StoreError> {
    retried(options.patience, || try_database(path, options)).or_else(|error| recover(path, error))
}

/// Tries again while another program holds the lock, for as long as patience lasts. The pauses are random, so that
/// programs that collided do not collide again.
#[expect(
    clippy::disallowed_methods,
    reason = "runs on the store's own threads or where the caller chose to block"
)]
pub(crate) fn retried<T>(
    patience: Duration,
    mut attempt: impl FnMut() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(error)
                if matches!(error.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
                    && begun.elapsed() < patience =>
            {
                std::thread::sleep(Duration::from_millis(20 + random() % 131));
            }
            outcome => return outcome,
        }
    }
}

fn try_database(path: &Path, options: &StoreOptions) -> Result<Opened, StoreError> {
    let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    conn.busy_timeout(BUSY_TIMEOUT.min(options.patience))?;
    let from = match schema::version(&conn)? {
        Version::Foreign => return Err(StoreError::Foreign { path: path.to_owned() }),
        Version::Ours(found) if found > SCHEMA_VERSION => {
            // The last connection to leave would fold the log into the file.
            conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            let reason = ReadOnlyReason::NewerSchema {
                found,
                known: SCHEMA_VERSION,
            };
            return Ok(Opened::ReadOnly {
                reason,
                access: ReadAccess::Shared,
            });
        }
        Version::Ours(found) => found,
        Version::Empty => 0,
    };
    journal(&conn, path)?;
    durability(&conn, options.synchronous)?;
    if from < SCHEMA_VERSION
        && let Some(backup) = schema::migrate(&conn, path, from, SCHEMA_VERSION, schema::migrations())?
    {
        tracing::info!(from, to = SCHEMA_VERSION, backup = %backup.display(), "database migrated");
    }
    if conn.is_readonly(rusqlite::MAIN_DB)? {
        return Ok(Opened::ReadOnly {
            reason: ReadOnlyReason::Unwritable,
            access: read_access(path),
        });
    }
    Ok(Opened::ReadWrite(conn))
}

/// The way out of a failed opening: a copy of a damaged file, or reading where writing is not allowed.
fn recover(path: &Path, error: StoreError) -> Result<Opened, StoreError> {
    match (error.code(), error) {
        (Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase), StoreError::Sqlite(source)) => {
            let kept = match put_aside(path) {
                Ok(kept) => Some(kept),
                Err(error) => {
                    tracing::error!(%error, "cannot copy the damaged database");
                    None
                }
            };
            Err(StoreError::Corrupt {
                path: path.to_owned(),
                kept,
                source,
            })
        }
        (
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied),
            StoreError::Sqlite(source),
        ) => {
            let access = read_access(path);
            match reader(path, access).and_then(|conn| Ok(schema::version(&conn)?)) {
                Ok(Version::Ours(_)) => Ok(Opened::ReadOnly {
                    reason: ReadOnlyReason::Unwritable,
                    access,
                }),
                _ => Err(StoreError::Unwritable {
                    path: path.to_owned(),
                    source,
                }),
            }
        }
        (_, error) => Err(error.at(path)),
    }
}

/// A connection that only reads.
pub(crate) fn reader(path: &Path, access: ReadAccess) -> Result<Connection, StoreError> {
    let conn = match access {
        ReadAccess::Shared => connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
        ReadAccess::Immutable => {
            let uri = format!("file:{}?immutable=1", uri_path(path));
            connect(
                Path::new(&uri),
                OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
            )?
        }
    };
    conn.pragma_update(None, "query_only", true)?;
    Ok(conn)
}

/// A connection for checkpoints only.
pub(crate) fn checkpointer(path: &Path, synchronous: Synchronous) -> Result<Connection, StoreError> {
    let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    durability(&conn, synchronous)?;
    conn.busy_timeout(Duration::ZERO)?;
    Ok(conn)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    // Each connection stays on one thread at a time, so SQLite's own locks are not needed.
    let conn = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(conn)
}

fn durability(conn: &Connection, synchronous: Synchronous) -> Result<(), StoreError> {
    let level = match synchronous {
        Synchronous::Normal => "NORMAL",
        Synchronous::Full => "FULL",
    };
    // Checkpoints are ours (see `write`): SQLite would run them inside a commit.
    conn.execute_batch(&format!(
        "PRAGMA synchronous = {level}; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 0; \
         PRAGMA cache_size = -1024;"
    ))?;
    #[cfg(target_os = "macos")]
    conn.execute_batch("PRAGMA checkpoint_fullfsync = 1;")?;
    Ok(())
}

/// Asks for the write-ahead log; where the file system cannot share memory, the old journal does.
fn journal(conn: &Connection, path: &Path) -> Result<(), StoreError> {
    let mode = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, String>(0));
    if mode("PRAGMA journal_mode")? == "wal" {
        return Ok(());
    }
    match mode("PRAGMA journal_mode = WAL") {
        Ok(now) if now == "wal" => return Ok(()),
        Ok(_) => {}
        Err(error)
            if matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::FileLockingProtocolFailed | ErrorCode::AuthorizationForStatementDenied)
            ) => {}
        Err(error) => return Err(error.into()),
    }
    tracing::warn!(path = %path.display(), "no write-ahead log on this file system; writes are slower");
    mode("PRAGMA journal_mode = DELETE")?;
    Ok(())
}

fn side_file(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn read_access(path: &Path) -> ReadAccess {
    let waits = std::fs::metadata(side_file(path, "-wal")).is_ok_and(|meta| meta.len() > 0);
    if waits {
        ReadAccess::Shared
    } else {
        ReadAccess::Immutable
    }
}

fn uri_path(path: &Path) -> String {
    let mut uri = String::new();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Copies the file and its side files as they are. A file that was not touched since its last copy is not copied again.
fn put_aside(path: &Path) -> std::io::Result<PathBuf> {
    let now = std::fs::metadata(path)?;
    if let Some(kept) = earlier_copy(path, &now) {
        return Ok(kept);
    }
    let copy = side_file(path, &format!(".malformed-backup-{}", file_stamp()));
    std::fs::copy(path, &copy)?;
    for suffix in ["-wal", "-shm"] {
        match std::fs::copy(side_file(path, suffix), side_file(&copy, suffix)) {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(copy)
}

fn earlier_copy(path: &Path, now: &std::fs::Metadata) -> Option<PathBuf> {
    let prefix = format!("{}.malformed-backup-", path.file_name()?.to_str()?);
    let changed = now.modified().ok()?;
    std::fs::read_dir(path.parent()?)
        .ok()?
        .filter_map(Result::ok)
        .find_map(|entry| {
            let name = entry.file_name();
            let name = name.to_str()?;
            let meta = entry.metadata().ok()?;
            let same = name.starts_with(&prefix)
                && !name.ends_with("-wal")
                && !name.ends_with("-shm")
                && meta.len() == now.len()
                && meta.modified().ok()? >= changed;
            same.then(|| entry.path())
        })
}
