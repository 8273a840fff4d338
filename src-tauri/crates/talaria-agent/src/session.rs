//! A session: one owner task holds its state; others send it operations and read events.

mod choices;
mod queue;
mod submit;

use crate::batch::Batch;
use crate::core::Core;
use crate::failure::storage_error;
use crate::feed::{Ended, Feed, LiveRows};
use crate::gate::SessionGate;
use crate::shared::{Choice, SessionShared, Steer};
use crate::transcript;
use crate::turn::TurnEnd;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use talaria_model::WireMessage;
use talaria_protocol::{
    AppError, ApprovalMode, ErrorKind, Layer, ModelRoute, PromptReply, QueueEntry, QueueReply, RequestCancelReason,
    SessionSnapshot, SessionState, SessionSummary, TurnId, TurnStatus, WhenBusy,
};
use talaria_store::{NewSession, StoredSession};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Operations that wait for an owner; callers wait when there are more.
const INBOX: usize = 64;
/// Tokens of clients that are remembered, so that a resend is not a second message.
const TOKENS: usize = 256;

type Reply<T> = oneshot::Sender<Result<T, AppError>>;

/// What a session can be asked to do.
pub(crate) enum Op {
    Submit {
        text: String,
        when_busy: WhenBusy,
        token: Option<String>,
        reply: Reply<PromptReply>,
    },
    Interrupt {
        reply: Reply<()>,
    },
    Queue {
        change: QueueChange,
        reply: Reply<QueueReply>,
    },
    Snapshot {
        limit: u32,
        reply: Reply<SessionSnapshot>,
    },
    SetModel {
        route: ModelRoute,
        reply: Reply<bool>,
    },
    SetMode {
        mode: ApprovalMode,
        reply: Reply<()>,
    },
    Rename {
        title: String,
        reply: Reply<SessionSummary>,
    },
    Draft {
        text: String,
        reply: Reply<()>,
    },
    Close {
        reason: RequestCancelReason,
        reply: Reply<()>,
    },
}

/// A change of the queue.
pub enum QueueChange {
    /// Puts a message at the end.
    Add {
        /// The message, not blank.
        text: String,
    },
    /// Changes a message.
    Edit {
        /// Which.
        entry_id: String,
        /// The message, not blank.
        text: String,
    },
    /// Moves a message.
    Move {
        /// Which.
        entry_id: String,
        /// New place, from 0; beyond the end means the end.
        index: usize,
    },
    /// Takes a message out.
    Remove {
        /// Which.
        entry_id: String,
    },
    /// Sends what waits.
    Resume,
}

/// Sends operations to a session's owner. Clones address the same session.
#[derive(Clone)]
pub struct SessionHandle {
    ops: mpsc::Sender<Op>,
    feed: Arc<Feed>,
}

impl SessionHandle {
    pub(crate) async fn ask<T>(&self, make: impl FnOnce(Reply<T>) -> Op) -> Result<T, AppError> {
        let (reply, answer) = oneshot::channel();
        let closed = || {
            AppError::new(
                ErrorKind::NotFound,
                Layer::Runtime,
                "error.session.closed",
                "the session was closed",
            )
            .with_hint("Open it again.")
            .retryable()
        };
        self.ops.send(make(reply)).await.map_err(|_| closed())?;
        answer.await.unwrap_or_else(|_| Err(closed()))
    }

    /// The session as its clients know it.
    pub(crate) fn live_summary(&self) -> Option<SessionSummary> {
        self.feed.told_summary()
    }

    /// Whether nothing is lost when the owner goes: nothing runs, and the session has a row to come back from.
    pub(crate) fn can_go(&self) -> bool {
        !self.is_busy() && self.live_summary().is_some_and(|summary| !summary.title.is_empty())
    }

    /// Whether a turn runs or waits.
    fn is_busy(&self) -> bool {
        self.live_summary()
            .is_some_and(|summary| matches!(summary.state, SessionState::Running | SessionState::NeedsYou))
    }

    /// Whether the owner still takes operations.
    pub(crate) fn is_open(&self) -> bool {
        !self.ops.is_closed()
    }
}

