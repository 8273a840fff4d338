//! How many small deltas a second one core assembles, think scrubbing included, and what a long request body costs.
//! `cargo bench -p talaria-model` prints one JSON object a line.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use talaria_model::wire::chat::{ChatStyle, body, tools_json};
use talaria_model::wire::chat_stream::ChatAssembler;
use talaria_model::{CapKey, ChatRequest, Delta, ReasoningEcho, SharedClient, WireMessage, open_route};
use talaria_protocol::{Message, ModelRoute, ToolCall};
use tokio_util::sync::CancellationToken;

const DELTAS: usize = 200_000;

fn main() {
    // `cargo test --benches` runs this too; measuring a debug build says nothing.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    for (name, read) in [("assembly_16k_reads", 16 * 1024), ("assembly_one_read_an_event", 0)] {
        let best = (0..15).map(|_| assemble(read)).fold(f64::INFINITY, f64::min);
        println!(
            "{{\"bench\":\"{name}\",\"deltas_per_second\":{:.0}}}",
            DELTAS as f64 / best
        );
    }
    println!("{{\"bench\":\"first_ask_to_a_closed_port\",\"ms\":{:.3}}}", first_ask());
    let (first, next) = bodies();
    println!("{{\"bench\":\"body_1200_messages\",\"first_ms\":{first:.3},\"next_ms\":{next:.3}}}");
}

/// Time of this thread on a core where the system tells, so that other work on the machine does not count.
struct Stopwatch {
    wall: Instant,
    on_core: Option<f64>,
}

impl Stopwatch {
    fn start() -> Self {
        Self {
            wall: Instant::now(),
            on_core: on_core(),
        }
    }

    fn seconds(&self) -> f64 {
        match (self.on_core, on_core()) {
            (Some(before), Some(now)) => now - before,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

fn on_core() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(stat.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

/// Milliseconds from nothing to the refusal of a closed port: client, request and connection.
fn first_ask() -> f64 {
    let route = ModelRoute {
        provider: "custom".to_owned(),
        model: "m".to_owned(),
        base_url: Some("http://127.0.0.1:1/v1".to_owned()),
        api_key_env: None,
    };
    let request = ChatRequest {
        model: "m".to_owned(),
        system: None,
        messages: vec![WireMessage::new(Message::user("hello"))],
        tools: Vec::new().into(),
        max_tokens: None,
        temperature: None,
    };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return f64::NAN;
    };
    let started = Instant::now();
    let Ok(model) = open_route(&route, &|_| None, &SharedClient::new()) else {
        return f64::NAN;
    };
    let mut sink = |_: Delta<'_>| {};
    let answer = runtime.block_on(model.ask(&request, &mut sink, &CancellationToken::new()));
    black_box(answer.is_err());
    started.elapsed().as_secs_f64() * 1000.0
}

/// Seconds for all deltas, handed over in reads of `read` bytes, or one event a read if it is 0.
fn assemble(read: usize) -> f64 {
    let event = |word: &str| {
        format!(
            "data: {{\"id\":\"chatcmpl-123\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\",\
             \"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{word}\"}},\"finish_reason\":null}}]}}\n\n"
        )
    };
    let words = ["hello ", "wor", "ld, ", "a < b ", "done.\\n"];
    let events: Vec<String> = words.iter().map(|word| event(word)).collect();
    let stream: Vec<u8> = events
        .iter()
        .cycle()
        .take(DELTAS)
        .flat_map(|event| event.bytes())
        .collect();
    let mut deltas = 0_usize;
    let mut sink = |delta: Delta<'_>| {
        if let Delta::Text(text) = delta {
            deltas += black_box(text).len();
        }
    };
    let mut assembler = ChatAssembler::default();
    let started = Stopwatch::start();
    if read > 0 {
        for bytes in stream.chunks(read) {
            assembler
                .push(bytes, &mut sink)
                .unwrap_or_else(|fault| eprintln!("{fault}"));
        }
    } else {
        for event in events.iter().cycle().take(DELTAS) {
            assembler
                .push(event.as_bytes(), &mut sink)
                .unwrap_or_else(|fault| eprintln!("{fault}"));
        }
    }
    let seconds = started.seconds();
    black_box(deltas);
    black_box(assembler.text().len());
    seconds
}

/// Milliseconds for the first body of a long history and for the next one with two more messages.
fn bodies() -> (f64, f64) {
    let mut messages: Vec<Arc<WireMessage>> = Vec::new();
    for number in 0..400 {
        let call = ToolCall {
            id: format!("call_{number}").as_str().into(),
            name: "read_file".to_owned(),
            arguments: format!("{{\"path\": \"src/file{number}.rs\", \"limit\": 200}}"),
        };
        messages.push(WireMessage::new(Message::user("please read the next file")));
        messages.push(WireMessage::new(Message::calls(vec![call.clone()])));
        messages.push(WireMessage::new(Message::tool(&call, "line of the file\n".repeat(40))));
    }
    let style = ChatStyle {
        cap_key: CapKey::MaxTokens,
        reasoning_echo: ReasoningEcho::Never,
        stream: true,
        stream_usage: true,
    };
    let mut request = ChatRequest {
        model: "m".to_owned(),
        system: Some(WireMessage::new(Message::user("x".repeat(20_000)))),
        messages,
        tools: Vec::new().into(),
        max_tokens: None,
        temperature: None,
    };
    let time = |request: &ChatRequest| {
        let started = Instant::now();
        black_box(body(request, tools_json(&request.tools).as_deref(), style));
        started.elapsed().as_secs_f64() * 1000.0
    };
    let first = time(&request);
    request.messages.push(WireMessage::new(Message::assistant("read")));
    request.messages.push(WireMessage::new(Message::user("go on")));
    let next = (0..20).map(|_| time(&request)).fold(f64::INFINITY, f64::min);
    (first, next)
}
