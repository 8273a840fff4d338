//! Whether a tool can be offered now, with a memory (tools.md 2.6).

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a verdict holds.
const TTL: Duration = Duration::from_secs(30);
/// How long a tool that worked stays on offer while its check fails: a flapping backend must not change the tool list.
const GRACE: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(crate) struct Availability {
    state: Mutex<Verdicts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Verdicts {
    cached: Option<(Instant, bool)>,
    last_good: Option<Instant>,
}

impl Availability {
    /// The verdict at `now`, from memory or from `probe`. The lock is not held while probing.
    pub(crate) fn check(&self, now: Instant, name: &str, probe: impl FnOnce() -> bool) -> bool {
        let known = *self.lock();
        if let Some((checked_at, verdict)) = known.cached
            && now.saturating_duration_since(checked_at) < TTL
        {
            return verdict;
        }
        if probe() {
            *self.lock() = Verdicts {
                cached: Some((now, true)),
                last_good: Some(now),
            };
            return true;
        }
        let in_grace = known
            .last_good
            .is_some_and(|good| now.saturating_duration_since(good) < GRACE);
        tracing::warn!(tool = name, in_grace, "availability check failed");
        let mut state = self.lock();
        // A verdict inside the grace is not remembered, so that the next call probes again.
        state.cached = if in_grace { None } else { Some((now, false)) };
        in_grace
    }

    pub(crate) fn forget(&self) {
        *self.lock() = Verdicts::default();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Verdicts> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
