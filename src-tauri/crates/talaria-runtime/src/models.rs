//! Models of this runtime: routes to transports, and what can be chosen now.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use talaria_agent::ModelSource;
use talaria_config::{Config, Secrets, Settings};
use talaria_model::{
    DemoModel, ModelTransport, PROFILES, SharedClient, discover, list_models, open_route, test_route, usual_places,
};
use talaria_protocol::{
    AppError, DiscoveredServer, ModelInfo, ModelListReply, ModelRoute, ModelSource as Origin, ModelTestReply,
};
use tokio_util::sync::CancellationToken;

/// How long what was found on loopback counts.
const FOUND_FOR: Duration = Duration::from_secs(30);
/// How long a vendor's list of models counts.
const VENDOR_LIST_FOR: Duration = Duration::from_secs(600);
/// How long a vendor has to give its list.
const VENDOR_LIMIT: Duration = Duration::from_secs(4);
/// Begins the name of a key that stands in the settings themselves.
const KEY_IN_SETTINGS: &str = "settings:";

type LocalModels = Vec<(DiscoveredServer, Vec<ModelInfo>)>;

/// Provider of the built-in scripted model.
pub(crate) const DEMO: &str = "demo";

/// Opens models and remembers what was opened, so that all turns of a route share one connection.
pub(crate) struct Models {
    client: SharedClient,
    secrets: Secrets,
    samples: PathBuf,
    open: Mutex<HashMap<ModelRoute, Arc<dyn ModelTransport>>>,
    found: tokio::sync::Mutex<Option<(Instant, LocalModels)>>,
    vendors: tokio::sync::Mutex<HashMap<&'static str, (Instant, Vec<ModelInfo>)>>,
    settings: Settings,
}

/// The route of the demo.
pub(crate) fn demo_route() -> ModelRoute {
    ModelRoute {
        provider: DEMO.to_owned(),
        model: DEMO.to_owned(),
        base_url: None,
        api_key_env: None,
    }
}

/// Lets the agent open models that the runtime goes on using.
pub(crate) struct SharedModels(pub Arc<Models>);

impl ModelSource for SharedModels {
    fn open(&self, route: &ModelRoute) -> Result<Arc<dyn ModelTransport>, AppError> {
        let mut open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(transport) = open.get(route) {
            return Ok(Arc::clone(transport));
        }
        let transport: Arc<dyn ModelTransport> = match route.provider.as_str() {
            DEMO => Arc::new(DemoModel::new()),
            _ => {
                let lookup = |name: &str| self.0.secret(name);
                open_route(route, &lookup, &self.0.client).map_err(|error| error.to_app_error())?
            }
        };
        open.insert(route.clone(), Arc::clone(&transport));
        Ok(transport)
    }
}

impl Models {
    pub(crate) fn new(secrets: Secrets, settings: Settings, samples: PathBuf) -> Self {
        Self {
            client: SharedClient::new(),
            secrets,
            samples,
            open: Mutex::default(),
            found: tokio::sync::Mutex::default(),
            vendors: tokio::sync::Mutex::default(),
            settings,
        }
    }

    fn secret(&self, name: &str) -> Option<String> {
        if let Some(provider) = name.strip_prefix(KEY_IN_SETTINGS) {
            let config = self.settings.config();
            let custom = config.custom_providers.iter().find(|custom| custom.name == provider)?;
            return custom.api_key.as_ref().map(|key| key.expose().to_owned());
        }
        self.secrets.get(name).map(|secret| secret.expose().to_owned())
    }

    /// Folder for sample projects of the demo.
    pub(crate) fn samples(&self) -> &std::path::Path {
        &self.samples
    }

