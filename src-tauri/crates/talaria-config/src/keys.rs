//! The list of settings: name, what it takes, and whether a project that is not trusted may set it.

use serde_json::Value;

/// What a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A folder; `.`, `auto` and the like mean "the usual one".
    Folder,
    /// A whole number within bounds.
    Whole(u64, u64),
    Flag,
    OneOf(&'static [&'static str]),
    TextList,
    /// An approval mode, its old names included.
    Mode,
    Providers,
}

/// Who may set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Any project, trusted or not.
    Project,
    /// The person, or a project that the person trusts.
    Person,
}

pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) scope: Scope,
}

const fn key(name: &'static str, kind: Kind, scope: Scope) -> Key {
    Key { name, kind, scope }
}

const ANY: u64 = 1 << 53;

pub(crate) const KEYS: &[Key] = &[
    key("config_version", Kind::Whole(1, 1_000), Scope::Person),
    key("model.default", Kind::Text, Scope::Project),
    key("model.provider", Kind::Text, Scope::Person),
    key("model.base_url", Kind::Text, Scope::Person),
    key("model.api_key_env", Kind::Text, Scope::Person),
    key("model.context_length", Kind::Whole(1, ANY), Scope::Project),
    key("model.max_tokens", Kind::Whole(1, ANY), Scope::Project),
    key("custom_providers", Kind::Providers, Scope::Person),
    key("toolsets", Kind::TextList, Scope::Project),
    key("ignore", Kind::TextList, Scope::Project),
    key("agent.max_turns", Kind::Whole(1, 10_000), Scope::Person),
    key("agent.api_max_retries", Kind::Whole(1, 100), Scope::Person),
    key("approvals.mode", Kind::Mode, Scope::Person),
    key("approvals.timeout", Kind::Whole(0, 86_400 * 365), Scope::Person),
    key("command_allowlist", Kind::TextList, Scope::Person),
    key("terminal.cwd", Kind::Folder, Scope::Project),
    key("terminal.timeout", Kind::Whole(1, 86_400), Scope::Person),
    key("terminal.env_passthrough", Kind::TextList, Scope::Person),
    key("terminal.shell_init_files", Kind::TextList, Scope::Person),
    key("terminal.auto_source_bashrc", Kind::Flag, Scope::Person),
    key("tool_output.max_bytes", Kind::Whole(1, ANY), Scope::Person),
    key("tool_output.max_lines", Kind::Whole(1, ANY), Scope::Person),
    key("tool_output.max_line_length", Kind::Whole(1, ANY), Scope::Person),
    key("file_read_max_chars", Kind::Whole(1, ANY), Scope::Person),
    key("context_file_max_chars", Kind::Whole(1, ANY), Scope::Person),
    key(
        "display.busy_input_mode",
        Kind::OneOf(&["steer", "queue", "interrupt"]),
        Scope::Person,
    ),
    key("storage.synchronous", Kind::OneOf(&["normal", "full"]), Scope::Person),
    key("security.redact_secrets", Kind::Flag, Scope::Person),
    key("security.allow_private_urls", Kind::Flag, Scope::Person),
];

/// Settings and sections of later versions: no misspelling, but without effect here.
const LATER: &[&str] = &[
    "agent.clarify_timeout",
    "agent.coding_context",
    "agent.disabled_toolsets",
    "agent.image_input_mode",
    "agent.reasoning_effort",
    "agent.reasoning_overrides",
    "agent.service_tier",
    "agent.tool_use_enforcement",
    "agent.verify_on_stop",
    "approvals.cron_mode",
    "approvals.deny",
    "auxiliary",
    "checkpoints",
    "code_execution",
    "compression",
    "context",
    "credential_pool_strategies",
    "delegation",
    "display.show_cost",
    "display.show_reasoning",
    "display.streaming",
    "fallback_providers",
    "hooks",
    "lsp",
    "mcp_servers",
    "memory",
    "model.api_mode",
    "model.ollama_num_ctx",
    "personalities",
    "plugins",
    "prompt_caching",
    "providers",
    "quick_commands",
    "secrets",
    "security.acked_advisories",
    "security.allow_lazy_installs",
    "security.website_blocklist",
    "sessions",
    "skills",
    "terminal.backend",
    "tool_loop_guardrails",
    "tools",
];

