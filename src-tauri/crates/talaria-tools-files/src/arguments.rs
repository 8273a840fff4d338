//! Arguments as models send them.

use serde_json::Value;
use talaria_tools::ToolError;

/// The path of a call, or the message for the model.
pub(crate) fn path<'a>(tool: &str, args: &'a Value) -> Result<&'a str, ToolError> {
    match args.get("path") {
        Some(Value::String(path)) if path.contains('\0') => Err(ToolError::Tell(format!(
            "{tool}: `path` must not contain a NUL character."
        ))),
        Some(Value::String(path)) if !path.trim().is_empty() => Ok(path),
        Some(Value::String(_)) => Err(ToolError::Tell(format!("{tool}: `path` is empty. Name the file."))),
        Some(_) => Err(ToolError::Tell(format!("{tool}: `path` must be a text."))),
        None => Err(ToolError::Tell(format!("{tool} needs `path`: the file to work on."))),
    }
}

/// The path for a title, whatever state the arguments are in.
pub(crate) fn shown_path(args: &Value) -> String {
    args.get("path").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A count from 1 to `max`; out of range is clamped, what is no number is `default`.
pub(crate) fn count(args: &Value, name: &str, default: u64, max: u64) -> u64 {
    let Some(value) = args.get(name) else {
        return default.min(max);
    };
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse::<f64>().ok(),
        _ => None,
    };
    match number {
        // Below 2^53, so that the cast is exact; beyond, the clamp decides anyway.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to the range before"
        )]
        Some(number) if number.is_finite() => (number.clamp(1.0, 9e15) as u64).min(max),
        _ => default.min(max),
    }
}

#[cfg(test)]
mod tests;
