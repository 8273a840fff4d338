//! The sessions of a runtime: those that are loaded, and how others come.

use crate::core::Core;
use crate::failure::storage_error;
use crate::session::{self, Op, QueueChange, SessionHandle, SessionStart};
use crate::transcript;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use talaria_protocol::{
    AppError, ApprovalMode, CoreEvent, ModelRoute, PromptReply, QueueReply, RequestCancelReason, SessionHistoryReply,
    SessionId, SessionSnapshot, SessionState, SessionSummary, WhenBusy,
};
use tokio::sync::Mutex;

/// Sessions that stay loaded; the one unused for longest goes first.
const MAX_LOADED: usize = 16;

struct Loaded {
    handle: SessionHandle,
    used: Instant,
}

/// All sessions of a runtime.
pub struct Sessions {
    core: Arc<Core>,
    // An async lock: a session is loaded once, and whoever asks for it meanwhile waits for that one loading.
    loaded: Mutex<HashMap<SessionId, Loaded>>,
}

/// What a new session starts with.
pub struct NewSessionParts {
    /// Where it is started: `desktop`, `cli`.
    pub source: String,
    /// Absolute folder that it works in.
    pub project_dir: PathBuf,
    /// Model, if one is chosen.
    pub model: Option<ModelRoute>,
    /// Mode.
    pub approval_mode: ApprovalMode,
    /// Limit of model calls a turn.
    pub max_iterations: Option<u32>,
}

impl Sessions {
    /// No session is loaded yet.
    pub fn new(core: Arc<Core>) -> Self {
        Self {
            core,
            loaded: Mutex::default(),
        }
    }

    /// What all sessions share.
    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// A new session. Nothing is stored before its first message.
    pub async fn create(&self, parts: NewSessionParts) -> Result<SessionSnapshot, AppError> {
        let started_at = crate::clock::unix_now();
        let session_id = crate::ids::session_id();
        let summary = SessionSummary {
            session_id: session_id.clone(),
            title: String::new(),
            title_is_users: false,
            preview: String::new(),
            state: SessionState::Idle,
            started_at,
            last_active_at: started_at,
            git_branch: crate::git::branch(&parts.project_dir),
            project_dir: Some(parts.project_dir.display().to_string()),
            model: parts.model,
            approval_mode: parts.approval_mode,
            message_count: 0,
            usage: Default::default(),
            source: parts.source,
        };
        let handle = session::spawn(&self.core, SessionStart::new(summary, parts.max_iterations));
        self.keep(session_id, handle.clone()).await;
        handle.ask(|reply| Op::Snapshot { limit: 1, reply }).await
    }

    /// The owner of a session; loads it when it is not.
    pub async fn get(&self, session_id: &SessionId) -> Result<SessionHandle, AppError> {
        let mut loaded = self.loaded.lock().await;
        if let Some(entry) = loaded.get_mut(session_id)
            && entry.handle.is_open()
        {
            entry.used = Instant::now();
            return Ok(entry.handle.clone());
        }
        let start = crate::load::session(&self.core, session_id).await?;
        let handle = session::spawn(&self.core, start);
        loaded.insert(
            session_id.clone(),
            Loaded {
                handle: handle.clone(),
                used: Instant::now(),
            },
        );
        self.unload_idle(&mut loaded);
        Ok(handle)
    }

    async fn keep(&self, session_id: SessionId, handle: SessionHandle) {
        let mut loaded = self.loaded.lock().await;
        loaded.insert(
            session_id,
            Loaded {
                handle,
                used: Instant::now(),
            },
        );
        self.unload_idle(&mut loaded);
    }

    /// Lets go of the sessions unused for longest. Dropping the last handle ends an owner once its turn is done.
    fn unload_idle(&self, loaded: &mut HashMap<SessionId, Loaded>) {
        while loaded.len() > MAX_LOADED {
            let oldest = loaded
                .iter()
                .filter(|(_, entry)| entry.handle.can_go())
                .min_by_key(|(_, entry)| entry.used)
                .map(|(id, _)| id.clone());
            match oldest {
                Some(id) => loaded.remove(&id),
                None => return,
            };
        }
    }

    /// Snapshot of a session for a client.
    pub async fn snapshot(&self, session_id: &SessionId, limit: u32) -> Result<SessionSnapshot, AppError> {
        self.get(session_id)
            .await?
            .ask(|reply| Op::Snapshot { limit, reply })
            .await
    }

    /// Sends a message.
    pub async fn submit(
        &self,
        session_id: &SessionId,
        text: String,
        when_busy: WhenBusy,
        token: Option<String>,
    ) -> Result<PromptReply, AppError> {
        self.get(session_id)
            .await?
            .ask(|reply| Op::Submit {
                text,
                when_busy,
                token,
                reply,
            })
            .await
    }

    /// Stops the running turn.
    pub async fn interrupt(&self, session_id: &SessionId) -> Result<(), AppError> {
        self.get(session_id).await?.ask(|reply| Op::Interrupt { reply }).await
    }

    /// Changes the queue.
    pub async fn queue(&self, session_id: &SessionId, change: QueueChange) -> Result<QueueReply, AppError> {
        self.get(session_id)
            .await?
            .ask(|reply| Op::Queue { change, reply })
            .await
    }

