use super::*;
use crate::transport::{ChatRequest, Completion, Delta, FinishReason, ToolDefinition, WireMessage};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use talaria_protocol::{ErrorKind, Layer, Message};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// What the server does with one request.
#[derive(Clone)]
pub(crate) enum Step {
    Send(Vec<u8>),
    Wait(u64),
    Close,
}

/// A server that answers each request with the next script, and repeats the last.
pub(crate) struct TinyServer {
    pub(crate) address: String,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
    _tasks: JoinSet<()>,
}

impl TinyServer {
    pub(crate) async fn start(scripts: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let connections = Arc::new(AtomicUsize::new(0));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (count, seen) = (Arc::clone(&connections), Arc::clone(&requests));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                open.spawn(serve(stream, Arc::clone(&seen), scripts.clone()));
            }
        });
        Self {
            address,
            connections,
            requests,
            _tasks: tasks,
        }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    fn model(&self, timers: Timers) -> Arc<dyn ModelTransport> {
        let route = self.route();
        open_route(
            &route,
            &|_| Some("sk-secret-key".to_owned()),
            &SharedClient::with_timers(timers),
        )
        .unwrap()
    }

    pub(crate) fn route(&self) -> ModelRoute {
        ModelRoute {
            provider: "custom".to_owned(),
            model: "m1".to_owned(),
            base_url: Some(format!("http://{}/v1", self.address)),
            api_key_env: Some("TEST_KEY".to_owned()),
        }
    }
}

async fn serve(mut stream: TcpStream, seen: Arc<Mutex<Vec<String>>>, scripts: Vec<Vec<Step>>) {
    let mut held = Vec::new();
    loop {
        let head = loop {
            if let Some(end) = held.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut held).await.unwrap_or(0) == 0 {
                return;
            }
        };
        let text = String::from_utf8_lossy(&held[..head]).to_lowercase();
        let length = text
            .lines()
            .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())
            .unwrap_or(0);
        while held.len() < head + length {
            if stream.read_buf(&mut held).await.unwrap_or(0) == 0 {
                return;
            }
        }
        let request: Vec<u8> = held.drain(..head + length).collect();
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.push(String::from_utf8(request).unwrap());
            seen.len() - 1
        };
        for step in &scripts[number.min(scripts.len() - 1)] {
            match step {
                Step::Send(bytes) => {
                    if stream.write_all(bytes).await.is_err() {
                        return;
                    }
                }
                Step::Wait(ms) => tokio::time::sleep(Duration::from_millis(*ms)).await,
                Step::Close => return,
            }
        }
    }
}

pub(crate) fn answer(status: &str, kind: &str, extra: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    vec![Step::Send(
        format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n{extra}\r\n{body}")
            .into_bytes(),
    )]
}

const EVENTS_HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

fn http_chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}

fn text_event(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text:?}}},\"finish_reason\":null}}]}}\n\n")
}

fn call_event(arguments: &str) -> String {
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{{\"index\":0,\"id\":\"c1\",\"function\":\
         {{\"name\":\"f\",\"arguments\":{arguments:?}}}}}]}}}}]}}\n\n"
    )
}

const STOP: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// A whole streamed answer, one HTTP chunk an event.
fn streamed(words: &[&str]) -> String {
    let mut out = EVENTS_HEAD.to_owned();
    for word in words {
        out.push_str(&http_chunk(&text_event(word)));
    }
    out.push_str(&http_chunk(STOP));
    out.push_str("0\r\n\r\n");
    out
}

fn request() -> ChatRequest {
    ChatRequest {
        model: "m1".to_owned(),
        system: Some(WireMessage::new(Message::text(
            talaria_protocol::Role::System,
            "be brief",
        ))),
        messages: vec![WireMessage::new(Message::user("hello"))],
        tools: Vec::<ToolDefinition>::new().into(),
        max_tokens: None,
        temperature: None,
    }
}

fn quick() -> Timers {
    Timers {
        stale_local: Duration::from_millis(200),
        quiet: Duration::from_millis(70),
        tail: Duration::from_millis(100),
        retry_pause: Duration::from_millis(5),
        ..Timers::default()
    }
}

/// Asks once and returns the outcome with a log of the deltas.
async fn ask(model: &Arc<dyn ModelTransport>) -> (Result<Completion, ModelError>, Vec<String>) {
    let mut log: Vec<String> = Vec::new();
    let mut sink = |delta: Delta<'_>| match delta {
        Delta::Text(text) => log.push(format!("text {text}")),
        Delta::Reasoning(text) => log.push(format!("reasoning {text}")),
        Delta::CallStarted { name } => log.push(format!("call {name}")),
        Delta::Quiet { .. } => log.push("quiet".to_owned()),
        Delta::Reconnecting { attempt, restart } => log.push(format!("reconnecting {attempt} {restart}")),
        Delta::Flush => {}
    };
    let result = model.ask(&request(), &mut sink, &CancellationToken::new()).await;
    (result, log)
}

