//! Who holds a lock on a file, where the system tells.

use std::fmt;
use std::path::Path;

/// A program that holds the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// Process id.
    pub pid: u32,
    /// Name of the program, where it can be read.
    pub program: Option<String>,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.program {
            Some(program) => write!(f, "{program} (process {})", self.pid),
            None => write!(f, "process {}", self.pid),
        }
    }
}

/// The process with a lock on the database or its side files, writers before readers; never this process.
#[cfg(target_os = "linux")]
pub(crate) fn lock_holder(path: &Path) -> Option<LockHolder> {
    use std::os::unix::fs::MetadataExt;
    let inodes: Vec<u64> = ["", "-shm", "-journal"]
        .iter()
        .filter_map(|suffix| {
            let mut file = path.as_os_str().to_owned();
            file.push(suffix);
            std::fs::metadata(file).ok().map(|meta| meta.ino())
        })
        .collect();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let pid = holder_in(&locks, &inodes, std::process::id())?;
    let program = std::fs::read_to_string(format!("/proc/{pid}/comm"))
        .ok()
        .map(|name| name.trim().to_owned());
    Some(LockHolder { pid, program })
}

/// Other systems do not tell who holds a lock.
#[cfg(not(target_os = "linux"))]
pub(crate) fn lock_holder(_path: &Path) -> Option<LockHolder> {
    None
}

/// Reads lines such as `1: POSIX  ADVISORY  WRITE 1234 08:01:5678 1073741824 1073742335`.
#[cfg(target_os = "linux")]
fn holder_in(locks: &str, inodes: &[u64], own_pid: u32) -> Option<u32> {
    let mut reader = None;
    for line in locks.lines() {
        // A waiting lock (`1: -> POSIX …`) holds nothing.
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, _, _, kind, pid, place, ..] = fields.as_slice() else {
            continue;
        };
        let inode = place.rsplit(':').next().and_then(|inode| inode.parse::<u64>().ok());
        let (Some(inode), Ok(pid)) = (inode, pid.parse::<u32>()) else {
            continue;
        };
        if pid == own_pid || !inodes.contains(&inode) {
            continue;
        }
        if *kind == "WRITE" {
            return Some(pid);
        }
        reader.get_or_insert(pid);
    }
    reader
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
