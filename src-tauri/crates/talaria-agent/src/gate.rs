//! Decides whether a call may run: the policy says what the mode makes of it, the person answers what is left. Every
//! failure refuses.

use crate::core::Core;
use crate::shared::SessionShared;
use futures::future::BoxFuture;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use talaria_bridge::Answer;
use talaria_policy::{Action, Ask, Assessment, CommandContext, Ruling, Surface, assess, decide};
use talaria_policy::{denied_message, unanswered_message};
use talaria_protocol::{
    ApprovalChoice, ApprovalParams, ApprovalRecord, ApprovalReply, FileDiff, RequestCancelReason, RequestId,
    ServerRequest, Target, ToolBody, ToolState,
};
use talaria_tools::{Decision, Gate, Intent, ToolContext, ToolSpec};

/// Commands up to this size are judged at once; longer ones on a thread for blocking work.
const QUICK_BYTES: usize = 4_096;

/// The gate of one session.
pub(crate) struct SessionGate {
    core: Arc<Core>,
    session: Arc<SessionShared>,
}

/// What a question shows besides its reasons.
struct Subject {
    summary: String,
    command: Option<(String, Assessment)>,
    diff: Option<FileDiff>,
    cwd: String,
}

impl SessionGate {
    pub(crate) fn new(core: Arc<Core>, session: Arc<SessionShared>) -> Self {
        Self { core, session }
    }

    async fn rule(&self, cx: &ToolContext, tool: &ToolSpec, args: &Value, intent: Intent) -> Decision {
        let (ruling, subject) = match intent {
            Intent::Read => return Decision::Run { note: None },
            Intent::Command { command, cwd } => match self.judge(&command, &cwd).await {
                Some(assessment) => {
                    let ruling = self.decide(Action::Command(&assessment));
                    let summary = "Run this command".to_owned();
                    (
                        ruling,
                        Subject {
                            summary,
                            command: Some((command, assessment)),
                            diff: None,
                            cwd,
                        },
                    )
                }
                None => {
                    let message = "The command could not be checked, so it was not run.".to_owned();
                    return Decision::Refuse {
                        message,
                        unanswered: false,
                    };
                }
            },
            Intent::Write { path, diff } => {
                let inside_project = self.is_inside_project(cx, &path).await;
                let ruling = self.decide(Action::Write {
                    path: &path,
                    inside_project,
                });
                let summary = match diff.created {
                    true => format!("Create {}", diff.path),
                    false => format!("Change {}", diff.path),
                };
                (
                    ruling,
                    Subject {
                        summary,
                        command: None,
                        diff: Some(diff),
                        cwd: cx.environment.cwd(),
                    },
                )
            }
        };
        match ruling {
            Ruling::Run => Decision::Run { note: None },
            Ruling::Refuse { message, unanswered } => {
                if unanswered {
                    self.record(cx, RequestId::default(), &deny(None), "nobody");
                }
                Decision::Refuse { message, unanswered }
            }
            Ruling::Ask(ask) => self.ask(cx, tool, args, ask, subject).await,
        }
    }

    async fn judge(&self, command: &str, cwd: &str) -> Option<Assessment> {
        let context = CommandContext {
            user_home: self.core.user_home.display().to_string(),
            talaria_home: self.core.talaria_home.display().to_string(),
            sudo_password: false,
        };
        let assessment = match command.len() <= QUICK_BYTES {
            true => assess(command, &context),
            false => {
                let command = command.to_owned();
                tokio::task::spawn_blocking(move || assess(&command, &context))
                    .await
                    .ok()?
            }
        };
        let changed = self.session.environment.changed_variables();
        Some(
            assessment
                .with_changed_variables(changed.iter().map(String::as_str))
                .in_folder(cwd),
        )
    }

    fn decide(&self, action: Action<'_>) -> Ruling {
        let surface = match self.core.hub.has_surface("approval") {
            true => Surface::Person,
            false => Surface::Nobody,
        };
        let mode = self.core.overrides.approval_mode.unwrap_or_else(|| self.session.mode());
        self.session.with_grants(|grants| decide(mode, action, grants, surface))
    }

