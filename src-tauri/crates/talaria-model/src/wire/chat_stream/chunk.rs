//! The chunk as it stands on the wire. Text borrows from the event.

use crate::wire::loose::{Loose, lenient};
use serde::Deserialize;
use serde_json::Value;
use talaria_protocol::Usage;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(super) choices: Option<Vec<ChoiceWire<'a>>>,
    #[serde(borrow, default)]
    pub(super) usage: Option<Box<UsageWire<'a>>>,
    #[serde(borrow, default)]
    pub(super) model: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) error: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) object: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) code: Loose<'a>,
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) message: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) detail: Loose<'a>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ChoiceWire<'a> {
    #[serde(borrow, default)]
    pub(super) index: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) delta: Option<DeltaWire<'a>>,
    #[serde(borrow, default)]
    pub(super) message: Option<Box<DeltaWire<'a>>>,
    #[serde(borrow, default)]
    pub(super) text: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) usage: Option<Box<UsageWire<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct DeltaWire<'a> {
    #[serde(borrow, default)]
    pub(super) content: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning_details: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) refusal: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) tool_calls: Option<Vec<CallWire<'a>>>,
    #[serde(borrow, default)]
    pub(super) function_call: Option<Box<FunctionWire<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct CallWire<'a> {
    #[serde(borrow, default)]
    pub(super) index: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) id: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) function: Option<FunctionWire<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct FunctionWire<'a> {
    #[serde(borrow, default)]
    pub(super) name: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) arguments: Loose<'a>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct UsageWire<'a> {
    #[serde(borrow, default)]
    prompt_tokens: Loose<'a>,
    #[serde(borrow, default)]
    completion_tokens: Loose<'a>,
    // Not aliases: some servers send both names, which would be a duplicate field.
    #[serde(borrow, default)]
    input_tokens: Loose<'a>,
    #[serde(borrow, default)]
    output_tokens: Loose<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    prompt_tokens_details: Details<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    completion_tokens_details: Details<'a>,
    #[serde(borrow, default)]
    cache_read_input_tokens: Loose<'a>,
    #[serde(borrow, default)]
    cache_creation_input_tokens: Loose<'a>,
    #[serde(borrow, default)]
    prompt_cache_hit_tokens: Loose<'a>,
}

#[derive(Debug, Default, Deserialize)]
struct Details<'a> {
    #[serde(borrow, default)]
    cached_tokens: Loose<'a>,
    #[serde(borrow, default)]
    cache_write_tokens: Loose<'a>,
    #[serde(borrow, default)]
    reasoning_tokens: Loose<'a>,
}

impl UsageWire<'_> {
    /// The tokens in our buckets; `None` when the server counted nothing.
    pub(super) fn tokens(&self) -> Option<Usage> {
        let prompt = self.prompt_tokens.number().or(self.input_tokens.number());
        let output = self.completion_tokens.number().or(self.output_tokens.number());
        if prompt.is_none() && output.is_none() {
            return None;
        }
        let prompt = prompt.unwrap_or(0);
        let first = |fields: [&Loose<'_>; 3]| fields.into_iter().find_map(Loose::number).unwrap_or(0);
        let read = first([
            &self.prompt_tokens_details.cached_tokens,
            &self.cache_read_input_tokens,
            &self.prompt_cache_hit_tokens,
        ])
        .min(prompt);
        let write = first([
            &self.prompt_tokens_details.cache_write_tokens,
            &self.cache_creation_input_tokens,
            &Loose::Null,
        ])
        .min(prompt - read);
        Some(Usage {
            input_tokens: prompt - read - write,
            output_tokens: output.unwrap_or(0),
            cache_read_tokens: read,
            cache_write_tokens: write,
            reasoning_tokens: self.completion_tokens_details.reasoning_tokens.number().unwrap_or(0),
            api_calls: 1,
            last_prompt_tokens: prompt,
        })
    }
}

/// Code and text of an error object.
pub(super) struct ErrorFields {
    pub(super) code: String,
    pub(super) detail: String,
}

impl ErrorFields {
    pub(super) fn of(error: &Loose<'_>) -> Self {
        match error {
            Loose::Other(value) if value.is_object() => {
                let object: &Value = value;
                let field = |key: &str| object.get(key).and_then(scalar);
                let code = field("code").or_else(|| field("type")).or_else(|| field("status"));
                let raw = object
                    .get("metadata")
                    .and_then(|metadata| metadata.get("raw"))
                    .and_then(scalar);
                let message = field("message").or_else(|| field("detail"));
                let detail = match (message, raw) {
                    (Some(message), Some(raw)) => format!("{message}: {raw}"),
                    (Some(text), None) | (None, Some(text)) => text,
                    (None, None) => object.to_string(),
                };
                Self {
                    code: code.unwrap_or_else(|| "error".to_owned()),
                    detail,
                }
            }
            other => Self {
                code: "error".to_owned(),
                detail: other
                    .ident()
                    .map_or_else(|| "no details".to_owned(), |text| text.into_owned()),
            },
        }
    }

    pub(super) fn of_top(chunk: &Chunk<'_>) -> Self {
        let text = |field: &Loose<'_>| field.ident().map(|text| text.into_owned());
        let kind = text(&chunk.kind).filter(|kind| kind != "error");
        let detail = text(&chunk.message)
            .or_else(|| text(&chunk.detail))
            .or_else(|| match &chunk.detail {
                Loose::Other(value) => Some(value.to_string()),
                _ => None,
            });
        Self {
            code: text(&chunk.code).or(kind).unwrap_or_else(|| "error".to_owned()),
            detail: detail.unwrap_or_else(|| "no details".to_owned()),
        }
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
