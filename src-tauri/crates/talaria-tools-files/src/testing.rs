//! A session on a temporary folder, and calls through the whole dispatch path.

use crate::guard::{self, Limits};
use crate::memory::FileMemory;
use crate::{ReadFile, WriteFile};
use futures::future::BoxFuture;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use talaria_exec::LocalFiles;
use talaria_protocol::{CallId, FileDiff};
use talaria_testkit::{FakeBackend, FakeHost, tool_context};
use talaria_tools::{
    Decision, Gate, Intent, Registry, SessionMemory, Tool, ToolContext, ToolLimits, ToolOutcome, ToolSpec,
};

/// Says yes, after doing what happens while the person looks at the question.
struct Approving<F>(F);

impl<F: Fn(&Intent) + Send + Sync> Gate for Approving<F> {
    fn decide<'a>(
        &'a self,
        _: &'a ToolContext,
        _: &'a ToolSpec,
        _: &'a Value,
        intent: Intent,
    ) -> BoxFuture<'a, Decision> {
        (self.0)(&intent);
        Box::pin(async { Decision::Run { note: None } })
    }
}

pub(crate) struct Session {
    folder: tempfile::TempDir,
    memory: Arc<SessionMemory>,
    registry: Registry,
    calls: AtomicUsize,
    pub(crate) limits: ToolLimits,
}

impl Session {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        Self {
            folder,
            memory: Arc::default(),
            registry: Registry::of([Box::new(ReadFile) as Box<dyn Tool>, Box::new(WriteFile)]),
            calls: AtomicUsize::new(0),
            limits: ToolLimits::default(),
        }
    }

    /// A path in the project.
    pub(crate) fn path(&self, name: &str) -> String {
        self.folder
            .path()
            .join("project")
            .join(name)
            .to_str()
            .unwrap()
            .to_owned()
    }

    /// The path with links resolved.
    pub(crate) fn real(&self, name: &str) -> String {
        let project = std::fs::canonicalize(self.path("")).unwrap();
        project.join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn get(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Stands for a call of another tool.
    pub(crate) fn other_call(&self) {
        self.memory.end_lookup_row();
    }

    /// Stands for a process that was started with these safe roots.
    pub(crate) async fn limit_writes(&self, safe_roots: &str) {
        let limits = Limits::new(Some(safe_roots.as_ref()));
        let context = guard::find_context(&self.context(), &LocalFiles, &limits)
            .await
            .unwrap();
        let memory = self.memory.get::<FileMemory>();
        memory.paths.set(Arc::new(context)).unwrap();
    }

    fn context(&self) -> ToolContext {
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        let files_only = FakeBackend::new().with_files(Arc::new(LocalFiles));
        ToolContext {
            call_id: CallId::new(format!("call_{number}")),
            memory: Arc::clone(&self.memory),
            limits: self.limits.clone(),
            ..tool_context(self.path("").as_ref(), Arc::new(files_only), &FakeHost::new())
        }
    }

    pub(crate) async fn run(&self, name: &str, args: Value) -> ToolOutcome {
        self.run_while(name, args, |_| {}).await
    }

    /// Runs a call; `meanwhile` happens while the gate asks.
    pub(crate) async fn run_while(
        &self,
        name: &str,
        args: Value,
        meanwhile: impl Fn(&Intent) + Send + Sync,
    ) -> ToolOutcome {
        self.registry
            .dispatch(&self.context(), &Approving(meanwhile), name, &args.to_string())
            .await
    }

    /// The result of a call as JSON.
    pub(crate) async fn result(&self, name: &str, args: Value) -> Value {
        let outcome = self.run(name, args).await;
        serde_json::from_str(&outcome.result).unwrap_or_else(|error| panic!("{error}: {}", outcome.result))
    }

    /// The diff that the gate gets for a write.
    pub(crate) async fn proposed(&self, args: Value) -> FileDiff {
        let seen = std::sync::Mutex::new(None);
        self.run_while("write_file", args, |intent| {
            if let Intent::Write { diff, .. } = intent {
                *seen.lock().unwrap() = Some(diff.clone());
            }
        })
        .await;
        seen.into_inner().unwrap().expect("the gate was asked about a write")
    }
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
