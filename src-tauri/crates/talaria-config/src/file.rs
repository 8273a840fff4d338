//! Reading and replacing small text files.

use crate::error::ConfigError;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The text of a file; `None` when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<String>, ConfigError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(ConfigError::unreadable(path, error)),
    }
}

/// Replaces a file in one step: a reader sees the old text or the new one. A link is followed, the mode is kept.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), ConfigError> {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let failed = |source| ConfigError::unwritable(path, source);
    let temporary = beside(&target);
    let outcome = write_new(&temporary, &target, text).and_then(|()| std::fs::rename(&temporary, &target));
    if outcome.is_err()
        && let Err(error) = std::fs::remove_file(&temporary)
        && error.kind() != ErrorKind::NotFound
    {
        tracing::debug!(%error, "cannot remove a temporary file");
    }
    outcome.map_err(failed)
}

fn write_new(temporary: &Path, target: &Path, text: &str) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(temporary)?;
    file.write_all(text.as_bytes())?;
    if let Ok(meta) = std::fs::metadata(target) {
        file.set_permissions(meta.permissions())?;
    }
    file.sync_all()
}

fn beside(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    PathBuf::from(name)
}

/// Holds off other processes that change files of a folder, until dropped. Where folders cannot be locked, nothing does.
pub(crate) fn lock(folder: &Path) -> Option<std::fs::File> {
    let file = std::fs::File::open(folder).ok()?;
    file.lock().ok()?;
    Some(file)
}

#[cfg(unix)]
pub(crate) fn open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
pub(crate) fn open_to_others(_path: &Path) -> bool {
    false
}
