//! `session_queue`: messages that wait for a turn to end, so that they survive a restart.

use crate::error::StoreError;
use crate::schema::Migration;
use crate::tx::{Reader, Tx};
use rusqlite::params;
use talaria_protocol::{QueueEntry, SessionId};

pub(crate) const MIGRATIONS: &[Migration] = &[(
    1,
    "CREATE TABLE session_queue (
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        entry_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (session_id, entry_id)
    );
    ALTER TABLE sessions ADD COLUMN queue_paused INTEGER NOT NULL DEFAULT 0;",
)];

/// The queue of a session as it was stored last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredQueue {
    /// In order.
    pub entries: Vec<QueueEntry>,
    /// Whether it waits for the person.
    pub paused: bool,
}

impl Reader<'_> {
    /// What waits in a session.
    pub fn queue(&self, session_id: &SessionId) -> Result<StoredQueue, StoreError> {
        let entries = self.all(
            "SELECT entry_id, text FROM session_queue WHERE session_id = ?1 ORDER BY position, entry_id",
            [session_id.as_str()],
            |row| {
                Ok(QueueEntry {
                    entry_id: row.get(0)?,
                    text: row.get(1)?,
                })
            },
        )?;
        let paused = self.one(
            "SELECT queue_paused FROM sessions WHERE id = ?1",
            [session_id.as_str()],
            |row| Ok(row.get(0)?),
        )?;
        Ok(StoredQueue {
            entries,
            paused: paused.unwrap_or(false),
        })
    }
}

impl Tx<'_> {
    /// Stores the whole queue of a session, in the transaction that stores the message it may have given up.
    pub fn set_queue(&self, session_id: &SessionId, queue: &StoredQueue) -> Result<(), StoreError> {
        let id = session_id.as_str();
        if self.execute(
            "UPDATE sessions SET queue_paused = ?2 WHERE id = ?1",
            params![id, queue.paused],
        )? == 0
        {
            return Err(StoreError::NoSession {
                session_id: session_id.clone(),
            });
        }
        self.execute("DELETE FROM session_queue WHERE session_id = ?1", [id])?;
        for (position, entry) in (0_i64..).zip(&queue.entries) {
            self.execute(
                "INSERT INTO session_queue (session_id, entry_id, position, text) VALUES (?1, ?2, ?3, ?4)",
                params![id, entry.entry_id, position, entry.text],
            )?;
        }
        Ok(())
    }
}