/// What a session starts with: a new one, or one from the store.
pub(crate) struct SessionStart {
    pub summary: SessionSummary,
    /// Whether it has a row in the store.
    pub stored: bool,
    pub max_iterations: Option<u32>,
    pub history: Vec<Arc<WireMessage>>,
    pub queue: Vec<QueueEntry>,
    pub todos: Vec<talaria_protocol::Todo>,
    pub system_prompt: Option<String>,
    pub newest_row: i64,
}

impl SessionStart {
    /// A session that has no message yet.
    pub(crate) fn new(summary: SessionSummary, max_iterations: Option<u32>) -> Self {
        Self {
            summary,
            stored: false,
            max_iterations,
            history: Vec::new(),
            queue: Vec::new(),
            todos: Vec::new(),
            system_prompt: None,
            newest_row: 0,
        }
    }

    pub(crate) fn from_store(stored: &StoredSession) -> Self {
        Self {
            stored: true,
            ..Self::new(stored.summary(SessionState::Idle), stored.max_iterations)
        }
    }
}

pub(crate) struct Running {
    pub turn_id: TurnId,
    pub cancel: CancellationToken,
}

/// The owner's state.
pub(crate) struct Session {
    core: Arc<Core>,
    shared: Arc<SessionShared>,
    batch: Arc<Batch>,
    summary: SessionSummary,
    stored: bool,
    max_iterations: Option<u32>,
    /// Empty while a turn runs: the turn has it.
    history: Vec<Arc<WireMessage>>,
    system: Option<Arc<WireMessage>>,
    queue: VecDeque<QueueEntry>,
    queue_paused: bool,
    tokens: VecDeque<String>,
    running: Option<Running>,
    turns: JoinSet<TurnEnd>,
    draft: Option<String>,
    queue_is_stored: bool,
    send_after_interrupt: bool,
    /// Newest row in the store that the history includes; `None` when the end of a turn could not be stored.
    newest_row: Option<i64>,
    /// The model was changed while a turn had the history.
    route_changed: bool,
}

/// Starts a session's owner on `core`'s tasks.
pub(crate) fn spawn(core: &Arc<Core>, start: SessionStart) -> SessionHandle {
    let (ops, inbox) = mpsc::channel(INBOX);
    let project_dir = PathBuf::from(start.summary.project_dir.clone().unwrap_or_else(|| "/".to_owned()));
    let feed = Feed::new(Arc::clone(&core.hub), start.summary.session_id.clone());
    let shared = SessionShared::new(
        start.summary.session_id.clone(),
        feed,
        core.environments.open(&project_dir),
        &project_dir,
        Choice {
            mode: start.summary.approval_mode,
            route: start.summary.model.clone(),
        },
        start.todos,
    );
    let batch = Arc::new(Batch {
        session: Arc::clone(&shared),
        registry: Arc::clone(&core.registry),
        gate: Arc::new(SessionGate::new(Arc::clone(core), Arc::clone(&shared))),
        talaria_home: core.talaria_home.clone(),
        user_home: core.user_home.clone(),
        limits: core.settings(|settings| settings.limits.clone()),
    });
    let system = start
        .system_prompt
        .map(|text| WireMessage::new(talaria_protocol::Message::text(talaria_protocol::Role::System, text)));
    let queue_paused = !start.queue.is_empty();
    let session = Session {
        core: Arc::clone(core),
        shared,
        batch,
        summary: start.summary,
        stored: start.stored,
        max_iterations: start.max_iterations,
        history: start.history,
        system,
        queue: start.queue.into(),
        queue_paused,
        tokens: VecDeque::new(),
        running: None,
        turns: JoinSet::new(),
        draft: None,
        queue_is_stored: queue_paused,
        send_after_interrupt: false,
        newest_row: Some(start.newest_row),
        route_changed: false,
    };
    let handle = SessionHandle {
        ops,
        feed: Arc::clone(&session.shared.feed),
    };
    session.shared.feed.remember_summary(&session.summary);
    core.tasks.spawn(session.own(inbox));
    handle
}

