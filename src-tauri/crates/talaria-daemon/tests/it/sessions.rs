use crate::rig::Rig;
use serde_json::{Value, json};
use talaria_testkit::{calls, says};

#[tokio::test]
async fn sessions_are_listed_newest_first() {
    let rig = Rig::start([says("One."), says("Two.")]).await;
    assert_eq!(rig.call(["sessions", "list"]).await.out, "");
    let first = rig.call(["run", "--json", "the first task"]).await.session();
    let second = rig.call(["run", "--json", "the second task"]).await.session();
    let list = rig.call(["sessions", "list"]).await;
    assert_eq!(list.code, Some(0));
    let lines: Vec<&str> = list.out.lines().collect();
    assert!(
        lines[0].starts_with(&second) && lines[0].ends_with("the second task"),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with(&first) && lines[1].contains("2 messages"),
        "{lines:?}"
    );
    let json = rig.call(["sessions", "list", "--json", "--limit", "1"]).await.json();
    assert_eq!((json.len(), &json[0]["session_id"]), (1, &json!(second)));
}

#[tokio::test]
async fn a_session_is_shown_as_text_and_as_rows() {
    let rig = Rig::start([
        calls("terminal", json!({"command": "cat a.txt"})),
        says("It says hello."),
    ])
    .await;
    let session = rig.call(["run", "--json", "what is in a.txt?"]).await.session();
    let text = rig.call(["sessions", "show", &session[..session.len() - 1]]).await;
    assert_eq!(text.code, Some(0));
    for part in ["> what is in a.txt?", "cat a.txt", "    hello", "It says hello."] {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
    let rows = rig.call(["sessions", "show", "--json", &session]).await.json();
    let types: Vec<&Value> = rows.iter().map(|row| &row["type"]).collect();
    assert_eq!(types, ["user", "tool", "assistant"]);
}

#[tokio::test]
async fn a_long_session_is_shown_whole_and_in_order() {
    let rig = Rig::start(talaria_testkit::Script::always(|request| {
        says(format!("re: {}", request.last_user()))
    }))
    .await;
    let session = rig.call(["run", "--json", "message 0"]).await.session();
    for number in 1..4 {
        rig.call(["run", "--session", &session, &format!("message {number}")])
            .await;
    }
    let rows = rig.call(["sessions", "show", "--json", &session]).await.json();
    let texts: Vec<&str> = rows.iter().map(|row| row["text"].as_str().unwrap()).collect();
    let expected: Vec<String> = (0..4)
        .flat_map(|n| [format!("message {n}"), format!("re: message {n}")])
        .collect();
    assert_eq!(texts, expected);
}

#[tokio::test]
async fn an_export_is_one_json_object_with_everything() {
    let rig = Rig::start([calls("read_file", json!({"path": "a.txt"})), says("It says hello.")]).await;
    let session = rig.call(["run", "--json", "what is in a.txt?"]).await.session();
    let export = rig.call(["sessions", "export", &session]).await;
    assert_eq!((export.code, export.out.lines().count()), (Some(0), 1));
    let value = export.json().remove(0);
    let roles: Vec<&Value> = value["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| &message["role"])
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant"], "{value}");
}

#[tokio::test]
async fn a_deleted_session_is_gone_and_only_the_whole_id_deletes() {
    let rig = Rig::start([says("One.")]).await;
    let session = rig.call(["run", "--json", "delete me"]).await.session();
    let part = rig.call(["sessions", "delete", &session[..session.len() - 2]]).await;
    assert_eq!(part.code, Some(1), "{part:?}");
    let whole = rig.call(["sessions", "delete", &session]).await;
    assert_eq!((whole.code, whole.err.as_str()), (Some(0), ""));
    assert_eq!(rig.call(["sessions", "list"]).await.out, "");
    let again = rig.call(["sessions", "delete", &session]).await;
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("there is no session"), "{}", again.err);
}

#[tokio::test]
async fn the_beginning_of_several_ids_names_none() {
    let rig = Rig::start([says("One."), says("Two.")]).await;
    rig.call(["run", "a"]).await;
    let session = rig.call(["run", "--json", "b"]).await.session();
    let ended = rig.call(["sessions", "show", &session[..2]]).await;
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.err.contains("more than one, has an id that begins with 20"),
        "{}",
        ended.err
    );
}

#[tokio::test]
async fn a_session_that_does_not_exist_is_told() {
    let rig = Rig::start([]).await;
    for command in ["show", "export", "delete"] {
        let ended = rig.call(["sessions", command, "20200101_000000_abcdef"]).await;
        assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""), "{command}");
        assert!(
            ended.err.contains("there is no session 20200101_000000_abcdef"),
            "{}",
            ended.err
        );
        assert!(ended.err.contains("talariad sessions list"), "{}", ended.err);
    }
}
