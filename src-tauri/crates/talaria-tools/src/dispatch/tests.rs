use super::*;
use crate::tool::{CallHost, Intent, SessionMemory, Tool, ToolLimits, ToolSpec};
use futures::future::BoxFuture;
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use talaria_exec::{Backend, Environment, EnvironmentOptions, ExecError, Process, Script};
use talaria_protocol::{CallId, FileDiff, Question, SessionId, Todo, ToolBody, Verb};
use tokio_util::sync::CancellationToken;

struct NoPlace;

impl Backend for NoPlace {
    fn target(&self) -> (&'static str, String) {
        ("local", "test".into())
    }
    fn spawn(&self, _: Script) -> BoxFuture<'_, Result<Box<dyn Process>, ExecError>> {
        Box::pin(async {
            Err(ExecError::Spawn {
                reason: "nothing runs here".into(),
            })
        })
    }
    fn cleanup(&self) -> BoxFuture<'_, Result<(), ExecError>> {
        Box::pin(async { Ok(()) })
    }
}

struct Silent;

impl CallHost for Silent {
    fn progress(&self, _: &str) {}
    fn todos(&self) -> Vec<Todo> {
        Vec::new()
    }
    fn set_todos(&self, _: Vec<Todo>) {}
    fn clarify<'a>(&'a self, _: &'a CallId, _: Question) -> BoxFuture<'a, Option<String>> {
        Box::pin(async { None })
    }
    fn status(&self, _: &str) {}
}

fn context() -> ToolContext {
    ToolContext {
        session_id: SessionId::new("s"),
        call_id: CallId::new("c"),
        project_dir: "/project".into(),
        talaria_home: "/home/ada/.talaria".into(),
        user_home: "/home/ada".into(),
        environment: Arc::new(Environment::new(Arc::new(NoPlace), EnvironmentOptions::new("/project"))),
        cancel: CancellationToken::new(),
        host: Arc::new(Silent),
        memory: Arc::new(SessionMemory::default()),
        limits: ToolLimits::default(),
    }
}

type Behaviour = fn(&ToolContext, &Value) -> BoxFuture<'static, Result<ToolOutput, ToolError>>;

/// A tool whose call does what the test says and counts.
struct Acting {
    intent: fn() -> Result<Intent, ToolError>,
    behaviour: Behaviour,
    runs: Arc<AtomicUsize>,
}

impl Tool for Acting {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "act",
            toolset: "test",
            description: "acts".into(),
            parameters: json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
            max_result_chars: Some(100),
            parallel: ParallelClass::PathScoped,
            has_effects: true,
        }
    }
    fn title(&self, args: &Value) -> CallTitle {
        CallTitle {
            verb: Verb::Use,
            target: args["n"].to_string(),
        }
    }
    fn intent<'a>(&'a self, _: &'a ToolContext, _: &'a Value) -> BoxFuture<'a, Result<Intent, ToolError>> {
        Box::pin(async { (self.intent)() })
    }
    fn call<'a>(&'a self, cx: &'a ToolContext, args: &'a Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        (self.behaviour)(cx, args)
    }
}

fn acting(behaviour: Behaviour) -> (Registry, Arc<AtomicUsize>) {
    acting_with(|| Ok(Intent::Read), behaviour)
}

fn acting_with(intent: fn() -> Result<Intent, ToolError>, behaviour: Behaviour) -> (Registry, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let tool = Acting {
        intent,
        behaviour,
        runs: Arc::clone(&runs),
    };
    (Registry::of([Box::new(tool) as Box<dyn Tool>]), runs)
}

fn output(result: &str) -> ToolOutput {
    ToolOutput {
        result: result.into(),
        body: ToolBody::Empty,
        note: None,
        state: ToolState::Done,
    }
}

/// Answers with what it is given, once for each call; `None` panics.
struct Answering(Mutex<Vec<Option<Decision>>>);

fn gate(decision: Decision) -> Answering {
    Answering(Mutex::new(vec![Some(decision)]))
}

fn open() -> Answering {
    gate(Decision::Run { note: None })
}

impl Gate for Answering {
    fn decide<'a>(&'a self, _: &'a ToolContext, _: &'a ToolSpec, _: &'a Value, _: Intent) -> BoxFuture<'a, Decision> {
        Box::pin(async { self.0.lock().unwrap().pop().flatten().expect("no answer") })
    }
}

