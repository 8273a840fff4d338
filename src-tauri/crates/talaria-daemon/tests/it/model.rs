//! Models: which one is used, and what is told when it fails.

use crate::rig::{Ended, Rig, finish};
use serde_json::json;
use talaria_testkit::{Reply, ScriptedModel, TempHome, calls, html, raw_events, says};

async fn failing(reply: Reply) -> (Rig, Ended) {
    // Failures that are tried again come as often as they are asked for.
    let rig = Rig::start(talaria_testkit::Script::new([reply]).cycle()).await;
    rig.home.write_config(&format!(
        "model:\n  default: scripted\n  base_url: {}\nagent:\n  api_max_retries: 1\n",
        rig.model.base_url()
    ));
    let ended = rig.call(["run", "--json", "do something"]).await;
    (rig, ended)
}

/// The run failed in this layer, said so with a way out, and kept the person's message.
async fn assert_failed(rig: &Rig, ended: &Ended, kind: &str, layer: &str) {
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let result = ended.result();
    let told = (&result["status"], &result["error"]["kind"], &result["error"]["layer"]);
    assert_eq!(told, (&json!("failed"), &json!(kind), &json!(layer)), "{result}");
    let message = result["error"]["message"].as_str().unwrap();
    assert!(ended.err.contains(&format!("error: {message}")), "{}", ended.err);
    assert!(result["error"]["hint"].is_string(), "{result}");
    let kept = rig.call(["sessions", "show", &ended.session()]).await;
    assert!(kept.out.contains("> do something"), "{kept:?}");
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_named() {
    let (rig, _) = failing(says("unused")).await;
    let gone = ScriptedModel::start([]).await.base_url();
    let ended = rig.call(["run", "--json", "--base-url", &gone, "do something"]).await;
    assert_failed(&rig, &ended, "model", "endpoint").await;
    assert!(ended.err.contains(&gone), "{}", ended.err);
}

#[tokio::test]
async fn a_refused_key_is_an_error_of_the_key() {
    let (rig, ended) = failing(Reply::unauthorized()).await;
    assert_failed(&rig, &ended, "auth", "auth").await;
    assert_eq!(rig.model.request_count(), 1, "a refused key is not tried again");
}

#[tokio::test]
async fn a_web_page_is_an_error_of_the_address() {
    let (rig, ended) = failing(html(200)).await;
    assert_failed(&rig, &ended, "model", "endpoint").await;
    assert!(ended.err.contains("/v1"), "{}", ended.err);
}

#[tokio::test]
async fn a_limit_of_the_rate_is_told() {
    let (rig, ended) = failing(Reply::rate_limited(0)).await;
    assert_failed(&rig, &ended, "model", "model").await;
}

#[tokio::test]
async fn no_http_at_all_is_an_error_of_the_address() {
    let (rig, ended) = failing(Reply::garbage()).await;
    assert_failed(&rig, &ended, "model", "endpoint").await;
}

#[tokio::test]
async fn a_stream_that_is_cut_keeps_the_session_usable() {
    let (rig, ended) = failing(says("A sentence that never comes whole.").cut_after(200)).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.result()["error"]["hint"].is_string());
    let session = ended.session();
    drop(rig.model);
    let again = ScriptedModel::start([says("Here again.")]).await;
    let mut command = crate::rig::program(&rig.home);
    command
        .args(["run", "--session", &session, "--base-url", &again.base_url(), "go on"])
        .current_dir(&rig.project);
    let ended = finish(command).await;
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), "Here again.\n"),
        "{ended:?}"
    );
    assert_eq!(talaria_testkit::strict_request(again.requests()[0].json()), None);
}

#[tokio::test]
async fn an_error_inside_the_stream_is_told() {
    let event = "data: {\"error\": {\"message\": \"the GPU fell over\", \"code\": 500}}\n\n";
    let (_, ended) = failing(raw_events(event)).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("the GPU fell over"), "{}", ended.err);
}

#[tokio::test]
async fn wrong_calls_are_answered_and_the_run_completes() {
    let rig = Rig::start([
        calls("no_such_thing_at_all", json!({})),
        calls("read_file", json!("{\"path\": ")),
        calls("read_file", json!({"path": {"deep": true}})),
        says("I give up."),
    ])
    .await;
    let ended = rig.call(["run", "go"]).await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "I give up.\n"), "{ended:?}");
    rig.assert_strict();
}

