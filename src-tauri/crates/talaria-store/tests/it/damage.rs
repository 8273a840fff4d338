//! Files that are damaged, foreign, newer, write-protected or on a full disk.

use crate::{begin, child, database, new_store};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use talaria_protocol::SessionId;
use talaria_store::{ReadOnlyReason, SCHEMA_VERSION, Store, StoreError};

fn files(folder: &Path, part: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().contains(part))
        .collect();
    found.sort();
    found
}

#[test]
fn a_newer_database_opens_for_reading_and_stays_as_it_is() {
    let (folder, store) = new_store();
    store.write_later(|tx| begin(tx, "s", "hello")).wait().unwrap();
    drop(store);
    let path = database(&folder);
    let conn = Connection::open(&path).unwrap();
    let newer = SCHEMA_VERSION + 1;
    conn.execute_batch(&format!(
        "UPDATE schema_version SET version = {newer}; ALTER TABLE sessions ADD COLUMN x;"
    ))
    .unwrap();
    drop(conn);
    let before = std::fs::read(&path).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(
        store.read_only(),
        Some(&ReadOnlyReason::NewerSchema {
            found: newer,
            known: SCHEMA_VERSION
        })
    );
    let history = store.read_here(|reader| reader.history(&SessionId::from("s"))).unwrap();
    assert_eq!(history[0].1.content_text(), "hello");
    let refused = store
        .write_later(|tx| tx.set_meta("a", Some("b")))
        .wait()
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains(&format!("schema {newer}")) && refused.contains(&format!("up to {SCHEMA_VERSION}")),
        "{refused}"
    );
    drop(store);
    assert!(std::fs::read(&path).unwrap() == before);
}

#[test]
fn a_damaged_database_is_copied_aside_once_and_left_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let garbage = b"this is no database, whatever its name says".repeat(200);
    std::fs::write(&path, &garbage).unwrap();
    for _ in 0..2 {
        let Err(StoreError::Corrupt { kept: Some(kept), .. }) = Store::open(&path) else {
            panic!("opened")
        };
        assert!(std::fs::read(&kept).unwrap() == garbage);
    }
    assert!(std::fs::read(&path).unwrap() == garbage);
    assert_eq!(files(folder.path(), ".malformed-backup-").len(), 1);
}

#[test]
fn a_damaged_page_is_reported_as_damage() {
    let (folder, store) = new_store();
    let message = "x".repeat(100_000);
    store.write_later(move |tx| begin(tx, "s", &message)).wait().unwrap();
    drop(store);
    let path = database(&folder);
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes
        .windows(16)
        .position(|window| window == b"CREATE TABLE sta")
        .unwrap();
    bytes[at..at + 12].copy_from_slice(b"CREATE NONSE");
    std::fs::write(&path, &bytes).unwrap();
    let Err(StoreError::Corrupt { kept: Some(kept), .. }) = Store::open(&path) else {
        panic!("opened")
    };
    assert!(std::fs::read(kept).unwrap() == bytes);
}

#[test]
fn a_database_of_another_program_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE theirs (x);")
        .unwrap();
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Foreign { .. })));
    assert!(std::fs::read(&path).unwrap() == before);
}

#[test]
fn a_missing_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gone/state.db");
    let Err(StoreError::Unwritable { path: named, .. }) = Store::open(&path) else {
        panic!("opened")
    };
    assert_eq!(named, path);
}

/// Write protection does not bind root, so the part that meets it runs as another user.
#[cfg(unix)]
#[test]
fn a_write_protected_home_is_read_where_there_is_something_to_read() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let (folder, store) = new_store();
    store.write_later(|tx| begin(tx, "s", "hello")).wait().unwrap();
    drop(store);
    let path = database(&folder);
    let root = folder.path().metadata().unwrap().uid() == 0;
    let uid = root.then_some(65_534);
    let mode = |mode: u32| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(&path, mode(0o444)).unwrap();
    std::fs::set_permissions(folder.path(), mode(0o555)).unwrap();
    let before = std::fs::read(&path).unwrap();
    let (mut child, mut lines) = child::start_as("open", &path, uid);
    let said = lines.next().unwrap();
    assert!(
        said.starts_with("opened Some(Unwritable), 1 sessions, write Err("),
        "{said}"
    );
    assert!(said.contains("write-protected"), "{said}");
    assert!(child.wait().unwrap().success());
    let (mut child, mut lines) = child::start_as("open", &folder.path().join("new.db"), uid);
    let said = lines.next().unwrap();
    assert!(said.starts_with("refused: cannot create"), "{said}");
    assert!(child.wait().unwrap().success());
    assert!(std::fs::read(&path).unwrap() == before);
    std::fs::set_permissions(folder.path(), mode(0o755)).unwrap();
}

#[test]
fn the_first_release_still_opens() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch(include_str!("../../../../../tests/fixtures/state-v1.sql"))
        .unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(store.read_only(), None);
    let export = store
        .read_here(|reader| reader.export_session(&SessionId::from("20260101_090000_aaaaaa")))
        .unwrap();
    insta::assert_snapshot!("first_release", serde_json::to_string_pretty(&export.unwrap()).unwrap());
    let (queue, draft, rows) = store
        .read_here(|reader| {
            let id = SessionId::from("20260101_090000_aaaaaa");
            Ok((
                reader.queue(&id)?,
                reader.draft(&id)?,
                reader.transcript(&id, None, 10)?.messages,
            ))
        })
        .unwrap();
    assert_eq!((queue.entries.len(), draft.as_str()), (1, "and then"));
    assert!(rows[0].display.is_some() && rows[2].display.is_some());
    store
        .write_later(|tx| begin(tx, "20260102_090000_bbbbbb", "new"))
        .wait()
        .unwrap();
    let listed = store.read_here(|reader| reader.list_sessions(None, None, 10)).unwrap();
    assert_eq!(listed.sessions.len(), 2);
}
