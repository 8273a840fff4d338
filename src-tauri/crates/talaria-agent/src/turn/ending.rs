//! The ways in which a turn ends, with the words for the person.

use super::MAX_UNKNOWN_ROUNDS;
use talaria_model::Completion;
use talaria_protocol::{AppError, ErrorKind, Layer, ModelRoute, TurnStatus};

/// Smallest and largest boosted output cap, in tokens.
const CAP_BASE: u32 = 8_192;
const CAP_LIMIT: u32 = 32_768;

/// How the loop ended, before it is recorded.
pub(super) struct Ending {
    pub status: TurnStatus,
    pub text: String,
    pub error: Option<AppError>,
    pub exit_reason: String,
    pub reasoning: Answer,
}

/// Parts of an answer that are stored beside its text.
#[derive(Default)]
pub(super) struct Answer {
    pub reasoning: Option<String>,
    pub reasoning_content: Option<String>,
    pub reasoning_details: Option<serde_json::Value>,
    pub finish: Option<&'static str>,
}

/// One line for the session list.
pub(super) fn preview(text: &str, error: Option<&AppError>, status: TurnStatus) -> String {
    let line = match (error, status) {
        (Some(error), _) => error.message.clone(),
        (None, TurnStatus::Interrupted) => "Stopped by you".to_owned(),
        (None, TurnStatus::Complete | TurnStatus::Error) => last_said(text),
    };
    crate::text::shorten(&line, 120)
}

/// The last line of prose in a Markdown text, without its marks.
fn last_said(text: &str) -> String {
    let mut in_code = false;
    let mut last = String::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        let line = line.trim_start_matches(['#', '>', '-', '*', '+', ' ']);
        if !in_code && line.chars().any(char::is_alphanumeric) {
            last = without_marks(line);
        }
    }
    last
}

fn without_marks(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['*', '`', '[']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let link = tail.strip_prefix('[').and_then(|inner| {
            let (label, behind) = inner.split_once("](")?;
            let (_, behind) = behind.split_once(')')?;
            Some((label, behind))
        });
        rest = match link {
            Some((label, behind)) => {
                out.push_str(label);
                behind
            }
            None => {
                if tail.starts_with('[') {
                    out.push('[');
                }
                &tail[1..]
            }
        };
    }
    out.push_str(rest);
    out
}

/// An answer, behind the parts of it that came before.
pub(super) fn answered(parts: String, completion: Completion) -> Ending {
    Ending {
        status: TurnStatus::Complete,
        text: parts + &completion.text,
        error: None,
        exit_reason: format!("text_response(finish_reason={})", completion.finish.as_str()),
        reasoning: Answer {
            reasoning: (!completion.reasoning.is_empty()).then_some(completion.reasoning),
            reasoning_content: completion.reasoning_content,
            reasoning_details: completion.reasoning_details,
            finish: Some(completion.finish.as_str()),
        },
    }
}

pub(super) fn interrupted(exit_reason: &str) -> Ending {
    Ending {
        status: TurnStatus::Interrupted,
        text: String::new(),
        error: None,
        exit_reason: exit_reason.to_owned(),
        reasoning: Answer {
            finish: Some("interrupted"),
            ..Answer::default()
        },
    }
}

fn model_failure(key: &str, exit_reason: &str, message: String, hint: &str, route: &ModelRoute) -> Ending {
    Ending {
        status: TurnStatus::Error,
        text: String::new(),
        error: Some(
            AppError::new(ErrorKind::Model, Layer::Model, key, message)
                .with_hint(hint)
                .with_value("model", route.model.clone()),
        ),
        exit_reason: exit_reason.to_owned(),
        reasoning: Answer::default(),
    }
}

pub(super) fn refused(route: &ModelRoute, completion: &Completion) -> Ending {
    let said = [completion.text.trim(), completion.reasoning.trim()]
        .into_iter()
        .find(|text| !text.is_empty());
    let message = match said {
        Some(said) => format!("{} refused: {}", route.model, crate::text::shorten(said, 300)),
        None => format!("{} refused to answer", route.model),
    };
    model_failure(
        "error.model.refused",
        "content_filter",
        message,
        "This is the model's or its provider's refusal. Put the request in other words, or choose another model.",
        route,
    )
}

pub(super) fn budget_spent_on_reasoning(route: &ModelRoute) -> Ending {
    model_failure(
        "error.model.reasoning_budget",
        "length_reasoning_only",
        format!(
            "{} used its whole output limit for reasoning and gave no answer",
            route.model
        ),
        "Lower the reasoning effort or raise model.max_tokens, then send the message again.",
        route,
    )
}

pub(super) fn calls_cut_off(route: &ModelRoute) -> Ending {
    model_failure(
        "error.model.calls_cut_off",
        "length_tool_calls",
        format!(
            "the answer of {} was cut off inside a tool call; nothing of it was run",
            route.model
        ),
        "Ask for smaller steps, or raise model.max_tokens.",
        route,
    )
}

pub(super) fn only_unknown_tools(route: &ModelRoute) -> Ending {
    model_failure(
        "error.model.unknown_tools",
        "unknown_tools",
        format!(
            "{} asked for tools that do not exist, {MAX_UNKNOWN_ROUNDS} times in a row",
            route.model
        ),
        "Choose a model that can use tools, or send the message again.",
        route,
    )
}

pub(super) fn boosted(current: Option<u32>, times: u32) -> u32 {
    let limit = CAP_LIMIT.max(current.unwrap_or(0));
    current
        .unwrap_or(CAP_BASE)
        .max(CAP_BASE)
        .saturating_mul(1 << times.min(4))
        .min(limit)
}

#[cfg(test)]
mod tests;
