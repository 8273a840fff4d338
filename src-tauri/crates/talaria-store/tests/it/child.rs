//! This test binary as a child process: a test that needs another process runs `child_part` with a role.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use talaria_protocol::{Message, SessionId};
use talaria_store::{Lease, NewMessage, Store};

const ROLE: &str = "TALARIA_STORE_TEST_ROLE";
const DATABASE: &str = "TALARIA_STORE_TEST_DATABASE";

/// Starts this binary with a role. Its lines after `ready` come from the reader.
pub fn start(role: &str, database: &Path) -> (Child, impl Iterator<Item = String> + use<>) {
    start_as(role, database, None)
}

/// As `start`, under another user where this one may choose.
pub fn start_as(role: &str, database: &Path, uid: Option<u32>) -> (Child, impl Iterator<Item = String> + use<>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "child::child_part", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env(DATABASE, database)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    #[cfg(unix)]
    if let Some(uid) = uid {
        std::os::unix::process::CommandExt::uid(&mut command, uid);
    }
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The test harness prints lines of its own; ours are marked.
    let mut ours = lines
        .map_while(Result::ok)
        .filter_map(|line| line.split_once("child: ").map(|(_, l)| l.to_owned()));
    assert_eq!(ours.next().as_deref(), Some("ready"), "role {role}");
    (child, ours)
}

fn say(line: &str) {
    println!("child: {line}");
    std::io::stdout().flush().unwrap();
}

/// Runs only as a child; as a test of its own it has nothing to do.
#[test]
fn child_part() {
    let (Ok(role), Ok(database)) = (std::env::var(ROLE), std::env::var(DATABASE)) else {
        return;
    };
    match role.as_str() {
        "append" => append(Path::new(&database), Some(1_000)),
        "append for ever" => append(Path::new(&database), None),
        "lease" => lease(Path::new(&database)),
        "lock" => lock(Path::new(&database)),
        "open" => open(Path::new(&database)),
        other => panic!("no role {other}"),
    }
}

fn append(database: &Path, count: Option<usize>) {
    let store = Store::open(database).unwrap();
    let session_id = SessionId::from("shared");
    say("ready");
    for number in 0..count.unwrap_or(usize::MAX) {
        let (id, message) = (
            session_id.clone(),
            NewMessage::from(Message::user(format!("child {number}"))),
        );
        let row = store
            .write_later(move |tx| tx.append_message(&id, &message))
            .wait()
            .unwrap();
        say(&format!("{row} {number}"));
    }
}

fn lease(database: &Path) {
    let store = Store::open(database).unwrap();
    let lease = store
        .write_later(|tx| tx.acquire_lease(&SessionId::from("s")))
        .wait()
        .unwrap();
    assert_eq!(lease, Lease::Acquired { taken_from: None });
    say("ready");
    wait_to_be_killed();
}

fn lock(database: &Path) {
    let conn = rusqlite::Connection::open(database).unwrap();
    conn.execute_batch("BEGIN IMMEDIATE").unwrap();
    say("ready");
    wait_to_be_killed();
}

fn open(database: &Path) {
    say("ready");
    match Store::open(database) {
        Ok(store) => {
            let read = store
                .read_here(|reader| Ok(reader.list_sessions(None, None, 9)?.sessions.len()))
                .unwrap();
            let write = store.write_later(|tx| tx.set_meta("a", Some("b"))).wait();
            say(&format!(
                "opened {:?}, {read} sessions, write {:?}",
                store.read_only(),
                write.map_err(|e| e.to_string())
            ));
        }
        Err(error) => say(&format!("refused: {error}")),
    }
}

#[expect(clippy::disallowed_methods, reason = "a child that is killed by its parent")]
fn wait_to_be_killed() {
    std::thread::sleep(std::time::Duration::from_secs(60));
}
