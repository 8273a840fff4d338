//! `sessions`: one row per conversation, with the counters that the list shows.

use crate::error::StoreError;
use crate::schema::Migration;
use crate::table::session_model_usage::usage;
use crate::table::{from_json, to_json, unsigned};
use crate::tx::{Reader, Tx};
use rusqlite::{Row, params};
use serde::Serialize;
use talaria_protocol::{ApprovalMode, Message, ModelRoute, SessionId, SessionState, SessionSummary, Usage};

mod list;
mod titles;

pub use list::SessionPage;

pub(crate) const MIGRATIONS: &[Migration] = &[(
    1,
    "CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        source TEXT NOT NULL,
        title TEXT,
        title_is_users INTEGER NOT NULL DEFAULT 0,
        preview TEXT,
        last_line TEXT,
        model TEXT,
        model_config TEXT,
        approval_mode TEXT NOT NULL,
        max_iterations INTEGER,
        project_dir TEXT,
        git_branch TEXT,
        git_repo_root TEXT,
        parent_session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
        started_at REAL NOT NULL,
        last_active_at REAL NOT NULL,
        ended_at REAL,
        end_reason TEXT,
        message_count INTEGER NOT NULL DEFAULT 0,
        tool_call_count INTEGER NOT NULL DEFAULT 0,
        api_call_count INTEGER NOT NULL DEFAULT 0,
        input_tokens INTEGER NOT NULL DEFAULT 0,
        output_tokens INTEGER NOT NULL DEFAULT 0,
        cache_read_tokens INTEGER NOT NULL DEFAULT 0,
        cache_write_tokens INTEGER NOT NULL DEFAULT 0,
        reasoning_tokens INTEGER NOT NULL DEFAULT 0,
        last_prompt_tokens INTEGER NOT NULL DEFAULT 0,
        billing_provider TEXT,
        billing_base_url TEXT,
        archived INTEGER NOT NULL DEFAULT 0,
        deleted_at REAL
    );
    CREATE INDEX sessions_by_activity ON sessions (last_active_at DESC, id DESC);
    CREATE INDEX sessions_by_parent ON sessions (parent_session_id) WHERE parent_session_id IS NOT NULL;
    CREATE INDEX sessions_deleted ON sessions (deleted_at) WHERE deleted_at IS NOT NULL;
    CREATE UNIQUE INDEX sessions_by_title ON sessions (title) WHERE title IS NOT NULL AND deleted_at IS NULL;",
)];

/// A session that gets its first message.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// Durable id.
    pub session_id: SessionId,
    /// Where it was started: `desktop`, `cli`.
    pub source: String,
    /// Model in use.
    pub model: Option<ModelRoute>,
    /// Mode in force.
    pub approval_mode: ApprovalMode,
    /// Limit of model calls a turn, when the session has its own.
    pub max_iterations: Option<u32>,
    /// Folder it works in.
    pub project_dir: Option<String>,
    /// Branch of that folder.
    pub git_branch: Option<String>,
    /// Root of the repository around that folder.
    pub git_repo_root: Option<String>,
    /// UNIX seconds.
    pub started_at: f64,
}

/// A session as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredSession {
    /// Durable id.
    pub session_id: SessionId,
    /// Where it was started.
    pub source: String,
    /// Title, once there is one.
    pub title: Option<String>,
    /// Whether the person gave the title.
    pub title_is_users: bool,
    /// Beginning of the first message.
    pub preview: Option<String>,
    /// How the newest turn ended, one line.
    pub last_line: Option<String>,
    /// Model in use.
    pub model: Option<ModelRoute>,
    /// Mode in force.
    pub approval_mode: ApprovalMode,
    /// Limit of model calls a turn, when the session has its own.
    pub max_iterations: Option<u32>,
    /// Folder it works in.
    pub project_dir: Option<String>,
    /// Branch of that folder.
    pub git_branch: Option<String>,
    /// Root of the repository around that folder.
    pub git_repo_root: Option<String>,
    /// Session it comes from.
    pub parent_session_id: Option<SessionId>,
    /// UNIX seconds.
    pub started_at: f64,
    /// UNIX seconds of the newest message.
    pub last_active_at: f64,
    /// UNIX seconds of its end, if it ended.
    pub ended_at: Option<f64>,
    /// Why it ended.
    pub end_reason: Option<String>,
    /// Messages stored.
    pub message_count: u64,
    /// Tool calls among them.
    pub tool_call_count: u64,
    /// Tokens of its main loop.
    pub usage: Usage,
    /// UNIX seconds of its deletion; it can be restored for ten seconds.
    pub deleted_at: Option<f64>,
}

