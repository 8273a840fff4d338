//! `state_meta`: small facts about the database itself.

use crate::error::StoreError;
use crate::schema::Migration;
use crate::tx::{Reader, Tx};

pub(crate) const MIGRATIONS: &[Migration] = &[(
    1,
    "CREATE TABLE state_meta (
        key TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) WITHOUT ROWID;",
)];

impl Reader<'_> {
    /// The value kept under a key.
    pub fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.one("SELECT value FROM state_meta WHERE key = ?1", [key], |row| {
            Ok(row.get(0)?)
        })
    }
}

impl Tx<'_> {
    /// Keeps a value under a key; `None` removes it.
    pub fn set_meta(&self, key: &str, value: Option<&str>) -> Result<(), StoreError> {
        match value {
            Some(value) => self.execute(
                "INSERT OR REPLACE INTO state_meta (key, value) VALUES (?1, ?2)",
                [key, value],
            )?,
            None => self.execute("DELETE FROM state_meta WHERE key = ?1", [key])?,
        };
        Ok(())
    }
}
