//! Brings a session back from the store, closed where a crash left it open.

use crate::core::Core;
use crate::failure::storage_error;
use crate::history;
use crate::session::SessionStart;
use std::sync::Arc;
use talaria_model::WireMessage;
use talaria_protocol::{AppError, Message, Role, Row, SessionId, Todo, ToolState, TurnId};
use talaria_store::{Display, NewMessage};

/// A history that a strict provider takes.
pub(crate) struct LoadedHistory {
    pub history: Vec<Arc<WireMessage>>,
    pub todos: Vec<Todo>,
    /// Newest row that the history includes.
    pub newest_row: i64,
}

/// Row of the message that began a turn.
pub(crate) fn turn_row(turn_id: &TurnId) -> Option<i64> {
    turn_id.as_str().strip_prefix('t')?.parse().ok()
}

/// A stored session, ready for its owner.
pub(crate) async fn session(core: &Arc<Core>, session_id: &SessionId) -> Result<SessionStart, AppError> {
    let id = session_id.clone();
    let (stored, system_prompt, queue) = core
        .store
        .read(move |db| {
            let Some(stored) = db.session(&id)?.filter(|stored| stored.deleted_at.is_none()) else {
                return Err(talaria_store::StoreError::NoSession { session_id: id });
            };
            Ok((stored, db.system_prompt(&id)?, db.queue(&id)?))
        })
        .await
        .map_err(|error| storage_error(&error))?;
    let LoadedHistory {
        history,
        todos,
        newest_row,
    } = history(core, session_id).await?;
    let mut start = SessionStart::from_store(&stored);
    // A prompt that names another model is stale.
    start.system_prompt = system_prompt.filter(|text| {
        stored
            .model
            .as_ref()
            .is_some_and(|route| text.ends_with(&crate::prompt::route_lines(route)))
    });
    start.queue = queue.entries;
    start.history = history;
    start.newest_row = newest_row;
    start.todos = todos;
    Ok(start)
}

/// The history of a session. What a process left open is closed, in the store as well, unless that process still runs.
pub(crate) async fn history(core: &Arc<Core>, session_id: &SessionId) -> Result<LoadedHistory, AppError> {
    let id = session_id.clone();
    let own = core.store.owner().clone();
    let (rows, held, left, mut newest_row) = core
        .store
        .read(move |db| {
            let holder = db.lease_holder(&id)?;
            // A lease is held while a turn runs: a process that is gone has left one in its middle.
            let left = holder.as_ref().is_some_and(|holder| !holder.is_alive());
            let held = holder.is_some_and(|holder| holder.is_alive() && holder.owner != own);
            Ok((db.history(&id)?, held, left, db.newest_row(&id)?))
        })
        .await
        .map_err(|error| storage_error(&error))?;
    let messages: Vec<Message> = rows.into_iter().map(|(_, message)| message).collect();
    let stored = messages.len();
    let reads_only = |name: &str| core.registry.spec(name).is_some_and(|spec| !spec.has_effects);
    let recovered = history::recover(messages, &reads_only);
    if !held && (left || !recovered.added.is_empty()) && core.store.read_only().is_none() {
        tracing::info!(session = %session_id, stored, added = recovered.added.len(), "an unfinished turn was closed");
        let (id, added) = (
            session_id.clone(),
            closing_rows(core, &recovered.added, &recovered.messages),
        );
        let (seen, own) = (newest_row, core.store.owner().clone());
        newest_row = core
            .store
            .write(move |tx| {
                let holder = tx.lease_holder(&id)?;
                let held = holder.is_some_and(|holder| holder.is_alive() && holder.owner != own);
                // Somebody went on with it since it was read: then it is not ours to close.
                if held || tx.newest_row(&id)? != seen {
                    return Ok(seen);
                }
                let turn = tx.newest_turn(&id)?;
                for mut message in added {
                    message.turn = turn;
                    tx.append_message(&id, &message)?;
                }
                if left {
                    tx.append_row(&id, turn, &cut_off())?;
                }
                tx.release_lease(&id)?;
                tx.newest_row(&id)
            })
            .await
            .map_err(|error| storage_error(&error))?;
    }
    let todos = history::newest_todos(&recovered.messages);
    Ok(LoadedHistory {
        history: recovered.messages.into_iter().map(WireMessage::new).collect(),
        todos,
        newest_row,
    })
}

/// What the person reads below a turn that ended with its process.
fn cut_off() -> Row {
    Row::Notice {
        row_id: String::new(),
        key: "notice.turn.cut_off".to_owned(),
        values: Default::default(),
        text: "Cut off when Talaria stopped.".to_owned(),
        at: crate::clock::unix_now(),
    }
}

/// The messages that close a history, with the cards of the calls that were cut off.
fn closing_rows(core: &Core, added: &[Message], all: &[Message]) -> Vec<NewMessage> {
    added
        .iter()
        .map(|message| {
            let display = (message.role == Role::Tool).then(|| {
                let call = all
                    .iter()
                    .flat_map(|message| &message.tool_calls)
                    .rfind(|call| Some(&call.id) == message.tool_call_id.as_ref());
                call.map(|call| {
                    let mut view = crate::batch::view_of(&core.registry, call, ToolState::Cancelled);
                    view.note = Some("cut off when Talaria stopped".to_owned());
                    Display::Tool { tool: Box::new(view) }
                })
            });
            NewMessage {
                message: message.clone(),
                turn: None,
                display: display.flatten(),
                client_token: None,
            }
        })
        .collect()
}
