use super::*;
use crate::{
    Chunking, Gate, calls, calls_many, calls_with_text, html, plain_json, raw_events, says, says_in_pieces, stream_of,
    thinks,
};
use serde_json::{Value, json};
use std::time::Duration;

fn body(text: &str) -> Value {
    json!({
        "model": "m1", "stream": true, "stream_options": {"include_usage": true},
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": text}],
        "tools": [{"type": "function", "function": {"name": "read_file", "parameters": {"type": "object"}}}],
    })
}

async fn post(client: &reqwest::Client, model: &ScriptedModel, body: &Value) -> reqwest::Result<reqwest::Response> {
    let url = format!("{}/chat/completions", model.base_url());
    client
        .post(url)
        .header("authorization", "Bearer k")
        .body(body.to_string())
        .send()
        .await
}

async fn ask(client: &reqwest::Client, model: &ScriptedModel, text: &str) -> String {
    post(client, model, &body(text)).await.unwrap().text().await.unwrap()
}

/// What the chunks of a stream say, one line a field.
fn told(stream: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for event in stream.split_terminator("\n\n") {
        let data = event.strip_prefix("data: ").unwrap();
        if data == "[DONE]" {
            lines.push("done".to_owned());
            continue;
        }
        let chunk: Value = serde_json::from_str(data).unwrap();
        assert_eq!(
            (&chunk["object"], &chunk["model"]),
            (&json!("chat.completion.chunk"), &json!("m1"))
        );
        if let Some(usage) = chunk.get("usage") {
            lines.push(format!("usage {}", usage["total_tokens"]));
            continue;
        }
        let choice = &chunk["choices"][0];
        let delta = &choice["delta"];
        if let Some(text) = delta["content"].as_str().filter(|text| !text.is_empty()) {
            lines.push(format!("text {text}"));
        }
        if let Some(text) = delta["reasoning_content"].as_str() {
            lines.push(format!("thinks {text}"));
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let function = &call["function"];
            match call["id"].as_str() {
                Some(id) => lines.push(format!("call {id} {}", function["name"].as_str().unwrap())),
                None => lines.push(format!(
                    "arguments {} {}",
                    call["index"],
                    function["arguments"].as_str().unwrap()
                )),
            }
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            lines.push(format!("finish {reason}"));
        }
    }
    lines
}

#[tokio::test]
async fn speaks_the_wire_format_over_one_connection() {
    let model = ScriptedModel::start([
        calls("read_file", json!({"path": "a"})),
        thinks("hm", "done"),
        says_in_pieces(["one ", "two"]).finish_reason("length").without_usage(),
        calls_many([("f", json!({})), ("g", json!("{broken"))]).with_ids(["x"]),
        calls_with_text("look", "f", json!({})).usage(7, 3),
    ])
    .await;
    let client = reqwest::Client::new();
    let mut log = Vec::new();
    for text in ["1", "2", "3", "4", "5"] {
        log.push(told(&ask(&client, &model, text).await).join(" | "));
    }
    assert_eq!(
        log,
        [
            "call call_1_0 read_file | arguments 0 {\"path | arguments 0 \":\"a\"} | finish tool_calls | usage 120 | done",
            "thinks hm | text done | finish stop | usage 120 | done",
            "text one  | text two | finish length | done",
            "call x f | arguments 0 { | arguments 0 } | call call_4_1 g | arguments 1 {br | arguments 1 oken | finish \
             tool_calls | usage 120 | done",
            "text look | call call_5_0 f | arguments 0 { | arguments 0 } | finish tool_calls | usage 10 | done",
        ]
    );
    assert_eq!(model.connections(), 1);
    let requests = model.requests();
    assert_eq!(requests.len(), 5);
    let first = &requests[0];
    assert_eq!(
        (first.model(), first.system().as_str(), first.last_user().as_str()),
        ("m1", "be brief", "1")
    );
    assert_eq!(
        (first.tool_names(), first.header("Authorization")),
        (vec!["read_file"], Some("Bearer k"))
    );
    assert_eq!(first.raw_body(), body("1").to_string().as_bytes());
}

