//! What stops a run from outside, and what it leaves behind.

use crate::rig::{Rig, finish, group_lives, is_written, signal, until, wait};
use serde_json::json;
use std::process::Stdio;
use talaria_testkit::{Gate, calls, says, says_in_pieces};
use tokio::io::{AsyncBufReadExt, BufReader};

const STOPS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

#[tokio::test]
async fn a_signal_in_the_middle_of_a_stream_keeps_what_was_said() {
    for stop in STOPS {
        let gate = Gate::new();
        let rig = Rig::start([
            says_in_pieces(["Half ", "of it"]).hold_after(2, &gate),
            says("On we go."),
        ])
        .await;
        let mut child = rig.talariad(["run", "--json", "speak"]).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut seen = Vec::new();
        while let Some(line) = lines.next_line().await.unwrap() {
            let begun = line.contains("\"message.delta\"");
            seen.push(line);
            if begun {
                break;
            }
        }
        signal(&child, stop);
        while let Some(line) = lines.next_line().await.unwrap() {
            seen.push(line);
        }
        assert_eq!(wait(child).await.code, Some(130));
        let result: serde_json::Value = serde_json::from_str(seen.last().unwrap()).unwrap();
        assert_eq!(
            (&result["type"], &result["status"]),
            (&json!("result"), &json!("interrupted")),
            "{result}"
        );
        assert!(
            result["final_response"].as_str().unwrap().starts_with("Half"),
            "{result}"
        );
        gate.open();
        let session = result["session_id"].as_str().unwrap();
        let next = rig.call(["run", "--session", session, "go on"]).await;
        assert_eq!((next.code, next.out.as_str()), (Some(0), "On we go.\n"), "{next:?}");
        rig.assert_strict();
    }
}

#[tokio::test]
async fn a_signal_in_the_middle_of_a_command_leaves_no_process() {
    for stop in STOPS {
        // The command does not go at the first polite word.
        let command = "trap '' TERM; echo $$ > group; for i in 1 2 3 4 5 6; do sleep 10; done; touch late";
        let rig = Rig::start([calls("terminal", json!({"command": command})), says("On we go.")]).await;
        let group = rig.project.join("group");
        let child = rig
            .talariad(["run", "--json", "--approvals", "auto", "wait"])
            .spawn()
            .unwrap();
        until("the command runs", || is_written(&group)).await;
        signal(&child, stop);
        let ended = wait(child).await;
        assert_eq!(
            (ended.code, &ended.result()["status"]),
            (Some(130), &json!("interrupted")),
            "{ended:?}"
        );
        assert!(!group_lives(&group).await, "something of the command is left");
        let next = rig.call(["run", "--session", &ended.session(), "go on"]).await;
        assert_eq!(next.code, Some(0), "{next:?}");
        assert!(!rig.project.join("late").exists());
        rig.assert_strict();
    }
}

#[tokio::test]
async fn kill_9_loses_and_doubles_nothing() {
    let gate = Gate::new();
    let rig = Rig::start([
        says("One."),
        says_in_pieces(["Half ", "of it"]).hold_after(2, &gate),
        calls(
            "terminal",
            json!({"command": "echo run >> log; echo $$ > group; sleep 60"}),
        ),
        says("All there."),
    ])
    .await;
    let session = rig.call(["run", "--json", "first"]).await.session();
    let in_stream = rig.talariad(["run", "--json", "--session", &session, "second"]).spawn();
    let mut in_stream = in_stream.unwrap();
    let mut lines = BufReader::new(in_stream.stdout.take().unwrap()).lines();
    while !lines.next_line().await.unwrap().unwrap().contains("\"message.delta\"") {}
    signal(&in_stream, libc::SIGKILL);
    assert_eq!(wait(in_stream).await.code, None);
    gate.open();
    let group = rig.project.join("group");
    let args = ["run", "--approvals", "auto", "--session", &session, "third"];
    let in_tool = rig.talariad(args).spawn().unwrap();
    until("the command runs", || is_written(&group)).await;
    signal(&in_tool, libc::SIGKILL);
    assert_eq!(wait(in_tool).await.code, None);
    // What the dead program had started is nobody's any more.
    let orphan: i32 = std::fs::read_to_string(&group).unwrap().trim().parse().unwrap();
    // SAFETY: the call takes two integers; the group was made by this test's own program.
    unsafe { libc::kill(-orphan, libc::SIGKILL) };
    let ended = rig.call(["run", "--session", &session, "fourth"]).await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "All there.\n"), "{ended:?}");
    assert_eq!(std::fs::read_to_string(rig.project.join("log")).unwrap(), "run\n");
    rig.assert_strict();
    let shown = rig.call(["sessions", "show", "--json", &session]).await.json();
    let said: Vec<&str> = shown
        .iter()
        .filter(|row| row["type"] == "user")
        .filter_map(|row| row["text"].as_str())
        .collect();
    assert_eq!(said, ["first", "second", "third", "fourth"]);
}

