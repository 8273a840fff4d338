use crate::testing::Session;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;

/// A person's home with what must not be written, and the same reached by another name.
fn homes(session: &Session) {
    fs::create_dir_all(session.path("../disk/.ssh")).unwrap();
    fs::create_dir_all(session.path("../disk/.talaria")).unwrap();
    symlink(session.path("../disk"), session.path("../home")).unwrap();
}

/// What a refused write says; fails when anybody is asked about it.
async fn refusal(session: &Session, path: &str) -> String {
    let outcome = session
        .run_while("write_file", json!({"path": path, "content": "x"}), |_| {
            panic!("asked for {path}")
        })
        .await;
    error(&serde_json::from_str(&outcome.result).unwrap())
}

async fn written(session: &Session, path: &str) -> Value {
    session
        .result("write_file", json!({"path": path, "content": "KEY=1\n"}))
        .await
}

fn error(result: &Value) -> String {
    result["error"]
        .as_str()
        .unwrap_or_else(|| panic!("not refused: {result}"))
        .to_owned()
}

#[tokio::test]
async fn a_home_that_is_a_link_is_protected_under_both_names() {
    let session = Session::new();
    homes(&session);
    fs::write(session.path("../disk/.talaria/auth.json"), "token").unwrap();
    for home in ["home", "disk"] {
        for name in [".bashrc", ".ssh/config", ".talaria/config.yaml", ".talaria/state.db"] {
            let said = refusal(&session, &session.path(&format!("../{home}/{name}"))).await;
            assert!(said.starts_with("Write denied: "), "{home}/{name}: {said}");
            assert!(
                said.ends_with("is a protected system/credential file."),
                "{home}/{name}: {said}"
            );
            assert!(!fs::exists(session.path(&format!("../disk/{name}"))).unwrap());
        }
        let path = session.path(&format!("../{home}/.talaria/auth.json"));
        let said = error(&session.result("read_file", json!({"path": path})).await);
        assert!(said.contains("holds credentials"), "{said}");
    }
    let notes = session.path("../home/notes.txt");
    assert_eq!(written(&session, &notes).await["bytes_written"], 6);
}

#[tokio::test]
async fn a_link_in_the_project_leads_past_no_rule() {
    let session = Session::new();
    homes(&session);
    symlink(session.path("../home/.ssh"), session.path("keys")).unwrap();
    symlink(session.path("../home/.bashrc"), session.path("notes.txt")).unwrap();
    symlink(session.path("../home/.talaria"), session.path("own")).unwrap();
    for path in ["keys/config", "notes.txt", "own/config.yaml", "own/state.db"] {
        let said = refusal(&session, path).await;
        assert!(
            said.ends_with("is a protected system/credential file."),
            "{path}: {said}"
        );
    }
    assert_eq!(fs::read_dir(session.path("../disk/.ssh")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(session.path("../disk/.talaria")).unwrap().count(), 0);
}

#[tokio::test]
async fn an_environment_file_of_the_project_is_written_and_not_read() {
    let session = Session::new();
    assert_eq!(written(&session, ".env").await["bytes_written"], 6);
    assert_eq!(session.get(".env"), "KEY=1\n");
    let said = error(&session.result("read_file", json!({"path": ".env"})).await);
    assert!(said.contains("Read .env.example"), "{said}");
}

#[tokio::test]
async fn devices_and_system_files_are_told_apart() {
    let session = Session::new();
    let said = refusal(&session, "/dev/null").await;
    assert_eq!(said, "/dev/null is a device, pipe or socket; it is not written.");
    let said = refusal(&session, "/dev/sda").await;
    assert!(
        said.starts_with("Write denied: '/dev/sda' belongs to the system."),
        "{said}"
    );
    let said = refusal(&session, "/etc/talaria-test").await;
    assert!(said.contains("use the terminal with sudo"), "{said}");
}

#[tokio::test]
async fn nothing_is_written_outside_of_the_safe_roots() {
    let session = Session::new();
    homes(&session);
    fs::create_dir(session.path("out")).unwrap();
    symlink(session.path("out"), session.path("alias")).unwrap();
    symlink(session.path("../disk"), session.path("out/leak")).unwrap();
    session
        .limit_writes(&format!("{}::~/drafts", session.path("alias")))
        .await;

    for path in ["out/a.txt", "alias/b.txt", &session.path("../disk/drafts/c.txt")] {
        assert_eq!(written(&session, path).await["bytes_written"], 6, "{path}");
    }
    let drafts = fs::canonicalize(session.path("../disk")).unwrap().join("drafts");
    let roots = format!("{}, {}", session.real("out"), drafts.display());
    for (path, real) in [
        ("a.txt", session.real("a.txt")),
        ("output.txt", session.real("output.txt")),
        (
            "out/leak/notes.txt",
            drafts.with_file_name("notes.txt").display().to_string(),
        ),
    ] {
        assert_eq!(
            refusal(&session, path).await,
            format!("Write denied: '{real}' is outside of the folders that may be written to: {roots}.")
        );
    }
    let said = refusal(&session, &session.path("../home/.bashrc")).await;
    assert!(said.ends_with("is a protected system/credential file."), "{said}");
}

#[tokio::test]
async fn an_empty_list_of_safe_roots_is_no_limit() {
    let session = Session::new();
    session.limit_writes(":").await;
    assert_eq!(written(&session, "a.txt").await["bytes_written"], 6);
}

#[tokio::test]
async fn a_home_that_leads_nowhere_stops_the_tools() {
    let session = Session::new();
    session.put("a.txt", "one");
    symlink("home", session.path("../home")).unwrap();
    let said = refusal(&session, "a.txt").await;
    assert!(said.contains("cannot tell which files are protected"), "{said}");
    fs::remove_file(session.path("../home")).unwrap();
    assert_eq!(
        session.result("read_file", json!({"path": "a.txt"})).await["content"],
        "1|one"
    );
}
