use crate::rig::{Rig, once};
use talaria_protocol::*;
use talaria_testkit::{Gate, says};

async fn list(rig: &Rig) -> Vec<SessionSummary> {
    rig.runtime
        .session_list(rig.client.id(), SessionListParams::default())
        .await
        .unwrap()
        .sessions
}

#[tokio::test]
async fn the_list_shows_title_last_line_and_state() {
    let gate = Gate::new();
    let rig = Rig::start([says("All tests pass."), says("slow").hold(&gate)]).await;
    let first = rig.session().await;
    rig.turn(&first, "Fix the tests", once()).await;
    let second = rig.session().await;
    rig.submit(&second, "Another thing").await.unwrap();
    gate.reached().await;
    let shown: Vec<_> = list(&rig)
        .await
        .into_iter()
        .map(|s| (s.title, s.preview, s.state))
        .collect();
    assert_eq!(
        shown[0],
        ("Another thing".into(), "Another thing".into(), SessionState::Running)
    );
    assert_eq!(
        shown[1],
        ("Fix the tests".into(), "All tests pass.".into(), SessionState::Idle)
    );
    gate.open();
    rig.follow(once()).await;
}

#[tokio::test]
async fn a_deleted_session_can_be_restored_and_a_title_stays() {
    let rig = Rig::start([says("hi")]).await;
    let session = rig.session().await;
    rig.turn(&session, "hello", once()).await;
    let rename = SessionRenameParams {
        session_id: session.clone(),
        title: "My title".into(),
    };
    rig.runtime.session_rename(rig.client.id(), rename).await.unwrap();
    let delete = SessionDeleteParams {
        session_id: session.clone(),
        now: false,
    };
    let reply = rig.runtime.session_delete(rig.client.id(), delete).await.unwrap();
    assert!(reply.undo_until.is_some());
    assert!(list(&rig).await.is_empty());
    let resume = SessionResumeParams {
        session_id: session.clone(),
        limit: None,
    };
    assert_eq!(
        rig.runtime
            .session_resume(rig.client.id(), resume)
            .await
            .unwrap_err()
            .kind,
        ErrorKind::NotFound
    );
    rig.runtime
        .session_restore(
            rig.client.id(),
            SessionRefParams {
                session_id: session.clone(),
            },
        )
        .await
        .unwrap();
    assert_eq!(list(&rig).await[0].title, "My title");
    assert_eq!(rig.snapshot(&session).await.rows.len(), 2);
}

