//! The server behind the handle.

use super::Script;
use crate::http::{self, HttpRequest};
use crate::reply::{Act, Answering, Reply};
use crate::request::CapturedRequest;
use crate::strict::strict_request;
use bytes::BytesMut;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::future::Future;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

#[derive(Debug)]
pub(super) struct Shared {
    replies: Mutex<VecDeque<Reply>>,
    requests: Mutex<Vec<(bool, CapturedRequest)>>,
    pub count: watch::Sender<usize>,
    pub connections: AtomicUsize,
    pub aborted: AtomicUsize,
    pub violations: Mutex<Vec<String>>,
    cycle: bool,
    strict: bool,
    keep_requests: bool,
    models: Vec<String>,
    log: Option<PathBuf>,
}

impl Shared {
    pub fn new(script: Script) -> Self {
        Self {
            replies: Mutex::new(script.replies),
            requests: Mutex::default(),
            count: watch::Sender::new(0),
            connections: AtomicUsize::new(0),
            aborted: AtomicUsize::new(0),
            violations: Mutex::default(),
            cycle: script.cycle,
            strict: script.strict,
            keep_requests: script.keep_requests,
            models: script.models,
            log: script.log,
        }
    }

    pub fn replies(&self) -> MutexGuard<'_, VecDeque<Reply>> {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn requests(&self, chat: bool) -> Vec<CapturedRequest> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests
            .iter()
            .filter(|(is_chat, _)| *is_chat == chat)
            .map(|(_, request)| request.clone())
            .collect()
    }

    fn next_reply(&self) -> Reply {
        let mut replies = self.replies();
        let Some(reply) = replies.pop_front() else {
            return Reply::error(
                500,
                &format!("the script has no answer to request {}", *self.count.borrow()),
            );
        };
        if self.cycle {
            replies.push_back(reply.clone());
        }
        reply
    }

    /// Decides on a request and gives the steps of the answer.
    fn answer(&self, http: HttpRequest) -> Vec<Act> {
        let path = http.path.split('?').next().unwrap_or_default();
        let is_chat = path.ends_with("/chat/completions");
        let is_models = path.ends_with("/models");
        let request = CapturedRequest::new(http);
        let number = *self.count.borrow() + usize::from(is_chat);
        self.log(number, &request);
        let reply = match request.method() {
            "POST" if is_chat => match self.strict.then(|| strict_request(request.json())).flatten() {
                Some(problem) => {
                    let reply = Reply::error(400, &problem);
                    self.violations
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(problem);
                    reply
                }
                None => self.next_reply(),
            },
            "GET" if is_models => crate::reply::http(200, "application/json", self.model_list().to_string()),
            method => Reply::error(404, &format!("no such endpoint: {method} {}", request.path())),
        };
        let acts = reply.acts(&Answering {
            request: &request,
            number,
        });
        if self.keep_requests {
            self.requests
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((is_chat, request));
        }
        if is_chat {
            self.count.send_modify(|count| *count += 1);
        }
        acts
    }

    fn model_list(&self) -> Value {
        let models: Vec<Value> = self
            .models
            .iter()
            .map(|id| json!({"id": id, "object": "model", "created": 1_760_000_000, "owned_by": "scripted"}))
            .collect();
        json!({"object": "list", "data": models})
    }

    fn log(&self, number: usize, request: &CapturedRequest) {
        let Some(file) = &self.log else { return };
        let http = request.http();
        let headers: serde_json::Map<String, Value> = http
            .headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value.as_str().into()))
            .collect();
        let line = json!({
            "request": number, "method": http.method, "path": http.path, "headers": headers, "body": request.json(),
        });
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(file)
            .expect("the log can be opened");
        file.write_all(format!("{line}\n").as_bytes())
            .expect("the log can be written");
    }
}

pub(super) fn run(listener: std::net::TcpListener, shared: Arc<Shared>, stop: CancellationToken) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be built");
    runtime.block_on(async {
        listener
            .set_nonblocking(true)
            .expect("a socket can be made non-blocking");
        let listener = TcpListener::from_std(listener).expect("a bound socket can be used");
        let mut open = JoinSet::new();
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                Ok((stream, _)) = listener.accept() => {
                    shared.connections.fetch_add(1, Ordering::SeqCst);
                    let shared = Arc::clone(&shared);
                    // A client may go away at any time; that is no failure of the server.
                    open.spawn(async move { connection(stream, shared).await.unwrap_or_default() });
                }
                Some(ended) = open.join_next() => ended.expect("a connection does not panic"),
            }
        }
    });
}

async fn connection(stream: TcpStream, shared: Arc<Shared>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut reader, mut writer) = stream.into_split();
    let mut held = BytesMut::new();
    while let Some(request) = http::read_request(&mut reader, &mut writer, &mut held).await? {
        let last = request.wants_close();
        for act in shared.answer(request) {
            let went_on = match act {
                Act::Write(bytes) => {
                    let written = writer.write_all(&bytes).await;
                    if written.is_err() {
                        shared.aborted.fetch_add(1, Ordering::SeqCst);
                    }
                    written?;
                    true
                }
                Act::Wait(time) => unless_closed(&mut reader, &mut held, tokio::time::sleep(time)).await,
                Act::Hold(gate) => unless_closed(&mut reader, &mut held, gate.pass()).await,
                Act::Stall => unless_closed(&mut reader, &mut held, std::future::pending()).await,
                Act::Close => return Ok(()),
            };
            if !went_on {
                shared.aborted.fetch_add(1, Ordering::SeqCst);
                return Ok(());
            }
        }
        if last {
            break;
        }
    }
    Ok(())
}

/// Waits for `ready`; `false` when the client closes the connection before.
async fn unless_closed(reader: &mut OwnedReadHalf, held: &mut BytesMut, ready: impl Future<Output = ()>) -> bool {
    let closed = async { while reader.read_buf(held).await.unwrap_or(0) > 0 {} };
    tokio::select! {
        biased;
        () = ready => true,
        () = closed => false,
    }
}
