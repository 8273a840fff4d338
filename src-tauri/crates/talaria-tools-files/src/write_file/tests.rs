use crate::testing::Session;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use talaria_protocol::{DiffHunk, DiffLine, DiffLineKind, FileDiff, ToolBody, ToolState};

async fn write(session: &Session, path: &str, content: &str) -> Value {
    session
        .result("write_file", json!({"path": path, "content": content}))
        .await
}

fn refused(result: &Value) -> &str {
    result["error"]
        .as_str()
        .unwrap_or_else(|| panic!("not refused: {result}"))
}

fn names(session: &Session) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(session.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn a_new_file_is_made_with_its_folders() {
    let session = Session::new();
    let outcome = session
        .run("write_file", json!({"path": "src/a.txt", "content": "one\ntwo\n"}))
        .await;
    let real = session.real("src/a.txt");
    let result: Value = serde_json::from_str(&outcome.result).unwrap();
    assert_eq!(
        result,
        json!({
            "bytes_written": 8,
            "dirs_created": true,
            "lint": {"status": "skipped", "message": "No linter for .txt files"},
            "resolved_path": real,
            "files_modified": [real],
        })
    );
    let added = |number, text: &str| DiffLine {
        kind: DiffLineKind::Added,
        number,
        text: text.into(),
    };
    let diff = FileDiff {
        path: "src/a.txt".into(),
        created: true,
        added: 2,
        removed: 0,
        hunks: vec![DiffHunk {
            skipped: 0,
            lines: vec![added(1, "one"), added(2, "two")],
        }],
        truncated: false,
    };
    assert_eq!(
        (outcome.state, outcome.note.as_deref()),
        (ToolState::Done, Some("+2 −0"))
    );
    assert_eq!(outcome.body, ToolBody::Edit { files: vec![diff] });
    assert_eq!(session.get("src/a.txt"), "one\ntwo\n");
}

#[tokio::test]
async fn the_gate_sees_the_change_before_it_happens() {
    let session = Session::new();
    session.put("a.txt", "old\n");
    let path = session.path("a.txt");
    session
        .run_while("write_file", json!({"path": "a.txt", "content": "new\n"}), |_| {
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "old\n");
        })
        .await;
    assert_eq!(session.get("a.txt"), "new\n");
    let diff = session.proposed(json!({"path": "a.txt", "content": "newer\n"})).await;
    assert_eq!((diff.created, diff.added, diff.removed), (false, 1, 1));
    let outside = session.proposed(json!({"path": "../b.txt", "content": ""})).await;
    assert!(
        outside.path.starts_with('/') && outside.path.ends_with("/b.txt"),
        "{}",
        outside.path
    );
}

