use super::*;
use serde_json::json;
use talaria_protocol::ApprovalMode;

fn layer<'a>(source: &str, tree: &'a Value, scope: Scope) -> Layer<'a> {
    Layer {
        source: source.to_owned(),
        tree,
        scope,
    }
}

fn resolved(user: &Value, project: &Value, scope: Scope, env: &[(&str, &str)], session: &Value) -> Loaded {
    let files = [layer("user", user, Scope::Person), layer("project", project, scope)];
    resolve(
        &files,
        &Env::of(env.iter().copied()),
        &layer("session", session, Scope::Person),
    )
}

fn sentences(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(Warning::to_string).collect()
}

#[test]
fn later_layers_win_key_by_key() {
    let user = json!({"agent": {"max_turns": 10, "api_max_retries": 5}, "terminal": {"timeout": 20, "cwd": "auto"}});
    let env = [
        ("TALARIA_TERMINAL_TIMEOUT", "30"),
        ("TALARIA_MODEL", "from-env"),
        ("TALARIA_TOOLSETS", "a, b"),
    ];
    let loaded = resolved(
        &user,
        &Value::Null,
        Scope::Project,
        &env,
        &json!({"agent": {"max_turns": 12}}),
    );
    let mut meant = Config::default();
    meant.agent.max_turns = 12;
    meant.agent.api_max_retries = 5;
    meant.terminal.timeout = 30;
    meant.model.default = "from-env".to_owned();
    meant.toolsets = vec!["a".to_owned(), "b".to_owned()];
    assert_eq!(
        loaded,
        Loaded {
            config: meant,
            warnings: Vec::new()
        }
    );
}

#[test]
fn a_bad_value_costs_only_itself() {
    let user = json!({"agent": {"max_turns": "many", "api_max_retries": 5}, "terminal": {"timeout": 20}, "display": 3});
    let env = [("TALARIA_TERMINAL_TIMEOUT", "soon")];
    let loaded = resolved(&user, &Value::Null, Scope::Project, &env, &Value::Null);
    assert_eq!(
        loaded.config.agent,
        crate::AgentSettings {
            max_turns: 90,
            api_max_retries: 5
        }
    );
    assert_eq!(loaded.config.terminal.timeout, 20);
    assert_eq!(
        sentences(&loaded),
        [
            "user: agent.max_turns: expected a whole number from 1 to 10000, got \"many\"; ignored",
            "user: display: expected a section, got 3; ignored",
            "TALARIA_TERMINAL_TIMEOUT: terminal.timeout: expected a whole number from 1 to 86400, got \"soon\"; ignored",
        ]
    );
}

#[test]
fn an_unknown_mode_asks_even_over_a_laxer_layer() {
    let user = json!({"approvals": {"mode": "auto"}});
    let loaded = resolved(
        &user,
        &Value::Null,
        Scope::Project,
        &[],
        &json!({"approvals": {"mode": "yolo"}}),
    );
    assert_eq!(loaded.config.approvals.mode, ApprovalMode::Ask);
    assert_eq!(
        sentences(&loaded),
        ["session: approvals.mode: expected one of ask, accept_edits, smart, plan, auto, got \"yolo\"; using \"ask\""]
    );
}

#[test]
fn a_project_sets_what_cannot_harm_until_it_is_trusted() {
    let project = json!({
        "toolsets": ["x"], "ignore": ["*.lock"], "terminal": {"cwd": "sub", "env_passthrough": ["KEY"]},
        "model": {"default": "big", "base_url": "http://evil"}, "approvals": {"mode": "auto"},
        "command_allowlist": ["*"], "custom_providers": [{"name": "a", "base_url": "http://evil"}], "hooks": {},
    });
    let loaded = resolved(&Value::Null, &project, Scope::Project, &[], &Value::Null);
    let mut meant = Config {
        toolsets: vec!["x".to_owned()],
        ignore: vec!["*.lock".to_owned()],
        ..Config::default()
    };
    meant.terminal.cwd = Some("sub".to_owned());
    meant.model.default = "big".to_owned();
    assert_eq!(loaded.config, meant);
    let mut keys: Vec<&str> = loaded.warnings.iter().map(|warning| warning.key.as_str()).collect();
    keys.sort_unstable();
    let refused = [
        "approvals.mode",
        "command_allowlist",
        "custom_providers",
        "hooks",
        "model.base_url",
        "terminal.env_passthrough",
    ];
    assert_eq!(keys, refused);
    let trusted = resolved(&Value::Null, &project, Scope::Person, &[], &Value::Null);
    assert_eq!(trusted.config.approvals.mode, ApprovalMode::Auto);
}

#[test]
fn unknown_settings_are_named_with_what_was_meant() {
    let user = json!({"agent": {"max_turn": 3}, "compression": {"enabled": true}, "zzz": 1, "model": "m"});
    let loaded = resolved(&user, &Value::Null, Scope::Project, &[], &Value::Null);
    assert_eq!(loaded.config.model.default, "m");
    let mut said = sentences(&loaded);
    said.sort();
    assert_eq!(
        said,
        [
            "user: agent.max_turn: unknown setting, ignored; did you mean agent.max_turns?",
            "user: compression: has no effect in this version",
            "user: zzz: unknown setting, ignored",
        ]
    );
}

#[test]
fn warnings_and_trees_never_show_a_key() {
    let user = json!({"custom_providers": [{"name": "a", "base_url": "http://x", "api_key": "sk-1"}]});
    let loaded = resolved(&user, &Value::Null, Scope::Project, &[], &Value::Null);
    assert_eq!(
        loaded.config.custom_providers[0]
            .api_key
            .as_ref()
            .map(crate::Secret::expose),
        Some("sk-1")
    );
    assert!(!format!("{:?} {}", loaded.config, loaded.config.to_value()).contains("sk-1"));
    let bad = json!({"custom_providers": [{"name": "a", "api_key": "sk-1"}], "toolsets": {"k": "sk-1"}});
    let loaded = resolved(&bad, &Value::Null, Scope::Project, &[], &Value::Null);
    assert_eq!(loaded.warnings.len(), 2);
    assert!(!sentences(&loaded).join("").contains("sk-1"));
}
