//! A handler that notes what reached it, and a client at the other end of a peer.

use super::*;
use std::future::Future;
use std::sync::Mutex;
use talaria_protocol::*;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// Notes every call; `model.test` of the model `slow` waits until it may go.
pub struct Fake {
    calls: Mutex<Vec<(String, Value)>>,
    pub go: Notify,
    hub: Mutex<Option<Arc<Hub>>>,
}

impl Fake {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            calls: Mutex::default(),
            go: Notify::new(),
            hub: Mutex::default(),
        })
    }

    /// Handlers that were called, in order.
    pub fn names(&self) -> Vec<String> {
        self.calls
            .lock()
            .unwrap()
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Texts of the calls that brought one.
    pub fn texts(&self) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        calls
            .iter()
            .filter_map(|(_, params)| params["text"].as_str().map(str::to_owned))
            .collect()
    }

    async fn reply<R: serde::de::DeserializeOwned>(
        &self,
        name: &str,
        client: &ClientId,
        params: Value,
    ) -> Result<R, AppError> {
        self.calls.lock().unwrap().push((name.to_owned(), params.clone()));
        let mut replayed = false;
        if name == "client_hello" {
            if params["protocol"] != "1.0" {
                return Err(AppError::invalid("another protocol"));
            }
            let hello: HelloParams = serde_json::from_value(params.clone()).unwrap();
            let hub = self.hub.lock().unwrap().clone().unwrap();
            replayed = hub.hello(client, &hello.capabilities, hello.resume.as_ref());
        }
        if params["session_id"] == "gone" {
            return Err(AppError::not_found("there is no session gone"));
        }
        if params["route"]["model"] == "slow" {
            self.go.notified().await;
        }
        // Later messages must not overtake earlier ones, however long each takes.
        for _ in 0..params["text"].as_str().map_or(0, |text| 7 - text.len() % 7) {
            tokio::task::yield_now().await;
        }
        let usage = json!({"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0,
            "reasoning_tokens": 0, "api_calls": 0, "last_prompt_tokens": 0});
        let route = json!({"provider": "custom", "model": "m", "base_url": null, "api_key_env": null});
        let session = json!({"session_id": "a", "title": "", "title_is_users": false, "preview": "", "state": "idle",
            "started_at": 0.0, "last_active_at": 0.0, "project_dir": null, "git_branch": null, "model": null,
            "approval_mode": "ask", "message_count": 0, "usage": usage, "source": "cli"});
        let parts = [
            json!({"protocol": "1.0", "core_version": "0", "epoch": "e1", "heartbeat_s": 15, "features": [],
                "global_seq": 0, "replayed": replayed, "notices": [], "default_model": null, "default_mode": "ask",
                "machine": "", "home": ""}),
            json!({"session": session, "rows": [], "older_cursor": null, "older_rows": 0, "seq": 0,
                "running_turn": null, "todos": [], "queue": [], "queue_paused": false, "open_requests": [], "draft": "",
                "sessions": [], "next_cursor": null, "undo_until": null}),
            json!({"accepted": "started", "turn_id": "t1", "entries": [], "paused": false, "models": [], "servers": [],
                "route": route, "cache_lost": false, "ok": true, "legs": [], "error": null, "mode": "ask"}),
            json!({"value": 1, "path": "", "warnings": [], "total": 0, "complete": true, "events": [], "text": ""}),
        ];
        // All replies in one object: each type takes what is its own.
        let mut all = Value::Object(
            parts
                .into_iter()
                .filter_map(|part| part.as_object().cloned())
                .flatten()
                .collect(),
        );
        if name == "usage_get" {
            all["total"] = usage;
        }
        Ok(serde_json::from_value(all).unwrap())
    }
}

macro_rules! fakes {
    ($($name:ident($params:ty) -> $reply:ty,)*) => {
        impl Methods for Fake {
            $(fn $name(&self, client: &ClientId, params: $params) -> impl Future<Output = Result<$reply, AppError>> + Send {
                let client = client.clone();
                async move { self.reply(stringify!($name), &client, serde_json::to_value(params).unwrap()).await }
            })*
        }
    };
}

fakes! {
    client_hello(HelloParams) -> HelloReply,
    session_create(SessionCreateParams) -> SessionSnapshot,
    session_resume(SessionResumeParams) -> SessionSnapshot,
    session_history(SessionHistoryParams) -> SessionHistoryReply,
    session_list(SessionListParams) -> SessionListReply,
    session_rename(SessionRenameParams) -> SessionReply,
    session_delete(SessionDeleteParams) -> SessionDeleteReply,
    session_restore(SessionRefParams) -> SessionReply,
    session_interrupt(SessionRefParams) -> Done,
    session_steer(SessionTextParams) -> PromptReply,
    session_queue_add(SessionTextParams) -> QueueReply,
    session_queue_edit(QueueEditParams) -> QueueReply,
    session_queue_move(QueueMoveParams) -> QueueReply,
    session_queue_remove(QueueEntryParams) -> QueueReply,
    session_queue_resume(SessionRefParams) -> QueueReply,
    session_draft(SessionTextParams) -> Done,
    prompt_submit(PromptSubmitParams) -> PromptReply,
    model_list(ModelListParams) -> ModelListReply,
    model_set(ModelSetParams) -> ModelSetReply,
    model_test(ModelTestParams) -> ModelTestReply,
    approvals_mode_set(ApprovalModeParams) -> ApprovalModeReply,
    config_get(ConfigGetParams) -> ConfigGetReply,
    config_set(ConfigSetParams) -> ConfigGetReply,
    usage_get(UsageGetParams) -> UsageGetReply,
    events_since(EventsSinceParams) -> EventsSinceReply,
    tool_result(ToolResultParams) -> ToolResultReply,
}

