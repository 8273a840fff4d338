//! JSON text with sorted keys and no blanks. Numbers and strings stay as they are written, so nothing loses precision.

use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Deeper values are left as they are: nobody nests arguments like this in earnest.
const MAX_DEPTH: usize = 64;

/// `text` in sorted, compact form; borrowed if it is so already, `None` if it is not a JSON object.
pub(super) fn sorted(text: &str) -> Option<Cow<'_, str>> {
    let value: &RawValue = serde_json::from_str(text).ok()?;
    if !value.get().starts_with('{') {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    write(value, 0, &mut out)?;
    Some(if out == text {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(out)
    })
}

fn write(value: &RawValue, depth: usize, out: &mut String) -> Option<()> {
    let text = value.get();
    match text.as_bytes().first() {
        Some(b'{') if depth < MAX_DEPTH => {
            let map: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(text).ok()?;
            out.push('{');
            for (at, (key, value)) in map.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&serde_json::to_string(key).ok()?);
                out.push(':');
                write(value, depth + 1, out)?;
            }
            out.push('}');
        }
        Some(b'[') if depth < MAX_DEPTH => {
            let list: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            out.push('[');
            for (at, value) in list.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(value, depth + 1, out)?;
            }
            out.push(']');
        }
        _ => out.push_str(text),
    }
    Some(())
}
