//! What a session shows: the rows of its running turn and the events that build them.
//!
//! Rows and events change under one lock, so that a snapshot and the event numbers it names always agree.

mod live;

use live::{Kind, Live, ensure_row, find_row, find_tool, next_row_id};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use talaria_bridge::Hub;
use talaria_protocol::{
    AppError, CallId, CoreEvent, Delivery, QueueEntry, Row, SessionId, SessionState, SessionSummary, StatusKind, Todo,
    ToolBody, ToolState, ToolView, TurnId, TurnStatus, Usage,
};

/// Text deltas are merged for about a frame.
pub(crate) const FRAME: Duration = Duration::from_millis(16);

/// Terminal output kept on a live row; the tool replaces it with its own tail at the end.
const LIVE_OUTPUT_BYTES: usize = 64 * 1024;

/// Rows and events of one session.
pub struct Feed {
    hub: Arc<Hub>,
    session_id: SessionId,
    live: Mutex<Live>,
}

/// Live part of a snapshot.
pub(crate) struct LiveRows {
    pub turn: Option<TurnId>,
    pub rows: Vec<Row>,
    pub seq: u64,
}

impl Feed {
    /// A feed that publishes to `hub`.
    pub fn new(hub: Arc<Hub>, session_id: SessionId) -> Arc<Self> {
        Arc::new(Self {
            hub,
            session_id,
            live: Mutex::default(),
        })
    }

    /// The hub underneath.
    pub fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn emit(&self, event: CoreEvent) {
        self.hub.publish(Some(&self.session_id), event);
    }

    /// Rows of the running turn and the event they include last.
    pub(crate) fn live_rows(&self) -> LiveRows {
        let mut live = self.lock();
        self.flush_locked(&mut live);
        LiveRows {
            turn: live.turn.clone(),
            rows: live.rows.clone(),
            seq: self.hub.last_seq(Some(&self.session_id)),
        }
    }

    /// A turn begins with the person's message.
    pub(crate) fn begin_turn(&self, turn_id: &TurnId, text: &str, at: f64) {
        let mut live = self.lock();
        *live = Live {
            turn: Some(turn_id.clone()),
            summary: live.summary.take(),
            ..Live::default()
        };
        let row = Row::User {
            row_id: next_row_id(&mut live, turn_id),
            turn_id: turn_id.clone(),
            text: text.to_owned(),
            at,
            delivery: Delivery::Sent,
        };
        live.rows.push(row.clone());
        self.emit(CoreEvent::MessageStart {
            turn_id: turn_id.clone(),
            row,
        });
    }

    /// Takes text of the running answer.
    pub(crate) fn push_text(&self, text: &str) {
        let mut live = self.lock();
        self.end_reasoning_locked(&mut live);
        live.text.text.push_str(text);
    }

    /// Takes reasoning of the running answer.
    pub(crate) fn push_reasoning(&self, text: &str) {
        let mut live = self.lock();
        live.reasoning.started.get_or_insert_with(Instant::now);
        live.reasoning.text.push_str(text);
    }

    /// Tells what was taken, unless that was done less than a frame ago. Gives whether something is held back.
    pub(crate) fn flush_if_due(&self) -> bool {
        let mut live = self.lock();
        if live.text.text.is_empty() && live.reasoning.text.is_empty() {
            return false;
        }
        if live.last_flush.is_some_and(|at| at.elapsed() < FRAME) {
            return true;
        }
        self.flush_locked(&mut live);
        false
    }

    /// Tells what was taken.
    pub(crate) fn flush(&self) {
        self.flush_locked(&mut self.lock());
    }

    fn flush_locked(&self, live: &mut Live) {
        let Some(turn_id) = live.turn.clone() else { return };
        let mut told = false;
        if !live.reasoning.text.is_empty() {
            let text = std::mem::take(&mut live.reasoning.text);
            let row_id = ensure_row(live, &turn_id, Kind::Reasoning);
            if let Some(Row::Reasoning { text: all, .. }) = find_row(&mut live.rows, &row_id) {
                all.push_str(&text);
            }
            self.emit(CoreEvent::ReasoningDelta {
                turn_id: turn_id.clone(),
                row_id,
                text,
            });
            told = true;
        }
        if !live.text.text.is_empty() {
            let text = std::mem::take(&mut live.text.text);
            let row_id = ensure_row(live, &turn_id, Kind::Text);
            if let Some(Row::Assistant { text: all, .. }) = find_row(&mut live.rows, &row_id) {
                all.push_str(&text);
            }
            self.emit(CoreEvent::MessageDelta { turn_id, row_id, text });
            told = true;
        }
        if told {
            live.last_flush = Some(Instant::now());
        }
    }