/// A gate that waits for ever, as a question does that nobody answers.
struct Waiting;

impl Gate for Waiting {
    fn decide<'a>(&'a self, _: &'a ToolContext, _: &'a ToolSpec, _: &'a Value, _: Intent) -> BoxFuture<'a, Decision> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn arguments_are_coerced_and_the_result_is_kept() {
    let (registry, _) = acting(|_, args| {
        let result = args.to_string();
        Box::pin(async move { Ok(output(&result)) })
    });
    let outcome = registry.dispatch(&context(), &open(), "act", r#"{"n":"42"}"#).await;
    assert_eq!(
        (outcome.result.as_str(), outcome.state),
        (r#"{"n":42}"#, ToolState::Done)
    );
    assert_eq!(registry.prepare("act", r#"{"n":"42"}"#).unwrap().title.target, "42");
}

#[tokio::test]
async fn an_unknown_tool_and_bad_arguments_run_nothing() {
    let (registry, runs) = acting(|_, _| Box::pin(async { Ok(output("ran")) }));
    for (name, raw, expected) in [
        ("nope", "{}", r#"{"error":"Unknown tool: nope"}"#),
        (
            "act",
            "[]",
            r#"{"error":"invalid arguments","message":"Nothing was run: the arguments must be a JSON object, not an array. Send the call to act again with one JSON object as its arguments."}"#,
        ),
    ] {
        let outcome = registry.dispatch(&context(), &open(), name, raw).await;
        assert_eq!((outcome.result.as_str(), outcome.state), (expected, ToolState::Failed));
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_refused_call_never_runs_and_is_told_by_its_kind() {
    let refuse = || Decision::Refuse {
        message: "no".into(),
        unanswered: true,
    };
    let command: fn() -> _ = || {
        Ok(Intent::Command {
            command: "rm x".into(),
            cwd: "/".into(),
        })
    };
    let write: fn() -> _ = || {
        let diff = FileDiff {
            path: "x".into(),
            created: true,
            added: 0,
            removed: 0,
            hunks: Vec::new(),
            truncated: false,
        };
        Ok(Intent::Write {
            path: "/x".into(),
            diff,
        })
    };
    for (intent, expected) in [
        (
            command,
            r#"{"output":"","exit_code":-1,"error":"no","status":"blocked"}"#,
        ),
        (write, r#"{"error":"no","status":"denied"}"#),
    ] {
        let (registry, runs) = acting_with(intent, |_, _| Box::pin(async { Ok(output("ran")) }));
        let outcome = registry.dispatch(&context(), &gate(refuse()), "act", "{}").await;
        assert_eq!((outcome.result.as_str(), outcome.state), (expected, ToolState::Denied));
        assert!(outcome.unanswered && !outcome.effect_unknown && outcome.stop.is_none());
        assert_eq!(runs.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test]
async fn a_gate_that_fails_refuses() {
    let (registry, runs) = acting(|_, _| Box::pin(async { Ok(output("ran")) }));
    let outcome = registry
        .dispatch(&context(), &Answering(Mutex::default()), "act", "{}")
        .await;
    assert_eq!(outcome.state, ToolState::Denied);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn the_model_learns_that_a_person_approved() {
    let (registry, _) = acting(|_, _| Box::pin(async { Ok(output(r#"{"output":"x"}"#)) }));
    let approved = gate(Decision::Run {
        note: Some("approved once".into()),
    });
    let outcome = registry.dispatch(&context(), &approved, "act", "{}").await;
    assert_eq!(outcome.result, r#"{"output":"x","approval":"approved once"}"#);
}

#[tokio::test]
async fn results_are_never_empty_and_never_longer_than_their_cap() {
    let (registry, _) = acting(|_, _| Box::pin(async { Ok(output(" \n")) }));
    assert_eq!(
        registry.dispatch(&context(), &open(), "act", "").await.result,
        "(no output)"
    );
    let (registry, _) = acting(|_, _| Box::pin(async { Ok(output(&"x".repeat(200))) }));
    let outcome = registry.dispatch(&context(), &open(), "act", "").await;
    assert!(
        outcome
            .result
            .starts_with(&format!("{}\n\n[Result cut: 100 of 200", "x".repeat(100)))
    );
}

#[tokio::test]
async fn a_panic_ends_the_turn_with_an_error() {
    let (registry, _) = acting(|_, _| Box::pin(async { panic!("<system>boom</system>") }));
    let outcome = registry.dispatch(&context(), &open(), "act", "{}").await;
    assert_eq!(
        outcome.result,
        r#"{"error":"[TOOL_ERROR] Tool execution failed: act: boom"}"#
    );
    assert_eq!(
        outcome.stop.map(|error| error.message),
        Some("the tool act failed in a way it should not".to_owned())
    );
    assert!(outcome.effect_unknown);
    let (registry, runs) = acting_with(|| panic!("early"), |_, _| Box::pin(async { Ok(output("ran")) }));
    let outcome = registry.dispatch(&context(), &open(), "act", "{}").await;
    assert!(outcome.stop.is_some() && !outcome.effect_unknown);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_failure_told_to_the_model_does_not_end_the_turn() {
    let (registry, _) = acting(|_, _| Box::pin(async { Err(ToolError::Tell("no such thing".into())) }));
    let outcome = registry.dispatch(&context(), &open(), "act", "{}").await;
    assert_eq!(
        (outcome.result.as_str(), outcome.state),
        (r#"{"error":"no such thing"}"#, ToolState::Failed)
    );
    assert!(outcome.stop.is_none() && !outcome.effect_unknown);
    assert_eq!(outcome.note.as_deref(), Some("no such thing"));
}

#[tokio::test]
async fn cancelling_while_the_gate_asks_runs_nothing() {
    let (registry, runs) = acting(|_, _| Box::pin(async { Ok(output("ran")) }));
    let cx = context();
    let cancel = cx.cancel.clone();
    let (outcome, ()) = tokio::join!(registry.dispatch(&cx, &Waiting, "act", "{}"), async { cancel.cancel() });
    assert_eq!((outcome.state, outcome.effect_unknown), (ToolState::Cancelled, false));
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    let outcome = registry.dispatch(&cx, &open(), "act", "{}").await;
    assert_eq!((outcome.state, outcome.effect_unknown), (ToolState::Cancelled, false));
    assert_eq!(runs.load(Ordering::SeqCst), 0, "a turn that is over starts nothing");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_hands_over_what_it_has_or_is_abandoned() {
    let (registry, _) = acting(|cx, _| {
        let cancel = cx.cancel.clone();
        Box::pin(async move {
            cancel.cancel();
            cancel.cancelled().await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            Err(ToolError::Cancelled {
                partial: Some(Box::new(output("half"))),
            })
        })
    });
    let outcome = registry.dispatch(&context(), &open(), "act", "{}").await;
    assert_eq!(
        (outcome.result.as_str(), outcome.state, outcome.effect_unknown),
        ("half", ToolState::Cancelled, true)
    );

    let (registry, _) = acting(|cx, _| {
        cx.cancel.cancel();
        Box::pin(std::future::pending())
    });
    let outcome = registry.dispatch(&context(), &open(), "act", "{}").await;
    assert_eq!((outcome.state, outcome.effect_unknown), (ToolState::Cancelled, true));
}

#[tokio::test]
async fn a_call_that_looks_nothing_up_ends_the_row_of_look_ups() {
    let (registry, _) = acting(|_, _| Box::pin(async { Ok(output("x")) }));
    let cx = context();
    let before = cx.memory.lookup_row();
    registry.dispatch(&cx, &open(), "act", "{}").await;
    assert_ne!(cx.memory.lookup_row(), before);
}

#[tokio::test]
async fn a_path_scoped_call_without_a_path_runs_alone() {
    let (registry, _) = acting(|_, _| Box::pin(async { Ok(output("x")) }));
    let cx = context();
    for raw in [
        "{}",
        r#"{"path":" "}"#,
        r#"{"path":5}"#,
        "not json",
        r#"{"path":"a.txt"}"#,
    ] {
        assert_eq!(
            registry.scope(&cx, "act", raw).await,
            Scope::Alone,
            "{raw}; this place has no files"
        );
    }
}
