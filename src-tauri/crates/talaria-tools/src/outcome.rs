//! Outcomes: the texts a model reads when a call failed, was refused or cancelled, and the shape of every result.

use crate::error_text::sanitize_error;
use crate::tool::{Intent, ToolError, ToolOutcome, ToolOutput};
use serde_json::{Value, json};
use talaria_protocol::{AppError, ToolBody, ToolState};

/// Stands for a result without any text: several providers reject an empty tool message.
const NOTHING: &str = "(no output)";
const NOTE_CHARS: usize = 120;

fn ended(state: ToolState, result: &Value, body: ToolBody, note: Option<String>) -> ToolOutcome {
    ToolOutcome {
        result: result.to_string(),
        body,
        note,
        state,
        effect_unknown: false,
        stop: None,
        unanswered: false,
    }
}

/// Text that is not cut.
fn whole(text: String) -> ToolBody {
    ToolBody::Text { text, truncated: false }
}

/// Failed with a message for model and person alike.
pub(crate) fn failed(message: String) -> ToolOutcome {
    let result = json!({ "error": message });
    let note = Some(short(&message));
    ended(ToolState::Failed, &result, whole(message), note)
}

pub(crate) fn bad_arguments(name: &str, reason: &str) -> ToolOutcome {
    let message =
        format!("Nothing was run: {reason}. Send the call to {name} again with one JSON object as its arguments.");
    let result = json!({ "error": "invalid arguments", "message": message });
    let note = Some("invalid arguments".to_owned());
    ended(ToolState::Failed, &result, whole(message), note)
}

/// The turn ends with `error`; `text` is what the history keeps for the call.
pub(crate) fn stopped(error: Box<AppError>, text: &str) -> ToolOutcome {
    let body = whole(error.message.clone());
    let note = Some(short(&error.message));
    let outcome = ended(ToolState::Failed, &json!({ "error": text }), body, note);
    ToolOutcome {
        stop: Some(error),
        ..outcome
    }
}

pub(crate) fn cancelled_before_start() -> ToolOutcome {
    let result = json!({ "error": "The call was cancelled before it ran; nothing was done.", "status": "cancelled" });
    ended(ToolState::Cancelled, &result, ToolBody::Empty, None)
}

pub(crate) fn from_output(output: ToolOutput) -> ToolOutcome {
    let ToolOutput {
        mut result,
        body,
        note,
        state,
    } = output;
    if result.trim().is_empty() {
        NOTHING.clone_into(&mut result);
    }
    ToolOutcome {
        result,
        body,
        note,
        state,
        effect_unknown: false,
        stop: None,
        unanswered: false,
    }
}

pub(crate) fn from_error(error: ToolError) -> ToolOutcome {
    match error {
        ToolError::Tell(message) => failed(message),
        ToolError::Cancelled { partial: Some(partial) } => ToolOutcome {
            state: ToolState::Cancelled,
            ..from_output(*partial)
        },
        ToolError::Cancelled { partial: None } => {
            let result = json!({ "error": "The call was cancelled while it ran.", "status": "cancelled" });
            ended(ToolState::Cancelled, &result, ToolBody::Empty, None)
        }
        ToolError::Stop(error) => {
            let text = sanitize_error(&error.message);
            stopped(error, &text)
        }
    }
}

/// The shape of a refusal, which depends on what the call would have done (security.md 7.5).
#[derive(Clone, Copy)]
pub(crate) enum RefusedCall {
    Command,
    Other,
}

impl RefusedCall {
    pub(crate) fn of(intent: &Intent) -> Self {
        match intent {
            Intent::Command { .. } => Self::Command,
            Intent::Read | Intent::Write { .. } => Self::Other,
        }
    }

    pub(crate) fn outcome(self, message: String, unanswered: bool) -> ToolOutcome {
        let result = match self {
            Self::Command => json!({ "output": "", "exit_code": -1, "error": message, "status": "blocked" }),
            Self::Other => json!({ "error": message, "status": "denied" }),
        };
        let note = Some(if unanswered { "nobody could be asked" } else { "denied" }.to_owned());
        let body = whole(message);
        ToolOutcome {
            unanswered,
            ..ended(ToolState::Denied, &result, body, note)
        }
    }
}

/// Tells the model how the call came to be allowed: as the field `approval` of a JSON object, else in a line of its own.
pub(crate) fn add_note(result: &mut String, note: &str) {
    let body = result.trim_end();
    match body.strip_suffix('}').filter(|inside| inside.starts_with('{')) {
        // Spliced in as text: the result may be long, and its order of fields is part of it.
        Some(inside) => {
            let separator = if inside.trim_end() == "{" { "" } else { "," };
            *result = format!("{inside}{separator}\"approval\":{}}}", Value::from(note));
        }
        None => {
            result.push_str("\n\n");
            result.push_str(note);
        }
    }
}

/// Cuts a result that is longer than its cap and says so. Spilling the whole to a file of the environment belongs here.
pub(crate) fn fit(result: &mut String, max_chars: Option<usize>) {
    let Some(max_chars) = max_chars else { return };
    // A text has at most as many characters as bytes, so the usual result is not counted.
    if result.len() <= max_chars {
        return;
    }
    let Some((mut end, _)) = result.char_indices().nth(max_chars) else {
        return;
    };
    let total = result.chars().count();
    if let Some(line_end) = result[..end].rfind('\n').filter(|line_end| *line_end > end / 2) {
        end = line_end;
    }
    result.truncate(end);
    let shown = result.chars().count();
    result.push_str(&format!(
        "\n\n[Result cut: {shown} of {total} characters are shown. Narrow the call to see the rest.]"
    ));
}

/// First line of a message, short enough to stand beside a step.
fn short(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    match line.char_indices().nth(NOTE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
