//! All tools of the program, by name.

use crate::availability::Availability;
use crate::repair::repair_name;
use crate::schema::sanitize_parameters;
use crate::tool::{CallTitle, RegisteredTool, Tool, ToolSpec};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;
use talaria_protocol::Verb;

/// A tool as a model gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// JSON schema of the arguments, made acceptable to every provider.
    pub parameters: Value,
}

/// Which toolsets a session offers: all or some, less the disabled ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toolsets {
    enabled: Option<BTreeSet<String>>,
    disabled: BTreeSet<String>,
}

impl Toolsets {
    /// All toolsets.
    pub fn all() -> Self {
        Self::default()
    }

    /// Only these.
    pub fn only<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self {
            enabled: Some(names.into_iter().map(Into::into).collect()),
            disabled: BTreeSet::new(),
        }
    }

    /// Less these, whatever is enabled.
    #[must_use]
    pub fn without<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.disabled.extend(names.into_iter().map(Into::into));
        self
    }

    /// Whether a toolset is on offer.
    pub fn contains(&self, toolset: &str) -> bool {
        let enabled = self.enabled.as_ref().is_none_or(|names| names.contains(toolset));
        enabled && !self.disabled.contains(toolset)
    }
}

pub(crate) struct Entry {
    pub(crate) tool: Box<dyn Tool>,
    pub(crate) spec: ToolSpec,
    definition: Arc<Definition>,
    availability: Availability,
}

/// All tools, in name order.
pub struct Registry {
    entries: BTreeMap<&'static str, Entry>,
}

impl Registry {
    /// The tools that registered themselves. A tool that cannot be made, or whose name belongs to another toolset already,
    /// is left out and logged.
    pub fn builtin() -> Self {
        Self::of(inventory::iter::<RegisteredTool>.into_iter().filter_map(|registered| {
            let made = catch_unwind(registered.make);
            if made.is_err() {
                tracing::error!("a tool failed while it was made; it is left out");
            }
            made.ok()
        }))
    }

    /// These tools, by the same rules.
    pub fn of(tools: impl IntoIterator<Item = Box<dyn Tool>>) -> Self {
        let mut registry = Self {
            entries: BTreeMap::new(),
        };
        for tool in tools {
            registry.add(tool);
        }
        registry
    }

    fn add(&mut self, tool: Box<dyn Tool>) {
        let Ok(spec) = catch_unwind(AssertUnwindSafe(|| tool.spec())) else {
            tracing::error!("a tool failed while it described itself; it is left out");
            return;
        };
        if let Some(existing) = self.entries.get(spec.name)
            && existing.spec.toolset != spec.toolset
        {
            tracing::error!(
                tool = spec.name,
                toolset = spec.toolset,
                existing = existing.spec.toolset,
                "the tool's name is taken by another toolset; it is left out"
            );
            return;
        }
        let definition = Arc::new(Definition {
            name: spec.name.to_owned(),
            description: spec.description.clone(),
            parameters: sanitize_parameters(&spec.parameters),
        });
        self.entries.insert(
            spec.name,
            Entry {
                tool,
                spec,
                definition,
                availability: Availability::default(),
            },
        );
    }

    /// What a model gets: the tools of these toolsets that are available at `now`, in name order.
    pub fn definitions(&self, toolsets: &Toolsets, now: Instant) -> Vec<Arc<Definition>> {
        let offered = |entry: &&Entry| toolsets.contains(entry.spec.toolset) && entry.is_available(now);
        self.entries
            .values()
            .filter(offered)
            .map(|entry| Arc::clone(&entry.definition))
            .collect()
    }

    /// All names in order, available or not.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone + '_ {
        self.entries.keys().copied()
    }

    /// Description of a tool, available or not.
    pub fn spec(&self, name: &str) -> Option<&ToolSpec> {
        self.entries.get(name).map(|entry| &entry.spec)
    }

    /// The registered name that a model meant by `name`; see [`repair_name`].
    pub fn repair_name(&self, name: &str) -> Option<&'static str> {
        repair_name(name, self.names())
    }

    /// How a call is drawn. The arguments may be incomplete or of the wrong types; an unknown tool is drawn by its name.
    pub fn title(&self, name: &str, args: &Value) -> CallTitle {
        self.entries
            .get(name)
            .and_then(|entry| catch_unwind(AssertUnwindSafe(|| entry.tool.title(args))).ok())
            .unwrap_or_else(|| CallTitle {
                verb: Verb::Use,
                target: name.to_owned(),
            })
    }

    /// Forgets all availability verdicts; to be called after a change of the configuration.
    pub fn forget_availability(&self) {
        self.entries.values().for_each(|entry| entry.availability.forget());
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }
}

impl Entry {
    fn is_available(&self, now: Instant) -> bool {
        // A check that panics is a check that failed.
        let probe = || catch_unwind(AssertUnwindSafe(|| self.tool.available())).unwrap_or(false);
        self.availability.check(now, self.spec.name, probe)
    }
}

#[cfg(test)]
mod tests;