    fn end_reasoning_locked(&self, live: &mut Live) {
        if live.reasoning.started.is_none() {
            return;
        }
        self.flush_locked(live);
        let Some(row_id) = live.reasoning.row_id.take() else {
            return;
        };
        let took = live.reasoning.started.take().map(|at| at.elapsed().as_millis() as u64);
        live.reasoning_ms = took;
        let Some(turn_id) = live.turn.clone() else { return };
        if let Some(row) = find_row(&mut live.rows, &row_id) {
            if let Row::Reasoning {
                streaming, duration_ms, ..
            } = row
            {
                *streaming = false;
                *duration_ms = took;
            }
            let row = row.clone();
            self.emit(CoreEvent::MessageInterim { turn_id, row });
        }
    }

    /// The attempt is void: what was shown of its text goes away.
    pub(crate) fn restart_answer(&self) {
        let mut live = self.lock();
        live.text.text.clear();
        live.reasoning.text.clear();
        let Some(turn_id) = live.turn.clone() else { return };
        if let Some(row_id) = live.reasoning.row_id.clone()
            && let Some(row) = find_row(&mut live.rows, &row_id)
        {
            if let Row::Reasoning { text, .. } = row {
                text.clear();
            }
            let row = row.clone();
            self.emit(CoreEvent::MessageInterim {
                turn_id: turn_id.clone(),
                row,
            });
        }
        live.reasoning.started = live.reasoning.started.map(|_| Instant::now());
        if let Some(row_id) = live.text.row_id.clone()
            && let Some(row) = find_row(&mut live.rows, &row_id)
        {
            if let Row::Assistant { text, .. } = row {
                text.clear();
            }
            let row = row.clone();
            self.emit(CoreEvent::MessageInterim { turn_id, row });
        }
    }

    /// Text of the answer that was shown so far and is not finished.
    pub(crate) fn open_text(&self) -> String {
        let mut live = self.lock();
        self.flush_locked(&mut live);
        let row_id = live.text.row_id.clone();
        match row_id.as_deref().and_then(|id| find_row(&mut live.rows, id)) {
            Some(Row::Assistant { text, .. }) => text.clone(),
            _ => String::new(),
        }
    }

    /// Finishes the answer's rows. `text` is what is stored; it replaces what was shown when the two differ.
    pub(crate) fn finish_answer(&self, final_text: &str, tell: Tell) -> Option<String> {
        let mut live = self.lock();
        self.end_reasoning_locked(&mut live);
        self.flush_locked(&mut live);
        let turn_id = live.turn.clone()?;
        if live.text.row_id.is_none() && !final_text.is_empty() {
            ensure_row(&mut live, &turn_id, Kind::Text);
        }
        let row_id = live.text.row_id.take()?;
        live.last_flush = None;
        if let Some(row) = find_row(&mut live.rows, &row_id) {
            let mut changed = false;
            if let Row::Assistant { text, streaming, .. } = row {
                *streaming = false;
                if text != final_text {
                    final_text.clone_into(text);
                    changed = true;
                }
            }
            if changed || tell == Tell::Always {
                let row = row.clone();
                self.emit(CoreEvent::MessageInterim { turn_id, row });
            }
        }
        Some(row_id)
    }

    /// How long the model reasoned before the answer that was finished last.
    pub(crate) fn take_reasoning_ms(&self) -> Option<u64> {
        self.lock().reasoning_ms.take()
    }

    /// Adds or replaces the row of a call.
    pub(crate) fn tool(&self, view: ToolView) {
        let mut live = self.lock();
        self.flush_locked(&mut live);
        let Some(turn_id) = live.turn.clone() else { return };
        let row_id = match find_tool(&mut live.rows, &view.call_id) {
            Some((row_id, tool)) => {
                tool.clone_from(&view);
                row_id
            }
            None => {
                let row_id = next_row_id(&mut live, &turn_id);
                live.rows.push(Row::Tool {
                    row_id: row_id.clone(),
                    turn_id: turn_id.clone(),
                    tool: view.clone(),
                });
                row_id
            }
        };
        let ended = matches!(
            view.state,
            ToolState::Done | ToolState::Failed | ToolState::Cancelled | ToolState::Denied
        );
        self.emit(match ended {
            true => CoreEvent::ToolComplete {
                turn_id,
                row_id,
                tool: view,
            },
            false => CoreEvent::ToolStart {
                turn_id,
                row_id,
                tool: view,
            },
        });
    }

