use super::*;

const FILE: &str = "\u{FEFF}# keys\nexport OPENAI_API_KEY=\"sk-\\\"a\\\"\\n\"\r\nPLAIN = abc # why\nHASH=a#b\n\
    SINGLE='a \\n # b'\nEMPTY=\nbad name=1\nPLAIN=later\nno line\n";

fn secrets(text: Option<&str>, env: Env) -> (tempfile::TempDir, Secrets) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    if let Some(text) = text {
        std::fs::write(home.env_file(), text).unwrap();
    }
    let secrets = Secrets::new(&home, env);
    (folder, secrets)
}

#[test]
fn the_file_is_read_as_people_write_it() {
    let (_folder, secrets) = secrets(Some(FILE), Env::of::<&str, &str>([]));
    let value = |name: &str| secrets.get(name).map(|secret| secret.expose().to_owned());
    let read = [
        "OPENAI_API_KEY",
        "PLAIN",
        "HASH",
        "SINGLE",
        "EMPTY",
        "bad name",
        "absent",
    ]
    .map(value);
    let meant = [
        Some("sk-\"a\"\n"),
        Some("later"),
        Some("a#b"),
        Some("a \\n # b"),
        None,
        None,
        None,
    ];
    assert_eq!(read, meant.map(|value| value.map(str::to_owned)));
}

#[test]
fn the_environment_comes_first() {
    let (_folder, secrets) = secrets(Some(FILE), Env::of([("PLAIN", "environment"), ("HASH", "")]));
    assert_eq!(secrets.get("PLAIN"), Some(Secret::new("environment")));
    assert_eq!(secrets.get("HASH"), Some(Secret::new("a#b")));
}

#[test]
fn no_value_is_shown() {
    let secret = Secret::new("sk-very-secret");
    assert_eq!(
        format!("{secret:?} {}", serde_json::to_string(&secret).unwrap()),
        "Secret(…) \"…\""
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_read_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, found) = secrets(Some(FILE), Env::default());
    let path = folder.path().join(".env");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(found.problem().unwrap().to_string().contains("chmod 600"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(found.problem(), None);
    let (_folder, none) = secrets(None, Env::default());
    assert_eq!(none.problem(), None);
}
