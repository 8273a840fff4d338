//! The log: one subscriber for the process, a file that rotates (5 MB, three of them), and a crash file after a panic.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Largest log file in bytes.
const MAX_BYTES: u64 = 5 * 1024 * 1024;
/// Files that are kept.
const FILES: u32 = 3;

/// Name of the newest file.
pub(crate) const FILE_NAME: &str = "talaria.log";

static STARTED: OnceLock<()> = OnceLock::new();

/// Sets the process's one subscriber. The file is opened when the first line is written, so that a quiet start costs no
/// file operation. Later calls do nothing.
pub(crate) fn start(folder: &Path) {
    if STARTED.set(()).is_err() {
        return;
    }
    let filter = EnvFilter::try_from_env("TALARIA_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let writer = LogWriter(Arc::new(Mutex::new(LogFile {
        folder: folder.to_owned(),
        open: None,
    })));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_target(false)
        .with_writer(writer);
    // Another subscriber may have been set by a test; then that one stays.
    let _ = subscriber.try_init();
    let folder = folder.to_owned();
    let earlier = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        write_crash_file(&folder, &panic.to_string());
        earlier(panic);
    }));
}

/// Last lines of the newest file.
pub(crate) fn tail(folder: &Path, lines: usize) -> Vec<String> {
    let text = std::fs::read(folder.join(FILE_NAME)).unwrap_or_default();
    let from = text.len().saturating_sub(64 * 1024);
    let text = String::from_utf8_lossy(&text[from..]).into_owned();
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..]
        .iter()
        .map(|line| (*line).to_owned())
        .collect()
}

fn write_crash_file(folder: &Path, what: &str) {
    let stamp = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |now| now.as_secs());
    let trace = std::backtrace::Backtrace::force_capture();
    let text = format!("talaria {}\n{what}\n\n{trace}\n", env!("CARGO_PKG_VERSION"));
    // Nothing can be done about a failure while panicking.
    let _ = std::fs::create_dir_all(folder);
    let _ = std::fs::write(folder.join(format!("crash-{stamp}.txt")), text);
}

struct LogFile {
    folder: PathBuf,
    open: Option<(File, u64)>,
}

impl LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        if self
            .open
            .as_ref()
            .is_some_and(|(_, size)| size + line.len() as u64 > MAX_BYTES)
        {
            self.open = None;
            self.rotate();
        }
        if self.open.is_none() {
            std::fs::create_dir_all(&self.folder)?;
            let file = OpenOptions::new()
                .create(true)
                .append(true)
                .open(self.folder.join(FILE_NAME))?;
            let size = file.metadata().map_or(0, |facts| facts.len());
            self.open = Some((file, size));
        }
        if let Some((file, size)) = &mut self.open {
            file.write_all(line)?;
            *size += line.len() as u64;
        }
        Ok(())
    }

    fn rotate(&self) {
        let name = |number: u32| self.folder.join(format!("{FILE_NAME}.{number}"));
        for number in (1..FILES - 1).rev() {
            // A missing file has nothing to move.
            let _ = std::fs::rename(name(number), name(number + 1));
        }
        let _ = std::fs::rename(self.folder.join(FILE_NAME), name(1));
    }
}

#[derive(Clone)]
struct LogWriter(Arc<Mutex<LogFile>>);

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // A log that cannot be written must not stop the work.
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).write(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = LogWriter;

    fn make_writer(&'a self) -> LogWriter {
        self.clone()
    }
}

#[cfg(test)]
mod tests;
