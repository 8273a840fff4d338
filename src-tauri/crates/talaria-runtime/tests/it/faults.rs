use crate::rig::{Rig, once};
use serde_json::json;
use std::time::Duration;
use talaria_protocol::*;
use talaria_runtime::{Runtime, RuntimeOptions};
use talaria_testkit::{Reply, TempHome, calls, html, says};

/// Starts a session with replies that all fail, and gives the error.
async fn failure(replies: Vec<Reply>) -> AppError {
    let rig = Rig::start(replies).await;
    rig.home.write_config("agent:\n  api_max_retries: 1\n");
    let rig = Rig { home: rig.home, ..rig };
    let session = rig.session().await;
    let log = rig.turn(&session, "do not lose me", once()).await;
    let rows = rig.snapshot(&session).await.rows;
    assert!(
        matches!(&rows[0], Row::User { text, .. } if text == "do not lose me"),
        "{rows:#?}"
    );
    assert!(matches!(rows.last(), Some(Row::Error { .. })), "{rows:#?}");
    log.complete().2.expect("the turn must fail")
}

#[tokio::test]
async fn a_refused_key_names_the_layer_and_the_way_out() {
    let error = failure(vec![Reply::unauthorized()]).await;
    assert_eq!((error.layer, error.retryable), (Layer::Auth, false));
    assert!(error.hint.is_some());
}

#[tokio::test]
async fn html_instead_of_json_is_a_wrong_address() {
    let error = failure(vec![html(200)]).await;
    assert_eq!(error.layer, Layer::Endpoint);
    assert!(error.hint.is_some(), "{error:?}");
}

#[tokio::test]
async fn a_rate_limit_is_waited_out_within_its_wish() {
    let rig = Rig::start([Reply::rate_limited(0), says("Now it works.")]).await;
    let session = rig.session().await;
    assert_eq!(rig.turn(&session, "q", once()).await.complete().1, "Now it works.");
}

#[tokio::test]
async fn an_unreachable_server_is_named() {
    let rig = Rig::start([]).await;
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let mut route = rig.route();
    route.base_url = Some(format!("http://127.0.0.1:{port}/v1"));
    let session = rig.session().await;
    let set = ModelSetParams {
        session_id: Some(session.clone()),
        route,
    };
    rig.runtime.model_set(rig.client.id(), set).await.unwrap();
    rig.submit(&session, "q").await.unwrap();
    rig.until(|event| {
        matches!(
            event,
            CoreEvent::Status {
                kind: StatusKind::Retrying,
                ..
            }
        )
    })
    .await;
    rig.interrupt(&session).await;
    let log = tokio::time::timeout(Duration::from_secs(5), rig.follow(once()))
        .await
        .unwrap();
    assert_eq!(log.complete().0, TurnStatus::Interrupted);
}

#[tokio::test]
async fn an_answer_cut_at_any_byte_never_loses_the_message_nor_doubles_text() {
    let whole = "The quick brown fox.";
    for cut in (0..900).step_by(37) {
        let rig = Rig::start([says(whole).cut_after(cut), says(whole), says(whole), says(whole)]).await;
        let session = rig.session().await;
        let log = rig.turn(&session, "q", once()).await;
        let (status, text, error, _, _) = log.complete();
        assert_eq!((status, error), (TurnStatus::Complete, None), "cut at {cut}");
        assert!(text.contains("fox."), "cut at {cut}: {text}");
        assert_eq!(rig.model.violations(), Vec::<String>::new());
        rig.assert_strict();
    }
}

#[tokio::test]
async fn garbage_is_an_error_and_no_hang() {
    let rig = Rig::start((0..9).map(|_| Reply::garbage()).collect::<Vec<_>>()).await;
    let session = rig.session().await;
    rig.submit(&session, "q").await.unwrap();
    let log = tokio::time::timeout(Duration::from_secs(30), rig.follow(once()))
        .await
        .expect("it hangs");
    assert_eq!(log.complete().0, TurnStatus::Error);
}

#[tokio::test]
async fn a_hundred_megabytes_on_one_line_are_cut_and_the_turn_goes_on() {
    let command = "head -c 100000000 /dev/zero | tr '\\0' x";
    let rig = Rig::start([calls("terminal", json!({"command": command})), says("Big.")]).await;
    let session = rig.session_in_mode(ApprovalMode::Auto).await;
    let log = rig.turn(&session, "go", once()).await;
    let result = &rig.last_results()[0];
    let output = result["output"].as_str().unwrap();
    assert!(
        output.chars().count() <= 50_200 && output.contains("OUTPUT TRUNCATED"),
        "{}",
        output.len()
    );
    assert_eq!(log.complete().1, "Big.");
}

