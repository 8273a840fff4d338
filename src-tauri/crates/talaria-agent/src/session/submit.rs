//! A message of the person: it begins a turn, goes into the running one, or waits.

use super::{Running, Session, TOKENS};
use crate::failure::{held_by_another, storage_error};
use crate::record::{Record, stored_queue};
use crate::shared::Steer;
use crate::turn::Turn;
use std::sync::Arc;
use talaria_model::WireMessage;
use talaria_protocol::{
    Accepted, AppError, Delivery, ErrorKind, Layer, Message, PromptReply, QueueEntry, Role, SessionState, TurnId,
    WhenBusy,
};
use talaria_store::{Display, Lease, NewMessage};
use tokio_util::sync::CancellationToken;

/// Largest message in bytes.
const MAX_PROMPT_BYTES: usize = 4 * 1024 * 1024;

/// Refuses blank and enormous messages.
pub(super) fn checked(text: String) -> Result<String, AppError> {
    if text.trim().is_empty() {
        return Err(AppError::invalid("the message is empty").with_hint("Write something first."));
    }
    if text.len() > MAX_PROMPT_BYTES {
        return Err(AppError::invalid("the message is larger than 4 MiB")
            .with_hint("Save it as a file in the project and name the file instead."));
    }
    Ok(text)
}

/// What came of storing a message that begins a turn.
enum Start {
    /// The row of the message.
    Begun(i64),
    /// Another process runs a turn.
    Held(talaria_store::LeaseHolder),
    /// The store has rows that this owner does not know.
    Behind,
}

impl Session {
    pub(super) async fn submit(
        &mut self,
        text: String,
        when_busy: WhenBusy,
        token: Option<String>,
    ) -> Result<PromptReply, AppError> {
        let text = checked(text)?;
        if let Some(token) = &token
            && self.tokens.contains(token)
        {
            return Ok(accepted(
                Accepted::Started,
                self.running.as_ref().map(|running| running.turn_id.clone()),
            ));
        }
        let running = self.running.as_ref().map(|running| running.turn_id.clone());
        let reply = match (running, when_busy) {
            (None, _) => accepted(Accepted::Started, Some(self.begin_turn(text, token.clone()).await?)),
            (Some(turn_id), WhenBusy::Steer) => {
                let steer = Steer {
                    entry_id: crate::ids::queue_entry_id(),
                    text,
                };
                // Stored before the turn can take it, so that its removal comes behind.
                self.store_waiting(QueueEntry {
                    entry_id: steer.entry_id.clone(),
                    text: steer.text.clone(),
                })
                .await?;
                self.shared.push_steer(steer);
                self.shared.feed.status(
                    talaria_protocol::StatusKind::RunningTools,
                    "your message goes in at the next step",
                    None,
                );
                accepted(Accepted::Steered, Some(turn_id))
            }
            (Some(_), WhenBusy::Queue) => {
                self.queue.push_back(QueueEntry {
                    entry_id: crate::ids::queue_entry_id(),
                    text,
                });
                if let Err(error) = self.store_queue().await {
                    self.queue.pop_back();
                    return Err(error);
                }
                self.tell_queue();
                accepted(Accepted::Queued, None)
            }
            (Some(_), WhenBusy::Interrupt) => {
                self.queue.push_front(QueueEntry {
                    entry_id: crate::ids::queue_entry_id(),
                    text,
                });
                if let Err(error) = self.store_queue().await {
                    self.queue.pop_front();
                    return Err(error);
                }
                if let Some(running) = &self.running {
                    running.cancel.cancel();
                }
                self.core
                    .hub
                    .withdraw(&self.shared.id, talaria_protocol::RequestCancelReason::Interrupted);
                self.send_after_interrupt = true;
                self.tell_queue();
                accepted(Accepted::Queued, None)
            }
        };
        if let Some(token) = token {
            self.tokens.push_back(token);
            if self.tokens.len() > TOKENS {
                self.tokens.pop_front();
            }
        }
        Ok(reply)
    }

