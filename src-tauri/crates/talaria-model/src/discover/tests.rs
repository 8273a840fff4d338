use super::*;
use crate::client::tests::{Step, TinyServer, answer};
use std::time::Instant as Clock;
use talaria_protocol::TestLegState;
use tokio_util::sync::CancellationToken;

fn place(name: &str, address: &str) -> Candidate {
    Candidate {
        profile: profile(name).unwrap(),
        base_url: format!("http://{address}/v1"),
    }
}

#[tokio::test]
async fn servers_are_found_and_the_silent_do_not_delay() {
    let list = r#"{"object":"list","data":[{"id":"a","meta":{"n_ctx_train":32768}},{"id":"b","max_model_len":4096}]}"#;
    let good = TinyServer::start(vec![answer("200 OK", "application/json", "", list)]).await;
    let tags = r#"{"models":[{"name":"qwen3:8b","model":"qwen3:8b"}]}"#;
    let old = TinyServer::start(vec![
        answer("404 Not Found", "text/plain", "", "404 page not found"),
        answer("200 OK", "application/json", "", tags),
    ])
    .await;
    let silent = TinyServer::start(vec![vec![Step::Wait(5000)]]).await;
    let web = TinyServer::start(vec![answer("200 OK", "text/html", "", "<html></html>")]).await;
    let places = vec![
        place("vllm", &good.address),
        place("ollama", &old.address),
        place("lmstudio", &silent.address),
        place("llamacpp", &web.address),
        place("llamacpp", "127.0.0.1:1"),
    ];
    let started = Clock::now();
    let found = discover(places, &SharedClient::new()).await;
    assert!(
        started.elapsed() < Duration::from_millis(350),
        "{:?}",
        started.elapsed()
    );
    let summary: Vec<(&str, bool, u32)> = found
        .iter()
        .map(|(server, _)| (server.provider.as_str(), server.found, server.models))
        .collect();
    assert_eq!(
        summary,
        [
            ("vllm", true, 2),
            ("ollama", true, 1),
            ("lmstudio", false, 0),
            ("llamacpp", false, 0),
            ("llamacpp", false, 0)
        ]
    );
    let windows: Vec<Option<u64>> = found[0].1.iter().map(|model| model.context_length).collect();
    assert_eq!(windows, [Some(32768), Some(4096)]);
    assert_eq!(found[1].1[0].route.model, "qwen3:8b");
}

#[test]
fn the_usual_places_are_the_four_servers() {
    let places: Vec<String> = usual_places().into_iter().map(|place| place.base_url).collect();
    assert_eq!(
        places,
        [
            "http://127.0.0.1:11434/v1",
            "http://127.0.0.1:1234/v1",
            "http://127.0.0.1:8080/v1",
            "http://127.0.0.1:8000/v1"
        ]
    );
}

async fn legs_of(scripts: Vec<Vec<Step>>) -> (String, Option<String>) {
    let server = TinyServer::start(scripts).await;
    let (legs, error) = test_route(
        &server.route(),
        &|_| Some("k".to_owned()),
        &SharedClient::new(),
        &CancellationToken::new(),
    )
    .await;
    assert_eq!(
        legs.iter().map(|leg| leg.name.as_str()).collect::<Vec<_>>(),
        ["key", "reach", "protocol", "model", "answer"]
    );
    let states = legs.iter().map(|leg| match leg.state {
        TestLegState::Done => '+',
        TestLegState::Failed => '!',
        TestLegState::Skipped => '-',
    });
    (states.collect(), error.map(|error| error.key))
}

#[tokio::test]
async fn a_test_names_the_leg_that_fails() {
    let list = || answer("200 OK", "application/json", "", r#"{"data":[{"id":"m1"}]}"#);
    let says = || {
        answer(
            "200 OK",
            "application/json",
            "",
            r#"{"choices":[{"message":{"content":"ready"}}]}"#,
        )
    };
    let no = |status: &str, body: &str| answer(status, "application/json", "", body);
    assert_eq!(legs_of(vec![list(), says()]).await, ("+++++".to_owned(), None));
    assert_eq!(
        legs_of(vec![no("404 Not Found", "{}"), says()]).await,
        ("+++++".to_owned(), None)
    );
    let failed = |states: &str, key: &str| (states.to_owned(), Some(key.to_owned()));
    assert_eq!(
        legs_of(vec![no("401 Unauthorized", "{}")]).await,
        failed("!----", "error.model.auth")
    );
    assert_eq!(
        legs_of(vec![answer("200 OK", "text/html", "", "<html><title>x</title></html>")]).await,
        failed("++!--", "error.model.protocol")
    );
    let missing = no("404 Not Found", r#"{"error":{"message":"model m1 not found"}}"#);
    assert_eq!(
        legs_of(vec![list(), missing]).await,
        failed("+++!-", "error.model.not_found")
    );
    assert_eq!(
        legs_of(vec![list(), no("429 Too Many Requests", "{}")]).await,
        failed("++++!", "error.model.rate_limited")
    );
}

#[tokio::test]
async fn a_test_without_a_key_fails_at_the_key() {
    let route = ModelRoute {
        provider: "openai".to_owned(),
        model: "m".to_owned(),
        base_url: None,
        api_key_env: None,
    };
    let (legs, error) = test_route(&route, &|_| None, &SharedClient::new(), &CancellationToken::new()).await;
    assert_eq!(legs[0].state, TestLegState::Failed);
    assert!(error.unwrap().hint.unwrap().contains("OPENAI_API_KEY"));
}
