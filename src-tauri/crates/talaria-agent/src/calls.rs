//! Checks the calls of an answer before any of them runs (agent.md 4.4).

use std::collections::HashSet;
use talaria_model::{AssembledCall, ToolDefinition};
use talaria_protocol::{CallId, ToolCall};
use talaria_tools::repair_name;

/// Invalid names are replaced by this in the history, for strict providers.
pub(crate) const INVALID_NAME: &str = "invalid_tool_call";

/// A call after the check.
pub(crate) enum Checked {
    /// It may go to dispatch.
    Valid(ToolCall),
    /// No such tool; `message` is its result.
    Unknown { call: ToolCall, message: String },
    /// Its arguments cannot be read; `message` is its result.
    Unreadable { call: ToolCall, message: String },
}

impl Checked {
    pub(crate) fn call(&self) -> &ToolCall {
        match self {
            Checked::Valid(call) | Checked::Unknown { call, .. } | Checked::Unreadable { call, .. } => call,
        }
    }
}

/// Repairs names, refuses unreadable arguments, drops exact duplicates and makes ids unique among `ids`, those of the turn.
pub(crate) fn check(offered: &[ToolDefinition], calls: Vec<AssembledCall>, ids: &mut HashSet<String>) -> Vec<Checked> {
    let names: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
    let mut seen = HashSet::new();
    let some_unreadable = calls.iter().any(|call| !call.valid);
    let mut out = Vec::with_capacity(calls.len());
    for (index, assembled) in calls.into_iter().enumerate() {
        if !seen.insert((assembled.name.clone(), assembled.arguments.clone())) {
            continue;
        }
        let wish = match assembled.id.is_empty() {
            true => format!("call_{index}"),
            false => assembled.id,
        };
        let mut id = wish.clone();
        let mut number = 1;
        while !ids.insert(id.clone()) {
            number += 1;
            id = format!("{wish}_{number}");
        }
        let call = |name: &str, arguments: String| ToolCall {
            id: CallId::new(id.clone()),
            name: name.to_owned(),
            arguments,
        };
        let name = match names.contains(&assembled.name.as_str()) {
            true => Some(assembled.name.clone()),
            false => repair_name(&assembled.name, names.iter().copied()).map(str::to_owned),
        };
        out.push(match name {
            None if assembled.name.trim().is_empty() => Checked::Unknown {
                call: call(INVALID_NAME, "{}".to_owned()),
                message: error_json("The call has no tool name. Text is not a call; nothing was run."),
            },
            None => Checked::Unknown {
                message: error_json(&format!(
                    "The tool {} does not exist. Tools: {}.",
                    crate::text::shorten(&assembled.name, 80),
                    names.join(", ")
                )),
                call: call(
                    valid_name(&assembled.name),
                    match assembled.valid {
                        true => assembled.arguments,
                        false => "{}".to_owned(),
                    },
                ),
            },
            Some(name) if !assembled.valid => Checked::Unreadable {
                call: call(&name, "{}".to_owned()),
                message: error_json(
                    "The arguments are not valid JSON; nothing was run. Send the call again with one JSON object.",
                ),
            },
            Some(name) if some_unreadable => Checked::Unreadable {
                call: call(&name, assembled.arguments),
                message: error_json(
                    "Skipped because another call of the same turn has unreadable arguments. Send it again.",
                ),
            },
            Some(name) => Checked::Valid(call(&name, assembled.arguments)),
        });
    }
    out
}

/// Names that a strict provider takes back.
fn valid_name(name: &str) -> &str {
    let fits =
        !name.is_empty() && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if fits { name } else { INVALID_NAME }
}

/// An error result as the model reads it.
pub(crate) fn error_json(message: &str) -> String {
    serde_json::json!({ "error": message }).to_string()
}

#[cfg(test)]
mod tests;
