//! Symbolic links of a path that may not exist to its end.

use super::is_absent;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

/// As many links as the kernel follows.
const MAX_LINKS: u32 = 40;

/// `path` with all links resolved; from the first missing part on it stays as written, `..` folded. A link to something that
/// does not exist gives the place where that would be.
pub(super) fn real_path(path: &Path) -> io::Result<PathBuf> {
    match std::fs::canonicalize(path) {
        Err(error) if is_absent(&error) => resolve_missing(path),
        resolved => resolved,
    }
}

fn resolve_missing(path: &Path) -> io::Result<PathBuf> {
    let mut real = PathBuf::from("/");
    let mut rest = parts(path);
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&part);
        match std::fs::read_link(&next) {
            Ok(target) => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(io::Error::from_raw_os_error(libc::ELOOP));
                }
                if target.is_absolute() {
                    real = PathBuf::from("/");
                }
                let mut followed = parts(&target);
                followed.append(&mut rest);
                rest = followed;
            }
            // Not a link, or not there.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput || is_absent(&error) => real = next,
            Err(error) => return Err(error),
        }
    }
    Ok(real)
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}
