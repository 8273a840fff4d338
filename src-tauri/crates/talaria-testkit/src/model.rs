//! The scripted model: a server on a loopback port that answers Chat Completions requests from a script.

mod serve;

use crate::reply::{Reply, respond_with};
use crate::request::CapturedRequest;
use serve::Shared;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio_util::sync::CancellationToken;

/// What a server is to do.
#[derive(Clone, Debug)]
pub struct Script {
    replies: VecDeque<Reply>,
    cycle: bool,
    strict: bool,
    keep_requests: bool,
    models: Vec<String>,
    log: Option<PathBuf>,
    port: u16,
}

impl<I: IntoIterator<Item = Reply>> From<I> for Script {
    fn from(replies: I) -> Self {
        Self {
            replies: replies.into_iter().collect(),
            cycle: false,
            strict: false,
            keep_requests: true,
            models: vec!["scripted".to_owned()],
            log: None,
            port: 0,
        }
    }
}

impl Script {
    /// Answers in order; a request after the last answer gets status 500 and a sentence that says so.
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        replies.into()
    }

    /// Answers the same way for ever, by the request alone.
    pub fn always(decide: impl Fn(&CapturedRequest) -> Reply + Send + Sync + 'static) -> Self {
        Self::new([respond_with(decide)]).cycle()
    }

    /// Begins again after the last answer.
    pub fn cycle(mut self) -> Self {
        self.cycle = true;
        self
    }

    /// Refuses a request that a strict provider would refuse, with status 400 and the reason; the script does not move on.
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Counts requests without keeping them, for long runs.
    pub fn forget_requests(mut self) -> Self {
        self.keep_requests = false;
        self
    }

    /// Ids that `GET …/models` lists.
    pub fn models<T: Into<String>>(mut self, ids: impl IntoIterator<Item = T>) -> Self {
        self.models = ids.into_iter().map(Into::into).collect();
        self
    }

    /// Appends each request as one line of JSON to a file.
    pub fn log_to(mut self, file: impl Into<PathBuf>) -> Self {
        self.log = Some(file.into());
        self
    }

    /// Listens on this port instead of a free one.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Starts the server. It runs on a thread of its own, so that neither a busy runtime nor paused time of the test holds
    /// it up.
    pub fn start(self) -> ScriptedModel {
        let listener = std::net::TcpListener::bind(("127.0.0.1", self.port)).expect("a loopback port is free");
        let address = listener
            .local_addr()
            .expect("a bound socket has an address")
            .to_string();
        let stop = CancellationToken::new();
        for reply in &self.replies {
            reply.prepare();
        }
        let shared = Arc::new(Shared::new(self));
        let (served, stopped) = (Arc::clone(&shared), stop.clone());
        let thread = std::thread::Builder::new()
            .name("scripted-model".to_owned())
            .spawn(move || serve::run(listener, served, stopped))
            .expect("a thread can be started");
        ScriptedModel {
            address,
            shared,
            stop,
            thread: Mutex::new(Some(thread)),
        }
    }
}

/// A running server. Dropping it closes the port and every connection.
#[derive(Debug)]
pub struct ScriptedModel {
    address: String,
    shared: Arc<Shared>,
    stop: CancellationToken,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl ScriptedModel {
    /// Starts a server with a script; a list of replies is one.
    pub async fn start(script: impl Into<Script>) -> Self {
        script.into().start()
    }

    /// The same without a runtime.
    pub fn start_blocking(script: impl Into<Script>) -> Self {
        script.into().start()
    }

    /// Address to configure: `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// `127.0.0.1:PORT`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Adds an answer at the end of the script.
    pub fn push(&self, reply: Reply) {
        reply.prepare();
        self.shared.replies().push_back(reply);
    }

    /// Answers that were not asked for yet.
    pub fn replies_left(&self) -> usize {
        self.shared.replies().len()
    }

    /// Chat requests so far, refused ones included.
    pub fn requests(&self) -> Vec<CapturedRequest> {
        self.shared.requests(true)
    }

    /// Requests for anything but a chat, such as the list of models.
    pub fn other_requests(&self) -> Vec<CapturedRequest> {
        self.shared.requests(false)
    }

    /// Number of chat requests so far.
    pub fn request_count(&self) -> usize {
        *self.shared.count.borrow()
    }

    /// Waits until there have been so many chat requests.
    pub async fn wait_for_requests(&self, count: usize) {
        let mut seen = self.shared.count.subscribe();
        // The sender lives as long as this server.
        let _ = seen.wait_for(|seen| *seen >= count).await;
    }

    /// Connections that were opened so far.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Answers that were broken off because the client went away.
    pub fn aborted(&self) -> usize {
        self.shared.aborted.load(Ordering::SeqCst)
    }

    /// What was wrong with the histories that strict mode refused.
    pub fn violations(&self) -> Vec<String> {
        self.shared
            .violations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Blocks until the server ends, which it does only when told to by another thread.
    pub fn serve_forever(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            thread.join().expect("the server does not panic");
        }
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.stop.cancel();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // A panic of the server has already been printed; the test fails by what it did not get.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
