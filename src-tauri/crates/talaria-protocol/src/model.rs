//! Models as a person chooses them, and what their use costs.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which model on which server answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
pub struct ModelRoute {
    /// Name of a provider profile: `custom`, `openai`, `openrouter`, `ollama`, `lmstudio`, `llamacpp`, `vllm`, `demo`.
    pub provider: String,
    /// Model id as the server knows it.
    pub model: String,
    /// Base address, when it differs from the profile's own.
    pub base_url: Option<String>,
    /// Environment variable that holds the key, when it differs from the profile's own. Never the key itself.
    pub api_key_env: Option<String>,
}

/// Where a listed model was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ModelSource {
    /// In the configuration.
    Configured,
    /// Served by a local server that answered on loopback.
    LocalServer,
    /// A vendor whose key is in the environment.
    Key,
    /// The scripted model that is built in.
    Demo,
}

/// A model that can be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ModelInfo {
    /// What to put into a session.
    pub route: ModelRoute,
    /// Name for people. Says "scripted" where the model is the demo.
    pub label: String,
    /// Name of the provider for people.
    pub provider_label: String,
    /// Where it was found.
    pub source: ModelSource,
    /// Window in tokens, where known.
    pub context_length: Option<u64>,
    /// Whether it is known to call tools; `None` when unknown.
    pub tools: Option<bool>,
}

/// A local server that was looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DiscoveredServer {
    /// Profile name.
    pub provider: String,
    /// Name for people.
    pub label: String,
    /// Address that was asked.
    pub base_url: String,
    /// Whether it answered in time.
    pub found: bool,
    /// How many models it serves.
    pub models: u32,
}

/// State of one leg of a connection test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TestLegState {
    /// It worked.
    Done,
    /// It failed; later legs were not tried.
    Failed,
    /// Not tried.
    Skipped,
}

/// One leg of a connection test: key, address, protocol, model, first words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TestLeg {
    /// `key`, `reach`, `protocol`, `model`, `answer`.
    pub name: String,
    /// How it went.
    pub state: TestLegState,
    /// Details or the failure, one sentence.
    pub detail: String,
    /// How long it took.
    pub duration_ms: u64,
}

/// Tokens used. `input` does not count what came from the provider's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Usage {
    /// Prompt tokens that were not cached.
    pub input_tokens: u64,
    /// Completion tokens, reasoning included.
    pub output_tokens: u64,
    /// Prompt tokens read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Prompt tokens written to the provider's cache.
    pub cache_write_tokens: u64,
    /// Reasoning tokens, where the provider says.
    pub reasoning_tokens: u64,
    /// Model calls.
    pub api_calls: u64,
    /// Tokens of the newest prompt: how full the window is.
    pub last_prompt_tokens: u64,
}

impl Usage {
    /// Adds one call's tokens; the newest prompt size wins.
    pub fn add(&mut self, other: &Usage) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cache_read_tokens += other.cache_read_tokens;
        self.cache_write_tokens += other.cache_write_tokens;
        self.reasoning_tokens += other.reasoning_tokens;
        self.api_calls += other.api_calls;
        if other.last_prompt_tokens > 0 {
            self.last_prompt_tokens = other.last_prompt_tokens;
        }
    }
}
