//! The failure as a person reads it: what failed, which layer, and the way out.

use super::ModelError;
use crate::profile::profile_of_host;
use talaria_protocol::{AppError, ErrorKind, Layer};

impl ModelError {
    /// The failure as shown to a person: the failing layer and the way out.
    pub fn to_app_error(&self) -> AppError {
        let (kind, layer, key) = self.place();
        let mut error = AppError::new(kind, layer, key, self.sentence());
        for (name, value) in self.values() {
            error = error.with_value(name, value);
        }
        if let Some(hint) = self.hint() {
            error = error.with_hint(hint);
        }
        if self.retryable() { error.retryable() } else { error }
    }

    fn place(&self) -> (ErrorKind, Layer, &'static str) {
        use ErrorKind::{Auth, Cancelled, Model};
        match self {
            ModelError::Cancelled => (Cancelled, Layer::Runtime, "error.model.cancelled"),
            ModelError::NoKey { .. } => (Auth, Layer::Auth, "error.model.no_key"),
            ModelError::BadRoute { .. } => (ErrorKind::Config, Layer::Endpoint, "error.model.route"),
            ModelError::Unauthorized { .. } => (Auth, Layer::Auth, "error.model.auth"),
            ModelError::Billing { .. } => (Model, Layer::Billing, "error.model.billing"),
            ModelError::RateLimited { .. } => (Model, Layer::Model, "error.model.rate_limited"),
            ModelError::Server {
                status: 502 | 504 | 520..=527,
                ..
            } => (Model, Layer::Gateway, "error.model.gateway"),
            ModelError::Server { .. } => (Model, Layer::Model, "error.model.server"),
            ModelError::Unreachable { certificate: true, .. } => (Model, Layer::Endpoint, "error.model.certificate"),
            ModelError::Unreachable { .. } => (Model, Layer::Endpoint, "error.model.unreachable"),
            ModelError::WrongProtocol { .. } => (Model, Layer::Endpoint, "error.model.protocol"),
            ModelError::ModelNotFound { .. } => (Model, Layer::Model, "error.model.not_found"),
            ModelError::ContextOverflow { .. } => (Model, Layer::Model, "error.model.overflow"),
            ModelError::Refused { .. } => (Model, Layer::Model, "error.model.refused"),
            ModelError::Rejected { .. } => (Model, Layer::Model, "error.model.rejected"),
            ModelError::StreamError { .. } => (Model, Layer::Stream, "error.model.stream"),
            ModelError::Interrupted { .. } => (Model, Layer::Stream, "error.model.interrupted"),
            ModelError::Stale { .. } => (Model, Layer::Stream, "error.model.stale"),
            ModelError::Empty { .. } => (Model, Layer::Model, "error.model.empty"),
        }
    }

    /// The sentence, with what the server said where that is not in it yet.
    fn sentence(&self) -> String {
        let mut sentence = match self {
            ModelError::Stale { host, silent } => {
                format!("{host} sent nothing for {} seconds", silent.as_secs())
            }
            ModelError::RateLimited { host, .. } => {
                format!("{host} limits how often it may be asked")
            }
            other => other.to_string(),
        };
        let detail = match self {
            ModelError::Unauthorized { detail, .. }
            | ModelError::Billing { detail, .. }
            | ModelError::RateLimited { detail, .. }
            | ModelError::Server { detail, .. }
            | ModelError::ModelNotFound { detail, .. }
            | ModelError::ContextOverflow { detail, .. }
            | ModelError::Refused { detail, .. }
            | ModelError::Rejected { detail, .. }
            | ModelError::Interrupted { detail, .. } => detail.as_str(),
            _ => "",
        };
        if !detail.is_empty() {
            sentence.push_str(": ");
            sentence.push_str(detail);
        }
        let mut letters = sentence.chars();
        match letters.next() {
            // A host or an address keeps its spelling.
            Some(first) if sentence.starts_with("the ") || sentence.starts_with("there ") => {
                first.to_uppercase().chain(letters).collect()
            }
            _ => sentence,
        }
    }

