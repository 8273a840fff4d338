//! `messages`: what was said and done, in the order of its row ids.

use crate::error::StoreError;
use crate::schema::Migration;
use crate::table::{from_json, to_json, unsigned};
use crate::tx::{Reader, Tx};
use rusqlite::{Row as SqlRow, params};
use serde::{Deserialize, Serialize};
use talaria_protocol::{
    CallId, Content, Delivery, EffectDisposition, Message, Role, Row, SessionId, ToolCall, ToolView, TurnId,
};

pub(crate) const MIGRATIONS: &[Migration] = &[(
    1,
    "CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        turn INTEGER,
        role TEXT NOT NULL,
        content TEXT,
        tool_call_id TEXT,
        tool_name TEXT,
        tool_calls TEXT,
        effect_disposition TEXT,
        timestamp REAL NOT NULL,
        token_count INTEGER,
        finish_reason TEXT,
        reasoning TEXT,
        reasoning_content TEXT,
        reasoning_details TEXT,
        api_content TEXT,
        client_token TEXT,
        display TEXT,
        active INTEGER NOT NULL DEFAULT 1,
        compacted INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX messages_by_session ON messages (session_id);
    CREATE UNIQUE INDEX messages_by_client_token ON messages (session_id, client_token) WHERE client_token IS NOT NULL;",
)];

/// Role of rows that only the person sees.
const NOTICE: &str = "notice";
/// Marks content that is JSON. Plain text that begins so is stored as a JSON string.
const JSON_CONTENT: &str = "\0json:";
/// Longest preview in characters.
const PREVIEW: usize = 60;

/// What the transcript shows of a message beyond its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Display {
    /// Of a person's message: how it reached the model.
    User {
        /// How it was delivered.
        delivery: Delivery,
    },
    /// Of an answer: how long the model reasoned before it.
    Assistant {
        /// UNIX seconds of its beginning.
        at: f64,
        /// How long the reasoning took, if there was any.
        reasoning_ms: Option<u64>,
    },
    /// Of a tool's result: the card, its approval included.
    Tool {
        /// The card.
        tool: Box<ToolView>,
    },
    /// A row that no message stands behind: a notice, an error. The model never sees it.
    Row {
        /// The row.
        row: Box<Row>,
    },
}

/// A message to store.
#[derive(Clone, Debug)]
pub struct NewMessage {
    /// The message. A timestamp of 0 becomes the time of writing.
    pub message: Message,
    /// Row id of the person's message that began the turn; `None` when this is that message.
    pub turn: Option<i64>,
    /// What the transcript shows of it.
    pub display: Option<Display>,
    /// Token of the client that sent it; a session takes each token once.
    pub client_token: Option<String>,
}

impl From<Message> for NewMessage {
    fn from(message: Message) -> Self {
        Self {
            message,
            turn: None,
            display: None,
            client_token: None,
        }
    }
}

/// A message of a transcript.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredMessage {
    /// Id of the row: grows within the database.
    pub id: i64,
    /// Row id of the message that began its turn.
    pub turn: i64,
    /// The message; for a [`Display::Row`] an empty one of the system.
    pub message: Message,
    /// What the transcript shows of it.
    pub display: Option<Display>,
    /// Whether the model is sent it.
    pub active: bool,
}

impl StoredMessage {
    /// The turn's id on the wire.
    pub fn turn_id(&self) -> TurnId {
        TurnId::new(format!("t{}", self.turn))
    }
}

/// A part of a transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessagePage {
    /// Oldest first.
    pub messages: Vec<StoredMessage>,
    /// Rows of the transcript before these.
    pub older: u64,
}

const COLUMNS: &str = "id, turn, role, content, tool_call_id, tool_name, tool_calls, effect_disposition, timestamp, \
    finish_reason, reasoning, reasoning_content, reasoning_details, api_content, display, active";
const IN_TRANSCRIPT: &str = "(active = 1 OR compacted = 1 OR role = 'notice')";

