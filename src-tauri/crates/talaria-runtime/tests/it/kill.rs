//! `kill -9` in the middle: the program is run as a child, killed, and its home is opened again.

use crate::rig::{Rig, once};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use talaria_protocol::*;
use talaria_testkit::{Gate, Reply, calls, says, says_in_pieces};

/// Name of the variable that makes the test program act as the child.
const ROLE: &str = "TALARIA_TEST_KILL_CHILD";

/// Not a test by itself: run as a child it sends one message and waits to be killed.
#[test]
fn child_that_is_killed() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let parts: Vec<&str> = role.split('\n').collect();
    let [home, project, base_url, mode] = parts[..] else {
        panic!("{role}")
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let options = talaria_runtime::RuntimeOptions {
            home: Some(PathBuf::from(home)),
            ..talaria_runtime::RuntimeOptions::command()
        };
        let runtime = talaria_runtime::Runtime::start(options)
            .await
            .unwrap_or_else(|failure| panic!("{}", failure.error));
        let (client, _) = talaria_runtime::LocalClient::connect(runtime.clone(), "cli", &["approval"])
            .await
            .unwrap();
        let create = SessionCreateParams {
            project_dir: Some(project.to_owned()),
            model: Some(ModelRoute {
                provider: "custom".into(),
                model: "m".into(),
                base_url: Some(base_url.into()),
                api_key_env: None,
            }),
            approval_mode: Some(if mode == "auto" {
                ApprovalMode::Auto
            } else {
                ApprovalMode::Ask
            }),
            max_iterations: None,
        };
        let session = runtime
            .session_create(client.id(), create)
            .await
            .unwrap()
            .session
            .session_id;
        let submit = PromptSubmitParams {
            session_id: session,
            text: "important".into(),
            when_busy: WhenBusy::Queue,
            client_token: None,
        };
        runtime.prompt_submit(client.id(), submit).await.unwrap();
        loop {
            client.next().await;
        }
    });
}

fn spawn_child(home: &Path, project: &Path, base_url: &str, mode: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::child_that_is_killed", "--nocapture"])
        .env(
            ROLE,
            format!("{}\n{}\n{base_url}\n{mode}", home.display(), project.display()),
        )
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

async fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let limit = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < limit, "{what} did not happen");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// How often the rows say that a turn was cut off.
fn cut_off(rows: &[Row]) -> usize {
    let said = |row: &&Row| matches!(row, Row::Notice { key, .. } if key == "notice.turn.cut_off");
    rows.iter().filter(said).count()
}

/// Kills a child at the moment that `when` waits for, opens its home, and sends another message.
async fn killed(replies: Vec<Reply>, mode: &str, when: impl AsyncFnOnce(&Rig)) -> (Rig, SessionId, Vec<Row>) {
    let rig = Rig::start(replies).await;
    let mut child = spawn_child(&rig.home.path(), &rig.project_dir(), &rig.model.base_url(), mode);
    when(&rig).await;
    child.kill().unwrap();
    child.wait().unwrap();
    let list = rig
        .runtime
        .session_list(rig.client.id(), SessionListParams::default())
        .await
        .unwrap();
    assert_eq!(list.sessions.len(), 1, "the session is lost");
    let session = list.sessions[0].session_id.clone();
    let rows = rig.snapshot(&session).await.rows;
    let said = rows
        .iter()
        .filter(|row| matches!(row, Row::User { text, .. } if text == "important"))
        .count();
    assert_eq!(said, 1, "the message is lost or doubled: {rows:#?}");
    assert_eq!(
        cut_off(&rows),
        1,
        "the turn does not say that it was cut off: {rows:#?}"
    );
    assert_eq!(cut_off(&rig.snapshot(&session).await.rows), 1, "it says so twice");
    rig.model.push(says("I am back."));
    let log = rig.turn(&session, "are you there?", once()).await;
    assert_eq!(log.complete().1, "I am back.");
    rig.assert_strict();
    let again = rig.snapshot(&session).await.rows;
    assert_eq!(
        again
            .iter()
            .filter(|row| matches!(row, Row::User { text, .. } if text == "important"))
            .count(),
        1
    );
    (rig, session, rows)
}

