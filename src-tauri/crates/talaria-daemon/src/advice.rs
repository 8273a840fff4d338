//! Ways out in the words of the command line: errors of the runtime speak of a window's settings.

use std::time::Duration;
use talaria_protocol::{AppError, ErrorKind, Methods, ModelInfo, ModelListParams, ModelSource, SessionId};
use talaria_runtime::LocalClient;

/// Longest look for models that could be used instead.
const LOOK: Duration = Duration::from_millis(1_500);
/// Most of them that are named.
const NAMED: usize = 5;

/// The error with a hint that names options and commands of this program.
pub fn advise(mut error: AppError, session: Option<&SessionId>) -> AppError {
    let hint = match error.key.as_str() {
        "error.model.no_key" => match error.values.get("variable").filter(|name| !name.is_empty()) {
            Some(name) => {
                format!("Set {name} in the environment, or name the variable that holds the key with --api-key-env.")
            }
            None => "Name the variable that holds the key with --api-key-env.".to_owned(),
        },
        "error.model.route" => "Name the server with --base-url and the model with --model.".to_owned(),
        "error.turn.limit" => match session {
            Some(id) => format!(
                "Go on with: talariad run --session {id} \"go on\". A larger --max-iterations allows more steps."
            ),
            None => return error,
        },
        "error.config" => "Correct it there, then try again.".to_owned(),
        "error.not_found" if error.values.contains_key("session") => {
            "See which there are with: talariad sessions list".to_owned()
        }
        _ => return error,
    };
    error.hint = Some(hint);
    error
}

/// That no model is configured, with those that could be used now.
pub async fn no_model(client: &LocalClient, message: impl Into<String>) -> AppError {
    let found = look(client).await;
    let mut hint = String::from(
        "Name a server and a model: --base-url http://127.0.0.1:11434/v1 --model NAME (with --api-key-env VAR where a key is \
         needed), or see how it works with --model demo.",
    );
    let usable: Vec<String> = found
        .iter()
        .filter(|info| info.source != ModelSource::Demo)
        .map(named)
        .collect();
    if !usable.is_empty() {
        hint.push_str(" Found now: ");
        hint.push_str(&usable[..usable.len().min(NAMED)].join(", "));
        match usable.len().checked_sub(NAMED) {
            Some(more @ 1..) => hint.push_str(&format!(" and {more} more.")),
            _ => hint.push('.'),
        }
    }
    AppError::new(
        ErrorKind::NoModel,
        talaria_protocol::Layer::Model,
        "error.no_model",
        message,
    )
    .with_hint(hint)
}

fn named(info: &ModelInfo) -> String {
    format!("--model {} ({})", info.route.model, info.provider_label)
}

/// Models that answer now.
pub async fn look(client: &LocalClient) -> Vec<ModelInfo> {
    let list = client
        .runtime()
        .model_list(client.id(), ModelListParams { refresh: false });
    match tokio::time::timeout(LOOK, list).await {
        Ok(Ok(reply)) => reply.models,
        Ok(Err(_)) | Err(_) => Vec::new(),
    }
}
