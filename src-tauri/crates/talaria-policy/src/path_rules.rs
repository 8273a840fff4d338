//! Which files the file tools refuse (security.md 12). A second line of defence: a command can still reach these files,
//! but only past the rules for commands.
//!
//! Nothing is looked up here: the caller resolves links and passes every spelling that leads to the file.

use std::fmt;

mod lists;

/// Spellings that lead to one file, all absolute (a leading `~/` is understood).
#[derive(Clone, Copy, Debug)]
pub struct Spellings<'a> {
    /// As written, made absolute.
    pub literal: &'a str,
    /// What each link on the way points to.
    pub hops: &'a [String],
    /// With all links resolved.
    pub real: &'a str,
}

impl<'a> Spellings<'a> {
    /// A path without links in it.
    pub fn plain(path: &'a str) -> Self {
        Self {
            literal: path,
            hops: &[],
            real: path,
        }
    }

    fn all(&self) -> impl Iterator<Item = &'a str> {
        let hops = self.hops.iter().map(String::as_str);
        std::iter::once(self.literal).chain(hops).chain([self.real])
    }
}

/// Folders that the rules refer to, each in all spellings that lead to it (as given, and with links resolved).
#[derive(Clone, Debug, Default)]
pub struct PathContext {
    /// The person's home folder.
    pub user_homes: Vec<String>,
    /// Talaria's home folder, and that of the profile in use.
    pub talaria_homes: Vec<String>,
    /// Folders outside of which nothing is written; empty means no such limit.
    pub safe_roots: Vec<String>,
    /// Folders for temporary files, which may lie below a protected one (macOS).
    pub temp_dirs: Vec<String>,
}

/// What is done to a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Its content.
    Write,
    /// It goes.
    Delete,
    /// It goes elsewhere, or something takes its place.
    Move,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Write => "Write",
            Self::Delete => "Delete",
            Self::Move => "Move",
        })
    }
}

/// Why a file is refused; the text is for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathDenied {
    /// Reading it would hang, never end, or give away the memory of a process.
    #[error("Read denied: '{path}' is a device or a process file that cannot be shown.")]
    Device {
        /// The spelling that hit.
        path: String,
    },
    /// A project's file with settings that are mostly secrets.
    #[error("Read denied: '{path}' may hold secrets. Read .env.example, or ask the person for what you need to know.")]
    EnvFile {
        /// The spelling that hit.
        path: String,
    },
    /// A credential store or a cache of unchecked text of Talaria's own.
    #[error("Read denied: '{path}' holds credentials or unchecked text of Talaria itself.")]
    Own {
        /// The spelling that hit.
        path: String,
    },
    /// A credential, a startup file or Talaria's own state.
    #[error("{change} denied: '{path}' is a protected system/credential file.")]
    Protected {
        /// What was to be done.
        change: Change,
        /// The spelling that hit.
        path: String,
    },
    /// A file of the system.
    #[error(
        "{change} denied: '{path}' belongs to the system. If the person wants it changed, use the terminal with sudo."
    )]
    System {
        /// What was to be done.
        change: Change,
        /// The spelling that hit.
        path: String,
    },
    /// Outside of the folders that writing is limited to.
    #[error("{change} denied: '{path}' is outside of the folders that may be written to: {roots}.")]
    OutsideSafeRoots {
        /// What was to be done.
        change: Change,
        /// The resolved path.
        path: String,
        /// The folders.
        roots: String,
    },
}

/// Whether a path is refused by its name alone; asked before anything is opened or looked up.
pub fn device_denied(path: &str) -> Result<(), PathDenied> {
    match is_device(&fold(path)) {
        true => Err(PathDenied::Device { path: path.to_owned() }),
        false => Ok(()),
    }
}

/// Whether a file may be read.
pub fn check_read(file: Spellings<'_>, context: &PathContext) -> Result<(), PathDenied> {
    for spelling in file.all() {
        let path = context.absolute(spelling);
        let denied = || spelling.to_owned();
        if is_device(&path) {
            return Err(PathDenied::Device { path: denied() });
        }
        let name = path.rsplit('/').next().unwrap_or(&path);
        if lists::ENV_FILES.iter().any(|secret| name.eq_ignore_ascii_case(secret)) {
            return Err(PathDenied::EnvFile { path: denied() });
        }
        if is_listed(&path, &context.talaria_homes, lists::UNREADABLE_OWN) {
            return Err(PathDenied::Own { path: denied() });
        }
    }
    Ok(())
}

