//! The schema number and the way from one number to the next.

use crate::error::StoreError;
use crate::table;
use crate::time::file_stamp;
use rusqlite::{Connection, OptionalExtension};
use std::path::{Path, PathBuf};

/// Highest migration this program knows.
pub const SCHEMA_VERSION: u32 = 1;

/// One step of one table: its number and its SQL. Never edited after a release; later numbers only add.
pub(crate) type Migration = (u32, &'static str);

/// All steps, tables in an order in which each finds those it refers to.
pub(crate) fn migrations() -> impl Iterator<Item = &'static Migration> + Clone {
    table::MIGRATIONS.iter().copied().flatten()
}

/// What a file says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// Nothing in it yet.
    Empty,
    /// A database of ours.
    Ours(u32),
    /// Tables, but none of ours.
    Foreign,
}

pub(crate) fn version(conn: &Connection) -> Result<Version, rusqlite::Error> {
    let known = conn
        .query_row(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'",
            [],
            |_| Ok(()),
        )
        .optional()?;
    if known.is_some() {
        let version = conn
            .query_row("SELECT version FROM schema_version", [], |row| row.get(0))
            .optional()?;
        return Ok(version.map_or(Version::Foreign, Version::Ours));
    }
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    Ok(if tables == 0 { Version::Empty } else { Version::Foreign })
}

/// Brings a database from `from` (0 for an empty one) to `to`, each number in a transaction of its own. Another
/// process may do the same at the same time, so the number is read again under the lock.
pub(crate) fn migrate<'m>(
    conn: &Connection,
    path: &Path,
    from: u32,
    to: u32,
    migrations: impl Iterator<Item = &'m Migration> + Clone,
) -> Result<Option<PathBuf>, StoreError> {
    let backup = if from > 0 {
        Some(back_up(conn, path, from)?)
    } else {
        None
    };
    for number in from + 1..=to {
        conn.execute_batch("BEGIN IMMEDIATE")?;
        let step = step(conn, number, migrations.clone());
        conn.execute_batch(if step.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        step?;
    }
    Ok(backup)
}

fn step<'m>(
    conn: &Connection,
    number: u32,
    migrations: impl Iterator<Item = &'m Migration>,
) -> Result<(), rusqlite::Error> {
    if matches!(version(conn)?, Version::Ours(found) if found >= number) {
        return Ok(());
    }
    if number == 1 {
        conn.execute_batch(
            "CREATE TABLE schema_version (version INTEGER NOT NULL); INSERT INTO schema_version VALUES (0);",
        )?;
    }
    for (_, sql) in migrations.filter(|(of, _)| *of == number) {
        conn.execute_batch(sql)?;
    }
    conn.execute("UPDATE schema_version SET version = ?1", [number])?;
    Ok(())
}

/// A whole and consistent copy beside the file, the log included.
fn back_up(conn: &Connection, path: &Path, version: u32) -> Result<PathBuf, StoreError> {
    let mut copy = path.as_os_str().to_owned();
    copy.push(format!(".backup-v{version}-{}", file_stamp()));
    let copy = PathBuf::from(copy);
    conn.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    Ok(copy)
}

#[cfg(test)]
mod tests;
