//! What a closure gets to work with. The methods are declared beside their tables.

use crate::error::StoreError;
use crate::process::Owner;
use crate::time::unix_now;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Params, Row};
use std::cell::Cell;
use std::ops::Deref;
use std::time::Duration;

/// One consistent view of the database.
pub struct Reader<'c> {
    conn: &'c Connection,
    owner: &'c Owner,
}

impl<'c> Reader<'c> {
    pub(crate) fn new(conn: &'c Connection, owner: &'c Owner) -> Self {
        Self { conn, owner }
    }

    /// The instance that reads or writes here.
    pub fn owner(&self) -> &Owner {
        self.owner
    }

    pub(crate) fn prepare(&self, sql: &str) -> Result<CachedStatement<'c>, StoreError> {
        Ok(self.conn.prepare_cached(sql)?)
    }

    pub(crate) fn execute(&self, sql: &str, params: impl Params) -> Result<usize, StoreError> {
        Ok(self.prepare(sql)?.execute(params)?)
    }

    pub(crate) fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        // The engine's own error passes through; the inner result is ours.
        self.prepare(sql)?
            .query_row(params, |row| Ok(read(row)))
            .optional()?
            .transpose()
    }

    pub(crate) fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.prepare(sql)?;
        let mut rows = statement.query(params)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(row)?);
        }
        Ok(found)
    }

    pub(crate) fn last_insert_rowid(&self) -> i64 {
        self.conn.last_insert_rowid()
    }
}

/// What the writing thread remembers between transactions.
#[derive(Debug)]
pub(crate) struct WriterState {
    /// How long a delete can be undone.
    pub(crate) undo_delete: Duration,
    /// Newest time that was given out.
    pub(crate) last_time: Cell<f64>,
    /// Whether a session was marked as deleted, so that the thread plans a sweep.
    pub(crate) deleted: Cell<bool>,
}

impl WriterState {
    pub(crate) fn new(undo_delete: Duration) -> Self {
        Self {
            undo_delete,
            last_time: Cell::new(0.0),
            deleted: Cell::new(false),
        }
    }
}

/// A write transaction. It reads too: every method of [`Reader`] is there.
pub struct Tx<'c> {
    reader: Reader<'c>,
    pub(crate) state: &'c WriterState,
}

impl<'c> Tx<'c> {
    pub(crate) fn new(conn: &'c Connection, owner: &'c Owner, state: &'c WriterState) -> Self {
        Self {
            reader: Reader::new(conn, owner),
            state,
        }
    }

    /// UNIX seconds, at least a microsecond later than any time this store gave out before.
    pub fn now(&self) -> f64 {
        let now = unix_now().max(self.state.last_time.get() + 1e-6);
        self.state.last_time.set(now);
        now
    }
}

impl<'c> Deref for Tx<'c> {
    type Target = Reader<'c>;

    fn deref(&self) -> &Reader<'c> {
        &self.reader
    }
}
