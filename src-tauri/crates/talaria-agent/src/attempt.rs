//! One answer of the model, over as many attempts as the rules allow (agent.md 8.2).

use crate::feed::{FRAME, Feed};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use talaria_model::{ChatRequest, Completion, Delta, ModelError, ModelTransport};
use talaria_protocol::StatusKind;
use tokio_util::sync::CancellationToken;

/// How an answer is asked for.
pub(crate) struct Attempts<'a> {
    pub transport: &'a dyn ModelTransport,
    pub feed: &'a Arc<Feed>,
    pub max_attempts: u32,
    pub cancel: &'a CancellationToken,
}

/// A failed answer and how many calls it cost.
pub(crate) struct AskOutcome {
    pub result: Result<Completion, ModelError>,
    pub calls: u64,
}

impl Attempts<'_> {
    /// Asks until there is an answer, an error that repeating does not mend, or no attempt left.
    pub(crate) async fn ask(&self, request: &ChatRequest) -> AskOutcome {
        let mut calls = 0;
        let mut attempt = 1;
        loop {
            calls += 1;
            let result = self.ask_once(request).await;
            let error = match result {
                Ok(completion) => {
                    return AskOutcome {
                        result: Ok(completion),
                        calls,
                    };
                }
                Err(error) => error,
            };
            if !error.retryable() || attempt >= self.max_attempts || self.cancel.is_cancelled() {
                return AskOutcome {
                    result: Err(error),
                    calls,
                };
            }
            let pause = pause_before(&error, attempt);
            attempt += 1;
            tracing::debug!(%error, attempt, ?pause, "the model call is tried again");
            self.feed.restart_answer();
            self.feed
                .status(StatusKind::Retrying, &error.to_string(), Some(attempt));
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    return AskOutcome { result: Err(ModelError::Cancelled), calls };
                }
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    async fn ask_once(&self, request: &ChatRequest) -> Result<Completion, ModelError> {
        let held_back = Arc::new(AtomicBool::new(false));
        let mut sink = Sink {
            feed: Arc::clone(self.feed),
            held_back: Arc::clone(&held_back),
        };
        let mut ask = self.transport.ask(request, &mut sink, self.cancel);
        loop {
            // What a frame held back is told when the frame is over, even if no further byte comes.
            let due = async {
                match held_back.load(Ordering::Relaxed) {
                    true => tokio::time::sleep(FRAME).await,
                    false => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                result = &mut ask => return result,
                () = due => {
                    held_back.store(false, Ordering::Relaxed);
                    self.feed.flush();
                }
                () = wait_for(&held_back), if !held_back.load(Ordering::Relaxed) => {}
            }
        }
    }
}

/// Comes back once the sink has held something back. The sink runs inside the same task, so polling order suffices: the
/// select is entered anew whenever the answer's future made progress and this one is polled after it.
async fn wait_for(flag: &AtomicBool) {
    std::future::poll_fn(|_| match flag.load(Ordering::Relaxed) {
        true => std::task::Poll::Ready(()),
        false => std::task::Poll::Pending,
    })
    .await;
}

struct Sink {
    feed: Arc<Feed>,
    held_back: Arc<AtomicBool>,
}

impl talaria_model::DeltaSink for Sink {
    fn delta(&mut self, delta: Delta<'_>) {
        match delta {
            Delta::Text(text) => self.feed.push_text(text),
            Delta::Reasoning(text) => self.feed.push_reasoning(text),
            Delta::CallStarted { name } => self.feed.generating(name),
            Delta::Quiet { seconds } => {
                self.feed.status(
                    StatusKind::Quiet,
                    &format!("the model has sent nothing for {seconds} s"),
                    None,
                );
            }
            Delta::Reconnecting { attempt, restart } => {
                if restart {
                    self.feed.restart_answer();
                }
                self.feed.status(
                    StatusKind::Reconnecting,
                    "the connection to the model broke",
                    Some(attempt),
                );
            }
            Delta::Flush => {
                let held = self.feed.flush_if_due();
                self.held_back.store(held, Ordering::Relaxed);
            }
        }
    }
}

/// The server's own wish, else exponential back-off with jitter from the clock.
fn pause_before(error: &ModelError, attempt: u32) -> Duration {
    match error {
        ModelError::RateLimited {
            retry_after: Some(wait),
            ..
        }
        | ModelError::Server {
            retry_after: Some(wait),
            ..
        } => (*wait).min(Duration::from_secs(600)),
        ModelError::Empty { .. } => talaria_model::backoff_malformed(attempt, jitter()),
        _ => talaria_model::backoff(attempt, jitter()),
    }
}

/// Uniform enough in [0, 1) to keep two clients apart.
fn jitter() -> f64 {
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |now| now.subsec_nanos());
    f64::from(nanos % 1_000_000) / 1_000_000.0
}
