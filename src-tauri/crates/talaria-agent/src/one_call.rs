//! One tool call without a model, through the same gate, dispatch and cards as in a turn.

use crate::batch::Batch;
use crate::calls::Checked;
use crate::core::Core;
use crate::feed::Feed;
use crate::gate::SessionGate;
use crate::shared::{Choice, SessionShared};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use talaria_protocol::{ApprovalMode, CallId, SessionId, ToolCall, ToolState, ToolView};
use tokio_util::sync::CancellationToken;

/// Calls tools for somebody who is no model. Nothing is stored.
pub struct ToolBench {
    batch: Batch,
    session: Arc<SessionShared>,
    calls: u32,
}

/// What a call gave.
#[derive(Debug)]
pub struct CallReport {
    /// What a model would read.
    pub result: String,
    /// What a window would show.
    pub view: ToolView,
    /// From the parsed arguments to the result, the gate included.
    pub took: Duration,
    /// Whether it was denied because nobody could be asked.
    pub unanswered: bool,
}

impl CallReport {
    /// Whether the call did what it should.
    pub fn is_done(&self) -> bool {
        self.view.state == ToolState::Done
    }
}

impl ToolBench {
    /// A bench in a folder.
    pub fn new(core: &Arc<Core>, project_dir: &Path, mode: ApprovalMode) -> Self {
        let id = SessionId::new("tool-call");
        let session = SessionShared::new(
            id.clone(),
            Feed::new(Arc::clone(&core.hub), id),
            core.environments.open(project_dir),
            project_dir,
            Choice { mode, route: None },
            Vec::new(),
        );
        let batch = Batch {
            session: Arc::clone(&session),
            registry: Arc::clone(&core.registry),
            gate: Arc::new(SessionGate::new(Arc::clone(core), Arc::clone(&session))),
            talaria_home: core.talaria_home.clone(),
            user_home: core.user_home.clone(),
            limits: core.settings(|settings| settings.limits.clone()),
        };
        Self {
            batch,
            session,
            calls: 0,
        }
    }

    /// The stream on which its questions and events appear.
    pub fn session_id(&self) -> &SessionId {
        &self.session.id
    }

    /// Makes one call.
    pub async fn call(&mut self, name: &str, arguments: &str, cancel: &CancellationToken) -> CallReport {
        self.calls += 1;
        let call = ToolCall {
            id: CallId::new(format!("call_{}", self.calls)),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        let started = Instant::now();
        let (message, view) = self.batch.run_alone(&Checked::Valid(call), cancel).await;
        let took = started.elapsed();
        CallReport {
            result: message.content_text(),
            view,
            took,
            unanswered: self.session.take_unanswered(),
        }
    }

    /// Waits until nothing that was started is left.
    pub async fn close(self) {
        self.session.environment.shutdown().await;
    }
}
