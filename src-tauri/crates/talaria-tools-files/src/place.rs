//! The file that a call is about.

use talaria_exec::{FileError, FileHost};
use talaria_tools::{ToolContext, ToolError};

/// A path as written, as it reads absolutely, and as it is once links are resolved.
pub(crate) struct Place<'a> {
    pub(crate) files: &'a dyn FileHost,
    pub(crate) written: &'a str,
    pub(crate) absolute: String,
    pub(crate) real: String,
}

impl<'a> Place<'a> {
    pub(crate) async fn find(cx: &'a ToolContext, written: &'a str) -> Result<Self, ToolError> {
        let files = host(cx)?;
        let absolute = cx.absolute_path(written);
        let real = files
            .real_path(&absolute)
            .await
            .map_err(|error| ToolError::Tell(error.to_string()))?;
        Ok(Self {
            files,
            written,
            absolute,
            real,
        })
    }

    /// What to say when the project's folder is gone and this file would lie in it.
    pub(crate) async fn missing_project(&self, cx: &ToolContext) -> Option<String> {
        let project = cx.project_dir.to_string_lossy();
        below(&self.absolute, &project)?;
        match self.files.stat(&project).await {
            Ok(None) => Some(format!(
                "The project folder {project} does not exist any more. Tell the person; it must be restored, or another \
                 one chosen."
            )),
            _ => None,
        }
    }

    /// The path relative to the project where it lies inside, else absolute.
    pub(crate) async fn shown(&self, cx: &ToolContext) -> String {
        let project = cx.project_dir.to_string_lossy();
        for path in [&self.real, &self.absolute] {
            if let Some(inside) = below(path, &project) {
                return inside.to_owned();
            }
        }
        match self.files.real_path(&project).await {
            Ok(project) => below(&self.real, &project).unwrap_or(&self.real).to_owned(),
            Err(_) => self.real.clone(),
        }
    }
}

/// Direct file access of the session's environment.
pub(crate) fn host(cx: &ToolContext) -> Result<&dyn FileHost, ToolError> {
    cx.environment.backend().files().ok_or_else(|| {
        let (_, name) = cx.environment.backend().target();
        ToolError::Tell(format!(
            "The file tools do not reach files on {name}; use the terminal."
        ))
    })
}

fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?.strip_prefix('/')?;
    (!rest.is_empty()).then_some(rest)
}

/// Why a write failed, for the model.
pub(crate) fn write_failed(error: &FileError) -> ToolError {
    ToolError::Tell(format!("Failed to write file: {error}. The old content is intact."))
}
