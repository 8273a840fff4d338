//! Replacing a file in one step.

use super::{NOT_REGULAR, kind_of, modified_ns};
use crate::files::{FileKind, WriteOutcome};
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Names to try before giving up; the first is only ever taken by a file that a crash left.
const MAX_ATTEMPTS: u32 = 100;

/// Writes `bytes` to a temporary file beside `target` (links resolved already) and renames it over `target`.
pub(super) fn replace(target: &Path, bytes: &[u8]) -> io::Result<WriteOutcome> {
    let existing = match std::fs::metadata(target) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match existing.as_ref().map(kind_of) {
        Some(FileKind::Directory) => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Some(FileKind::Other) => return Err(io::Error::other(NOT_REGULAR)),
        Some(FileKind::File) | None => {}
    }
    let folder = target
        .parent()
        .ok_or_else(|| io::Error::from(io::ErrorKind::IsADirectory))?;
    let mut made = MadeFolders::make(folder)?;
    let mut temporary = Temporary::create(folder, existing.is_some())?;
    temporary.file.write_all(bytes)?;
    if let Some(existing) = &existing {
        take_over_rights(&temporary.file, existing)?;
    }
    temporary.file.sync_all()?;
    let metadata = temporary.file.metadata()?;
    std::fs::rename(&temporary.path, target)?;
    temporary.renamed = true;
    let dirs_created = made.keep();
    // The folder is not synced: after a power cut the old file may be back, but whole.
    Ok(WriteOutcome {
        bytes_written: metadata.len(),
        dirs_created,
        modified_ns: modified_ns(&metadata),
    })
}

fn take_over_rights(file: &File, existing: &Metadata) -> io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (existing.uid(), existing.gid()) {
        // Only root may give a file away; for others the new file belongs to who wrote it.
        let _ = fchown(file, Some(existing.uid()), Some(existing.gid()));
    }
    file.set_permissions(Permissions::from_mode(existing.permissions().mode() & 0o7777))
}

/// A temporary file that is removed unless it was renamed.
struct Temporary {
    path: PathBuf,
    file: File,
    renamed: bool,
}

impl Temporary {
    fn create(folder: &Path, will_get_rights: bool) -> io::Result<Self> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        // What will replace a file that others must not read is not readable by them before that either.
        let mode = if will_get_rights { 0o600 } else { 0o666 };
        let mut attempts = 0;
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".talaria-{}-{number}.tmp", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).mode(mode).open(&path) {
                Ok(file) => {
                    return Ok(Self {
                        path,
                        file,
                        renamed: false,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempts < MAX_ATTEMPTS => attempts += 1,
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Folders made for a file; removed again unless the file was written.
struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    fn make(folder: &Path) -> io::Result<Self> {
        let mut missing: Vec<&Path> = folder.ancestors().take_while(|ancestor| !ancestor.exists()).collect();
        let mut made = Self(Vec::with_capacity(missing.len()));
        while let Some(next) = missing.pop() {
            match std::fs::create_dir(next) {
                Ok(()) => made.0.push(next.to_owned()),
                // Somebody else made it meanwhile.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(made)
    }

    /// Keeps them; whether there were any.
    fn keep(&mut self) -> bool {
        !std::mem::take(&mut self.0).is_empty()
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            let _ = std::fs::remove_dir(folder);
        }
    }
}
