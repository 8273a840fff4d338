//! This computer.

mod exit;
mod memory;
mod process;
mod spawn;

use crate::backend::{Backend, ExecError, Process, STATE_DESCRIPTOR, Script};
use crate::files::FileHost;
use crate::local_files::LocalFiles;
use crate::{BASE_DESCRIPTOR, EnvMap};
use futures::future::BoxFuture;
use process::LocalProcess;
use spawn::Plan;
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// Longest argument that `exec` takes on Linux, with its NUL. A longer script goes through a memory file.
const LONGEST_ARGUMENT: usize = 128 * 1024;
/// Descriptor from which such a script is read.
const SCRIPT_DESCRIPTOR: i32 = 97;

/// Runs commands as processes of this computer, each in a session of its own.
pub struct LocalBackend {
    shell: PathBuf,
}

impl Default for LocalBackend {
    fn default() -> Self {
        Self::new()
    }
}

impl LocalBackend {
    /// Finds the shell: bash from PATH or from its usual places, else the person's own, else sh.
    pub fn new() -> Self {
        let on_path = std::env::var_os("PATH").unwrap_or_default();
        let shell = std::env::split_paths(&on_path)
            .map(|folder| folder.join("bash"))
            .chain(["/usr/bin/bash".into(), "/bin/bash".into()])
            .chain(std::env::var_os("SHELL").map(PathBuf::from))
            .find(|candidate| candidate.is_absolute() && is_program(candidate))
            .unwrap_or_else(|| "/bin/sh".into());
        Self { shell }
    }

    fn start(&self, script: Script) -> Result<LocalProcess, ExecError> {
        let (output, child_output) = spawn::output_pipe().map_err(system)?;
        let mut plan = Plan::new(&self.shell, child_output);
        let mut arguments = vec![self.shell.file_name().unwrap_or(OsStr::new("sh")).to_owned()];
        if script.login {
            arguments.push("-l".into());
        }
        arguments.push("-c".into());
        let mut text = script.text;
        if text.len() >= LONGEST_ARGUMENT && self.is_bash() {
            text.insert_str(0, &format!("exec {SCRIPT_DESCRIPTOR}<&-\n"));
            plan.inherit(memory::holding(text.as_bytes()).map_err(system)?, SCRIPT_DESCRIPTOR)
                .map_err(system)?;
            text = format!("builtin source /dev/fd/{SCRIPT_DESCRIPTOR}");
        }
        arguments.push(text.into());
        let state = if script.wants_state && self.is_bash() {
            let state = memory::empty().map_err(system)?;
            plan.inherit(state.try_clone().map_err(system)?.into(), STATE_DESCRIPTOR)
                .map_err(system)?;
            Some(state)
        } else {
            None
        };
        if let Some(base) = &script.base
            && self.is_bash()
        {
            plan.inherit(memory::holding(base.as_bytes()).map_err(system)?, BASE_DESCRIPTOR)
                .map_err(system)?;
        }
        let input = match script.stdin {
            Some(bytes) => {
                let (child_input, input) = spawn::input_pipe().map_err(system)?;
                plan.input = Some(child_input);
                Some((input, bytes))
            }
            None => None,
        };
        let variables = match &script.env {
            Some(env) => variables(env, script.cwd.as_deref()),
            None => variables(&std::env::vars_os().collect(), script.cwd.as_deref()),
        };
        let arguments: Result<Vec<_>, _> = arguments
            .into_iter()
            .map(|word| CString::new(word.into_vec()))
            .collect();
        let arguments = arguments.map_err(|_| ExecError::Spawn {
            reason: "the command contains a NUL character".to_owned(),
        })?;
        let folder = script
            .cwd
            .as_deref()
            .map(CString::new)
            .transpose()
            .map_err(|_| ExecError::Directory {
                path: script.cwd.clone().unwrap_or_default(),
                reason: "its name contains a NUL character".to_owned(),
            })?;
        let pid = match plan.start(&arguments, &variables, folder.as_deref()) {
            Ok(pid) => pid,
            Err(error) => return Err(self.why(error, script.cwd)),
        };
        LocalProcess::new(pid, output, input, state)
    }

    /// Tells a folder that cannot be entered from a shell that cannot be started.
    fn why(&self, error: std::io::Error, folder: Option<String>) -> ExecError {
        if let Some(path) = folder {
            let entered = std::fs::metadata(&path).and_then(|found| {
                if found.is_dir() {
                    may_enter(&path)
                } else {
                    Err(std::io::ErrorKind::NotADirectory.into())
                }
            });
            if let Err(error) = entered {
                return ExecError::Directory {
                    path,
                    reason: plain_reason(&error),
                };
            }
        }
        ExecError::Spawn {
            reason: format!("{}: {}", self.shell.display(), plain_reason(&error)),
        }
    }

    fn is_bash(&self) -> bool {
        self.shell.file_name().is_some_and(|name| name == "bash")
    }
}

impl Backend for LocalBackend {
    fn target(&self) -> (&'static str, String) {
        ("local", "this computer".to_owned())
    }

    fn spawn(&self, script: Script) -> BoxFuture<'_, Result<Box<dyn Process>, ExecError>> {
        Box::pin(async move { self.start(script).map(|process| Box::new(process) as Box<dyn Process>) })
    }

    fn cleanup(&self) -> BoxFuture<'_, Result<(), ExecError>> {
        Box::pin(async { Ok(()) })
    }

    fn has_state_descriptor(&self) -> bool {
        self.is_bash()
    }

    fn files(&self) -> Option<&dyn FileHost> {
        Some(&LocalFiles)
    }
}

/// `NAME=value` for each variable that can be passed on.
fn variables(env: &EnvMap, folder: Option<&str>) -> Vec<CString> {
    let mut entries = Vec::with_capacity(env.len() + 1);
    let mut add = |name: &OsStr, value: &OsStr| {
        let mut entry = Vec::with_capacity(name.len() + value.len() + 2);
        entry.extend_from_slice(name.as_bytes());
        entry.push(b'=');
        entry.extend_from_slice(value.as_bytes());
        entries.extend(CString::new(entry));
    };
    for (name, value) in env {
        if folder.is_none() || name != "PWD" {
            add(name, value);
        }
    }
    if let Some(folder) = folder {
        // Lets a path with symbolic links keep its spelling; the shell checks that it is the same folder.
        add(OsStr::new("PWD"), OsStr::new(folder));
    }
    entries
}

fn is_program(path: &Path) -> bool {
    access(path.as_os_str(), libc::X_OK).is_ok() && path.is_file()
}

fn may_enter(path: &str) -> std::io::Result<()> {
    access(OsStr::new(path), libc::X_OK)
}

fn access(path: &OsStr, mode: libc::c_int) -> std::io::Result<()> {
    let path = CString::new(path.as_bytes())?;
    // SAFETY: `path` is a string with its NUL that lives through the call.
    if unsafe { libc::access(path.as_ptr(), mode) } == 0 {
        Ok(())
    } else {
        Err(std::io::Error::last_os_error())
    }
}

/// Tells a shortage, which passes, from other refusals of the system.
fn system(error: std::io::Error) -> ExecError {
    let reason = plain_reason(&error);
    match error.raw_os_error() {
        Some(libc::EAGAIN | libc::ENOMEM | libc::EMFILE | libc::ENFILE) => ExecError::Busy { reason },
        _ => ExecError::Spawn { reason },
    }
}

/// What the system said, without the error number that it appends.
fn plain_reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_lowercase(),
        None => text.to_lowercase(),
    }
}

#[cfg(test)]
mod tests;
