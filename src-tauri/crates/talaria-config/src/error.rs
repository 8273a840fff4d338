//! What can go wrong with settings.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A failure of settings or the home folder.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConfigError {
    /// Neither `TALARIA_HOME` nor a home folder of the person is known.
    #[error("no home folder: set TALARIA_HOME")]
    NoHome,
    /// The file is no YAML, or not a map of settings.
    #[error("{}:{line}:{column}: {detail}", path.display())]
    NotYaml {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// Column, from 1.
        column: u64,
        /// What is wrong there.
        detail: String,
    },
    /// A file or folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// What was to be read.
        path: PathBuf,
        /// What the system said.
        source: Arc<std::io::Error>,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// What was to be written.
        path: PathBuf,
        /// What the system said.
        source: Arc<std::io::Error>,
    },
    /// No setting has this name.
    #[error("there is no setting {key}{}", nearest.as_ref().map(|near| format!("; did you mean {near}?")).unwrap_or_default())]
    UnknownKey {
        /// The name.
        key: String,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// The setting does not take this value.
    #[error("{key} takes {expected}, not {got}")]
    BadValue {
        /// The setting.
        key: String,
        /// What it takes.
        expected: String,
        /// What was given.
        got: String,
    },
    /// The file is written in a way that cannot be changed without losing something; it was left alone.
    #[error("{} cannot be changed safely at {key}; edit it by hand", path.display())]
    Uneditable {
        /// The file.
        path: PathBuf,
        /// The setting.
        key: String,
    },
}

impl ConfigError {
    pub(crate) fn unreadable(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        ConfigError::Unreadable {
            path: path.into(),
            source: Arc::new(source),
        }
    }

    pub(crate) fn unwritable(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        ConfigError::Unwritable {
            path: path.into(),
            source: Arc::new(source),
        }
    }
}

/// A setting that was not taken as written. Shown to the person as one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// File or environment variable.
    pub source: String,
    /// Dotted key; empty when the file as a whole is meant.
    pub key: String,
    /// What was found and what was done.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key.as_str() {
            "" => write!(f, "{}: {}", self.source, self.text),
            key => write!(f, "{}: {key}: {}", self.source, self.text),
        }
    }
}
