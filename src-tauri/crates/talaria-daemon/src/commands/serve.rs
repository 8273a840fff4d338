//! `talariad serve --stdio`: one frame a line. Ends when standard input does.

use crate::options::ServeOptions;
use crate::{COMPLETED, FAILED};
use std::io::{BufRead, Write};
use std::sync::Arc;
use talaria_bridge::{Outbox, serve_peer};
use talaria_protocol::MAX_FRAME_BYTES;
use talaria_runtime::RuntimeOptions;
use tokio::sync::mpsc;

/// Frames that wait for the runtime; then standard input is not read on.
const INBOX: usize = 64;

pub async fn serve(_options: ServeOptions) -> u8 {
    let runtime = match super::start(RuntimeOptions::server()).await {
        Ok(runtime) => runtime,
        Err(code) => return code,
    };
    let (sender, receiver) = mpsc::channel(INBOX);
    // Standard input cannot be read without blocking, so it has a thread of its own.
    let reader = std::thread::Builder::new().name("stdin".to_owned()).spawn(move || read_lines(&sender));
    if let Err(error) = reader {
        eprintln!("error: the reader could not be started: {error}");
        return FAILED;
    }
    let hub = Arc::clone(runtime.hub());
    let peer = serve_peer(Arc::clone(&runtime), hub, receiver, Lines);
    tokio::select! {
        () = peer => {}
        () = crate::terminal::stop_signal() => {}
    }
    runtime.shutdown().await;
    COMPLETED
}

/// Reads lines up to the frame limit; a longer one is refused by the peer without being kept whole.
fn read_lines(sender: &mpsc::Sender<String>) {
    let mut input = std::io::stdin().lock();
    loop {
        match read_line(&mut input) {
            Ok(Some(line)) if line.trim().is_empty() => {}
            Ok(Some(line)) => {
                if sender.blocking_send(line).is_err() {
                    return;
                }
            }
            Ok(None) | Err(_) => return,
        }
    }
}

/// One line without its end. What is beyond the limit is read and dropped, but one byte over it stays, so that the
/// frame is refused for its size.
fn read_line(input: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut any = false;
    loop {
        let chunk = input.fill_buf()?;
        if chunk.is_empty() {
            return Ok(any.then(|| String::from_utf8_lossy(&line).into_owned()));
        }
        any = true;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let take = end.unwrap_or(chunk.len());
        let room = (MAX_FRAME_BYTES + 1).saturating_sub(line.len());
        line.extend_from_slice(&chunk[..take.min(room)]);
        let used = end.map_or(chunk.len(), |at| at + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
        }
    }
}

struct Lines;

impl Outbox for Lines {
    fn send<'a>(&'a mut self, frame: Arc<str>) -> futures::future::BoxFuture<'a, bool> {
        Box::pin(async move {
            // A line at a time: what reads us sees each frame at once. Blocking here holds back this client only.
            let mut output = std::io::stdout().lock();
            output
                .write_all(frame.as_bytes())
                .and_then(|()| output.write_all(b"\n"))
                .and_then(|()| output.flush())
                .is_ok()
        })
    }
}

#[cfg(test)]
mod tests;