    fn values(&self) -> Vec<(&'static str, String)> {
        let mut values = Vec::new();
        let mut add = |name: &'static str, value: &str| values.push((name, value.to_owned()));
        match self {
            ModelError::Cancelled => {}
            ModelError::NoKey { host, key_env } => {
                add("host", host);
                add("variable", key_env.as_deref().unwrap_or_default());
            }
            ModelError::BadRoute { detail } => add("detail", detail),
            ModelError::Unauthorized { host, key_env, detail } => {
                add("host", host);
                add("variable", key_env.as_deref().unwrap_or_default());
                add("detail", detail);
            }
            ModelError::RateLimited {
                host,
                retry_after,
                detail,
            } => {
                add("host", host);
                add(
                    "seconds",
                    &retry_after.map(|wait| wait.as_secs().to_string()).unwrap_or_default(),
                );
                add("detail", detail);
            }
            ModelError::Server {
                host, status, detail, ..
            }
            | ModelError::Rejected { host, status, detail } => {
                add("host", host);
                add("status", &status.to_string());
                add("detail", detail);
            }
            ModelError::Unreachable { url, detail, .. } | ModelError::WrongProtocol { url, detail } => {
                add("url", url);
                add("detail", detail);
            }
            ModelError::ModelNotFound { host, model, detail } => {
                add("host", host);
                add("model", model);
                add("detail", detail);
            }
            ModelError::ContextOverflow { model, detail } => {
                add("model", model);
                add("detail", detail);
            }
            ModelError::StreamError { host, code, detail } => {
                add("host", host);
                add("code", code);
                add("detail", detail);
            }
            ModelError::Billing { host, detail }
            | ModelError::Refused { host, detail }
            | ModelError::Interrupted { host, detail } => {
                add("host", host);
                add("detail", detail);
            }
            ModelError::Stale { host, silent } => {
                add("host", host);
                add("seconds", &silent.as_secs().to_string());
            }
            ModelError::Empty { host } => add("host", host),
        }
        values
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            ModelError::Cancelled => return None,
            ModelError::NoKey { key_env: Some(name), .. } => {
                format!("Set {name} in the environment or add the key in Settings, Models.")
            }
            ModelError::NoKey { key_env: None, .. } => "Add a key in Settings, Models.".to_owned(),
            ModelError::BadRoute { .. } => "Correct the provider or the base URL in Settings, Models.".to_owned(),
            ModelError::Unauthorized { key_env: Some(name), .. } => {
                format!("Check the key in {name}: it may be mistyped, expired or without the right for this model.")
            }
            ModelError::Unauthorized { key_env: None, .. } => {
                "The server wants a key. Name the variable that holds it with api_key_env, or --api-key-env.".to_owned()
            }
            ModelError::Billing { .. } => "Add credit with the provider, or choose another model.".to_owned(),
            ModelError::RateLimited { retry_after: Some(wait), .. } => {
                format!("Try again in {} seconds, or choose another model.", wait.as_secs().max(1))
            }
            ModelError::RateLimited { .. } => "Try again in a minute, or choose another model.".to_owned(),
            ModelError::Server { .. } => {
                "Try again in a moment. If it stays, look at the server's status page or log.".to_owned()
            }
            ModelError::Unreachable { certificate: true, .. } => {
                "The certificate is not trusted. Add its authority to the system's certificates, or correct the address."
                    .to_owned()
            }
            ModelError::Unreachable { url, .. } => match local_server(url).and_then(|profile| profile.start_hint) {
                Some(start) => format!("{start} If it runs elsewhere, correct the base URL."),
                None => "Check the address, the network and the proxy settings.".to_owned(),
            },
            ModelError::WrongProtocol { .. } => {
                "Check the base URL: it must be the one that /chat/completions belongs to, and usually ends in /v1."
                    .to_owned()
            }
            ModelError::ModelNotFound { host, model, .. } => {
                match profile_of_host(host).and_then(|profile| profile.model_hint) {
                    Some(hint) => hint.replace("{model}", model),
                    None => "Check the spelling, or choose one of the models that the server lists.".to_owned(),
                }
            }
            ModelError::ContextOverflow { .. } => {
                "Start a new session, or choose a model with a larger window.".to_owned()
            }
            ModelError::Refused { .. } => "Rephrase the request, or choose another model.".to_owned(),
            ModelError::Rejected { detail, .. } if detail.to_ascii_lowercase().contains("tool") => {
                "The model may not support tools. Choose one that does.".to_owned()
            }
            ModelError::Rejected { .. } => "Choose another model, or check what the server says.".to_owned(),
            ModelError::StreamError { .. } | ModelError::Interrupted { .. } => {
                "Try again. If it stays, look at the server's log or the network.".to_owned()
            }
            ModelError::Stale { .. } => {
                "The server or the network may be stuck. Try again, or choose another model.".to_owned()
            }
            ModelError::Empty { .. } => "Try again, or choose another model.".to_owned(),
        };
        Some(hint)
    }
}

fn local_server(url: &str) -> Option<&'static crate::profile::Profile> {
    let rest = url.split_once("://")?.1;
    profile_of_host(rest.split('/').next()?)
}
