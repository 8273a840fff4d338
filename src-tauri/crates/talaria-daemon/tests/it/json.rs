use crate::rig::Rig;
use serde_json::{Value, json};
use talaria_testkit::{calls, says};

const RESULT_KEYS: [&str; 8] = [
    "api_calls",
    "error",
    "exit_reason",
    "final_response",
    "session_id",
    "status",
    "type",
    "usage",
];

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[tokio::test]
async fn each_line_is_an_event_and_the_last_is_the_result() {
    let rig = Rig::start([calls("read_file", json!({"path": "a.txt"})), says("It says hello.")]).await;
    let ended = rig.call(["run", "--json", "what is in a.txt?"]).await;
    assert_eq!(ended.code, Some(0));
    let lines = ended.json();
    let (result, events) = lines.split_last().unwrap();
    assert_eq!(keys(result), RESULT_KEYS);
    assert_eq!(
        (
            &result["type"],
            &result["status"],
            &result["final_response"],
            &result["api_calls"],
            &result["error"]
        ),
        (
            &json!("result"),
            &json!("completed"),
            &json!("It says hello."),
            &json!(2),
            &Value::Null
        )
    );
    assert_eq!(
        (&result["usage"]["input_tokens"], &result["usage"]["output_tokens"]),
        (&json!(200), &json!(40))
    );
    let mut before = 0;
    for event in events {
        assert_eq!(keys(event), ["payload", "seq", "session_id", "type"], "{event}");
        assert_eq!(event["session_id"], result["session_id"]);
        let seq = event["seq"].as_u64().unwrap();
        assert!(seq > before, "{event}");
        before = seq;
    }
    let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    for kind in [
        "message.start",
        "tool.start",
        "tool.complete",
        "message.delta",
        "message.complete",
    ] {
        assert!(types.contains(&kind), "{kind} is missing in {types:?}");
    }
    assert_eq!(types.last(), Some(&"message.complete"));
}

#[tokio::test]
async fn a_failure_before_the_first_event_is_a_result_too() {
    let rig = Rig::start([]).await;
    rig.home.write_config("");
    let ended = rig.call(["run", "--json", "x"]).await;
    assert_eq!((ended.code, ended.out.lines().count()), (Some(1), 1));
    let result = ended.result();
    assert_eq!(keys(&result), RESULT_KEYS);
    assert_eq!(
        (&result["status"], &result["error"]["kind"]),
        (&json!("failed"), &json!("no_model"))
    );
    assert_eq!(result["session_id"], Value::Null, "nothing was stored under this id");
}

#[tokio::test]
async fn a_denial_for_want_of_an_answer_is_told_in_status_and_exit_code() {
    for approvals in ["deny", "ask"] {
        let rig = Rig::start([
            calls("terminal", json!({"command": "touch made"})),
            says("I could not."),
        ])
        .await;
        let ended = rig.call(["run", "--json", "--approvals", approvals, "make it"]).await;
        assert_eq!(ended.code, Some(3), "{ended:?}");
        let result = ended.result();
        assert_eq!(
            (&result["status"], &result["final_response"]),
            (&json!("denied"), &json!("I could not."))
        );
        assert!(!rig.project.join("made").exists());
        assert!(rig.model.requests()[1].tool_results()[0].contains("nobody could be asked"));
        assert!(ended.err.contains("--approvals auto"), "{}", ended.err);
        rig.assert_strict();
    }
}

#[tokio::test]
async fn auto_runs_what_is_not_blocked() {
    let rig = Rig::start([
        calls("terminal", json!({"command": "touch made"})),
        calls("terminal", json!({"command": "rm -rf /"})),
        says("Done, but not all."),
    ])
    .await;
    let ended = rig.call(["run", "--json", "--approvals", "auto", "make it"]).await;
    assert_eq!(
        (ended.code, &ended.result()["status"]),
        (Some(0), &json!("completed")),
        "blocked is not unanswered"
    );
    assert!(rig.project.join("made").exists());
    rig.assert_strict();
}

#[tokio::test]
async fn reads_need_no_answer() {
    let rig = Rig::start([
        calls("terminal", json!({"command": "cat a.txt | wc -l"})),
        says("One line."),
    ])
    .await;
    let ended = rig.call(["run", "--json", "--approvals", "deny", "count"]).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[tokio::test]
async fn a_question_of_the_model_without_a_person_is_dismissed() {
    let rig = Rig::start([calls("clarify", json!({"question": "Which one?"})), says("I chose.")]).await;
    let ended = rig.call(["run", "--json", "choose"]).await;
    assert_eq!(
        (ended.code, &ended.result()["final_response"]),
        (Some(0), &json!("I chose."))
    );
    rig.assert_strict();
}