#[tokio::test]
async fn a_second_signal_does_not_wait() {
    let gate = Gate::new();
    let rig = Rig::start([says("never").hold(&gate)]).await;
    let child = rig.talariad(["run", "speak"]).spawn().unwrap();
    rig.model.wait_for_requests(1).await;
    signal(&child, libc::SIGINT);
    signal(&child, libc::SIGTERM);
    let started = std::time::Instant::now();
    assert_eq!(wait(child).await.code, Some(130));
    assert!(started.elapsed() < std::time::Duration::from_secs(3));
}

#[tokio::test]
async fn a_run_that_was_told_to_outlive_its_terminal_does() {
    let gate = Gate::new();
    let rig = Rig::start([says("Done.").hold(&gate)]).await;
    let mut command = tokio::process::Command::new("sh");
    command
        .args([
            "-c",
            "trap '' HUP; exec \"$0\" run speak",
            env!("CARGO_BIN_EXE_talariad"),
        ])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs(rig.home.env())
        .current_dir(&rig.project)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    rig.model.wait_for_requests(1).await;
    signal(&child, libc::SIGHUP);
    gate.open();
    let ended = wait(child).await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "Done.\n"), "{ended:?}");
}

#[tokio::test]
async fn a_reader_that_leaves_neither_crashes_nor_stops_the_work() {
    for json in [true, false] {
        let gate = Gate::new();
        let rig = Rig::start([
            says_in_pieces(["line one\n", "line two\n"])
                .hold_after(2, &gate)
                .finish_reason("length"),
            calls("terminal", json!({"command": "touch made"})),
            says("all\nthe\nrest\n"),
        ])
        .await;
        let mut args = vec!["run", "--approvals", "auto", "work"];
        if json {
            args.insert(1, "--json");
        }
        let mut child = rig.talariad(args).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.next_line().await.unwrap().is_some());
        drop(lines);
        gate.open();
        let ended = wait(child).await;
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(!ended.err.contains("panicked"), "{ended:?}");
        assert!(rig.project.join("made").exists());
    }
}

#[tokio::test]
async fn listings_end_well_when_their_reader_leaves() {
    let rig = Rig::start((0..3).map(|_| says("ok"))).await;
    for _ in 0..3 {
        rig.call(["run", "x"]).await;
    }
    for args in [
        &["sessions", "list"][..],
        &["tools", "list"],
        &["tools", "list", "--json"],
        &["tool", "call", "todo", "{}"],
    ] {
        let mut child = rig.talariad(args).spawn().unwrap();
        drop(child.stdout.take());
        let ended = wait(child).await;
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[tokio::test]
async fn output_that_cannot_be_written_is_told() {
    if !std::path::Path::new("/dev/full").exists() {
        eprintln!("skipped: this system has no /dev/full");
        return;
    }
    for args in [
        &["sessions", "list"][..],
        &["tools", "list"],
        &["run", "--json", "x"],
        &["run", "x"],
    ] {
        let rig = Rig::start([says("ok"), says("ok")]).await;
        rig.call(["run", "first"]).await;
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = rig.talariad(args);
        command.stdout(full);
        let ended = finish(command).await;
        assert_eq!(ended.code, Some(1), "{args:?}: {ended:?}");
        assert!(
            ended.err.contains("standard output cannot be written"),
            "{args:?}: {}",
            ended.err
        );
        assert!(!ended.err.contains("panicked"));
    }
}

#[tokio::test]
async fn two_runs_at_once_on_one_home_do_not_harm_each_other() {
    let gate = Gate::new();
    let rig = Rig::start((0..8).map(|n| says(format!("answer {n}")).hold(&gate))).await;
    let children: Vec<_> = (0..4)
        .map(|n| rig.talariad(["run", "--json", &format!("task {n}")]).spawn().unwrap())
        .collect();
    rig.model.wait_for_requests(4).await;
    gate.open();
    let mut sessions = Vec::new();
    for child in children {
        let ended = wait(child).await;
        assert_eq!(ended.code, Some(0), "{ended:?}");
        sessions.push(ended.session());
    }
    sessions.sort();
    sessions.dedup();
    assert_eq!(sessions.len(), 4);
    let list = rig.call(["sessions", "list", "--json"]).await.json();
    assert_eq!(list.len(), 4);
    assert!(list.iter().all(|session| session["message_count"] == 2), "{list:?}");
}

#[tokio::test]
async fn a_session_in_which_another_run_works_is_busy() {
    let gate = Gate::new();
    let rig = Rig::start([says("One."), says("Two.").hold(&gate), says("Three.")]).await;
    let session = rig.call(["run", "--json", "first"]).await.session();
    let child = rig.talariad(["run", "--session", &session, "second"]).spawn().unwrap();
    rig.model.wait_for_requests(2).await;
    let busy = rig.call(["run", "--json", "--session", &session, "third"]).await;
    assert_eq!(
        (busy.code, &busy.result()["error"]["kind"]),
        (Some(1), &json!("busy")),
        "{busy:?}"
    );
    gate.open();
    assert_eq!(wait(child).await.out, "Two.\n");
    let after = rig.call(["run", "--session", &session, "third"]).await;
    assert_eq!(after.out, "Three.\n", "{after:?}");
    rig.assert_strict();
}
