use crate::rig::{Rig, deny, once};
use serde_json::json;
use talaria_protocol::*;
use talaria_testkit::{calls, calls_many, says};

fn touch(name: &str) -> talaria_testkit::Reply {
    calls("terminal", json!({"command": format!("touch {name}")}))
}

#[tokio::test]
async fn a_command_has_not_run_before_the_approval_and_has_run_once_after() {
    let rig = Rig::start([calls("terminal", json!({"command": "echo x >> log"})), says("Done.")]).await;
    let session = rig.session().await;
    let file = rig.project_dir().join("log");
    let seen = file.clone();
    let log = rig
        .turn(
            &session,
            "go",
            Box::new(move |params| {
                assert!(!seen.exists(), "it ran before the answer");
                assert_eq!(params.command.as_deref(), Some("echo x >> log"));
                assert_eq!(params.target.name, "this computer");
                ApprovalReply {
                    choice: ApprovalChoice::Once,
                    note: None,
                }
            }),
        )
        .await;
    assert_eq!(log.asked.len(), 1);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "x\n");
    let record = log.tools()[0].approval.clone().unwrap();
    assert_eq!((record.choice, record.by.as_str()), (ApprovalChoice::Once, "you"));
    assert_eq!(log.complete().1, "Done.");
}

#[tokio::test]
async fn a_denied_command_never_runs_and_the_note_reaches_the_model() {
    let rig = Rig::start([touch("never"), says("All right, I will not.")]).await;
    let session = rig.session().await;
    let log = rig.turn(&session, "go", deny("not in this folder")).await;
    assert!(!rig.project.path().join("never").exists());
    assert_eq!(log.story(), "terminal denied | complete: all right, i will not.");
    let result = &rig.last_results()[0];
    assert_eq!(
        (result["exit_code"].as_i64(), result["status"].as_str()),
        (Some(-1), Some("blocked"))
    );
    assert!(
        result["error"].as_str().unwrap().contains("not in this folder"),
        "{result}"
    );
    rig.assert_strict();
}

#[tokio::test]
async fn with_nobody_to_ask_it_is_denied_at_once_and_says_so() {
    let rig = Rig::start_with([touch("never"), says("I could not.")], &[]).await;
    let session = rig.session().await;
    let log = rig.turn(&session, "go", once()).await;
    assert!(!rig.project.path().join("never").exists());
    assert!(log.asked.is_empty());
    assert_eq!(log.tools()[0].approval.as_ref().unwrap().by, "nobody");
    assert_eq!(log.complete().1, "I could not.");
}

#[tokio::test]
async fn commands_that_only_read_run_without_a_question() {
    let rig = Rig::start([calls("terminal", json!({"command": "ls -a && pwd"})), says("ok")]).await;
    let session = rig.session().await;
    let log = rig.turn(&session, "look", once()).await;
    assert!(log.asked.is_empty(), "{:#?}", log.asked);
    assert_eq!(rig.last_results()[0]["exit_code"], 0);
}

#[tokio::test]
async fn what_is_blocked_runs_in_no_mode() {
    for mode in [
        ApprovalMode::Ask,
        ApprovalMode::AcceptEdits,
        ApprovalMode::Smart,
        ApprovalMode::Plan,
        ApprovalMode::Auto,
    ] {
        let rig = Rig::start([
            calls("terminal", json!({"command": "rm -rf / --no-preserve-root"})),
            says("No."),
        ])
        .await;
        let session = rig.session_in_mode(mode).await;
        let log = rig.turn(&session, "go", once()).await;
        assert!(log.asked.is_empty(), "{mode:?} asked");
        assert_eq!(log.tools()[0].state, ToolState::Denied, "{mode:?}");
    }
}

#[tokio::test]
async fn for_this_session_covers_the_same_command_and_no_other() {
    let rig = Rig::start([touch("a"), touch("a"), touch("b"), says("ok")]).await;
    let session = rig.session().await;
    let log = rig.turn(&session, "go", first_for_the_session()).await;
    let asked: Vec<_> = log.asked.iter().map(|params| params.command.clone().unwrap()).collect();
    assert_eq!(asked, ["touch a", "touch b"]);
    assert!(!rig.project.path().join("b").exists());
}

#[tokio::test]
async fn writing_asks_with_the_change_and_accept_edits_does_not_inside_the_project() {
    let write = |path: &str| calls("write_file", json!({"path": path, "content": "new\n"}));
    let rig = Rig::start([write("a.txt"), says("ok"), write("b.txt"), says("ok")]).await;
    std::fs::write(rig.project.path().join("a.txt"), "old\n").unwrap();
    let session = rig.session().await;
    let log = rig.turn(&session, "write", once()).await;
    let diff = log.asked[0].diff.clone().unwrap();
    assert_eq!(
        (diff.path.as_str(), diff.added, diff.removed, diff.created),
        ("a.txt", 1, 1, false)
    );
    assert_eq!(
        std::fs::read_to_string(rig.project.path().join("a.txt")).unwrap(),
        "new\n"
    );
    let mode = ApprovalModeParams {
        session_id: Some(session.clone()),
        mode: ApprovalMode::AcceptEdits,
    };
    rig.runtime.approvals_mode_set(rig.client.id(), mode).await.unwrap();
    let log = rig.turn(&session, "write again", once()).await;
    assert!(log.asked.is_empty());
    assert!(rig.project.path().join("b.txt").exists());
}

