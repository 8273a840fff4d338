//! Fields that servers fill with whatever type they like, read without copying text that needs no unescaping.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A JSON value whose text borrows from the input where it can.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Loose<'a> {
    #[default]
    Null,
    Text(Cow<'a, str>),
    Int(i64),
    /// Lists, objects and the rest: rare, so copied.
    Other(Box<Value>),
}

impl Loose<'_> {
    /// Text, or a number as text; `None` for null, empty text and everything else.
    pub(super) fn ident(&self) -> Option<Cow<'_, str>> {
        match self {
            Loose::Text(text) if !text.is_empty() => Some(Cow::Borrowed(text)),
            Loose::Int(number) => Some(Cow::Owned(number.to_string())),
            Loose::Other(value) => value.as_number().map(|number| Cow::Owned(number.to_string())),
            _ => None,
        }
    }

    /// A count or an index.
    pub(super) fn number(&self) -> Option<u64> {
        match self {
            Loose::Int(number) => u64::try_from(*number).ok(),
            Loose::Text(text) => text.trim().parse().ok(),
            Loose::Other(value) => value
                .as_f64()
                .filter(|number| *number >= 0.0)
                .map(|number| number as u64),
            _ => None,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Loose<'de>, E> {
        Ok(Loose::Null)
    }

    fn visit_none<E>(self) -> Result<Loose<'de>, E> {
        Ok(Loose::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Loose<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Loose<'de>, E> {
        Ok(Loose::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Loose<'de>, E> {
        Ok(Loose::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Loose<'de>, E> {
        Ok(Loose::Text(Cow::Owned(text)))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Loose<'de>, E> {
        Ok(Loose::Other(Box::new(Value::Bool(value))))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Loose<'de>, E> {
        Ok(Loose::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Loose<'de>, E> {
        Ok(i64::try_from(value).map_or_else(|_| Loose::Other(Box::new(value.into())), Loose::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Loose<'de>, E> {
        Ok(Loose::Other(Box::new(value.into())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Loose<'de>, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element::<Value>()? {
            values.push(value);
        }
        Ok(Loose::Other(Box::new(Value::Array(values))))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Loose<'de>, A::Error> {
        let mut values = Map::new();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            values.insert(key, value);
        }
        Ok(Loose::Other(Box::new(Value::Object(values))))
    }
}

/// A value of a known form; null gives the default.
pub(super) fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// Text of a content field: plain text, or a list of parts. The second text is reasoning found among the parts.
pub(super) fn content_text(parts: &Value) -> (String, String) {
    let (mut text, mut reasoning) = (String::new(), String::new());
    collect(parts, false, &mut text, &mut reasoning);
    (text, reasoning)
}

fn collect(value: &Value, thinking: bool, text: &mut String, reasoning: &mut String) {
    match value {
        Value::String(found) if thinking => reasoning.push_str(found),
        Value::String(found) => text.push_str(found),
        Value::Array(parts) => parts.iter().for_each(|part| collect(part, thinking, text, reasoning)),
        Value::Object(part) => {
            let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
            let thinking = thinking || kind.contains("think") || kind.contains("reason");
            let inner = part
                .get("text")
                .or_else(|| part.get("thinking"))
                .or_else(|| part.get("reasoning"));
            if let Some(inner) = inner.or_else(|| part.get("content")) {
                collect(inner, thinking, text, reasoning);
            }
        }
        _ => {}
    }
}
