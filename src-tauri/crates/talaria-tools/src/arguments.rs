//! Arguments of a call from the text that the model wrote.

use serde_json::{Map, Value};

/// The arguments, or what is wrong with the text in words for the model.
pub(crate) fn parse_arguments(raw: &str) -> Result<Map<String, Value>, String> {
    if raw.trim().is_empty() {
        return Ok(Map::new());
    }
    let parsed = serde_json::from_str::<Value>(raw).or_else(|error| {
        // Half a surrogate pair is not a character; a model that cuts an emoji in two still means the rest.
        replace_lone_surrogates(raw).map_or(Err(error), |repaired| serde_json::from_str(&repaired))
    });
    match parsed {
        Ok(Value::Object(args)) => Ok(args),
        Ok(other) => Err(format!("the arguments must be a JSON object, not {}", kind_of(&other))),
        Err(error) => Err(format!("the arguments are not valid JSON: {error}")),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The text with each `\uD800`–`\uDFFF` escape that has no partner replaced by U+FFFD; `None` when there is none.
fn replace_lone_surrogates(raw: &str) -> Option<String> {
    let bytes = raw.as_bytes();
    let mut repaired = String::new();
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match code_unit(bytes, at) {
            Some(0xD800..=0xDBFF) if matches!(code_unit(bytes, at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                repaired.push_str(&raw[copied..at]);
                repaired.push_str("\\uFFFD");
                at += 6;
                copied = at;
            }
            // Whatever is escaped, the backslash and the byte after it belong together.
            _ => at += 2,
        }
    }
    if copied == 0 {
        return None;
    }
    repaired.push_str(&raw[copied..]);
    Some(repaired)
}

/// The code unit of a `\uXXXX` escape at `at`.
fn code_unit(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    let digits = std::str::from_utf8(escape.strip_prefix(b"\\u")?).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests;
