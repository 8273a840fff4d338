//! The folder of Talaria. Paths are built when they are asked for: a profile switch moves the home.

use crate::env::Env;
use crate::error::ConfigError;
use std::path::{Path, PathBuf};

/// The home folder and what lies where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// `TALARIA_HOME`, else `.talaria` in the person's home. Touches no file.
    pub fn resolve() -> Result<Self, ConfigError> {
        Self::resolve_in(&Env::process())
    }

    /// As [`Home::resolve`], from the given environment.
    pub fn resolve_in(env: &Env) -> Result<Self, ConfigError> {
        if let Some(root) = env.get("TALARIA_HOME") {
            let root = PathBuf::from(root);
            return Ok(Self {
                root: std::path::absolute(&root).unwrap_or(root),
            });
        }
        let person = match env.get("HOME").or_else(|| env.get("USERPROFILE")) {
            Some(folder) => PathBuf::from(folder),
            None => std::env::home_dir().ok_or(ConfigError::NoHome)?,
        };
        Ok(Self {
            root: person.join(".talaria"),
        })
    }

    /// A given folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Settings of the person.
    pub fn config_file(&self) -> PathBuf {
        self.root.join("config.yaml")
    }

    /// Secrets, where no key store has them.
    pub fn env_file(&self) -> PathBuf {
        self.root.join(".env")
    }

    /// The database.
    pub fn database(&self) -> PathBuf {
        self.root.join("state.db")
    }

    /// Log files.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// What can be made again.
    pub fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// Folder of sessions without a project.
    pub fn workspace(&self) -> PathBuf {
        self.root.join("workspace")
    }

    /// The person's words on who the agent is.
    pub fn soul_file(&self) -> PathBuf {
        self.root.join("SOUL.md")
    }

    /// Makes the folder, for this person only. One that exists is left as it is.
    pub fn create(&self) -> Result<(), ConfigError> {
        if self.root.is_dir() {
            return Ok(());
        }
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&self.root)
            .map_err(|source| ConfigError::unwritable(&self.root, source))
    }

    /// Whether files can be made in the folder. Tried, not guessed: a mode says nothing on a read-only mount.
    pub fn is_writable(&self) -> bool {
        let probe = self.root.join(format!(".write-probe-{}", std::process::id()));
        let made = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&probe)
            .is_ok();
        if made && let Err(error) = std::fs::remove_file(&probe) {
            tracing::debug!(%error, "cannot remove the write probe");
        }
        made
    }
}

#[cfg(test)]
mod tests;