    /// Keeps the unsent text.
    pub async fn draft(&self, session_id: &SessionId, text: String) -> Result<(), AppError> {
        self.get(session_id).await?.ask(|reply| Op::Draft { text, reply }).await
    }

    /// Chooses the model. Gives whether the provider's prompt cache is lost by it.
    pub async fn set_model(&self, session_id: &SessionId, route: ModelRoute) -> Result<bool, AppError> {
        self.get(session_id)
            .await?
            .ask(|reply| Op::SetModel { route, reply })
            .await
    }

    /// Sets the mode.
    pub async fn set_mode(&self, session_id: &SessionId, mode: ApprovalMode) -> Result<(), AppError> {
        self.get(session_id)
            .await?
            .ask(|reply| Op::SetMode { mode, reply })
            .await
    }

    /// Gives the person's title.
    pub async fn rename(&self, session_id: &SessionId, title: String) -> Result<SessionSummary, AppError> {
        let handle = self.get(session_id).await?;
        handle.ask(|reply| Op::Rename { title, reply }).await
    }

    /// Older rows of a transcript.
    pub async fn history(
        &self,
        session_id: &SessionId,
        cursor: &str,
        limit: u32,
    ) -> Result<SessionHistoryReply, AppError> {
        let before: i64 = cursor
            .parse()
            .map_err(|_| AppError::invalid("the cursor is not one of this session's"))?;
        let id = session_id.clone();
        let page = self
            .core
            .store
            .read(move |db| db.transcript(&id, Some(before), limit as usize))
            .await
            .map_err(|error| storage_error(&error))?;
        let older_cursor = page
            .messages
            .first()
            .filter(|_| page.older > 0)
            .map(|first| first.id.to_string());
        Ok(SessionHistoryReply {
            rows: transcript::rows(&self.core.registry, &page.messages),
            older_cursor,
            older_rows: page.older,
        })
    }

    /// Hides a session, or removes it for good. Gives until when (UNIX seconds) it can be restored.
    pub async fn delete(&self, session_id: &SessionId, for_good: bool) -> Result<Option<f64>, AppError> {
        self.close(session_id).await;
        let id = session_id.clone();
        let own = self.core.store.owner().clone();
        let deleted = self
            .core
            .store
            .write(move |tx| {
                let holder = tx
                    .lease_holder(&id)?
                    .filter(|holder| holder.is_alive() && holder.owner != own);
                if let Some(holder) = holder {
                    return Ok(Err(holder));
                }
                match for_good {
                    true => match tx.delete_session(&id)? {
                        true => Ok(Ok(None)),
                        false => Err(talaria_store::StoreError::NoSession { session_id: id.clone() }),
                    },
                    false => tx.mark_deleted(&id).map(|until| Ok(Some(until))),
                }
            })
            .await
            .map_err(|error| storage_error(&error))?;
        let until = deleted.map_err(|holder| crate::failure::held_by_another(&holder))?;
        self.core.hub.publish(
            None,
            CoreEvent::SessionsChanged {
                session: None,
                removed: Some(session_id.clone()),
            },
        );
        self.core.hub.forget(session_id);
        Ok(until)
    }

    /// Undoes a delete.
    pub async fn restore(&self, session_id: &SessionId) -> Result<SessionSummary, AppError> {
        let id = session_id.clone();
        self.core
            .store
            .write(move |tx| tx.restore_session(&id))
            .await
            .map_err(|error| storage_error(&error))?;
        let summary = self.snapshot(session_id, 1).await?.session;
        self.core.hub.publish(
            None,
            CoreEvent::SessionsChanged {
                session: Some(summary.clone()),
                removed: None,
            },
        );
        Ok(summary)
    }

    /// Stops what a session does and lets it go. Whoever asks for the session meanwhile waits, so that it never has two
    /// owners.
    async fn close(&self, session_id: &SessionId) {
        let mut loaded = self.loaded.lock().await;
        if let Some(entry) = loaded.remove(session_id) {
            // An owner that is gone has nothing left to stop.
            let _ = entry
                .handle
                .ask(|reply| Op::Close {
                    reason: RequestCancelReason::SessionClosed,
                    reply,
                })
                .await;
        }
    }

    /// States of the loaded sessions, for the list.
    pub async fn live(&self) -> HashMap<SessionId, SessionSummary> {
        let loaded = self.loaded.lock().await;
        loaded
            .iter()
            .filter_map(|(id, entry)| Some((id.clone(), entry.handle.live_summary()?)))
            .collect()
    }

    /// Stops all turns, records their ends and waits for every task.
    pub async fn shutdown(&self) {
        let entries: Vec<Loaded> = self.loaded.lock().await.drain().map(|(_, entry)| entry).collect();
        let closing = entries.iter().map(|entry| {
            entry.handle.ask(|reply| Op::Close {
                reason: RequestCancelReason::Shutdown,
                reply,
            })
        });
        futures::future::join_all(closing).await;
        drop(entries);
        self.core.tasks.close();
        self.core.tasks.wait().await;
    }
}