#[tokio::test]
async fn binary_output_and_a_deleted_project_folder_are_told_not_fatal() {
    let rig = Rig::start([
        calls(
            "terminal",
            json!({"command": "head -c 2000 /dev/urandom; printf '\\377\\376'"}),
        ),
        calls("terminal", json!({"command": "rm -rf \"$PWD\""})),
        calls("terminal", json!({"command": "pwd"})),
        calls("read_file", json!({"path": "a.txt"})),
        says("Gone."),
    ])
    .await;
    let session = rig.session_in_mode(ApprovalMode::Auto).await;
    let log = rig.turn(&session, "go", once()).await;
    assert_eq!(log.complete().1, "Gone.");
    let results = rig.model.requests()[4].tool_results();
    let missing: serde_json::Value = serde_json::from_str(&results[2]).unwrap();
    assert_ne!(missing["exit_code"], 0, "{missing}");
    rig.assert_strict();
}

#[tokio::test]
async fn a_newer_database_opens_for_reading_and_says_why_nothing_is_sent() {
    let mut rig = Rig::start([says("old answer")]).await;
    let session = rig.session().await;
    rig.turn(&session, "old question", once()).await;
    rig.runtime.shutdown().await;
    let db = rig.home.path().join("state.db");
    bump_schema(&db);
    let before = std::fs::read(&db).unwrap();
    rig.restart().await;
    let rows = rig.snapshot(&session).await.rows;
    assert_eq!(rows.len(), 2);
    let error = rig.submit(&session, "new").await.unwrap_err();
    assert_eq!((error.kind, error.layer), (ErrorKind::Storage, Layer::Disk));
    assert!(error.hint.is_some());
    rig.runtime.shutdown().await;
    assert_eq!(std::fs::read(&db).unwrap(), before, "the file must not change");
}

fn bump_schema(db: &std::path::Path) {
    let conn = rusqlite::Connection::open(db).unwrap();
    conn.execute("UPDATE schema_version SET version = version + 7", [])
        .unwrap();
    conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
}

#[tokio::test]
async fn a_damaged_database_is_reported_and_kept() {
    let home = TempHome::new();
    std::fs::write(home.path().join("state.db"), vec![7u8; 8192]).unwrap();
    let options = RuntimeOptions {
        home: Some(home.path()),
        ..RuntimeOptions::command()
    };
    let failure = Runtime::start(options).await.err().expect("it must not start");
    assert_eq!(failure.error.layer, Layer::Disk);
    assert!(failure.error.hint.is_some());
    assert_eq!(std::fs::read(home.path().join("state.db")).unwrap(), vec![7u8; 8192]);
}

#[tokio::test]
async fn an_invalid_config_names_line_and_file_and_safe_mode_starts() {
    let home = TempHome::new();
    home.write_config("model: [unclosed\n  x: 1\n");
    let options = RuntimeOptions {
        home: Some(home.path()),
        ..RuntimeOptions::command()
    };
    let failure = Runtime::start(options.clone()).await.err().expect("it must not start");
    assert_eq!(failure.error.kind, ErrorKind::Config);
    assert!(
        failure.error.message.contains("config.yaml"),
        "{}",
        failure.error.message
    );
    let safe = Runtime::start(RuntimeOptions {
        safe_mode: true,
        ..options
    })
    .await;
    assert!(safe.is_ok());
}

#[tokio::test]
async fn without_a_model_a_message_is_refused_with_a_hint_and_nothing_is_stored() {
    let rig = Rig::start([]).await;
    let params = SessionCreateParams {
        project_dir: Some(rig.project_dir().display().to_string()),
        ..Default::default()
    };
    let session = rig
        .runtime
        .session_create(rig.client.id(), params)
        .await
        .unwrap()
        .session
        .session_id;
    let error = rig.submit(&session, "q").await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::NoModel);
    assert!(error.hint.unwrap().contains("demo"));
    let list = rig
        .runtime
        .session_list(rig.client.id(), Default::default())
        .await
        .unwrap();
    assert!(list.sessions.is_empty());
}
