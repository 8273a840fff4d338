//! What an HTTP answer that is no success means (agent.md 8.1). Pure.

use crate::error::ModelError;
use crate::profile::ResolvedRoute;
use serde_json::Value;
use std::time::Duration;

/// Longest text of a server that is passed on.
const MAX_DETAIL: usize = 400;

/// An answer with an error status.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FailedAnswer<'a> {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) location: Option<&'a str>,
    pub(crate) body: &'a [u8],
}

/// A request feature that a server does not know, and that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsupported {
    Streaming,
    StreamUsage,
    /// The other name of the output cap is wanted.
    CapKey,
}

const POLICY: &[&str] = &[
    "content_policy",
    "content policy",
    "content management policy",
    "content_filter",
    "responsible ai",
    "safety system",
    "flagged for",
    "violates our",
];
const OVERFLOW: &[&str] = &[
    "context_length_exceeded",
    "context length",
    "context window",
    "context size",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "exceeds the available context",
    "exceed_context_size",
    "too many tokens",
    "reduce the length",
    "token limit",
    "maximum prompt length",
];
const NO_MODEL: &[&str] = &[
    "model_not_found",
    "model not found",
    "no such model",
    "unknown model",
    "invalid model",
    "not a valid model",
    "try pulling it",
    "no endpoints found",
    "no models loaded",
    "failed to load model",
    "is not loaded",
    "model_not_loaded",
];
const BILLING: &[&str] = &[
    "insufficient_quota",
    "insufficient quota",
    "exceeded your current quota",
    "insufficient credit",
    "insufficient balance",
    "insufficient funds",
    "out of credits",
    "credit balance",
    "billing",
    "payment required",
    "requires more credits",
];
const OVERLOAD: &[&str] = &[
    "overload",
    "capacity",
    "service unavailable",
    "server is busy",
    "temporarily unavailable",
];
const RATE: &[&str] = &["rate limit", "rate_limit", "too many requests", "ratelimit", "throttl"];
const BAD_KEY: &[&str] = &[
    "invalid api key",
    "invalid_api_key",
    "incorrect api key",
    "api key not valid",
    "no auth credentials",
];
const VALIDATION: &[&str] = &[
    "invalid_request_error",
    "validation error",
    "invalid parameter",
    "unsupported parameter",
];

fn any(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| text.contains(phrase))
}

/// The failure behind `answer`.
pub(crate) fn classify(answer: FailedAnswer<'_>, to: &ResolvedRoute) -> ModelError {
    let text = String::from_utf8_lossy(answer.body);
    let said = Said::of(&text);
    let detail = to.tidy(&said.detail);
    let lower = said.lower.as_str();
    let host = to.host.clone();
    let url = to.base.clone();
    let status = answer.status;
    let overflow = |detail| ModelError::ContextOverflow {
        model: to.route.model.clone(),
        detail,
    };
    let unauthorized = |host, detail| ModelError::Unauthorized {
        host,
        key_env: to.key_env.clone(),
        detail,
    };
    let limited = |host, detail| ModelError::RateLimited {
        host,
        retry_after: answer.retry_after,
        detail,
    };
    let server = |host, detail| ModelError::Server {
        host,
        status,
        retry_after: answer.retry_after,
        detail,
    };
    if (400..500).contains(&status) && any(lower, POLICY) {
        return ModelError::Refused { host, detail };
    }
    match status {
        300..=399 => {
            let target = answer.location.unwrap_or("another address");
            ModelError::WrongProtocol {
                url,
                detail: to.tidy(&format!("it redirects to {target}")),
            }
        }
        401 => unauthorized(host, detail),
        403 if any(lower, BILLING) => ModelError::Billing { host, detail },
        403 => unauthorized(host, detail),
        402 if any(lower, RATE) || lower.contains("try again") => limited(host, detail),
        402 => ModelError::Billing { host, detail },
        413 => overflow(detail),
        429 if any(lower, BILLING) => ModelError::Billing { host, detail },
        429 if any(lower, OVERLOAD) => server(host, detail),
        429 => limited(host, detail),
        408 | 409 | 425 => server(host, detail),
        500.. if any(lower, OVERFLOW) => overflow(detail),
        500.. if any(lower, NO_MODEL) => ModelError::ModelNotFound {
            host,
            model: to.route.model.clone(),
            detail,
        },
        500.. if any(lower, VALIDATION) => ModelError::Rejected { host, status, detail },
        501 => ModelError::WrongProtocol {
            url,
            detail: format!("status 501, {detail}"),
        },
        500.. => server(host, detail),
        _ if said.is_model_missing() => ModelError::ModelNotFound {
            host,
            model: to.route.model.clone(),
            detail,
        },
        404 | 405 => ModelError::WrongProtocol {
            url,
            detail: format!("status {status}, {detail}"),
        },
        _ if any(lower, OVERFLOW) => overflow(detail),
        _ if any(lower, BAD_KEY) => unauthorized(host, detail),
        _ if any(lower, BILLING) => ModelError::Billing { host, detail },
        _ if any(lower, RATE) => limited(host, detail),
        _ if said.html => ModelError::WrongProtocol { url, detail },
        _ => ModelError::Rejected { host, status, detail },
    }
}

