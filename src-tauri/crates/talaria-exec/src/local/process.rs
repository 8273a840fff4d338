//! A running process group of this computer.

use super::exit::{self, ExitWatch};
use crate::backend::{ExecError, ExitState, OutputSink, Process};
use futures::future::BoxFuture;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::time::Duration;
use tokio::net::unix::pipe;
use tokio::time::Instant;

/// How long output is still read after the exit when something inherited the pipe.
const AFTER_EXIT: Duration = Duration::from_millis(50);
/// How long a group has to end politely.
const GRACE: Duration = Duration::from_secs(1);
/// How long a group is watched after it was ended by force.
const AFTER_FORCE: Duration = Duration::from_secs(2);
/// Output is read in pieces of a pipe's size.
const PIECE: usize = 64 * 1024;
/// Largest state that is read.
const LARGEST_STATE: u64 = 8 * 1024 * 1024;

pub(super) struct LocalProcess {
    pid: i32,
    watch: ExitWatch,
    output: Option<pipe::Receiver>,
    input: Option<Input>,
    state: Option<File>,
    code: Option<i32>,
    is_reaped: bool,
}

struct Input {
    pipe: pipe::Sender,
    bytes: Vec<u8>,
    written: usize,
}

impl LocalProcess {
    pub(super) fn new(
        pid: i32,
        output: pipe::Receiver,
        input: Option<(pipe::Sender, Vec<u8>)>,
        state: Option<File>,
    ) -> Result<Self, ExecError> {
        let watch = match ExitWatch::new(pid) {
            Ok(watch) => watch,
            Err(error) => {
                signal_group(pid, libc::SIGKILL);
                return Err(lost(error));
            }
        };
        Ok(Self {
            pid,
            watch,
            output: Some(output),
            input: input.map(|(pipe, bytes)| Input {
                pipe,
                bytes,
                written: 0,
            }),
            state,
            code: None,
            is_reaped: false,
        })
    }

    async fn drain(&mut self, sink: &mut dyn OutputSink) -> io::Result<i32> {
        let mut buffer = Vec::with_capacity(PIECE);
        let mut until = self.code.map(|_| Instant::now() + AFTER_EXIT);
        loop {
            match (self.code, &self.output, until) {
                (Some(code), None, _) => return Ok(code),
                (Some(code), Some(_), Some(until)) if Instant::now() >= until => return Ok(code),
                _ => {}
            }
            // Without an order among them, so that endless output cannot hide the exit.
            tokio::select! {
                ready = readable(&self.output), if self.output.is_some() => {
                    ready?;
                    if read(&self.output, &mut buffer, sink)? == Reading::Ended {
                        self.output = None;
                    }
                }
                code = self.watch.exited(self.pid), if self.code.is_none() => {
                    self.code = Some(code?);
                    until = Some(Instant::now() + AFTER_EXIT);
                }
                () = tokio::time::sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => {}
                more = feed(&mut self.input), if self.input.is_some() => {
                    if more == Feeding::Over {
                        self.input = None;
                    }
                }
            }
        }
    }

    fn reap(&mut self) {
        if !self.is_reaped {
            exit::reap(self.pid);
            self.is_reaped = true;
        }
    }

    fn take_state(&mut self) -> Option<Vec<u8>> {
        let file = self.state.take()?;
        let size = file.metadata().ok()?.len();
        if size == 0 || size > LARGEST_STATE {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        file.read_exact_at(&mut bytes, 0).ok()?;
        Some(bytes)
    }

    /// Waits until nothing of the group is alive, at most until `deadline`; says whether that came true.
    async fn gone(&mut self, deadline: Instant) -> bool {
        if self.code.is_none() {
            match tokio::time::timeout_at(deadline, self.watch.exited(self.pid)).await {
                Ok(Ok(code)) => self.code = Some(code),
                Ok(Err(error)) => {
                    tracing::debug!(pid = self.pid, %error, "the process can no longer be watched");
                    return true;
                }
                Err(_) => return false,
            }
        }
        // Only the leader's end is an event; the rest of a group can but be looked for.
        let mut pause = Duration::from_millis(2);
        while group_is_alive(self.pid) {
            if Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(50));
        }
        true
    }
}

