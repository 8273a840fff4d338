//! `talariad serve --stdio`: one frame a line. Ends when standard input does.

use crate::COMPLETED;
use crate::options::ServeOptions;
use crate::output::{Stopped, tell_lost_output};
use crate::signals::StopSignals;
use futures::future::BoxFuture;
use std::io::{self, BufRead};
use std::sync::Arc;
use std::time::Duration;
use talaria_bridge::{Outbox, serve_peer};
use talaria_protocol::{AppError, MAX_FRAME_BYTES};
use talaria_runtime::RuntimeOptions;
use tokio::sync::mpsc;

/// Frames that wait for the runtime; then standard input is not read on.
const INBOX: usize = 64;
/// Frames that wait for the reader of standard output; then the client's place in the streams stays where it is.
const OUTBOX: usize = 64;
/// Frames are written together up to about so many bytes.
const WRITE_BYTES: usize = 64 * 1024;
/// How long the last frames may take to be read.
const LAST_FRAMES: Duration = Duration::from_secs(2);

pub async fn serve(_options: ServeOptions) -> Result<u8, Stopped> {
    let mut signals = StopSignals::listen();
    let runtime = super::start(RuntimeOptions::server()).await?;
    let (frames, inbox) = mpsc::channel(INBOX);
    let (outbox, lines) = mpsc::channel(OUTBOX);
    let (done, written) = tokio::sync::oneshot::channel();
    // Neither can be done without blocking, so each has a thread of its own.
    thread("stdin", move || read_lines(&frames))?;
    thread("stdout", move || {
        // The receiver waits for this, but not for ever.
        let _ = done.send(write_lines(lines));
    })?;
    let peer = serve_peer(Arc::clone(&runtime), Arc::clone(runtime.hub()), inbox, Lines(outbox));
    tokio::select! {
        () = peer => {}
        () = signals.next() => {}
    }
    tokio::select! {
        () = runtime.shutdown() => {}
        () = signals.next() => {}
    }
    if let Ok(Ok(Err(error))) = tokio::time::timeout(LAST_FRAMES, written).await {
        tell_lost_output(&error);
    }
    Ok(COMPLETED)
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), AppError> {
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    started
        .map(drop)
        .map_err(|error| AppError::internal(format!("a thread could not be started: {error}")))
}

/// Reads lines up to the frame limit; a longer one is refused by the peer without being kept whole.
fn read_lines(sender: &mpsc::Sender<String>) {
    let mut input = io::stdin().lock();
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
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
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

/// Writes each frame as a line: at once, and together with those that wait already. Ends well when its reader leaves: that
/// ends the client.
fn write_lines(mut lines: mpsc::Receiver<Arc<str>>) -> io::Result<()> {
    let mut text = String::new();
    while let Some(frame) = lines.blocking_recv() {
        text.clear();
        push_line(&mut text, &frame);
        while text.len() < WRITE_BYTES
            && let Ok(frame) = lines.try_recv()
        {
            push_line(&mut text, &frame);
        }
        match crate::output::out(&text) {
            Err(error) if crate::output::reader_left(&error) => return Ok(()),
            other => other?,
        }
    }
    Ok(())
}

fn push_line(text: &mut String, frame: &str) {
    text.push_str(frame);
    text.push('\n');
}

struct Lines(mpsc::Sender<Arc<str>>);

impl Outbox for Lines {
    fn send<'a>(&'a mut self, frame: Arc<str>) -> BoxFuture<'a, bool> {
        Box::pin(async move { self.0.send(frame).await.is_ok() })
    }
}

#[cfg(test)]
mod tests;
