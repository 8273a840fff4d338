//! One module a command.

pub mod run;
pub mod serve;
pub mod sessions;
pub mod tools;

use crate::FAILED;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use talaria_protocol::{AppError, BootFailure};
use talaria_runtime::{Runtime, RuntimeOptions};

/// Starts the runtime for a command, or says why not.
pub async fn start(options: RuntimeOptions) -> Result<Arc<Runtime>, u8> {
    Runtime::start(options).await.map_err(|failure| {
        tell_boot_failure(&failure);
        FAILED
    })
}

fn tell_boot_failure(failure: &BootFailure) {
    tell_error(&failure.error);
    if let Some(holder) = &failure.held_by {
        eprintln!("held by: {holder}");
    }
}

/// Tells an error and its way out on standard error.
pub fn tell_error(error: &AppError) {
    eprintln!("error: {}", error.message);
    if let Some(hint) = &error.hint {
        eprintln!("hint: {hint}");
    }
}

/// The folder to work in: absolute, and there.
pub fn project_dir(given: Option<&Path>) -> Result<PathBuf, u8> {
    let folder = match given {
        Some(folder) => folder.to_owned(),
        None => std::env::current_dir().map_err(|error| {
            eprintln!("error: the current folder cannot be read: {error}");
            FAILED
        })?,
    };
    match folder.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(folder),
        Ok(folder) => {
            eprintln!("error: {} is not a folder", folder.display());
            Err(FAILED)
        }
        Err(error) => {
            eprintln!("error: the folder {} cannot be used: {error}", folder.display());
            eprintln!("hint: name an existing folder with --project");
            Err(FAILED)
        }
    }
}

/// The text itself, or standard input for `-`.
pub fn text_or_stdin(text: String) -> Result<String, u8> {
    if text != "-" {
        return Ok(text);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| {
        eprintln!("error: standard input cannot be read: {error}");
        FAILED
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