#[tokio::test]
async fn says_that_the_script_is_over() {
    let model = ScriptedModel::start([says("only")]).await;
    let client = reqwest::Client::new();
    ask(&client, &model, "a").await;
    let second = post(&client, &model, &body("b")).await.unwrap();
    assert_eq!(second.status(), 500);
    assert!(
        second
            .text()
            .await
            .unwrap()
            .contains("the script has no answer to request 1")
    );
    model.push(says("more"));
    assert!(ask(&client, &model, "c").await.contains("more"));
}

#[tokio::test]
async fn answers_without_a_stream_and_lists_models() {
    let model = Script::new([says("plain"), plain_json("asked for a stream")])
        .models(["a", "b"])
        .start();
    let client = reqwest::Client::new();
    let mut request = body("x");
    request["stream"] = json!(false);
    let answer: Value =
        serde_json::from_str(&post(&client, &model, &request).await.unwrap().text().await.unwrap()).unwrap();
    assert_eq!(
        answer["choices"][0]["message"],
        json!({"role": "assistant", "content": "plain"})
    );
    let answer: Value = serde_json::from_str(&ask(&client, &model, "x").await).unwrap();
    assert_eq!(answer["choices"][0]["message"]["content"], "asked for a stream");
    let list = client
        .get(format!("{}/models", model.base_url()))
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    let list: Value = serde_json::from_str(&list).unwrap();
    assert_eq!(
        (&list["data"][0]["id"], &list["data"][1]["id"]),
        (&json!("a"), &json!("b"))
    );
    assert_eq!((model.requests().len(), model.other_requests().len()), (2, 1));
    let nothing = client
        .get(format!("{}/nothing", model.base_url()))
        .send()
        .await
        .unwrap();
    assert_eq!(nothing.status(), 404);
}

#[tokio::test]
async fn refuses_with_status_and_headers() {
    let model = ScriptedModel::start([Reply::unauthorized(), Reply::rate_limited(7), html(200)]).await;
    let client = reqwest::Client::new();
    let answer = post(&client, &model, &body("x")).await.unwrap();
    assert_eq!(answer.status(), 401);
    let answer = post(&client, &model, &body("x")).await.unwrap();
    assert_eq!(
        (
            answer.status().as_u16(),
            answer.headers()["retry-after"].to_str().unwrap()
        ),
        (429, "7")
    );
    let answer = post(&client, &model, &body("x")).await.unwrap();
    assert!(
        answer.headers()["content-type"]
            .to_str()
            .unwrap()
            .starts_with("text/html")
    );
}

#[tokio::test]
async fn waits_at_gates_before_and_inside_a_stream() {
    let (before, inside) = (Gate::new(), Gate::new());
    // The first event only names the role, so two chunks are out when the second gate is reached.
    let model = ScriptedModel::start([says_in_pieces(["one", "two"]).hold(&before).hold_after(2, &inside)]).await;
    let client = reqwest::Client::new();
    let request = body("x");
    let asked = post(&client, &model, &request);
    let mut answer = {
        tokio::pin!(asked);
        tokio::select! {
            _ = &mut asked => panic!("answered before the gate was open"),
            () = before.reached() => {}
        }
        assert!(!inside.is_reached());
        before.open();
        asked.await.unwrap()
    };
    let mut got = String::new();
    while !got.contains("one") {
        got.push_str(std::str::from_utf8(&answer.chunk().await.unwrap().unwrap()).unwrap());
    }
    inside.reached().await;
    assert!(!got.contains("two"));
    inside.open();
    while let Some(chunk) = answer.chunk().await.unwrap() {
        got.push_str(std::str::from_utf8(&chunk).unwrap());
    }
    assert!(got.ends_with("data: [DONE]\n\n") && got.contains("two"));
}

#[tokio::test]
async fn notices_a_client_that_goes_away() {
    let gate = Gate::new();
    let model = ScriptedModel::start([says("late").hold(&gate), says("next")]).await;
    let client = reqwest::Client::new();
    let request = body("x");
    tokio::select! {
        _ = post(&client, &model, &request) => panic!("answered before the gate was open"),
        () = gate.reached() => {}
    }
    model.wait_for_requests(1).await;
    assert!(ask(&client, &model, "again").await.contains("next"));
    let gone = async {
        while model.aborted() == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), gone).await.unwrap();
}

