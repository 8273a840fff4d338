use super::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use talaria_exec::LocalBackend;
use talaria_testkit::{FakeBackend, FakeGate, FakeHost, tool_context};
use talaria_tools::{Registry, ToolOutcome};
use tempfile::TempDir;

struct Place {
    _home: TempDir,
    project: PathBuf,
    host: FakeHost,
    cx: ToolContext,
}

fn place() -> Place {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().canonicalize().unwrap().join("project");
    std::fs::create_dir(&project).unwrap();
    let host = FakeHost::new();
    let cx = tool_context(&project, Arc::new(LocalBackend::new()), &host);
    Place {
        _home: home,
        project,
        host,
        cx,
    }
}

impl Place {
    async fn call(&self, args: Value) -> ToolOutput {
        Terminal.call(&self.cx, &args).await.unwrap()
    }

    async fn answer(&self, args: Value) -> Value {
        serde_json::from_str(&self.call(args).await.result).unwrap()
    }
}

fn body_output(body: &ToolBody) -> &str {
    match body {
        ToolBody::Terminal { output, .. } => output,
        other => panic!("no terminal body: {other:?}"),
    }
}

#[tokio::test]
async fn the_model_reads_plain_text_and_the_card_has_colours() {
    let place = place();
    let command = "printf '\\n\\033[31mred\\033[0m\\n10%%\\r99%%\\n'; cd /; exit 3";
    let output = place.call(json!({ "command": command })).await;
    assert_eq!(
        output.result,
        r#"{"output":"red\n10%\r99%","exit_code":3,"error":null}"#
    );
    assert_eq!(
        (output.state, output.note.as_deref()),
        (ToolState::Done, Some("exit 3"))
    );
    assert_eq!(
        output.body,
        ToolBody::Terminal {
            command: command.to_owned(),
            cwd: place.project.to_str().unwrap().to_owned(),
            exit_code: Some(3),
            output: "\n\u{1b}[31mred\u{1b}[0m\n99%\n".to_owned(),
            total_lines: 3,
            truncated: false,
        }
    );
}

#[tokio::test]
async fn a_code_that_is_no_failure_is_explained() {
    let place = place();
    let answer = place.answer(json!({ "command": "echo a | grep b" })).await;
    assert_eq!(
        answer,
        json!({ "output": "", "exit_code": 1, "error": null, "exit_code_meaning": "No matches were found; that is not an error." })
    );
}

#[tokio::test]
async fn calls_that_cannot_run_say_why_and_run_nothing() {
    let place = place();
    for (args, status, part) in [
        (json!({}), "error", "Invalid command: expected string, got null"),
        (
            json!({ "command": 5 }),
            "error",
            "Invalid command: expected string, got number",
        ),
        (
            json!({ "command": ["ls"] }),
            "error",
            "Invalid command: expected string, got array",
        ),
        (json!({ "command": " \n" }), "error", "The command is empty."),
        (
            json!({ "command": "touch ran", "timeout": 601 }),
            "error",
            "more than the 600 s",
        ),
        (
            json!({ "command": "touch ran", "timeout": 0 }),
            "error",
            "whole seconds from 1 on",
        ),
        (
            json!({ "command": "touch ran", "timeout": 1.5 }),
            "error",
            "whole seconds from 1 on",
        ),
        (
            json!({ "command": "touch ran", "background": true }),
            "error",
            "Background processes are not available",
        ),
        (
            json!({ "command": "touch ran", "pty": true }),
            "error",
            "A terminal (pty) is not available",
        ),
        (
            json!({ "command": "touch ran &" }),
            "error",
            "`&` leaves a process behind",
        ),
        (json!({ "command": "touch ran", "workdir": "a\0b" }), "blocked", "NUL"),
        (
            json!({ "command": "touch ran", "workdir": 3 }),
            "error",
            "Invalid workdir: expected string, got number",
        ),
    ] {
        assert!(
            matches!(Terminal.intent(&place.cx, &args).await, Ok(Intent::Read)),
            "{args}"
        );
        let output = place.call(args.clone()).await;
        let answer: Value = serde_json::from_str(&output.result).unwrap();
        assert_eq!(
            (&answer["exit_code"], &answer["status"], &answer["output"]),
            (&json!(-1), &json!(status), &json!(""))
        );
        assert!(answer["error"].as_str().unwrap().contains(part), "{answer}");
        assert_eq!(output.state, ToolState::Failed);
    }
    assert!(!place.project.join("ran").exists());
    let fine = json!({ "command": "touch ran", "background": false, "pty": null, "workdir": "" });
    assert_eq!(place.answer(fine).await["exit_code"], 0);
    assert!(place.project.join("ran").exists());
}

