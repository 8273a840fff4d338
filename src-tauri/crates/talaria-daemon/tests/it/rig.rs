//! The program with a home, a project folder and a scripted model of its own.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use talaria_testkit::{Script, ScriptedModel, TempHome};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

/// How long a condition of a test may take.
const LIMIT: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(10);

pub struct Rig {
    pub home: TempHome,
    pub project: PathBuf,
    pub model: ScriptedModel,
}

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ended {
    /// Lines of standard output as JSON.
    pub fn json(&self) -> Vec<Value> {
        let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.out.lines().map(read).collect()
    }

    /// The last line.
    pub fn result(&self) -> Value {
        let result = self.json().pop().unwrap_or_else(|| panic!("no line: {self:?}"));
        assert_eq!(result["type"], "result", "{self:?}");
        result
    }

    /// Id of the session, from the last line.
    pub fn session(&self) -> String {
        self.result()["session_id"].as_str().unwrap().to_owned()
    }
}

impl Rig {
    /// A home whose configuration names the scripted model.
    pub async fn start(script: impl Into<Script>) -> Self {
        let model = ScriptedModel::start(script).await;
        let home = TempHome::with_model(&model.base_url());
        let project = home.project("project", [("a.txt", "hello\n")]);
        Self { home, project, model }
    }

    /// The program in the project folder, with nothing of this process's environment but the search path.
    pub fn talariad<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = program(&self.home);
        command.args(args).current_dir(&self.project);
        command
    }

    /// Runs the program to its end.
    pub async fn call<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ended {
        finish(self.talariad(args)).await
    }

    /// Runs the program to its end with something on standard input.
    pub async fn feed<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>, input: &[u8]) -> Ended {
        let mut child = self.talariad(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let feed = async move {
            // The program may stop reading before the end.
            let _ = stdin.write_all(input).await;
        };
        let (ended, ()) = tokio::join!(wait(child), feed);
        ended
    }

    /// Whether a strict provider would have taken every request.
    pub fn assert_strict(&self) {
        for (number, request) in self.model.requests().iter().enumerate() {
            assert_eq!(
                talaria_testkit::strict_request(request.json()),
                None,
                "request {number}"
            );
        }
    }
}

/// The program on a home.
pub fn program(home: &TempHome) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_talariad"));
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs(home.env())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

pub async fn finish(mut command: Command) -> Ended {
    wait(command.spawn().unwrap()).await
}

pub async fn wait(child: Child) -> Ended {
    let output = tokio::time::timeout(LIMIT, child.wait_with_output()).await;
    let output = output.expect("the program does not end").unwrap();
    Ended {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Waits until something holds.
pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = std::time::Instant::now();
    while !holds() {
        assert!(started.elapsed() < LIMIT, "it never happened: {what}");
        tokio::time::sleep(POLL).await;
    }
}

/// Sends a signal.
pub fn signal(child: &Child, signal: libc::c_int) {
    let pid = i32::try_from(child.id().unwrap()).unwrap();
    // SAFETY: the call takes two integers, and the child is ours and not waited for yet.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

/// Whether a process of the group that a script wrote into `file` still runs. Dead ones that nobody has reaped yet do not
/// count; where there is no `/proc` to tell them apart, they get a moment.
pub async fn group_lives(file: &Path) -> bool {
    let group: i32 = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
    match std::fs::read_dir("/proc") {
        Ok(processes) => processes.flatten().any(|process| {
            let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
            // The name before the bracket may hold anything; behind it stand state, parent and group.
            let mut words = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
            let (state, _parent, of) = (words.next(), words.next(), words.next());
            of == Some(&*group.to_string()) && !matches!(state, Some("Z" | "X"))
        }),
        Err(_) => {
            tokio::time::sleep(Duration::from_millis(500)).await;
            // SAFETY: signal 0 only asks.
            unsafe { libc::kill(-group, 0) == 0 }
        }
    }
}

/// Whether the file is there with something in it.
pub fn is_written(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|meta| meta.len() > 0)
}
