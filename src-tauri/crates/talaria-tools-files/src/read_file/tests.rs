use crate::testing::Session;
use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt, symlink};
use talaria_protocol::{ToolBody, ToolState};

async fn read(session: &Session, args: Value) -> Value {
    session.result("read_file", args).await
}

async fn error(session: &Session, args: Value) -> String {
    let result = read(session, args).await;
    result["error"]
        .as_str()
        .unwrap_or_else(|| panic!("no error in {result}"))
        .to_owned()
}

#[tokio::test]
async fn a_file_comes_with_line_numbers_and_facts() {
    let session = Session::new();
    session.put("a.txt", "one\ntwo\n");
    let outcome = session.run("read_file", json!({"path": "a.txt"})).await;
    assert_eq!(
        outcome.result,
        r#"{"content":"1|one\n2|two","total_lines":2,"file_size":8,"truncated":false}"#
    );
    assert_eq!(
        (outcome.state, outcome.note.as_deref()),
        (ToolState::Done, Some("2 lines"))
    );
    assert_eq!(
        outcome.body,
        ToolBody::Text {
            text: "1|one\n2|two".into(),
            truncated: false
        }
    );
}

#[tokio::test]
async fn long_files_come_in_pages() {
    let session = Session::new();
    session.put(
        "a.txt",
        (1..=600).map(|number| format!("{number}\n")).collect::<String>(),
    );
    let first = read(&session, json!({"path": "a.txt"})).await;
    assert_eq!(first["next_offset"], 501);
    assert_eq!(
        first["hint"],
        "Use offset=501 to continue reading (showing 1-500 of 600 lines)"
    );
    let outcome = session
        .run("read_file", json!({"path": "a.txt", "offset": "599", "limit": 1}))
        .await;
    assert_eq!(outcome.note.as_deref(), Some("599–599 of 600 lines"));
    let last = read(&session, json!({"path": "a.txt", "offset": 600, "limit": 9_999})).await;
    assert_eq!(
        last,
        json!({"content": "600|600", "total_lines": 600, "file_size": 2292, "truncated": false})
    );
    let beyond = read(&session, json!({"path": "a.txt", "offset": 700})).await;
    assert_eq!(
        (&beyond["content"], &beyond["hint"]),
        (
            &json!(""),
            &json!("Offset 700 is beyond the end of the file (600 lines).")
        )
    );
}

