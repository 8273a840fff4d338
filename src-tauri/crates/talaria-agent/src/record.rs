//! What a turn writes into the store, in order, waiting only where something must be durable before it goes on.

use crate::failure::storage_error;
use crate::shared::Steer;
use talaria_protocol::{AppError, Delivery, Message, ModelRoute, QueueEntry, Row, SessionId, ToolView, TurnId, Usage};
use talaria_store::{Display, NewMessage, Pending, Store, StoreError, StoredQueue};

/// A write that waits for others to share a commit with.
struct Held {
    message: NewMessage,
    /// What the message cost, for an assistant turn.
    usage: Option<Usage>,
}

/// The writes of one turn.
pub(crate) struct Record {
    store: Store,
    session_id: SessionId,
    turn: i64,
    route: ModelRoute,
    usage: Usage,
    /// Writes since the last hand-over: an answer that only reads, and what it read, cost one commit instead of two.
    held: Vec<Held>,
    /// First failure of a write that nobody waited for.
    unwatched: Vec<Pending<()>>,
}

impl Record {
    pub(crate) fn new(store: Store, session_id: SessionId, turn: i64, route: ModelRoute) -> Self {
        Self {
            store,
            session_id,
            turn,
            route,
            usage: Usage::default(),
            held: Vec::new(),
            unwatched: Vec::new(),
        }
    }

    /// Tokens of the turn so far.
    pub(crate) fn turn_usage(&self) -> Usage {
        self.usage
    }

    fn message(&self, message: Message, display: Option<Display>) -> NewMessage {
        NewMessage {
            message,
            turn: Some(self.turn),
            display,
            client_token: None,
        }
    }

    /// Takes an assistant turn that calls tools, and the tokens it cost. See [`Record::hand_over`].
    pub(crate) fn assistant(&mut self, message: Message, usage: Usage, reasoning_ms: Option<u64>) {
        self.usage.add(&usage);
        let at = message.timestamp;
        let new = self.message(message, Some(Display::Assistant { at, reasoning_ms }));
        self.held.push(Held {
            message: new,
            usage: Some(usage),
        });
    }

    /// Takes the result of a call with its card. See [`Record::hand_over`].
    pub(crate) fn tool_result(&mut self, message: Message, view: &ToolView) {
        let new = self.message(
            message,
            Some(Display::Tool {
                tool: Box::new(view.clone()),
            }),
        );
        self.held.push(Held {
            message: new,
            usage: None,
        });
    }

    /// Hands what was taken to the store, in one step. To be called before anything waits.
    pub(crate) fn hand_over(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let held = std::mem::take(&mut self.held);
        let (session_id, route) = (self.session_id.clone(), self.route.clone());
        self.unwatched.push(self.store.write_later(move |tx| {
            for Held { message, usage } in &held {
                tx.append_message(&session_id, message)?;
                if let Some(usage) = usage {
                    tx.add_usage(&session_id, &route, "", usage)?;
                }
            }
            Ok(())
        }));
    }

    /// Hands over and waits until all is durable.
    pub(crate) async fn durable(&mut self) -> Result<(), AppError> {
        self.hand_over();
        self.settled().await.map_err(|error| storage_error(&error))
    }

    /// Waits for every write that was handed over and gives the first failure.
    async fn settled(&mut self) -> Result<(), StoreError> {
        let mut outcome = Ok(());
        for pending in self.unwatched.drain(..) {
            outcome = outcome.and(pending.await);
        }
        outcome
    }

    /// Hands over a message of the person that goes into the newest tool result: the row that the person sees, the exact text
    /// that the model is sent, and the queue that kept it until now.
    pub(crate) fn steered(&mut self, steer: &[Steer], api_content: String, at: f64) {
        self.hand_over();
        let session_id = self.session_id.clone();
        let turn = self.turn;
        let delivered: Vec<String> = steer.iter().map(|entry| entry.entry_id.clone()).collect();
        let rows: Vec<Row> = steer
            .iter()
            .map(|entry| Row::User {
                row_id: format!("s-{}", entry.entry_id),
                turn_id: TurnId::new(format!("t{turn}")),
                text: entry.text.clone(),
                at,
                delivery: Delivery::Steered,
            })
            .collect();
        self.unwatched.push(self.store.write_later(move |tx| {
            if let Some(id) = tx.newest_tool_message(&session_id)? {
                tx.set_api_content(id, &api_content)?;
            }
            for row in &rows {
                tx.append_row(&session_id, Some(turn), row)?;
            }
            let mut queue = tx.queue(&session_id)?;
            queue.entries.retain(|entry| !delivered.contains(&entry.entry_id));
            tx.set_queue(&session_id, &queue)
        }));
    }

    /// Hands over a row that only the person sees.
    pub(crate) fn row(&mut self, row: Row) {
        let (session_id, turn) = (self.session_id.clone(), self.turn);
        let pending = self
            .store
            .write_later(move |tx| tx.append_row(&session_id, Some(turn), &row).map(|_| ()));
        self.unwatched.push(pending);
    }

    /// Waits for what was handed over, then records the end of the turn in one step: the answer, rows that only the
    /// person sees, tokens, and the lease.
    pub(crate) async fn end_turn(&mut self, end: TurnRecord) -> Result<i64, StoreError> {
        self.usage.add(&end.usage);
        self.hand_over();
        let settled = self.settled().await;
        let TurnRecord {
            message,
            rows,
            usage,
            reasoning_ms,
            last_line,
        } = end;
        let new = message.map(|message| {
            let at = message.timestamp;
            self.message(message, Some(Display::Assistant { at, reasoning_ms }))
        });
        let (session_id, route, turn) = (self.session_id.clone(), self.route.clone(), self.turn);
        let ended = self
            .store
            .write(move |tx| {
                if let Some(new) = &new {
                    tx.append_message(&session_id, new)?;
                }
                for row in &rows {
                    tx.append_row(&session_id, Some(turn), row)?;
                }
                tx.add_usage(&session_id, &route, "", &usage)?;
                tx.set_last_line(&session_id, Some(&last_line))?;
                tx.release_lease(&session_id)?;
                tx.newest_row(&session_id)
            })
            .await;
        settled.and(ended)
    }
}

/// The end of a turn as it is stored.
pub(crate) struct TurnRecord {
    pub message: Option<Message>,
    /// Notices and errors.
    pub rows: Vec<Row>,
    pub usage: Usage,
    pub reasoning_ms: Option<u64>,
    /// One line for the session list.
    pub last_line: String,
}

/// The queue as it is stored: what waits for the running turn first, then what waits for its end.
pub(crate) fn stored_queue(steer: &[Steer], entries: &[QueueEntry], paused: bool) -> StoredQueue {
    let waiting = steer.iter().map(|entry| QueueEntry {
        entry_id: entry.entry_id.clone(),
        text: entry.text.clone(),
    });
    StoredQueue {
        entries: waiting.chain(entries.iter().cloned()).collect(),
        paused,
    }
}