impl Reader<'_> {
    /// What the model is sent, with row ids, in order.
    pub fn history(&self, session_id: &SessionId) -> Result<Vec<(i64, Message)>, StoreError> {
        self.all(
            &format!("SELECT {COLUMNS} FROM messages WHERE session_id = ?1 AND active = 1 ORDER BY id"),
            [session_id.as_str()],
            |row| Ok((row.get(0)?, message(row)?)),
        )
    }

    /// The newest `limit` rows of a transcript before row id `before`, or the newest of all.
    pub fn transcript(
        &self,
        session_id: &SessionId,
        before: Option<i64>,
        limit: usize,
    ) -> Result<MessagePage, StoreError> {
        let before = before.unwrap_or(i64::MAX);
        let mut messages = self.all(
            &format!(
                "SELECT {COLUMNS} FROM messages WHERE session_id = ?1 AND id < ?2 AND {IN_TRANSCRIPT}
                 ORDER BY id DESC LIMIT ?3"
            ),
            params![session_id.as_str(), before, i64::try_from(limit).unwrap_or(i64::MAX)],
            stored,
        )?;
        messages.reverse();
        let older = match messages.first() {
            Some(first) => self.one(
                &format!("SELECT count(*) FROM messages WHERE session_id = ?1 AND id < ?2 AND {IN_TRANSCRIPT}"),
                params![session_id.as_str(), first.id],
                |row| Ok(unsigned(row.get(0)?)),
            )?,
            None => None,
        };
        Ok(MessagePage {
            messages,
            older: older.unwrap_or(0),
        })
    }

    /// The result of a call: call ids may come again in later turns, so the turn's row id is needed too.
    pub fn tool_message(
        &self,
        session_id: &SessionId,
        turn: i64,
        call_id: &CallId,
    ) -> Result<Option<StoredMessage>, StoreError> {
        self.one(
            &format!(
                "SELECT {COLUMNS} FROM messages WHERE session_id = ?1 AND id >= ?2 AND turn = ?2 AND tool_call_id = ?3
                 ORDER BY id DESC LIMIT 1"
            ),
            params![session_id.as_str(), turn, call_id.as_str()],
            stored,
        )
    }

    /// Row id of the newest result that the model is sent.
    pub fn newest_tool_message(&self, session_id: &SessionId) -> Result<Option<i64>, StoreError> {
        self.one(
            "SELECT id FROM messages WHERE session_id = ?1 AND active = 1 AND role = 'tool' ORDER BY id DESC LIMIT 1",
            [session_id.as_str()],
            |row| Ok(row.get(0)?),
        )
    }

    /// Newest row id of a session, rows that only the person sees included; 0 when there is none.
    pub fn newest_row(&self, session_id: &SessionId) -> Result<i64, StoreError> {
        let newest = self.one(
            "SELECT id FROM messages WHERE session_id = ?1 ORDER BY id DESC LIMIT 1",
            [session_id.as_str()],
            |row| Ok(row.get(0)?),
        )?;
        Ok(newest.unwrap_or(0))
    }

    /// Row id of the message that began the newest turn.
    pub fn newest_turn(&self, session_id: &SessionId) -> Result<Option<i64>, StoreError> {
        self.one(
            "SELECT turn FROM messages WHERE session_id = ?1 AND turn IS NOT NULL ORDER BY id DESC LIMIT 1",
            [session_id.as_str()],
            |row| Ok(row.get(0)?),
        )
    }

    /// Row id of the message that brought a client's token, if the session has one.
    pub fn message_by_client_token(&self, session_id: &SessionId, token: &str) -> Result<Option<i64>, StoreError> {
        self.one(
            "SELECT id FROM messages WHERE session_id = ?1 AND client_token = ?2",
            [session_id.as_str(), token],
            |row| Ok(row.get(0)?),
        )
    }
}

impl Tx<'_> {
    /// Stores a message and moves the session's counters; gives the row id.
    pub fn append_message(&self, session_id: &SessionId, new: &NewMessage) -> Result<i64, StoreError> {
        let message = &new.message;
        let at = if message.timestamp > 0.0 {
            message.timestamp
        } else {
            self.now()
        };
        self.insert(session_id, new, at)
    }

    /// Stores messages in order, each at least a microsecond later than the one before; gives the row ids.
    pub fn append_messages(&self, session_id: &SessionId, new: &[NewMessage]) -> Result<Vec<i64>, StoreError> {
        let mut last = 0.0_f64;
        new.iter()
            .map(|new| {
                let at = if new.message.timestamp > 0.0 {
                    new.message.timestamp
                } else {
                    self.now()
                };
                last = at.max(last + 1e-6);
                self.insert(session_id, new, last)
            })
            .collect()
    }

    /// Stores a row that only the person sees; gives the row id.
    pub fn append_row(&self, session_id: &SessionId, turn: Option<i64>, row: &Row) -> Result<i64, StoreError> {
        let display = to_json(
            "messages.display",
            &Display::Row {
                row: Box::new(row.clone()),
            },
        )?;
        self.execute(
            "INSERT INTO messages (session_id, turn, role, timestamp, display, active) VALUES (?1, ?2, ?3, ?4, ?5, 0)",
            params![session_id.as_str(), turn, NOTICE, self.now(), display],
        )?;
        Ok(self.last_insert_rowid())
    }

    /// Changes what the transcript shows of a message. Gives whether there is such a row.
    pub fn set_display(&self, id: i64, display: &Display) -> Result<bool, StoreError> {
        let display = to_json("messages.display", display)?;
        Ok(self.execute("UPDATE messages SET display = ?2 WHERE id = ?1", params![id, display])? > 0)
    }

    /// Keeps the exact text that was sent instead of a message's content, so that the provider's prefix stays the same.
    pub fn set_api_content(&self, id: i64, api_content: &str) -> Result<bool, StoreError> {
        Ok(self.execute(
            "UPDATE messages SET api_content = ?2 WHERE id = ?1",
            params![id, api_content],
        )? > 0)
    }

    fn insert(&self, session_id: &SessionId, new: &NewMessage, at: f64) -> Result<i64, StoreError> {
        let message = &new.message;
        let calls = i64::try_from(message.tool_calls.len()).unwrap_or(i64::MAX);
        let preview = match message.role {
            Role::User => Some(preview(&message.content_text())).filter(|text| !text.is_empty()),
            _ => None,
        };
        let rows = self.execute(
            "UPDATE sessions SET message_count = message_count + 1, tool_call_count = tool_call_count + ?2,
                last_active_at = max(last_active_at, ?3), preview = coalesce(preview, ?4) WHERE id = ?1",
            params![session_id.as_str(), calls, at, preview],
        )?;
        if rows == 0 {
            return Err(StoreError::NoSession {
                session_id: session_id.clone(),
            });
        }
        let json_content;
        let content = match &message.content {
            None => None,
            Some(Content::Text(text)) if !text.starts_with(JSON_CONTENT) => Some(text.as_str()),
            Some(other) => {
                json_content = format!("{JSON_CONTENT}{}", to_json("messages.content", other)?);
                Some(json_content.as_str())
            }
        };
        let tool_calls = match message.tool_calls.as_slice() {
            [] => None,
            calls => Some(to_json("messages.tool_calls", calls)?),
        };
        let details = message
            .reasoning_details
            .as_ref()
            .map(|value| to_json("messages.reasoning_details", value));
        let display = new.display.as_ref().map(|display| to_json("messages.display", display));
        self.execute(
            "INSERT INTO messages (session_id, turn, role, content, tool_call_id, tool_name, tool_calls,
                effect_disposition, timestamp, finish_reason, reasoning, reasoning_content, reasoning_details,
                api_content, client_token, display)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            params![
                session_id.as_str(),
                new.turn,
                message.role.as_str(),
                content,
                message.tool_call_id.as_ref().map(CallId::as_str),
                message.tool_name,
                tool_calls,
                message.effect_disposition.map(|effect| match effect {
                    EffectDisposition::None => "none",
                    EffectDisposition::Unknown => "unknown",
                }),
                at,
                message.finish_reason,
                message.reasoning,
                message.reasoning_content,
                details.transpose()?,
                message.api_content,
                new.client_token,
                display.transpose()?
            ],
        )?;
        Ok(self.last_insert_rowid())
    }
}

