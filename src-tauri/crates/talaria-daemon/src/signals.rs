//! The signals that stop a run: Ctrl-C, a termination, and the end of the terminal.

/// Listens from its making on: a signal that comes while something else is looked after is not lost.
pub struct StopSignals {
    #[cfg(unix)]
    signals: Vec<tokio::signal::unix::Signal>,
}

impl StopSignals {
    /// Begins to listen. What cannot be listened to keeps its usual effect.
    pub fn listen() -> Self {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
            if !hangup_is_ignored() {
                kinds.push(SignalKind::hangup());
            }
            Self {
                signals: kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect(),
            }
        }
        #[cfg(not(unix))]
        Self {}
    }

    /// Comes back at the next signal. Cancel safe.
    pub async fn next(&mut self) {
        #[cfg(unix)]
        std::future::poll_fn(|cx| {
            let due = self.signals.iter_mut().any(|signal| signal.poll_recv(cx).is_ready());
            if due {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
        // Without the handler nothing can be waited for, and Ctrl-C ends the process by itself.
        #[cfg(not(unix))]
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Whether the program was started to outlive its terminal, as `nohup` does.
#[cfg(unix)]
fn hangup_is_ignored() -> bool {
    // SAFETY: all bits zero is a valid value of the plain C struct.
    let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: no new action is given, and `now` is valid for writes.
    let asked = unsafe { libc::sigaction(libc::SIGHUP, std::ptr::null(), &mut now) };
    asked == 0 && now.sa_sigaction == libc::SIG_IGN
}
