//! What the program writes. A reader that is gone must neither crash it nor stop the work.

use std::io::{self, ErrorKind, Write};
use talaria_protocol::AppError;

/// Why a listing ended early.
#[derive(Debug)]
pub enum Stopped {
    /// Standard output takes nothing any more.
    Output(io::Error),
    /// What was to be shown could not be had.
    Failed(Box<AppError>),
}

impl From<AppError> for Stopped {
    fn from(error: AppError) -> Self {
        Stopped::Failed(Box::new(error))
    }
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Stopped::Output(error)
    }
}

/// Writes to standard output at once.
pub fn out(text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Writes a line to standard error. When nobody reads there, nobody is told.
pub fn err(line: &str) {
    let mut text = String::with_capacity(line.len() + 1);
    text.push_str(line);
    text.push('\n');
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether the reader of standard output went away, which is its right (`| head -1`).
pub fn reader_left(error: &io::Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe
}

/// Tells an error and its way out on standard error.
pub fn tell_error(error: &AppError) {
    err(&format!("error: {}", error.message));
    if let Some(hint) = &error.hint {
        err(&format!("hint: {hint}"));
    }
}

/// Tells that standard output cannot be written.
pub fn tell_lost_output(error: &io::Error) {
    err(&format!("error: standard output cannot be written: {error}"));
    err("hint: Check where the output is sent; the disk there may be full.");
}