#[tokio::test]
async fn a_budget_of_characters_ends_a_page() {
    let mut session = Session::new();
    session.limits.read_chars = 20;
    session.put("a.txt", "0123456\n0123456\n0123456\n");
    let page = read(&session, json!({"path": "a.txt"})).await;
    assert_eq!(page["content"], "1|0123456\n2|0123456");
    assert_eq!(
        (&page["truncated_by"], &page["next_offset"]),
        (&json!("bytes"), &json!(3))
    );
    session.put("b.txt", "x".repeat(50));
    let clamped = read(&session, json!({"path": "b.txt"})).await;
    assert_eq!(clamped["content"], format!("1|{}", "x".repeat(18)));
    assert!(
        clamped["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("cannot be reached")),
        "{clamped}"
    );
}

#[tokio::test]
async fn a_huge_line_neither_fills_memory_nor_the_result() {
    let session = Session::new();
    session.put("one.txt", vec![b'x'; 100_000_000]);
    let outcome = session.run("read_file", json!({"path": "one.txt"})).await;
    let result: Value = serde_json::from_str(&outcome.result).unwrap();
    assert_eq!(result["content"], format!("1|{}... [truncated]", "x".repeat(2000)));
    assert_eq!(
        (&result["total_lines"], &result["file_size"]),
        (&json!(1), &json!(100_000_000))
    );
}

#[tokio::test]
async fn an_empty_file_is_said_to_be_empty() {
    let session = Session::new();
    session.put("empty", "");
    let result = read(&session, json!({"path": "empty"})).await;
    assert_eq!(
        (&result["content"], &result["hint"]),
        (&json!(""), &json!("The file is empty."))
    );
}

#[tokio::test]
async fn what_is_not_utf8_is_replaced_with_a_warning() {
    let session = Session::new();
    session.put("latin1.txt", b"caf\xe9\n");
    let result = read(&session, json!({"path": "latin1.txt"})).await;
    assert_eq!(result["content"], "1|caf\u{fffd}");
    assert!(result["_warning"].as_str().is_some_and(|text| text.contains("UTF-8")));
}

#[tokio::test]
async fn failures_say_what_is_there_instead() {
    let session = Session::new();
    session.put("new.txt", "x");
    session.put("image.png", "x");
    session.put("report.docx", "x");
    session.put("blob", [0_u8, 1, 2, 3, 0, 0, 0, 0]);
    std::fs::create_dir(session.path("folder")).unwrap();
    assert_eq!(
        read(&session, json!({"path": "nw.txt"})).await,
        json!({"error": "File not found: nw.txt", "similar_files": ["./new.txt"]})
    );
    assert_eq!(
        error(&session, json!({"path": "nowhere/at/all"})).await,
        "File not found: nowhere/at/all"
    );
    assert_eq!(
        error(&session, json!({"path": "new.txt/below"})).await,
        "File not found: new.txt/below"
    );
    assert!(
        error(&session, json!({"path": "folder"}))
            .await
            .starts_with("folder is a folder, not a file.")
    );
    assert!(
        error(&session, json!({"path": "image.png"}))
            .await
            .contains("is an image")
    );
    assert!(
        error(&session, json!({"path": "report.docx"}))
            .await
            .contains("is a document")
    );
    assert!(error(&session, json!({"path": "blob"})).await.contains("looks binary"));
    assert!(error(&session, json!({})).await.starts_with("read_file needs `path`"));
    assert!(error(&session, json!({"path": "  "})).await.contains("`path` is empty"));
}

#[tokio::test]
async fn a_deleted_project_folder_is_named_and_not_made_again() {
    let session = Session::new();
    std::fs::remove_dir(session.path("")).unwrap();
    let result = read(&session, json!({"path": "a.txt"})).await;
    assert!(
        result["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("does not exist any more")),
        "{result}"
    );
    let result = session
        .result("write_file", json!({"path": "a.txt", "content": "x"}))
        .await;
    assert!(
        result["error"]
            .as_str()
            .is_some_and(|error| error.contains("does not exist any more")),
        "{result}"
    );
    assert!(!std::path::Path::new(&session.path("")).exists());
}

#[tokio::test]
async fn a_file_without_read_permission_is_not_called_missing() {
    let session = Session::new();
    session.put("secret", "x");
    std::fs::set_permissions(session.path("secret"), std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(session.path("secret")).is_ok() {
        println!("skipped: permissions do not bind this user");
        return;
    }
    assert!(
        error(&session, json!({"path": "secret"}))
            .await
            .starts_with("Permission denied: secret")
    );
}

#[tokio::test]
async fn an_unchanged_page_is_not_sent_twice() {
    let session = Session::new();
    session.put("a.txt", "one\n");
    let args = || json!({"path": "a.txt"});
    assert_eq!(read(&session, args()).await["content"], "1|one");
    assert_eq!(
        read(&session, json!({"path": session.path("a.txt")})).await,
        json!({
            "status": "unchanged",
            "message": crate::internal_text::UNCHANGED,
            "path": session.path("a.txt"),
            "dedup": true,
            "content_returned": false,
        })
    );
    let blocked = read(&session, args()).await;
    assert!(
        blocked["error"]
            .as_str()
            .is_some_and(|error| error.starts_with("BLOCKED:")),
        "{blocked}"
    );
    assert_eq!(blocked["already_read"], 3);
    session.other_call();
    assert_eq!(read(&session, args()).await["status"], "unchanged");
    session.put("a.txt", "two\n");
    assert_eq!(
        read(&session, args()).await["content"],
        "1|two",
        "the same size, moments later"
    );
    assert_eq!(
        read(&session, json!({"path": "a.txt", "limit": 5})).await["content"],
        "1|two",
        "another page"
    );
}

#[tokio::test]
async fn reading_a_changing_file_for_ever_is_stopped() {
    let session = Session::new();
    for number in 1..=4 {
        session.put("log", format!("{number}\n"));
        let result = read(&session, json!({"path": "log"})).await;
        match number {
            1 | 2 => assert_eq!(result["_warning"], Value::Null),
            3 => assert!(
                result["_warning"]
                    .as_str()
                    .is_some_and(|text| text.contains("three times")),
                "{result}"
            ),
            _ => assert_eq!(result["already_read"], 4),
        }
    }
}

#[tokio::test]
async fn secrets_and_devices_are_refused_also_through_links() {
    let session = Session::new();
    session.put(".env", "KEY=1");
    session.put(".env.example", "KEY=");
    symlink(session.path(".env"), session.path("innocent.txt")).unwrap();
    symlink("/dev/zero", session.path("zero.txt")).unwrap();
    symlink("/proc/self/environ", session.path("environ.txt")).unwrap();
    for path in [
        ".env",
        "innocent.txt",
        "zero.txt",
        "environ.txt",
        "/dev/stdin",
        "/dev/../dev//zero",
        "/proc/self/environ",
    ] {
        let result = read(&session, json!({"path": path})).await;
        assert!(result["error"].is_string(), "{path}: {result}");
        assert!(!result.to_string().contains("KEY=1"), "{path}: {result}");
    }
    assert_eq!(
        read(&session, json!({"path": ".env.example"})).await["content"],
        "1|KEY="
    );
}
