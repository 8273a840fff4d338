//! Titles: cleaned, at most 100 characters, unique among sessions that are not deleted.

use crate::error::StoreError;
use crate::tx::{Reader, Tx};
use rusqlite::params;
use talaria_protocol::SessionId;

/// Longest title in characters.
const MAX_TITLE: usize = 100;

impl Reader<'_> {
    /// The title itself, or its first free numbered form: `base #2`, `base #3`.
    pub(crate) fn free_title(&self, title: &str, session_id: &SessionId) -> Result<String, StoreError> {
        let mut candidate = title.to_owned();
        let mut number = 2;
        while self.title_holder(&candidate, session_id)?.is_some() {
            candidate = format!("{title} #{number}");
            number += 1;
        }
        Ok(candidate)
    }

    fn title_holder(&self, title: &str, except: &SessionId) -> Result<Option<SessionId>, StoreError> {
        self.one(
            "SELECT id FROM sessions WHERE title = ?1 AND deleted_at IS NULL AND id <> ?2",
            [title, except.as_str()],
            |row| Ok(SessionId::new(row.get::<_, String>(0)?)),
        )
    }
}

impl Tx<'_> {
    /// Gives a session the person's title, which nothing overwrites, and returns it as it was stored. A title that is
    /// blank once cleaned takes the title away.
    pub fn rename_session(&self, session_id: &SessionId, title: &str) -> Result<Option<String>, StoreError> {
        let title = clean_title(title);
        if let Some(title) = &title
            && let Some(holder) = self.title_holder(title, session_id)?
        {
            return Err(StoreError::TitleTaken {
                title: title.clone(),
                holder,
            });
        }
        let rows = self.execute(
            "UPDATE sessions SET title = ?2, title_is_users = ?2 IS NOT NULL WHERE id = ?1",
            params![session_id.as_str(), title],
        )?;
        match rows {
            0 => Err(StoreError::NoSession {
                session_id: session_id.clone(),
            }),
            _ => Ok(title),
        }
    }

    /// Gives a session a title if it has none, numbered where another session has it. Returns the title in force.
    pub fn set_auto_title(&self, session_id: &SessionId, title: &str) -> Result<Option<String>, StoreError> {
        let Some(session) = self.session(session_id)? else {
            return Err(StoreError::NoSession {
                session_id: session_id.clone(),
            });
        };
        let Some(title) = clean_title(title).filter(|_| session.title.is_none()) else {
            return Ok(session.title);
        };
        let title = self.free_title(&title, session_id)?;
        self.execute(
            "UPDATE sessions SET title = ?2 WHERE id = ?1 AND title IS NULL",
            params![session_id.as_str(), title],
        )?;
        Ok(Some(title))
    }
}

/// Removes control, zero-width and direction characters, collapses blanks and cuts at 100 characters.
fn clean_title(title: &str) -> Option<String> {
    let mut clean = String::new();
    for word in title.split_whitespace() {
        let word: String = word.chars().filter(|c| !c.is_control() && !is_invisible(*c)).collect();
        if !word.is_empty() {
            if !clean.is_empty() {
                clean.push(' ');
            }
            clean.push_str(&word);
        }
    }
    if let Some((cut, _)) = clean.char_indices().nth(MAX_TITLE) {
        clean.truncate(cut);
        clean.truncate(clean.trim_end().len());
    }
    (!clean.is_empty()).then_some(clean)
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests;
