//! From the configuration to what the agent takes.

use std::time::Duration;
use talaria_agent::AgentSettings;
use talaria_config::Config;
use talaria_protocol::ModelRoute;
use talaria_store::Synchronous;
use talaria_tools::{ToolLimits, Toolsets};

/// Settings of the loop.
pub(crate) fn agent(config: &Config) -> AgentSettings {
    let defaults = ToolLimits::default();
    AgentSettings {
        max_iterations: config.agent.max_turns,
        max_attempts: config.agent.api_max_retries,
        max_tokens: config
            .model
            .max_tokens
            .map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX)),
        approval_timeout: (config.approvals.timeout > 0).then(|| Duration::from_secs(config.approvals.timeout)),
        context_file_chars: config.context_file_max_chars.unwrap_or(20_000),
        limits: ToolLimits {
            terminal_chars: config.tool_output.max_bytes,
            read_lines: config.tool_output.max_lines,
            line_chars: config.tool_output.max_line_length,
            read_chars: config.file_read_max_chars,
            terminal_timeout_s: config.terminal.timeout,
            ..defaults
        },
        toolsets: Toolsets::all(),
    }
}

/// The model that new sessions get, if one is configured.
pub(crate) fn default_model(config: &Config) -> Option<ModelRoute> {
    let model = &config.model;
    if model.default.is_empty() {
        return None;
    }
    let provider = model
        .provider
        .clone()
        .unwrap_or_else(|| match (&model.base_url, model.default.as_str()) {
            (None, "demo") => "demo".to_owned(),
            _ => "custom".to_owned(),
        });
    Some(ModelRoute {
        provider,
        model: model.default.clone(),
        base_url: model.base_url.clone(),
        api_key_env: model.api_key_env.clone(),
    })
}

pub(crate) fn synchronous(config: &Config) -> Synchronous {
    match config.storage.synchronous {
        talaria_config::Synchronous::Normal => Synchronous::Normal,
        talaria_config::Synchronous::Full => Synchronous::Full,
    }
}