    /// Forgets opened routes: a key or an address may have changed.
    pub(crate) fn forget(&self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// What can be chosen now. Looks for local servers when that was not done lately, at most 300 ms long.
    pub(crate) async fn list(&self, config: &Config, refresh: bool) -> ModelListReply {
        let default_model = crate::settings::default_model(config);
        let mut models = Vec::new();
        if let Some(route) = &default_model {
            models.push(info(route.clone(), Origin::Configured, config.model.context_length));
        }
        for custom in &config.custom_providers {
            for model in &custom.models {
                let route = ModelRoute {
                    provider: "custom".to_owned(),
                    model: model.clone(),
                    base_url: Some(custom.base_url.clone()),
                    api_key_env: custom.api_key_env.clone().or_else(|| {
                        custom
                            .api_key
                            .as_ref()
                            .map(|_| format!("{KEY_IN_SETTINGS}{}", custom.name))
                    }),
                };
                if default_model.as_ref() != Some(&route) {
                    let mut info = info(route, Origin::Configured, custom.context_length);
                    info.provider_label.clone_from(&custom.name);
                    models.push(info);
                }
            }
        }
        let ((local, servers), vendors) = tokio::join!(self.local(refresh), self.vendors(refresh));
        let known = |info: &ModelInfo| default_model.as_ref() != Some(&info.route);
        models.extend(local.into_iter().filter(known));
        models.extend(vendors.into_iter().filter(known));
        models.push(ModelInfo {
            route: demo_route(),
            label: "Demo (scripted)".to_owned(),
            provider_label: "Built in".to_owned(),
            source: Origin::Demo,
            context_length: None,
            tools: Some(true),
        });
        ModelListReply {
            models,
            servers,
            default_model,
        }
    }

    async fn local(&self, refresh: bool) -> (Vec<ModelInfo>, Vec<DiscoveredServer>) {
        let mut found = self.found.lock().await;
        let fresh = found.as_ref().is_some_and(|(at, _)| at.elapsed() < FOUND_FOR);
        if refresh || !fresh {
            *found = Some((Instant::now(), discover(usual_places(), &self.client).await));
        }
        let list = found.as_ref().map(|(_, list)| list.as_slice()).unwrap_or_default();
        let models = list.iter().flat_map(|(_, models)| models.iter().cloned()).collect();
        (models, list.iter().map(|(server, _)| server.clone()).collect())
    }

    /// Models of the vendors whose key is there. A vendor that does not answer in time has none for now.
    async fn vendors(&self, refresh: bool) -> Vec<ModelInfo> {
        let mut lists = self.vendors.lock().await;
        let keyed: Vec<&'static str> = PROFILES
            .iter()
            .filter(|profile| !profile.scripted && profile.local_port.is_none())
            .filter(|profile| profile.key_env.iter().any(|name| self.secret(name).is_some()))
            .map(|profile| profile.name)
            .collect();
        lists.retain(|name, (at, _)| !refresh && keyed.contains(name) && at.elapsed() < VENDOR_LIST_FOR);
        let missing: Vec<&'static str> = keyed.iter().copied().filter(|name| !lists.contains_key(name)).collect();
        let asked = missing.into_iter().map(|name| async move {
            let route = ModelRoute {
                provider: name.to_owned(),
                model: String::new(),
                base_url: None,
                api_key_env: None,
            };
            let lookup = |name: &str| self.secret(name);
            let list = tokio::time::timeout(VENDOR_LIMIT, list_models(&route, &lookup, &self.client)).await;
            (name, list.ok().and_then(Result::ok))
        });
        for (name, list) in futures::future::join_all(asked).await {
            if let Some(list) = list {
                lists.insert(name, (Instant::now(), list));
            }
        }
        keyed
            .iter()
            .filter_map(|name| lists.get(name))
            .flat_map(|(_, list)| list.iter().cloned())
            .collect()
    }

    /// Tries a route, leg by leg.
    pub(crate) async fn test(&self, route: &ModelRoute) -> ModelTestReply {
        let lookup = |name: &str| self.secret(name);
        let (legs, error) = test_route(route, &lookup, &self.client, &CancellationToken::new()).await;
        ModelTestReply {
            ok: error.is_none(),
            legs,
            error,
        }
    }
}

fn info(route: ModelRoute, source: Origin, context_length: Option<u64>) -> ModelInfo {
    let profile = talaria_model::profile(&route.provider);
    ModelInfo {
        label: route.model.clone(),
        provider_label: match (&route.base_url, profile) {
            (Some(address), Some(profile)) if profile.base_url.is_none() => host(address),
            (_, Some(profile)) => profile.label.to_owned(),
            (_, None) => route.provider.clone(),
        },
        source,
        context_length,
        tools: None,
        route,
    }
}

fn host(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split(['/', '?']).next().unwrap_or(rest).to_owned()
}
