//! Vendors on the Chat Completions protocol. A new one is a row in [`PROFILES`].

use crate::error::ModelError;
use reqwest::Url;
use reqwest::header::HeaderValue;
use talaria_protocol::ModelRoute;

/// Whether a vendor asks for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyNeed {
    /// Without one nothing works.
    Required,
    /// Sent if there is one.
    Optional,
}

/// Name of the field that caps the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapKey {
    /// `max_tokens`, understood by most servers.
    MaxTokens,
    /// `max_completion_tokens`, insisted on by OpenAI.
    MaxCompletionTokens,
}

/// What reasoning of earlier turns is sent back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningEcho {
    /// None.
    Never,
    /// The opaque blocks.
    Details,
    /// `reasoning_content` on each assistant turn, which the vendor insists on.
    Content,
}

/// What is known about a vendor or a kind of server.
#[derive(Debug)]
pub struct Profile {
    /// Name in a route.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Base address; `None` must be given by the route.
    pub base_url: Option<&'static str>,
    /// Variables that may hold the key, the preferred one first.
    pub key_env: &'static [&'static str],
    /// Whether a key is needed.
    pub key: KeyNeed,
    /// Port on loopback where a server of this kind is looked for.
    pub local_port: Option<u16>,
    /// How a person starts the server.
    pub start_hint: Option<&'static str>,
    /// How a person gets a model that is missing; `{model}` stands for its name.
    pub model_hint: Option<&'static str>,
    /// Field that caps the answer.
    pub cap_key: CapKey,
    /// Reasoning that is sent back.
    pub reasoning_echo: ReasoningEcho,
    /// Headers of each request.
    pub headers: &'static [(&'static str, &'static str)],
    /// Whether nothing is sent over a network: the scripted model.
    pub scripted: bool,
}

const SERVER: Profile = Profile {
    name: "custom",
    label: "Custom endpoint",
    base_url: None,
    key_env: &[],
    key: KeyNeed::Optional,
    local_port: None,
    start_hint: None,
    model_hint: None,
    cap_key: CapKey::MaxTokens,
    reasoning_echo: ReasoningEcho::Details,
    headers: &[],
    scripted: false,
};

/// All vendors.
pub const PROFILES: &[Profile] = &[
    SERVER,
    Profile {
        name: "openai",
        label: "OpenAI",
        base_url: Some("https://api.openai.com/v1"),
        key_env: &["OPENAI_API_KEY"],
        key: KeyNeed::Required,
        cap_key: CapKey::MaxCompletionTokens,
        reasoning_echo: ReasoningEcho::Never,
        ..SERVER
    },
    Profile {
        name: "openrouter",
        label: "OpenRouter",
        base_url: Some("https://openrouter.ai/api/v1"),
        key_env: &["OPENROUTER_API_KEY"],
        key: KeyNeed::Required,
        headers: &[("x-title", "Talaria")],
        ..SERVER
    },
    Profile {
        name: "ollama",
        label: "Ollama",
        base_url: Some("http://127.0.0.1:11434/v1"),
        local_port: Some(11434),
        start_hint: Some("Start Ollama, for instance with `ollama serve`."),
        model_hint: Some("Fetch it with `ollama pull {model}`, or choose another model."),
        reasoning_echo: ReasoningEcho::Never,
        ..SERVER
    },
    Profile {
        name: "lmstudio",
        label: "LM Studio",
        base_url: Some("http://127.0.0.1:1234/v1"),
        local_port: Some(1234),
        start_hint: Some("Start the server in LM Studio's Developer tab, or with `lms server start`."),
        model_hint: Some("Load it in LM Studio, or choose another model."),
        reasoning_echo: ReasoningEcho::Never,
        ..SERVER
    },
    Profile {
        name: "llamacpp",
        label: "llama.cpp",
        base_url: Some("http://127.0.0.1:8080/v1"),
        key_env: &["LLAMA_API_KEY"],
        local_port: Some(8080),
        start_hint: Some("Start it with `llama-server -m MODEL.gguf --jinja`."),
        model_hint: Some("Start `llama-server` with that model, or choose the one that it serves."),
        reasoning_echo: ReasoningEcho::Never,
        ..SERVER
    },
    Profile {
        name: "vllm",
        label: "vLLM",
        base_url: Some("http://127.0.0.1:8000/v1"),
        key_env: &["VLLM_API_KEY"],
        local_port: Some(8000),
        start_hint: Some("Start it with `vllm serve MODEL`."),
        model_hint: Some("Start `vllm serve` with that model, or choose the one that it serves."),
        reasoning_echo: ReasoningEcho::Never,
        ..SERVER
    },
    Profile {
        name: "demo",
        label: "Demo (scripted)",
        scripted: true,
        ..SERVER
    },
];

