//! Output of a running command on its way to the card, in batches of about a frame.

use std::convert::Infallible;
use std::mem;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use talaria_tools::CallHost;
use tokio::sync::Notify;

/// At most 30 updates a second.
const FRAME: Duration = Duration::from_millis(34);
/// Text that waits for its frame; what is over goes, oldest first.
const MOST_BYTES: usize = 64 * 1024;

/// Text that was written and not yet shown.
#[derive(Default)]
pub(crate) struct Progress {
    waiting: Mutex<String>,
    written: Notify,
}

impl Progress {
    /// Takes output. Never waits.
    pub(crate) fn push(&self, text: &str) {
        let text = &text[text.ceil_char_boundary(text.len().saturating_sub(MOST_BYTES))..];
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let surplus = (waiting.len() + text.len()).saturating_sub(MOST_BYTES);
        if surplus > 0 {
            let cut = waiting.ceil_char_boundary(surplus);
            waiting.drain(..cut);
        }
        waiting.push_str(text);
        drop(waiting);
        self.written.notify_one();
    }

    /// Shows what is written: the first piece at once, then one batch a frame. Runs until it is dropped.
    pub(crate) async fn show(&self, host: &dyn CallHost) -> Infallible {
        loop {
            self.written.notified().await;
            let text = mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
            if !text.is_empty() {
                host.progress(&text);
                tokio::time::sleep(FRAME).await;
            }
        }
    }
}
