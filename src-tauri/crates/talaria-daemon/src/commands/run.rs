//! `talariad run`: one task, from the message to the report.

use super::{project_dir, start, tell_error, text_or_stdin};
use crate::options::{Approvals, RunOptions};
use crate::show::Show;
use crate::{COMPLETED, DENIED, FAILED, INTERRUPTED, terminal};
use serde::Serialize;
use std::io::Write;
use talaria_bridge::Delivery;
use talaria_protocol::{
    AppError, ApprovalParams, CoreEvent, Methods, ModelRoute, OpenRequest, PromptSubmitParams, ServerRequest,
    SessionCreateParams, SessionId, SessionRefParams, SessionResumeParams, ToolState, TurnId, TurnStatus, Usage, WhenBusy,
};
use talaria_runtime::{LocalClient, RuntimeOptions};

/// Last line of `--json`.
#[derive(Serialize)]
struct ResultLine<'a> {
    r#type: &'static str,
    status: &'static str,
    final_response: &'a str,
    session_id: Option<&'a SessionId>,
    api_calls: u64,
    exit_reason: &'a str,
    usage: Usage,
    error: Option<&'a AppError>,
}

/// How the run ended.
struct Outcome {
    status: TurnStatus,
    text: String,
    usage: Usage,
    error: Option<AppError>,
    exit_reason: String,
    unanswered: bool,
}

pub async fn run(options: RunOptions) -> u8 {
    let json = options.json;
    let (session_id, result) = attempt(options).await;
    let (code, outcome) = match result {
        Ok(outcome) => {
            let code = match (outcome.status, outcome.unanswered) {
                (TurnStatus::Interrupted, _) => INTERRUPTED,
                (TurnStatus::Error, _) => FAILED,
                (TurnStatus::Complete, true) => DENIED,
                (TurnStatus::Complete, false) => COMPLETED,
            };
            (code, outcome)
        }
        Err(Failure::Told(code)) => {
            if !json {
                return code;
            }
            let error = AppError::internal("the run could not be started; standard error says why");
            (code, Outcome::failed(error, "start_failed"))
        }
        Err(Failure::Error(error)) => (FAILED, Outcome::failed(*error, "start_failed")),
    };
    if json {
        let line = ResultLine {
            r#type: "result",
            status: match code {
                COMPLETED => "completed",
                DENIED => "denied",
                INTERRUPTED => "interrupted",
                _ => "failed",
            },
            final_response: &outcome.text,
            session_id: session_id.as_ref(),
            api_calls: outcome.usage.api_calls,
            exit_reason: &outcome.exit_reason,
            usage: outcome.usage,
            error: outcome.error.as_ref(),
        };
        print_json(&line);
    }
    if let Some(error) = &outcome.error {
        tell_error(error);
    }
    if code == DENIED && !json {
        eprintln!("note: something needed an approval and nobody could be asked; run it on a terminal, or with --approvals auto");
    }
    code
}

impl Outcome {
    fn failed(error: AppError, exit_reason: &str) -> Self {
        Self {
            status: TurnStatus::Error,
            text: String::new(),
            usage: Usage::default(),
            error: Some(error),
            exit_reason: exit_reason.to_owned(),
            unanswered: false,
        }
    }
}

enum Failure {
    /// Standard error says it already.
    Told(u8),
    Error(Box<AppError>),
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        Failure::Error(Box::new(error))
    }
}

async fn attempt(options: RunOptions) -> (Option<SessionId>, Result<Outcome, Failure>) {
    let mut session_id = None;
    let result = steps(options, &mut session_id).await;
    (session_id, result)
}

async fn steps(options: RunOptions, session: &mut Option<SessionId>) -> Result<Outcome, Failure> {
    let prompt = text_or_stdin(options.prompt.clone()).map_err(Failure::Told)?;
    let folder = match (&options.project, &options.session) {
        // The demo brings a sample project of its own.
        (None, None) if options.model.as_deref() == Some("demo") && options.base_url.is_none() => None,
        (None, Some(_)) => None,
        (given, _) => Some(project_dir(given.as_deref()).map_err(Failure::Told)?),
    };
    let runtime = start(RuntimeOptions::command()).await.map_err(Failure::Told)?;
    let asks = options.approvals == Approvals::Ask && terminal::is_attached();
    let capabilities: &[&str] = if asks { &["approval", "clarify"] } else { &[] };
    let (client, hello) = LocalClient::connect(runtime.clone(), "cli", capabilities).await?;
    let route = route(&options, hello.default_model);
    let outcome = async {
        let session_id = open_session(&client, &options, folder, route).await?;
        *session = Some(session_id.clone());
        let submit = PromptSubmitParams {
            session_id: session_id.clone(),
            text: prompt,
            when_busy: WhenBusy::Queue,
            client_token: None,
        };
        let reply = client.runtime().prompt_submit(client.id(), submit).await?;
        let turn_id = reply.turn_id.ok_or_else(|| AppError::internal("the message did not begin a turn"))?;
        Ok::<Outcome, Failure>(follow(&client, &session_id, &turn_id, options.json).await)
    }
    .await;
    drop(client);
    runtime.shutdown().await;
    outcome
}