#[tokio::test]
async fn only_what_was_approved_is_written() {
    let session = Session::new();
    session.put("a.txt", "old\n");
    let path = session.path("a.txt");
    let args = || json!({"path": "a.txt", "content": "new\n"});
    let outcome = session
        .run_while("write_file", args(), |_| std::fs::write(&path, "mine\n").unwrap())
        .await;
    assert_eq!(outcome.state, ToolState::Failed);
    assert!(
        outcome.result.contains("changed after this write was worked out"),
        "{}",
        outcome.result
    );
    assert_eq!(session.get("a.txt"), "mine\n");

    let outcome = session
        .run_while("write_file", args(), |_| std::fs::remove_file(&path).unwrap())
        .await;
    assert_eq!((outcome.state, names(&session)), (ToolState::Failed, vec![]));

    let swapped = |_: &_| symlink("/etc/hostname", &path).unwrap();
    let outcome = session.run_while("write_file", args(), swapped).await;
    assert_eq!(outcome.state, ToolState::Failed, "{}", outcome.result);
    assert!(std::fs::symlink_metadata(&path).unwrap().is_symlink());
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_not_overwritten() {
    let session = Session::new();
    session.put("a.txt", "old\n");
    session.result("read_file", json!({"path": "a.txt"})).await;
    session.put("a.txt", "own\n");
    assert!(refused(&write(&session, "a.txt", "new\n").await).contains("after you read it"));
    assert_eq!(session.get("a.txt"), "own\n");
    session.result("read_file", json!({"path": "a.txt"})).await;
    let result = write(&session, "a.txt", "new\n").await;
    assert_eq!(
        (&result["_warning"], session.get("a.txt")),
        (&Value::Null, "new\n".to_owned())
    );
    assert_eq!(
        write(&session, "a.txt", "newer\n").await["_warning"],
        Value::Null,
        "an own write counts as a reading"
    );
}

#[tokio::test]
async fn a_file_that_was_never_or_partly_read_is_written_with_a_warning() {
    let session = Session::new();
    session.put("a.txt", "one\ntwo\n");
    let warned = write(&session, "a.txt", "x\n").await;
    assert!(
        warned["_warning"]
            .as_str()
            .is_some_and(|text| text.contains("without having been read")),
        "{warned}"
    );
    session.put("b.txt", "one\ntwo\n");
    session.result("read_file", json!({"path": "b.txt", "limit": 1})).await;
    let warned = write(&session, "b.txt", "x\n").await;
    assert!(
        warned["_warning"]
            .as_str()
            .is_some_and(|text| text.contains("only a part")),
        "{warned}"
    );
    let warned = write(&session, "../c.txt", "x\n").await;
    assert!(
        warned["_warning"]
            .as_str()
            .is_some_and(|text| text.contains("outside the project")),
        "{warned}"
    );
}

#[tokio::test]
async fn a_write_is_followed_by_a_fresh_reading() {
    let session = Session::new();
    session.put("a.txt", "old\n");
    session.result("read_file", json!({"path": "a.txt"})).await;
    write(&session, "a.txt", "old\n").await;
    assert_eq!(
        session.result("read_file", json!({"path": "a.txt"})).await["content"],
        "1|old"
    );
}

#[tokio::test]
async fn line_endings_mark_and_links_stay() {
    let session = Session::new();
    session.put("dos.txt", "\u{feff}one\r\ntwo\r\n");
    symlink("dos.txt", session.path("link.txt")).unwrap();
    let result = write(&session, "link.txt", "one\n2\n").await;
    assert_eq!(result["resolved_path"], session.real("dos.txt"));
    assert_eq!(session.get("dos.txt"), "\u{feff}one\r\n2\r\n");
    assert!(
        std::fs::symlink_metadata(session.path("link.txt"))
            .unwrap()
            .is_symlink()
    );
    let diff = session
        .proposed(json!({"path": "dos.txt", "content": "one\n2\n3\n"}))
        .await;
    assert_eq!((diff.added, diff.removed), (1, 0), "the form of the file is no change");
}

#[tokio::test]
async fn arguments_and_display_text_are_refused_before_anybody_is_asked() {
    let session = Session::new();
    std::fs::create_dir(session.path("folder")).unwrap();
    for (args, says) in [
        (json!({"content": "x"}), "needs `path`"),
        (json!({"path": "a.txt"}), "got no `content`"),
        (json!({"path": "a.txt", "content": {"a": 1}}), "must be a text"),
        (json!({"path": "a.txt", "content": "1|a\n2|b\n"}), "line numbers"),
        (json!({"path": "folder", "content": "x"}), "is a folder"),
        (json!({"path": "/dev/null", "content": "x"}), ""),
    ] {
        let outcome = session
            .run_while("write_file", args.clone(), |_| panic!("the gate was asked"))
            .await;
        let result: Value = serde_json::from_str(&outcome.result).unwrap();
        assert!(refused(&result).contains(says), "{args}: {result}");
        assert_eq!(outcome.state, ToolState::Failed, "{args}");
    }
    assert_eq!(names(&session), ["folder"]);
    assert_eq!(write(&session, "empty.txt", "").await["bytes_written"], 0);
}

#[tokio::test]
async fn broken_syntax_is_written_and_told() {
    let session = Session::new();
    let result = write(&session, "x.json", "{bad").await;
    assert_eq!(
        (&result["lint"]["status"], session.get("x.json")),
        (&json!("error"), "{bad".to_owned())
    );
    assert_eq!(
        write(&session, "tsconfig.json", "// c\n{}").await["lint"],
        json!({"status": "ok"})
    );
}

#[tokio::test]
async fn protected_files_are_never_written() {
    let session = Session::new();
    std::fs::create_dir_all(session.path("../home/.ssh")).unwrap();
    std::fs::create_dir_all(session.path("../home/.talaria")).unwrap();
    symlink(session.path("../home/.ssh"), session.path("keys")).unwrap();
    for path in [
        "/etc/talaria-test",
        "/proc/sys/kernel/hostname",
        &session.path("../home/.ssh/id_rsa"),
        "keys/id_rsa",
        &session.path("../home/.bashrc"),
        &session.path("../home/.talaria/config.yaml"),
        &session.path("../home/.talaria/state.db"),
    ] {
        let outcome = session
            .run_while("write_file", json!({"path": path, "content": "x"}), |_| {
                panic!("asked for {path}")
            })
            .await;
        assert_eq!(outcome.state, ToolState::Failed, "{path}: {}", outcome.result);
    }
    assert!(
        std::fs::read_dir(session.path("../home/.ssh"))
            .unwrap()
            .next()
            .is_none()
    );
    assert_eq!(
        write(&session, ".env", "KEY=1\n").await["bytes_written"],
        6,
        "may be written, not read"
    );
}

#[tokio::test]
async fn two_writers_of_one_path_take_turns() {
    let session = Session::new();
    session.put("a.txt", "old\n");
    let (one, two) = tokio::join!(write(&session, "a.txt", "one\n"), write(&session, "a.txt", "two\n"));
    let written = [one, two].iter().filter(|result| result["error"].is_null()).count();
    assert_eq!(written, 1, "the second was approved against a file that is no more");
    assert_eq!(names(&session), ["a.txt"]);
}
