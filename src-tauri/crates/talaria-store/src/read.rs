//! A few read-only connections, opened when they are first needed and kept.

use crate::error::StoreError;
use crate::open;
use crate::process::Owner;
use crate::tx::Reader;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Reads that run at once; more wait their turn.
const CONNECTIONS: usize = 4;

pub(crate) struct Readers {
    path: PathBuf,
    owner: Owner,
    access: open::ReadAccess,
    idle: Mutex<Vec<Connection>>,
    turns: Semaphore,
}

impl Readers {
    pub(crate) fn new(path: PathBuf, owner: Owner, access: open::ReadAccess) -> Self {
        Self {
            path,
            owner,
            access,
            idle: Mutex::new(Vec::new()),
            turns: Semaphore::new(CONNECTIONS),
        }
    }

    pub(crate) fn keep(&self, conn: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(conn);
    }

    pub(crate) async fn read<T, F>(self: Arc<Self>, closure: F) -> Result<T, StoreError>
    where
        F: FnOnce(&Reader<'_>) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        let readers = Arc::clone(&self);
        let _turn = readers.turns.acquire().await.map_err(|_| StoreError::Closed)?;
        match tokio::task::spawn_blocking(move || self.read_here(closure)).await {
            Ok(outcome) => outcome,
            Err(failure) if failure.is_panic() => Err(StoreError::Panicked),
            Err(_) => Err(StoreError::Closed),
        }
    }

    /// Reads on this thread, in one transaction: all queries see the same state.
    pub(crate) fn read_here<T>(
        &self,
        closure: impl FnOnce(&Reader<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let conn = match idle {
            Some(conn) => conn,
            None => open::reader(&self.path, self.access)?,
        };
        let outcome = begin(&conn).and_then(|()| {
            let outcome = closure(&Reader::new(&conn, &self.owner));
            end(&conn)?;
            outcome
        });
        // A connection that cannot end its transaction is not used again.
        if conn.is_autocommit() {
            self.keep(conn);
        }
        outcome.map_err(|error| error.at(&self.path))
    }

    pub(crate) fn close(&self) {
        self.turns.close();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

fn begin(conn: &Connection) -> Result<(), StoreError> {
    conn.prepare_cached("BEGIN DEFERRED")?.execute([])?;
    Ok(())
}

fn end(conn: &Connection) -> Result<(), StoreError> {
    conn.prepare_cached("ROLLBACK")?.execute([])?;
    Ok(())
}
