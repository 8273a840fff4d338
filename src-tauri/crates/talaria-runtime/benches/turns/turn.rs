//! Turns in this process, as `talariad run` and the window have them.

use crate::bare::{Commits, Exchange, bash};
use crate::row::{Bar, Row, Rows, Spread};
use crate::script;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use talaria_bridge::Delivery;
use talaria_protocol::*;
use talaria_runtime::{LocalClient, Runtime, RuntimeOptions};
use talaria_testkit::{ScriptedModel, TempHome};

/// Turns of each kind.
const TURNS: usize = 300;
/// Turns of one session, so that the history stays short where growth is not the question.
const PER_SESSION: usize = 25;
/// Turns of the session that grows, and how many at either end are compared.
const LONG: usize = 300;
const END: usize = 50;

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    True,
    ReadFile,
}

impl Kind {
    fn model(self) -> ScriptedModel {
        match self {
            Kind::True => script::model("terminal", |_| json!({"command": "true"}).to_string()),
            // Another file each time: what is known already is not read again.
            Kind::ReadFile => script::model("read_file", |number| {
                json!({"path": format!("file{number}.txt")}).to_string()
            }),
        }
    }
}

/// How the runtime is driven.
#[derive(Clone, Copy)]
enum Host {
    /// One thread, as `talariad run`.
    Command,
    /// Two workers, as `serve`; the window is alike.
    Server,
}

impl Host {
    fn runtime(self) -> tokio::runtime::Runtime {
        let mut builder = match self {
            Host::Command => tokio::runtime::Builder::new_current_thread(),
            Host::Server => {
                let mut builder = tokio::runtime::Builder::new_multi_thread();
                builder.worker_threads(2);
                builder
            }
        };
        builder.enable_all().build().unwrap()
    }
}

struct Rig {
    client: Arc<LocalClient>,
    host: tokio::runtime::Runtime,
    model: ScriptedModel,
    folder: TempHome,
    project: std::path::PathBuf,
}

impl Rig {
    fn start(kind: Kind, host: Host, files: usize) -> Self {
        let folder = TempHome::new();
        let project = folder.project("project", []);
        if kind == Kind::ReadFile {
            for number in 0..files {
                std::fs::write(
                    project.join(format!("file{number}.txt")),
                    format!("line of file {number}\n").repeat(20),
                )
                .unwrap();
            }
        }
        let host = host.runtime();
        let options = RuntimeOptions {
            home: Some(folder.path()),
            ..RuntimeOptions::command()
        };
        let client = host.block_on(async {
            let runtime = Runtime::start(options)
                .await
                .unwrap_or_else(|failure| panic!("{}", failure.error));
            LocalClient::connect(runtime, "cli", &[]).await.unwrap().0
        });
        Self {
            client: Arc::new(client),
            host,
            model: kind.model(),
            folder,
            project,
        }
    }

    fn session(&self) -> SessionId {
        let params = SessionCreateParams {
            project_dir: Some(self.project.display().to_string()),
            model: Some(ModelRoute {
                provider: "custom".into(),
                model: "scripted".into(),
                base_url: Some(self.model.base_url()),
                api_key_env: None,
            }),
            approval_mode: Some(ApprovalMode::Auto),
            max_iterations: None,
        };
        let create = self.client.runtime().session_create(self.client.id(), params);
        self.host.block_on(create).unwrap().session.session_id
    }

    /// From the message to the event that says that the turn has ended, which comes when that is durable.
    fn turn(&self, session: &SessionId) -> Duration {
        let (client, session_id) = (Arc::clone(&self.client), session.clone());
        // In a task of the pool: a thread that blocks on a runtime of several threads is woken by a detour.
        let mut task = tokio::task::JoinSet::new();
        task.spawn_on(turn(client, session_id), self.host.handle());
        self.host.block_on(async { task.join_next().await.unwrap().unwrap() })
    }

    fn stop(self) {
        let Self {
            client,
            host,
            model,
            folder,
            ..
        } = self;
        host.block_on(client.runtime().shutdown());
        drop((client, model));
        drop(folder);
    }
}

async fn turn(client: Arc<LocalClient>, session_id: SessionId) -> Duration {
    let begun = Instant::now();
    let params = PromptSubmitParams {
        session_id,
        text: "Run true, please.".into(),
        when_busy: WhenBusy::Steer,
        client_token: None,
    };
    client.runtime().prompt_submit(client.id(), params).await.unwrap();
    loop {
        for delivery in client.next().await {
            if let Delivery::Event(event) = delivery
                && let CoreEvent::MessageComplete { status, error, .. } = &event.frame.event
            {
                let spent = begun.elapsed();
                assert_eq!(*status, TurnStatus::Complete, "{error:?}");
                return spent;
            }
        }
    }
}

