//! Which files the tools refuse, on every path that leads to them: as written and with links resolved.
//!
//! The rules are those of `talaria-policy`; here they learn where the homes are and where links lead. This is the second
//! line of defence: a command in the terminal can still reach these files, but only past its own rules.

use crate::memory::FileMemory;
use crate::place::Place;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use talaria_exec::FileHost;
use talaria_policy::{Change, PathContext, PathDenied, Spellings, check_change, check_read, device_denied};
use talaria_tools::{ToolContext, ToolError};

/// Folders outside of which nothing is written, separated as in `PATH`.
const SAFE_ROOTS: &str = "TALARIA_WRITE_SAFE_ROOT";

/// Refuses devices and the like by their name, before anything is opened or looked up.
pub(crate) fn read_by_name(absolute: &str) -> Result<(), ToolError> {
    device_denied(absolute).map_err(refusal)
}

/// Refuses to read credentials, tokens and project environment files.
pub(crate) async fn read(cx: &ToolContext, place: &Place<'_>) -> Result<(), ToolError> {
    let context = context(cx, place.files).await?;
    check_read(spellings(place), &context).map_err(refusal)
}

/// Refuses to write system files, credentials, shell start-up files and Talaria's own state, and what lies outside of the
/// folders that writing is limited to.
pub(crate) async fn write(cx: &ToolContext, place: &Place<'_>) -> Result<(), ToolError> {
    let context = context(cx, place.files).await?;
    check_change(Change::Write, spellings(place), &context).map_err(refusal)
}

fn spellings<'a>(place: &'a Place<'_>) -> Spellings<'a> {
    Spellings {
        literal: &place.absolute,
        // A file host resolves a path in one go and does not tell the links on the way.
        hops: &[],
        real: &place.real,
    }
}

fn refusal(denied: PathDenied) -> ToolError {
    ToolError::Tell(denied.to_string())
}

/// The folders that the rules refer to; looked up once a session.
async fn context(cx: &ToolContext, files: &dyn FileHost) -> Result<Arc<PathContext>, ToolError> {
    let memory = cx.memory.get::<FileMemory>();
    if let Some(context) = memory.paths.get() {
        return Ok(Arc::clone(context));
    }
    let found = find_context(cx, files, Limits::of_process()).await?;
    Ok(Arc::clone(memory.paths.get_or_init(|| Arc::new(found))))
}

pub(crate) async fn find_context(
    cx: &ToolContext,
    files: &dyn FileHost,
    limits: &Limits,
) -> Result<PathContext, ToolError> {
    let mut safe_roots = Vec::with_capacity(limits.safe_roots.len());
    for root in &limits.safe_roots {
        let root = match root.strip_prefix("~") {
            Ok(inside) => text(&cx.user_home.join(inside)),
            Err(_) => text(root),
        };
        // What is compared with it has its links resolved too. Where that fails nothing lies inside, and all is refused.
        safe_roots.push(files.real_path(&root).await.unwrap_or(root));
    }
    let mut temp_dirs = Vec::with_capacity(2 * limits.temp_dirs.len());
    for folder in limits.temp_dirs.iter().map(|folder| text(folder)) {
        temp_dirs.extend(files.real_path(&folder).await.ok().filter(|real| *real != folder));
        temp_dirs.push(folder);
    }
    Ok(PathContext {
        user_homes: home(cx, files, &cx.user_home).await?,
        talaria_homes: home(cx, files, &cx.talaria_home).await?,
        safe_roots,
        temp_dirs,
    })
}

/// A home folder as given and with links resolved. Where it leads must be known, or a link could lead past the rules.
async fn home(cx: &ToolContext, files: &dyn FileHost, folder: &Path) -> Result<Vec<String>, ToolError> {
    let given = cx.absolute_path(&folder.to_string_lossy());
    let real = files.real_path(&given).await.map_err(|error| {
        ToolError::Tell(format!(
            "The file tools cannot tell which files are protected: {error}. Tell the person."
        ))
    })?;
    Ok(if real == given { vec![given] } else { vec![given, real] })
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What the process was started with; a variable that changes later changes no rule.
pub(crate) struct Limits {
    safe_roots: Vec<PathBuf>,
    temp_dirs: Vec<PathBuf>,
}

impl Limits {
    fn of_process() -> &'static Self {
        static LIMITS: OnceLock<Limits> = OnceLock::new();
        LIMITS.get_or_init(|| Self::new(std::env::var_os(SAFE_ROOTS).as_deref()))
    }

    pub(crate) fn new(safe_roots: Option<&OsStr>) -> Self {
        let listed = safe_roots.map(std::env::split_paths).into_iter().flatten();
        let safe_roots = listed
            .filter(|root| !root.as_os_str().is_empty())
            .map(|root| match root.starts_with("~") {
                true => root,
                false => std::path::absolute(&root).unwrap_or(root),
            })
            .collect();
        Self {
            safe_roots,
            temp_dirs: vec![std::env::temp_dir(), PathBuf::from("/tmp")],
        }
    }
}

#[cfg(test)]
mod tests;
