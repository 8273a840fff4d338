//! A session that keeps a plan and answers questions, and calls through the whole dispatch path.

use futures::future::BoxFuture;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use talaria_protocol::{CallId, Question, Todo};
use talaria_testkit::{FakeBackend, FakeHost, tool_context};
use talaria_tools::{CallHost, Decision, Gate, Intent, Registry, ToolContext, ToolOutcome, ToolSpec};
use tokio_util::sync::CancellationToken;

/// Lets reads run and nothing else.
struct OnlyReads;

impl Gate for OnlyReads {
    fn decide<'a>(
        &'a self,
        _: &'a ToolContext,
        _: &'a ToolSpec,
        _: &'a Value,
        intent: Intent,
    ) -> BoxFuture<'a, Decision> {
        assert!(matches!(intent, Intent::Read), "{intent:?}");
        Box::pin(async { Decision::Run { note: None } })
    }
}

/// How the person reacts to a question.
#[derive(Clone)]
pub(crate) enum Person {
    Says(&'static str),
    Dismisses,
    /// Does nothing, and the turn is interrupted.
    Thinks,
}

pub(crate) struct Session {
    person: Person,
    cancel: CancellationToken,
    todos: Mutex<Vec<Todo>>,
    pub(crate) asked: Mutex<Vec<Question>>,
}

impl Session {
    pub(crate) fn with(person: Person) -> Arc<Self> {
        let (cancel, todos, asked) = Default::default();
        Arc::new(Self {
            person,
            cancel,
            todos,
            asked,
        })
    }

    pub(crate) async fn run(self: &Arc<Self>, name: &str, args: Value) -> ToolOutcome {
        let cx = ToolContext {
            cancel: self.cancel.clone(),
            host: Arc::clone(self) as Arc<dyn CallHost>,
            ..tool_context("/project".as_ref(), Arc::new(FakeBackend::new()), &FakeHost::new())
        };
        Registry::builtin()
            .dispatch(&cx, &OnlyReads, name, &args.to_string())
            .await
    }

    /// The result of a call as JSON.
    pub(crate) async fn result(self: &Arc<Self>, name: &str, args: Value) -> Value {
        let outcome = self.run(name, args).await;
        serde_json::from_str(&outcome.result).unwrap_or_else(|error| panic!("{error}: {}", outcome.result))
    }
}

impl CallHost for Session {
    fn progress(&self, _: &str) {}
    fn todos(&self) -> Vec<Todo> {
        self.todos.lock().unwrap().clone()
    }
    fn set_todos(&self, todos: Vec<Todo>) {
        *self.todos.lock().unwrap() = todos;
    }
    fn clarify<'a>(&'a self, _: &'a CallId, question: Question) -> BoxFuture<'a, Option<String>> {
        self.asked.lock().unwrap().push(question);
        Box::pin(async {
            match self.person {
                Person::Says(answer) => Some(answer.to_owned()),
                Person::Dismisses => None,
                Person::Thinks => {
                    self.cancel.cancel();
                    std::future::pending().await
                }
            }
        })
    }
    fn status(&self, _: &str) {}
}

/// The definitions exactly as a model gets them.
#[test]
fn definitions() {
    let definitions = Registry::builtin().definitions(&talaria_tools::Toolsets::all(), std::time::Instant::now());
    let shown: Vec<Value> = definitions
        .iter()
        .map(|definition| {
            serde_json::json!({
                "name": definition.name,
                "description": definition.description,
                "parameters": definition.parameters,
            })
        })
        .collect();
    insta::assert_snapshot!(serde_json::to_string_pretty(&shown).unwrap());
}
