//! Which environment variables a child process gets: a block list for terminals, an allow list for scripts of the model.

/// Providers whose keys and addresses are the agent's own business, by the start of the names of their variables.
const PROVIDERS: &[&str] = &[
    "AI_GATEWAY",
    "ALIBABA",
    "ANTHROPIC",
    "ARCEE",
    "AZURE_OPENAI",
    "CEREBRAS",
    "COHERE",
    "DASHSCOPE",
    "DEEPSEEK",
    "FIREWORKS",
    "GEMINI",
    "GLM",
    "GOOGLE",
    "GROQ",
    "HF",
    "KIMI",
    "LM",
    "MINIMAX",
    "MISTRAL",
    "MOONSHOT",
    "NOUS",
    "NVIDIA",
    "OLLAMA",
    "OPENAI",
    "OPENROUTER",
    "PERPLEXITY",
    "TOGETHER",
    "XAI",
    "Z_AI",
    "ZAI",
];
/// How the names of a provider's variables end.
const PROVIDER_ENDS: &[&str] = &["_API_KEY", "_API_TOKEN", "_AUTH_TOKEN", "_BASE_URL", "_TOKEN"];
/// Credentials of tools and services that the agent itself uses.
const SECRETS: &[&str] = &[
    "AWS_BEARER_TOKEN_BEDROCK",
    "BRAVE_API_KEY",
    "BROWSERBASE_API_KEY",
    "BROWSERBASE_PROJECT_ID",
    "BROWSER_USE_API_KEY",
    "DAYTONA_API_KEY",
    "DISCORD_BOT_TOKEN",
    "ELEVENLABS_API_KEY",
    "EMAIL_PASSWORD",
    "EXA_API_KEY",
    "FAL_KEY",
    "FIRECRAWL_API_KEY",
    "GH_TOKEN",
    "GITHUB_APP_ID",
    "GITHUB_APP_INSTALLATION_ID",
    "GITHUB_APP_PRIVATE_KEY_PATH",
    "GITHUB_TOKEN",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "HASS_TOKEN",
    "MODAL_TOKEN_ID",
    "MODAL_TOKEN_SECRET",
    "PARALLEL_API_KEY",
    "SLACK_APP_TOKEN",
    "SLACK_BOT_TOKEN",
    "SUDO_PASSWORD",
    "TAVILY_API_KEY",
    "TELEGRAM_BOT_TOKEN",
    "VERCEL_TOKEN",
    "VERTEX_CREDENTIALS_PATH",
];
/// Marks of an active Python environment: tools would install into it.
const PYTHON_MARKS: &[&str] = &["VIRTUAL_ENV", "CONDA_PREFIX"];

/// Parts of names that mean a credential, for scripts.
const CREDENTIAL_WORDS: &[&str] = &[
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "CREDENTIAL",
    "CREDS",
    "AUTH",
    "DSN",
    "WEBHOOK",
    "BEARER",
    "APIKEY",
];
const CODE_NAMES: &[&str] = &[
    "HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "PATH",
    "PYTHONPATH",
    "SHELL",
    "TALARIA_CONFIG",
    "TALARIA_ENV",
    "TALARIA_HOME",
    "TALARIA_PROFILE",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "USER",
    "VIRTUAL_ENV",
];
const CODE_PREFIXES: &[&str] = &["CONDA_", "LC_", "XDG_"];
const WINDOWS_NAMES: &[&str] = &[
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMMONPROGRAMFILES",
    "COMMONPROGRAMFILES(X86)",
    "COMMONPROGRAMW6432",
    "COMPUTERNAME",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "PUBLIC",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "USERDOMAIN",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// How names of variables are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Letter case counts.
    Posix,
    /// Letter case does not count, and the system's own names pass.
    Windows,
}

/// Whether a command in a terminal gets a variable of ours: everything but the agent's own credentials and the marks of
/// an active Python environment. General credentials (the AWS chain, `SSH_AUTH_SOCK`) stay, for commands need them.
pub fn reaches_terminal(name: &str) -> bool {
    !PYTHON_MARKS.contains(&name) && !is_internal_secret(name) && !is_agent_credential(name)
}

/// Whether a script of the model gets a variable. `passthrough` holds names that [`may_pass_through`].
pub fn reaches_code(name: &str, platform: Platform, passthrough: &[String]) -> bool {
    if passthrough.iter().any(|allowed| allowed == name) {
        return true;
    }
    let upper = name.to_uppercase();
    if CREDENTIAL_WORDS.iter().any(|word| upper.contains(word)) {
        return false;
    }
    let (name, windows) = match platform {
        Platform::Posix => (name, false),
        Platform::Windows => (upper.as_str(), true),
    };
    CODE_NAMES.contains(&name)
        || CODE_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || (windows && WINDOWS_NAMES.contains(&name))
}

/// Whether a person or a skill may name a variable to be handed on; the agent's own credentials may not.
pub fn may_pass_through(name: &str) -> bool {
    !is_internal_secret(name) && !is_agent_credential(name)
}

fn is_agent_credential(name: &str) -> bool {
    let of_provider = |provider: &str| {
        name.strip_prefix(provider)
            .is_some_and(|end| PROVIDER_ENDS.contains(&end))
    };
    SECRETS.contains(&name) || PROVIDERS.iter().any(|provider| of_provider(provider))
}

/// Secrets between parts of the agent.
fn is_internal_secret(name: &str) -> bool {
    let from_to = |start: &str, ends: &[&str]| {
        name.strip_prefix(start)
            .is_some_and(|rest| ends.iter().any(|end| rest.ends_with(end)))
    };
    from_to("AUXILIARY_", &["_API_KEY", "_BASE_URL"]) || from_to("GATEWAY_RELAY_", &["_SECRET", "_KEY", "_TOKEN"])
}

#[cfg(test)]
mod tests;
