//! Opens the place where a session's commands run. So far that is this computer.

use std::path::Path;
use std::sync::Arc;
use talaria_agent::EnvironmentSource;
use talaria_exec::{Environment, EnvironmentOptions, LocalBackend, Login, LoginShell};

/// Environments on this computer. All share one backend and one look at the person's login shell.
pub(crate) struct LocalEnvironments {
    backend: Arc<LocalBackend>,
    login: Option<LoginShell>,
}

impl LocalEnvironments {
    /// `login` takes functions, aliases and exports of the person's login shell along.
    pub(crate) fn new(login: bool) -> Self {
        Self {
            backend: Arc::new(LocalBackend::new()),
            login: login.then(LoginShell::default),
        }
    }
}

impl EnvironmentSource for LocalEnvironments {
    fn open(&self, project_dir: &Path) -> Arc<Environment> {
        let mut options = EnvironmentOptions::new(project_dir.display().to_string());
        if let Some(login) = &self.login {
            options.login = Login::Take(login.clone());
        }
        let backend = Arc::clone(&self.backend);
        Arc::new(Environment::new(backend, options))
    }
}
