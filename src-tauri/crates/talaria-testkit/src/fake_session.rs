//! The session behind a tool call, as a test wants it: [`FakeHost`] and [`FakeGate`].

use crate::gate::Gate as Barrier;
use futures::future::BoxFuture;
use serde_json::Value;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use talaria_exec::{Backend, Environment, EnvironmentOptions};
use talaria_protocol::{CallId, Question, SessionId, Todo};
use talaria_tools::{CallHost, Decision, Gate, Intent, SessionMemory, ToolContext, ToolLimits, ToolSpec};
use tokio_util::sync::CancellationToken;

/// What a call asked of its session. Clones are the same session.
#[derive(Clone, Default)]
pub struct FakeHost {
    shared: Arc<Mutex<Asked>>,
}

#[derive(Default)]
struct Asked {
    progress: String,
    statuses: Vec<String>,
    todos: Vec<Todo>,
    questions: Vec<Question>,
    answers: VecDeque<Option<String>>,
}

impl FakeHost {
    /// A session with an empty plan in which nobody answers.
    pub fn new() -> Self {
        Self::default()
    }

    /// The answer to the next question.
    pub fn answers(&self, answer: impl Into<String>) -> &Self {
        self.asked().answers.push_back(Some(answer.into()));
        self
    }

    /// Output that calls showed while they ran.
    pub fn progress_text(&self) -> String {
        self.asked().progress.clone()
    }

    /// Status lines in order.
    pub fn statuses(&self) -> Vec<String> {
        self.asked().statuses.clone()
    }

    /// Questions that were asked.
    pub fn questions(&self) -> Vec<Question> {
        self.asked().questions.clone()
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallHost for FakeHost {
    fn progress(&self, text: &str) {
        self.asked().progress.push_str(text);
    }

    fn todos(&self) -> Vec<Todo> {
        self.asked().todos.clone()
    }

    fn set_todos(&self, todos: Vec<Todo>) {
        self.asked().todos = todos;
    }

    fn clarify<'a>(&'a self, _: &'a CallId, question: Question) -> BoxFuture<'a, Option<String>> {
        let mut asked = self.asked();
        asked.questions.push(question);
        let answer = asked.answers.pop_front().flatten();
        Box::pin(async move { answer })
    }

    fn status(&self, text: &str) {
        self.asked().statuses.push(text.to_owned());
    }
}

/// Decides as the test says and records what calls intended. Clones are the same gate.
#[derive(Clone)]
pub struct FakeGate {
    shared: Arc<GateShared>,
}

struct GateShared {
    usual: Decision,
    next: Mutex<VecDeque<Decision>>,
    intents: Mutex<Vec<(String, Intent)>>,
    hold: Option<Barrier>,
}

impl FakeGate {
    /// Lets every call run.
    pub fn allowing() -> Self {
        Self::with(Decision::Run { note: None }, None)
    }

    /// Refuses every call as a person would.
    pub fn denying(message: impl Into<String>) -> Self {
        Self::with(
            Decision::Refuse {
                message: message.into(),
                unanswered: false,
            },
            None,
        )
    }

    /// Lets every call run once the test has opened `gate`.
    pub fn waiting_for(gate: &Barrier) -> Self {
        Self::with(Decision::Run { note: None }, Some(gate.clone()))
    }

    /// Decides so on the next call, whatever is usual.
    pub fn next(&self, decision: Decision) -> &Self {
        self.shared
            .next
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_back(decision);
        self
    }

    /// Tool and intent of every call so far.
    pub fn intents(&self) -> Vec<(String, Intent)> {
        self.shared
            .intents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn with(usual: Decision, hold: Option<Barrier>) -> Self {
        let shared = GateShared {
            usual,
            next: Mutex::default(),
            intents: Mutex::default(),
            hold,
        };
        Self {
            shared: Arc::new(shared),
        }
    }
}

impl Gate for FakeGate {
    fn decide<'a>(
        &'a self,
        cx: &'a ToolContext,
        tool: &'a ToolSpec,
        _: &'a Value,
        intent: Intent,
    ) -> BoxFuture<'a, Decision> {
        let shared = &self.shared;
        shared
            .intents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((tool.name.to_owned(), intent));
        let next = shared.next.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let decision = next.unwrap_or_else(|| shared.usual.clone());
        Box::pin(async move {
            if let Some(hold) = &shared.hold {
                tokio::select! {
                    biased;
                    () = cx.cancel.cancelled() => {
                        return Decision::Refuse { message: "the call was cancelled".to_owned(), unanswered: false };
                    }
                    () = hold.pass() => {}
                }
            }
            decision
        })
    }
}

/// Surroundings of a call in `project` on `backend`, with default limits and home folders inside the project's parent.
pub fn tool_context(project: &Path, backend: Arc<dyn Backend>, host: &FakeHost) -> ToolContext {
    let home = project.parent().unwrap_or(project).join("home");
    let options = EnvironmentOptions::new(project.to_string_lossy());
    ToolContext {
        session_id: SessionId::new("20260101_000000_abcdef"),
        call_id: CallId::new("call_1"),
        project_dir: project.to_owned(),
        talaria_home: home.join(".talaria"),
        user_home: home,
        environment: Arc::new(Environment::new(backend, options)),
        cancel: CancellationToken::new(),
        host: Arc::new(host.clone()),
        memory: Arc::new(SessionMemory::default()),
        limits: ToolLimits::default(),
    }
}

#[cfg(test)]
mod tests;