#[tokio::test]
async fn older_rows_come_in_pages_without_gaps() {
    let rig = Rig::start((0..30).map(|n| says(format!("a{n}"))).collect::<Vec<_>>()).await;
    let session = rig.session().await;
    for n in 0..30 {
        rig.turn(&session, &format!("q{n}"), once()).await;
    }
    let resume = SessionResumeParams {
        session_id: session.clone(),
        limit: Some(7),
    };
    let snapshot = rig.runtime.session_resume(rig.client.id(), resume).await.unwrap();
    let mut rows = snapshot.rows;
    let mut cursor = snapshot.older_cursor;
    while let Some(at) = cursor {
        let params = SessionHistoryParams {
            session_id: session.clone(),
            cursor: at,
            limit: Some(7),
        };
        let page = rig.runtime.session_history(rig.client.id(), params).await.unwrap();
        rows.splice(0..0, page.rows);
        cursor = page.older_cursor;
    }
    let texts: Vec<String> = rows
        .iter()
        .filter_map(|row| match row {
            Row::User { text, .. } | Row::Assistant { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect();
    let expected: Vec<String> = (0..30).flat_map(|n| [format!("q{n}"), format!("a{n}")]).collect();
    assert_eq!(texts, expected);
}

#[tokio::test]
async fn a_resent_message_with_the_same_token_is_one_message() {
    let rig = Rig::start([says("once")]).await;
    let session = rig.session().await;
    let params = || PromptSubmitParams {
        session_id: session.clone(),
        text: "only once".into(),
        when_busy: WhenBusy::Queue,
        client_token: Some("t-1".into()),
    };
    rig.runtime.prompt_submit(rig.client.id(), params()).await.unwrap();
    rig.follow(once()).await;
    rig.runtime.prompt_submit(rig.client.id(), params()).await.unwrap();
    assert_eq!(rig.model.request_count(), 1);
    assert_eq!(rig.snapshot(&session).await.rows.len(), 2);
}

#[tokio::test]
async fn a_snapshot_in_the_middle_of_a_turn_continues_with_the_events_behind_it() {
    let gate = Gate::new();
    let rig = Rig::start([says("complete answer").hold(&gate)]).await;
    let session = rig.session().await;
    rig.submit(&session, "q").await.unwrap();
    gate.reached().await;
    let snapshot = rig.snapshot(&session).await;
    assert_eq!(snapshot.rows.len(), 1);
    assert!(snapshot.running_turn.is_some());
    gate.open();
    let log = rig.follow(once()).await;
    assert_eq!(log.complete().1, "complete answer");
    let since = EventsSinceParams {
        epoch: rig.runtime.hub().epoch().clone(),
        session_id: Some(session.clone()),
        seq: snapshot.seq,
    };
    let reply = rig.runtime.events_since(rig.client.id(), since).await.unwrap();
    assert!(reply.complete);
    assert_eq!(reply.events.first().map(|event| event.seq), Some(snapshot.seq + 1));
}

#[tokio::test]
async fn usage_is_counted_by_session_and_model() {
    let rig = Rig::start([says("a").usage(100, 7), says("b").usage(150, 5)]).await;
    let session = rig.session().await;
    rig.turn(&session, "one", once()).await;
    rig.turn(&session, "two", once()).await;
    let reply = rig
        .runtime
        .usage_get(
            rig.client.id(),
            UsageGetParams {
                session_id: Some(session),
            },
        )
        .await
        .unwrap();
    assert_eq!(
        (
            reply.total.input_tokens,
            reply.total.output_tokens,
            reply.total.api_calls
        ),
        (250, 12, 2)
    );
    assert_eq!(reply.total.last_prompt_tokens, 150);
    assert_eq!(reply.models[0].model, "scripted");
}

#[tokio::test]
async fn settings_are_read_written_and_take_effect() {
    let rig = Rig::start([]).await;
    rig.home.write_config("# mine\nagent:\n  max_turns: 12 # enough\n");
    let get = |key: &str| ConfigGetParams { key: Some(key.into()) };
    let reply = rig
        .runtime
        .config_get(rig.client.id(), get("agent.max_turns"))
        .await
        .unwrap();
    assert_eq!(reply.value, 12);
    let set = ConfigSetParams {
        key: "approvals.mode".into(),
        value: "plan".into(),
    };
    rig.runtime.config_set(rig.client.id(), set).await.unwrap();
    let text = std::fs::read_to_string(rig.home.path().join("config.yaml")).unwrap();
    assert!(
        text.contains("# mine") && text.contains("# enough") && text.contains("plan"),
        "{text}"
    );
    let bad = ConfigSetParams {
        key: "agent.max_turns".into(),
        value: "many".into(),
    };
    assert_eq!(
        rig.runtime.config_set(rig.client.id(), bad).await.unwrap_err().kind,
        ErrorKind::Config
    );
}

#[tokio::test]
async fn drafts_and_the_queue_survive_a_restart() {
    let gate = Gate::new();
    let mut rig = Rig::start([says("first").hold(&gate), says("second")]).await;
    let session = rig.session().await;
    rig.submit(&session, "one").await.unwrap();
    gate.reached().await;
    rig.submit_as(&session, "two", WhenBusy::Queue).await.unwrap();
    let draft = SessionTextParams {
        session_id: session.clone(),
        text: "half a thou".into(),
    };
    rig.runtime.session_draft(rig.client.id(), draft).await.unwrap();
    rig.restart().await;
    gate.open();
    let snapshot = rig.snapshot(&session).await;
    assert_eq!(snapshot.draft, "half a thou");
    assert_eq!((snapshot.queue[0].text.as_str(), snapshot.queue_paused), ("two", true));
}

#[tokio::test]
async fn a_session_that_another_process_went_on_with_is_read_again() {
    let rig = Rig::start([says("first"), says("second"), says("third")]).await;
    let session = rig.session().await;
    rig.turn(&session, "one", once()).await;
    let other = crate::rig::connect(&rig.home.path(), &["approval"]).await;
    let resume = SessionResumeParams {
        session_id: session.clone(),
        limit: None,
    };
    other.0.session_resume(other.1.id(), resume).await.unwrap();
    let submit = PromptSubmitParams {
        session_id: session.clone(),
        text: "two".into(),
        when_busy: WhenBusy::Queue,
        client_token: None,
    };
    other.0.prompt_submit(other.1.id(), submit).await.unwrap();
    while rig.model.request_count() < 2 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    other.0.shutdown().await;
    rig.turn(&session, "three", once()).await;
    let sent: Vec<String> = rig.model.requests()[2].messages()[1..]
        .iter()
        .map(|message| message["content"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(sent[0], "one");
    assert!(sent.iter().any(|text| text.contains("two")), "{sent:?}");
    assert_eq!(sent.last().map(String::as_str), Some("three"));
    rig.assert_strict();
}

#[tokio::test]
async fn a_chat_in_which_another_process_works_is_not_deleted() {
    let gate = Gate::new();
    let rig = Rig::start([says("done").hold(&gate)]).await;
    let session = rig.session().await;
    rig.submit(&session, "work").await.unwrap();
    gate.reached().await;
    let other = crate::rig::connect(&rig.home.path(), &[]).await;
    let delete = SessionDeleteParams {
        session_id: session.clone(),
        now: true,
    };
    assert_eq!(
        other.0.session_delete(other.1.id(), delete).await.unwrap_err().kind,
        ErrorKind::Busy
    );
    gate.open();
    assert_eq!(rig.follow(once()).await.complete().1, "done");
}