/// Hosts, besides profiles, whose vendors want `reasoning_content` back.
const ECHO_HOSTS: &[&str] = &[
    "api.deepseek.com",
    "api.moonshot.ai",
    "api.moonshot.cn",
    "api.kimi.com",
    "api.xiaomimimo.com",
];

/// The profile called `name`.
pub fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}

/// The kind of local server that usually listens at `host` (`127.0.0.1:11434`).
pub(crate) fn profile_of_host(host: &str) -> Option<&'static Profile> {
    let (name, port) = host.rsplit_once(':')?;
    let port = port.parse().ok()?;
    if !is_loopback(name) {
        return None;
    }
    PROFILES.iter().find(|profile| profile.local_port == Some(port))
}

/// Looks up a secret by the name of its environment variable.
pub type SecretLookup<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

/// A route with everything that a request needs.
#[derive(Clone)]
pub struct ResolvedRoute {
    /// What was asked for.
    pub route: ModelRoute,
    /// What is known about the vendor.
    pub profile: &'static Profile,
    /// Base address without query; no slash at the end.
    pub base: String,
    /// Query of the base address, added to each request.
    pub query: Option<String>,
    /// Host with a port that is not the usual one: what messages name.
    pub host: String,
    /// Whether the server is on this machine.
    pub loopback: bool,
    /// Field that caps the answer.
    pub cap_key: CapKey,
    /// Reasoning that is sent back.
    pub reasoning_echo: ReasoningEcho,
    /// Variable of the key: the one that held it, else the one to set.
    pub key_env: Option<String>,
    pub(crate) key: Option<String>,
}

// A derived form would print the key.
impl std::fmt::Debug for ResolvedRoute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResolvedRoute")
            .field("route", &self.route)
            .field("base", &self.base)
            .field("key", &self.key.as_ref().map(|_| "set"))
            .finish_non_exhaustive()
    }
}

impl ResolvedRoute {
    /// The address of `path` (`/chat/completions`) at this server.
    pub fn url(&self, path: &str) -> String {
        match &self.query {
            Some(query) => format!("{}{path}?{query}", self.base),
            None => format!("{}{path}", self.base),
        }
    }

    /// Whether a key was found.
    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Whether the connection is encrypted.
    pub(crate) fn encrypted(&self) -> bool {
        self.base.starts_with("https:")
    }
}

/// Completes a route by its profile and looks up the key.
///
/// # Errors
/// When the provider is unknown, the address is missing or no HTTP address, or a needed key is not there.
pub fn resolve(route: &ModelRoute, secrets: SecretLookup<'_>) -> Result<ResolvedRoute, ModelError> {
    let resolved = resolve_without_key(route, secrets)?;
    // A variable that somebody named is meant to be used, also where a server could do without a key.
    let wanted = resolved.profile.key == KeyNeed::Required || route.api_key_env.is_some();
    if wanted && resolved.key.is_none() {
        return Err(ModelError::NoKey {
            host: resolved.host,
            key_env: resolved.key_env,
        });
    }
    Ok(resolved)
}