impl StoredSession {
    /// The row of the session list. A session without a title shows the beginning of its first message.
    pub fn summary(&self, state: SessionState) -> SessionSummary {
        let preview = self.preview.clone().unwrap_or_default();
        SessionSummary {
            session_id: self.session_id.clone(),
            title: self.title.clone().unwrap_or_else(|| preview.clone()),
            title_is_users: self.title_is_users,
            preview: self.last_line.clone().unwrap_or(preview),
            state,
            started_at: self.started_at,
            last_active_at: self.last_active_at,
            project_dir: self.project_dir.clone(),
            git_branch: self.git_branch.clone(),
            model: self.model.clone(),
            approval_mode: self.approval_mode,
            message_count: self.message_count,
            usage: self.usage,
            source: self.source.clone(),
        }
    }
}

/// A session with what the model would be sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionExport {
    /// The session.
    pub session: StoredSession,
    /// Its system prompt, once one was built.
    pub system_prompt: Option<String>,
    /// Active messages in order.
    pub messages: Vec<Message>,
}

pub(crate) const COLUMNS: &str = "id, source, title, title_is_users, preview, model, model_config, approval_mode, \
    max_iterations, project_dir, git_branch, git_repo_root, parent_session_id, started_at, last_active_at, ended_at, \
    end_reason, message_count, tool_call_count, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, \
    reasoning_tokens, api_call_count, last_prompt_tokens, deleted_at, last_line";

impl Reader<'_> {
    /// A session, deleted ones included while they can be restored.
    pub fn session(&self, session_id: &SessionId) -> Result<Option<StoredSession>, StoreError> {
        self.one(
            &format!("SELECT {COLUMNS} FROM sessions WHERE id = ?1"),
            [session_id.as_str()],
            session,
        )
    }

    /// The one session whose id begins so; `None` when there is none or more than one.
    pub fn session_by_prefix(&self, prefix: &str) -> Result<Option<SessionId>, StoreError> {
        let mut found = self.all(
            "SELECT id FROM sessions WHERE substr(id, 1, length(?1)) = ?1 AND deleted_at IS NULL
             ORDER BY id = ?1 DESC LIMIT 2",
            [prefix],
            |row| Ok(row.get::<_, String>(0)?),
        )?;
        match found.as_slice() {
            [only] => Ok(Some(SessionId::new(only.clone()))),
            [first, _] if first == prefix => Ok(Some(SessionId::new(found.swap_remove(0)))),
            _ => Ok(None),
        }
    }

    /// A session with its active messages, for `sessions export`.
    pub fn export_session(&self, session_id: &SessionId) -> Result<Option<SessionExport>, StoreError> {
        let Some(session) = self.session(session_id)? else {
            return Ok(None);
        };
        let messages = self
            .history(session_id)?
            .into_iter()
            .map(|(_, message)| message)
            .collect();
        Ok(Some(SessionExport {
            session,
            system_prompt: self.system_prompt(session_id)?,
            messages,
        }))
    }

    /// UNIX seconds at which the longest-deleted session was deleted.
    pub(crate) fn oldest_delete(&self) -> Result<Option<f64>, StoreError> {
        self.one(
            "SELECT deleted_at FROM sessions WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1",
            [],
            |row| Ok(row.get(0)?),
        )
    }
}

