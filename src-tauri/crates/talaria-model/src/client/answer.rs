//! Requests' headers, and what comes back: its form, its errors.

use super::error_chain;
use crate::client::classify::html_title;
use crate::error::ModelError;
use crate::profile::ResolvedRoute;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use std::time::Duration;

const MAX_ERROR_BODY: usize = 64 * 1024;
const ERROR_BODY_TIME: Duration = Duration::from_secs(10);

/// What a body turns out to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Unknown,
    Events,
    Whole,
    Page,
}

impl Form {
    /// Tells by the first bytes, since a content type says little: plain answers and errors come under the name of event
    /// streams and the other way round. `declared` is what the server called it.
    pub(super) fn of_start(start: &[u8], declared: &HeaderMap) -> Self {
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
        let fields: [&[u8]; 5] = [b":", b"data", b"event", b"id", b"retry"];
        match start.first() {
            None => Form::Unknown,
            Some(b'{') => Form::Whole,
            Some(b'<') => Form::Page,
            Some(_) if fields.iter().any(|field| start.starts_with(field)) => Form::Events,
            Some(_) if fields.iter().any(|field| field.starts_with(start)) => Form::Unknown,
            Some(_) if declared_events(declared) => Form::Events,
            Some(_) => Form::Page,
        }
    }
}

fn declared_events(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

pub(crate) fn headers(route: &ResolvedRoute) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    for (name, value) in route.profile.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some(key) = &route.key
        && let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {key}"))
    {
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    headers
}

/// Why a request did not get an answer.
pub(crate) fn send_error(route: &ResolvedRoute, error: reqwest::Error) -> ModelError {
    let unreachable = error.is_connect() || error.is_timeout();
    let text = error_chain(&error.without_url());
    if text.contains("invalid HTTP") {
        let detail = "what answers there does not speak HTTP".to_owned();
        return ModelError::WrongProtocol {
            url: route.base.clone(),
            detail,
        };
    }
    if !unreachable {
        return ModelError::Interrupted {
            host: route.host.clone(),
            detail: route.tidy(&text),
        };
    }
    let lower = text.to_lowercase();
    let certificate = lower.contains("certificate") || lower.contains("unknownissuer");
    let detail = match () {
        () if certificate => route.tidy(&text),
        () if lower.contains("refused") => "nothing listens there (connection refused)".to_owned(),
        () if lower.contains("timed out") || lower.contains("timeout") => "it did not answer in time".to_owned(),
        () if lower.contains("dns") || lower.contains("lookup") => {
            format!("the name {} is not known", route.host)
        }
        () if lower.contains("corrupt message") => "it does not speak TLS; http:// may be meant".to_owned(),
        () => route.tidy(&text),
    };
    ModelError::Unreachable {
        url: route.base.clone(),
        detail,
        certificate,
    }
}

/// A success status with something else than an answer in it.
pub(crate) fn wrong_page(route: &ResolvedRoute, start: &[u8]) -> ModelError {
    let text = String::from_utf8_lossy(&start[..start.len().min(4096)]);
    let detail = match (html_title(&text), text.trim_start().starts_with('<')) {
        (Some(title), _) => format!("it sent a web page titled {title:?}"),
        (None, true) => "it sent a web page".to_owned(),
        (None, false) => {
            let words: String = text.chars().take(80).collect();
            format!("it sent {:?}", words.trim())
        }
    };
    ModelError::WrongProtocol {
        url: route.base.clone(),
        detail: route.tidy(&detail),
    }
}

pub(crate) async fn capped_body(mut response: reqwest::Response) -> Vec<u8> {
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(bytes)) = response.chunk().await {
            let room = MAX_ERROR_BODY.saturating_sub(body.len());
            body.extend_from_slice(&bytes[..bytes.len().min(room)]);
            if room == 0 {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(ERROR_BODY_TIME, read).await;
    body
}
