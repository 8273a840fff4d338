//! From nothing to a running core, or to the reason why not.

use crate::environments::LocalEnvironments;
use crate::models::{Models, SharedModels};
use crate::{log, settings};
use std::path::PathBuf;
use std::sync::Arc;
use talaria_agent::{Core, CoreParts, Overrides, Sessions, ToolBench, storage_error};
use talaria_bridge::Hub;
use talaria_config::{ConfigError, Env, Home, Secrets, Settings};
use talaria_protocol::{AppError, ApprovalMode, BootFailure, Epoch, ErrorKind, Layer, ModelRoute, Notice, NoticeLevel};
use talaria_store::{Store, StoreError, StoreOptions};
use talaria_tools::Registry;

/// Length of a whole session id; a shorter text is the beginning of one.
const SESSION_ID_CHARS: usize = "20260102_030405_6789ab".len();

/// How a runtime is started.
#[derive(Clone, Debug)]
pub struct RuntimeOptions {
    /// Home folder; without it `TALARIA_HOME`, else `~/.talaria`.
    pub home: Option<PathBuf>,
    /// Where sessions come from: `desktop`, `cli`.
    pub source: &'static str,
    /// Whether the person's login shell is looked at, for functions, aliases and exports.
    pub login_shell: bool,
    /// Starts without anything optional.
    pub safe_mode: bool,
    /// What this process does otherwise than its sessions are set to; never stored.
    pub overrides: Overrides,
}

impl RuntimeOptions {
    /// For the window.
    pub fn desktop() -> Self {
        Self {
            home: None,
            source: "desktop",
            login_shell: true,
            safe_mode: false,
            overrides: Overrides::default(),
        }
    }

    /// For one task on the command line.
    pub fn command() -> Self {
        // A command inherits the environment of the shell that it is called from.
        Self {
            login_shell: false,
            source: "cli",
            ..Self::desktop()
        }
    }

    /// For `serve`.
    pub fn server() -> Self {
        Self {
            source: "server",
            ..Self::desktop()
        }
    }
}

/// A running core. Its methods are those of the protocol.
pub struct Runtime {
    pub(crate) hub: Arc<Hub>,
    pub(crate) sessions: Sessions,
    pub(crate) core: Arc<Core>,
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) models: Arc<Models>,
    pub(crate) home: Home,
    pub(crate) user_home: PathBuf,
    pub(crate) machine: String,
    pub(crate) source: &'static str,
    pub(crate) notices: Vec<Notice>,
}