pub(crate) fn resolve_without_key(route: &ModelRoute, secrets: SecretLookup<'_>) -> Result<ResolvedRoute, ModelError> {
    let Some(profile) = profile(&route.provider) else {
        let known: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
        let detail = format!(
            "provider {:?} is unknown; known are {}",
            route.provider,
            known.join(", ")
        );
        return Err(ModelError::BadRoute { detail });
    };
    if profile.scripted {
        return Err(ModelError::BadRoute {
            detail: "the demo model is built in and has no address".to_owned(),
        });
    }
    let given = route.base_url.as_deref().map(str::trim).filter(|url| !url.is_empty());
    let Some(base) = given.or(profile.base_url) else {
        return Err(ModelError::BadRoute {
            detail: format!("{} needs a base URL", profile.label),
        });
    };
    let url = parse_base(base)?;
    let name = url.host_str().unwrap_or_default();
    let host = url
        .port()
        .map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
    let mut bare = url.clone();
    bare.set_query(None);
    bare.set_fragment(None);
    let trimmed = bare.as_str().trim_end_matches('/');
    // People paste the address of the call itself as often as the base.
    let trimmed = trimmed
        .strip_suffix("/chat/completions")
        .unwrap_or(trimmed)
        .trim_end_matches('/');
    // A local server named by host and port alone serves the protocol under /v1.
    let base = match profile.local_port {
        Some(_) if url.path() == "/" => format!("{trimmed}/v1"),
        _ => trimmed.to_owned(),
    };
    let (key_env, key) = key_of(route, profile, secrets);
    if key.as_deref().is_some_and(|key| HeaderValue::from_str(key).is_err()) {
        let name = key_env.as_deref().unwrap_or("the key's variable");
        return Err(ModelError::BadRoute {
            detail: format!("{name} holds characters that no key has"),
        });
    }
    let echoes = ECHO_HOSTS.contains(&name);
    let openai = name == "api.openai.com" || name.ends_with(".openai.azure.com");
    Ok(ResolvedRoute {
        route: route.clone(),
        profile,
        base,
        query: url.query().filter(|query| !query.is_empty()).map(str::to_owned),
        loopback: is_loopback(name),
        host,
        cap_key: if openai {
            CapKey::MaxCompletionTokens
        } else {
            profile.cap_key
        },
        reasoning_echo: if echoes {
            ReasoningEcho::Content
        } else {
            profile.reasoning_echo
        },
        key_env,
        key,
    })
}

fn parse_base(base: &str) -> Result<Url, ModelError> {
    let with_scheme = if base.contains("://") {
        base.to_owned()
    } else {
        let host = base.split(['/', ':']).next().unwrap_or_default();
        let scheme = if is_loopback(host) { "http" } else { "https" };
        format!("{scheme}://{base}")
    };
    match Url::parse(&with_scheme) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.host_str().is_some_and(|host| !host.is_empty()) => {
            if url.username().is_empty() && url.password().is_none() {
                return Ok(url);
            }
            let detail = "the base URL holds a user name or password; put the key into a variable".to_owned();
            Err(ModelError::BadRoute { detail })
        }
        _ => Err(ModelError::BadRoute {
            detail: format!("{base:?} is not an http or https address"),
        }),
    }
}

fn key_of(route: &ModelRoute, profile: &Profile, secrets: SecretLookup<'_>) -> (Option<String>, Option<String>) {
    let look = |name: &str| {
        secrets(name)
            .map(|key| key.trim().to_owned())
            .filter(|key| !key.is_empty())
    };
    if let Some(name) = route.api_key_env.as_deref().filter(|name| !name.is_empty()) {
        return (Some(name.to_owned()), look(name));
    }
    for name in profile.key_env {
        if let Some(key) = look(name) {
            return (Some((*name).to_owned()), Some(key));
        }
    }
    (profile.key_env.first().map(|name| (*name).to_owned()), None)
}

/// Whether `host` is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare == "localhost"
        || bare.ends_with(".localhost")
        || bare
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests;
