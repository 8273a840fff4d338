//! One writer a path, over all sessions of this process.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use tokio::sync::OwnedMutexGuard;

/// Entries of paths that nobody writes any more are swept when there are more than this.
const SWEEP_ABOVE: usize = 64;

static LOCKS: LazyLock<Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>> = LazyLock::new(Mutex::default);

/// Waits until no other call writes `path` (links resolved). Not to be held while a person is asked.
pub(crate) async fn lock_path(path: &str) -> OwnedMutexGuard<()> {
    let lock = {
        let mut locks = LOCKS.lock().unwrap_or_else(PoisonError::into_inner);
        if locks.len() > SWEEP_ABOVE {
            locks.retain(|_, lock| lock.strong_count() > 0);
        }
        match locks.get(path).and_then(Weak::upgrade) {
            Some(lock) => lock,
            None => {
                let lock = Arc::default();
                locks.insert(path.to_owned(), Arc::downgrade(&lock));
                lock
            }
        }
    };
    lock.lock_owned().await
}
