//! The variables that commands start with.

use crate::EnvMap;
use std::ffi::{OsStr, OsString};

/// Folders that a PATH may lack when the program was not started from a terminal.
#[cfg(unix)]
const USUAL_PATH: [&str; 8] = [
    "/opt/homebrew/bin",
    "/opt/homebrew/sbin",
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
];

/// Variables for a command: those given, without the keys of providers and the marks of an active Python
/// environment (tools would install into it), and with the usual folders at the end of PATH.
pub fn child_env(vars: impl IntoIterator<Item = (OsString, OsString)>) -> EnvMap {
    let mut env: EnvMap = vars.into_iter().filter(|(name, _)| may_pass(name)).collect();
    #[cfg(unix)]
    {
        let path = env.remove(OsStr::new("PATH")).unwrap_or_default();
        env.insert("PATH".into(), complete_path(&path));
    }
    env
}

fn may_pass(name: &OsStr) -> bool {
    // The rules know only text; a name that is none is nobody's credential.
    name.to_str().is_none_or(talaria_policy::reaches_terminal)
}

#[cfg(unix)]
fn complete_path(path: &OsStr) -> OsString {
    let mut folders: Vec<_> = Vec::new();
    for folder in std::env::split_paths(path).chain(USUAL_PATH.iter().map(Into::into)) {
        if !folder.as_os_str().is_empty() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    // Split at colons, so none is left inside.
    std::env::join_paths(folders).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests;