/// The route from the options, on top of the default.
fn route(options: &RunOptions, default: Option<ModelRoute>) -> Option<ModelRoute> {
    if options.model.is_none() && options.base_url.is_none() && options.api_key_env.is_none() {
        return default;
    }
    if options.model.as_deref() == Some("demo") && options.base_url.is_none() {
        return Some(ModelRoute { provider: "demo".to_owned(), model: "demo".to_owned(), base_url: None, api_key_env: None });
    }
    let mut route = match (&options.base_url, default) {
        (None, Some(default)) => default,
        (base_url, default) => ModelRoute {
            provider: "custom".to_owned(),
            // A server with a single model takes any name.
            model: default.map_or_else(|| "default".to_owned(), |default| default.model),
            base_url: base_url.clone(),
            api_key_env: None,
        },
    };
    if let Some(model) = &options.model {
        route.model.clone_from(model);
    }
    if options.api_key_env.is_some() {
        route.api_key_env.clone_from(&options.api_key_env);
    }
    Some(route)
}

async fn open_session(
    client: &LocalClient,
    options: &RunOptions,
    folder: Option<std::path::PathBuf>,
    route: Option<ModelRoute>,
) -> Result<SessionId, AppError> {
    let runtime = client.runtime();
    let chosen = options.model.is_some() || options.base_url.is_some();
    let Some(id) = &options.session else {
        let create = SessionCreateParams {
            project_dir: folder.map(|folder| folder.display().to_string()),
            model: route,
            approval_mode: Some(options.approvals.mode()),
            max_iterations: options.max_iterations,
        };
        return Ok(runtime.session_create(client.id(), create).await?.session.session_id);
    };
    let session_id = runtime.find_session(id).await?;
    let resume = SessionResumeParams { session_id: session_id.clone(), limit: Some(1) };
    let snapshot = runtime.session_resume(client.id(), resume).await?;
    if let Some(route) = route.filter(|_| chosen || snapshot.session.model.is_none()) {
        let set = talaria_protocol::ModelSetParams { session_id: Some(session_id.clone()), route };
        runtime.model_set(client.id(), set).await?;
    }
    if options.approvals == Approvals::Auto || snapshot.session.approval_mode == talaria_protocol::ApprovalMode::Auto {
        // A run is as careful as its own options say, not as an earlier one was.
        let mode = talaria_protocol::ApprovalModeParams { session_id: Some(session_id.clone()), mode: options.approvals.mode() };
        runtime.approvals_mode_set(client.id(), mode).await?;
    }
    Ok(session_id)
}

/// Shows what happens until the turn has ended.
async fn follow(client: &LocalClient, session_id: &SessionId, turn_id: &TurnId, json: bool) -> Outcome {
    let mut show = Show::new();
    let mut unanswered = false;
    let mut stopping = false;
    loop {
        let batch = tokio::select! {
            batch = client.next() => batch,
            () = terminal::stop_signal() => {
                if stopping {
                    return Outcome { status: TurnStatus::Interrupted, ..Outcome::failed(AppError::internal("stopped"), "killed") };
                }
                stopping = true;
                let stop = SessionRefParams { session_id: session_id.clone() };
                if let Err(error) = client.runtime().session_interrupt(client.id(), stop).await {
                    tell_error(&error);
                }
                continue;
            }
        };
        let mut lines = String::new();
        for delivery in batch {
            match delivery {
                Delivery::Event(published) => {
                    let frame = &published.frame;
                    if frame.session_id.as_ref() != Some(session_id) {
                        continue;
                    }
                    match json {
                        true => push_json(&mut lines, frame),
                        false => show.event(&frame.event),
                    }
                    match &frame.event {
                        CoreEvent::ToolComplete { tool, .. } if tool.state == ToolState::Denied => {
                            unanswered |= tool.approval.as_ref().is_some_and(|record| record.by == "nobody");
                        }
                        CoreEvent::MessageComplete { turn_id: ended, status, text, usage, error, exit_reason, .. }
                            if ended == turn_id =>
                        {
                            print(&lines);
                            return Outcome {
                                status: *status,
                                text: text.clone(),
                                usage: *usage,
                                error: error.clone(),
                                exit_reason: exit_reason.clone(),
                                unanswered,
                            };
                        }
                        _ => {}
                    }
                }
                Delivery::Request(open) => {
                    print(&std::mem::take(&mut lines));
                    answer(client, &open).await;
                }
            }
        }
        print(&lines);
    }
}

async fn answer(client: &LocalClient, open: &OpenRequest) {
    match &open.request {
        ServerRequest::Approval(params) => {
            let reply = approval(params).await;
            client.answer_approval(&open.id, &reply);
        }
        ServerRequest::Clarify(params) => {
            let reply = terminal::ask_questions(params).await;
            client.answer_questions(&open.id, &reply);
        }
    }
}

async fn approval(params: &ApprovalParams) -> talaria_protocol::ApprovalReply {
    terminal::ask_approval(params).await
}

fn push_json(lines: &mut String, value: &impl Serialize) {
    if let Ok(json) = serde_json::to_string(value) {
        lines.push_str(&json);
        lines.push('\n');
    }
}

fn print_json(value: &impl Serialize) {
    let mut line = String::new();
    push_json(&mut line, value);
    print(&line);
}

fn print(text: &str) {
    if text.is_empty() {
        return;
    }
    let mut output = std::io::stdout().lock();
    // Whoever read us may be gone; the task goes on to its end all the same.
    let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
}
