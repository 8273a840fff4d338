//! The real `talariad`: its start, its memory, and what it prints a second.

use crate::bare::{Exchange, bash};
use crate::row::{Bar, Row, Rows, Spread};
use crate::script;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use talaria_testkit::{Chunking, Script, ScriptedModel, TempHome, stream_of};

/// Starts of each kind.
const STARTS: usize = 200;
/// Turns after which memory is looked at.
const TURNS: usize = 100;
/// Deltas of a stream, and streams of each kind.
const DELTAS: usize = 500_000;
const STREAMS: usize = 7;
/// A stream that takes longer hangs, which is a fault and no figure.
const PATIENCE: Duration = Duration::from_secs(60);

struct Place {
    home: TempHome,
    project: PathBuf,
}

impl Place {
    fn new() -> Self {
        let home = TempHome::new();
        let project = home.project("project", [("README.md", "A project.\n")]);
        Self { home, project }
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .envs(self.home.env());
        command
            .current_dir(&self.project)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit());
        command
    }

    fn run(&self, program: &Path, model: &ScriptedModel) -> Command {
        let mut command = self.command(program);
        // Notes for a person; how the run ended is in its exit status.
        command.stderr(Stdio::null());
        command.args([
            "run",
            "--model",
            "scripted",
            "--approvals",
            "auto",
            "--base-url",
            &model.base_url(),
        ]);
        command
    }
}

/// From the start of the process to its first request, in a home that is new and in one that was used.
pub fn start(program: &Path, rows: &mut Rows) {
    let model = ScriptedModel::start_blocking(Script::new([script::says()]).cycle());
    let warm = Place::new();
    let measure = |place: &Place| {
        let mut command = place.run(program, &model);
        let begun = Instant::now();
        let mut child = command.arg("hello").spawn().unwrap();
        assert!(child.wait().unwrap().success());
        let ended = begun.elapsed().as_secs_f64() * 1e3;
        let arrived = model.requests().last().unwrap().at();
        (arrived.duration_since(begun).as_secs_f64() * 1e3, ended)
    };
    measure(&warm);
    let mut times = [Vec::new(), Vec::new()];
    let mut bare = Vec::new();
    for _ in 0..STARTS {
        times[0].push(measure(&Place::new()));
        times[1].push(measure(&warm));
        bare.push(bash().as_secs_f64() * 1e3);
    }
    let bare = Spread::of(bare);
    for (name, times) in [("new home", &times[0]), ("used home", &times[1])] {
        let first = Spread::of(times.iter().map(|(first, _)| *first));
        let whole = Spread::of(times.iter().map(|(_, whole)| *whole));
        rows.add(Row {
            what: &format!("talariad run: start to first request, {name}"),
            unit: "ms",
            ours: first.median,
            baseline: None,
            bar: Bar::AtMost(25.0),
            reference: "2,600 ms; 161 ms",
            detail: json!({"runs": STARTS, "min": first.min, "to_the_end": whole.median, "bash_c_true": bare.median}),
        });
    }
}

/// `talariad serve --stdio` with a client that sends one frame a line.
struct Serve {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Serve {
    fn start(place: &Place, program: &Path) -> Self {
        let mut command = place.command(program);
        let mut child = command
            .args(["serve", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            input,
            output,
            next: 0,
        }
    }

    fn frame(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "talariad has ended");
        serde_json::from_str(&line).unwrap()
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        writeln!(
            self.input,
            "{}",
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        )
        .unwrap();
        loop {
            let mut frame = self.frame();
            if frame["id"] == id {
                assert!(frame["error"].is_null(), "{frame}");
                return frame["result"].take();
            }
        }
    }

    fn turn(&mut self, session: &Value) {
        self.call(
            "prompt.submit",
            json!({"session_id": session, "text": "Run true, please.", "when_busy": "queue"}),
        );
        loop {
            let frame = self.frame().to_string();
            if frame.contains("\"message.complete\"") {
                return;
            }
        }
    }

