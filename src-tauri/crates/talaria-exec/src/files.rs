//! Direct file access of a backend: what the file tools need, and no more.

use futures::future::BoxFuture;

/// Why a file operation failed, by what a caller can do about it.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Nothing is there.
    #[error("{path} does not exist")]
    NotFound {
        /// Path.
        path: String,
    },
    /// A folder is there.
    #[error("{path} is a folder")]
    IsDirectory {
        /// Path.
        path: String,
    },
    /// No right to do it, or a read-only file system.
    #[error("no permission for {path}: {reason}")]
    Permission {
        /// Path.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// The disk or quota is full.
    #[error("no space left to write {path}")]
    NoSpace {
        /// Path.
        path: String,
    },
    /// Anything else.
    #[error("{path}: {reason}")]
    Io {
        /// Path.
        path: String,
        /// What the system said.
        reason: String,
    },
}

/// What a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A device, socket or pipe.
    Other,
}

/// Facts about a path, symbolic links followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStat {
    /// What it is.
    pub kind: FileKind,
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified_ns: i128,
    /// Permission bits.
    pub mode: u32,
}

/// What a write did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteOutcome {
    /// Size on disk.
    pub bytes_written: u64,
    /// Whether folders had to be made.
    pub dirs_created: bool,
    /// Nanoseconds since 1970.
    pub modified_ns: i128,
}

/// Files of a place. Paths are absolute in that place.
pub trait FileHost: Send + Sync {
    /// Facts, or `None` when nothing is there.
    fn stat<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Option<FileStat>, FileError>>;
    /// The path with all symbolic links resolved; a missing tail stays as written.
    fn real_path<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<String, FileError>>;
    /// At most `limit` bytes of a regular file from `offset` on; fewer only at the end of the file. Never waits for a pipe or a
    /// device.
    fn read<'a>(&'a self, path: &'a str, offset: u64, limit: u64) -> BoxFuture<'a, Result<Vec<u8>, FileError>>;
    /// Replaces the file in one step: links resolved, temporary file beside the target, mode kept (new files: 0666 without
    /// the umask), sync, rename. Makes missing folders. On failure the old file is intact and nothing is left behind.
    /// Dropping the future does not break the write off.
    fn write<'a>(&'a self, path: &'a str, bytes: Vec<u8>) -> BoxFuture<'a, Result<WriteOutcome, FileError>>;
    /// At most `limit` names in a folder.
    fn list<'a>(&'a self, path: &'a str, limit: usize) -> BoxFuture<'a, Result<Vec<String>, FileError>>;
}
