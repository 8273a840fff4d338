use super::*;
use crate::LocalBackend;
use std::path::PathBuf;
use std::time::Instant;
use tempfile::TempDir;

/// An environment in a folder of its own.
struct Place {
    folder: TempDir,
    environment: Environment,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let options = EnvironmentOptions::new(root.to_str().unwrap());
        let environment = Environment::new(Arc::new(LocalBackend::new()), options);
        Self { folder, environment }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    async fn run(&self, command: &str) -> CommandResult {
        self.with(RunRequest::new(command)).await
    }

    async fn with(&self, request: RunRequest<'_>) -> CommandResult {
        self.environment.run(request, &CancellationToken::new()).await.unwrap()
    }

    async fn says(&self, command: &str) -> String {
        self.run(command).await.output
    }

    /// The processes that still have this place's mark in their environment.
    async fn left(&self) -> Vec<String> {
        let mark = format!("PLACE_MARK={}", self.root().display());
        let mut left = Vec::new();
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let path = entry.path();
            let environ = std::fs::read(path.join("environ")).unwrap_or_default();
            if environ.windows(mark.len()).any(|window| window == mark.as_bytes()) {
                left.push(std::fs::read_to_string(path.join("cmdline")).unwrap_or_default());
            }
        }
        left
    }

    async fn mark(&self) {
        let command = format!("export PLACE_MARK='{}'", self.root().display());
        assert_eq!(self.run(&command).await.exit_code, 0);
    }
}

fn capped(command: &str) -> RunRequest<'_> {
    RunRequest {
        cap: OutputCap::Chars(50_000),
        text: TextForm::Plain,
        ..RunRequest::new(command)
    }
}

fn timed(command: &str, timeout: Duration) -> RunRequest<'_> {
    RunRequest {
        timeout,
        ..RunRequest::new(command)
    }
}

#[tokio::test]
async fn exports_and_folder_persist_over_calls() {
    let place = Place::new();
    let result = place
        .run("mkdir -p 'sub dir' && cd 'sub dir' && export GREETING='hi  there' ; unset LANG")
        .await;
    assert_eq!(result.exit_code, 0, "{}", result.output);
    assert_eq!(result.cwd, place.root().join("sub dir").to_str().unwrap());
    assert_eq!(
        place.says("echo \"$GREETING|${LANG-none}\"; pwd").await,
        format!("hi  there|none\n{}\n", place.root().join("sub dir").display())
    );
    assert_eq!(
        place.says("cd - >/dev/null; cd ..; pwd").await,
        format!("{}\n", place.root().parent().unwrap().display())
    );
}

#[tokio::test]
async fn values_with_every_byte_persist() {
    let place = Place::new();
    place
        .run("export ODD=$'a\\n\\t\\001\"`$(x)\\\\ \\303\\251\\377 end'")
        .await;
    place.run("cd /; true").await;
    assert_eq!(
        place.says("printf %s \"$ODD\" | od -An -tx1 | tr -d ' \\n'").await,
        "610a09012260242878295c20c3a9ff20656e64"
    );
}

#[tokio::test]
async fn ends_of_every_kind_keep_their_code_and_the_state_before() {
    let place = Place::new();
    for (command, code) in [
        ("cd /tmp; exit 3", 3),
        ("cd /tmp; exec false", 1),
        ("cd /tmp; kill -9 $$", 137),
        ("set -e; cd /tmp; false; echo unreached", 1),
    ] {
        let result = place.run(command).await;
        assert_eq!((result.exit_code, result.end), (code, CommandEnd::Exited), "{command}");
        assert_eq!(Path::new(&result.cwd), place.root(), "{command}");
        assert_eq!(result.output, "", "{command}");
    }
    let result = place.run("if true; then echo").await;
    assert_eq!(result.exit_code, 2);
    assert!(result.output.contains("syntax error"), "{}", result.output);
    assert_eq!(place.run("no_such_program_here").await.exit_code, 127);
}

#[tokio::test]
async fn text_reaches_the_shell_as_it_is() {
    let place = Place::new();
    assert_eq!(
        place.says("cat <<'E'\nit's \"$HOME\" `x` \\\nE\necho 'a'\\''b'").await,
        "it's \"$HOME\" `x` \\\na'b\n"
    );
    assert_eq!(place.says("set -x; :").await, "++ :\n");
    assert_eq!(place.says("trap 'echo bye' EXIT; echo hi").await, "hi\nbye\n");
    assert_eq!(place.says("ls /proc/self/fd | grep -c '^99$'; true").await, "0\n");
    let long = format!("echo {}", "y".repeat(200 * 1024));
    assert_eq!(place.says(&long).await.len(), 200 * 1024 + 1);
}

