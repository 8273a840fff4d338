//! Waits for bytes while it watches how long none come.

use crate::transport::{Delta, DeltaSink};
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};

/// Nothing came for this long.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Silent(pub(super) Duration);

pub(super) struct Silence {
    quiet: Duration,
    stale: Duration,
    timer: Pin<Box<Sleep>>,
}

impl Silence {
    pub(super) fn new(quiet: Duration, stale: Duration) -> Self {
        Self {
            quiet,
            stale,
            timer: Box::pin(sleep_until(Instant::now() + quiet.min(stale))),
        }
    }

    /// From now on an answer counts as stale sooner.
    pub(super) fn shorten(&mut self, stale: Duration) {
        self.stale = self.stale.min(stale);
    }

    /// Waits for `work`, tells `sink` about longer silence and gives up when it lasts too long.
    pub(super) async fn wait<T>(
        &mut self,
        work: impl Future<Output = T>,
        sink: &mut dyn DeltaSink,
    ) -> Result<T, Silent> {
        let started = Instant::now();
        let mut next_notice = started + self.quiet;
        tokio::pin!(work);
        loop {
            self.timer.as_mut().reset(next_notice.min(started + self.stale));
            tokio::select! {
                biased;
                done = &mut work => return Ok(done),
                () = self.timer.as_mut() => {}
            }
            let silent = started.elapsed();
            if silent >= self.stale {
                return Err(Silent(silent));
            }
            sink.delta(Delta::Quiet {
                seconds: silent.as_secs(),
            });
            next_notice += self.quiet;
        }
    }
}
