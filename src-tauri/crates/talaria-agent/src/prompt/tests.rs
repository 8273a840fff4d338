use super::*;

#[tokio::test]
async fn a_prompt_holds_identity_place_and_instructions() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("AGENTS.md"), "Use tabs.\n").unwrap();
    let route = ModelRoute {
        provider: "custom".into(),
        model: "m".into(),
        base_url: None,
        api_key_env: None,
    };
    let facts = PromptFacts {
        user_home: Path::new("/home/ada"),
        project_dir: dir.path(),
        machine: "this computer",
        environment_kind: "local",
        route: &route,
        today: "2026-12-01".into(),
        has_tools: true,
        soul: None,
        context_chars: 20_000,
    };
    let (text, files) = build(facts).await;
    assert!(text.starts_with(IDENTITY));
    assert!(text.contains("Instructions of this project, from AGENTS.md:\n\nUse tabs."));
    assert!(text.ends_with("Date: 2026-12-01\nModel: m\nProvider: custom"));
    assert_eq!(files.len(), 1);
}