impl Session {
    async fn own(mut self, mut inbox: mpsc::Receiver<Op>) {
        loop {
            tokio::select! {
                biased;
                Some(ended) = self.turns.join_next() => {
                    match ended {
                        Ok(end) => self.turn_ended(end).await,
                        Err(panic) => self.turn_crashed(&panic.to_string()).await,
                    }
                }
                op = inbox.recv() => match op {
                    Some(Op::Close { reason, reply }) => {
                        inbox.close();
                        self.close(reason).await;
                        // The caller may have gone.
                        let _ = reply.send(Ok(()));
                        return;
                    }
                    Some(op) => self.handle(op).await,
                    // Nobody has a handle any more. What runs goes on to its end.
                    None if self.running.is_some() => {
                        if let Some(Ok(end)) = self.turns.join_next().await {
                            self.turn_ended(end).await;
                        } else {
                            self.running = None;
                        }
                    }
                    None => {
                        self.close(RequestCancelReason::Shutdown).await;
                        return;
                    }
                },
            }
        }
    }

    /// Does one operation. A caller that has gone needs no answer.
    async fn handle(&mut self, op: Op) {
        match op {
            Op::Submit {
                text,
                when_busy,
                token,
                reply,
            } => {
                let result = self.submit(text, when_busy, token).await;
                let _ = reply.send(result);
            }
            Op::Interrupt { reply } => {
                self.interrupt();
                let _ = reply.send(Ok(()));
            }
            Op::Queue { change, reply } => {
                let result = self.change_queue(change).await;
                let _ = reply.send(result);
            }
            Op::Snapshot { limit, reply } => {
                let result = self.snapshot(limit).await;
                let _ = reply.send(result);
            }
            Op::SetModel { route, reply } => {
                let result = self.set_model(route).await;
                let _ = reply.send(result);
            }
            Op::SetMode { mode, reply } => {
                let result = self.set_mode(mode).await;
                let _ = reply.send(result);
            }
            Op::Rename { title, reply } => {
                let result = self.rename(title).await;
                let _ = reply.send(result);
            }
            Op::Draft { text, reply } => {
                let result = self.keep_draft(text).await;
                let _ = reply.send(result);
            }
            // Taken by the loop.
            Op::Close { reply, .. } => drop(reply),
        }
    }

    fn interrupt(&mut self) {
        if let Some(running) = &self.running {
            running.cancel.cancel();
            self.core
                .hub
                .withdraw(&self.shared.id, RequestCancelReason::Interrupted);
            self.queue_paused = !self.queue.is_empty();
            self.tell_queue();
        }
    }

    async fn turn_ended(&mut self, end: TurnEnd) {
        self.running = None;
        self.history = end.history;
        self.newest_row = end.newest_row;
        if std::mem::take(&mut self.route_changed) {
            self.wrap_anew();
        }
        self.summary.usage.add(&end.usage);
        self.summary.message_count = self.history.len() as u64;
        self.summary.last_active_at = crate::clock::unix_now();
        self.summary.state = match end.error {
            Some(_) => SessionState::Failed,
            None => SessionState::Idle,
        };
        self.summary.preview = end.preview;
        self.shared.feed.usage(self.summary.usage);
        let went_well = end.status == TurnStatus::Complete;
        // What no tool result could carry becomes the next message.
        // One may also have come after the turn looked for the last time.
        let undelivered: Vec<Steer> = end.undelivered.into_iter().chain(self.shared.take_steer()).collect();
        for steer in undelivered.into_iter().rev() {
            self.queue.push_front(QueueEntry {
                entry_id: steer.entry_id,
                text: steer.text,
            });
        }
        if !went_well {
            self.queue_paused = !self.queue.is_empty() && !self.send_after_interrupt;
        }
        self.send_after_interrupt = false;
        self.tell_summary();
        self.tell_queue();
        self.send_next().await;
    }

