//! The protocol on standard input and output, as a program in another language would speak it.

use crate::rig::{Ended, Rig, group_lives, is_written, signal, until, wait};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::Duration;
use talaria_testkit::{Gate, calls, says, says_in_pieces};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

struct Peer {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    /// Frames that were read while another one was waited for.
    seen: Vec<Value>,
    last_id: u64,
}

impl Peer {
    fn start(rig: &Rig) -> Self {
        let mut child = rig
            .talariad(["serve", "--stdio"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self {
            child,
            input,
            lines,
            seen: Vec::new(),
            last_id: 0,
        }
    }

    async fn write(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        self.input.flush().await.unwrap();
    }

    async fn read(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(Duration::from_secs(20), self.lines.next_line()).await;
        let line = line.expect("no frame came").unwrap()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// Reads on until a frame fits; the others are kept.
    async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let frame = self
                .read()
                .await
                .unwrap_or_else(|| panic!("it ended before: {:#?}", self.seen));
            if fits(&frame) {
                return frame;
            }
            self.seen.push(frame);
        }
    }

    async fn event(&mut self, kind: &str) -> Value {
        self.until(|frame| frame["params"]["type"] == kind).await["params"].clone()
    }

    async fn call(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string())
            .await;
        let answer = self.until(|frame| frame["id"] == id).await;
        assert_eq!(answer["jsonrpc"], "2.0");
        answer
    }

