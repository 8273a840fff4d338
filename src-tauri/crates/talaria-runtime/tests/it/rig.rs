//! A runtime with a home, a project folder and a scripted model of its own.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use talaria_bridge::Delivery;
use talaria_protocol::*;
use talaria_runtime::{LocalClient, Runtime, RuntimeOptions};
use talaria_testkit::{ScriptedModel, TempHome};

pub struct Rig {
    pub home: TempHome,
    pub project: tempfile::TempDir,
    pub model: ScriptedModel,
    pub runtime: Arc<Runtime>,
    pub client: LocalClient,
}

/// How approvals are answered.
pub type Answer = Box<dyn FnMut(&ApprovalParams) -> ApprovalReply + Send>;

pub fn once() -> Answer {
    Box::new(|_| ApprovalReply {
        choice: ApprovalChoice::Once,
        note: None,
    })
}

pub fn deny(note: &'static str) -> Answer {
    Box::new(move |_| ApprovalReply {
        choice: ApprovalChoice::Deny,
        note: Some(note.to_owned()),
    })
}

/// What a turn showed.
#[derive(Debug, Default)]
pub struct TurnLog {
    pub events: Vec<CoreEvent>,
    pub asked: Vec<ApprovalParams>,
}

impl TurnLog {
    pub fn complete(&self) -> (TurnStatus, String, Option<AppError>, String, Usage) {
        self.events
            .iter()
            .find_map(|event| match event {
                CoreEvent::MessageComplete {
                    status,
                    text,
                    error,
                    exit_reason,
                    usage,
                    ..
                } => Some((*status, text.clone(), error.clone(), exit_reason.clone(), *usage)),
                _ => None,
            })
            .expect("the turn has not ended")
    }

    pub fn tools(&self) -> Vec<ToolView> {
        self.events
            .iter()
            .filter_map(|event| match event {
                CoreEvent::ToolComplete { tool, .. } => Some(tool.clone()),
                _ => None,
            })
            .collect()
    }

    /// One short line an event that a person would notice.
    pub fn story(&self) -> String {
        let mut lines = Vec::new();
        for event in &self.events {
            match event {
                CoreEvent::ToolComplete { tool, .. } => {
                    lines.push(format!("{} {:?}", tool.name, tool.state).to_lowercase())
                }
                CoreEvent::MessageComplete { status, text, .. } => {
                    lines.push(format!("{status:?}: {text}").to_lowercase());
                }
                CoreEvent::RowAdded {
                    row: Row::Error { error, .. },
                } => lines.push(format!("error {}", error.key)),
                CoreEvent::RowAdded {
                    row: Row::User { text, .. },
                } => lines.push(format!("steered: {text}")),
                _ => {}
            }
        }
        lines.join(" | ")
    }
}

impl Rig {
    pub async fn start(script: impl Into<talaria_testkit::Script>) -> Self {
        Self::start_with(script, &["approval", "clarify"]).await
    }

    pub async fn start_with(script: impl Into<talaria_testkit::Script>, capabilities: &[&str]) -> Self {
        let home = TempHome::new();
        let project = tempfile::tempdir().unwrap();
        let model = ScriptedModel::start(script).await;
        let (runtime, client) = connect(&home.path(), capabilities).await;
        Self {
            home,
            project,
            model,
            runtime,
            client,
        }
    }

    /// Ends the runtime and starts another one on the same home.
    pub async fn restart(&mut self) {
        self.runtime.shutdown().await;
        (self.runtime, self.client) = connect(&self.home.path(), &["approval", "clarify"]).await;
    }

    pub fn route(&self) -> ModelRoute {
        ModelRoute {
            provider: "custom".into(),
            model: "scripted".into(),
            base_url: Some(self.model.base_url()),
            api_key_env: None,
        }
    }

    pub fn project_dir(&self) -> PathBuf {
        self.project.path().canonicalize().unwrap()
    }

    pub async fn session(&self) -> SessionId {
        self.session_in_mode(ApprovalMode::Ask).await
    }