#[tokio::test]
async fn plan_mode_reads_and_writes_nothing() {
    let rig = Rig::start([
        calls_many([
            ("write_file", json!({"path": "a.txt", "content": "x"})),
            ("terminal", json!({"command": "touch b"})),
        ]),
        calls("terminal", json!({"command": "ls"})),
        says("This is the plan."),
    ])
    .await;
    let session = rig.session_in_mode(ApprovalMode::Plan).await;
    let log = rig.turn(&session, "plan", once()).await;
    assert!(log.asked.is_empty());
    let states: Vec<_> = log.tools().iter().map(|tool| tool.state).collect();
    assert_eq!(states, [ToolState::Denied, ToolState::Denied, ToolState::Done]);
    assert_eq!(std::fs::read_dir(rig.project.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn interrupting_withdraws_the_question_and_nothing_runs() {
    let rig = Rig::start([touch("never"), says("later")]).await;
    let session = rig.session().await;
    rig.submit(&session, "go").await.unwrap();
    rig.until(|event| matches!(event, CoreEvent::ToolStart { tool, .. } if tool.state == ToolState::Waiting))
        .await;
    assert_eq!(rig.snapshot(&session).await.open_requests.len(), 1);
    rig.interrupt(&session).await;
    let log = rig.follow(once()).await;
    assert_eq!(log.complete().0, TurnStatus::Interrupted);
    assert!(rig.snapshot(&session).await.open_requests.is_empty());
    assert!(!rig.project.path().join("never").exists());
    rig.turn(&session, "and now", once()).await;
    rig.assert_strict();
}

#[tokio::test]
async fn a_second_window_gets_the_open_question_and_may_answer() {
    let rig = Rig::start([touch("made"), says("ok")]).await;
    let session = rig.session().await;
    rig.submit(&session, "go").await.unwrap();
    rig.until(|event| matches!(event, CoreEvent::ToolStart { tool, .. } if tool.state == ToolState::Waiting))
        .await;
    let (second, _) = talaria_runtime::LocalClient::connect(rig.runtime.clone(), "desktop", &["approval"])
        .await
        .unwrap();
    let resume = SessionResumeParams {
        session_id: session.clone(),
        limit: None,
    };
    let open = rig
        .runtime
        .session_resume(second.id(), resume)
        .await
        .unwrap()
        .open_requests;
    assert_eq!(open.len(), 1);
    let yes = ApprovalReply {
        choice: ApprovalChoice::Once,
        note: None,
    };
    assert!(second.answer_approval(&open[0].id, &yes));
    assert!(!rig.client.answer_approval(&open[0].id, &yes), "the first answer wins");
    rig.follow(once()).await;
    assert!(rig.project.path().join("made").exists());
}

#[tokio::test]
async fn a_file_changed_between_question_and_answer_is_not_overwritten() {
    let rig = Rig::start([
        calls("write_file", json!({"path": "a.txt", "content": "agent\n"})),
        says("ok"),
    ])
    .await;
    let file = rig.project_dir().join("a.txt");
    std::fs::write(&file, "first\n").unwrap();
    let session = rig.session().await;
    let changed = file.clone();
    let log = rig
        .turn(
            &session,
            "write",
            Box::new(move |_| {
                std::fs::write(&changed, "the person's\n").unwrap();
                ApprovalReply {
                    choice: ApprovalChoice::Once,
                    note: None,
                }
            }),
        )
        .await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "the person's\n");
    assert_eq!(log.tools()[0].state, ToolState::Failed);
}

/// Allows the first call for the session and denies all others.
fn first_for_the_session() -> crate::rig::Answer {
    let mut first = true;
    Box::new(move |_| {
        let choice = if first {
            ApprovalChoice::Session
        } else {
            ApprovalChoice::Deny
        };
        first = false;
        ApprovalReply { choice, note: None }
    })
}

#[tokio::test]
async fn for_this_session_does_not_cover_another_folder() {
    let other = tempfile::tempdir().unwrap();
    let elsewhere = json!({"command": "touch made", "workdir": other.path()});
    let rig = Rig::start([touch("made"), calls("terminal", elsewhere), says("ok")]).await;
    let session = rig.session().await;
    let log = rig.turn(&session, "go", first_for_the_session()).await;
    assert_eq!(log.asked.len(), 2);
    assert!(!other.path().join("made").exists());
}

#[tokio::test]
async fn after_a_changed_path_reading_commands_ask_and_grants_end() {
    let rig = Rig::start([
        calls("terminal", json!({"command": "export PATH=\"$PWD/bin:$PATH\""})),
        calls("terminal", json!({"command": "ls"})),
        says("ok"),
    ])
    .await;
    std::fs::create_dir(rig.project.path().join("bin")).unwrap();
    let session = rig.session().await;
    let log = rig.turn(&session, "go", once()).await;
    let asked: Vec<_> = log.asked.iter().map(|params| params.command.clone().unwrap()).collect();
    assert_eq!(asked, ["export PATH=\"$PWD/bin:$PATH\"", "ls"]);
}

#[tokio::test]
async fn two_open_approvals_keep_the_session_waiting_until_both_are_answered() {
    let write = |path: &str| ("write_file", json!({"path": path, "content": "x"}));
    let rig = Rig::start([calls_many([write("a.txt"), write("b.txt")]), says("ok")]).await;
    let session = rig.session().await;
    rig.submit(&session, "go").await.unwrap();
    let yes = ApprovalReply {
        choice: ApprovalChoice::Once,
        note: None,
    };
    while rig.snapshot(&session).await.open_requests.len() < 2 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let open = rig.snapshot(&session).await.open_requests;
    rig.client.answer_approval(&open[0].id, &yes);
    while rig.snapshot(&session).await.open_requests.len() > 1 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let list = rig
        .runtime
        .session_list(rig.client.id(), SessionListParams::default())
        .await
        .unwrap();
    assert_eq!(list.sessions[0].state, SessionState::NeedsYou);
    rig.client.answer_approval(&open[1].id, &yes);
    let log = rig.follow(once()).await;
    assert_eq!(log.complete().1, "ok");
}