    /// Whether a resolved path lies in the project's resolved folder.
    async fn is_inside_project(&self, cx: &ToolContext, path: &str) -> bool {
        let project = self.session.project_dir.display().to_string();
        let project = match cx.environment.backend().files() {
            Some(files) => files.real_path(&project).await.unwrap_or(project),
            None => project,
        };
        // The root folder as a project would make every file an inner one.
        project != "/" && Path::new(path).starts_with(&project)
    }

    async fn ask(&self, cx: &ToolContext, tool: &ToolSpec, args: &Value, ask: Ask, subject: Subject) -> Decision {
        let (kind, name) = cx.environment.backend().target();
        let name = if kind == "local" {
            self.core.machine.clone()
        } else {
            name
        };
        let request_id = crate::ids::request_id();
        let (command, parts) = match subject.command {
            Some((command, assessment)) => (Some(command), assessment.parts),
            None => (None, Vec::new()),
        };
        let body = subject.diff.clone();
        let params = ApprovalParams {
            session_id: self.session.id.clone(),
            request_id: request_id.clone(),
            call_id: cx.call_id.clone(),
            tool: tool.name.to_owned(),
            summary: subject.summary,
            command,
            parts,
            diff: subject.diff,
            arguments: args.clone(),
            cwd: subject.cwd,
            target: Target {
                kind: kind.to_owned(),
                name,
            },
            risk: ask.reasons,
            choices: ask.choices,
            allow_permanent: false,
            scope_preview: ask.scope_preview,
        };
        let feed = &self.session.feed;
        feed.change_tool(&cx.call_id, |view| {
            view.state = ToolState::Waiting;
            if let Some(diff) = body {
                view.body = ToolBody::Edit { files: vec![diff] };
            }
        });
        let _asking = feed.asking("Waiting for your approval");
        let timeout = self.core.settings(|settings| settings.approval_timeout);
        let question = self.core.hub.ask(ServerRequest::Approval(params), timeout);
        let answer = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => Answer::Withdrawn(RequestCancelReason::Interrupted),
            answer = question.wait() => answer,
        };
        feed.change_tool(&cx.call_id, |view| view.state = ToolState::Running);
        match answer {
            Answer::Approval(reply) => self.answered(cx, request_id, ask.grant_keys, reply),
            Answer::Nobody | Answer::TimedOut | Answer::Clarify(_) => {
                self.record(cx, request_id, &deny(None), "nobody");
                Decision::Refuse {
                    message: unanswered_message(),
                    unanswered: true,
                }
            }
            Answer::Withdrawn(_) => Decision::Refuse {
                message: "The question was withdrawn before it was answered. Nothing was run.".to_owned(),
                unanswered: false,
            },
        }
    }

    fn answered(&self, cx: &ToolContext, id: RequestId, grant_keys: Vec<String>, reply: ApprovalReply) -> Decision {
        self.record(cx, id, &reply, "you");
        match reply.choice {
            ApprovalChoice::Once => Decision::Run {
                note: Some("approved once by the person".to_owned()),
            },
            // A rule for good is not on offer yet; the careful reading is the session.
            ApprovalChoice::Session | ApprovalChoice::Always => {
                self.session.with_grants(|grants| grants.add(grant_keys));
                Decision::Run {
                    note: Some("approved by the person for this session".to_owned()),
                }
            }
            ApprovalChoice::Deny => Decision::Refuse {
                message: denied_message(reply.note.as_deref()),
                unanswered: false,
            },
        }
    }

    /// Keeps the outcome with the call.
    fn record(&self, cx: &ToolContext, request_id: RequestId, reply: &ApprovalReply, by: &str) {
        let record = ApprovalRecord {
            request_id,
            choice: reply.choice,
            note: reply.note.clone(),
            at: crate::clock::unix_now(),
            by: by.to_owned(),
        };
        self.session
            .feed
            .change_tool(&cx.call_id, |view| view.approval = Some(record));
    }
}

fn deny(note: Option<String>) -> ApprovalReply {
    ApprovalReply {
        choice: ApprovalChoice::Deny,
        note,
    }
}

impl Gate for SessionGate {
    fn decide<'a>(
        &'a self,
        cx: &'a ToolContext,
        tool: &'a ToolSpec,
        args: &'a Value,
        intent: Intent,
    ) -> BoxFuture<'a, Decision> {
        Box::pin(self.rule(cx, tool, args, intent))
    }
}
