use super::*;
use std::time::Duration;
use talaria_exec::{CommandEnd, Environment, EnvironmentOptions, RunRequest};

fn environment(backend: &FakeBackend) -> Environment {
    Environment::new(Arc::new(backend.clone()), EnvironmentOptions::new("/project"))
}

#[tokio::test]
async fn plays_what_was_written_and_records_commands() {
    let backend = FakeBackend::new();
    backend
        .when("make test", FakeRun::prints("1 failed\n").then_exits(2))
        .next(FakeRun::prints("first"));
    let environment = environment(&backend);
    let mut seen = Vec::new();
    for command in ["make test", "X='a b' && echo \"$X\"", "ls | wc -l"] {
        let result = environment
            .run(RunRequest::new(command), &CancellationToken::new())
            .await
            .unwrap();
        seen.push((result.output, result.exit_code));
    }
    let none = "no run is written for: ls | wc -l\n";
    assert_eq!(
        seen,
        [
            ("1 failed\n".to_owned(), 2),
            ("first".to_owned(), 0),
            (none.to_owned(), 127)
        ]
    );
    assert_eq!(
        backend.commands(),
        ["make test", "X='a b' && echo \"$X\"", "ls | wc -l"]
    );
    assert_eq!(backend.running(), 0);
}

#[tokio::test]
async fn a_hanging_command_is_killed_and_that_is_seen() {
    let backend = FakeBackend::new();
    let gate = Gate::new();
    backend.next(FakeRun::prints("begun").then_waits(&gate));
    let environment = environment(&backend);
    let cancel = CancellationToken::new();
    let (result, ()) = tokio::join!(environment.run(RunRequest::new("sleep 60"), &cancel), async {
        gate.reached().await;
        cancel.cancel();
    });
    let result = result.unwrap();
    assert_eq!(
        (result.end, result.output.contains("begun")),
        (CommandEnd::Interrupted, true)
    );
    tokio::time::timeout(Duration::from_secs(5), environment.shutdown())
        .await
        .unwrap();
    assert_eq!((backend.killed(), backend.running()), (1, 0));
}
