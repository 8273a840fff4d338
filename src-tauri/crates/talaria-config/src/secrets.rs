//! Secrets: the environment first, then the file `.env` of the home. A key store joins here, between the two.

use crate::env::Env;
use crate::error::{ConfigError, Warning};
use crate::file;
use crate::home::Home;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A value that is never shown: neither `Debug` nor serialisation gives it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value, for the place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("…")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Secret)
    }
}

/// The one place that is asked for a key.
#[derive(Clone, Debug)]
pub struct Secrets {
    home: Home,
    env: Env,
}

impl Secrets {
    /// Secrets of a home and an environment. Reads nothing yet.
    pub fn new(home: &Home, env: Env) -> Self {
        Self {
            home: home.clone(),
            env,
        }
    }

    /// The secret with this name, such as `OPENAI_API_KEY`. The file is read only when the environment has none.
    pub fn get(&self, name: &str) -> Option<Secret> {
        if let Some(value) = self.env.get(name) {
            return Some(Secret(value));
        }
        let text = match file::read(&self.home.env_file()) {
            Ok(text) => text?,
            Err(error) => {
                tracing::warn!(%error, "secrets of the home are not read");
                return None;
            }
        };
        entries(&text)
            .filter(|(key, value)| *key == name && !value.is_empty())
            .last()
            .map(|(_, value)| Secret(value))
    }

    /// What is wrong with the secrets file: others on this machine can read it, or it cannot be read at all.
    pub fn problem(&self) -> Option<Warning> {
        let path = self.home.env_file();
        let warning = |text: String| {
            Some(Warning {
                source: path.display().to_string(),
                key: String::new(),
                text,
            })
        };
        match file::read(&path) {
            Ok(None) => None,
            Err(ConfigError::Unreadable { source, .. }) => warning(format!("cannot be read: {source}")),
            Err(error) => warning(error.to_string()),
            Ok(Some(_)) if file::open_to_others(&path) => {
                warning("other people on this computer can read it; run chmod 600 on it".to_owned())
            }
            Ok(Some(_)) => None,
        }
    }
}

/// `KEY=value` lines: `export ` and quotes are taken off, comments and anything else are skipped.
fn entries(text: &str) -> impl Iterator<Item = (&str, String)> {
    text.trim_start_matches('\u{FEFF}').lines().filter_map(|line| {
        let line = line.trim();
        let line = line.strip_prefix("export ").map_or(line, str::trim_start);
        let (key, value) = line.split_once('=')?;
        let key = key.trim_end();
        let named = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        named.then(|| (key, unquoted(value.trim())))
    })
}

fn unquoted(value: &str) -> String {
    let mut chars = value.chars();
    match chars.next() {
        Some('\'') => chars.as_str().split('\'').next().unwrap_or_default().to_owned(),
        Some('"') => {
            let mut plain = String::new();
            while let Some(c) = chars.next() {
                match c {
                    '"' => break,
                    '\\' => match chars.next() {
                        Some('n') => plain.push('\n'),
                        Some(c @ ('"' | '\\' | '$')) => plain.push(c),
                        Some(other) => plain.extend(['\\', other]),
                        None => plain.push('\\'),
                    },
                    other => plain.push(other),
                }
            }
            plain
        }
        // Without quotes a comment begins at a blank followed by `#`.
        _ => value.split(" #").next().unwrap_or_default().trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests;
