//! A request that the scripted server got, with what tests want to know of it.

use crate::http::HttpRequest;
use bytes::Bytes;
use serde_json::Value;
use std::sync::OnceLock;
use std::time::Instant;

/// A request as it came over the wire.
#[derive(Clone, Debug)]
pub struct CapturedRequest {
    http: HttpRequest,
    /// Read when somebody asks: a bench must not time this server's own parsing.
    json: OnceLock<Value>,
    at: Instant,
}

impl CapturedRequest {
    pub(crate) fn new(http: HttpRequest) -> Self {
        Self {
            http,
            json: OnceLock::new(),
            at: Instant::now(),
        }
    }

    pub(crate) fn http(&self) -> &HttpRequest {
        &self.http
    }

    /// `POST`, `GET`.
    pub fn method(&self) -> &str {
        &self.http.method
    }

    /// Path with its query.
    pub fn path(&self) -> &str {
        &self.http.path
    }

    /// A header, its name in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.http.header(name)
    }

    /// When it had arrived in full.
    pub fn at(&self) -> Instant {
        self.at
    }

    /// The body byte by byte.
    pub fn raw_body(&self) -> &Bytes {
        &self.http.body
    }

    /// The body; null when it is no JSON.
    pub fn json(&self) -> &Value {
        self.json
            .get_or_init(|| serde_json::from_slice(&self.http.body).unwrap_or_default())
    }

    /// The model asked for.
    pub fn model(&self) -> &str {
        self.json()["model"].as_str().unwrap_or_default()
    }

    /// Whether the answer is to be streamed.
    pub fn streams(&self) -> bool {
        self.json()["stream"] == true
    }

    /// All messages, the system prompt included.
    pub fn messages(&self) -> &[Value] {
        self.json()["messages"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The system prompt, empty without one.
    pub fn system(&self) -> String {
        let first = self
            .messages()
            .first()
            .filter(|first| matches!(first["role"].as_str(), Some("system" | "developer")));
        first.map(|first| text(&first["content"])).unwrap_or_default()
    }

    /// The newest message of the person, empty without one.
    pub fn last_user(&self) -> String {
        let newest = self.messages().iter().rfind(|message| message["role"] == "user");
        newest.map(|message| text(&message["content"])).unwrap_or_default()
    }

    /// Contents of all tool results in order.
    pub fn tool_results(&self) -> Vec<String> {
        let results = self.messages().iter().filter(|message| message["role"] == "tool");
        results.map(|message| text(&message["content"])).collect()
    }

    /// Definitions of the tools on offer.
    pub fn tools(&self) -> &[Value] {
        self.json()["tools"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// Names of the tools on offer.
    pub fn tool_names(&self) -> Vec<&str> {
        self.tools()
            .iter()
            .filter_map(|tool| tool["function"]["name"].as_str())
            .collect()
    }
}

/// The text of a content, be it a string or parts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}
