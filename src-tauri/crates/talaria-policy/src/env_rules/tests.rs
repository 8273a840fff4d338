use super::*;
use serde_json::Value;
use std::collections::BTreeMap;

#[test]
fn cases_env_scrub() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/cases");
    let folder = std::env::var("TALARIA_CASES").unwrap_or_else(|_| default.to_owned());
    let text = std::fs::read_to_string(format!("{folder}/env-scrub.jsonl")).unwrap();
    let (mut failed, mut total) = (Vec::new(), 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(&line.replace("HERMES_", "TALARIA_")).unwrap();
        total += 1;
        let input = &case["input"];
        let env: BTreeMap<String, String> = serde_json::from_value(input["env"].clone()).unwrap();
        let platform = match input["windows"].as_bool().unwrap() {
            true => Platform::Windows,
            false => Platform::Posix,
        };
        let passthrough: Vec<String> = input
            .get("passthrough")
            .map_or_else(Vec::new, |names| serde_json::from_value(names.clone()).unwrap());
        let kept: Vec<&String> = env
            .keys()
            .filter(|name| reaches_code(name, platform, &passthrough))
            .collect();
        let expected: Vec<String> = serde_json::from_value(case["expect"]["kept"].clone()).unwrap();
        if kept != expected.iter().collect::<Vec<_>>() {
            failed.push(format!("{} kept {kept:?}", case["id"].as_str().unwrap()));
        }
    }
    println!("{}", failed.join("\n"));
    println!("cases_env_scrub: {}/{total}", total - failed.len());
    println!("not built: 0");
    assert!(failed.is_empty() && total > 0);
}

#[test]
fn a_terminal_keeps_what_commands_need_and_loses_the_keys_of_the_agent() {
    for name in [
        "SSH_AUTH_SOCK",
        "EDITOR",
        "JAVA_HOME",
        "PATH",
        "AWS_SECRET_ACCESS_KEY",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "MY_TOKEN",
        "OPENAI_API_KEY_FILE",
        "HF_HOME",
    ] {
        assert!(reaches_terminal(name), "{name}");
    }
    for name in [
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "GH_TOKEN",
        "HF_TOKEN",
        "AUXILIARY_VISION_API_KEY",
        "GATEWAY_RELAY_X_SECRET",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
    ] {
        assert!(!reaches_terminal(name), "{name}");
    }
}

#[test]
fn the_keys_of_the_agent_are_not_passed_through() {
    assert!(may_pass_through("NOTES_TOKEN"));
    for name in ["ANTHROPIC_API_KEY", "AUXILIARY_APPROVAL_BASE_URL", "MODAL_TOKEN_SECRET"] {
        assert!(!may_pass_through(name), "{name}");
    }
}

#[test]
fn names_of_windows_do_not_depend_on_letter_case() {
    assert!(reaches_code("Path", Platform::Windows, &[]));
    assert!(reaches_code("SystemRoot", Platform::Windows, &[]));
    assert!(!reaches_code("Path", Platform::Posix, &[]));
    assert!(!reaches_code("SYSTEMROOT", Platform::Posix, &[]));
}
