use super::*;
use std::time::Instant;
use talaria_protocol::{ApprovalMode, Message, SessionId};

use crate::table::messages::NewMessage;
use crate::table::sessions::NewSession;

fn begin(tx: &Tx<'_>, id: &str, text: &str) -> Result<i64, StoreError> {
    let session_id = SessionId::from(id);
    tx.create_session(&NewSession {
        session_id: session_id.clone(),
        source: "test".to_owned(),
        model: None,
        approval_mode: ApprovalMode::Ask,
        max_iterations: None,
        project_dir: None,
        git_branch: None,
        git_repo_root: None,
        started_at: 1.0,
    })?;
    tx.append_message(&session_id, &NewMessage::from(Message::user(text)))
}

fn limit_pages(tx: &Tx<'_>, pages: u32) -> Result<(), StoreError> {
    let sql = format!("PRAGMA max_page_count = {pages}");
    tx.one(&sql, [], |_| Ok(())).map(|_| ())
}

/// A limit of pages meets SQLite like a full disk does.
#[test]
fn a_full_disk_says_so_and_costs_nothing_that_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("state.db")).unwrap();
    store.write_later(|tx| begin(tx, "s", "kept")).wait().unwrap();
    store.write_later(|tx| limit_pages(tx, 1)).wait().unwrap();
    // Hold the thread, so that the two that follow share a transaction that is lost as a whole.
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let (begun, running) = std::sync::mpsc::channel::<()>();
    let held = store.write_later(move |_| {
        begun.send(()).unwrap();
        wait.recv().ok();
        Ok(())
    });
    running.recv().unwrap();
    let small = store.write_later(|tx| tx.set_meta("small", Some("x")));
    let large = store.write_later(|tx| begin(tx, "t", &"x".repeat(1_000_000)));
    go.send(()).unwrap();
    held.wait().unwrap();
    let small = small.wait();
    assert!(matches!(large.wait(), Err(StoreError::DiskFull { path }) if path == *store.path()));
    // What was answered with success is there, and nothing else.
    let kept = store.read_here(|reader| reader.meta("small")).unwrap();
    assert_eq!(kept.is_some(), small.is_ok());
    store.write_later(|tx| limit_pages(tx, 1_000_000)).wait().unwrap();
    store
        .write_later(|tx| begin(tx, "t", &"x".repeat(1_000_000)))
        .wait()
        .unwrap();
    let sessions = store
        .read_here(|reader| reader.list_sessions(None, None, 9))
        .unwrap()
        .sessions;
    assert_eq!(sessions.len(), 2);
}

#[test]
fn a_running_store_removes_what_is_no_longer_restored() {
    let folder = tempfile::tempdir().unwrap();
    let options = StoreOptions {
        undo_delete: Duration::from_millis(200),
        ..StoreOptions::default()
    };
    let store = Store::open_with(folder.path().join("state.db"), &options).unwrap();
    store.write_later(|tx| begin(tx, "s", "hi")).wait().unwrap();
    store
        .write_later(|tx| tx.mark_deleted(&SessionId::from("s")))
        .wait()
        .unwrap();
    let there = || {
        store
            .read_here(|reader| reader.session(&SessionId::from("s")))
            .unwrap()
            .is_some()
    };
    assert!(there());
    let begun = Instant::now();
    while there() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::yield_now();
    }
    assert!(!there());
    assert!(begun.elapsed() >= Duration::from_millis(150));
}