#[tokio::test]
async fn in_the_middle_of_a_stream() {
    let gate = Gate::new();
    let (rig, ..) = killed(
        vec![says_in_pieces(["Half ", "an answer"]).hold_after(2, &gate)],
        "ask",
        async |rig| {
            rig.model.wait_for_requests(1).await;
            gate.reached().await;
        },
    )
    .await;
    assert_eq!(rig.model.requests()[1].last_user(), "important\n\nare you there?");
    gate.open();
}

#[tokio::test]
async fn in_the_middle_of_a_tool() {
    let (rig, session, rows) = killed(
        vec![calls(
            "terminal",
            json!({"command": "touch begun; sleep 60; touch ended"}),
        )],
        "auto",
        async |rig| {
            let begun = rig.project_dir().join("begun");
            wait_for("the command", || begun.exists()).await;
        },
    )
    .await;
    assert!(
        matches!(&rows[1], Row::Tool { tool, .. } if tool.state == ToolState::Cancelled),
        "{rows:#?}"
    );
    let request = rig.model.requests().pop().unwrap();
    let result = request.tool_results().pop().unwrap();
    assert!(result.contains("may have run"), "{result}");
    drop(session);
}

#[tokio::test]
async fn in_the_middle_of_an_approval() {
    let (rig, _, rows) = killed(
        vec![calls("terminal", json!({"command": "touch never"}))],
        "ask",
        async |rig| {
            rig.model.wait_for_requests(1).await;
            let db = rig.home.path().join("state.db");
            let store = talaria_store::Store::open(db).unwrap();
            let limit = Instant::now() + Duration::from_secs(20);
            // The assistant turn is stored before the person is asked.
            loop {
                let count: usize = store
                    .read(|reader| {
                        let sessions = reader.list_sessions(None, None, 10)?.sessions;
                        let Some(session) = sessions.first() else { return Ok(0) };
                        Ok(reader.history(&session.session_id)?.len())
                    })
                    .await
                    .unwrap();
                if count >= 2 {
                    break;
                }
                assert!(Instant::now() < limit, "the call was not stored");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        },
    )
    .await;
    assert!(!rig.project.path().join("never").exists());
    assert!(matches!(&rows[1], Row::Tool { .. }), "{rows:#?}");
}

#[tokio::test]
async fn two_processes_on_one_home_do_not_harm_each_other() {
    let gate = Gate::new();
    let rig = Rig::start([says("from the child").hold(&gate), says("from here")]).await;
    let mut child = spawn_child(&rig.home.path(), &rig.project_dir(), &rig.model.base_url(), "ask");
    gate.reached().await;
    let list = rig
        .runtime
        .session_list(rig.client.id(), SessionListParams::default())
        .await
        .unwrap();
    let theirs = list.sessions[0].session_id.clone();
    assert_eq!(list.sessions[0].state, SessionState::Running);
    let refused = rig.submit(&theirs, "me too").await.unwrap_err();
    assert_eq!((refused.kind, refused.retryable), (ErrorKind::Busy, true));
    let own = rig.session().await;
    assert_eq!(rig.turn(&own, "q", once()).await.complete().1, "from here");
    gate.open();
    let store = talaria_store::Store::open(rig.home.path().join("state.db")).unwrap();
    let id = theirs.clone();
    let limit = Instant::now() + Duration::from_secs(20);
    loop {
        let id = id.clone();
        if store.read(move |db| Ok(db.history(&id)?.len())).await.unwrap() == 2 {
            break;
        }
        assert!(Instant::now() < limit, "the child did not finish");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
}