    /// Changes the row of a call and tells it.
    pub(crate) fn change_tool(&self, call_id: &CallId, change: impl FnOnce(&mut ToolView)) {
        let view = {
            let mut live = self.lock();
            match find_tool(&mut live.rows, call_id) {
                Some((_, tool)) => {
                    let mut view = tool.clone();
                    change(&mut view);
                    view
                }
                None => return,
            }
        };
        self.tool(view);
    }

    /// The call as it is shown now.
    pub(crate) fn tool_view(&self, call_id: &CallId) -> Option<ToolView> {
        find_tool(&mut self.lock().rows, call_id).map(|(_, tool)| tool.clone())
    }

    /// Output of a running call.
    pub(crate) fn tool_output(&self, call_id: &CallId, text: &str) {
        let mut live = self.lock();
        let Some(turn_id) = live.turn.clone() else { return };
        let Some((row_id, tool)) = find_tool(&mut live.rows, call_id) else {
            return;
        };
        match &mut tool.body {
            ToolBody::Terminal { output, truncated, .. } => {
                output.push_str(text);
                if output.len() > 2 * LIVE_OUTPUT_BYTES {
                    let mut cut = output.len() - LIVE_OUTPUT_BYTES;
                    while !output.is_char_boundary(cut) {
                        cut += 1;
                    }
                    output.drain(..cut);
                    *truncated = true;
                }
            }
            _ => {
                let command = tool.target.clone();
                tool.body = ToolBody::Terminal {
                    command,
                    cwd: String::new(),
                    exit_code: None,
                    output: text.to_owned(),
                    total_lines: 0,
                    truncated: false,
                };
            }
        }
        self.emit(CoreEvent::ToolProgress {
            turn_id,
            row_id,
            call_id: call_id.clone(),
            text: text.to_owned(),
        });
    }

    /// The model began to write a call.
    pub(crate) fn generating(&self, name: &str) {
        let mut live = self.lock();
        self.end_reasoning_locked(&mut live);
        self.flush_locked(&mut live);
        if let Some(turn_id) = live.turn.clone() {
            self.emit(CoreEvent::ToolGenerating {
                turn_id,
                name: name.to_owned(),
            });
        }
    }

    /// A steered message reached the model.
    pub(crate) fn steered(&self, text: &str, at: f64) {
        let mut live = self.lock();
        let Some(turn_id) = live.turn.clone() else { return };
        let row = Row::User {
            row_id: next_row_id(&mut live, &turn_id),
            turn_id,
            text: text.to_owned(),
            at,
            delivery: Delivery::Steered,
        };
        live.rows.push(row.clone());
        self.emit(CoreEvent::RowAdded { row });
    }

    /// A muted line.
    pub(crate) fn notice(&self, key: &str, text: &str, values: BTreeMap<String, String>, at: f64) -> Row {
        let mut live = self.lock();
        let turn_id = live.turn.clone().unwrap_or_else(|| TurnId::from("t0"));
        let row = Row::Notice {
            row_id: next_row_id(&mut live, &turn_id),
            key: key.to_owned(),
            values,
            text: text.to_owned(),
            at,
        };
        live.rows.push(row.clone());
        self.emit(CoreEvent::RowAdded { row: row.clone() });
        row
    }

    /// A failed turn.
    pub(crate) fn error(&self, error: &AppError, at: f64) -> Option<Row> {
        let mut live = self.lock();
        self.flush_locked(&mut live);
        let turn_id = live.turn.clone()?;
        let row = Row::Error {
            row_id: next_row_id(&mut live, &turn_id),
            turn_id,
            error: error.clone(),
            at,
        };
        live.rows.push(row.clone());
        self.emit(CoreEvent::RowAdded { row: row.clone() });
        Some(row)
    }

    /// What the turn waits for.
    pub(crate) fn status(&self, kind: StatusKind, text: &str, attempt: Option<u32>) {
        self.emit(CoreEvent::Status {
            kind,
            text: text.to_owned(),
            attempt,
        });
    }