async fn failure(script: Vec<Step>) -> ModelError {
    let server = TinyServer::start(vec![script]).await;
    ask(&server.model(quick())).await.0.unwrap_err()
}

#[tokio::test]
async fn twenty_turns_use_one_connection_and_ask_for_no_compression() {
    let server = TinyServer::start(vec![vec![Step::Send(streamed(&["a", "b"]).into_bytes())]]).await;
    let model = server.model(Timers::default());
    for _ in 0..20 {
        let (result, log) = ask(&model).await;
        assert_eq!(result.unwrap().text, "ab");
        assert_eq!(log, ["text a", "text b"]);
    }
    assert_eq!(server.connections(), 1);
    let requests = server.requests();
    assert_eq!(requests.len(), 20);
    assert!(
        requests.iter().all(|request| request == &requests[0]),
        "the same request has the same bytes"
    );
    let head = requests[0].to_lowercase();
    assert!(head.starts_with("post /v1/chat/completions http/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: bearer sk-secret-key\r\n"), "{head}");
    assert!(!head.contains("accept-encoding"), "{head}");
}

#[tokio::test]
async fn a_late_end_of_the_body_still_frees_the_connection() {
    let whole = streamed(&["a"]);
    let (head, end) = whole.split_at(whole.len() - 5);
    let steps = vec![
        Step::Send(head.as_bytes().to_vec()),
        Step::Wait(20),
        Step::Send(end.as_bytes().to_vec()),
    ];
    let server = TinyServer::start(vec![steps]).await;
    let model = server.model(Timers::default());
    for _ in 0..3 {
        ask(&model).await.0.unwrap();
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_stream_cut_at_any_byte_keeps_the_text_and_never_doubles_it() {
    let whole = streamed(&["one ", "two ", "three"]);
    for cut in (0..whole.len()).step_by(7).chain(whole.len() - 40..whole.len()) {
        let cut_short = vec![Step::Send(whole.as_bytes()[..cut].to_vec()), Step::Close];
        let server = TinyServer::start(vec![cut_short, vec![Step::Send(whole.clone().into_bytes())]]).await;
        let (result, log) = ask(&server.model(quick())).await;
        let shown: String = log.iter().filter_map(|line| line.strip_prefix("text ")).collect();
        let done = result.unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
        assert_eq!(done.text, shown, "cut at {cut}");
        assert!("one two three".starts_with(&done.text), "cut at {cut}: {:?}", done.text);
        match done.cut_off {
            true => assert_eq!(
                (done.finish, server.requests().len()),
                (FinishReason::Length, 1),
                "cut at {cut}"
            ),
            false => assert_eq!(
                (done.finish, done.text.as_str()),
                (FinishReason::Stop, "one two three"),
                "cut at {cut}"
            ),
        }
    }
}

#[tokio::test]
async fn a_cut_inside_a_call_is_asked_again_and_what_was_shown_is_void() {
    let begun = format!(
        "{EVENTS_HEAD}{}{}",
        http_chunk(&text_event("hm")),
        http_chunk(&call_event("{\"a\""))
    );
    let cut = vec![Step::Send(begun.into_bytes()), Step::Close];
    let server = TinyServer::start(vec![cut.clone(), vec![Step::Send(streamed(&["ok"]).into_bytes())]]).await;
    let (result, log) = ask(&server.model(quick())).await;
    assert_eq!(result.unwrap().text, "ok");
    assert_eq!(log, ["text hm", "call f", "reconnecting 2 true", "text ok"]);

    let server = TinyServer::start(vec![cut]).await;
    let (result, _) = ask(&server.model(quick())).await;
    let done = result.unwrap();
    assert_eq!(server.requests().len(), 3);
    assert_eq!(
        (done.finish, done.cut_off, done.dropped_calls),
        (FinishReason::Length, true, vec!["f".to_owned()])
    );
    assert!(!done.tool_calls[0].valid);
}

#[tokio::test]
async fn nothing_at_all_is_retried_twice_in_silence_then_told() {
    let server = TinyServer::start(vec![vec![Step::Close]]).await;
    let (result, log) = ask(&server.model(quick())).await;
    assert!(matches!(result, Err(ModelError::Interrupted { .. })), "{result:?}");
    assert_eq!(log, Vec::<String>::new());
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn silence_is_told_and_ends() {
    let server = TinyServer::start(vec![vec![Step::Wait(5000)]]).await;
    let started = Instant::now();
    let (result, log) = ask(&server.model(quick())).await;
    let error = result.unwrap_err();
    assert!(matches!(error, ModelError::Stale { .. }), "{error}");
    assert_eq!(error.to_app_error().layer, Layer::Stream);
    assert!(log.iter().all(|line| line == "quiet") && log.len() >= 3, "{log:?}");
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn silence_after_text_keeps_the_text() {
    let begun = format!("{EVENTS_HEAD}{}", http_chunk(&text_event("half")));
    let server = TinyServer::start(vec![vec![Step::Send(begun.into_bytes()), Step::Wait(5000)]]).await;
    let done = ask(&server.model(quick())).await.0.unwrap();
    assert_eq!((done.text.as_str(), done.cut_off), ("half", true));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_finished_answer_without_an_end_marker_does_not_hang() {
    let finished = format!(
        "{EVENTS_HEAD}{}{}",
        http_chunk(&text_event("done")),
        http_chunk(STOP.strip_suffix("data: [DONE]\n\n").unwrap())
    );
    let server = TinyServer::start(vec![vec![Step::Send(finished.into_bytes()), Step::Wait(5000)]]).await;
    let timers = Timers {
        stale_local: Duration::from_secs(60),
        ..quick()
    };
    let started = Instant::now();
    let done = ask(&server.model(timers)).await.0.unwrap();
    assert_eq!(
        (done.text.as_str(), done.finish, done.cut_off),
        ("done", FinishReason::Stop, false)
    );
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn cancel_ends_at_once() {
    let begun = format!("{EVENTS_HEAD}{}", http_chunk(&text_event("half")));
    let server = TinyServer::start(vec![vec![Step::Send(begun.into_bytes()), Step::Wait(60_000)]]).await;
    let model = server.model(Timers::default());
    let cancel = CancellationToken::new();
    let request = request();
    let (first, mut came) = tokio::sync::mpsc::unbounded_channel();
    let mut sink = move |delta: Delta<'_>| {
        if let Delta::Text(_) = delta {
            first.send(()).unwrap();
        }
    };
    let asking = model.ask(&request, &mut sink, &cancel);
    let cancelling = async {
        came.recv().await.unwrap();
        let at = Instant::now();
        cancel.cancel();
        at
    };
    let (result, at) = futures::future::join(asking, cancelling).await;
    assert!(at.elapsed() < Duration::from_millis(50), "{:?}", at.elapsed());
    assert!(matches!(result, Err(ModelError::Cancelled)));
}

#[tokio::test]
async fn a_plain_answer_is_taken_and_streaming_is_given_up() {
    let body = r#"{"model":"m1","choices":[{"index":0,"message":{"role":"assistant","content":"<think>hm</think>hi","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#;
    let server = TinyServer::start(vec![answer("200 OK", "application/json", "", body)]).await;
    let model = server.model(quick());
    for _ in 0..2 {
        let done = ask(&model).await.0.unwrap();
        assert_eq!(
            (done.text.as_str(), done.reasoning.as_str(), done.tool_calls.len()),
            ("hi", "hm", 1)
        );
    }
    let requests = server.requests();
    assert!(
        requests[0].contains("\"stream\":true") && !requests[1].contains("\"stream\""),
        "{requests:?}"
    );
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn what_a_server_does_not_support_is_left_out() {
    let whole = r#"{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}"#;
    let server = TinyServer::start(vec![
        answer(
            "400 Bad Request",
            "application/json",
            "",
            r#"{"error":{"message":"Unknown parameter: stream_options"}}"#,
        ),
        answer(
            "400 Bad Request",
            "application/json",
            "",
            r#"{"error":{"message":"stream is not supported"}}"#,
        ),
        answer("200 OK", "application/json", "", whole),
    ])
    .await;
    let model = server.model(quick());
    assert_eq!(ask(&model).await.0.unwrap().text, "hi");
    ask(&model).await.0.unwrap();
    let streams: Vec<(bool, bool)> = server
        .requests()
        .iter()
        .map(|request| (request.contains("\"stream\":true"), request.contains("stream_options")))
        .collect();
    assert_eq!(streams, [(true, true), (true, false), (false, false), (false, false)]);
}

#[tokio::test]
async fn refusals_name_layer_and_way_out_and_hide_the_key() {
    let body = r#"{"error":{"message":"Incorrect API key provided: sk-secret-key","code":"invalid_api_key"}}"#;
    let error = failure(answer("401 Unauthorized", "application/json", "", body))
        .await
        .to_app_error();
    assert_eq!(
        (error.kind, error.layer, error.retryable),
        (ErrorKind::Auth, Layer::Auth, false)
    );
    assert!(!format!("{error:?}").contains("sk-secret-key"), "{error:?}");
    assert!(error.message.contains("127.0.0.1") && error.hint.unwrap().contains("TEST_KEY"));

    let limited = failure(answer(
        "429 Too Many Requests",
        "application/json",
        "retry-after: 7\r\n",
        r#"{"error":"slow down"}"#,
    ))
    .await;
    assert!(
        matches!(&limited, ModelError::RateLimited { retry_after: Some(wait), detail, .. } if wait.as_secs() == 7 && detail == "slow down"),
        "{limited:?}"
    );
    assert!(limited.to_app_error().retryable);
}

#[tokio::test]
async fn a_web_page_is_no_answer() {
    let page = "<!doctype html><html><head><title>Router login</title></head></html>";
    let error = failure(answer("200 OK", "text/html", "", page)).await;
    assert!(
        matches!(&error, ModelError::WrongProtocol { detail, .. } if detail.contains("Router login")),
        "{error:?}"
    );
    let shown = error.to_app_error();
    assert_eq!((shown.layer, shown.retryable), (Layer::Endpoint, false));
    assert!(shown.hint.unwrap().contains("/v1"));
    let error = failure(vec![Step::Send(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()), Step::Close]).await;
    assert!(matches!(error, ModelError::WrongProtocol { .. }), "{error:?}");
    let moved = failure(answer(
        "302 Found",
        "text/html",
        "location: https://login.example/\r\n",
        "",
    ))
    .await;
    assert!(
        matches!(&moved, ModelError::WrongProtocol { detail, .. } if detail.contains("login.example")),
        "{moved:?}"
    );
}

#[tokio::test]
async fn a_closed_port_says_so_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let route = ModelRoute {
        provider: "ollama".to_owned(),
        model: "m".to_owned(),
        base_url: Some(format!("http://{address}")),
        api_key_env: None,
    };
    let model = open_route(&route, &|_| None, &SharedClient::new()).unwrap();
    let error = ask(&model).await.0.unwrap_err();
    assert!(
        matches!(&error, ModelError::Unreachable { detail, .. } if detail.contains("refused")),
        "{error:?}"
    );
    assert!(error.to_app_error().retryable);
}

#[tokio::test]
async fn an_error_inside_the_stream_is_reported_with_its_code() {
    let body = format!(
        "{}data: {{\"error\":{{\"message\":\"busy\",\"code\":\"engine_busy\"}}}}\n\n",
        text_event("par")
    );
    let error = failure(answer("200 OK", "text/event-stream", "", &body)).await;
    assert!(
        matches!(&error, ModelError::StreamError { code, .. } if code == "engine_busy"),
        "{error:?}"
    );
}

#[tokio::test]
async fn the_bytes_decide_and_not_the_content_type() {
    let whole = r#"{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}"#;
    for (kind, body) in [
        ("text/event-stream", whole.to_owned()),
        ("text/plain", text_event("hi") + STOP),
    ] {
        let server = TinyServer::start(vec![answer("200 OK", kind, "", &body)]).await;
        assert_eq!(ask(&server.model(quick())).await.0.unwrap().text, "hi", "{kind}");
    }
    let error = failure(answer(
        "200 OK",
        "text/event-stream",
        "",
        r#"{"error":{"message":"m","code":"c"}}"#,
    ))
    .await;
    assert!(
        matches!(&error, ModelError::StreamError { code, .. } if code == "c"),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_endless_event_ends_with_a_clear_error() {
    let mut steps = vec![Step::Send(EVENTS_HEAD.as_bytes().to_vec())];
    let piece = http_chunk(&format!("data: {}", "x".repeat(1 << 20)));
    let more = http_chunk(&"x".repeat(1 << 20));
    steps.push(Step::Send(piece.into_bytes()));
    steps.extend(std::iter::repeat_n(Step::Send(more.into_bytes()), 17));
    let error = failure(steps).await;
    assert!(error.to_string().contains("longer than 16777216 bytes"), "{error}");
}

#[test]
fn a_plain_client_is_made_quickly() {
    let started = Instant::now();
    SharedClient::new().http_for(false, true).unwrap();
    // Loading certificates takes far longer, also in a release build.
    assert!(started.elapsed() < Duration::from_millis(50), "{:?}", started.elapsed());
}
