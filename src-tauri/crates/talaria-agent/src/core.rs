//! What all sessions share: store, hub, tools, and the seams through which models and environments come.

use crate::prompt::{self, PromptFacts};
use crate::shared::SessionShared;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};
use talaria_bridge::Hub;
use talaria_exec::Environment;
use talaria_model::{ModelTransport, ToolDefinition};
use talaria_protocol::{AppError, ApprovalMode, ModelRoute};
use talaria_store::Store;
use talaria_tools::{Definition, Registry, ToolLimits, Toolsets};
use tokio_util::task::TaskTracker;

/// Opens models. The runtime's implementation knows profiles, keys and the demo; tests bring their own.
pub trait ModelSource: Send + Sync {
    /// A transport for a route. Fails when no key is there or the route makes no sense.
    fn open(&self, route: &ModelRoute) -> Result<Arc<dyn ModelTransport>, AppError>;
}

/// Opens environments. The runtime's implementation knows backends; tests bring a fake.
pub trait EnvironmentSource: Send + Sync {
    /// The place where a session's commands run.
    fn open(&self, project_dir: &Path) -> Arc<Environment>;
}

/// Settings of the loop, from the configuration.
#[derive(Clone, Debug)]
pub struct AgentSettings {
    /// `agent.max_turns`: model calls a turn.
    pub max_iterations: u32,
    /// `agent.api_max_retries`: attempts a model call.
    pub max_attempts: u32,
    /// `model.max_tokens`.
    pub max_tokens: Option<u32>,
    /// `approvals.timeout`; `None` waits while a surface is attached.
    pub approval_timeout: Option<Duration>,
    /// Largest project instruction file in characters.
    pub context_file_chars: usize,
    /// Limits of the tools.
    pub limits: ToolLimits,
    /// Toolsets on offer.
    pub toolsets: Toolsets,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            max_iterations: 90,
            max_attempts: 3,
            max_tokens: None,
            approval_timeout: None,
            context_file_chars: 20_000,
            limits: ToolLimits::default(),
            toolsets: Toolsets::all(),
        }
    }
}

/// What the sessions of one start of the runtime share.
pub struct Core {
    pub(crate) store: Store,
    pub(crate) hub: Arc<Hub>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) models: Box<dyn ModelSource>,
    pub(crate) environments: Box<dyn EnvironmentSource>,
    pub(crate) talaria_home: PathBuf,
    pub(crate) user_home: PathBuf,
    pub(crate) machine: String,
    pub(crate) overrides: Overrides,
    pub(crate) tasks: TaskTracker,
    settings: RwLock<AgentSettings>,
    tools: Mutex<OfferedTools>,
}

/// The tools as they were offered last. The same list is handed out while nothing changes, so that a model's transport
/// makes its wire form once.
#[derive(Default)]
struct OfferedTools {
    from: Vec<Arc<Definition>>,
    list: Arc<[ToolDefinition]>,
}

/// What this process does otherwise than its sessions are set to. Never stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overrides {
    /// Mode of every session.
    pub approval_mode: Option<ApprovalMode>,
    /// Limit of model calls a turn.
    pub max_iterations: Option<u32>,
}

/// Parts that a runtime puts into a [`Core`].
pub struct CoreParts {
    /// Database.
    pub store: Store,
    /// Streams and questions.
    pub hub: Arc<Hub>,
    /// Tools.
    pub registry: Arc<Registry>,
    /// Models.
    pub models: Box<dyn ModelSource>,
    /// Environments.
    pub environments: Box<dyn EnvironmentSource>,
    /// Home folder of Talaria.
    pub talaria_home: PathBuf,
    /// The person's home folder.
    pub user_home: PathBuf,
    /// Name of this machine for people.
    pub machine: String,
    /// Settings of the loop.
    pub settings: AgentSettings,
    /// What this process does otherwise.
    pub overrides: Overrides,
}

impl Core {
    /// Puts the parts together.
    pub fn new(parts: CoreParts) -> Arc<Self> {
        let CoreParts {
            store,
            hub,
            registry,
            models,
            environments,
            talaria_home,
            user_home,
            machine,
            settings,
            overrides,
        } = parts;
        Arc::new(Self {
            store,
            hub,
            registry,
            models,
            environments,
            talaria_home,
            user_home,
            machine,
            overrides,
            tasks: TaskTracker::new(),
            settings: RwLock::new(settings),
            tools: Mutex::default(),
        })
    }

    /// Settings from the next turn on.
    pub fn set_settings(&self, settings: AgentSettings) {
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = settings;
    }

    pub(crate) fn settings<R>(&self, read: impl FnOnce(&AgentSettings) -> R) -> R {
        read(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tools as a model is offered them, in name order.
    pub fn tools(&self) -> Arc<[ToolDefinition]> {
        let toolsets = self.settings(|settings| settings.toolsets.clone());
        let definitions = self.registry.definitions(&toolsets, Instant::now());
        let mut offered = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let same = definitions.len() == offered.from.len()
            && definitions
                .iter()
                .zip(&offered.from)
                .all(|(now, before)| Arc::ptr_eq(now, before));
        if !same {
            offered.list = definitions
                .iter()
                .map(|definition| ToolDefinition {
                    name: definition.name.clone(),
                    description: definition.description.clone(),
                    parameters: definition.parameters.clone(),
                })
                .collect();
            offered.from = definitions;
        }
        Arc::clone(&offered.list)
    }

    /// Builds a session's system prompt, and names the instruction files that were cut for it.
    pub(crate) async fn prompt(&self, session: &SessionShared, route: &ModelRoute) -> (String, Vec<String>) {
        let soul = tokio::fs::read_to_string(self.talaria_home.join("SOUL.md")).await.ok();
        let (kind, name) = session.environment.backend().target();
        let machine = if kind == "local" { self.machine.clone() } else { name };
        let facts = PromptFacts {
            user_home: &self.user_home,
            project_dir: &session.project_dir,
            machine: &machine,
            environment_kind: kind,
            route,
            today: crate::clock::today(),
            has_tools: true,
            soul: soul.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()),
            context_chars: self.settings(|settings| settings.context_file_chars),
        };
        let (text, files) = prompt::build(facts).await;
        (
            text,
            files
                .into_iter()
                .filter(|file| file.truncated)
                .map(|file| file.name)
                .collect(),
        )
    }
}
