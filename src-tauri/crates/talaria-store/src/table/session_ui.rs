//! `session_ui`: what a window keeps per session.

use crate::error::StoreError;
use crate::schema::Migration;
use crate::tx::{Reader, Tx};
use rusqlite::params;
use talaria_protocol::SessionId;

pub(crate) const MIGRATIONS: &[Migration] = &[(
    1,
    "CREATE TABLE session_ui (
        session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
        pinned INTEGER NOT NULL DEFAULT 0,
        draft TEXT NOT NULL DEFAULT '',
        reading_position TEXT,
        updated_at REAL NOT NULL
    );",
)];

impl Reader<'_> {
    /// The unsent text of a session; empty when there is none.
    pub fn draft(&self, session_id: &SessionId) -> Result<String, StoreError> {
        let draft = self.one(
            "SELECT draft FROM session_ui WHERE session_id = ?1",
            [session_id.as_str()],
            |row| Ok(row.get(0)?),
        )?;
        Ok(draft.unwrap_or_default())
    }
}

impl Tx<'_> {
    /// Keeps the unsent text of a session. Gives `false` when the session is not stored yet: nothing is kept then.
    pub fn set_draft(&self, session_id: &SessionId, draft: &str) -> Result<bool, StoreError> {
        let rows = self.execute(
            "INSERT INTO session_ui (session_id, draft, updated_at) SELECT id, ?2, ?3 FROM sessions WHERE id = ?1
             ON CONFLICT (session_id) DO UPDATE SET draft = excluded.draft, updated_at = excluded.updated_at",
            params![session_id.as_str(), draft, self.now()],
        )?;
        Ok(rows > 0)
    }
}
