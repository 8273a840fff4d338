use super::*;
use crate::requests::Answer;
use crate::stream::MAX_REPLAY_BYTES;
use serde_json::value::to_raw_value;
use std::time::Duration;
use talaria_protocol::{
    ApprovalChoice, ApprovalParams, ApprovalReply, CallId, RequestCancelReason, ServerRequest, Target, TurnId,
};

fn hub() -> Arc<Hub> {
    Hub::new(Epoch::from("e1"))
}

fn delta(text: &str) -> CoreEvent {
    CoreEvent::MessageDelta {
        turn_id: TurnId::from("t1"),
        row_id: "t1.2".into(),
        text: text.into(),
    }
}

fn approval(session: &str, id: &str) -> ServerRequest {
    ServerRequest::Approval(ApprovalParams {
        session_id: session.into(),
        request_id: id.into(),
        call_id: CallId::from("c1"),
        tool: "terminal".into(),
        summary: "Run a command".into(),
        command: Some("true".into()),
        parts: Vec::new(),
        diff: None,
        arguments: serde_json::Value::Null,
        cwd: "/".into(),
        target: Target {
            kind: "local".into(),
            name: "this computer".into(),
        },
        risk: Vec::new(),
        choices: vec![ApprovalChoice::Once, ApprovalChoice::Deny],
        allow_permanent: false,
        scope_preview: None,
    })
}

/// Deliveries as short text.
fn log(batch: &[Delivery]) -> Vec<String> {
    batch
        .iter()
        .map(|delivery| match delivery {
            Delivery::Event(event) => {
                let session = event.frame.session_id.as_ref().map_or("global", SessionId::as_str);
                format!("{session} {} {}", event.frame.seq, event.frame.event.type_name())
            }
            Delivery::Request(open) => format!("ask {}", open.id),
        })
        .collect()
}

#[tokio::test]
async fn a_client_gets_what_it_follows_in_order_and_nothing_else() {
    let hub = hub();
    let client = hub.connect();
    let (a, b) = (SessionId::from("a"), SessionId::from("b"));
    hub.publish(Some(&a), delta("before"));
    hub.follow(client.client_id(), &a, hub.last_seq(Some(&a)), &[]);
    hub.publish(Some(&a), delta("1"));
    hub.publish(Some(&b), delta("not followed"));
    hub.publish(Some(&a), delta("2"));
    hub.publish(
        None,
        CoreEvent::SessionsChanged {
            session: None,
            removed: Some(b.clone()),
        },
    );
    assert_eq!(
        log(&client.next().await),
        ["global 1 sessions.changed", "a 2 message.delta", "a 3 message.delta"]
    );
}

#[tokio::test]
async fn a_slow_client_sees_a_gap_and_the_newest_event() {
    let hub = hub();
    let client = hub.connect();
    let a = SessionId::from("a");
    hub.follow(client.client_id(), &a, 0, &[]);
    for _ in 0..5_000 {
        hub.publish(Some(&a), delta("x"));
    }
    let batch = client.now();
    let seqs: Vec<u64> = batch
        .iter()
        .map(|delivery| match delivery {
            Delivery::Event(event) => event.frame.seq,
            Delivery::Request(_) => 0,
        })
        .collect();
    assert_eq!(seqs, (3_001..=5_000).collect::<Vec<u64>>());
    assert_eq!(hub.since(Some(&a), 2_999), (false, hub.since(Some(&a), 3_000).1));
    assert!(hub.since(Some(&a), 3_000).0);
}

#[tokio::test]
async fn the_replay_is_capped_by_bytes_and_keeps_the_newest() {
    let hub = hub();
    let a = SessionId::from("a");
    let big = "y".repeat(3 * 1024 * 1024);
    hub.publish(Some(&a), delta(&big));
    hub.publish(Some(&a), delta(&big));
    let (complete, events) = hub.since(Some(&a), 0);
    assert!(!complete);
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), [2]);
}

#[tokio::test]
async fn a_huge_event_is_still_there_after_small_ones() {
    let hub = hub();
    let a = SessionId::from("a");
    hub.publish(Some(&a), delta(&"y".repeat(MAX_REPLAY_BYTES + 1)));
    hub.publish(Some(&a), delta("x"));
    hub.publish(Some(&a), delta("x"));
    let (complete, events) = hub.since(Some(&a), 0);
    assert!(complete);
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), [1, 2, 3]);
}

#[tokio::test]
async fn resume_replays_what_was_missed_and_refuses_another_epoch() {
    let hub = hub();
    let a = SessionId::from("a");
    for text in ["1", "2", "3"] {
        hub.publish(Some(&a), delta(text));
    }
    let resume = |epoch: &str| ResumePoint {
        epoch: epoch.into(),
        last_seq: [("a".to_owned(), 1), ("global".to_owned(), 0)].into(),
    };
    let client = hub.connect();
    assert!(hub.hello(client.client_id(), &[], Some(&resume("e1"))));
    assert_eq!(log(&client.next().await), ["a 2 message.delta", "a 3 message.delta"]);
    let other = hub.connect();
    assert!(!hub.hello(other.client_id(), &[], Some(&resume("e0"))));
    assert_eq!(log(&other.now()), Vec::<String>::new());
}

