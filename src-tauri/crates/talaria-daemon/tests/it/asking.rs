//! Questions on a terminal. A pseudo terminal comes from `script` of util-linux.

use crate::rig::Rig;
use serde_json::json;
use std::process::Stdio;
use std::time::Duration;
use talaria_testkit::{calls, says};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// The program on a terminal, with a person in front of it.
struct Screen {
    child: Child,
    keys: ChildStdin,
    screen: ChildStdout,
    text: String,
}

async fn has_script() -> bool {
    let version = Command::new("script").arg("--version").output().await;
    let found = version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("util-linux"));
    if !found {
        eprintln!("skipped: script of util-linux, which makes a terminal, is not there");
    }
    found
}

impl Screen {
    fn open(rig: &Rig, args: &str) -> Self {
        let mut child = Command::new("script")
            .args([
                "-qefc",
                &format!("exec '{}' {args}", env!("CARGO_BIN_EXE_talariad")),
                "/dev/null",
            ])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("SHELL", "/bin/sh")
            .envs(rig.home.env())
            .current_dir(&rig.project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let (keys, screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self {
            child,
            keys,
            screen,
            text: String::new(),
        }
    }

    /// Reads until `text` stands on the screen, and forgets what is before it.
    async fn see(&mut self, text: &str) {
        let seen = tokio::time::timeout(Duration::from_secs(20), async {
            loop {
                if let Some(at) = self.text.find(text) {
                    self.text.drain(..at + text.len());
                    return;
                }
                let mut bytes = [0; 4096];
                let count = self.screen.read(&mut bytes).await.unwrap();
                assert_ne!(count, 0, "the program ended before {text:?}: {}", self.text);
                self.text.push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        if seen.await.is_err() {
            panic!("{text:?} was never seen: {}", self.text);
        }
    }

    async fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).await.unwrap();
        self.keys.flush().await.unwrap();
    }

    async fn end(mut self) -> Option<i32> {
        let _ = tokio::time::timeout(Duration::from_secs(20), self.screen.read_to_string(&mut self.text)).await;
        self.child.wait().await.unwrap().code()
    }
}

fn touch(name: &str) -> talaria_testkit::Reply {
    calls("terminal", json!({"command": format!("touch {name}")}))
}

#[tokio::test]
async fn a_yes_runs_the_command_and_not_before() {
    if !has_script().await {
        return;
    }
    let rig = Rig::start([touch("made"), says("Made.")]).await;
    let mut screen = Screen::open(&rig, "run 'make it'");
    screen.see("touch made   (").await;
    screen.see("Allow? ").await;
    assert!(!rig.project.join("made").exists(), "it ran before it was allowed");
    screen.press("y\n").await;
    screen.see("Made.").await;
    assert_eq!(screen.end().await, Some(0));
    assert!(rig.project.join("made").exists());
}

#[tokio::test]
async fn a_no_never_runs_it_and_its_note_reaches_the_model() {
    if !has_script().await {
        return;
    }
    let rig = Rig::start([touch("made"), says("As you like.")]).await;
    let mut screen = Screen::open(&rig, "run 'make it'");
    screen.see("Allow? ").await;
    screen.press("use another name\n").await;
    screen.see("As you like.").await;
    assert_eq!(screen.end().await, Some(0), "a denial by a person is an answer");
    assert!(!rig.project.join("made").exists());
    assert!(rig.model.requests()[1].tool_results()[0].contains("use another name"));
}

#[tokio::test]
async fn what_was_typed_before_the_question_does_not_answer_it() {
    if !has_script().await {
        return;
    }
    let gate = talaria_testkit::Gate::new();
    let rig = Rig::start([touch("made").hold(&gate), says("Not made.")]).await;
    let mut screen = Screen::open(&rig, "run 'make it'");
    rig.model.wait_for_requests(1).await;
    screen.press("y\n").await;
    screen.see("y").await;
    gate.open();
    screen.see("Allow? ").await;
    screen.press("n\n").await;
    screen.see("Not made.").await;
    assert_eq!(screen.end().await, Some(0));
    assert!(!rig.project.join("made").exists());
}

#[tokio::test]
async fn ctrl_c_at_the_question_stops_the_run() {
    if !has_script().await {
        return;
    }
    let rig = Rig::start([touch("made"), says("never")]).await;
    let mut screen = Screen::open(&rig, "run 'make it'");
    screen.see("Allow? ").await;
    screen.press("\u{3}").await;
    assert_eq!(screen.end().await, Some(130));
    assert!(!rig.project.join("made").exists());
    assert_eq!(rig.model.request_count(), 1);
}

#[tokio::test]
async fn the_end_of_input_at_the_question_denies() {
    if !has_script().await {
        return;
    }
    let rig = Rig::start([touch("one"), touch("two"), says("Done.")]).await;
    let mut screen = Screen::open(&rig, "run 'make them'");
    screen.see("Allow? ").await;
    screen.press("\u{4}").await;
    screen.see("Allow? ").await;
    screen.press("o\n").await;
    screen.see("Done.").await;
    assert_eq!(screen.end().await, Some(0));
    assert_eq!(
        (rig.project.join("one").exists(), rig.project.join("two").exists()),
        (false, true)
    );
}

#[tokio::test]
async fn a_question_whose_time_is_over_is_taken_back() {
    if !has_script().await {
        return;
    }
    let rig = Rig::start([touch("one"), touch("two"), says("Done.")]).await;
    let config = std::fs::read_to_string(rig.home.path().join("config.yaml")).unwrap();
    rig.home.write_config(&format!("{config}approvals:\n  timeout: 1\n"));
    let mut screen = Screen::open(&rig, "run 'make them'");
    screen.see("Allow? ").await;
    screen.see("No answer is needed any more").await;
    screen.see("Allow? ").await;
    screen.press("o\n").await;
    screen.see("Done.").await;
    assert_eq!(screen.end().await, Some(3), "nobody answered the first one");
    assert_eq!(
        (rig.project.join("one").exists(), rig.project.join("two").exists()),
        (false, true)
    );
}

#[tokio::test]
async fn a_yes_for_the_session_is_not_asked_again() {
    if !has_script().await {
        return;
    }
    let rig = Rig::start([touch("made"), touch("made"), says("Twice.")]).await;
    let mut screen = Screen::open(&rig, "run 'make it twice'");
    screen.see("for this [s]ession").await;
    screen.press("s\n").await;
    screen.see("Twice.").await;
    assert_eq!(screen.end().await, Some(0));
}

#[tokio::test]
async fn a_question_of_the_model_is_answered_there() {
    if !has_script().await {
        return;
    }
    let ask = calls(
        "clarify",
        json!({"question": "Which colour?", "choices": ["red", "blue"]}),
    );
    let rig = Rig::start([ask, says("Blue.")]).await;
    let mut screen = Screen::open(&rig, "run paint");
    screen.see("2. blue").await;
    screen.see("Number or answer").await;
    screen.press("2\n").await;
    screen.see("Blue.").await;
    assert_eq!(screen.end().await, Some(0));
    assert!(rig.model.requests()[1].tool_results()[0].contains("blue"));
}

#[tokio::test]
async fn deny_on_a_terminal_does_not_ask() {
    if !has_script().await {
        return;
    }
    let rig = Rig::start([touch("made"), says("Not made.")]).await;
    let mut screen = Screen::open(&rig, "run --approvals deny 'make it'");
    screen.see("Not made.").await;
    assert_eq!(screen.end().await, Some(3));
    assert!(!rig.project.join("made").exists());
}

#[tokio::test]
async fn a_tool_call_asks_on_a_terminal_too() {
    if !has_script().await {
        return;
    }
    let rig = Rig::start([]).await;
    let mut screen = Screen::open(
        &rig,
        "tool call write_file '{\"path\": \"b.txt\", \"content\": \"new\\n\"}'",
    );
    screen.see("+ new").await;
    screen.see("Allow? ").await;
    screen.press("o\n").await;
    assert_eq!(screen.end().await, Some(0));
    assert_eq!(std::fs::read_to_string(rig.project.join("b.txt")).unwrap(), "new\n");
}
