//! A place that runs no command but plays what the test wrote.

use crate::gate::Gate;
use futures::future::BoxFuture;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use talaria_exec::{Backend, ExecError, ExitState, FileHost, OutputSink, Process, Script};
use tokio_util::sync::CancellationToken;

/// Exit code of a command that the test wrote nothing for.
const NOT_SCRIPTED: i32 = 127;
const TERMINATED: i32 = 128 + 15;

/// What one command does.
#[derive(Clone, Debug, Default)]
pub struct FakeRun {
    steps: Vec<Step>,
    code: i32,
}

#[derive(Clone, Debug)]
enum Step {
    Write(Vec<u8>),
    Hold(Gate),
}

impl FakeRun {
    /// Writes `output` and exits with 0.
    pub fn prints(output: impl Into<Vec<u8>>) -> Self {
        Self::default().then_prints(output)
    }

    /// Exits with `code` without a word.
    pub fn exits(code: i32) -> Self {
        Self {
            code,
            ..Self::default()
        }
    }

    /// Runs until it is killed.
    pub fn hangs() -> Self {
        Self::default().then_waits(&Gate::new())
    }

    /// Writes more.
    pub fn then_prints(mut self, output: impl Into<Vec<u8>>) -> Self {
        self.steps.push(Step::Write(output.into()));
        self
    }

    /// Waits at a gate, unless it is killed.
    pub fn then_waits(mut self, gate: &Gate) -> Self {
        self.steps.push(Step::Hold(gate.clone()));
        self
    }

    /// Exits with `code` at the end.
    pub fn then_exits(mut self, code: i32) -> Self {
        self.code = code;
        self
    }
}

/// A backend that plays scripted commands. Clones are the same place.
#[derive(Clone, Default)]
pub struct FakeBackend {
    shared: Arc<Shared>,
    files: Option<Arc<dyn FileHost>>,
}

#[derive(Default)]
struct Shared {
    runs: Mutex<VecDeque<(Option<String>, FakeRun)>>,
    scripts: Mutex<Vec<Script>>,
    killed: AtomicUsize,
    running: AtomicUsize,
}

impl FakeBackend {
    /// A place where every command exits with 127 until the test says otherwise.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the place files.
    pub fn with_files(self, files: Arc<dyn FileHost>) -> Self {
        Self {
            files: Some(files),
            ..self
        }
    }

    /// What the next command does that nothing else was written for.
    pub fn next(&self, run: FakeRun) -> &Self {
        self.runs().push_back((None, run));
        self
    }

    /// What every command does that contains `part`.
    pub fn when(&self, part: impl Into<String>, run: FakeRun) -> &Self {
        self.runs().push_back((Some(part.into()), run));
        self
    }

    /// The commands that were started, as they were before they were wrapped.
    pub fn commands(&self) -> Vec<String> {
        self.scripts().iter().map(|script| unwrapped(&script.text)).collect()
    }

    /// The scripts that were started, as they came.
    pub fn scripts(&self) -> Vec<Script> {
        self.shared
            .scripts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// How many commands were killed.
    pub fn killed(&self) -> usize {
        self.shared.killed.load(Ordering::SeqCst)
    }

    /// How many commands were started and neither ended nor were dropped.
    pub fn running(&self) -> usize {
        self.shared.running.load(Ordering::SeqCst)
    }

    fn runs(&self) -> MutexGuard<'_, VecDeque<(Option<String>, FakeRun)>> {
        self.shared.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run_for(&self, command: &str) -> FakeRun {
        let mut runs = self.runs();
        let named = runs
            .iter()
            .find(|(part, _)| part.as_ref().is_some_and(|part| command.contains(part.as_str())));
        if let Some((_, run)) = named {
            return run.clone();
        }
        let next = runs
            .iter()
            .position(|(part, _)| part.is_none())
            .and_then(|at| runs.remove(at));
        next.map_or_else(
            || FakeRun::prints(format!("no run is written for: {command}\n")).then_exits(NOT_SCRIPTED),
            |(_, run)| run,
        )
    }
}

impl Backend for FakeBackend {
    fn target(&self) -> (&'static str, String) {
        ("local", "a place of the test".to_owned())
    }

    fn spawn(&self, script: Script) -> BoxFuture<'_, Result<Box<dyn Process>, ExecError>> {
        let run = self.run_for(&unwrapped(&script.text));
        self.shared
            .scripts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(script);
        self.shared.running.fetch_add(1, Ordering::SeqCst);
        let process = FakeProcess {
            steps: run.steps.into(),
            code: run.code,
            killed: CancellationToken::new(),
            shared: Arc::clone(&self.shared),
        };
        Box::pin(async { Ok(Box::new(process) as Box<dyn Process>) })
    }

    fn cleanup(&self) -> BoxFuture<'_, Result<(), ExecError>> {
        Box::pin(async { Ok(()) })
    }

    fn has_state_descriptor(&self) -> bool {
        true
    }

    fn files(&self) -> Option<&dyn FileHost> {
        self.files.as_deref()
    }
}

struct FakeProcess {
    steps: VecDeque<Step>,
    code: i32,
    killed: CancellationToken,
    shared: Arc<Shared>,
}

impl Process for FakeProcess {
    fn pid(&self) -> Option<u32> {
        None
    }

    fn finish<'a>(&'a mut self, sink: &'a mut dyn OutputSink) -> BoxFuture<'a, Result<ExitState, ExecError>> {
        Box::pin(async move {
            while !self.killed.is_cancelled() {
                match self.steps.front() {
                    None => {
                        return Ok(ExitState {
                            code: self.code,
                            state: None,
                        });
                    }
                    Some(Step::Write(bytes)) => sink.bytes(bytes),
                    Some(Step::Hold(gate)) => tokio::select! {
                        biased;
                        () = self.killed.cancelled() => break,
                        () = gate.pass() => {}
                    },
                }
                self.steps.pop_front();
            }
            Ok(ExitState {
                code: TERMINATED,
                state: None,
            })
        })
    }

    fn kill(&mut self) -> BoxFuture<'_, ()> {
        if !self.killed.is_cancelled() {
            self.killed.cancel();
            self.shared.killed.fetch_add(1, Ordering::SeqCst);
        }
        Box::pin(async {})
    }
}

impl Drop for FakeProcess {
    fn drop(&mut self) {
        self.shared.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The command inside a script of `Environment`, which hands it to `eval` as one quoted word.
fn unwrapped(script: &str) -> String {
    let Some((_, quoted)) = script.split_once("eval -- '") else {
        return script.to_owned();
    };
    let mut command = String::new();
    let mut rest = quoted;
    while let Some((part, behind)) = rest.split_once('\'') {
        command.push_str(part);
        match behind.strip_prefix("\\''") {
            Some(more) => {
                command.push('\'');
                rest = more;
            }
            None => break,
        }
    }
    command
}

#[cfg(test)]
mod tests;