    pub async fn session_in_mode(&self, mode: ApprovalMode) -> SessionId {
        let params = SessionCreateParams {
            project_dir: Some(self.project_dir().display().to_string()),
            model: Some(self.route()),
            approval_mode: Some(mode),
            max_iterations: None,
        };
        self.runtime
            .session_create(self.client.id(), params)
            .await
            .unwrap()
            .session
            .session_id
    }

    pub async fn submit(&self, session: &SessionId, text: &str) -> Result<PromptReply, AppError> {
        self.submit_as(session, text, WhenBusy::Steer).await
    }

    pub async fn submit_as(
        &self,
        session: &SessionId,
        text: &str,
        when_busy: WhenBusy,
    ) -> Result<PromptReply, AppError> {
        let params = PromptSubmitParams {
            session_id: session.clone(),
            text: text.into(),
            when_busy,
            client_token: None,
        };
        self.runtime.prompt_submit(self.client.id(), params).await
    }

    pub async fn interrupt(&self, session: &SessionId) {
        let params = SessionRefParams {
            session_id: session.clone(),
        };
        self.runtime.session_interrupt(self.client.id(), params).await.unwrap();
    }

    pub async fn snapshot(&self, session: &SessionId) -> SessionSnapshot {
        let params = SessionResumeParams {
            session_id: session.clone(),
            limit: Some(400),
        };
        self.runtime.session_resume(self.client.id(), params).await.unwrap()
    }

    /// Sends a message and follows it to its end.
    pub async fn turn(&self, session: &SessionId, text: &str, answer: Answer) -> TurnLog {
        self.submit(session, text).await.unwrap();
        self.follow(answer).await
    }

    /// Follows until a turn has ended.
    pub async fn follow(&self, mut answer: Answer) -> TurnLog {
        let mut log = TurnLog::default();
        loop {
            for delivery in self.client.next().await {
                match delivery {
                    Delivery::Event(event) => {
                        let event = event.frame.event.clone();
                        let ended = matches!(event, CoreEvent::MessageComplete { .. });
                        log.events.push(event);
                        if ended {
                            return log;
                        }
                    }
                    Delivery::Request(open) => match &open.request {
                        ServerRequest::Approval(params) => {
                            log.asked.push(params.clone());
                            self.client.answer_approval(&open.id, &answer(params));
                        }
                        ServerRequest::Clarify(params) => {
                            let answers = params
                                .questions
                                .iter()
                                .map(|q| (q.qid.clone(), Some("blue".to_owned())))
                                .collect();
                            self.client
                                .answer_questions(&open.id, &ClarifyReply { answers: Some(answers) });
                        }
                    },
                }
            }
        }
    }

    /// Follows until an event fits.
    pub async fn until(&self, mut fits: impl FnMut(&CoreEvent) -> bool) -> Vec<CoreEvent> {
        let mut events = Vec::new();
        loop {
            for delivery in self.client.next().await {
                if let Delivery::Event(event) = delivery {
                    events.push(event.frame.event.clone());
                }
            }
            if events.iter().any(&mut fits) {
                return events;
            }
        }
    }

    /// What the model was sent as results in its last request.
    pub fn last_results(&self) -> Vec<Value> {
        let requests = self.model.requests();
        let results = requests
            .last()
            .map(|request| request.tool_results())
            .unwrap_or_default();
        results
            .iter()
            .map(|text| serde_json::from_str(text).unwrap_or(Value::String(text.clone())))
            .collect()
    }

    /// Whether a strict provider would have taken every request.
    pub fn assert_strict(&self) {
        for (number, request) in self.model.requests().iter().enumerate() {
            assert_eq!(
                talaria_testkit::strict_request(request.json()),
                None,
                "request {number}"
            );
        }
    }
}

pub async fn connect(home: &Path, capabilities: &[&str]) -> (Arc<Runtime>, LocalClient) {
    let options = RuntimeOptions {
        home: Some(home.to_owned()),
        ..RuntimeOptions::command()
    };
    let runtime = Runtime::start(options)
        .await
        .unwrap_or_else(|failure| panic!("{}", failure.error));
    let (client, _) = LocalClient::connect(Arc::clone(&runtime), "cli", capabilities)
        .await
        .unwrap();
    (runtime, client)
}
