//! Files without a name: what a shell and this program hand each other without touching a disk.

use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::os::fd::OwnedFd;

/// An empty one.
#[cfg(target_os = "linux")]
pub(super) fn empty() -> io::Result<File> {
    use std::os::fd::FromRawFd as _;
    // SAFETY: the name is a literal with its NUL; the result is checked.
    let descriptor = unsafe { libc::memfd_create(c"talaria".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and ours alone.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) }.into())
}

/// An empty one: a temporary file that is unlinked at once.
#[cfg(not(target_os = "linux"))]
pub(super) fn empty() -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let name = format!(
            "talaria-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        match File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
        {
            Ok(file) => {
                std::fs::remove_file(&path)?;
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// One that holds `bytes`, to be read from the start.
pub(super) fn holding(bytes: &[u8]) -> io::Result<OwnedFd> {
    let mut file = empty()?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}
