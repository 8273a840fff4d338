//! Repairs what models and servers get wrong in JSON text: lone surrogates everywhere, call arguments in stored history.

use serde_json::{Map, Value};
use std::borrow::Cow;

/// Surplus closing brackets that are dropped before a text counts as hopeless.
const MAX_SURPLUS: usize = 50;

/// Replaces `\uD800`-`\uDFFF` escapes without their other half by `\uFFFD`, so that the text can be parsed.
pub fn sanitize_lone_surrogates(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut out: Option<String> = None;
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        let start = at + found;
        match unicode_escape(bytes, start) {
            Some(0xD800..=0xDBFF) => match unicode_escape(bytes, start + 6) {
                Some(0xDC00..=0xDFFF) => at = start + 12,
                _ => at = replace(json, &mut out, &mut copied, start),
            },
            Some(0xDC00..=0xDFFF) => at = replace(json, &mut out, &mut copied, start),
            Some(_) => at = start + 6,
            None => at = (start + 2).min(bytes.len()),
        }
    }
    match out {
        None => Cow::Borrowed(json),
        Some(mut out) => {
            out.push_str(&json[copied..]);
            Cow::Owned(out)
        }
    }
}

fn replace(json: &str, out: &mut Option<String>, copied: &mut usize, start: usize) -> usize {
    let out = out.get_or_insert_with(|| String::with_capacity(json.len()));
    out.push_str(&json[*copied..start]);
    out.push_str("\\uFFFD");
    *copied = start + 6;
    *copied
}

/// The code unit of a `\uXXXX` escape at `at`.
fn unicode_escape(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    digits
        .iter()
        .try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}

/// The arguments of a stored call as a JSON object that a strict provider accepts: compact text. What is beyond repair
/// becomes `{}`; whether that happened is told by [`Repaired`].
pub fn repair_arguments(text: &str) -> Repaired {
    let text = text.trim();
    if text.is_empty() {
        return Repaired::Empty;
    }
    let clean = sanitize_lone_surrogates(text);
    if let Ok(value) = serde_json::from_str::<Value>(&clean) {
        return match value {
            Value::Object(_) if matches!(clean, Cow::Borrowed(_)) => Repaired::Valid,
            value => unwrap(value).map_or(Repaired::Hopeless, Repaired::Fixed),
        };
    }
    let bare = without_fence(&clean);
    parse_loosely(bare)
        .and_then(unwrap)
        .map_or(Repaired::Hopeless, Repaired::Fixed)
}

/// What [`repair_arguments`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repaired {
    /// The text is an object as it stands.
    Valid,
    /// There was no text: `{}` is meant.
    Empty,
    /// The object that was meant.
    Fixed(String),
    /// Nothing could be made of it; `{}` stands for it.
    Hopeless,
}

impl Repaired {
    /// The text to use for `original`.
    pub fn text<'t>(&'t self, original: &'t str) -> &'t str {
        match self {
            Repaired::Valid => original,
            Repaired::Fixed(text) => text,
            Repaired::Empty | Repaired::Hopeless => "{}",
        }
    }
}

/// The object inside `value`, which may be encoded twice.
fn unwrap(value: Value) -> Option<String> {
    match value {
        Value::Object(_) => Some(value.to_string()),
        Value::String(inner) => match repair_arguments(&inner) {
            Repaired::Valid => serde_json::from_str::<Value>(&inner)
                .ok()
                .map(|value| value.to_string()),
            Repaired::Fixed(text) => Some(text),
            Repaired::Empty | Repaired::Hopeless => None,
        },
        _ => None,
    }
}

fn without_fence(text: &str) -> &str {
    let Some(inner) = text.strip_prefix("```") else {
        return text;
    };
    let inner = inner.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
    inner.trim_end().strip_suffix("```").unwrap_or(inner).trim()
}