impl Tx<'_> {
    /// Stores a session with its first message. If it is stored already, only what is missing is filled in.
    pub fn create_session(&self, new: &NewSession) -> Result<(), StoreError> {
        let (model, config) = route_columns(new.model.as_ref())?;
        self.execute(
            "INSERT INTO sessions (id, source, model, model_config, approval_mode, max_iterations, project_dir,
                git_branch, git_repo_root, started_at, last_active_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)
             ON CONFLICT (id) DO UPDATE SET
                model_config = CASE WHEN model IS NULL THEN excluded.model_config ELSE model_config END,
                model = coalesce(model, excluded.model),
                max_iterations = coalesce(max_iterations, excluded.max_iterations),
                project_dir = coalesce(project_dir, excluded.project_dir),
                git_branch = coalesce(git_branch, excluded.git_branch),
                git_repo_root = coalesce(git_repo_root, excluded.git_repo_root)",
            params![
                new.session_id.as_str(),
                new.source,
                model,
                config,
                mode_name(new.approval_mode)?,
                new.max_iterations,
                new.project_dir,
                new.git_branch,
                new.git_repo_root,
                new.started_at
            ],
        )?;
        Ok(())
    }

    /// Chooses the model of a session.
    pub fn set_model(&self, session_id: &SessionId, route: &ModelRoute) -> Result<(), StoreError> {
        let (model, config) = route_columns(Some(route))?;
        self.update(
            session_id,
            "UPDATE sessions SET model = ?2, model_config = ?3 WHERE id = ?1",
            params![session_id.as_str(), model, config],
        )
    }

    /// Sets the mode of a session.
    pub fn set_approval_mode(&self, session_id: &SessionId, mode: ApprovalMode) -> Result<(), StoreError> {
        self.update(
            session_id,
            "UPDATE sessions SET approval_mode = ?2 WHERE id = ?1",
            params![session_id.as_str(), mode_name(mode)?],
        )
    }

    /// Keeps the line that the list shows below the title.
    pub fn set_last_line(&self, session_id: &SessionId, line: Option<&str>) -> Result<(), StoreError> {
        self.update(
            session_id,
            "UPDATE sessions SET last_line = ?2 WHERE id = ?1",
            params![session_id.as_str(), line],
        )
    }

    /// Sets the limit of model calls a turn; `None` follows the settings.
    pub fn set_max_iterations(&self, session_id: &SessionId, limit: Option<u32>) -> Result<(), StoreError> {
        self.update(
            session_id,
            "UPDATE sessions SET max_iterations = ?2 WHERE id = ?1",
            params![session_id.as_str(), limit],
        )
    }

    /// Sets the folder; branch and repository only when known.
    pub fn set_project_dir(
        &self,
        session_id: &SessionId,
        project_dir: &str,
        git_branch: Option<&str>,
        git_repo_root: Option<&str>,
    ) -> Result<(), StoreError> {
        self.update(
            session_id,
            "UPDATE sessions SET project_dir = ?2, git_branch = coalesce(?3, git_branch),
                git_repo_root = coalesce(?4, git_repo_root) WHERE id = ?1",
            params![session_id.as_str(), project_dir, git_branch, git_repo_root],
        )
    }

    /// Hides a session and gives the UNIX seconds until which it can be restored. The store removes it afterwards.
    pub fn mark_deleted(&self, session_id: &SessionId) -> Result<f64, StoreError> {
        let now = self.now();
        self.update(
            session_id,
            "UPDATE sessions SET deleted_at = ?2 WHERE id = ?1",
            params![session_id.as_str(), now],
        )?;
        self.state.deleted.set(true);
        Ok(now + self.state.undo_delete.as_secs_f64())
    }

    /// Undoes a delete. A title that another session took meanwhile gets a number.
    pub fn restore_session(&self, session_id: &SessionId) -> Result<(), StoreError> {
        let Some(session) = self.session(session_id)? else {
            return Err(StoreError::NoSession {
                session_id: session_id.clone(),
            });
        };
        let title = match &session.title {
            Some(title) => Some(self.free_title(title, session_id)?),
            None => None,
        };
        self.update(
            session_id,
            "UPDATE sessions SET deleted_at = NULL, title = ?2 WHERE id = ?1",
            params![session_id.as_str(), title],
        )
    }

    /// Removes a session for good, its messages included. Gives whether there was one.
    pub fn delete_session(&self, session_id: &SessionId) -> Result<bool, StoreError> {
        Ok(self.execute("DELETE FROM sessions WHERE id = ?1", [session_id.as_str()])? > 0)
    }

    /// Removes for good what was deleted at `until` (UNIX seconds) or before, and gives how many.
    pub fn sweep_deleted(&self, until: f64) -> Result<usize, StoreError> {
        self.execute(
            "DELETE FROM sessions WHERE deleted_at IS NOT NULL AND deleted_at <= ?1",
            [until],
        )
    }

    fn update(&self, session_id: &SessionId, sql: &str, params: impl rusqlite::Params) -> Result<(), StoreError> {
        match self.execute(sql, params)? {
            0 => Err(StoreError::NoSession {
                session_id: session_id.clone(),
            }),
            _ => Ok(()),
        }
    }
}

