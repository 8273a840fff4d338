//! `session_prompts`: the frozen system prompt of a session. Apart from `sessions`, because a prompt of 50 KB in that
//! row would be written again with each message that moves the row's counters.

use crate::error::StoreError;
use crate::schema::Migration;
use crate::tx::{Reader, Tx};
use talaria_protocol::SessionId;

pub(crate) const MIGRATIONS: &[Migration] = &[(
    1,
    "CREATE TABLE session_prompts (
        session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
        system_prompt TEXT NOT NULL
    );",
)];

impl Reader<'_> {
    /// The system prompt that the session was started with, byte for byte.
    pub fn system_prompt(&self, session_id: &SessionId) -> Result<Option<String>, StoreError> {
        self.one(
            "SELECT system_prompt FROM session_prompts WHERE session_id = ?1",
            [session_id.as_str()],
            |row| Ok(row.get(0)?),
        )
    }
}

impl Tx<'_> {
    /// Freezes the system prompt; `None` makes the next turn build it anew.
    pub fn set_system_prompt(&self, session_id: &SessionId, system_prompt: Option<&str>) -> Result<(), StoreError> {
        match system_prompt {
            Some(text) => self.execute(
                "INSERT OR REPLACE INTO session_prompts (session_id, system_prompt) VALUES (?1, ?2)",
                [session_id.as_str(), text],
            )?,
            None => self.execute(
                "DELETE FROM session_prompts WHERE session_id = ?1",
                [session_id.as_str()],
            )?,
        };
        Ok(())
    }
}