/// Each method with parameters that fit.
pub fn params_of_all_methods() -> Vec<(&'static str, Value)> {
    let session = json!({"session_id": "a"});
    let text = json!({"session_id": "a", "text": "x"});
    let route = json!({"provider": "custom", "model": "m", "base_url": null, "api_key_env": null});
    vec![
        (
            "client.hello",
            json!({"protocol": "1.0", "app_version": "1", "client": "cli"}),
        ),
        ("session.create", json!({})),
        ("session.resume", session.clone()),
        ("session.history", json!({"session_id": "a", "cursor": "1"})),
        ("session.list", Value::Null),
        ("session.rename", json!({"session_id": "a", "title": "x"})),
        ("session.delete", session.clone()),
        ("session.restore", session.clone()),
        ("session.interrupt", session.clone()),
        ("session.steer", text.clone()),
        ("session.queue.add", text.clone()),
        (
            "session.queue.edit",
            json!({"session_id": "a", "entry_id": "1", "text": "x"}),
        ),
        (
            "session.queue.move",
            json!({"session_id": "a", "entry_id": "1", "index": 0}),
        ),
        ("session.queue.remove", json!({"session_id": "a", "entry_id": "1"})),
        ("session.queue.resume", session),
        ("session.draft", text.clone()),
        ("prompt.submit", text),
        ("model.list", json!({})),
        ("model.set", json!({"route": route})),
        ("model.test", json!({"route": route})),
        ("approvals.mode.set", json!({"mode": "ask"})),
        ("config.get", json!({})),
        ("config.set", json!({"key": "a.b", "value": 1})),
        ("usage.get", json!({})),
        ("events.since", json!({"epoch": "e1", "seq": 0})),
        (
            "tool.result",
            json!({"session_id": "a", "turn_id": "t1", "call_id": "c"}),
        ),
    ]
}

/// The first call of a client.
pub fn hello(capabilities: &[&str]) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "client.hello",
        "params": {"protocol": "1.0", "app_version": "1", "client": "desktop", "capabilities": capabilities}})
}

/// A served peer as its client sees it.
pub struct Peer {
    pub hub: Arc<Hub>,
    pub fake: Arc<Fake>,
    pub frames: mpsc::Sender<String>,
    out: mpsc::UnboundedReceiver<Value>,
    service: JoinSet<()>,
    last_id: u64,
}

struct Sink(mpsc::UnboundedSender<Value>);

impl Outbox for Sink {
    fn send<'a>(&'a mut self, frame: Arc<str>) -> BoxFuture<'a, bool> {
        let sent = self.0.send(serde_json::from_str(&frame).unwrap()).is_ok();
        Box::pin(async move { sent })
    }
}

impl Peer {
    pub fn start() -> Self {
        Self::over(&Hub::new(Epoch::from("e1")), &Fake::new())
    }

    pub fn over(hub: &Arc<Hub>, fake: &Arc<Fake>) -> Self {
        *fake.hub.lock().unwrap() = Some(Arc::clone(hub));
        let (frames, inbox) = mpsc::channel(64);
        let (sink, out) = mpsc::unbounded_channel();
        let mut service = JoinSet::new();
        service.spawn(serve_peer(Arc::clone(fake), Arc::clone(hub), inbox, Sink(sink)));
        Self {
            hub: Arc::clone(hub),
            fake: Arc::clone(fake),
            frames,
            out,
            service,
            last_id: 0,
        }
    }

    pub async fn send(&self, frame: Value) {
        self.frames.send(frame.to_string()).await.unwrap();
    }

    /// The next frame for the client.
    pub async fn next(&mut self) -> Value {
        self.out.recv().await.expect("the peer has ended")
    }

    /// Calls and takes the next frame, which must be the answer.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        self.send(json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}))
            .await;
        self.next().await
    }

    pub async fn greet(&mut self, capabilities: &[&str]) -> Value {
        self.last_id += 1;
        let mut frame = hello(capabilities);
        frame["id"] = json!(self.last_id);
        self.send(frame).await;
        self.next().await
    }

    /// Answers a question of the core with a result or an error.
    pub async fn answer(&self, id: &str, mut body: Value) {
        body["jsonrpc"] = json!("2.0");
        body["id"] = json!(id);
        self.send(body).await;
    }

    /// Ends the client's side; gives what it is still sent.
    pub fn end_input(self) -> (Arc<Fake>, impl Future<Output = Vec<Value>>) {
        let Self {
            fake,
            frames,
            mut out,
            mut service,
            ..
        } = self;
        drop(frames);
        let rest = async move {
            let mut rest = Vec::new();
            while let Some(frame) = out.recv().await {
                rest.push(frame);
            }
            while service.join_next().await.is_some() {}
            rest
        };
        (fake, rest)
    }

    pub fn close_output(&mut self) {
        self.out.close();
    }

    /// Waits until the service has ended.
    pub async fn served(&mut self) {
        while let Some(ended) = self.service.join_next().await {
            ended.expect("the service does not panic");
        }
    }
}
