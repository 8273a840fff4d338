//! What one durable message costs: a bare insert and commit of rusqlite against `Store::write` of one message.
//! Prints medians in microseconds.

#![expect(clippy::expect_used, reason = "a bench ends at the first failure")]

use std::time::{Duration, Instant};
use talaria_protocol::{ApprovalMode, Message, SessionId};
use talaria_store::{NewMessage, NewSession, Store};

const ROUNDS: usize = 3_000;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "x".repeat(400);

    let bare = bare(&folder.path().join("bare.db"), &text);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let store = Store::open(folder.path().join("state.db")).expect("a store");
    let session_id = SessionId::from("20260101_000000_abcdef");
    let (single, inside, grouped) = runtime.block_on(async {
        let id = session_id.clone();
        store
            .write(move |tx| {
                tx.create_session(&NewSession {
                    session_id: id,
                    source: "bench".to_owned(),
                    model: None,
                    approval_mode: ApprovalMode::Ask,
                    max_iterations: None,
                    project_dir: None,
                    git_branch: None,
                    git_repo_root: None,
                    started_at: 1.0,
                })
            })
            .await
            .expect("a session");
        let mut single = Vec::with_capacity(ROUNDS);
        let mut inside = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let (id, message) = (session_id.clone(), NewMessage::from(Message::user(text.as_str())));
            let begun = Instant::now();
            let spent = store
                .write(move |tx| {
                    let begun = Instant::now();
                    tx.append_message(&id, &message)?;
                    Ok(begun.elapsed())
                })
                .await
                .expect("a write");
            single.push(begun.elapsed());
            inside.push(spent);
        }
        let begun = Instant::now();
        let pending: Vec<_> = (0..ROUNDS)
            .map(|_| {
                let (id, message) = (session_id.clone(), NewMessage::from(Message::user(text.as_str())));
                store.write_later(move |tx| tx.append_message(&id, &message))
            })
            .collect();
        for write in pending {
            write.await.expect("a write");
        }
        (
            single,
            inside,
            begun.elapsed() / u32::try_from(ROUNDS).expect("few rounds"),
        )
    });
    let (single, inside) = (median(single), median(inside));
    println!("bare insert+commit      {bare:8.1} us");
    println!("store.write, 1 message  {single:8.1} us  (of these {inside:.1} us in the closure)");
    println!("write_later, per message{:8.1} us", micros(grouped));
    println!("ratio                   {:8.2}", single / bare);
}

fn bare(path: &std::path::Path, text: &str) -> f64 {
    let conn = rusqlite::Connection::open(path).expect("a database");
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
         CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT, content TEXT,
            timestamp REAL); CREATE INDEX by_session ON messages (session_id);",
    )
    .expect("a table");
    let mut insert = conn
        .prepare("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?1, 'user', ?2, ?3)")
        .expect("a statement");
    let times = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            insert
                .execute(rusqlite::params!["20260101_000000_abcdef", text, 1.0])
                .expect("an insert");
            begun.elapsed()
        })
        .collect();
    median(times)
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).copied().map_or(0.0, micros)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
