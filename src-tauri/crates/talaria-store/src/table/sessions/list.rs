//! The session list, newest first, by pages.

use super::{COLUMNS, StoredSession, session};
use crate::error::StoreError;
use crate::tx::Reader;
use rusqlite::params;

/// A page of sessions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionPage {
    /// Newest first.
    pub sessions: Vec<StoredSession>,
    /// For the next page; `None` when these are the last.
    pub next_cursor: Option<String>,
}

impl Reader<'_> {
    /// Sessions that are neither deleted nor archived, by their newest message. `query` keeps those whose title or
    /// preview contains it, whatever the case; `my-app` also finds `My App`.
    ///
    /// A cursor that is not one of ours starts from the beginning.
    pub fn list_sessions(
        &self,
        query: Option<&str>,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<SessionPage, StoreError> {
        let wanted = query.map(Needle::new).filter(|needle| !needle.folded.is_empty());
        let (before_at, before_id) = cursor.and_then(read_cursor).unwrap_or((f64::INFINITY, String::new()));
        let mut statement = self.prepare(&format!(
            "SELECT {COLUMNS} FROM sessions
             WHERE (last_active_at, id) < (?1, ?2) AND deleted_at IS NULL AND archived = 0
             ORDER BY last_active_at DESC, id DESC"
        ))?;
        let mut rows = statement.query(params![before_at, before_id])?;
        let mut page = SessionPage::default();
        while let Some(row) = rows.next()? {
            let found = session(row)?;
            if wanted.as_ref().is_some_and(|needle| !needle.is_in(&found)) {
                continue;
            }
            if page.sessions.len() == limit {
                page.next_cursor = page.sessions.last().map(write_cursor);
                break;
            }
            page.sessions.push(found);
        }
        Ok(page)
    }
}

/// What is looked for: folded, and the same without `-`, `_`, `.` and blanks.
struct Needle {
    folded: String,
    joined: String,
}

impl Needle {
    fn new(query: &str) -> Self {
        let folded = query.trim().to_lowercase();
        Self {
            joined: joined(&folded),
            folded,
        }
    }

    fn is_in(&self, session: &StoredSession) -> bool {
        [&session.title, &session.preview].into_iter().flatten().any(|text| {
            let folded = text.to_lowercase();
            folded.contains(&self.folded) || (!self.joined.is_empty() && joined(&folded).contains(&self.joined))
        })
    }
}

fn joined(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '-' | '_' | '.' | ' ')).collect()
}

/// The bits of the time keep it exact; a decimal would not.
fn write_cursor(last: &StoredSession) -> String {
    format!("{:016x}:{}", last.last_active_at.to_bits(), last.session_id)
}

fn read_cursor(cursor: &str) -> Option<(f64, String)> {
    let (bits, id) = cursor.split_once(':')?;
    let at = f64::from_bits(u64::from_str_radix(bits, 16).ok()?);
    (!at.is_nan()).then(|| (at, id.to_owned()))
}

#[cfg(test)]
mod tests;
