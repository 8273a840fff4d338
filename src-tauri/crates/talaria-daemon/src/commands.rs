//! One module a command.

pub mod run;
pub mod serve;
pub mod sessions;
pub mod tools;

use crate::output::err;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use talaria_protocol::{AppError, ErrorKind, HelloReply, Layer};
use talaria_runtime::{Runtime, RuntimeOptions};

/// Most that is read from standard input, a little over what a message may be: more cannot be of use.
const MAX_INPUT_BYTES: u64 = 4 * 1024 * 1024;

/// Starts the runtime for a command, or says why not.
pub async fn start(options: RuntimeOptions) -> Result<Arc<Runtime>, AppError> {
    Runtime::start(options)
        .await
        .map_err(|failure| crate::advice::advise(failure.error, None))
}

/// Tells what the runtime found wrong with its settings and files.
pub fn tell_notices(hello: &HelloReply) {
    for notice in &hello.notices {
        err(&format!("note: {}", notice.text));
        if let Some(hint) = &notice.hint {
            err(&format!("hint: {hint}"));
        }
    }
}

/// The folder to work in: absolute, and there.
pub fn project_dir(given: Option<&Path>) -> Result<PathBuf, AppError> {
    let hint = "Name an existing folder with --project.";
    let folder = match given {
        Some(folder) => folder.to_owned(),
        None => std::env::current_dir().map_err(|error| {
            AppError::not_found(format!("the current folder cannot be used: {error}")).with_hint(hint)
        })?,
    };
    match folder.canonicalize() {
        Ok(found) if found.is_dir() => Ok(found),
        Ok(_) => Err(AppError::invalid(format!("{} is not a folder", folder.display())).with_hint(hint)),
        Err(error) => {
            let message = format!("the folder {} cannot be used: {error}", folder.display());
            Err(AppError::not_found(message).with_hint(hint))
        }
    }
}

/// A text of the command line.
pub enum Text {
    /// It is UTF-8.
    Clean(String),
    /// It was not; what could not be read was replaced.
    Replaced(String),
}

/// The text itself, or standard input for `-`. `what` names it for the person.
pub fn text_or_stdin(text: String, what: &str) -> Result<Text, AppError> {
    if text != "-" {
        return Ok(Text::Clean(text));
    }
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        err(&format!("Type {what}, then end it with Ctrl-D on a line of its own."));
    }
    let mut bytes = Vec::new();
    stdin
        .lock()
        .take(MAX_INPUT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| {
            AppError::new(
                ErrorKind::Invalid,
                Layer::Runtime,
                "error.stdin",
                format!("standard input cannot be read: {error}"),
            )
            .with_hint(format!("Pipe {what} in, or write it on the command line instead of -."))
        })?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        return Err(
            AppError::invalid(format!("standard input is larger than {} MiB", MAX_INPUT_BYTES >> 20))
                .with_hint("Save it as a file in the project and name the file instead."),
        );
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Text::Clean(text),
        Err(error) => Text::Replaced(String::from_utf8_lossy(error.as_bytes()).into_owned()),
    })
}
