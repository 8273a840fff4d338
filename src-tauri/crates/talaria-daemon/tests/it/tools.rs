use crate::rig::{Rig, group_lives, is_written, signal, until, wait};
use serde_json::{Value, json};
use talaria_testkit::says;

#[tokio::test]
async fn the_list_is_exactly_what_a_model_gets() {
    let rig = Rig::start([says("ok")]).await;
    rig.call(["run", "x"]).await;
    let list = rig.call(["tools", "list", "--json"]).await;
    assert_eq!(list.code, Some(0));
    let listed: Value = serde_json::from_str(&list.out).unwrap();
    assert_eq!(listed, Value::Array(rig.model.requests()[0].tools().to_vec()));
    let people = rig.call(["tools", "list"]).await;
    let names: Vec<&str> = people
        .out
        .lines()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(names, rig.model.requests()[0].tool_names());
}

#[tokio::test]
async fn a_call_prints_what_a_model_would_read() {
    let rig = Rig::start([]).await;
    let ended = rig.call(["tool", "call", "read_file", r#"{"path": "a.txt"}"#]).await;
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    assert_eq!(ended.json()[0]["content"], "1|hello");
    let fed = rig
        .feed(["tool", "call", "read_file", "-"], br#"{"path": "a.txt"}"#)
        .await;
    assert_eq!(fed.json()[0]["content"], "1|hello");
}

#[tokio::test]
async fn arguments_that_are_no_object_are_a_usage_error() {
    let rig = Rig::start([]).await;
    for arguments in ["{\"path\": ", "[]", "\"a.txt\"", "", "path=a.txt"] {
        let ended = rig.call(["tool", "call", "read_file", arguments]).await;
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{arguments}");
        assert!(ended.err.contains("JSON object"), "{}", ended.err);
    }
    let ended = rig
        .feed(["tool", "call", "read_file", "-"], b"{\"path\": \"\xff\"}")
        .await;
    assert_eq!(ended.code, Some(2));
}

#[tokio::test]
async fn a_failed_call_ends_with_1() {
    let rig = Rig::start([]).await;
    let unknown = rig.call(["tool", "call", "no_such_tool", "{}"]).await;
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.json()[0]["error"].as_str().unwrap().contains("no_such_tool"));
    let missing = rig.call(["tool", "call", "read_file", r#"{"path": "none.txt"}"#]).await;
    assert_eq!(missing.code, Some(1), "{missing:?}");
    let wrong = rig.call(["tool", "call", "read_file", r#"{"path": {"a": 1}}"#]).await;
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
}

#[tokio::test]
async fn a_call_that_needs_an_answer_is_denied_without_a_person() {
    let rig = Rig::start([]).await;
    let call = |approvals: &'static str| {
        rig.call([
            "tool",
            "call",
            "terminal",
            r#"{"command": "touch made"}"#,
            "--approvals",
            approvals,
        ])
    };
    for approvals in ["ask", "deny"] {
        let ended = call(approvals).await;
        assert_eq!(ended.code, Some(3), "{ended:?}");
        assert!(!rig.project.join("made").exists());
    }
    let ended = call("auto").await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(rig.project.join("made").exists());
    let reads = rig
        .call([
            "tool",
            "call",
            "terminal",
            r#"{"command": "cat a.txt"}"#,
            "--approvals",
            "deny",
        ])
        .await;
    assert_eq!(
        (reads.code, &reads.json()[0]["output"]),
        (Some(0), &json!("hello")),
        "{reads:?}"
    );
}

#[tokio::test]
async fn what_is_blocked_stays_blocked_in_auto() {
    let rig = Rig::start([]).await;
    let ended = rig
        .call([
            "tool",
            "call",
            "terminal",
            r#"{"command": "rm -rf /"}"#,
            "--approvals",
            "auto",
        ])
        .await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
}

#[tokio::test]
async fn calls_are_repeated_and_timed() {
    let rig = Rig::start([]).await;
    let args = [
        "tool",
        "call",
        "terminal",
        r#"{"command": "echo hi"}"#,
        "--repeat",
        "3",
        "--time",
    ];
    let ended = rig.call(args).await;
    assert_eq!(ended.code, Some(0));
    let lines: Vec<&str> = ended.out.lines().collect();
    assert_eq!(lines.len(), 6);
    for pair in lines.chunks(2) {
        let result: Value = serde_json::from_str(pair[0]).unwrap();
        assert_eq!(result["output"], "hi");
        let (number, unit) = pair[1].split_once(' ').unwrap();
        let (whole, part) = number.split_once('.').unwrap();
        assert!(
            unit == "ms" && part.len() == 3 && whole.parse::<u64>().is_ok(),
            "{}",
            pair[1]
        );
        assert!(number.parse::<f64>().unwrap() > 0.0);
    }
}

#[tokio::test]
async fn the_project_can_be_named() {
    let rig = Rig::start([]).await;
    let other = rig.home.project("other", [("b.txt", "there\n")]);
    let args = [
        "tool",
        "call",
        "read_file",
        r#"{"path": "b.txt"}"#,
        "--project",
        other.to_str().unwrap(),
    ];
    assert_eq!(rig.call(args).await.json()[0]["content"], "1|there");
    let args = ["tool", "call", "read_file", r#"{"path": "b.txt"}"#, "--project", "none"];
    assert_eq!(rig.call(args).await.code, Some(1));
}

#[tokio::test]
async fn an_interrupted_call_leaves_no_process() {
    let rig = Rig::start([]).await;
    let group = rig.project.join("group");
    let args = [
        "tool",
        "call",
        "terminal",
        r#"{"command": "echo $$ > group; sleep 60"}"#,
        "--approvals",
        "auto",
    ];
    let child = rig.talariad(args).spawn().unwrap();
    until("the command runs", || is_written(&group)).await;
    signal(&child, libc::SIGINT);
    assert_eq!(wait(child).await.code, Some(130));
    assert!(!group_lives(&group).await);
}

#[tokio::test]
async fn binary_and_endless_output_stay_bounded() {
    let rig = Rig::start([]).await;
    let command = "head -c 100000000 /dev/zero | tr '\\0' x; printf '\\377\\000\\001'";
    let arguments = json!({ "command": command }).to_string();
    let ended = rig
        .call(["tool", "call", "terminal", &arguments, "--approvals", "auto"])
        .await;
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.out.len() < 200_000, "{} bytes", ended.out.len());
}