fn parse_loosely(text: &str) -> Option<Value> {
    let mut reader = Loosely { text, at: 0, depth: 0 };
    let value = reader.value()?;
    let rest = text[reader.at..].trim_start();
    let surplus = rest.trim_end_matches(|letter: char| letter.is_whitespace());
    if surplus.len() <= MAX_SURPLUS && surplus.chars().all(|letter| matches!(letter, '}' | ']' | ',' | ';')) {
        return Some(value);
    }
    // The same object sent twice is meant once.
    let mut again = Loosely {
        text: rest,
        at: 0,
        depth: 0,
    };
    let second = again.value()?;
    (second == value && rest[again.at..].trim().is_empty()).then_some(value)
}

/// A reader of almost-JSON: trailing commas, missing closers, raw control characters, single quotes, Python words.
struct Loosely<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

const MAX_DEPTH: usize = 100;

impl Loosely<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        let kept = rest.trim_start();
        self.at += rest.len() - kept.len();
        kept.chars().next()
    }

    fn value(&mut self) -> Option<Value> {
        match self.peek()? {
            '{' => self.nested(Self::object),
            '[' => self.nested(Self::array),
            quote @ ('"' | '\'') => self.string(quote).map(Value::String),
            _ => self.word(),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Option<Value>) -> Option<Value> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Option<Value> {
        let mut map = Map::new();
        loop {
            match self.peek() {
                None => return Some(Value::Object(map)),
                Some('}') => {
                    self.at += 1;
                    return Some(Value::Object(map));
                }
                // A closer of the level above: this one was forgotten.
                Some(']') => return Some(Value::Object(map)),
                Some(',') => self.at += 1,
                Some(quote @ ('"' | '\'')) => {
                    let key = self.string(quote)?;
                    match self.peek() {
                        Some(':') => self.at += 1,
                        None => return Some(Value::Object(map)),
                        Some(_) => return None,
                    }
                    match self.peek() {
                        None => return Some(Value::Object(map)),
                        Some(_) => {
                            let value = self.value()?;
                            map.insert(key, value);
                        }
                    }
                }
                Some(_) => return None,
            }
        }
    }

    fn array(&mut self) -> Option<Value> {
        let mut list = Vec::new();
        loop {
            match self.peek() {
                None => return Some(Value::Array(list)),
                Some(']') => {
                    self.at += 1;
                    return Some(Value::Array(list));
                }
                Some('}') => return Some(Value::Array(list)),
                Some(',') => self.at += 1,
                Some(_) => list.push(self.value()?),
            }
        }
    }

    fn string(&mut self, quote: char) -> Option<String> {
        self.at += 1;
        let mut out = String::new();
        let rest = &self.text[self.at..];
        let mut letters = rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            if letter == quote {
                self.at += at + letter.len_utf8();
                return Some(out);
            }
            if letter != '\\' {
                out.push(letter);
                continue;
            }
            let Some((_, escaped)) = letters.next() else {
                break;
            };
            match escaped {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                'b' => out.push('\u{8}'),
                'f' => out.push('\u{c}'),
                'u' => {
                    let (unit, used) = unicode(&rest[at..]);
                    out.push(unit);
                    for _ in 2..used {
                        letters.next();
                    }
                }
                '"' | '\'' | '\\' | '/' => out.push(escaped),
                // No escape of JSON: the backslash was meant.
                other => out.extend(['\\', other]),
            }
        }
        self.at = self.text.len();
        Some(out)
    }

    fn word(&mut self) -> Option<Value> {
        let rest = &self.text[self.at..];
        let end = rest
            .find(|letter: char| letter.is_whitespace() || ",}]:".contains(letter))
            .unwrap_or(rest.len());
        let word = &rest[..end];
        let value = match word {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" => Value::Null,
            _ => Value::Number(serde_json::from_str(word).ok()?),
        };
        self.at += end;
        Some(value)
    }
}

/// The letter of an escape such as `\u00e9` or a pair of surrogates at the start of `text`, and the ASCII letters used.
fn unicode(text: &str) -> (char, usize) {
    let bytes = text.as_bytes();
    match (unicode_escape(bytes, 0), unicode_escape(bytes, 6)) {
        (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) => {
            let point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            (char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
        }
        (Some(unit), _) => (char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
        (None, _) => (char::REPLACEMENT_CHARACTER, 2),
    }
}

#[cfg(test)]
mod tests;
