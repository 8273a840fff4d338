use crate::{CommandEnd, Environment, EnvironmentOptions, LocalBackend, Login, LoginShell, RunRequest};
use std::sync::Arc;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// An environment whose person has this home folder.
fn at_home(files: &[(&str, &str)]) -> (TempDir, Environment) {
    let home = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(home.path().join(name), text).unwrap();
    }
    let folder = home.path().to_str().unwrap();
    let options = EnvironmentOptions {
        base_env: Some([("HOME".into(), folder.into()), ("PATH".into(), "/usr/bin:/bin".into())].into()),
        login: Login::Take(LoginShell::default()),
        ..EnvironmentOptions::new(folder)
    };
    let environment = Environment::new(Arc::new(LocalBackend::new()), options);
    (home, environment)
}

async fn says(environment: &Environment, command: &str) -> String {
    let result = environment
        .run(RunRequest::new(command), &CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(result.end, CommandEnd::Exited);
    result.output
}

#[tokio::test]
async fn functions_aliases_and_options_hold_over_many_commands() {
    let (_home, environment) = at_home(&[
        (".profile", "echo welcome; export FROM_PROFILE=yes OPENAI_API_KEY=k\n"),
        (
            ".bashrc",
            "greet() { echo \"hello $1\"; cat <<'E'\n}\nE\n}\n_complete() { :; }\nalias ll='echo listed'\nshopt -s globstar\n",
        ),
    ]);
    for _ in 0..3 {
        assert_eq!(
            says(&environment, "greet you; ll; shopt -q globstar && echo on").await,
            "hello you\n}\nlisted\non\n"
        );
        assert_eq!(
            says(&environment, "echo $FROM_PROFILE${OPENAI_API_KEY-}; export X=1").await,
            "yes\n"
        );
    }
    assert_eq!(
        says(&environment, "declare -F | wc -l; [ -e /dev/fd/98 ] || echo closed")
            .await
            .split_whitespace()
            .collect::<Vec<_>>(),
        ["1", "closed"]
    );
}

#[tokio::test]
async fn a_login_shell_that_runs_away_costs_its_settings_and_nothing_else() {
    let (_home, environment) = at_home(&[(".bashrc", "exec true\n")]);
    environment.prepare();
    assert_eq!(says(&environment, "echo fine").await, "fine\n");
}

#[tokio::test]
async fn the_login_shell_is_asked_once_for_all_its_environments() {
    let (home, first) = at_home(&[(".profile", "echo x >> ~/asked\n")]);
    first.prepare();
    first.prepare();
    says(&first, "true").await;
    let Some(shell) = &first.login else {
        panic!("it has one")
    };
    let options = EnvironmentOptions {
        login: Login::Take(shell.clone()),
        ..EnvironmentOptions::new("/")
    };
    says(&Environment::new(Arc::new(LocalBackend::new()), options), "true").await;
    assert_eq!(std::fs::read_to_string(home.path().join("asked")).unwrap(), "x\n");
}

#[tokio::test]
async fn nothing_to_source_leaves_plain_commands_plain() {
    let (_home, environment) = at_home(&[(".profile", "export A=1\n")]);
    assert_eq!(says(&environment, "printenv A").await, "1\n");
    let Some(shell) = &environment.login else {
        panic!("it has one")
    };
    assert!(shell.taken.get().unwrap().base.is_none());
}
