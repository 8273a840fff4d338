//! The steps that no agent can do without, by the shortest way: a process, an exchange, a commit.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use talaria_testkit::ScriptedModel;

/// Runs `bash -c true` and takes its output.
pub fn bash() -> Duration {
    let begun = Instant::now();
    let output = Command::new("bash").args(["-c", "true"]).stdin(Stdio::null()).output();
    assert!(output.is_ok_and(|output| output.status.success()));
    begun.elapsed()
}

/// A kept-alive connection that reads answers in chunks.
pub struct Exchange {
    stream: TcpStream,
    host: String,
    answer: Vec<u8>,
}

impl Exchange {
    pub fn open(model: &ScriptedModel) -> Self {
        let stream = TcpStream::connect(model.address()).unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            host: model.address().to_owned(),
            answer: vec![0; 256 * 1024],
        }
    }

    /// Posts `body` and reads the answer to its end.
    pub fn run(&mut self, body: &[u8]) -> Duration {
        let begun = Instant::now();
        self.post(body);
        let mut held = 0;
        while !self.answer[..held].ends_with(b"\r\n0\r\n\r\n") {
            let read = self.stream.read(&mut self.answer[held..]).unwrap();
            assert!(read > 0, "the server closed the connection");
            held += read;
        }
        begun.elapsed()
    }

    /// Posts `body` and reads a long answer, keeping nothing of it.
    pub fn drain(&mut self, body: &[u8]) -> Duration {
        let begun = Instant::now();
        self.post(body);
        let mut tail = [0; 7];
        while &tail != b"\r\n0\r\n\r\n" {
            let read = self.stream.read(&mut self.answer).unwrap();
            assert!(read > 0, "the server closed the connection");
            let kept = read.min(tail.len());
            tail.copy_within(kept.., 0);
            tail[7 - kept..].copy_from_slice(&self.answer[read - kept..read]);
        }
        begun.elapsed()
    }

    fn post(&mut self, body: &[u8]) {
        let mut request = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.host,
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body);
        self.stream.write_all(&request).unwrap();
    }
}

/// A table of messages in a database of its own, as durable as ours.
pub struct Commits(rusqlite::Connection);

impl Commits {
    pub fn open(folder: &Path) -> Self {
        let conn = rusqlite::Connection::open(folder.join("bare.db")).unwrap();
        conn.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
             CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT,
                content TEXT, timestamp REAL);
             CREATE INDEX by_session ON messages (session_id);",
        )
        .unwrap();
        Self(conn)
    }

    pub fn run(&self) -> Duration {
        let begun = Instant::now();
        let mut insert = self
            .0
            .prepare_cached("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?1, 'user', ?2, 1.0)")
            .unwrap();
        insert
            .execute(rusqlite::params!["20260101_000000_abcdef", "Run true, please."])
            .unwrap();
        begun.elapsed()
    }
}
