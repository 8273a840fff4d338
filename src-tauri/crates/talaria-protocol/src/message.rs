//! The internal message format: the Chat Completions dictionary plus what only we need (agent.md 2).

use crate::ids::CallId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions to the model.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

impl Role {
    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }
}

/// Content of a message: plain text or a list of parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// Text and images in order.
    Parts(Vec<ContentPart>),
}

impl Content {
    /// All text of the content; images give nothing.
    pub fn text(&self) -> String {
        match self {
            Content::Text(text) => text.clone(),
            Content::Parts(parts) => parts
                .iter()
                .filter_map(|part| match part {
                    ContentPart::Text { text } => Some(text.as_str()),
                    ContentPart::ImageUrl { .. } => None,
                })
                .collect::<Vec<_>>()
                .join("\n"),
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Content::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Content::Text(text)
    }
}

/// One part of a multi-part content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentPart {
    /// Text.
    #[serde(alias = "input_text")]
    Text {
        /// The text.
        text: String,
    },
    /// An image by URL or data URL.
    #[serde(alias = "input_image")]
    ImageUrl {
        /// Where the image is.
        image_url: ImageUrl,
    },
}

/// Address of an image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ImageUrl {
    /// `https:` or `data:` URL.
    pub url: String,
    /// Resolution hint of the provider, passed through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// A call that the model asks for. `arguments` is JSON text as the model wrote it (after repair: valid JSON).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ToolCall {
    /// Id that the result must name.
    pub id: CallId,
    /// Name of the tool.
    pub name: String,
    /// JSON text.
    pub arguments: String,
}

/// Whether a call that did not end normally may have done something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum EffectDisposition {
    /// It did not run.
    None,
    /// It may have run in part or whole.
    Unknown,
}

/// One message of a conversation as the runtime keeps it. What is sent to a provider is derived from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said; `None` on an assistant turn that only calls tools.
    pub content: Option<Content>,
    /// Calls of an assistant turn; empty otherwise.
    #[serde(default)]
    pub tool_calls: Vec<ToolCall>,
    /// On a tool message: the call it answers.
    #[serde(default)]
    pub tool_call_id: Option<CallId>,
    /// On a tool message: the tool's name.
    #[serde(default)]
    pub tool_name: Option<String>,
    /// Reasoning for display; never sent.
    #[serde(default)]
    pub reasoning: Option<String>,
    /// Reasoning that some providers want back; an empty text is meaningful.
    #[serde(default)]
    pub reasoning_content: Option<String>,
    /// Opaque reasoning blocks that some providers want back.
    #[serde(default)]
    pub reasoning_details: Option<Value>,
    /// Normalised reason for the end of an assistant turn.
    #[serde(default)]
    pub finish_reason: Option<String>,
    /// On a recovered or cancelled result: whether the call may have had effects.
    #[serde(default)]
    pub effect_disposition: Option<EffectDisposition>,
    /// UNIX seconds.
    #[serde(default)]
    pub timestamp: f64,
    /// Exact text that was sent instead of `content`, replayed so that the provider's prefix stays the same.
    #[serde(default)]
    pub api_content: Option<String>,
}

impl Message {
    /// A message with text content and nothing else.
    pub fn text(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: Some(Content::Text(content.into())),
            tool_calls: Vec::new(),
            tool_call_id: None,
            tool_name: None,
            reasoning: None,
            reasoning_content: None,
            reasoning_details: None,
            finish_reason: None,
            effect_disposition: None,
            timestamp: 0.0,
            api_content: None,
        }
    }

    /// What the person said.
    pub fn user(content: impl Into<String>) -> Self {
        Self::text(Role::User, content)
    }

    /// An answer of the model without calls.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::text(Role::Assistant, content)
    }

    /// An assistant turn that calls tools, with no text.
    pub fn calls(tool_calls: Vec<ToolCall>) -> Self {
        Self {
            content: None,
            tool_calls,
            ..Self::text(Role::Assistant, "")
        }
    }

    /// The result of a call.
    pub fn tool(call: &ToolCall, result: impl Into<String>) -> Self {
        Self {
            tool_call_id: Some(call.id.clone()),
            tool_name: Some(call.name.clone()),
            ..Self::text(Role::Tool, result)
        }
    }

    /// All text of the content, empty if there is none.
    pub fn content_text(&self) -> String {
        self.content.as_ref().map(Content::text).unwrap_or_default()
    }
}
