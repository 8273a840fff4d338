//! Finds servers on this machine, lists what a server offers, and tests a route leg by leg.

mod test_route;

pub use test_route::test_route;

use crate::client::SharedClient;
use crate::client::answer::{capped_body, headers, send_error, wrong_page};
use crate::client::classify::{FailedAnswer, classify};
use crate::error::ModelError;
use crate::profile::{PROFILES, Profile, ResolvedRoute, SecretLookup, profile, resolve};
use serde_json::Value;
use std::time::Duration;
use talaria_protocol::{DiscoveredServer, ModelInfo, ModelRoute, ModelSource};
use tokio::time::{Instant, timeout, timeout_at};

/// Time for the whole search.
const SEARCH_TIME: Duration = Duration::from_millis(300);
/// Time to list the models of one configured server.
const LIST_TIME: Duration = Duration::from_secs(15);
/// Models of one server that are listed at most.
const MAX_MODELS: usize = 2000;
const MAX_LIST_BODY: usize = 8 * 1024 * 1024;

/// A place where a local server may answer.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What is usually there.
    pub profile: &'static Profile,
    /// Where to ask.
    pub base_url: String,
}

/// The usual places on loopback.
pub fn usual_places() -> Vec<Candidate> {
    PROFILES
        .iter()
        .filter(|profile| profile.local_port.is_some())
        .filter_map(|profile| {
            Some(Candidate {
                profile,
                base_url: profile.base_url?.to_owned(),
            })
        })
        .collect()
}

/// Looks for servers at `places`, all at once and within 300 ms. Never fails: what does not answer is not there.
pub async fn discover(places: Vec<Candidate>, client: &SharedClient) -> Vec<(DiscoveredServer, Vec<ModelInfo>)> {
    let deadline = Instant::now() + SEARCH_TIME;
    let searches = places.into_iter().map(|place| async move {
        let models = timeout_at(deadline, look(&place, client)).await.ok().flatten();
        let server = DiscoveredServer {
            provider: place.profile.name.to_owned(),
            label: place.profile.label.to_owned(),
            base_url: place.base_url,
            found: models.is_some(),
            models: models
                .as_ref()
                .map_or(0, |models| u32::try_from(models.len()).unwrap_or(u32::MAX)),
        };
        (server, models.unwrap_or_default())
    });
    futures::future::join_all(searches).await
}

/// The models at a place, `None` if nothing answers there or something else does.
async fn look(place: &Candidate, client: &SharedClient) -> Option<Vec<ModelInfo>> {
    let differs = place.profile.base_url != Some(place.base_url.as_str());
    let route = ModelRoute {
        provider: place.profile.name.to_owned(),
        model: String::new(),
        base_url: differs.then(|| place.base_url.clone()),
        api_key_env: None,
    };
    let to = resolve(&route, &|_| None).ok()?;
    match fetch(&to, &to.url("/models"), client).await {
        Ok(list) => models_of(&list, &to, ModelSource::LocalServer),
        // Older Ollama knows its own list only.
        Err(ModelError::WrongProtocol { .. }) if place.profile.name == "ollama" => {
            let root = to.base.strip_suffix("/v1").unwrap_or(&to.base);
            let list = fetch(&to, &format!("{root}/api/tags"), client).await.ok()?;
            models_of(&list, &to, ModelSource::LocalServer)
        }
        // A server that wants a key is there all the same.
        Err(ModelError::Unauthorized { .. }) => Some(Vec::new()),
        Err(_) => None,
    }
}

/// Lists what the server of `route` offers. The route's own model is not needed.
///
/// # Errors
/// When the server cannot be reached, refuses, or sends no list.
pub async fn list_models(
    route: &ModelRoute,
    secrets: SecretLookup<'_>,
    client: &SharedClient,
) -> Result<Vec<ModelInfo>, ModelError> {
    let to = resolve(route, secrets)?;
    list_of(&to, client).await
}

pub(super) async fn list_of(to: &ResolvedRoute, client: &SharedClient) -> Result<Vec<ModelInfo>, ModelError> {
    let url = to.url("/models");
    let list = timeout(LIST_TIME, fetch(to, &url, client)).await.unwrap_or_else(|_| {
        Err(ModelError::Stale {
            host: to.host.clone(),
            silent: LIST_TIME,
        })
    })?;
    let source = if to.loopback {
        ModelSource::LocalServer
    } else {
        ModelSource::Configured
    };
    models_of(&list, to, source).ok_or_else(|| ModelError::WrongProtocol {
        url: to.base.clone(),
        detail: "/models gives no list of models".to_owned(),
    })
}

async fn fetch(to: &ResolvedRoute, url: &str, client: &SharedClient) -> Result<Value, ModelError> {
    let mut headers = headers(to);
    headers.remove(reqwest::header::CONTENT_TYPE);
    let mut response = client
        .http(to)?
        .get(url)
        .headers(headers)
        .send()
        .await
        .map_err(|error| send_error(to, error))?;
    let status = response.status();
    if !status.is_success() {
        let body = capped_body(response).await;
        let answer = FailedAnswer {
            status: status.as_u16(),
            retry_after: None,
            location: None,
            body: &body,
        };
        return Err(classify(answer, to));
    }
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(|error| send_error(to, error))? {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_LIST_BODY {
            let detail = "/models gives more than 8 MiB".to_owned();
            return Err(ModelError::WrongProtocol {
                url: to.base.clone(),
                detail,
            });
        }
    }
    serde_json::from_slice(&body).map_err(|_| wrong_page(to, &body))
}

/// The models in a list of OpenAI's or Ollama's form.
fn models_of(list: &Value, to: &ResolvedRoute, source: ModelSource) -> Option<Vec<ModelInfo>> {
    let models = match list {
        Value::Array(models) => models,
        _ => list.get("data").or_else(|| list.get("models"))?.as_array()?,
    };
    let label = profile(&to.route.provider).map_or("", |profile| profile.label);
    let known = models.iter().filter_map(|model| {
        let id = match model {
            Value::String(id) => id.as_str(),
            _ => model
                .get("id")
                .or_else(|| model.get("model"))
                .or_else(|| model.get("name"))?
                .as_str()?,
        };
        let name = model
            .get("name")
            .and_then(Value::as_str)
            .filter(|name| !name.is_empty());
        Some(ModelInfo {
            route: ModelRoute {
                model: id.to_owned(),
                ..to.route.clone()
            },
            label: name.unwrap_or(id).to_owned(),
            provider_label: label.to_owned(),
            source,
            context_length: context_length(model),
            tools: tools(model),
        })
    });
    Some(known.take(MAX_MODELS).collect())
}

/// The window under the names that servers give it. A loaded window beats what the model was trained for.
fn context_length(model: &Value) -> Option<u64> {
    const PLACES: [&str; 8] = [
        "/loaded_context_length",
        "/meta/n_ctx",
        "/max_model_len",
        "/context_length",
        "/context_window",
        "/max_context_length",
        "/top_provider/context_length",
        "/meta/n_ctx_train",
    ];
    PLACES
        .iter()
        .find_map(|place| model.pointer(place)?.as_u64().filter(|length| *length > 0))
}

fn tools(model: &Value) -> Option<bool> {
    let list = model
        .get("supported_parameters")
        .or_else(|| model.get("capabilities"))?
        .as_array()?;
    Some(
        list.iter()
            .filter_map(Value::as_str)
            .any(|name| matches!(name, "tools" | "tool_use" | "function_calling")),
    )
}

#[cfg(test)]
mod tests;