/// Whether a file may be written, deleted or moved.
pub fn check_change(change: Change, file: Spellings<'_>, context: &PathContext) -> Result<(), PathDenied> {
    for spelling in file.all() {
        let path = context.absolute(spelling);
        let denied = || spelling.to_owned();
        let own = is_listed(&path, &context.talaria_homes, lists::UNWRITABLE_OWN);
        let user = is_listed(&path, &context.user_homes, lists::UNWRITABLE_USER)
            || is_inside_listed(&path, &context.user_homes, lists::UNWRITABLE_USER_FOLDERS);
        if own || user {
            return Err(PathDenied::Protected { change, path: denied() });
        }
        if is_system(&path, context) {
            return Err(PathDenied::System { change, path: denied() });
        }
    }
    let real = context.absolute(file.real);
    let inside = |root: &String| is_under(&real, fold(root).trim_end_matches('/'));
    match context.safe_roots.is_empty() || context.safe_roots.iter().any(inside) {
        true => Ok(()),
        false => Err(PathDenied::OutsideSafeRoots {
            change,
            path: file.real.to_owned(),
            roots: context.safe_roots.join(", "),
        }),
    }
}

impl PathContext {
    fn absolute(&self, path: &str) -> String {
        let home = self.user_homes.first().map(String::as_str).unwrap_or("~");
        match path
            .strip_prefix('~')
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        {
            Some(rest) => fold(&format!("{home}{rest}")),
            None => fold(path),
        }
    }
}

fn is_system(path: &str, context: &PathContext) -> bool {
    let listed = lists::UNWRITABLE_SYSTEM.iter().any(|folder| is_under(path, folder))
        || lists::UNWRITABLE_SOCKETS.contains(&path);
    let temporary = || {
        path.starts_with("/private/var/")
            && context
                .temp_dirs
                .iter()
                .map(|folder| fold(folder))
                .any(|folder| folder.starts_with("/private/var/") && is_under(path, &folder))
    };
    listed && path != "/dev/null" && !temporary()
}

fn is_device(path: &str) -> bool {
    if let Some(name) = path.strip_prefix("/dev/") {
        return lists::DEVICES.contains(&name)
            || name.starts_with("watchdog")
            || lists::DISKS
                .iter()
                .any(|disk| name.strip_prefix(disk).is_some_and(is_disk_number));
    }
    path.strip_prefix("/proc/").is_some_and(|rest| {
        let (folder, name) = rest.rsplit_once('/').unwrap_or_default();
        let stream = matches!(name, "0" | "1" | "2") && folder.ends_with("/fd");
        stream || lists::PROCESS_SECRETS.contains(&name)
    })
}

/// `a`, `a1`, `0n1p2`: what stands behind the kind of a disk.
fn is_disk_number(rest: &str) -> bool {
    !rest.is_empty() && rest.len() <= 8 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a path is one of the listed names in one of the homes, or lies below one.
fn is_listed(path: &str, homes: &[String], list: &[&str]) -> bool {
    inside_homes(path, homes).any(|inside| list.iter().any(|name| is_under(inside, name)))
}

/// Whether a path lies below one of the listed folders; the folder itself does not count.
fn is_inside_listed(path: &str, homes: &[String], list: &[&str]) -> bool {
    inside_homes(path, homes).any(|inside| list.iter().any(|name| inside != *name && is_under(inside, name)))
}

fn inside_homes<'p>(path: &'p str, homes: &[String]) -> impl Iterator<Item = &'p str> {
    homes
        .iter()
        .filter_map(move |home| path.strip_prefix(home.trim_end_matches('/'))?.strip_prefix('/'))
}

/// Whether a path is a folder or lies below it.
fn is_under(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// An absolute path without doubled slashes, `.` and `..`.
fn fold(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => out.truncate(out.rfind('/').unwrap_or(0)),
            part => {
                out.push('/');
                out.push_str(part);
            }
        }
    }
    if out.is_empty() {
        out.push('/');
    }
    out
}

#[cfg(test)]
mod tests;