    async fn ok(&mut self, method: &str, params: Value) -> Value {
        let answer = self.call(method, params).await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    async fn greet(&mut self) -> Value {
        let params =
            json!({"protocol": "1.0", "app_version": "0", "client": "test", "capabilities": ["approval", "clarify"]});
        self.ok("client.hello", params).await
    }

    async fn session(&mut self, rig: &Rig, mode: &str) -> String {
        let params = json!({"project_dir": rig.project, "approval_mode": mode});
        let snapshot = self.ok("session.create", params).await;
        snapshot["session"]["session_id"].as_str().unwrap().to_owned()
    }

    /// Ends the input and waits for the end of the program.
    async fn end(self) -> Ended {
        let Self {
            child,
            input,
            mut lines,
            ..
        } = self;
        drop(input);
        while lines.next_line().await.unwrap().is_some() {}
        wait(child).await
    }
}

#[tokio::test]
async fn a_whole_conversation_with_an_approval() {
    let rig = Rig::start([calls("terminal", json!({"command": "touch made"})), says("Made.")]).await;
    let mut peer = Peer::start(&rig);
    let hello = peer.greet().await;
    assert_eq!(
        (&hello["protocol"], &hello["default_mode"]),
        (&json!("1.0"), &json!("ask"))
    );
    let session = peer.session(&rig, "ask").await;
    let reply = peer
        .ok("prompt.submit", json!({"session_id": session, "text": "make it"}))
        .await;
    assert_eq!(reply["accepted"], "started");
    let question = peer.until(|frame| frame["method"] == "approval").await;
    let id = question["id"].as_str().unwrap().to_owned();
    assert!(
        id.strip_prefix("srq-")
            .is_some_and(|hex| hex.len() == 12 && hex.chars().all(|c| c.is_ascii_hexdigit()))
    );
    assert_eq!(question["params"]["command"], "touch made");
    assert!(!rig.project.join("made").exists(), "it ran before it was allowed");
    peer.write(&json!({"jsonrpc": "2.0", "id": id, "result": {"choice": "once"}}).to_string())
        .await;
    let complete = peer.event("message.complete").await;
    assert_eq!(
        (&complete["payload"]["status"], &complete["payload"]["text"]),
        (&json!("complete"), &json!("Made."))
    );
    assert!(rig.project.join("made").exists());
    let seqs: Vec<u64> = peer
        .seen
        .iter()
        .filter(|frame| frame["params"]["session_id"] == json!(session) && frame["method"] == "event")
        .map(|frame| frame["params"]["seq"].as_u64().unwrap())
        .collect();
    assert!(seqs.windows(2).all(|pair| pair[1] == pair[0] + 1), "a gap in {seqs:?}");
    let ended = peer.end().await;
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
}

#[tokio::test]
async fn a_denial_and_an_error_for_an_answer_never_run_it() {
    for answer in [
        json!({"result": {"choice": "deny", "note": "not now"}}),
        json!({"error": {"code": -32601, "message": "no handler"}}),
        json!({"result": null}),
    ] {
        let rig = Rig::start([calls("terminal", json!({"command": "touch made"})), says("Not made.")]).await;
        let mut peer = Peer::start(&rig);
        peer.greet().await;
        let session = peer.session(&rig, "ask").await;
        peer.ok("prompt.submit", json!({"session_id": session, "text": "make it"}))
            .await;
        let question = peer.until(|frame| frame["method"] == "approval").await;
        let mut frame = answer.clone();
        frame["jsonrpc"] = json!("2.0");
        frame["id"] = question["id"].clone();
        peer.write(&frame.to_string()).await;
        let complete = peer.event("message.complete").await;
        assert_eq!(complete["payload"]["text"], "Not made.");
        assert!(!rig.project.join("made").exists(), "{answer}");
        rig.assert_strict();
    }
}

#[tokio::test]
async fn missed_events_are_given_again_and_a_gap_is_told() {
    let rig = Rig::start([says_in_pieces(["one ", "two ", "three"])]).await;
    let mut peer = Peer::start(&rig);
    let epoch = peer.greet().await["epoch"].clone();
    let session = peer.session(&rig, "ask").await;
    peer.ok("prompt.submit", json!({"session_id": session, "text": "count"}))
        .await;
    let complete = peer.event("message.complete").await;
    let last = complete["seq"].as_u64().unwrap();
    let since = |seq: u64| json!({"epoch": epoch, "session_id": session, "seq": seq});
    let reply = peer.ok("events.since", since(0)).await;
    assert_eq!(reply["complete"], true);
    let events = reply["events"].as_array().unwrap();
    let seqs: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert!(
        seqs.len() as u64 >= last && seqs.iter().zip(1..).all(|(seq, place)| *seq == place),
        "{seqs:?}"
    );
    let told: Vec<&Value> = peer
        .seen
        .iter()
        .filter(|frame| frame["params"]["type"] == "message.start")
        .collect();
    assert_eq!(
        events.iter().find(|event| event["type"] == "message.start"),
        Some(&told[0]["params"]),
        "replayed as sent"
    );
    let tail = peer.ok("events.since", since(last)).await;
    assert!(
        tail["events"]
            .as_array()
            .unwrap()
            .iter()
            .all(|event| event["seq"].as_u64().unwrap() > last)
    );
    let other = peer
        .ok(
            "events.since",
            json!({"epoch": "another", "session_id": session, "seq": 0}),
        )
        .await;
    assert_eq!((&other["complete"], &other["events"]), (&json!(false), &json!([])));
}

#[tokio::test]
async fn a_resumed_session_tells_its_open_question() {
    let rig = Rig::start([calls("terminal", json!({"command": "touch made"})), says("Made.")]).await;
    let mut peer = Peer::start(&rig);
    peer.greet().await;
    let session = peer.session(&rig, "ask").await;
    peer.ok("prompt.submit", json!({"session_id": session, "text": "make it"}))
        .await;
    let question = peer.until(|frame| frame["method"] == "approval").await;
    let snapshot = peer.ok("session.resume", json!({"session_id": session})).await;
    let open = &snapshot["open_requests"][0];
    assert_eq!(
        (&open["id"], &open["request"]["params"]["command"]),
        (&question["id"], &json!("touch made"))
    );
    assert_eq!(snapshot["session"]["state"], "needs_you");
    peer.write(&json!({"jsonrpc": "2.0", "id": open["id"], "result": {"choice": "once"}}).to_string())
        .await;
    assert_eq!(peer.event("message.complete").await["payload"]["text"], "Made.");
    let after = peer.ok("session.resume", json!({"session_id": session})).await;
    assert_eq!(after["open_requests"], json!([]));
}

#[tokio::test]
async fn garbage_is_refused_and_the_next_line_is_served() {
    let rig = Rig::start([]).await;
    let mut peer = Peer::start(&rig);
    for line in [
        "garbage",
        "{\"id\": 1",
        "[]",
        "\u{0}",
        "{}",
        "{\"id\": 3, \"method\": \"session.list\"}",
    ] {
        peer.write(line).await;
        let refused = peer.read().await.unwrap();
        assert!(refused["error"]["code"].is_i64(), "{line}: {refused}");
    }
    peer.write("").await;
    peer.input.write_all(b"\xff\xfe broken\n").await.unwrap();
    assert!(peer.read().await.unwrap()["error"].is_object());
    peer.write(&"x".repeat(17 * 1024 * 1024)).await;
    let refused = peer.read().await.unwrap();
    assert!(
        refused["error"]["message"].as_str().unwrap().contains("larger than"),
        "{refused}"
    );
    peer.greet().await;
    let unknown = peer.call("no.such.method", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32601);
    let invalid = peer.call("session.rename", json!({"session_id": "x"})).await;
    assert_eq!(invalid["error"]["code"], -32602);
    let gone = peer
        .call("session.resume", json!({"session_id": "20200101_000000_abcdef"}))
        .await;
    assert_eq!(
        (&gone["error"]["code"], &gone["error"]["data"]["kind"]),
        (&json!(-32000), &json!("not_found"))
    );
    assert_eq!(peer.ok("session.list", json!({})).await["sessions"], json!([]));
    assert_eq!(peer.end().await.code, Some(0));
}

#[tokio::test]
async fn the_end_of_input_during_a_turn_records_it_as_interrupted() {
    let gate = Gate::new();
    let rig = Rig::start([
        says_in_pieces(["Half ", "of it"]).hold_after(2, &gate),
        says("On we go."),
    ])
    .await;
    let mut peer = Peer::start(&rig);
    peer.greet().await;
    let session = peer.session(&rig, "ask").await;
    peer.ok("prompt.submit", json!({"session_id": session, "text": "speak"}))
        .await;
    peer.event("message.delta").await;
    assert_eq!(peer.end().await.code, Some(0));
    gate.open();
    let shown = rig.call(["sessions", "show", &session]).await;
    assert!(shown.out.contains("> speak") && shown.out.contains("Half"), "{shown:?}");
    let next = rig.call(["run", "--session", &session, "go on"]).await;
    assert_eq!((next.code, next.out.as_str()), (Some(0), "On we go.\n"), "{next:?}");
    rig.assert_strict();
}

#[tokio::test]
async fn the_end_of_input_during_a_command_leaves_no_process() {
    let rig = Rig::start([
        calls("terminal", json!({"command": "echo $$ > group; sleep 60"})),
        says("On."),
    ])
    .await;
    let group = rig.project.join("group");
    let mut peer = Peer::start(&rig);
    peer.greet().await;
    let session = peer.session(&rig, "auto").await;
    peer.ok("prompt.submit", json!({"session_id": session, "text": "wait"}))
        .await;
    until("the command runs", || is_written(&group)).await;
    assert_eq!(peer.end().await.code, Some(0));
    assert!(!group_lives(&group).await);
    assert_eq!(rig.call(["run", "--session", &session, "go on"]).await.out, "On.\n");
    rig.assert_strict();
}

#[tokio::test]
async fn a_signal_ends_the_server_even_when_nobody_reads() {
    let rig = Rig::start([talaria_testkit::stream_of(200_000)]).await;
    let mut peer = Peer::start(&rig);
    peer.greet().await;
    let session = peer.session(&rig, "ask").await;
    peer.ok("prompt.submit", json!({"session_id": session, "text": "flood"}))
        .await;
    rig.model.wait_for_requests(1).await;
    // Nothing is read from here on, so the pipe is full before long.
    tokio::time::sleep(Duration::from_millis(300)).await;
    signal(&peer.child, libc::SIGTERM);
    let status = tokio::time::timeout(Duration::from_secs(10), peer.child.wait()).await;
    assert!(status.expect("it does not end").is_ok());
}
