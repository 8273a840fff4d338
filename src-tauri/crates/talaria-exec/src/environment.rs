//! An environment: one place with its state (folder, exports) over the calls.

use crate::backend::Backend;
use std::sync::Arc;

/// A place where a session's commands run, with the state that survives from call to call.
pub struct Environment {
    backend: Arc<dyn Backend>,
}

impl Environment {
    /// The backend underneath.
    pub fn backend(&self) -> &dyn Backend {
        self.backend.as_ref()
    }
}