pub(crate) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Whether the name is the beginning of settings: `agent`, `terminal`.
pub(crate) fn is_section(name: &str) -> bool {
    KEYS.iter()
        .any(|key| key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

pub(crate) fn is_later(name: &str) -> bool {
    LATER.contains(&name)
}

/// The most similar name, if one is similar enough to be meant.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let near = |candidate: &'static str| (distance(name, candidate), candidate);
    let sections = KEYS
        .iter()
        .filter_map(|key| key.name.split_once('.').map(|(section, _)| section));
    let (away, best) = KEYS.iter().map(|key| key.name).chain(sections).map(near).min()?;
    (away <= 3 && away * 2 < name.chars().count()).then_some(best)
}

/// Edits between two texts.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// A value that was looked at.
#[derive(Debug, PartialEq)]
pub(crate) enum Checked {
    /// As it is used.
    Fits(Value),
    /// Taken as something else, because the layer below might be laxer.
    Instead(Value, String),
    /// Not usable; what is expected.
    Wrong(String),
}

impl Kind {
    /// What it takes, in words.
    pub(crate) fn expected(self) -> String {
        match self {
            Kind::Text => "a text".to_owned(),
            Kind::Folder => "a folder".to_owned(),
            Kind::Whole(min, ANY) => format!("a whole number of at least {min}"),
            Kind::Whole(min, max) => format!("a whole number from {min} to {max}"),
            Kind::Flag => "true or false".to_owned(),
            Kind::OneOf(names) => format!("one of {}", names.join(", ")),
            Kind::TextList => "a list of texts".to_owned(),
            Kind::Mode => "one of ask, accept_edits, smart, plan, auto".to_owned(),
            Kind::Providers => "a list of maps with name and base_url".to_owned(),
        }
    }

    /// Looks at a value from a file or a program.
    pub(crate) fn check(self, value: &Value) -> Checked {
        let fits = match (self, value) {
            (Kind::Text, Value::String(_)) => Some(value.clone()),
            // A model may be named `4` and a folder `2024`: YAML reads both as numbers.
            (Kind::Text | Kind::Folder, Value::Number(number)) => Some(Value::String(number.to_string())),
            (Kind::Folder, Value::String(folder)) => match folder.trim() {
                "" | "." | "./" | "auto" | "cwd" => Some(Value::Null),
                folder => Some(Value::String(folder.to_owned())),
            },
            (Kind::Whole(min, max), Value::Number(number)) => number
                .as_u64()
                .filter(|number| (min..=max).contains(number))
                .map(Value::from),
            (Kind::Flag, Value::Bool(_)) => Some(value.clone()),
            (Kind::OneOf(names), Value::String(name)) => {
                let name = name.trim().to_lowercase();
                names.contains(&name.as_str()).then_some(Value::String(name))
            }
            (Kind::TextList, Value::Array(items)) => items.iter().all(Value::is_string).then(|| value.clone()),
            (Kind::Mode, value) => return check_mode(value),
            (Kind::Providers, Value::Array(items)) => items.iter().all(is_provider).then(|| value.clone()),
            _ => None,
        };
        fits.map_or_else(|| Checked::Wrong(self.expected()), Checked::Fits)
    }

    /// Reads the text of an environment variable.
    pub(crate) fn read(self, text: &str) -> Value {
        let text = text.trim();
        match self {
            Kind::Whole(..) => text.parse::<u64>().map_or_else(|_| text.into(), Value::from),
            Kind::Flag => match text.to_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => true.into(),
                "0" | "false" | "no" | "off" => false.into(),
                _ => text.into(),
            },
            Kind::TextList => text
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(Value::from)
                .collect(),
            Kind::Providers => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
            Kind::Text | Kind::Folder | Kind::OneOf(_) | Kind::Mode => text.into(),
        }
    }
}

/// Old names and YAML's reading of a bare `off` are understood; what is unknown asks.
fn check_mode(value: &Value) -> Checked {
    let name = match value {
        Value::Bool(false) => "auto",
        Value::Bool(true) => "ask",
        Value::String(name) => match name.trim().to_lowercase().as_str() {
            "ask" | "manual" => "ask",
            "auto" | "off" => "auto",
            "accept_edits" => "accept_edits",
            "smart" => "smart",
            "plan" => "plan",
            _ => return Checked::Instead("ask".into(), Kind::Mode.expected()),
        },
        _ => return Checked::Instead("ask".into(), Kind::Mode.expected()),
    };
    Checked::Fits(name.into())
}

fn is_provider(value: &Value) -> bool {
    let text = |name: &str| {
        value
            .get(name)
            .and_then(Value::as_str)
            .is_some_and(|text| !text.is_empty())
    };
    let optional = |name: &str, fits: fn(&Value) -> bool| value.get(name).is_none_or(|v| v.is_null() || fits(v));
    text("name")
        && text("base_url")
        && optional("api_key_env", Value::is_string)
        && optional("api_key", Value::is_string)
        && optional("context_length", Value::is_u64)
        && value.get("models").is_none_or(|models| {
            models
                .as_array()
                .is_some_and(|models| models.iter().all(Value::is_string))
        })
}

#[cfg(test)]
mod tests;
