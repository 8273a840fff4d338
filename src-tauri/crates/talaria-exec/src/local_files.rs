//! Files of this computer.

mod replace;
mod resolve;

use crate::files::{FileError, FileHost, FileKind, FileStat, WriteOutcome};
use futures::future::BoxFuture;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Reads up to this size are done on the calling thread: handing them to another one costs more than reading.
const QUICK_READ: u64 = 1024 * 1024;

/// The file system of this computer as a [`FileHost`].
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalFiles;

impl FileHost for LocalFiles {
    fn stat<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Option<FileStat>, FileError>> {
        let found = match std::fs::metadata(path) {
            Ok(metadata) => Ok(Some(stat_of(&metadata))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(file_error(path, &error)),
        };
        Box::pin(std::future::ready(found))
    }

    fn real_path<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<String, FileError>> {
        Box::pin(std::future::ready(real_path(path)))
    }

    fn read<'a>(&'a self, path: &'a str, offset: u64, limit: u64) -> BoxFuture<'a, Result<Vec<u8>, FileError>> {
        Box::pin(async move {
            let (file, size) = open_regular(path).map_err(|error| error.at(path))?;
            let expected = size.saturating_sub(offset).min(limit);
            if expected <= QUICK_READ {
                return read_range(file, offset, limit, expected).map_err(|error| file_error(path, &error));
            }
            let read = move || read_range(file, offset, limit, expected);
            blocking(read).await.map_err(|error| file_error(path, &error))
        })
    }

    fn write<'a>(&'a self, path: &'a str, bytes: Vec<u8>) -> BoxFuture<'a, Result<WriteOutcome, FileError>> {
        Box::pin(async move {
            let target = real_path(path)?;
            let write = move || replace::replace(Path::new(&target), &bytes);
            blocking(write).await.map_err(|error| file_error(path, &error))
        })
    }

    fn list<'a>(&'a self, path: &'a str, limit: usize) -> BoxFuture<'a, Result<Vec<String>, FileError>> {
        let names = std::fs::read_dir(path).and_then(|entries| {
            entries
                .take(limit)
                .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
                .collect()
        });
        Box::pin(std::future::ready(names.map_err(|error| file_error(path, &error))))
    }
}

/// Runs work that may take long on a thread where waiting is allowed.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(io::Error::other(error)),
    }
}

fn real_path(path: &str) -> Result<String, FileError> {
    let real = resolve::real_path(Path::new(path)).map_err(|error| file_error(path, &error))?;
    real.into_os_string().into_string().map_err(|_| FileError::Io {
        path: path.to_owned(),
        reason: "a link leads to a name that is not valid UTF-8".to_owned(),
    })
}

enum OpenError {
    Io(io::Error),
    Directory,
    Special,
}

impl OpenError {
    fn at(self, path: &str) -> FileError {
        match self {
            Self::Io(error) => file_error(path, &error),
            Self::Directory => FileError::IsDirectory { path: path.to_owned() },
            Self::Special => FileError::Io {
                path: path.to_owned(),
                reason: NOT_REGULAR.to_owned(),
            },
        }
    }
}

const NOT_REGULAR: &str = "it is a device, pipe or socket";

/// Opens without waiting for the other end of a pipe, and gives back only regular files.
fn open_regular(path: &str) -> Result<(File, u64), OpenError> {
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path);
    let file = opened.map_err(|error| match error.raw_os_error() {
        // What opening a socket, or a device without a driver, gives.
        Some(libc::ENXIO | libc::ENODEV) => OpenError::Special,
        _ => OpenError::Io(error),
    })?;
    let metadata = file.metadata().map_err(OpenError::Io)?;
    match kind_of(&metadata) {
        FileKind::File => Ok((file, metadata.len())),
        FileKind::Directory => Err(OpenError::Directory),
        FileKind::Other => Err(OpenError::Special),
    }
}

fn read_range(mut file: File, offset: u64, limit: u64, expected: u64) -> io::Result<Vec<u8>> {
    if offset > 0 {
        file.seek(SeekFrom::Start(offset))?;
    }
    // One byte more than expected lets the read that finds the end do without growing. Files of /proc say that they are empty.
    let mut bytes = Vec::with_capacity(usize::try_from(expected.saturating_add(1)).unwrap_or_default());
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn kind_of(metadata: &Metadata) -> FileKind {
    if metadata.is_file() {
        FileKind::File
    } else if metadata.is_dir() {
        FileKind::Directory
    } else {
        FileKind::Other
    }
}

fn modified_ns(metadata: &Metadata) -> i128 {
    i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec())
}

fn stat_of(metadata: &Metadata) -> FileStat {
    FileStat {
        kind: kind_of(metadata),
        size: metadata.len(),
        modified_ns: modified_ns(metadata),
        mode: metadata.permissions().mode() & 0o7777,
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn file_error(path: &str, error: &io::Error) -> FileError {
    use io::ErrorKind as Kind;
    let path = path.to_owned();
    match error.kind() {
        Kind::NotFound => FileError::NotFound { path },
        Kind::IsADirectory => FileError::IsDirectory { path },
        Kind::PermissionDenied => FileError::Permission {
            path,
            reason: "access is denied".to_owned(),
        },
        Kind::ReadOnlyFilesystem => FileError::Permission {
            path,
            reason: "the file system is read-only".to_owned(),
        },
        Kind::StorageFull | Kind::QuotaExceeded => FileError::NoSpace { path },
        Kind::NotADirectory => FileError::Io {
            path,
            reason: "a part of the path is not a folder".to_owned(),
        },
        Kind::InvalidFilename => FileError::Io {
            path,
            reason: "the name is too long or not allowed".to_owned(),
        },
        _ if error.raw_os_error() == Some(libc::ELOOP) => FileError::Io {
            path,
            reason: "its links lead in a circle".to_owned(),
        },
        _ => FileError::Io {
            path,
            reason: error.to_string(),
        },
    }
}

#[cfg(test)]
mod tests;