#[tokio::test]
async fn the_gate_is_told_command_and_folder() {
    let place = place();
    let intent = |args: Value| {
        let cx = &place.cx;
        async move {
            match Terminal.intent(cx, &args).await.unwrap() {
                Intent::Command { command, cwd } => (command, cwd),
                other => panic!("another intent: {other:?}"),
            }
        }
    };
    let project = place.project.to_str().unwrap().to_owned();
    assert_eq!(
        intent(json!({ "command": "ls" })).await,
        ("ls".to_owned(), project.clone())
    );
    assert_eq!(
        intent(json!({ "command": "ls", "workdir": "sub" })).await,
        ("ls".to_owned(), format!("{project}/sub"))
    );
    assert_eq!(
        intent(json!({ "command": "ls", "workdir": "/" })).await,
        ("ls".to_owned(), "/".to_owned())
    );
}

#[tokio::test]
async fn running_out_of_time_is_a_failure_with_what_there_was() {
    let place = place();
    let output = place
        .call(json!({ "command": "echo part; sleep 60", "timeout": 1 }))
        .await;
    assert_eq!(
        output.result,
        r#"{"output":"part\n\n[Command timed out after 1s]","exit_code":124,"error":null}"#
    );
    assert_eq!(
        (output.state, output.note.as_deref()),
        (ToolState::Failed, Some("timed out after 1 s"))
    );
}

#[tokio::test]
async fn a_missing_folder_is_126() {
    let place = place();
    let output = place.call(json!({ "command": "pwd", "workdir": "/no/such" })).await;
    let answer: Value = serde_json::from_str(&output.result).unwrap();
    assert_eq!((output.state, &answer["exit_code"]), (ToolState::Failed, &json!(126)));
    assert!(
        answer["output"]
            .as_str()
            .unwrap()
            .starts_with("The folder /no/such cannot be entered")
    );
}

#[tokio::test]
async fn an_interrupt_keeps_what_there_was() {
    let place = place();
    let args = json!({ "command": "echo part; sleep 60" });
    let call = Terminal.call(&place.cx, &args);
    let cancel = async {
        while place.host.progress_text().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        place.cx.cancel.cancel();
        Instant::now()
    };
    let (ended, cancelled_at) = tokio::join!(call, cancel);
    assert!(cancelled_at.elapsed() < Duration::from_millis(200));
    match ended {
        Err(ToolError::Cancelled { partial: Some(output) }) => {
            assert_eq!(
                output.result,
                r#"{"output":"part\n\n[Command interrupted]","exit_code":130,"error":null}"#
            );
            assert_eq!(output.state, ToolState::Cancelled);
        }
        other => panic!("not cancelled: {other:?}"),
    }
}

#[tokio::test]
async fn output_is_shown_while_the_command_runs_and_never_as_a_flood() {
    let place = place();
    let start = Instant::now();
    let output = place
        .call(json!({ "command": "printf '\\033[1mfirst\\n'; sleep 0.3; seq 200000" }))
        .await;
    let frames = start.elapsed().as_millis() / 34 + 2;
    assert!(place.host.progress_text().starts_with("\u{1b}[1mfirst\n"));
    assert!(place.host.progress_text().len() as u128 <= frames * 64 * 1024);
    assert!(output.result.contains("OUTPUT TRUNCATED"));
    assert!(body_output(&output.body).ends_with("199999\n200000\n"));
}

#[tokio::test]
async fn more_than_fits_a_batch_loses_its_beginning() {
    let progress = Progress::default();
    let host = FakeHost::new();
    for number in 0..40_000 {
        progress.push(&format!("{number} é\n"));
    }
    let shown = tokio::time::timeout(Duration::from_millis(10), progress.show(&host)).await;
    assert!(shown.is_err());
    assert!(host.progress_text().len() <= 64 * 1024 && host.progress_text().ends_with("39999 é\n"));
}

#[tokio::test]
async fn through_dispatch_a_refused_command_has_not_run() {
    let place = place();
    let registry = Registry::builtin();
    let dispatch = |gate: FakeGate| {
        let (registry, cx) = (&registry, &place.cx);
        async move {
            registry
                .dispatch(cx, &gate, "terminal", r#"{"command":"touch ran","timeout":"30"}"#)
                .await
        }
    };
    let refused: ToolOutcome = dispatch(FakeGate::denying("no")).await;
    assert_eq!(refused.state, ToolState::Denied);
    assert!(!Path::new(&place.project.join("ran")).exists());
    let ran = dispatch(FakeGate::allowing()).await;
    assert_eq!((ran.state, ran.note.as_deref()), (ToolState::Done, Some("exit 0")));
    assert!(place.project.join("ran").exists());
}

#[tokio::test]
async fn a_command_goes_to_the_backend_of_the_session() {
    let home = tempfile::tempdir().unwrap();
    let backend = FakeBackend::new();
    backend.when("make", talaria_testkit::FakeRun::prints("built\n").then_exits(2));
    let cx = tool_context(home.path(), Arc::new(backend.clone()), &FakeHost::new());
    let output = Terminal.call(&cx, &json!({ "command": "make all" })).await.unwrap();
    assert_eq!(output.result, r#"{"output":"built","exit_code":2,"error":null}"#);
    assert_eq!(backend.commands(), ["make all"]);
}
