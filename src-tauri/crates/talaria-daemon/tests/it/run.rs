use crate::rig::{Rig, finish, program};
use serde_json::json;
use talaria_testkit::{Gate, TempHome, calls, calls_with_text, says, says_in_pieces};
use tokio::io::AsyncReadExt;

#[tokio::test]
async fn the_answer_goes_to_standard_output_and_the_steps_to_standard_error() {
    let script = [
        calls_with_text("I look.", "read_file", json!({"path": "a.txt"})),
        says("It says hello."),
    ];
    let rig = Rig::start(script).await;
    let ended = rig.call(["run", "what is in a.txt?"]).await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "I look.\nIt says hello.\n"));
    assert!(ended.err.contains("· Read a.txt"), "{}", ended.err);
    assert!(ended.err.contains("· Session 2"), "{}", ended.err);
    assert_eq!(rig.model.requests()[0].last_user(), "what is in a.txt?");
    rig.assert_strict();
}

#[tokio::test]
async fn text_is_shown_while_the_model_still_speaks() {
    let gate = Gate::new();
    let rig = Rig::start([says_in_pieces(["First ", "half, ", "rest."]).hold_after(3, &gate)]).await;
    let mut child = rig.talariad(["run", "speak"]).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut seen = String::new();
    while seen != "First half, " {
        let mut bytes = [0; 64];
        let count = stdout.read(&mut bytes).await.unwrap();
        assert_ne!(count, 0, "it ended early: {seen}");
        seen.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
    }
    gate.open();
    stdout.read_to_string(&mut seen).await.unwrap();
    assert_eq!(seen, "First half, rest.\n");
    assert!(child.wait().await.unwrap().success());
}

#[tokio::test]
async fn control_characters_of_a_model_do_not_reach_the_terminal() {
    let rig = Rig::start([says("a\x1b]0;title\x07b")]).await;
    assert_eq!(rig.call(["run", "x"]).await.out, "a\u{fffd}]0;title\u{fffd}b\n");
}

#[tokio::test]
async fn the_project_is_the_current_folder_or_the_one_that_is_named() {
    let rig = Rig::start([calls("read_file", json!({"path": "b.txt"})), says("ok")]).await;
    let other = rig.home.project("other", [("b.txt", "there\n")]);
    let ended = rig.call(["run", "--project", other.to_str().unwrap(), "read b"]).await;
    assert_eq!(ended.code, Some(0));
    assert!(rig.model.requests()[1].tool_results()[0].contains("there"));
    assert!(rig.model.requests()[0].system().contains(other.to_str().unwrap()));
}

#[tokio::test]
async fn a_folder_that_cannot_be_used_is_named() {
    let rig = Rig::start([]).await;
    let missing = rig.call(["run", "--project", "no/such/folder", "x"]).await;
    assert_eq!(missing.code, Some(1));
    assert!(
        missing.err.contains("no/such/folder") && missing.err.contains("hint: "),
        "{}",
        missing.err
    );
    let file = rig.call(["run", "--project", "a.txt", "x"]).await;
    assert_eq!(file.code, Some(1));
    assert!(file.err.contains("a.txt is not a folder"), "{}", file.err);
    let json = rig.call(["run", "--json", "--project", "no/such/folder", "x"]).await;
    assert_eq!(json.result()["error"]["kind"], "not_found");
    assert_eq!(rig.model.request_count(), 0);
}

#[tokio::test]
async fn a_folder_that_was_deleted_under_the_program_is_told() {
    let rig = Rig::start([]).await;
    let gone = rig.home.project("gone", []);
    let mut command = rig.talariad(["run", "x"]);
    // The shell stands in the folder when it goes.
    command.current_dir(&gone);
    let mut shell = tokio::process::Command::new("sh");
    shell
        .args([
            "-c",
            "rmdir \"$PWD\"; exec \"$0\" run x",
            env!("CARGO_BIN_EXE_talariad"),
        ])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs(rig.home.env())
        .current_dir(&gone)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let ended = finish(shell).await;
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.err.contains("folder") && ended.err.contains("--project"),
        "{}",
        ended.err
    );
}

#[tokio::test]
async fn a_dash_reads_the_task_from_standard_input() {
    let rig = Rig::start([says("ok")]).await;
    let ended = rig.feed(["run", "-"], "first line\nsecond: ü".as_bytes()).await;
    assert_eq!(ended.code, Some(0));
    assert_eq!(rig.model.requests()[0].last_user(), "first line\nsecond: ü");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced_and_that_is_told() {
    let rig = Rig::start([says("ok")]).await;
    let ended = rig.feed(["run", "-"], b"caf\xe9 please").await;
    assert_eq!(ended.code, Some(0));
    assert!(ended.err.contains("not UTF-8"), "{}", ended.err);
    assert_eq!(rig.model.requests()[0].last_user(), "caf\u{fffd} please");
}

#[tokio::test]
async fn a_task_of_100_mb_is_refused_with_a_way_out() {
    let rig = Rig::start([]).await;
    let ended = rig.feed(["run", "-"], &vec![b'x'; 100_000_000]).await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("larger than 4 MiB"), "{}", ended.err);
    assert!(ended.err.contains("hint: Save it as a file"), "{}", ended.err);
    assert_eq!(rig.model.request_count(), 0);
}