impl Runtime {
    /// Starts a core. The store is open and the settings are read when this returns; nothing else is looked for.
    pub async fn start(options: RuntimeOptions) -> Result<Arc<Self>, Box<BootFailure>> {
        let home = match &options.home {
            Some(path) => Home::at(path),
            None => match Home::resolve() {
                Ok(home) => home,
                Err(error) => {
                    return Err(Box::new(BootFailure {
                        error: config_error(&error),
                        ..BootFailure::from_message("")
                    }));
                }
            },
        };
        log::start(&home.logs());
        let fail = |error: AppError, held_by: Option<String>| {
            tracing::error!(message = %error.message, "the core did not start");
            let folder = home.logs();
            Box::new(BootFailure {
                error,
                log_tail: log::tail(&folder, 8),
                home: home.path().display().to_string(),
                log_path: folder.join(log::FILE_NAME).display().to_string(),
                held_by,
            })
        };
        let env = Env::process();
        let settings = match options.safe_mode {
            true => Settings::open_or_defaults(home.clone(), env.clone()),
            false => Settings::open(home.clone(), env.clone()).map_err(|error| fail(config_error(&error), None))?,
        };
        let loaded = settings.load(None, &serde_json::Value::Null);
        let config = &loaded.config;
        // A home that cannot be made is told by the store, which needs it first.
        if let Err(error) = home.create() {
            tracing::warn!(%error, "the home folder could not be made");
        }
        let path = home.database();
        let store_options = StoreOptions {
            synchronous: settings::synchronous(config),
            ..StoreOptions::default()
        };
        let opened = tokio::task::spawn_blocking(move || Store::open_with(&path, &store_options)).await;
        let store = match opened {
            Ok(Ok(store)) => store,
            Ok(Err(error)) => {
                let held_by = match &error {
                    StoreError::Locked {
                        holder: Some(holder), ..
                    } => Some(holder.to_string()),
                    _ => None,
                };
                return Err(fail(storage_error(&error), held_by));
            }
            Err(panic) => return Err(fail(AppError::internal(panic.to_string()), None)),
        };
        let mut notices: Vec<Notice> = loaded
            .warnings
            .iter()
            .enumerate()
            .map(|(number, warning)| Notice {
                notice_id: format!("config-{number}"),
                level: NoticeLevel::Warning,
                key: "notice.config".to_owned(),
                values: [("text".to_owned(), warning.to_string())].into(),
                text: warning.to_string(),
                hint: Some(format!("Correct it in {}.", home.config_file().display())),
            })
            .collect();
        if let Some(reason) = store.read_only() {
            let error = storage_error(&StoreError::ReadOnly {
                path: store.path().to_owned(),
                reason: reason.clone(),
            });
            notices.push(Notice {
                notice_id: "read-only".to_owned(),
                level: NoticeLevel::Warning,
                key: "notice.read_only".to_owned(),
                values: [("reason".to_owned(), reason.to_string())].into(),
                text: format!("Chats can be read but not changed: {reason}."),
                hint: error.hint,
            });
        }
        let models = Arc::new(Models::new(
            Secrets::new(&home, env),
            settings.clone(),
            std::env::temp_dir(),
        ));
        let hub = Hub::new(epoch());
        let machine = "this computer".to_owned();
        let user_home = user_home();
        let core = Core::new(CoreParts {
            store: store.clone(),
            hub: Arc::clone(&hub),
            registry: Arc::new(Registry::builtin()),
            models: Box::new(SharedModels(Arc::clone(&models))),
            environments: Box::new(LocalEnvironments::new(options.login_shell && !options.safe_mode)),
            talaria_home: home.path().to_owned(),
            user_home: user_home.clone(),
            machine: machine.clone(),
            settings: settings::agent(config),
            overrides: options.overrides,
        });
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            source = options.source,
            "the core has started"
        );
        Ok(Arc::new(Self {
            sessions: Sessions::new(Arc::clone(&core)),
            hub,
            core,
            store,
            settings,
            models,
            home,
            user_home,
            machine,
            source: options.source,
            notices,
        }))
    }

    /// Streams and questions.
    pub fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    /// Tools as a model is offered them.
    pub fn tools(&self) -> Arc<[talaria_model::ToolDefinition]> {
        self.core.tools()
    }

    /// A bench for tool calls without a model.
    pub fn tool_bench(&self, project_dir: &std::path::Path, mode: ApprovalMode) -> ToolBench {
        ToolBench::new(&self.core, project_dir, mode)
    }

    /// One session as JSON: the session, its prompt and its messages.
    pub async fn export(&self, session_id: &talaria_protocol::SessionId) -> Result<serde_json::Value, AppError> {
        let id = session_id.clone();
        let export = self
            .store
            .read(move |db| db.export_session(&id))
            .await
            .map_err(|error| storage_error(&error))?;
        match export {
            Some(export) => serde_json::to_value(export).map_err(|error| AppError::internal(error.to_string())),
            None => Err(storage_error(&StoreError::NoSession {
                session_id: session_id.clone(),
            })),
        }
    }

    /// The one session whose id is or begins with `text`.
    pub async fn find_session(&self, text: &str) -> Result<talaria_protocol::SessionId, AppError> {
        let prefix = text.to_owned();
        let found = self
            .store
            .read(move |db| db.session_by_prefix(&prefix))
            .await
            .map_err(|error| storage_error(&error))?;
        found.ok_or_else(|| {
            let mut error = storage_error(&StoreError::NoSession {
                session_id: text.into(),
            });
            if text.len() < SESSION_ID_CHARS {
                error.message = format!("no session, or more than one, has an id that begins with {text}");
            }
            error
        })
    }

    /// The model that new sessions get: the configured one.
    pub fn default_model(&self) -> Option<ModelRoute> {
        settings::default_model(&self.settings.config())
    }

    /// Stops all turns, records their ends, and closes the store.
    pub async fn shutdown(&self) {
        self.sessions.shutdown().await;
        self.store.close().await;
    }
}

/// A failure of the configuration with its way out.
pub(crate) fn config_error(error: &ConfigError) -> AppError {
    AppError::new(ErrorKind::Config, Layer::Runtime, "error.config", error.to_string())
        .with_hint("Correct the file named above, then try again. Safe mode starts without it.")
        .retryable()
}

/// Differs from start to start.
fn epoch() -> Epoch {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |now| now.as_micros());
    Epoch::new(format!("e{now:x}-{:x}", std::process::id()))
}

fn user_home() -> PathBuf {
    std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"))
}
