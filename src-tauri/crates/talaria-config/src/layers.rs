//! Layers: defaults, then the person's file, the project's file, the environment, the session. Later ones win.

use crate::config::Config;
use crate::env::Env;
use crate::error::Warning;
use crate::keys::{self, Checked, KEYS, Key, Scope};
use serde_json::{Map, Value};

/// The settings in force, and what was not taken as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    /// One sentence each.
    pub warnings: Vec<Warning>,
}

/// A parsed file or a set of overrides.
pub(crate) struct Layer<'a> {
    /// Where it comes from, for warnings.
    pub(crate) source: String,
    pub(crate) tree: &'a Value,
    /// Whether everything in it counts, or only what any project may set.
    pub(crate) scope: Scope,
}

/// Puts layers together, lowest first; the environment stands between the files and the session.
pub(crate) fn resolve(files: &[Layer<'_>], env: &Env, session: &Layer<'_>) -> Loaded {
    let mut stack = Stack::default();
    for layer in files {
        stack.add(layer);
    }
    stack.add_environment(env);
    stack.add(session);
    stack.finish()
}

#[derive(Default)]
struct Stack {
    tree: Map<String, Value>,
    warnings: Vec<Warning>,
}

impl Stack {
    fn add(&mut self, layer: &Layer<'_>) {
        match layer.tree {
            Value::Null => {}
            Value::Object(map) => self.section(layer, "", map),
            other => self.warn(
                &layer.source,
                "",
                format!("expected a map of settings, got {}", shown(other)),
            ),
        }
    }

    fn section(&mut self, layer: &Layer<'_>, prefix: &str, map: &Map<String, Value>) {
        for (name, value) in map {
            let name = if prefix.is_empty() {
                name.clone()
            } else {
                format!("{prefix}.{name}")
            };
            match (keys::find(&name), value) {
                (_, Value::Null) => {}
                (Some(key), value) => self.setting(layer, key, value),
                (None, Value::String(_) | Value::Number(_)) if name == "model" => {
                    if let Some(key) = keys::find("model.default") {
                        self.setting(layer, key, value);
                    }
                }
                (None, Value::Object(map)) if keys::is_section(&name) => self.section(layer, &name, map),
                (None, other) if keys::is_section(&name) => {
                    self.warn(
                        &layer.source,
                        &name,
                        format!("expected a section, got {}; ignored", shown(other)),
                    );
                }
                (None, _) if keys::is_later(&name) => {
                    self.warn(&layer.source, &name, "has no effect in this version".to_owned());
                }
                (None, _) => {
                    let hint = keys::nearest(&name)
                        .map(|near| format!("; did you mean {near}?"))
                        .unwrap_or_default();
                    self.warn(&layer.source, &name, format!("unknown setting, ignored{hint}"));
                }
            }
        }
    }

    fn setting(&mut self, layer: &Layer<'_>, key: &Key, value: &Value) {
        if layer.scope == Scope::Project && key.scope == Scope::Person {
            let text = "a project may set this only once its folder is trusted; ignored".to_owned();
            return self.warn(&layer.source, key.name, text);
        }
        self.take(&layer.source, key, value);
    }

    fn take(&mut self, source: &str, key: &Key, value: &Value) {
        match key.kind.check(value) {
            Checked::Fits(value) => put(&mut self.tree, key.name, value),
            Checked::Instead(used, expected) => {
                let text = format!("expected {expected}, got {}; using {}", shown(value), shown(&used));
                self.warn(source, key.name, text);
                put(&mut self.tree, key.name, used);
            }
            Checked::Wrong(expected) => {
                self.warn(
                    source,
                    key.name,
                    format!("expected {expected}, got {}; ignored", shown(value)),
                );
            }
        }
    }

    fn add_environment(&mut self, env: &Env) {
        for key in KEYS {
            let mut name = variable(key.name);
            let mut text = env.get(&name);
            if text.is_none() && key.name == "model.default" {
                name = "TALARIA_MODEL".to_owned();
                text = env.get(&name);
            }
            if let Some(text) = text {
                self.take(&name, key, &key.kind.read(&text));
            }
        }
    }

    fn warn(&mut self, source: &str, key: &str, text: String) {
        self.warnings.push(Warning {
            source: source.to_owned(),
            key: key.to_owned(),
            text,
        });
    }

    fn finish(mut self) -> Loaded {
        // Every value was checked, so this fails only if the list of keys and the structs disagree; a test compares them.
        let config = serde_json::from_value(Value::Object(self.tree)).unwrap_or_else(|error| {
            self.warnings.push(Warning {
                source: "settings".to_owned(),
                key: String::new(),
                text: format!("cannot be put together ({error}); using the defaults"),
            });
            Config::default()
        });
        Loaded {
            config,
            warnings: self.warnings,
        }
    }
}

/// `agent.max_turns` is `TALARIA_AGENT_MAX_TURNS`.
fn variable(key: &str) -> String {
    format!("TALARIA_{}", key.replace('.', "_").to_uppercase())
}

/// Puts a value at a dotted key.
fn put(tree: &mut Map<String, Value>, key: &str, value: Value) {
    match key.split_once('.') {
        None => {
            tree.insert(key.to_owned(), value);
        }
        Some((section, rest)) => {
            let section = tree.entry(section).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(section) = section {
                put(section, rest, value);
            }
        }
    }
}

/// A value for a warning: short, and never the inside of a list or map, where keys may stand.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a map".to_owned(),
        Value::String(text) if text.chars().count() > 60 => "a long text".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