#[tokio::test]
async fn a_wrong_command_line_ends_with_2() {
    let rig = Rig::start([]).await;
    for args in [
        &["run"][..],
        &["run", "a", "b"],
        &["run", "--approvals", "maybe", "x"],
        &["run", "--max-iterations", "0", "x"],
        &["run", "--typo"],
        &["run", ""],
        &["run", " \n"],
        &["fly"],
        &["serve"],
        &["tool", "call", "read_file"],
    ] {
        let ended = rig.call(args).await;
        assert_eq!(
            (ended.code, ended.out.as_str()),
            (Some(2), ""),
            "{args:?}: {}",
            ended.err
        );
        assert!(!ended.err.is_empty());
    }
    assert_eq!(rig.feed(["run", "-"], b"").await.code, Some(2));
    assert_eq!(rig.model.request_count(), 0);
}

#[tokio::test]
async fn help_names_the_exit_codes_and_an_example() {
    let home = TempHome::new();
    let help = |args: &'static [&'static str]| {
        let mut command = program(&home);
        command.args(args);
        finish(command)
    };
    let top = help(&["--help"]).await;
    assert_eq!(top.code, Some(0));
    for text in ["talariad run --model demo", "TALARIA_HOME", "sessions", "serve"] {
        assert!(top.out.contains(text), "{text}: {}", top.out);
    }
    let run = help(&["run", "--help"]).await;
    for text in [
        "130 interrupted",
        "--api-key-env <VAR>",
        "--max-iterations <N>",
        "exit_reason",
    ] {
        assert!(run.out.contains(text), "{text}: {}", run.out);
    }
    assert!(
        !home.path().join("state.db").exists(),
        "help must not touch the home folder"
    );
}

#[tokio::test]
async fn the_limit_of_model_calls_ends_a_run_with_1() {
    let replies = (0..2).map(|n| {
        calls(
            "todo",
            json!({"todos": [{"id": "1", "content": format!("{n}"), "status": "pending"}]}),
        )
    });
    let rig = Rig::start(replies.chain([says("So far.")])).await;
    let ended = rig.call(["run", "--json", "--max-iterations", "2", "loop"]).await;
    let result = ended.result();
    assert_eq!(result["exit_reason"], "max_iterations_reached(2/2)", "{result}");
    assert_eq!(rig.model.request_count(), 3, "two steps and a summary without tools");
    assert!(rig.model.requests()[2].tools().is_empty());
}

#[tokio::test]
async fn a_session_is_gone_on_with_by_its_id_or_its_beginning() {
    let rig = Rig::start([says("One."), says("Two."), says("Three.")]).await;
    let session = rig.call(["run", "--json", "first"]).await.session();
    let second = rig.call(["run", "--json", "--session", &session, "second"]).await;
    assert_eq!(second.session(), session);
    let third = rig
        .call(["run", "--session", &session[..session.len() - 2], "third"])
        .await;
    assert_eq!((third.code, third.out.as_str()), (Some(0), "Three.\n"));
    let texts: Vec<String> = rig.model.requests()[2]
        .messages()
        .iter()
        .filter(|message| message["role"] != "system")
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(texts, ["first", "One.", "second", "Two.", "third"]);
    rig.assert_strict();
}

#[tokio::test]
async fn a_session_keeps_its_folder_and_says_so() {
    let rig = Rig::start([says("One."), says("Two.")]).await;
    let other = rig.home.project("other", []);
    let session = rig.call(["run", "--json", "first"]).await.session();
    let ended = rig
        .call([
            "run",
            "--session",
            &session,
            "--project",
            other.to_str().unwrap(),
            "second",
        ])
        .await;
    assert_eq!(ended.code, Some(0));
    assert!(ended.err.contains("--project is not used"), "{}", ended.err);
    assert!(rig.model.requests()[1].system().contains(rig.project.to_str().unwrap()));
}

#[tokio::test]
async fn a_session_that_does_not_exist_is_told_with_a_way_out() {
    let rig = Rig::start([]).await;
    let ended = rig.call(["run", "--session", "20200101_000000_abcdef", "x"]).await;
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.err.contains("there is no session 20200101_000000_abcdef"),
        "{}",
        ended.err
    );
    assert!(ended.err.contains("talariad sessions list"), "{}", ended.err);
}

#[tokio::test]
async fn an_earlier_auto_run_does_not_make_the_next_one_less_careful() {
    let touch = |name: &str| calls("terminal", json!({"command": format!("touch {name}")}));
    let rig = Rig::start([touch("one"), says("done"), touch("two"), says("not done")]).await;
    let session = rig.call(["run", "--json", "--approvals", "auto", "a"]).await.session();
    assert!(rig.project.join("one").exists());
    let ended = rig.call(["run", "--session", &session, "b"]).await;
    assert_eq!(ended.code, Some(3));
    assert!(!rig.project.join("two").exists());
}