impl Process for LocalProcess {
    fn pid(&self) -> Option<u32> {
        Some(self.pid.cast_unsigned())
    }

    fn finish<'a>(&'a mut self, sink: &'a mut dyn OutputSink) -> BoxFuture<'a, Result<ExitState, ExecError>> {
        Box::pin(async move {
            let code = self.drain(sink).await.map_err(lost)?;
            self.reap();
            Ok(ExitState {
                code,
                state: self.take_state(),
            })
        })
    }

    fn kill(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if self.is_reaped {
                return;
            }
            self.input = None;
            signal_group(self.pid, libc::SIGTERM);
            // A stopped process gets no other signal until it goes on.
            signal_group(self.pid, libc::SIGCONT);
            if !self.gone(Instant::now() + GRACE).await {
                signal_group(self.pid, libc::SIGKILL);
                if !self.gone(Instant::now() + AFTER_FORCE).await {
                    tracing::warn!(pid = self.pid, "processes of a command that was ended are still there");
                }
            }
            if self.code.is_some() {
                self.reap();
            }
        })
    }
}

impl Drop for LocalProcess {
    fn drop(&mut self) {
        if !self.is_reaped {
            signal_group(self.pid, libc::SIGKILL);
            exit::reap(self.pid);
        }
    }
}

#[derive(PartialEq)]
enum Reading {
    Goes,
    Ended,
}

async fn readable(output: &Option<pipe::Receiver>) -> io::Result<()> {
    match output {
        Some(output) => output.readable().await,
        None => Ok(()),
    }
}

fn read(output: &Option<pipe::Receiver>, buffer: &mut Vec<u8>, sink: &mut dyn OutputSink) -> io::Result<Reading> {
    let Some(output) = output else {
        return Ok(Reading::Ended);
    };
    buffer.clear();
    match output.try_read_buf(buffer) {
        Ok(0) => Ok(Reading::Ended),
        Ok(_) => {
            sink.bytes(buffer);
            Ok(Reading::Goes)
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Reading::Goes),
        Err(error) => Err(error),
    }
}

#[derive(PartialEq)]
enum Feeding {
    Goes,
    Over,
}

/// Writes a piece of input. A command that does not read it is no error.
async fn feed(input: &mut Option<Input>) -> Feeding {
    let Some(Input { pipe, bytes, written }) = input else {
        return Feeding::Over;
    };
    if *written == bytes.len() || pipe.writable().await.is_err() {
        return Feeding::Over;
    }
    match pipe.try_write(&bytes[*written..]) {
        Ok(more) => *written += more,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
        Err(_) => return Feeding::Over,
    }
    if *written == bytes.len() {
        Feeding::Over
    } else {
        Feeding::Goes
    }
}

fn signal_group(group: i32, signal: libc::c_int) {
    // SAFETY: the call takes two integers. The group's id cannot be another's: its leader is not yet reaped.
    unsafe { libc::kill(-group, signal) };
}

/// Whether a process of the group is more than a zombie.
#[cfg(target_os = "linux")]
pub(super) fn group_is_alive(group: i32) -> bool {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return false;
    };
    let group = group.to_string();
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        if !name.as_encoded_bytes().first().is_some_and(u8::is_ascii_digit) {
            return false;
        }
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else {
            return false;
        };
        // pid (name) state parent group …; the name may hold anything.
        let Some((_, fields)) = stat.rsplit_once(") ") else {
            return false;
        };
        let mut fields = fields.split(' ');
        let state = fields.next();
        fields.nth(1) == Some(group.as_str()) && !matches!(state, Some("Z" | "X"))
    })
}

/// Whether there is a process in the group besides its leader, which ended.
#[cfg(not(target_os = "linux"))]
pub(super) fn group_is_alive(group: i32) -> bool {
    exit::reap(group);
    // SAFETY: signal 0 only asks.
    unsafe { libc::kill(-group, 0) == 0 }
}

fn lost(error: io::Error) -> ExecError {
    ExecError::Lost {
        reason: error.to_string(),
    }
}
