//! What a person allowed for the rest of a session.

use crate::assess::Assessment;
use std::collections::BTreeSet;

/// Commands, categories and files that need no further answer in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    keys: BTreeSet<String>,
}

impl Grants {
    /// Takes what an answer for the session covers.
    pub fn add(&mut self, keys: impl IntoIterator<Item = String>) {
        self.keys.extend(keys);
    }

    /// Whether every key is granted; an empty list is not.
    pub(crate) fn cover(&self, keys: &[String]) -> bool {
        !keys.is_empty() && keys.iter().all(|key| self.keys.contains(key))
    }

    /// Whether one key is granted.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.contains(key)
    }
}

/// Key of a simple command: its words as it gets them.
pub(crate) fn command_key(words: &str) -> String {
    format!("command:{words}")
}

/// Key of a category of findings in one command: a grant for deleting one folder is none for another.
pub(crate) fn finding_key(key: &str, words: &str) -> String {
    format!("finding:{key}:{words}")
}

/// Key of a file.
pub(crate) fn write_key(path: &str) -> String {
    format!("write:{path}")
}

/// All keys that a command needs, or `None` when it cannot be granted for longer than once.
pub(crate) fn keys_of(assessment: &Assessment, reads: impl Fn(usize) -> bool) -> Option<Vec<String>> {
    let mut keys = Vec::new();
    for (part, words) in assessment.grant_keys.iter().enumerate() {
        let flagged: Vec<&str> = assessment
            .findings
            .iter()
            .filter(|finding| finding.part == part)
            .map(|finding| finding.key.as_str())
            .collect();
        if flagged.is_empty() && reads(part) {
            continue;
        }
        let words = words.as_deref()?;
        match flagged.is_empty() {
            true => keys.push(command_key(words)),
            false => keys.extend(flagged.iter().map(|key| finding_key(key, words))),
        }
    }
    (!keys.is_empty()).then_some(keys)
}
