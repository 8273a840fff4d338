//! `clarify`: a question to the person.

use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::{Value, json};
use talaria_protocol::{Question, ToolBody, ToolState, Verb};
use talaria_tools::{
    CallTitle, Intent, ParallelClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, register_tool,
};
use tokio_util::future::FutureExt as _;

const MOST_CHOICES: usize = 4;
const MAX_RESULT_CHARS: usize = 100_000;

/// Asks the person.
#[derive(Debug, Default)]
pub struct Clarify;

register_tool!(Clarify);

impl Tool for Clarify {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "clarify",
            toolset: "clarify",
            description: "Ask the person one question and wait for the answer. Use it when a choice is theirs or the task cannot be \
                understood without them; decide small things yourself. Offer up to four choices where there are some; the \
                person can always answer in their own words. An empty answer means that they dismissed the question or are not \
                there: go on with the most sensible choice and say which. Not for permission to run something; that is asked \
                by itself."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "question": { "type": "string", "description": "The question, complete in itself" },
                    "choices": {
                        "type": "array",
                        "description": "Answers to choose from; leave out for an open question",
                        "items": { "type": "string" },
                        "maxItems": MOST_CHOICES
                    }
                },
                "required": ["question"]
            }),
            max_result_chars: Some(MAX_RESULT_CHARS),
            parallel: ParallelClass::Barrier,
            has_effects: false,
        }
    }

    fn title(&self, args: &Value) -> CallTitle {
        let question = args.get("question").and_then(Value::as_str).unwrap_or_default();
        CallTitle {
            verb: Verb::Ask,
            target: question.trim().to_owned(),
        }
    }

    fn intent<'a>(&'a self, _cx: &'a ToolContext, args: &'a Value) -> BoxFuture<'a, Result<Intent, ToolError>> {
        Box::pin(async move { question(args).map(|_| Intent::Read) })
    }

    fn call<'a>(&'a self, cx: &'a ToolContext, args: &'a Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(ask(cx, args))
    }
}

#[derive(Serialize)]
struct Answered<'a> {
    question: &'a str,
    choices_offered: Option<&'a [String]>,
    user_response: &'a str,
}

async fn ask(cx: &ToolContext, args: &Value) -> Result<ToolOutput, ToolError> {
    let question = question(args)?;
    let asked = cx
        .host
        .clarify(&cx.call_id, question.clone())
        .with_cancellation_token(&cx.cancel)
        .await;
    let answer = asked.ok_or(ToolError::Cancelled { partial: None })?;
    let result = Answered {
        question: &question.question,
        choices_offered: (!question.choices.is_empty()).then_some(question.choices.as_slice()),
        user_response: answer.as_deref().unwrap_or_default(),
    };
    Ok(ToolOutput {
        // A struct of texts always serialises.
        result: serde_json::to_string(&result).unwrap_or_default(),
        note: Some(if answer.is_some() { "answered" } else { "no answer" }.to_owned()),
        body: ToolBody::Question { question, answer },
        state: ToolState::Done,
    })
}

fn question(args: &Value) -> Result<Question, ToolError> {
    let text = args.get("question").and_then(Value::as_str).unwrap_or_default().trim();
    if text.is_empty() {
        return Err(ToolError::Tell(
            "clarify needs `question`: what to ask the person.".to_owned(),
        ));
    }
    let offered = args
        .get("choices")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let choices = offered.iter().filter_map(choice).take(MOST_CHOICES).collect();
    // One question a call, so its id within the request is always the same.
    Ok(Question {
        qid: "q1".to_owned(),
        question: text.to_owned(),
        choices,
        multi: false,
    })
}

/// A choice as text. Models also send objects in the manner of a menu.
fn choice(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Object(fields) => {
            let named = |name| {
                fields
                    .get(name)
                    .and_then(Value::as_str)
                    .filter(|text| !text.trim().is_empty())
            };
            ["label", "description", "text", "title"]
                .into_iter()
                .find_map(named)?
                .to_owned()
        }
        Value::Array(_) | Value::Null => return None,
    };
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