/// One turn and the steps of its baseline, in milliseconds.
struct Pair {
    ours: f64,
    bash: f64,
    exchanges: [f64; 2],
    commit: f64,
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn body(bytes: usize) -> Vec<u8> {
    let text = "x".repeat(bytes);
    json!({"model": "scripted", "stream": true, "messages": [{"role": "user", "content": text}]})
        .to_string()
        .into_bytes()
}

fn pairs(kind: Kind, host: Host, bytes: usize) -> Vec<Pair> {
    let rig = Rig::start(kind, host, TURNS * 2);
    let bare_model = kind.model();
    let mut exchange = Exchange::open(&bare_model);
    let folder = tempfile::tempdir().unwrap();
    let commits = Commits::open(folder.path());
    let body = body(bytes);
    let mut session = rig.session();
    let mut pairs = Vec::with_capacity(TURNS);
    for number in 0..TURNS {
        if number % PER_SESSION == 0 {
            session = rig.session();
            // The first turn makes the prompt and the environment; it is not what a turn costs.
            rig.turn(&session);
        }
        let bare = |exchange: &mut Exchange| {
            let bash = match kind {
                Kind::True => ms(bash()),
                Kind::ReadFile => 0.0,
            };
            (
                bash,
                [ms(exchange.run(&body)), ms(exchange.run(&body))],
                ms(commits.run()),
            )
        };
        // In turns, so that a disturbance of the machine hits both.
        let (ours, (bash, exchanges, commit)) = match number % 2 {
            0 => {
                let ours = ms(rig.turn(&session));
                (ours, bare(&mut exchange))
            }
            _ => {
                let bare = bare(&mut exchange);
                (ms(rig.turn(&session)), bare)
            }
        };
        pairs.push(Pair {
            ours,
            bash,
            exchanges,
            commit,
        });
    }
    rig.stop();
    pairs
}

/// A turn with a command and a turn that reads a file, beside their bare steps.
pub fn turns(rows: &mut Rows) {
    for (kind, limit, reference) in [(Kind::True, 1.5, "66-79 ms; 62 ms"), (Kind::ReadFile, 2.0, "134 ms")] {
        for host in [Host::Command, Host::Server] {
            let pairs = pairs(kind, host, request_bytes());
            let ours = Spread::of(pairs.iter().map(|pair| pair.ours));
            let one = Spread::of(pairs.iter().map(|pair| pair.bash + pair.exchanges[0] + pair.commit));
            let two = Spread::of(
                pairs
                    .iter()
                    .map(|pair| pair.bash + pair.exchanges[0] + pair.exchanges[1] + pair.commit),
            );
            let part = |value: fn(&Pair) -> f64| Spread::of(pairs.iter().map(value)).median;
            let detail = json!({
                "turns": pairs.len(), "ours_min": ours.min, "bash": part(|pair| pair.bash),
                "exchanges": [part(|pair| pair.exchanges[0]), part(|pair| pair.exchanges[1])],
                "commit": part(|pair| pair.commit), "request_bytes": request_bytes(),
            });
            let name = match kind {
                Kind::True => "turn with the command `true`",
                Kind::ReadFile => "turn with read_file",
            };
            let place = match host {
                Host::Command => "as in run",
                Host::Server => "as in serve and window",
            };
            for (reading, baseline, bar) in [
                // A turn with a tool asks the model twice, so two exchanges are what it cannot do without.
                ("two exchanges, as a tool turn needs", two, Bar::Ratio(limit)),
                ("one exchange, as written", one, Bar::Ratio(limit)),
            ] {
                let mut detail = detail.clone();
                detail["baseline_min"] = baseline.min.into();
                detail["ratio_of_minima"] = (ours.min / baseline.min).into();
                rows.add(Row {
                    what: &format!("{name}, {place}; {reading}"),
                    unit: "ms",
                    ours: ours.median,
                    baseline: Some(baseline.median),
                    bar,
                    reference,
                    detail,
                });
            }
        }
    }
}

/// What a request of ours weighs: the prompt and the tools are most of it.
fn request_bytes() -> usize {
    static BYTES: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *BYTES.get_or_init(|| {
        let rig = Rig::start(Kind::True, Host::Command, 0);
        let kept = ScriptedModel::start_blocking([script::says()]);
        let Rig {
            client,
            host,
            model,
            folder,
            project,
        } = rig;
        let rig = Rig {
            client,
            host,
            model: kept,
            folder,
            project,
        };
        drop(model);
        rig.turn(&rig.session());
        let bytes = rig.model.requests()[0].raw_body().len();
        rig.stop();
        bytes
    })
}

/// One session of many turns: the last ones cost what the first ones cost.
pub fn growth(rows: &mut Rows) {
    for kind in [Kind::True, Kind::ReadFile] {
        let rig = Rig::start(kind, Host::Command, LONG + 1);
        let session = rig.session();
        rig.turn(&session);
        let bare_model = kind.model();
        let mut exchange = Exchange::open(&bare_model);
        let folder = tempfile::tempdir().unwrap();
        let commits = Commits::open(folder.path());
        let body = body(request_bytes());
        let mut ours = Vec::with_capacity(LONG);
        let mut bare = Vec::with_capacity(LONG);
        for _ in 0..LONG {
            ours.push(ms(rig.turn(&session)));
            let command = match kind {
                Kind::True => ms(bash()),
                Kind::ReadFile => 0.0,
            };
            bare.push(command + ms(exchange.run(&body)) + ms(exchange.run(&body)) + ms(commits.run()));
        }
        let first = Spread::of(ours[..END].iter().copied());
        let last = Spread::of(ours[LONG - END..].iter().copied());
        let bare = [&bare[..END], &bare[LONG - END..]].map(|part| Spread::of(part.iter().copied()).median);
        let name = match kind {
            Kind::True => "`true`",
            Kind::ReadFile => "read_file",
        };
        rows.add(Row {
            what: &format!("growth over {LONG} turns with {name}: turns 251-300 against 1-50"),
            unit: "ms",
            ours: last.median,
            baseline: Some(first.median),
            bar: Bar::Ratio(1.15),
            reference: "",
            detail: json!({"first_min": first.min, "last_min": last.min, "bare_then_and_now": bare}),
        });
        rows.add(Row {
            what: &format!("model connections of these {} turns with {name}", LONG + 1),
            unit: "",
            ours: rig.model.connections() as f64,
            baseline: None,
            bar: Bar::AtMost(1.0),
            reference: "",
            detail: json!({"requests": rig.model.request_count()}),
        });
        rig.stop();
    }
}