#[tokio::test]
async fn a_folder_of_any_name_works_for_one_command_alone() {
    let place = Place::new();
    for name in ["it's", "$HOME;x", "new\nline", "-dash", "日本 é", "\"q\" `id`"] {
        let folder = place.root().join(name);
        std::fs::create_dir(&folder).unwrap();
        let workdir = Some(folder.to_str().unwrap().to_owned());
        let result = place
            .with(RunRequest {
                workdir,
                ..RunRequest::new("pwd && cd / && export SEEN=1")
            })
            .await;
        assert_eq!(result.output, format!("{}\n", folder.display()));
        assert_eq!(Path::new(&result.cwd), place.root());
    }
    assert_eq!(place.says("echo $SEEN").await, "1\n");
    let result = place
        .with(RunRequest {
            workdir: Some("-dash".into()),
            ..RunRequest::new("pwd")
        })
        .await;
    assert_eq!(result.output, format!("{}/-dash\n", place.root().display()));
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_126_and_nothing_runs() {
    let place = Place::new();
    let result = place
        .with(RunRequest {
            workdir: Some("/no/such".into()),
            ..RunRequest::new("touch ran")
        })
        .await;
    assert_eq!((result.exit_code, result.end), (126, CommandEnd::NoFolder));
    assert_eq!(
        result.output,
        "The folder /no/such cannot be entered: no such file or directory. Nothing was run. \
         Check the path, or leave workdir out to use the current folder."
    );
    assert!(!place.root().join("ran").exists());
}

#[tokio::test]
async fn a_deleted_project_folder_is_named_and_nothing_runs_elsewhere() {
    let place = Place::new();
    let root = place.root();
    std::fs::remove_dir(&root).unwrap();
    for command in ["pwd", "pwd; true"] {
        let result = place.run(command).await;
        assert_eq!((result.exit_code, result.end), (126, CommandEnd::NoFolder));
        assert!(
            result
                .output
                .starts_with(&format!("The project folder {} cannot be entered", root.display())),
            "{}",
            result.output
        );
    }
    std::fs::create_dir(&root).unwrap();
    assert_eq!(place.says("pwd").await, format!("{}\n", root.display()));
}

#[tokio::test]
async fn a_folder_deleted_by_a_command_gives_way_to_its_parent() {
    let place = Place::new();
    place.run("mkdir -p a/b/c && cd a/b/c").await;
    place.run("rm -r ../../b").await;
    assert_eq!(place.says("pwd").await, format!("{}/a\n", place.root().display()));
}

#[tokio::test]
async fn input_is_handed_over() {
    let place = Place::new();
    let stdin = Some("zwei\r\nzeilen\0".as_bytes().to_vec());
    assert_eq!(
        place
            .with(RunRequest {
                stdin,
                ..RunRequest::new("od -An -c | tr -d ' \\n'")
            })
            .await
            .output,
        "zwei\\r\\nzeilen\\0"
    );
    assert_eq!(
        place.says("read -r line || echo \"no input\"; echo over").await,
        "no input\nover\n"
    );
}

#[tokio::test]
async fn a_grandchild_with_the_pipe_costs_moments() {
    let place = Place::new();
    place.mark().await;
    let start = Instant::now();
    let result = place.run("sleep 3 & echo hi").await;
    assert!(start.elapsed() < Duration::from_millis(1_000), "{:?}", start.elapsed());
    assert_eq!((result.output.as_str(), result.exit_code), ("hi\n", 0));
    assert_eq!(place.left().await.len(), 1);
}

#[tokio::test]
async fn a_grandchild_that_never_stops_writing_does_not_hold_the_end() {
    let place = Place::new();
    let start = Instant::now();
    let result = place.with(capped("timeout 3 yes & sleep 0.1; echo hi")).await;
    assert!(start.elapsed() < Duration::from_millis(2_000), "{:?}", start.elapsed());
    assert_eq!((result.exit_code, result.end), (0, CommandEnd::Exited));
}

#[tokio::test]
async fn running_out_of_time_ends_the_whole_group() {
    let place = Place::new();
    place.mark().await;
    let start = Instant::now();
    let command = "echo started; (trap '' TERM; while :; do sleep 0.1; done) & sleep 300 | sleep 300";
    let result = place.with(timed(command, Duration::from_secs(1))).await;
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(
        (result.output.as_str(), result.exit_code, result.end),
        ("started\n\n[Command timed out after 1s]", 124, CommandEnd::TimedOut)
    );
    assert_eq!(place.left().await, Vec::<String>::new());
    let result = place.with(timed("sleep 300", Duration::from_secs(1))).await;
    assert_eq!(result.output, "[Command timed out after 1s]");
}

#[tokio::test]
async fn an_interrupt_returns_at_once_and_leaves_no_child() {
    let place = Place::new();
    place.mark().await;
    let cancel = CancellationToken::new();
    let mut cancelled_at = None;
    let mut on_output = |_: &str| {
        cancel.cancel();
        cancelled_at.get_or_insert_with(Instant::now);
    };
    let request = RunRequest {
        on_output: Some(&mut on_output),
        ..RunRequest::new("trap '' TERM; echo ready; while :; do sleep 0.1; done")
    };
    let result = place.environment.run(request, &cancel).await.unwrap();
    assert!(cancelled_at.unwrap().elapsed() < Duration::from_millis(200));
    assert_eq!(
        (result.output.as_str(), result.exit_code, result.end),
        ("ready\n\n[Command interrupted]", 130, CommandEnd::Interrupted)
    );
    let start = Instant::now();
    place.environment.shutdown().await;
    assert!(start.elapsed() < Duration::from_secs(4));
    assert_eq!(place.left().await, Vec::<String>::new());
    assert_eq!(place.says("echo still here").await, "still here\n");
}

#[tokio::test]
async fn a_dropped_run_leaves_no_child() {
    let place = Place::new();
    place.mark().await;
    let run = place.run("sleep 300 & sleep 300");
    assert!(tokio::time::timeout(Duration::from_millis(100), run).await.is_err());
    place.environment.shutdown().await;
    assert_eq!(place.left().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_cancelled_token_runs_nothing() {
    let place = Place::new();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let result = place
        .environment
        .run(RunRequest::new("touch ran"), &cancel)
        .await
        .unwrap();
    assert_eq!(result.end, CommandEnd::Interrupted);
    assert!(!place.root().join("ran").exists());
}

#[tokio::test]
async fn a_line_of_100_mb_is_counted_and_cut() {
    let place = Place::new();
    let result = place.with(capped("head -c 100000000 /dev/zero | tr '\\0' x")).await;
    assert_eq!(
        (result.total_bytes, result.total_lines, result.omitted_chars),
        (100_000_000, 1, 99_950_000)
    );
    let notice = "... [OUTPUT TRUNCATED - 99,950,000 chars omitted out of 100,000,000 total] ...";
    assert!(result.output.contains(notice));
    assert_eq!(result.output.len(), 50_000 + notice.len() + 4);
    assert!(result.display.len() <= 64 * 1024 && result.display_cut);
}

#[tokio::test]
async fn binary_output_is_text_in_the_end() {
    let place = Place::new();
    let result = place.with(capped("head -c 3000000 /dev/urandom")).await;
    assert_eq!((result.total_bytes, result.exit_code), (3_000_000, 0));
    assert!(!result.output.contains('\u{1b}'));
    assert!(result.output.chars().count() < 50_200);
    assert!(!result.display.contains('\0'));
}

#[tokio::test]
async fn commands_side_by_side_keep_each_others_exports() {
    let place = Place::new();
    let commands: Vec<_> = (0..20)
        .map(|number| format!("export N{number}={number}; sleep 0.1"))
        .collect();
    futures::future::join_all(commands.iter().map(|command| place.run(command))).await;
    let seen = place
        .says("for i in {0..19}; do n=N$i; printf '%s ' \"${!n}\"; done")
        .await;
    assert_eq!(seen, (0..20).map(|number| format!("{number} ")).collect::<String>());
}

#[tokio::test]
async fn a_huge_export_does_not_end_the_session() {
    let place = Place::new();
    place
        .run("export HUGE=$(head -c 300000 /dev/zero | tr '\\0' x) OTHER=kept")
        .await;
    assert_eq!(place.says("ls / >/dev/null && echo \"$OTHER${HUGE-}\"").await, "kept\n");
}

#[tokio::test]
async fn without_a_shell_that_hands_back_state_a_command_still_finds_its_folder() {
    let text = wrapper::command("echo it's", false, "/a b", true);
    assert_eq!(text, "cd -- '/a b' || exit 126\neval 'echo it'\\''s'");
}
