//! Brings arguments into the types that the schema asks for (tools.md 5.4).
//!
//! Models send `"42"` for 42 and `"[\"a\"]"` for a list. Only known properties are touched, no default is filled in, and a value
//! that cannot be converted stays as it was sent.

mod number;

use serde_json::{Map, Value};

/// Converts the known properties of `args` in place. `schema` is the tool's parameter schema.
pub fn coerce(args: &mut Map<String, Value>, schema: &Value) {
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        coerce_properties(args, properties);
    }
}

fn coerce_properties(args: &mut Map<String, Value>, properties: &Map<String, Value>) {
    for (name, value) in args.iter_mut() {
        if let Some(schema) = properties.get(name) {
            coerce_argument(value, &Alternatives::of(schema));
        }
    }
}

/// Types that a schema allows, in its order; each with the schema that describes its inside.
#[derive(Default)]
struct Alternatives<'a> {
    types: Vec<(&'a str, &'a Value)>,
    nullable: bool,
}

impl<'a> Alternatives<'a> {
    fn of(schema: &'a Value) -> Self {
        let mut found = Self::default();
        found.add(schema);
        found
    }

    fn add(&mut self, schema: &'a Value) {
        if schema.get("nullable") == Some(&Value::Bool(true)) {
            self.nullable = true;
        }
        match schema.get("type") {
            Some(Value::String(name)) => self.add_type(name, schema),
            Some(Value::Array(names)) => {
                names
                    .iter()
                    .filter_map(Value::as_str)
                    .for_each(|name| self.add_type(name, schema));
            }
            _ => self.add_branches(schema),
        }
        // Beside a `type`, branches only narrow it; what they may add is null.
        if schema.get("type").is_some() && branches(schema).any(|branch| Self::of(branch).nullable) {
            self.nullable = true;
        }
    }

    fn add_branches(&mut self, schema: &'a Value) {
        branches(schema).for_each(|branch| self.add(branch));
    }

    fn add_type(&mut self, name: &'a str, schema: &'a Value) {
        if name == "null" {
            self.nullable = true;
        } else {
            self.types.push((name, schema));
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.types
            .iter()
            .find(|(found, _)| *found == name)
            .map(|(_, schema)| *schema)
    }
}

fn branches(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"]
        .into_iter()
        .filter_map(|key| schema.get(key)?.as_array())
        .flatten()
}

fn coerce_argument(value: &mut Value, allowed: &Alternatives<'_>) {
    match value {
        Value::String(text) => {
            if allowed.nullable && text.trim().eq_ignore_ascii_case("null") {
                *value = Value::Null;
                return;
            }
            // Wrapping is the last resort: a union that takes the text as it is, or converts it, wins.
            for (name, schema) in &allowed.types {
                match from_text(text, name) {
                    Text::Fits => return,
                    Text::Converted(converted) => {
                        *value = converted;
                        coerce_inside(value, schema);
                        return;
                    }
                    Text::Refused => {}
                }
            }
            if let Some(schema) = allowed.get("array") {
                if text.trim_start().starts_with('[') {
                    tracing::warn!("an argument looks like a JSON list but is not one; taken as one element");
                }
                wrap(value, schema);
            }
        }
        Value::Null => {}
        Value::Bool(_) => wrap_unless(value, allowed, &["boolean"]),
        Value::Number(_) => wrap_unless(value, allowed, &["integer", "number"]),
        Value::Array(_) => {
            if let Some(schema) = allowed.get("array") {
                coerce_inside(value, schema);
            }
        }
        Value::Object(_) => match allowed.get("object") {
            Some(schema) => coerce_inside(value, schema),
            None => wrap_unless(value, allowed, &[]),
        },
    }
}

fn wrap_unless(value: &mut Value, allowed: &Alternatives<'_>, fitting: &[&str]) {
    if let Some(schema) = allowed.get("array")
        && !fitting.iter().any(|name| allowed.get(name).is_some())
    {
        wrap(value, schema);
    }
}

fn wrap(value: &mut Value, schema: &Value) {
    *value = Value::Array(vec![value.take()]);
    coerce_inside(value, schema);
}

/// Parses JSON text inside a list or object, but only where the schema expects a list or object there: a scalar inside is
/// data of the caller's own and stays.
fn coerce_inside(value: &mut Value, schema: &Value) {
    match value {
        Value::Array(items) => {
            if let Some(item_schema) = schema.get("items").filter(|items| items.is_object()) {
                let allowed = Alternatives::of(item_schema);
                items.iter_mut().for_each(|item| coerce_element(item, &allowed));
            }
        }
        Value::Object(fields) => {
            if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
                for (name, field) in fields.iter_mut() {
                    if let Some(field_schema) = properties.get(name) {
                        coerce_element(field, &Alternatives::of(field_schema));
                    }
                }
            }
        }
        _ => {}
    }
}

fn coerce_element(value: &mut Value, allowed: &Alternatives<'_>) {
    match value {
        Value::String(text) => {
            for (name, schema) in &allowed.types {
                match (*name, from_text(text, name)) {
                    ("string", _) => return,
                    ("array" | "object", Text::Converted(converted)) => {
                        *value = converted;
                        coerce_inside(value, schema);
                        return;
                    }
                    _ => {}
                }
            }
        }
        Value::Array(_) => {
            if let Some(schema) = allowed.get("array") {
                coerce_inside(value, schema);
            }
        }
        Value::Object(_) => {
            if let Some(schema) = allowed.get("object") {
                coerce_inside(value, schema);
            }
        }
        _ => {}
    }
}

/// What a text is to a type.
enum Text {
    Fits,
    Converted(Value),
    Refused,
}

fn from_text(text: &str, type_name: &str) -> Text {
    let converted = match type_name {
        "string" => return Text::Fits,
        "integer" => number::integer(text.trim()).map(Value::Number),
        "number" => number::number(text.trim()).map(Value::Number),
        "boolean" => {
            let word = text.trim();
            [("true", true), ("false", false)]
                .into_iter()
                .find(|(name, _)| word.eq_ignore_ascii_case(name))
                .map(|(_, truth)| Value::Bool(truth))
        }
        "array" => container(text, '[').filter(Value::is_array),
        "object" => container(text, '{').filter(Value::is_object),
        _ => None,
    };
    converted.map_or(Text::Refused, Text::Converted)
}

fn container(text: &str, opening: char) -> Option<Value> {
    let text = text.trim();
    if text.starts_with(opening) {
        serde_json::from_str(text).ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
