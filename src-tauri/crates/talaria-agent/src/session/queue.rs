//! Messages that wait: for the running turn (steer) or for its end (queue). Kept in the store until they are delivered.

use super::{QueueChange, Session};
use crate::failure::storage_error;
use crate::record::stored_queue;
use talaria_protocol::{AppError, QueueEntry, QueueReply};

impl Session {
    pub(super) async fn change_queue(&mut self, change: QueueChange) -> Result<QueueReply, AppError> {
        let missing = || AppError::not_found("this message no longer waits").with_hint("It was sent or removed.");
        let place = |queue: &std::collections::VecDeque<QueueEntry>, id: &str| {
            queue.iter().position(|entry| entry.entry_id == id)
        };
        let before = (self.queue.clone(), self.queue_paused);
        match change {
            QueueChange::Add { text } => {
                let text = super::submit::checked(text)?;
                self.queue.push_back(QueueEntry {
                    entry_id: crate::ids::queue_entry_id(),
                    text,
                });
            }
            QueueChange::Edit { entry_id, text } => {
                let text = super::submit::checked(text)?;
                let at = place(&self.queue, &entry_id).ok_or_else(missing)?;
                self.queue[at].text = text;
            }
            QueueChange::Move { entry_id, index } => {
                let at = place(&self.queue, &entry_id).ok_or_else(missing)?;
                if let Some(entry) = self.queue.remove(at) {
                    let to = index.min(self.queue.len());
                    self.queue.insert(to, entry);
                }
            }
            QueueChange::Remove { entry_id } => {
                let at = place(&self.queue, &entry_id).ok_or_else(missing)?;
                self.queue.remove(at);
                self.queue_paused &= !self.queue.is_empty();
            }
            QueueChange::Resume => self.queue_paused = false,
        }
        if let Err(error) = self.store_queue().await {
            (self.queue, self.queue_paused) = before;
            return Err(error);
        }
        self.tell_queue();
        self.send_next().await;
        Ok(QueueReply {
            entries: self.queue.iter().cloned().collect(),
            paused: self.queue_paused,
        })
    }

    /// Stores what waits, so that it outlives this process.
    pub(super) async fn store_queue(&mut self) -> Result<(), AppError> {
        self.ensure_stored().await?;
        let id = self.shared.id.clone();
        let entries: Vec<QueueEntry> = self.queue.iter().cloned().collect();
        let queue = stored_queue(&self.shared.waiting_steer(), &entries, self.queue_paused);
        self.core
            .store
            .write(move |tx| tx.set_queue(&id, &queue))
            .await
            .map_err(|error| storage_error(&error))?;
        self.queue_is_stored = true;
        Ok(())
    }

    /// Sends the next message when nothing runs and the queue does not wait for the person.
    pub(super) async fn send_next(&mut self) {
        if self.running.is_some() || self.queue_paused {
            return;
        }
        let Some(entry) = self.queue.pop_front() else { return };
        if let Err(error) = self.begin_turn(entry.text.clone(), None).await {
            tracing::warn!(%error, "a queued message could not be sent");
            self.queue.push_front(entry);
            self.queue_paused = true;
            self.shared.feed.show_error(&error, crate::clock::unix_now());
        }
        self.tell_queue();
    }
}