#[tokio::test]
async fn options_name_the_server_the_model_and_the_key() {
    let rig = Rig::start([]).await;
    let other = ScriptedModel::start([says("ok")]).await;
    let mut command = rig.talariad([
        "run",
        "--json",
        "--base-url",
        &other.base_url(),
        "--model",
        "big",
        "--api-key-env",
        "MY_KEY",
        "x",
    ]);
    command.env("MY_KEY", "sk-secret-value-1234567890");
    let ended = finish(command).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let requests = other.requests();
    assert_eq!(requests[0].model(), "big");
    assert_eq!(
        requests[0].header("authorization"),
        Some("Bearer sk-secret-value-1234567890")
    );
    assert!(
        !ended.out.contains("sk-secret") && !ended.err.contains("sk-secret"),
        "{ended:?}"
    );
    for entry in walk(&rig.home.path()) {
        let bytes = std::fs::read(&entry).unwrap();
        let found = bytes.windows(9).any(|part| part == b"sk-secret");
        assert!(!found, "the key lies in {}", entry.display());
    }
}

#[tokio::test]
async fn a_refused_key_is_not_shown() {
    let rig = Rig::start([]).await;
    let body = r#"{"error": {"message": "Incorrect API key provided: sk-secret-value-1234567890."}}"#;
    let other = ScriptedModel::start([talaria_testkit::http(401, "application/json", body)]).await;
    let mut command = rig.talariad([
        "run",
        "--base-url",
        &other.base_url(),
        "--model",
        "m",
        "--api-key-env",
        "MY_KEY",
        "x",
    ]);
    command.env("MY_KEY", "sk-secret-value-1234567890");
    let ended = finish(command).await;
    assert_eq!(ended.code, Some(1));
    assert!(!ended.err.contains("sk-secret-value-1234567890"), "{}", ended.err);
    assert!(ended.err.contains("MY_KEY"), "{}", ended.err);
}

#[tokio::test]
async fn a_key_variable_that_is_not_set_is_named() {
    let rig = Rig::start([]).await;
    let ended = rig
        .call([
            "run",
            "--base-url",
            &rig.model.base_url(),
            "--model",
            "m",
            "--api-key-env",
            "MY_KEY",
            "x",
        ])
        .await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("MY_KEY"), "{}", ended.err);
    assert!(
        ended.err.contains("hint: Set MY_KEY in the environment"),
        "{}",
        ended.err
    );
    assert_eq!(rig.model.request_count(), 0);
}

#[tokio::test]
async fn a_model_of_the_settings_is_found_by_its_name() {
    let rig = Rig::start([says("ok")]).await;
    let url = rig.model.base_url();
    rig.home.write_config(&format!(
        "custom_providers:\n  - name: office\n    base_url: {url}\n    models: [small, big]\n"
    ));
    let ended = rig.call(["run", "--model", "big", "x"]).await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "ok\n"), "{ended:?}");
    assert_eq!(rig.model.requests()[0].model(), "big");
    let none = rig.call(["run", "x"]).await;
    assert_eq!(none.code, Some(1));
    assert!(none.err.contains("--model big ("), "{}", none.err);
}

#[tokio::test]
async fn a_failure_that_is_tried_again_says_so() {
    let rig = Rig::start([Reply::error(503, "warming up"), says("ok")]).await;
    let ended = rig.call(["run", "x"]).await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "ok\n"), "{ended:?}");
    assert!(
        ended.err.contains("failed with status 503; trying again"),
        "{}",
        ended.err
    );
}

#[tokio::test]
async fn without_a_model_the_way_out_is_named() {
    let home = TempHome::new();
    let mut command = crate::rig::program(&home);
    command.args(["run", "hello"]).current_dir(home.person());
    let ended = finish(command).await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""));
    for text in ["no model is configured", "--base-url", "--model demo"] {
        assert!(ended.err.contains(text), "{text}: {}", ended.err);
    }
}

#[tokio::test]
async fn a_model_without_a_known_server_is_told() {
    let home = TempHome::new();
    let mut command = crate::rig::program(&home);
    command
        .args(["run", "--model", "no-such-model-anywhere", "hello"])
        .current_dir(home.person());
    let ended = finish(command).await;
    assert_eq!(ended.code, Some(1));
    assert!(
        ended
            .err
            .contains("no server is known for the model no-such-model-anywhere"),
        "{}",
        ended.err
    );
}

#[tokio::test]
async fn the_demo_needs_nothing_and_says_what_it_is() {
    let home = TempHome::new();
    let mut command = crate::rig::program(&home);
    command
        .args(["run", "--model", "demo", "--json", "hello"])
        .current_dir(home.person());
    let ended = finish(command).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.result()["final_response"].as_str().unwrap().contains("scripted"),
        "{ended:?}"
    );
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(walk(&path)),
            false => files.push(path),
        }
    }
    files
}
