//! The environment as an argument, so that tests do not change the process.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Environment variables: those of the process, or a fixed set.
#[derive(Clone, Debug, Default)]
pub struct Env {
    fixed: Option<Arc<BTreeMap<String, String>>>,
}

impl Env {
    /// Those of this process, read when asked.
    pub fn process() -> Self {
        Self { fixed: None }
    }

    /// A fixed set and nothing else.
    pub fn of<K: Into<String>, V: Into<String>>(variables: impl IntoIterator<Item = (K, V)>) -> Self {
        let fixed = variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        Self {
            fixed: Some(Arc::new(fixed)),
        }
    }

    /// The value of a variable; one that is empty or no Unicode counts as absent.
    pub fn get(&self, name: &str) -> Option<String> {
        let value = match &self.fixed {
            Some(fixed) => fixed.get(name).cloned(),
            None => std::env::var(name).ok(),
        };
        value.filter(|value| !value.is_empty())
    }
}
