//! Changing one key of a YAML text. Comments, order and all other keys stay; a result that does not read back as
//! meant is thrown away.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::str::FromStr;
use yaml_edit::{Document, Mapping, ScalarValue, YamlValue};

/// The text with the key set, or taken out when the value is null. `tree` is what the text reads as. `None` if that
/// cannot be done without losing something.
pub(crate) fn set(text: &str, tree: &Value, key: &str, value: &Value) -> Option<String> {
    let mut wanted = tree.clone();
    change(&mut wanted, key, value);
    if pruned(&wanted) == pruned(tree) {
        return Some(text.to_owned());
    }
    let bom = if text.starts_with('\u{FEFF}') { "\u{FEFF}" } else { "" };
    let body = &text[bom.len()..];
    let windows_lines = body.contains("\r\n");
    let plain = body.replace("\r\n", "\n");
    let edited = if tree.is_null() {
        appended(&plain, key, value)
    } else {
        edited(&plain, key, value)?
    };
    let read: Value = serde_saphyr::from_str(&edited).ok()?;
    if pruned(&read) != pruned(&wanted) {
        return None;
    }
    let edited = if windows_lines {
        edited.replace('\n', "\r\n")
    } else {
        edited
    };
    Some(format!("{bom}{edited}"))
}

/// Nothing but comments so far: the setting goes below them.
fn appended(text: &str, key: &str, value: &Value) -> String {
    let mut text = text.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let document = Document::new_mapping();
    if let Some(root) = document.as_mapping() {
        put(&root, key, value);
    }
    text.push_str(document.to_string().trim_start_matches('\n'));
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn edited(text: &str, key: &str, value: &Value) -> Option<String> {
    let document = Document::from_str(text).ok()?;
    let root = document.as_mapping()?;
    if value.is_null() {
        take(&root, key)
    } else {
        put(&root, key, value)
    }
    Some(document.to_string())
}

fn put(map: &Mapping, key: &str, value: &Value) {
    let Some((section, rest)) = key.split_once('.') else {
        map.set(key, yaml(value));
        return;
    };
    match map.get_mapping(section) {
        Some(inner) if !inner.is_empty() => put(&inner, rest, value),
        _ => {
            let mut tree = Map::new();
            // `model: name` is short for `model: {default: name}`.
            if section == "model"
                && let Some(name) = map
                    .get(section)
                    .and_then(|node| node.as_scalar().map(|name| name.as_string()))
                && !matches!(name.as_str(), "" | "~" | "null")
            {
                tree.insert("default".to_owned(), Value::String(name));
            }
            let mut tree = Value::Object(tree);
            change(&mut tree, rest, value);
            map.set(section, yaml(&tree));
        }
    }
}

fn take(map: &Mapping, key: &str) {
    if map.contains_key(key) {
        map.remove(key);
        return;
    }
    let Some((section, rest)) = key.split_once('.') else {
        return;
    };
    if let Some(inner) = map.get_mapping(section) {
        take(&inner, rest);
        if inner.is_empty() {
            map.remove(section);
        }
    } else if section == "model" && rest == "default" {
        map.remove(section);
    }
}

/// The same change on the tree.
fn change(tree: &mut Value, key: &str, value: &Value) {
    if !tree.is_object() {
        *tree = Value::Object(Map::new());
    }
    let Value::Object(map) = tree else { return };
    match key.split_once('.') {
        None if value.is_null() => {
            map.remove(key);
        }
        None => {
            map.insert(key.to_owned(), value.clone());
        }
        Some((section, rest)) => {
            let inner = map.entry(section).or_insert(Value::Null);
            if section == "model" && (inner.is_string() || inner.is_number()) {
                let name = inner.as_str().map_or_else(|| inner.to_string(), str::to_owned);
                *inner = Value::Object(Map::from_iter([("default".to_owned(), Value::String(name))]));
            }
            if inner.is_object() || !value.is_null() {
                change(inner, rest, value);
            }
        }
    }
}

/// Empty sections and nulls say nothing.
fn pruned(tree: &Value) -> Value {
    match tree {
        Value::Object(map) => {
            let map: Map<String, Value> = map
                .iter()
                .map(|(key, value)| (key.clone(), pruned(value)))
                .filter(|(_, value)| !value.is_null())
                .collect();
            if map.is_empty() {
                Value::Null
            } else {
                Value::Object(map)
            }
        }
        other => other.clone(),
    }
}

fn yaml(value: &Value) -> YamlValue {
    match value {
        Value::Null => YamlValue::from(ScalarValue::null()),
        Value::Bool(flag) => YamlValue::from(ScalarValue::from(*flag)),
        Value::Number(number) => YamlValue::from(ScalarValue::parse(number.to_string())),
        Value::String(text) => YamlValue::from(ScalarValue::from(text.as_str())),
        Value::Array(items) => YamlValue::Sequence(items.iter().map(yaml).collect()),
        Value::Object(map) => {
            let map: BTreeMap<String, YamlValue> = map.iter().map(|(key, value)| (key.clone(), yaml(value))).collect();
            YamlValue::Mapping(map)
        }
    }
}

#[cfg(test)]
mod tests;