#[tokio::test]
async fn breaks_off_at_any_byte() {
    let client = reqwest::Client::new();
    let whole = {
        let model = ScriptedModel::start([says("abc")]).await;
        ask(&client, &model, "x").await
    };
    for at in [0, 1, 40, whole.len() - 1, whole.len()] {
        for chunking in [
            Chunking::PerEvent,
            Chunking::BYTES,
            Chunking::Pieces(7),
            Chunking::PIECES_16_KIB,
        ] {
            let model = ScriptedModel::start([says("abc").chunking(chunking).cut_after(at)]).await;
            let mut answer = post(&client, &model, &body("x")).await.unwrap();
            let mut got = Vec::new();
            let error = loop {
                match answer.chunk().await {
                    Ok(Some(chunk)) => got.extend_from_slice(&chunk),
                    Ok(None) => panic!("a cut stream must not end properly"),
                    Err(error) => break error,
                }
            };
            assert!(error.is_body() || error.is_decode(), "{error:?}");
            assert_eq!(got, &whole.as_bytes()[..at], "cut after {at}, {chunking:?}");
        }
    }
}

#[tokio::test]
async fn stalls_closes_and_talks_garbage() {
    let model = ScriptedModel::start([says("abc").stall_after(30), Reply::closes(), Reply::garbage()]).await;
    let client = reqwest::Client::new();
    let mut answer = post(&client, &model, &body("x")).await.unwrap();
    let mut got = 0;
    while got < 30 {
        got += answer.chunk().await.unwrap().unwrap().len();
    }
    let silent = tokio::time::timeout(Duration::from_millis(60), answer.chunk()).await;
    assert!(got == 30 && silent.is_err());
    drop(answer);
    assert!(post(&client, &model, &body("x")).await.is_err());
    assert!(post(&client, &model, &body("x")).await.is_err());
}

#[tokio::test]
async fn answers_by_the_request_for_ever() {
    let model = Script::always(|request| match request.last_user().as_str() {
        "call" => calls("f", json!({})),
        other => says(format!("you said {other}")),
    })
    .forget_requests()
    .start();
    let client = reqwest::Client::new();
    for _ in 0..3 {
        assert!(ask(&client, &model, "call").await.contains("tool_calls"));
        assert!(ask(&client, &model, "hello").await.contains("you said hello"));
    }
    assert_eq!(
        (model.request_count(), model.requests().len(), model.connections()),
        (6, 0, 1)
    );
}

#[tokio::test]
async fn strict_mode_refuses_and_the_script_stands_still() {
    let model = Script::new([says("fine")]).strict().start();
    let client = reqwest::Client::new();
    let mut request = body("x");
    request["messages"] = json!([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]);
    let refused = post(&client, &model, &request).await.unwrap();
    assert_eq!(refused.status(), 400);
    assert_eq!(model.violations(), ["messages[1]: two user messages in a row"]);
    assert!(ask(&client, &model, "x").await.contains("fine"));
}

#[tokio::test]
async fn raw_events_and_long_streams_arrive_as_made() {
    let model = ScriptedModel::start([
        raw_events("data: {\"a\":1}\n\n: comment\n\ndata: x"),
        stream_of(1000),
        stream_of(1000).chunking(Chunking::PIECES_16_KIB),
    ])
    .await;
    let client = reqwest::Client::new();
    assert_eq!(
        ask(&client, &model, "x").await,
        "data: {\"a\":1}\n\n: comment\n\ndata: x"
    );
    let per_event = ask(&client, &model, "x").await;
    assert_eq!(per_event.matches("\" word\"").count(), 1000);
    assert!(per_event.ends_with("\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"));
    assert_eq!(ask(&client, &model, "x").await, per_event);
}

#[test]
fn runs_without_a_runtime_and_writes_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("requests.jsonl");
    let model = ScriptedModel::start_blocking(Script::new([says("x")]).log_to(&log));
    let address = model.address().to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async { ask(&reqwest::Client::new(), &model, "hello").await });
    let line: Value = serde_json::from_str(std::fs::read_to_string(&log).unwrap().trim()).unwrap();
    assert_eq!((&line["request"], &line["method"]), (&json!(1), &json!("POST")));
    assert_eq!(
        (&line["headers"]["authorization"], &line["body"]),
        (&json!("Bearer k"), &body("hello"))
    );
    drop(model);
    assert!(
        std::net::TcpStream::connect(address).is_err(),
        "the port must be closed"
    );
}