    /// Stores the message, takes the lease and starts the turn. On failure nothing has changed.
    pub(super) async fn begin_turn(&mut self, text: String, token: Option<String>) -> Result<TurnId, AppError> {
        let route = match self.shared.choice().route {
            Some(route) => route,
            None => return Err(no_model()),
        };
        let transport = self.core.models.open(&route)?;
        // The login shell is looked at while the model thinks.
        self.shared.environment.prepare();
        let message = Message {
            timestamp: crate::clock::unix_now(),
            ..Message::user(text.clone())
        };
        let at = message.timestamp;
        let mut reloaded = false;
        let (row, system, cut_files) = loop {
            let (system, cut_files) = match &self.system {
                Some(system) => (Arc::clone(system), Vec::new()),
                None => self.build_prompt(&route).await,
            };
            match self.store_start(&message, &system, token.clone()).await? {
                Start::Begun(row) => break (row, system, cut_files),
                Start::Held(holder) => return Err(held_by_another(&holder)),
                Start::Behind if !reloaded => {
                    // Another process went on with the session: what is known here is old.
                    reloaded = true;
                    self.reload().await?;
                }
                Start::Behind => {
                    return Err(AppError::new(
                        ErrorKind::Busy,
                        Layer::Runtime,
                        "error.session.busy",
                        "another process works in this session",
                    )
                    .with_hint("Wait until it is done. Your message was not sent.")
                    .retryable());
                }
            }
        };
        self.stored = true;
        self.system = Some(Arc::clone(&system));
        self.queue_is_stored = !self.queue.is_empty() || self.shared.has_steer();
        self.draft = None;
        let turn_id = TurnId::new(format!("t{row}"));
        crate::history::push_user(&mut self.history, message);
        if self.summary.title.is_empty() {
            self.summary.title = crate::text::shorten(&text, 80);
        }
        self.summary.state = SessionState::Running;
        self.summary.last_active_at = at;
        self.summary.preview = crate::text::shorten(&text, 120);
        self.shared.feed.begin_turn(&turn_id, &text, at);
        self.tell_summary();
        let mut record = Record::new(self.core.store.clone(), self.shared.id.clone(), row, route.clone());
        for file in cut_files {
            let text = format!("{file} is long; only its beginning and end were given to the model.");
            let values = [("file".to_owned(), file)].into();
            record.row(self.shared.feed.notice("notice.context_file.cut", &text, values, at));
        }
        let cancel = CancellationToken::new();
        let turn = Turn {
            id: turn_id.clone(),
            session: Arc::clone(&self.shared),
            record,
            batch: Arc::clone(&self.batch),
            transport,
            route,
            system,
            tools: self.core.tools(),
            history: std::mem::take(&mut self.history),
            max_iterations: self
                .core
                .overrides
                .max_iterations
                .or(self.max_iterations)
                .unwrap_or_else(|| self.core.settings(|s| s.max_iterations)),
            max_attempts: self.core.settings(|s| s.max_attempts),
            max_tokens: self.core.settings(|s| s.max_tokens),
            cancel: cancel.clone(),
        };
        self.running = Some(Running {
            turn_id: turn_id.clone(),
            cancel,
        });
        self.turns.spawn(turn.run());
        Ok(turn_id)
    }

    async fn build_prompt(&self, route: &talaria_protocol::ModelRoute) -> (Arc<WireMessage>, Vec<String>) {
        let (text, cut_files) = self.core.prompt(&self.shared, route).await;
        (WireMessage::new(Message::text(Role::System, text)), cut_files)
    }

    /// Takes the lease and stores the message, unless another process has the lease or has gone on with the session.
    async fn store_start(
        &self,
        message: &Message,
        system: &WireMessage,
        token: Option<String>,
    ) -> Result<Start, AppError> {
        let new_session = (!self.stored).then(|| self.new_session());
        let stored = NewMessage {
            message: message.clone(),
            turn: None,
            display: Some(Display::User {
                delivery: Delivery::Sent,
            }),
            client_token: token,
        };
        let entries: Vec<QueueEntry> = self.queue.iter().cloned().collect();
        let queue = self
            .queue_is_stored
            .then(|| stored_queue(&self.shared.waiting_steer(), &entries, self.queue_paused));
        let title = self
            .summary
            .title
            .is_empty()
            .then(|| crate::text::shorten(&message.content_text(), 80));
        let prompt = self.system.is_none().then(|| system.message.content_text());
        let (id, known) = (self.shared.id.clone(), self.newest_row);
        self.core
            .store
            .write(move |tx| {
                if let Some(new_session) = &new_session {
                    tx.create_session(new_session)?;
                }
                if let Lease::Held(holder) = tx.acquire_lease(&id)? {
                    return Ok(Start::Held(holder));
                }
                if known != Some(tx.newest_row(&id)?) {
                    tx.release_lease(&id)?;
                    return Ok(Start::Behind);
                }
                if let Some(prompt) = &prompt {
                    tx.set_system_prompt(&id, Some(prompt))?;
                }
                let row = tx.append_message(&id, &stored)?;
                if let Some(title) = &title {
                    tx.set_auto_title(&id, title)?;
                }
                if let Some(queue) = &queue {
                    tx.set_queue(&id, queue)?;
                }
                Ok(Start::Begun(row))
            })
            .await
            .map_err(|error| storage_error(&error))
    }

    /// Reads the session again: another process changed it.
    async fn reload(&mut self) -> Result<(), AppError> {
        let start = crate::load::session(&self.core, &self.shared.id).await?;
        self.history = start.history;
        self.newest_row = Some(start.newest_row);
        let state = self.summary.state;
        self.summary = talaria_protocol::SessionSummary { state, ..start.summary };
        self.shared.set_todos(start.todos);
        Ok(())
    }

    /// Adds a message to the stored ones that wait.
    async fn store_waiting(&mut self, entry: QueueEntry) -> Result<(), AppError> {
        let id = self.shared.id.clone();
        self.core
            .store
            .write(move |tx| {
                let mut queue = tx.queue(&id)?;
                queue.entries.push(entry);
                tx.set_queue(&id, &queue)
            })
            .await
            .map_err(|error| storage_error(&error))?;
        self.queue_is_stored = true;
        Ok(())
    }

    /// Makes sure that the session has a row, for what is stored before its first message.
    pub(super) async fn ensure_stored(&mut self) -> Result<(), AppError> {
        if self.stored {
            return Ok(());
        }
        let new = self.new_session();
        self.core
            .store
            .write(move |tx| tx.create_session(&new))
            .await
            .map_err(|error| storage_error(&error))?;
        self.stored = true;
        Ok(())
    }
}

fn no_model() -> AppError {
    AppError::new(ErrorKind::NoModel, Layer::Model, "error.no_model", "no model is chosen")
        .with_hint("Choose a model, start a local server, set a provider's key in the environment, or try the demo (--model demo).")
}

fn accepted(accepted: Accepted, turn_id: Option<TurnId>) -> PromptReply {
    PromptReply { accepted, turn_id }
}