    /// A fault of ours ended the turn's task: the history is what the store has.
    async fn turn_crashed(&mut self, what: &str) {
        tracing::error!(session = %self.shared.id, what, "a turn ended with a panic");
        let turn_id = self.running.take().map(|running| running.turn_id);
        let error = AppError::internal("the turn was stopped by a fault of Talaria")
            .with_hint("Everything up to the last step is kept. Send the message again; a crash file may be in the log folder.")
            .retryable();
        let at = crate::clock::unix_now();
        self.shared.feed.error(&error, at);
        let id = self.shared.id.clone();
        // A failed release is mended by the next start, which sees that this process is gone.
        let _ = self.core.store.write(move |tx| tx.release_lease(&id)).await;
        for steer in self.shared.take_steer().into_iter().rev() {
            self.queue.push_front(QueueEntry {
                entry_id: steer.entry_id,
                text: steer.text,
            });
        }
        match crate::load::history(&self.core, &self.shared.id).await {
            Ok(loaded) => {
                self.history = loaded.history;
                self.newest_row = Some(loaded.newest_row);
            }
            Err(failure) => tracing::error!(%failure, "the history could not be loaded again"),
        }
        self.summary.state = SessionState::Failed;
        self.summary.preview.clone_from(&error.message);
        if let Some(turn_id) = turn_id {
            let ended = Ended {
                status: TurnStatus::Error,
                text: String::new(),
                row_id: None,
                usage: Default::default(),
                error: Some(error),
                exit_reason: "internal_error".to_owned(),
            };
            self.shared.feed.complete(&turn_id, ended);
        }
        self.queue_paused = !self.queue.is_empty();
        self.tell_summary();
        self.tell_queue();
    }

    async fn snapshot(&mut self, limit: u32) -> Result<SessionSnapshot, AppError> {
        // The live rows first: what is stored later than them can only be part of them.
        let LiveRows { turn, rows: live, seq } = self.shared.feed.live_rows();
        let mut rows = Vec::new();
        let (mut older_cursor, mut older_rows, mut draft) = (None, 0, self.draft.clone().unwrap_or_default());
        if self.stored {
            let id = self.shared.id.clone();
            // Rows of the running turn come from the feed, which knows what is not stored yet.
            let before = turn.as_ref().and_then(crate::load::turn_row);
            let (page, stored_draft) = self
                .core
                .store
                .read(move |db| Ok((db.transcript(&id, before, limit as usize)?, db.draft(&id)?)))
                .await
                .map_err(|error| storage_error(&error))?;
            older_rows = page.older;
            older_cursor = page
                .messages
                .first()
                .filter(|_| page.older > 0)
                .map(|first| first.id.to_string());
            rows = transcript::rows(&self.core.registry, &page.messages);
            draft = stored_draft;
        }
        rows.extend(live);
        let mut session = self.summary.clone();
        if let Some(told) = self.shared.feed.told_summary()
            && told.state == SessionState::NeedsYou
        {
            session.state = told.state;
            session.preview = told.preview;
        }
        Ok(SessionSnapshot {
            session,
            rows,
            older_cursor,
            older_rows,
            seq,
            running_turn: turn,
            todos: self.shared.todos(),
            queue: self.queue.iter().cloned().collect(),
            queue_paused: self.queue_paused,
            open_requests: self.core.hub.open_requests(&self.shared.id),
            draft,
        })
    }

    async fn close(&mut self, reason: RequestCancelReason) {
        self.core.hub.withdraw(&self.shared.id, reason);
        if let Some(running) = self.running.take() {
            running.cancel.cancel();
            if let Some(Ok(end)) = self.turns.join_next().await {
                self.history = end.history;
            }
        }
        self.shared.environment.shutdown().await;
    }

    fn tell_summary(&self) {
        if self.stored {
            self.shared.feed.summary(&self.summary);
        } else {
            self.shared.feed.draft_summary(&self.summary);
        }
    }

    fn tell_queue(&self) {
        self.shared
            .feed
            .queue(self.queue.iter().cloned().collect(), self.queue_paused);
    }

    fn new_session(&self) -> NewSession {
        NewSession {
            session_id: self.shared.id.clone(),
            source: self.summary.source.clone(),
            model: self.summary.model.clone(),
            approval_mode: self.summary.approval_mode,
            max_iterations: self.max_iterations,
            project_dir: self.summary.project_dir.clone(),
            git_branch: self.summary.git_branch.clone(),
            git_repo_root: None,
            started_at: self.summary.started_at,
        }
    }
}