/// The failure behind an error that came inside an answer.
pub(crate) fn classify_reported(code: String, detail: String, to: &ResolvedRoute) -> ModelError {
    let detail = to.tidy(&detail);
    let lower = format!("{code} {detail}").to_lowercase();
    let host = to.host.clone();
    match () {
        () if any(&lower, OVERFLOW) => ModelError::ContextOverflow {
            model: to.route.model.clone(),
            detail,
        },
        () if any(&lower, POLICY) => ModelError::Refused { host, detail },
        () if any(&lower, BILLING) => ModelError::Billing { host, detail },
        () if any(&lower, BAD_KEY) || code == "401" => ModelError::Unauthorized {
            host,
            key_env: to.key_env.clone(),
            detail,
        },
        () if any(&lower, NO_MODEL) => ModelError::ModelNotFound {
            host,
            model: to.route.model.clone(),
            detail,
        },
        () if any(&lower, RATE) || code == "429" => ModelError::RateLimited {
            host,
            retry_after: None,
            detail,
        },
        () => ModelError::StreamError {
            host,
            code: to.tidy(&code),
            detail,
        },
    }
}

/// The feature that the server objects to, if it says so.
pub(crate) fn unsupported(status: u16, body: &[u8]) -> Option<Unsupported> {
    if !matches!(status, 400 | 404 | 405 | 422 | 501) {
        return None;
    }
    let lower = Said::of(&String::from_utf8_lossy(body)).lower;
    let objects = any(
        &lower,
        &[
            "not support",
            "unsupported",
            "not allowed",
            "not permitted",
            "unrecognized",
            "unknown",
            "extra inputs",
            "instead",
        ],
    );
    match () {
        () if !objects => None,
        () if lower.contains("stream_options") || lower.contains("include_usage") => Some(Unsupported::StreamUsage),
        () if lower.contains("max_completion_tokens") || lower.contains("max_tokens") => Some(Unsupported::CapKey),
        () if lower.replace("upstream", "").contains("stream") => Some(Unsupported::Streaming),
        () => None,
    }
}

/// What a server says in an error body, of whatever form.
struct Said {
    detail: String,
    lower: String,
    html: bool,
}

impl Said {
    fn of(text: &str) -> Self {
        let trimmed = text.trim_start_matches('\u{feff}').trim();
        if trimmed.starts_with('<') {
            let title = html_title(trimmed).map_or_else(
                || "a web page".to_owned(),
                |title| format!("a web page titled {title:?}"),
            );
            return Self {
                lower: title.to_lowercase(),
                detail: title,
                html: true,
            };
        }
        let (code, message) = match serde_json::from_str::<Value>(trimmed) {
            Ok(value) => fields(&value),
            Err(_) => (String::new(), trimmed.to_owned()),
        };
        let detail = match (message.is_empty(), code.is_empty()) {
            (false, _) => message,
            (true, false) => code.clone(),
            (true, true) => "no details".to_owned(),
        };
        Self {
            lower: format!("{code} {detail}").to_lowercase(),
            detail,
            html: false,
        }
    }

    fn is_model_missing(&self) -> bool {
        any(&self.lower, NO_MODEL)
            || (self.lower.contains("model") && (any(&self.lower, &["does not exist", "not found", "not available"])))
    }
}

/// Code and message in the error forms of common servers.
fn fields(value: &Value) -> (String, String) {
    let Value::Object(outer) = value else {
        return match value {
            Value::Array(list) => list.first().map(fields).unwrap_or_default(),
            Value::String(text) => (String::new(), text.clone()),
            _ => Default::default(),
        };
    };
    let inner = match outer.get("error") {
        Some(Value::Object(inner)) => inner,
        Some(Value::String(text)) => return (word(outer.get("code")), text.clone()),
        _ => outer,
    };
    let code = [inner.get("code"), inner.get("type")].map(word).join(" ");
    let mut message = [inner.get("message"), inner.get("detail"), inner.get("msg")]
        .into_iter()
        .flatten()
        .map(sentence)
        .find(|text| !text.is_empty())
        .unwrap_or_default();
    if let Some(raw) = inner
        .get("metadata")
        .and_then(|metadata| metadata.get("raw"))
        .map(sentence)
    {
        message = format!("{message}: {raw}");
    }
    (code.trim().to_owned(), message)
}

fn word(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

fn sentence(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        // FastAPI lists what is wrong with each field.
        Value::Array(list) => {
            let one = |item: &Value| item.get("msg").map_or_else(|| item.to_string(), sentence);
            list.iter().map(one).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

/// Title of a web page, for the message that names what came instead of an answer.
pub(crate) fn html_title(page: &str) -> Option<String> {
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title")?;
    let start = start + lower[start..].find('>')? + 1;
    let end = start + lower[start..].find('<')?;
    let title = page[start..end].split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then_some(title)
}

impl ResolvedRoute {
    /// A server's text on one line, short, and without our key in it.
    pub(crate) fn tidy(&self, text: &str) -> String {
        let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(key) = self.key.as_deref().filter(|key| key.len() >= 4) {
            line = line.replace(key, "[key]");
        }
        if let Some((at, _)) = line.char_indices().nth(MAX_DETAIL) {
            line.truncate(at);
            line.push('…');
        }
        line
    }
}

#[cfg(test)]
mod tests;
