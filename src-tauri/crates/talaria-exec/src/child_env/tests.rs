use super::*;

#[test]
fn keys_of_providers_and_virtual_environments_stay_behind() {
    let names = [
        "OPENAI_API_KEY",
        "ANTHROPIC_BASE_URL",
        "OPENROUTER_API_KEY",
        "GH_TOKEN",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "AUXILIARY_VISION_API_KEY",
        "GATEWAY_RELAY_X_SECRET",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "ANTHROPIC_AUTH_TOKEN",
        "SSH_AUTH_SOCK",
        "EDITOR",
        "JAVA_HOME",
        "AWS_ACCESS_KEY_ID",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "MY_SERVICE_API_KEY",
        "HOME",
    ];
    let env = child_env(names.map(|name| (name.into(), "x".into())));
    let kept: Vec<_> = env.keys().map(|name| name.to_str().unwrap()).collect();
    assert_eq!(
        kept,
        [
            "AWS_ACCESS_KEY_ID",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "EDITOR",
            "HOME",
            "JAVA_HOME",
            "MY_SERVICE_API_KEY",
            "PATH",
            "SSH_AUTH_SOCK"
        ]
    );
}

#[test]
fn path_gets_the_usual_folders_and_loses_doubles() {
    let env = child_env([("PATH".into(), "/my/bin::/usr/bin:/my/bin".into())]);
    assert_eq!(
        env[OsStr::new("PATH")],
        "/my/bin:/usr/bin:/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin"
    );
}
