//! `leases`: one running turn per session in all processes of a home.

use crate::error::StoreError;
use crate::process::{Owner, is_alive};
use crate::schema::Migration;
use crate::tx::{Reader, Tx};
use rusqlite::{Row, params};
use std::fmt;
use talaria_protocol::SessionId;

// No reference to `sessions`: a lease is taken before the first message, and with it the session, is stored.
pub(crate) const MIGRATIONS: &[Migration] = &[(
    1,
    "CREATE TABLE leases (
        session_id TEXT PRIMARY KEY,
        pid INTEGER NOT NULL,
        process_started_at TEXT NOT NULL,
        instance TEXT NOT NULL,
        program TEXT NOT NULL,
        acquired_at REAL NOT NULL
    ) WITHOUT ROWID;",
)];

/// Who runs a turn in a session.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaseHolder {
    /// The process.
    pub owner: Owner,
    /// UNIX seconds.
    pub acquired_at: f64,
}

impl LeaseHolder {
    /// Whether that process still runs. A lease of a dead one can be taken.
    pub fn is_alive(&self) -> bool {
        is_alive(self.owner.pid, &self.owner.process_started_at)
    }
}

impl fmt::Display for LeaseHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (process {})", self.owner.program, self.owner.pid)
    }
}

/// What came of asking for a lease.
#[derive(Clone, Debug, PartialEq)]
pub enum Lease {
    /// It is ours until it is released.
    Acquired {
        /// The dead process that had it: its turn was cut off and its history may need repair.
        taken_from: Option<LeaseHolder>,
    },
    /// A living process has it.
    Held(LeaseHolder),
}

impl Reader<'_> {
    /// Who holds the lease of a session, dead or alive.
    pub fn lease_holder(&self, session_id: &SessionId) -> Result<Option<LeaseHolder>, StoreError> {
        self.one(
            "SELECT pid, process_started_at, instance, program, acquired_at FROM leases WHERE session_id = ?1",
            [session_id.as_str()],
            holder,
        )
    }

    /// Sessions in which another living process runs a turn, with that process.
    pub fn leases_of_others(&self) -> Result<Vec<(SessionId, LeaseHolder)>, StoreError> {
        let all = self.all(
            "SELECT pid, process_started_at, instance, program, acquired_at, session_id FROM leases",
            [],
            |row| Ok((SessionId::new(row.get::<_, String>(5)?), holder(row)?)),
        )?;
        Ok(all
            .into_iter()
            .filter(|(_, holder)| holder.owner.instance != self.owner().instance && holder.is_alive())
            .collect())
    }
}

impl Tx<'_> {
    /// Takes the lease of a session for this store, from a dead holder too.
    pub fn acquire_lease(&self, session_id: &SessionId) -> Result<Lease, StoreError> {
        let owner = self.owner();
        let held = self
            .lease_holder(session_id)?
            .filter(|holder| holder.owner.instance != owner.instance);
        if let Some(holder) = &held
            && holder.is_alive()
        {
            return Ok(Lease::Held(holder.clone()));
        }
        self.execute(
            "INSERT OR REPLACE INTO leases (session_id, pid, process_started_at, instance, program, acquired_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                session_id.as_str(),
                owner.pid,
                owner.process_started_at,
                owner.instance,
                owner.program,
                self.now()
            ],
        )?;
        Ok(Lease::Acquired { taken_from: held })
    }

    /// Gives the lease back if it is this store's; a lease of others stays.
    pub fn release_lease(&self, session_id: &SessionId) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM leases WHERE session_id = ?1 AND instance = ?2",
            [session_id.as_str(), &self.owner().instance],
        )?;
        Ok(())
    }

    pub(crate) fn release_own_leases(&self) -> Result<(), StoreError> {
        self.execute("DELETE FROM leases WHERE instance = ?1", [&self.owner().instance])?;
        Ok(())
    }
}

fn holder(row: &Row<'_>) -> Result<LeaseHolder, StoreError> {
    Ok(LeaseHolder {
        owner: Owner {
            pid: row.get(0)?,
            process_started_at: row.get(1)?,
            instance: row.get(2)?,
            program: row.get(3)?,
        },
        acquired_at: row.get(4)?,
    })
}