    /// The plan changed.
    pub(crate) fn todos(&self, todos: Vec<Todo>) {
        self.emit(CoreEvent::TodoUpdated { todos });
    }

    /// The queue changed.
    pub(crate) fn queue(&self, entries: Vec<QueueEntry>, paused: bool) {
        self.emit(CoreEvent::QueueUpdated { entries, paused });
    }

    /// A failure outside of a turn, such as a queued message that could not be sent.
    pub(crate) fn show_error(&self, error: &AppError, at: f64) {
        let mut live = self.lock();
        let turn_id = live.turn.clone().unwrap_or_else(|| TurnId::from("t0"));
        let row = Row::Error {
            row_id: next_row_id(&mut live, &turn_id),
            turn_id,
            error: error.clone(),
            at,
        };
        self.emit(CoreEvent::RowAdded { row });
    }

    /// The turn ended. Its rows stay until they are read from the store.
    pub(crate) fn complete(&self, turn_id: &TurnId, end: Ended) {
        let mut live = self.lock();
        self.flush_locked(&mut live);
        live.turn = None;
        live.rows.clear();
        let Ended {
            status,
            text,
            row_id,
            usage,
            error,
            exit_reason,
        } = end;
        let turn_id = turn_id.clone();
        self.emit(CoreEvent::MessageComplete {
            turn_id,
            status,
            text,
            row_id,
            usage,
            error,
            exit_reason,
        });
    }

    /// Tokens of the session.
    pub(crate) fn usage(&self, usage: Usage) {
        self.emit(CoreEvent::SessionUsage { usage });
    }

    /// The session changed: told to those who show it and to the list. While it asks, it needs the person, whatever else
    /// it does.
    pub(crate) fn summary(&self, base: &SessionSummary) {
        let mut live = self.lock();
        live.base = Some(base.clone());
        let mut summary = base.clone();
        if let Some(line) = live.asking.last() {
            summary.state = SessionState::NeedsYou;
            summary.preview.clone_from(line);
        }
        if live.summary.as_ref() == Some(&summary) {
            return;
        }
        live.summary = Some(summary.clone());
        self.emit(CoreEvent::SessionInfo {
            session: summary.clone(),
        });
        self.hub.publish(
            None,
            CoreEvent::SessionsChanged {
                session: Some(summary),
                removed: None,
            },
        );
    }

    /// A session without a row in the store changed: told to those who show it, not to the list.
    pub(crate) fn draft_summary(&self, summary: &SessionSummary) {
        let mut live = self.lock();
        live.base = Some(summary.clone());
        live.summary = Some(summary.clone());
        self.emit(CoreEvent::SessionInfo {
            session: summary.clone(),
        });
    }

    /// Notes what clients learn from a snapshot, without telling it.
    pub(crate) fn remember_summary(&self, summary: &SessionSummary) {
        let mut live = self.lock();
        live.base = Some(summary.clone());
        live.summary = Some(summary.clone());
    }

    /// The session as it was told last.
    pub(crate) fn told_summary(&self) -> Option<SessionSummary> {
        self.lock().summary.clone()
    }

    /// The session waits for the person until the guard goes. Several may wait at once.
    pub(crate) fn asking(self: &Arc<Self>, line: &str) -> Asking {
        let base = {
            let mut live = self.lock();
            live.asking.push(line.to_owned());
            live.base.clone()
        };
        if let Some(base) = base {
            self.summary(&base);
        }
        Asking {
            feed: Arc::clone(self),
            line: line.to_owned(),
        }
    }
}

/// Marks that the session waits for the person.
pub(crate) struct Asking {
    feed: Arc<Feed>,
    line: String,
}

impl Drop for Asking {
    fn drop(&mut self) {
        let base = {
            let mut live = self.feed.lock();
            if let Some(at) = live.asking.iter().position(|line| *line == self.line) {
                live.asking.remove(at);
            }
            live.base.clone()
        };
        if let Some(base) = base {
            self.feed.summary(&base);
        }
    }
}

/// How a turn ended, as it is told.
pub(crate) struct Ended {
    pub status: TurnStatus,
    pub text: String,
    /// Row that holds the text.
    pub row_id: Option<String>,
    pub usage: Usage,
    pub error: Option<AppError>,
    pub exit_reason: String,
}

/// Whether an unchanged row is told again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tell {
    Always,
    IfChanged,
}