/// The beginning of a text in one line.
fn preview(text: &str) -> String {
    let mut line = String::new();
    let mut left = PREVIEW;
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            left = left.saturating_sub(1);
        }
        for c in word.chars() {
            if left == 0 {
                line.truncate(line.trim_end().len());
                line.push('…');
                return line;
            }
            line.push(c);
            left -= 1;
        }
    }
    line
}

fn message(row: &SqlRow<'_>) -> Result<Message, StoreError> {
    let id: i64 = row.get(0)?;
    let what = |column: &str| format!("messages.{column} of row {id}");
    let role: String = row.get(2)?;
    let role = match role.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        "system" | NOTICE => Role::System,
        other => return Err(StoreError::value(what("role"), format!("unknown role {other}"))),
    };
    let content: Option<String> = row.get(3)?;
    let content = match content {
        None => None,
        Some(text) => Some(match text.strip_prefix(JSON_CONTENT) {
            Some(json) => from_json(&what("content"), json)?,
            None => Content::Text(text),
        }),
    };
    let tool_calls: Option<String> = row.get(6)?;
    let tool_calls: Option<Vec<ToolCall>> = tool_calls
        .map(|json| from_json(&what("tool_calls"), &json))
        .transpose()?;
    let effect: Option<String> = row.get(7)?;
    let details: Option<String> = row.get(12)?;
    Ok(Message {
        role,
        content,
        tool_calls: tool_calls.unwrap_or_default(),
        tool_call_id: row.get::<_, Option<String>>(4)?.map(CallId::new),
        tool_name: row.get(5)?,
        reasoning: row.get(10)?,
        reasoning_content: row.get(11)?,
        reasoning_details: details
            .map(|json| from_json(&what("reasoning_details"), &json))
            .transpose()?,
        finish_reason: row.get(9)?,
        effect_disposition: effect.map(|effect| match effect.as_str() {
            "none" => EffectDisposition::None,
            _ => EffectDisposition::Unknown,
        }),
        timestamp: row.get(8)?,
        api_content: row.get(13)?,
    })
}

fn stored(row: &SqlRow<'_>) -> Result<StoredMessage, StoreError> {
    let id: i64 = row.get(0)?;
    let display: Option<String> = row.get(14)?;
    // A card that a newer program wrote is left out rather than making the transcript unreadable.
    let display = display.and_then(|json| match serde_json::from_str(&json) {
        Ok(display) => Some(display),
        Err(error) => {
            tracing::debug!(row = id, %error, "display of a message is not understood");
            None
        }
    });
    Ok(StoredMessage {
        id,
        turn: row.get::<_, Option<i64>>(1)?.unwrap_or(id),
        message: message(row)?,
        display,
        active: row.get(15)?,
    })
}

#[cfg(test)]
mod tests;
