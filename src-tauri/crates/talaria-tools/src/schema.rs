//! Makes parameter schemas acceptable to every provider (tools.md 4.2).

use serde_json::{Map, Value, json};

const TYPE_NAMES: [&str; 7] = ["string", "number", "integer", "boolean", "object", "array", "null"];
const COMBINATORS: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// A copy of a tool's parameter schema that only uses what all providers take: an object at the top, one type a node, nullable
/// as a flag, no required property that does not exist.
pub fn sanitize_parameters(parameters: &Value) -> Value {
    let Value::Object(map) = parameters else {
        return json!({"type": "object", "properties": {}});
    };
    let mut top = map.clone();
    for key in ["allOf", "anyOf", "oneOf", "enum", "not"] {
        top.remove(key);
    }
    top.insert("type".into(), "object".into());
    sanitize_node(Value::Object(top))
}

fn sanitize_node(schema: Value) -> Value {
    let mut map = match schema {
        Value::Object(map) => map,
        Value::String(name) if TYPE_NAMES.contains(&name.as_str()) => return typed(&name),
        // A boolean schema says any or none; what stands elsewhere for a schema says nothing that we know.
        Value::Bool(_) => return schema,
        _ => return json!({"type": "object", "properties": {}}),
    };
    split_type_list(&mut map);
    if let Some(branch) = only_branch_beside_null(&map) {
        map = merge_branch(map, branch);
        split_type_list(&mut map);
    }
    for (key, value) in map.iter_mut() {
        match key.as_str() {
            "properties" | "$defs" | "definitions" => {
                if let Value::Object(named) = value {
                    named.values_mut().for_each(sanitize_in_place);
                }
            }
            "items" | "additionalProperties" => match value {
                Value::Array(tuple) => tuple.iter_mut().for_each(sanitize_in_place),
                Value::Bool(_) => {}
                _ => sanitize_in_place(value),
            },
            key if COMBINATORS.contains(&key) => {
                if let Value::Array(branches) = value {
                    branches.iter_mut().for_each(sanitize_in_place);
                }
            }
            _ => {}
        }
    }
    if map.contains_key("$ref") {
        map.remove("default");
    }
    if map.get("type").and_then(Value::as_str) == Some("object") {
        complete_object(&mut map);
    }
    Value::Object(map)
}

fn sanitize_in_place(value: &mut Value) {
    *value = sanitize_node(value.take());
}

fn typed(name: &str) -> Value {
    if name == "object" {
        json!({"type": "object", "properties": {}})
    } else {
        json!({"type": name})
    }
}

fn split_type_list(map: &mut Map<String, Value>) {
    let Some(Value::Array(listed)) = map.get("type") else {
        return;
    };
    let names: Vec<String> = listed.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let others: Vec<&String> = names.iter().filter(|name| *name != "null").collect();
    let nullable = others.len() < names.len();
    match others.as_slice() {
        [] => {
            let name = if nullable { "null" } else { "object" };
            map.insert("type".into(), name.into());
            return;
        }
        [only] => {
            map.insert("type".into(), Value::String((*only).clone()));
        }
        several => {
            let branches = several.iter().map(|name| typed(name)).collect();
            map.remove("type");
            map.insert("anyOf".into(), Value::Array(branches));
        }
    }
    if nullable {
        map.insert("nullable".into(), true.into());
    }
}

/// The one branch of `anyOf` or `oneOf` that is not null, when a null branch stands beside it.
fn only_branch_beside_null(map: &Map<String, Value>) -> Option<(&'static str, Value)> {
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = map.get(key) else {
            continue;
        };
        let is_null = |branch: &&Value| branch.get("type").and_then(Value::as_str) == Some("null") || *branch == "null";
        let (nulls, others): (Vec<&Value>, Vec<&Value>) = branches.iter().partition(is_null);
        if let (false, [only]) = (nulls.is_empty(), others.as_slice()) {
            return Some((key, (*only).clone()));
        }
    }
    None
}

fn merge_branch(mut map: Map<String, Value>, (key, branch): (&'static str, Value)) -> Map<String, Value> {
    map.remove(key);
    let mut merged = match branch {
        Value::Object(branch) => branch,
        Value::String(name) => match typed(&name) {
            Value::Object(branch) => branch,
            _ => Map::new(),
        },
        _ => Map::new(),
    };
    for (name, value) in map {
        let described_outside = matches!(name.as_str(), "title" | "description" | "default" | "examples");
        if described_outside || !merged.contains_key(&name) {
            merged.insert(name, value);
        }
    }
    merged.insert("nullable".into(), true.into());
    merged
}

fn complete_object(map: &mut Map<String, Value>) {
    if !map.get("properties").is_some_and(Value::is_object) {
        map.insert("properties".into(), json!({}));
    }
    let Some(Value::Array(required)) = map.get("required") else {
        return;
    };
    let properties = map.get("properties").and_then(Value::as_object);
    let exists = |name: &&Value| {
        name.as_str()
            .is_some_and(|name| properties.is_some_and(|all| all.contains_key(name)))
    };
    let kept: Vec<Value> = required.iter().filter(exists).cloned().collect();
    if kept.is_empty() {
        map.remove("required");
    } else {
        map.insert("required".into(), Value::Array(kept));
    }
}

#[cfg(test)]
mod tests;
