use super::*;
use serde_json::json;

fn home(text: Option<&str>) -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().join("home"));
    if let Some(text) = text {
        home.create().unwrap();
        std::fs::write(home.config_file(), text).unwrap();
    }
    (folder, home)
}

fn no_env() -> Env {
    Env::of::<&str, &str>([])
}

#[test]
fn a_missing_file_means_the_defaults_and_setting_makes_it() {
    let (_folder, home) = home(None);
    let settings = Settings::open(home.clone(), no_env()).unwrap();
    assert_eq!(settings.load(None, &Value::Null), Loaded::default());
    assert!(!home.path().exists());
    let loaded = settings.set("agent.max_turns", &json!(7)).unwrap();
    assert_eq!(loaded.config.agent.max_turns, 7);
    assert_eq!(
        std::fs::read_to_string(home.config_file()).unwrap(),
        "agent:\n  max_turns: 7\n"
    );
    let names: Vec<_> = std::fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["config.yaml"]);
    assert_eq!(
        Settings::open(home, no_env()).unwrap().config().get("agent.max_turns"),
        Some(json!(7))
    );
}

#[test]
fn a_file_that_is_no_yaml_is_named_with_its_place() {
    let (_folder, home) = home(Some("agent:\n  max_turns: [1\nb: 2\n"));
    let refused = Settings::open(home.clone(), no_env()).unwrap_err();
    let ConfigError::NotYaml { path, line, .. } = &refused else {
        panic!("{refused}")
    };
    assert_eq!((path, *line >= 2), (&home.config_file(), true), "{refused}");
    std::fs::write(home.config_file(), "- a list\n").unwrap();
    let refused = Settings::open(home, no_env()).unwrap_err().to_string();
    assert!(
        refused.ends_with("config.yaml:1:1: expected a map of settings, got a list"),
        "{refused}"
    );
}

#[test]
fn a_running_program_keeps_the_last_good_copy() {
    let (_folder, home) = home(Some("approvals: {mode: plan}\n"));
    let settings = Settings::open(home.clone(), no_env()).unwrap();
    std::fs::write(home.config_file(), "approvals: {mode: plan\nagent: {api_key: sk-secret").unwrap();
    for _ in 0..2 {
        let loaded = settings.load(None, &Value::Null);
        assert_eq!(loaded.config.approvals.mode, talaria_protocol::ApprovalMode::Plan);
        let said: Vec<String> = loaded.warnings.iter().map(Warning::to_string).collect();
        assert!(
            said.len() == 1 && said[0].contains("stay in force") && !said[0].contains("sk-secret"),
            "{said:?}"
        );
    }
    // A file that is broken is not written over.
    let broken = std::fs::read(home.config_file()).unwrap();
    assert!(matches!(
        settings.set("agent.max_turns", &json!(3)),
        Err(ConfigError::NotYaml { .. })
    ));
    assert_eq!(std::fs::read(home.config_file()).unwrap(), broken);
    std::fs::write(home.config_file(), "agent: {max_turns: 4}\n").unwrap();
    let loaded = settings.load(None, &Value::Null);
    assert_eq!((loaded.config.agent.max_turns, loaded.warnings.len()), (4, 0));
    std::fs::remove_file(home.config_file()).unwrap();
    assert_eq!(settings.load(None, &Value::Null), Loaded::default());
}

#[test]
fn a_projects_file_counts_in_its_folder_only() {
    let (folder, home) = home(Some("terminal: {cwd: mine}\n"));
    let settings = Settings::open(home, no_env()).unwrap();
    let dir = folder.path().join("project");
    std::fs::create_dir_all(dir.join(".talaria")).unwrap();
    std::fs::write(
        dir.join(".talaria/config.yaml"),
        "terminal: {cwd: theirs}\napprovals: {mode: auto}\n",
    )
    .unwrap();
    let project = Project {
        dir: dir.clone(),
        trusted: false,
    };
    let loaded = settings.load(Some(&project), &Value::Null);
    assert_eq!(
        (loaded.config.terminal.cwd.as_deref(), loaded.warnings.len()),
        (Some("theirs"), 1)
    );
    assert_eq!(settings.config().terminal.cwd.as_deref(), Some("mine"));
    std::fs::write(dir.join(".talaria/config.yaml"), "{").unwrap();
    let loaded = settings.load(Some(&project), &Value::Null);
    assert_eq!(
        (loaded.config.terminal.cwd.as_deref(), loaded.warnings.len()),
        (Some("mine"), 1)
    );
}

#[test]
fn the_persons_own_folder_is_no_project_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().join(".talaria"));
    home.create().unwrap();
    std::fs::write(home.config_file(), "approvals: {mode: auto}\n").unwrap();
    let settings = Settings::open(home, no_env()).unwrap();
    let project = Project {
        dir: folder.path().to_owned(),
        trusted: false,
    };
    assert_eq!(settings.load(Some(&project), &Value::Null).warnings, []);
}

#[test]
fn settings_that_do_not_exist_or_do_not_fit_are_refused() {
    let (_folder, home) = home(None);
    let settings = Settings::open(home.clone(), no_env()).unwrap();
    let refused = |key: &str, value: Value| settings.set(key, &value).unwrap_err().to_string();
    assert_eq!(
        refused("agent.max_turn", json!(1)),
        "there is no setting agent.max_turn; did you mean agent.max_turns?"
    );
    assert_eq!(
        refused("agent.max_turns", json!(0)),
        "agent.max_turns takes a whole number from 1 to 10000, not 0"
    );
    assert_eq!(
        refused("approvals.mode", json!("yolo")),
        "approvals.mode takes one of ask, accept_edits, smart, plan, auto, not \"yolo\""
    );
    assert!(!home.config_file().exists());
}

#[cfg(unix)]
#[test]
fn a_link_and_a_mode_survive_a_change() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, home) = home(None);
    home.create().unwrap();
    let real = folder.path().join("dotfiles.yaml");
    std::fs::write(&real, "agent: {max_turns: 4}\n").unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&real, home.config_file()).unwrap();
    let settings = Settings::open(home.clone(), no_env()).unwrap();
    settings.set("agent.max_turns", &json!(5)).unwrap();
    assert!(home.config_file().is_symlink());
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "agent: {max_turns: 5}\n");
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn changes_of_several_programs_at_once_all_survive() {
    let (_folder, home) = home(None);
    home.create().unwrap();
    let keys = [
        "agent.max_turns",
        "agent.api_max_retries",
        "terminal.timeout",
        "file_read_max_chars",
    ];
    std::thread::scope(|scope| {
        for key in keys {
            let settings = Settings::open(home.clone(), no_env()).unwrap();
            scope.spawn(move || settings.set(key, &json!(9)).unwrap());
        }
    });
    let config = Settings::open(home, no_env()).unwrap().config();
    assert_eq!(keys.map(|key| config.get(key)), keys.map(|_| Some(json!(9))));
}