/// What of a route is not the model's name.
#[derive(serde::Serialize, serde::Deserialize)]
struct ModelConfig {
    provider: String,
    #[serde(default)]
    base_url: Option<String>,
    #[serde(default)]
    api_key_env: Option<String>,
}

fn route_columns(route: Option<&ModelRoute>) -> Result<(Option<String>, Option<String>), StoreError> {
    let Some(route) = route else { return Ok((None, None)) };
    let config = ModelConfig {
        provider: route.provider.clone(),
        base_url: route.base_url.clone(),
        api_key_env: route.api_key_env.clone(),
    };
    Ok((
        Some(route.model.clone()),
        Some(to_json("sessions.model_config", &config)?),
    ))
}

fn mode_name(mode: ApprovalMode) -> Result<String, StoreError> {
    let quoted = to_json("sessions.approval_mode", &mode)?;
    Ok(quoted.trim_matches('"').to_owned())
}

pub(crate) fn session(row: &Row<'_>) -> Result<StoredSession, StoreError> {
    let session_id: String = row.get(0)?;
    let model: Option<String> = row.get(5)?;
    let config: Option<String> = row.get(6)?;
    let model = match (model, config) {
        (Some(model), Some(config)) => {
            let config: ModelConfig = from_json(&format!("sessions.model_config of {session_id}"), &config)?;
            Some(ModelRoute {
                provider: config.provider,
                model,
                base_url: config.base_url,
                api_key_env: config.api_key_env,
            })
        }
        _ => None,
    };
    // A mode of a newer program reads as the careful one.
    let mode: String = row.get(7)?;
    let approval_mode = from_json("mode", &format!("\"{mode}\"")).unwrap_or_default();
    Ok(StoredSession {
        session_id: SessionId::new(session_id),
        source: row.get(1)?,
        title: row.get(2)?,
        title_is_users: row.get(3)?,
        preview: row.get(4)?,
        model,
        approval_mode,
        max_iterations: row.get(8)?,
        project_dir: row.get(9)?,
        git_branch: row.get(10)?,
        git_repo_root: row.get(11)?,
        parent_session_id: row.get::<_, Option<String>>(12)?.map(SessionId::new),
        started_at: row.get(13)?,
        last_active_at: row.get(14)?,
        ended_at: row.get(15)?,
        end_reason: row.get(16)?,
        message_count: unsigned(row.get(17)?),
        tool_call_count: unsigned(row.get(18)?),
        usage: usage(row, 19)?,
        deleted_at: row.get(26)?,
        last_line: row.get(27)?,
    })
}