#[tokio::test]
async fn a_question_reaches_every_window_and_the_first_answer_wins() {
    let hub = hub();
    let (one, two) = (hub.connect(), hub.connect());
    let a = SessionId::from("a");
    for client in [&one, &two] {
        hub.hello(client.client_id(), &["approval".to_owned()], None);
        hub.follow(client.client_id(), &a, 0, &[]);
    }
    let ask = hub.ask(approval("a", "srq-1"), None);
    assert_eq!(log(&one.next().await), ["ask srq-1"]);
    assert_eq!(log(&two.next().await), ["ask srq-1"]);
    let once = ApprovalReply {
        choice: ApprovalChoice::Once,
        note: None,
    };
    let deny = ApprovalReply {
        choice: ApprovalChoice::Deny,
        note: None,
    };
    assert!(hub.answer(&"srq-1".into(), Ok(&to_raw_value(&once).unwrap())));
    assert!(!hub.answer(&"srq-1".into(), Ok(&to_raw_value(&deny).unwrap())));
    assert_eq!(ask.wait().await, Answer::Approval(once));
    assert_eq!(log(&two.next().await), ["a 1 request.cancel"]);
    assert!(hub.open_requests(&a).is_empty());
}

#[tokio::test]
async fn every_unclear_answer_to_an_approval_is_a_denial() {
    let hub = hub();
    let client = hub.connect();
    hub.hello(client.client_id(), &["approval".to_owned()], None);
    hub.follow(client.client_id(), &"a".into(), 0, &[]);
    let raw = |text: &str| serde_json::value::RawValue::from_string(text.to_owned()).unwrap();
    let unclear = [
        "null",
        "{}",
        "\"once\"",
        "{\"choice\":\"\"}",
        "{\"choice\":\"ONCE\"}",
        "{\"choice\":\"weird\"}",
        "{\"choice\":null}",
        // Not on offer for this question.
        "{\"choice\":\"always\"}",
        "{\"choice\":\"session\"}",
    ];
    for (number, text) in unclear.iter().enumerate() {
        let id = format!("srq-{number}");
        let ask = hub.ask(approval("a", &id), None);
        assert!(hub.answer(&id.as_str().into(), Ok(&raw(text))));
        let denied = Answer::Approval(ApprovalReply {
            choice: ApprovalChoice::Deny,
            note: None,
        });
        assert_eq!(ask.wait().await, denied, "{text}");
    }
    let ask = hub.ask(approval("a", "srq-error"), None);
    hub.answer(&"srq-error".into(), Err(&raw("{\"code\":-32601}")));
    assert_eq!(
        ask.wait().await,
        Answer::Approval(ApprovalReply {
            choice: ApprovalChoice::Deny,
            note: None
        })
    );
}

#[tokio::test]
async fn nobody_is_told_at_once() {
    let hub = hub();
    let client = hub.connect();
    hub.hello(client.client_id(), &["clarify".to_owned()], None);
    assert_eq!(hub.ask(approval("a", "srq-1"), None).wait().await, Answer::Nobody);
}

#[tokio::test(start_paused = true)]
async fn a_reload_keeps_a_question_open_and_a_lost_window_ends_it() {
    let hub = hub();
    let capabilities = ["approval".to_owned()];
    let client = hub.connect();
    hub.hello(client.client_id(), &capabilities, None);
    let waiting = tokio::task::LocalSet::new();
    waiting
        .run_until(async {
            let ask = hub.ask(approval("a", "srq-1"), None);
            let answer = tokio::task::spawn_local(ask.wait());
            tokio::time::sleep(Duration::from_secs(60)).await;
            drop(client);
            tokio::time::sleep(Duration::from_secs(5)).await;
            let reloaded = hub.connect();
            hub.hello(reloaded.client_id(), &capabilities, None);
            tokio::time::sleep(Duration::from_secs(60)).await;
            assert_eq!(hub.open_requests(&"a".into()).len(), 1);
            drop(reloaded);
            tokio::time::sleep(Duration::from_secs(30)).await;
            assert_eq!(answer.await.unwrap(), Answer::Nobody);
            assert!(hub.open_requests(&"a".into()).is_empty());
        })
        .await;
}

#[tokio::test]
async fn withdrawing_ends_only_the_questions_of_that_session() {
    let hub = hub();
    let client = hub.connect();
    hub.hello(client.client_id(), &["approval".to_owned()], None);
    let (a, b) = (
        hub.ask(approval("a", "srq-a"), None),
        hub.ask(approval("b", "srq-b"), None),
    );
    hub.withdraw(&"a".into(), RequestCancelReason::Interrupted);
    assert_eq!(a.wait().await, Answer::Withdrawn(RequestCancelReason::Interrupted));
    assert_eq!(hub.open_requests(&"b".into()).len(), 1);
    drop(b);
    assert!(hub.open_requests(&"b".into()).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_set_time_ends_a_question() {
    let hub = hub();
    let client = hub.connect();
    hub.hello(client.client_id(), &["approval".to_owned()], None);
    let ask = hub.ask(approval("a", "srq-1"), Some(Duration::from_secs(60)));
    assert_eq!(ask.wait().await, Answer::TimedOut);
}

#[tokio::test]
async fn a_question_asked_between_snapshot_and_follow_is_delivered() {
    let hub = hub();
    let client = hub.connect();
    let a = SessionId::from("a");
    hub.hello(client.client_id(), &["approval".to_owned()], None);
    let told = hub.open_requests(&a);
    let _ask = hub.ask(approval("a", "srq-1"), None);
    hub.follow(client.client_id(), &a, 0, &told);
    assert_eq!(log(&client.next().await), ["ask srq-1"]);
}
