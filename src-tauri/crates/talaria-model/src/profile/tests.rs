use super::*;

fn route(provider: &str, base_url: Option<&str>) -> ModelRoute {
    ModelRoute {
        provider: provider.to_owned(),
        model: "m".to_owned(),
        base_url: base_url.map(str::to_owned),
        api_key_env: None,
    }
}

fn no_secrets(_: &str) -> Option<String> {
    None
}

#[test]
fn base_addresses() {
    let cases = [
        ("custom", Some("http://host:1/v1"), "http://host:1/v1/chat/completions"),
        ("custom", Some("http://host:1/v1/"), "http://host:1/v1/chat/completions"),
        ("custom", Some("http://host:1"), "http://host:1/chat/completions"),
        (
            "custom",
            Some("host.example/api"),
            "https://host.example/api/chat/completions",
        ),
        (
            "custom",
            Some("localhost:9/v1"),
            "http://localhost:9/v1/chat/completions",
        ),
        (
            "custom",
            Some("http://h/v1/chat/completions"),
            "http://h/v1/chat/completions",
        ),
        (
            "custom",
            Some("https://h/v1?api-version=3"),
            "https://h/v1/chat/completions?api-version=3",
        ),
        ("ollama", None, "http://127.0.0.1:11434/v1/chat/completions"),
        (
            "ollama",
            Some("http://box:11434"),
            "http://box:11434/v1/chat/completions",
        ),
        (
            "vllm",
            Some("http://box:8000/v1/"),
            "http://box:8000/v1/chat/completions",
        ),
    ];
    for (provider, base, expected) in cases {
        let resolved = resolve(&route(provider, base), &no_secrets).unwrap();
        assert_eq!(resolved.url("/chat/completions"), expected, "{provider} {base:?}");
    }
}

#[test]
fn wrong_routes_say_what_is_wrong() {
    let message = |route: &ModelRoute| resolve(route, &no_secrets).unwrap_err().to_string();
    assert!(message(&route("nonsense", None)).contains("nonsense"));
    assert!(message(&route("custom", None)).contains("base URL"));
    assert!(message(&route("custom", Some("ftp://x/"))).contains("ftp://x/"));
    assert!(message(&route("custom", Some("http://"))).contains("http"));
    let leaky = message(&route("custom", Some("https://user:hunter2@host/v1")));
    assert!(!leaky.contains("hunter2"), "{leaky}");
}

#[test]
fn a_needed_key_is_looked_up_and_named() {
    let missing = resolve(&route("openai", None), &no_secrets).unwrap_err();
    assert!(matches!(&missing, ModelError::NoKey { key_env: Some(name), .. } if name == "OPENAI_API_KEY"));
    let secrets = |name: &str| (name == "MY_KEY").then(|| " k1\n".to_owned());
    let own = ModelRoute {
        api_key_env: Some("MY_KEY".to_owned()),
        ..route("openai", None)
    };
    let resolved = resolve(&own, &secrets).unwrap();
    assert_eq!(
        (resolved.key.as_deref(), resolved.key_env.as_deref()),
        (Some("k1"), Some("MY_KEY"))
    );
    assert!(!format!("{resolved:?}").contains("k1"));
}

#[test]
fn a_key_that_cannot_be_sent_is_told_without_showing_it() {
    let own = ModelRoute {
        api_key_env: Some("MY_KEY".to_owned()),
        ..route("openai", None)
    };
    let error = resolve(&own, &|_| Some("two\nlines".to_owned()))
        .unwrap_err()
        .to_string();
    assert!(error.contains("MY_KEY") && !error.contains("lines"), "{error}");
}

#[test]
fn loopback_is_recognised() {
    for host in ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "::1", "a.localhost"] {
        assert!(is_loopback(host), "{host}");
    }
    for host in ["10.0.0.1", "localhost.example", "128.0.0.1", ""] {
        assert!(!is_loopback(host), "{host}");
    }
}

#[test]
fn names_are_unique() {
    let names: std::collections::BTreeSet<&str> = PROFILES.iter().map(|profile| profile.name).collect();
    assert_eq!(names.len(), PROFILES.len());
}
