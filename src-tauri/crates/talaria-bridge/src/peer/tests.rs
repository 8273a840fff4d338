mod fake;

use super::*;
use crate::requests::Answer;
use fake::{Fake, Peer};
use serde_json::{Value, json};
use talaria_protocol::{
    ApprovalChoice, ApprovalParams, ApprovalReply, ClarifyParams, ClarifyReply, CoreEvent, Epoch, METHODS, Question,
    ServerRequest, SessionId, Target,
};

fn deny() -> Answer {
    Answer::Approval(ApprovalReply {
        choice: ApprovalChoice::Deny,
        note: None,
    })
}

fn approval(id: &str) -> ServerRequest {
    ServerRequest::Approval(ApprovalParams {
        session_id: "a".into(),
        request_id: id.into(),
        call_id: "c1".into(),
        tool: "terminal".into(),
        summary: "Run a command".into(),
        command: Some("true".into()),
        parts: Vec::new(),
        diff: None,
        arguments: Value::Null,
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

fn clarify(id: &str) -> ServerRequest {
    ServerRequest::Clarify(ClarifyParams {
        session_id: "a".into(),
        request_id: id.into(),
        call_id: "c2".into(),
        questions: vec![Question {
            qid: "q".into(),
            question: "Which?".into(),
            choices: Vec::new(),
            multi: false,
        }],
    })
}

/// A peer whose client has greeted and follows session `a`.
async fn following() -> Peer {
    let mut peer = Peer::start();
    peer.greet(&["approval", "clarify"]).await;
    peer.hub.follow(&"c1".into(), &"a".into(), 0, &[]);
    peer
}

#[tokio::test]
async fn the_handshake_comes_first() {
    let mut peer = Peer::start();
    let refused = peer.ask("session.list", json!({})).await;
    assert_eq!(
        refused,
        json!({"jsonrpc": "2.0", "id": 1,
            "error": {"code": INVALID_REQUEST, "message": "the first call must be client.hello"}})
    );
    peer.send(json!({"jsonrpc": "2.0", "id": "srq-000000000001", "result": {"choice": "once"}}))
        .await;
    assert_eq!(peer.next().await["error"]["code"], INVALID_REQUEST);
    let hello = peer.greet(&[]).await;
    assert_eq!(hello["result"]["protocol"], "1.0");
    assert!(peer.ask("session.list", json!({})).await["result"].is_object());
    assert_eq!(peer.fake.names(), ["client_hello", "session_list"]);
}

#[tokio::test]
async fn a_handshake_that_failed_opens_nothing() {
    let mut peer = Peer::start();
    let refused = peer
        .ask(
            "client.hello",
            json!({"protocol": "9.0", "app_version": "1", "client": "cli"}),
        )
        .await;
    assert_eq!(refused["error"]["data"]["kind"], "invalid");
    assert_eq!(
        peer.ask("session.list", json!({})).await["error"]["code"],
        INVALID_REQUEST
    );
}

#[tokio::test]
async fn requests_sent_right_behind_the_greeting_are_taken() {
    let mut peer = Peer::start();
    peer.send(fake::hello(&[])).await;
    peer.send(json!({"jsonrpc": "2.0", "id": 2, "method": "session.list"}))
        .await;
    assert_eq!(peer.next().await["id"], 1);
    assert!(peer.next().await["result"]["sessions"].is_array());
}

#[tokio::test]
async fn every_method_reaches_its_handler_and_gives_its_reply() {
    let mut peer = Peer::start();
    let table = fake::params_of_all_methods();
    let mut called: Vec<&str> = table.iter().map(|(method, _)| *method).collect();
    called.sort_unstable();
    let mut all = METHODS.to_vec();
    all.sort_unstable();
    assert_eq!(called, all, "a method is missing here");
    for (method, params) in table {
        let answer = peer.ask(method, params).await;
        assert!(answer["result"].is_object(), "{method}: {answer}");
        assert_eq!(answer.get("error"), None);
        assert_eq!(peer.fake.names().last().cloned(), Some(method.replace('.', "_")));
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_told_with_its_id() {
    let mut peer = Peer::start();
    peer.greet(&[]).await;
    let unknown = peer.ask("session.fly", json!({})).await;
    assert_eq!(
        (&unknown["id"], &unknown["error"]["code"]),
        (&json!(2), &json!(METHOD_NOT_FOUND))
    );
    let missing = peer.ask("session.rename", json!({"session_id": "a"})).await;
    assert_eq!(missing["error"]["code"], INVALID_PARAMS);
    assert!(
        missing["error"]["message"].as_str().unwrap().contains("title"),
        "{missing}"
    );
    let wrong = peer.ask("session.rename", json!([1, 2])).await;
    assert_eq!(wrong["error"]["code"], INVALID_PARAMS);
    let failed = peer
        .ask("session.rename", json!({"session_id": "gone", "title": "x"}))
        .await;
    assert_eq!(failed["error"]["code"], RUNTIME_ERROR);
    assert_eq!(failed["error"]["data"]["kind"], "not_found");
    peer.send(json!({"jsonrpc": "2.0", "id": "my own", "method": "session.list"}))
        .await;
    assert_eq!(peer.next().await["id"], "my own");
}

#[tokio::test]
async fn a_frame_that_is_no_request_is_refused_and_the_next_one_is_served() {
    let mut peer = Peer::start();
    peer.greet(&[]).await;
    for (frame, code) in [
        ("garbage", PARSE_ERROR),
        ("{\"id\": 7, \"method\": \"session.list\"", PARSE_ERROR),
        ("[{\"id\": 7, \"method\": \"session.list\"}]", INVALID_REQUEST),
        ("{\"id\": 7, \"method\": 5}", INVALID_REQUEST),
        ("\"text\"", INVALID_REQUEST),
        ("{\"id\": 7}", INVALID_REQUEST),
        ("{}", INVALID_REQUEST),
    ] {
        peer.frames.send(frame.to_owned()).await.unwrap();
        let answer = peer.next().await;
        assert_eq!(answer["error"]["code"], code, "{frame}: {answer}");
        assert!(answer.as_object().unwrap().contains_key("id"), "{answer}");
    }
    assert!(peer.ask("session.list", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn a_frame_over_the_limit_is_refused_and_one_at_the_limit_is_read() {
    let mut peer = Peer::start();
    peer.greet(&[]).await;
    let frame = |bytes: usize| {
        let head = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session.list\",\"params\":{\"query\":\"";
        let tail = "\"}}";
        format!("{head}{}{tail}", "x".repeat(bytes - head.len() - tail.len()))
    };
    peer.frames.send(frame(MAX_FRAME_BYTES + 1)).await.unwrap();
    let refused = peer.next().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&Value::Null, &json!(INVALID_REQUEST))
    );
    peer.frames.send(frame(MAX_FRAME_BYTES)).await.unwrap();
    assert!(peer.next().await["result"].is_object());
}

#[tokio::test]
async fn a_request_without_an_id_runs_and_is_not_answered() {
    let mut peer = Peer::start();
    peer.greet(&[]).await;
    peer.send(json!({"jsonrpc": "2.0", "method": "session.draft", "params": {"session_id": "a", "text": "half"}}))
        .await;
    peer.send(json!({"jsonrpc": "2.0", "method": "no.such.method"})).await;
    assert_eq!(peer.ask("session.list", json!({})).await["id"], 2);
    assert_eq!(peer.fake.names(), ["client_hello", "session_draft", "session_list"]);
}

#[tokio::test]
async fn messages_arrive_in_the_order_they_were_sent() {
    let mut peer = Peer::start();
    peer.greet(&[]).await;
    for number in 0..50 {
        let params = json!({"session_id": "a", "text": format!("message {number}")});
        peer.send(json!({"jsonrpc": "2.0", "id": number, "method": "prompt.submit", "params": params}))
            .await;
    }
    for _ in 0..50 {
        assert_eq!(peer.next().await["result"]["accepted"], "started");
    }
    let expected: Vec<String> = (0..50).map(|number| format!("message {number}")).collect();
    assert_eq!(peer.fake.texts(), expected);
}

#[tokio::test]
async fn a_stop_is_not_behind_a_slow_call() {
    let mut peer = Peer::start();
    peer.greet(&[]).await;
    let route = json!({"provider": "custom", "model": "slow", "base_url": null, "api_key_env": null});
    peer.send(json!({"jsonrpc": "2.0", "id": 2, "method": "model.test", "params": {"route": route}}))
        .await;
    peer.send(json!({"jsonrpc": "2.0", "id": 3, "method": "session.interrupt", "params": {"session_id": "a"}}))
        .await;
    assert_eq!(peer.next().await["id"], 3);
    peer.fake.go.notify_one();
    assert_eq!(peer.next().await["id"], 2);
}

#[tokio::test]
async fn what_was_asked_before_the_end_of_input_is_still_answered() {
    let mut peer = Peer::start();
    peer.greet(&[]).await;
    let route = json!({"provider": "custom", "model": "slow", "base_url": null, "api_key_env": null});
    peer.send(json!({"jsonrpc": "2.0", "id": 2, "method": "model.test", "params": {"route": route}}))
        .await;
    let (fake, out) = peer.end_input();
    tokio::task::yield_now().await;
    fake.go.notify_one();
    let left = out.await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["id"], 2);
}

#[tokio::test]
async fn a_client_that_is_gone_ends_its_service_and_its_surface() {
    let mut peer = following().await;
    assert!(peer.hub.has_surface("approval"));
    peer.close_output();
    let session = SessionId::from("a");
    let delta = CoreEvent::MessageDelta {
        turn_id: "t1".into(),
        row_id: "t1.2".into(),
        text: "x".into(),
    };
    peer.hub.publish(Some(&session), delta);
    peer.served().await;
    assert!(!peer.hub.has_surface("approval"));
}

#[tokio::test]
async fn a_question_is_answered_by_its_id() {
    let mut peer = following().await;
    let ask = peer.hub.ask(approval("srq-000000000001"), None);
    let frame = peer.next().await;
    assert_eq!(
        (&frame["id"], &frame["method"], &frame["params"]["command"]),
        (&json!("srq-000000000001"), &json!("approval"), &json!("true"))
    );
    peer.answer("srq-000000000001", json!({"result": {"choice": "once"}}))
        .await;
    let once = ApprovalReply {
        choice: ApprovalChoice::Once,
        note: None,
    };
    assert_eq!(ask.wait().await, Answer::Approval(once));
    let cancel = peer.next().await;
    assert_eq!(cancel["params"]["payload"]["reason"], "resolved");
}

#[tokio::test]
async fn answers_that_say_nothing_deny_or_dismiss() {
    let mut peer = following().await;
    for (number, body) in [
        json!({"result": null}),
        json!({"error": {"code": METHOD_NOT_FOUND, "message": "no handler"}}),
        json!({"result": {"choice": "once"}, "error": {"code": 1, "message": "both"}}),
        json!({"result": {"choice": "maybe"}}),
        json!({"result": "once"}),
        json!({}),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("srq-{number:012x}");
        let ask = peer.hub.ask(approval(&id), None);
        assert_eq!(peer.next().await["method"], "approval");
        peer.answer(&id, body.clone()).await;
        assert_eq!(ask.wait().await, deny(), "{body}");
        assert_eq!(peer.next().await["params"]["type"], "request.cancel");
    }
    for (number, body) in [json!({"result": null}), json!({"error": {"code": METHOD_NOT_FOUND}})]
        .iter()
        .enumerate()
    {
        let id = format!("srq-{:012x}", 100 + number);
        let ask = peer.hub.ask(clarify(&id), None);
        assert_eq!(peer.next().await["method"], "clarify");
        peer.answer(&id, body.clone()).await;
        assert_eq!(ask.wait().await, Answer::Clarify(ClarifyReply::default()), "{body}");
        peer.next().await;
    }
}

#[tokio::test]
async fn late_and_unknown_answers_are_dropped_silently() {
    let mut peer = following().await;
    let ask = peer.hub.ask(approval("srq-000000000001"), None);
    peer.next().await;
    peer.answer("srq-000000000001", json!({"result": {"choice": "deny"}}))
        .await;
    assert_eq!(ask.wait().await, deny());
    peer.next().await;
    peer.answer("srq-000000000001", json!({"result": {"choice": "once"}}))
        .await;
    peer.answer("srq-ffffffffffff", json!({"result": {"choice": "once"}}))
        .await;
    // The next frame is the answer to the next call: nothing was said about the two before it.
    assert_eq!(peer.ask("session.list", json!({})).await["id"], 2);
}

#[tokio::test]
async fn a_question_that_is_withdrawn_is_taken_back_by_its_id() {
    let mut peer = following().await;
    let ask = peer.hub.ask(approval("srq-000000000001"), None);
    peer.next().await;
    drop(ask);
    let frame = peer.next().await;
    assert_eq!(
        frame["params"],
        json!({"session_id": "a", "seq": 1, "type": "request.cancel",
            "payload": {"id": "srq-000000000001", "method": "approval", "reason": "interrupted"}})
    );
}

#[tokio::test]
async fn an_open_question_comes_again_after_a_reload() {
    let hub = Hub::new(Epoch::from("e1"));
    let fake = Fake::new();
    let mut before = Peer::over(&hub, &fake);
    before.greet(&["approval"]).await;
    hub.follow(&"c1".into(), &"a".into(), 0, &[]);
    let _ask = hub.ask(approval("srq-000000000001"), None);
    assert_eq!(before.next().await["id"], "srq-000000000001");
    drop(before);
    let mut after = Peer::over(&hub, &fake);
    let resume = json!({"epoch": "e1", "last_seq": {"a": 0, "global": 0}});
    let hello = json!({"protocol": "1.0", "app_version": "1", "client": "desktop", "capabilities": ["approval"],
        "resume": resume});
    // The real handler tells the hub of the greeting; this one does the same.
    after.ask("client.hello", hello).await;
    assert_eq!(after.next().await["id"], "srq-000000000001");
}

#[tokio::test]
async fn events_missed_over_a_reload_are_replayed_in_order_and_once() {
    let hub = Hub::new(Epoch::from("e1"));
    let fake = Fake::new();
    let session = SessionId::from("a");
    let delta = |text: &str| CoreEvent::MessageDelta {
        turn_id: "t1".into(),
        row_id: "t1.2".into(),
        text: text.into(),
    };
    let mut before = Peer::over(&hub, &fake);
    before.greet(&[]).await;
    hub.follow(&"c1".into(), &session, 0, &[]);
    hub.publish(Some(&session), delta("1"));
    assert_eq!(before.next().await["params"]["seq"], 1);
    drop(before);
    hub.publish(Some(&session), delta("2"));
    hub.publish(Some(&session), delta("3"));
    let mut after = Peer::over(&hub, &fake);
    let resume = json!({"epoch": "e1", "last_seq": {"a": 1}});
    let hello = json!({"protocol": "1.0", "app_version": "1", "client": "desktop", "resume": resume});
    assert_eq!(after.ask("client.hello", hello).await["result"]["replayed"], true);
    assert_eq!(after.next().await["params"]["seq"], 2);
    assert_eq!(after.next().await["params"]["payload"]["text"], "3");
    assert_eq!(
        after.ask("session.list", json!({})).await["id"],
        2,
        "nothing came twice"
    );
}