    /// Resident and proportional size in MiB, and the largest resident size so far.
    fn memory(&self) -> (f64, f64, f64) {
        let proc = Path::new("/proc").join(self.child.id().to_string());
        let field = |file: &str, name: &str| {
            let text = std::fs::read_to_string(proc.join(file)).unwrap_or_default();
            let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
            let kib = line.split_whitespace().nth(1).and_then(|kib| kib.parse::<f64>().ok());
            kib.map_or(f64::NAN, |kib| kib / 1024.0)
        };
        (
            field("smaps_rollup", "Rss:"),
            field("smaps_rollup", "Pss:"),
            field("status", "VmHWM:"),
        )
    }
}

/// Memory after many turns, and that all of them used one connection.
pub fn memory(program: &Path, rows: &mut Rows) {
    let place = Place::new();
    let model = script::model("terminal", |_| json!({"command": "true"}).to_string());
    let mut serve = Serve::start(&place, program);
    let hello = json!({"protocol": "1.0", "app_version": "bench", "client": "cli"});
    serve.call("client.hello", hello);
    let (fresh, ..) = serve.memory();
    let route = json!({"provider": "custom", "model": "scripted", "base_url": model.base_url(), "api_key_env": null});
    let create = json!({"project_dir": place.project, "model": route, "approval_mode": "auto"});
    let session = serve.call("session.create", create)["session"]["session_id"].clone();
    let begun = Instant::now();
    for _ in 0..TURNS {
        serve.turn(&session);
    }
    let spent = begun.elapsed().as_secs_f64() * 1e3 / TURNS as f64;
    let (rss, pss, peak) = serve.memory();
    rows.add(Row {
        what: &format!("talariad serve: resident after {TURNS} turns"),
        unit: "MiB",
        ours: rss,
        baseline: None,
        bar: Bar::AtMost(20.0),
        reference: "122 MB; 158 MB",
        detail: json!({"proportional": pss, "peak": peak, "before_the_first_turn": fresh, "ms_a_turn_over_stdio": spent}),
    });
    rows.add(Row {
        what: &format!("talariad serve: model connections of {TURNS} turns"),
        unit: "",
        ours: model.connections() as f64,
        baseline: None,
        bar: Bar::AtMost(1.0),
        reference: "",
        detail: json!({"requests": model.request_count()}),
    });
    drop(serve.input);
    assert!(serve.child.wait().unwrap().success());
}

/// Deltas a second from the first request to the end of the output, against a client that only reads the same bytes.
pub fn deltas(program: &Path, rows: &mut Rows) {
    let cuts = [
        ("16 KiB pieces", Chunking::PIECES_16_KIB),
        ("one HTTP chunk an event", Chunking::PerEvent),
    ];
    for (cut, chunking) in cuts {
        let model = ScriptedModel::start_blocking(Script::new([stream_of(DELTAS).chunking(chunking)]).cycle());
        let mut spent = [Vec::new(), Vec::new()];
        let mut bare = Vec::new();
        for _ in 0..STREAMS {
            for (spent, flag) in spent.iter_mut().zip(["--json", ""]) {
                spent.push(stream(program, &model, flag));
            }
            bare.push(
                Exchange::open(&model)
                    .drain(br#"{"model":"scripted","stream":true,"messages":[]}"#)
                    .as_secs_f64(),
            );
        }
        let rate = |seconds: f64| DELTAS as f64 / seconds;
        let bare = Spread::of(bare);
        for (form, spent) in ["--json", "human"].into_iter().zip(spent) {
            let spent = Spread::of(spent);
            rows.add(Row {
                what: &format!("talariad run, {form}: streamed deltas a second, {cut}"),
                unit: "/s",
                ours: rate(spent.median),
                baseline: Some(rate(bare.median)),
                bar: match chunking {
                    Chunking::Pieces(_) => Bar::AtLeast(250_000.0),
                    Chunking::PerEvent => Bar::Told,
                },
                reference: "",
                detail: json!({"deltas": DELTAS, "streams": STREAMS, "best": rate(spent.min), "baseline": "reading the bytes"}),
            });
        }
    }
}

fn stream(program: &Path, model: &ScriptedModel, flag: &str) -> f64 {
    let place = Place::new();
    let mut command = place.run(program, model);
    if !flag.is_empty() {
        command.arg(flag);
    }
    let mut child = command.arg("go").stdout(Stdio::piped()).spawn().unwrap();
    let output = child.stdout.take().unwrap();
    let (tell, told) = mpsc::channel();
    let reader = std::thread::spawn(move || tell.send((count(output), Instant::now())));
    let Ok((bytes, ended)) = told.recv_timeout(PATIENCE) else {
        child.kill().unwrap();
        panic!("talariad run did not end within {PATIENCE:?}");
    };
    reader.join().unwrap().unwrap();
    assert!(child.wait().unwrap().success());
    assert!(bytes >= DELTAS * " word".len(), "only {bytes} bytes came out");
    ended
        .duration_since(model.requests().last().unwrap().at())
        .as_secs_f64()
}

fn count(mut output: ChildStdout) -> usize {
    let mut held = vec![0; 64 * 1024];
    let mut bytes = 0;
    loop {
        match output.read(&mut held).unwrap() {
            0 => return bytes,
            read => bytes += read,
        }
    }
}
