//! `talariad run`: one task, from the message to the report.

mod session;

use super::{Text, project_dir, start, tell_notices, text_or_stdin};
use crate::advice::advise;
use crate::desk::Desk;
use crate::options::{Approvals, RunOptions};
use crate::output::{err, out, reader_left, tell_error, tell_lost_output};
use crate::show::Show;
use crate::signals::StopSignals;
use crate::{COMPLETED, DENIED, FAILED, INTERRUPTED, USAGE, terminal};
use serde::Serialize;
use std::io;
use talaria_bridge::Delivery;
use talaria_protocol::{
    AppError, CoreEvent, EventFrame, Methods, PromptSubmitParams, SessionId, SessionRefParams, ToolState, TurnId,
    TurnStatus, Usage, WhenBusy,
};
use talaria_runtime::{LocalClient, Overrides, RuntimeOptions};

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
    code: u8,
    text: String,
    usage: Usage,
    error: Option<AppError>,
    exit_reason: String,
}

/// What a run has come to, also when it fails on the way.
#[derive(Default)]
struct Progress {
    /// The session, once it is in the store.
    session_id: Option<SessionId>,
    /// Why standard output takes nothing any more.
    lost_output: Option<io::Error>,
}

pub async fn run(options: RunOptions) -> u8 {
    let json = options.json;
    let mut progress = Progress::default();
    let mut outcome = match steps(options, &mut progress).await {
        Ok(outcome) => outcome,
        Err(failure) => Outcome {
            code: failure.code,
            text: String::new(),
            usage: Usage::default(),
            error: Some(failure.error),
            exit_reason: "start_failed".to_owned(),
        },
    };
    outcome.error = outcome.error.map(|error| advise(error, progress.session_id.as_ref()));
    if json {
        let line = ResultLine {
            r#type: "result",
            status: match outcome.code {
                COMPLETED => "completed",
                DENIED => "denied",
                INTERRUPTED => "interrupted",
                _ => "failed",
            },
            final_response: &outcome.text,
            session_id: progress.session_id.as_ref(),
            api_calls: outcome.usage.api_calls,
            exit_reason: &outcome.exit_reason,
            usage: outcome.usage,
            error: outcome.error.as_ref(),
        };
        let mut text = String::new();
        push_json(&mut text, &line);
        if let Err(error) = out(&text) {
            progress.lost_output.get_or_insert(error);
        }
    }
    if let Some(error) = &outcome.error {
        tell_error(error);
    }
    if outcome.code == DENIED {
        err("note: something needed an approval and nobody could be asked.");
        err("hint: Run it on a terminal to be asked there, or allow everything with --approvals auto.");
    }
    if let Some(id) = progress.session_id.filter(|_| !json) {
        err(&format!("· Session {id}"));
    }
    match progress.lost_output.filter(|error| !reader_left(error)) {
        Some(error) => {
            tell_lost_output(&error);
            if outcome.code == COMPLETED {
                FAILED
            } else {
                outcome.code
            }
        }
        None => outcome.code,
    }
}

struct Failure {
    error: AppError,
    code: u8,
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        Self { error, code: FAILED }
    }
}

async fn steps(options: RunOptions, progress: &mut Progress) -> Result<Outcome, Failure> {
    let prompt = match text_or_stdin(options.prompt.clone(), "the task")? {
        Text::Clean(text) => text,
        Text::Replaced(text) => {
            err("note: standard input is not UTF-8; what could not be read was replaced.");
            text
        }
    };
    if prompt.trim().is_empty() {
        let error =
            AppError::invalid("the task is empty").with_hint("Say what to do: talariad run \"explain this project\"");
        return Err(Failure { error, code: USAGE });
    }
    let folder = match (&options.project, &options.session) {
        // The demo brings a sample project of its own.
        (None, None) if options.model.as_deref() == Some("demo") && options.base_url.is_none() => None,
        (None, Some(_)) => None,
        (given, _) => Some(project_dir(given.as_deref())?),
    };
    let mut signals = StopSignals::listen();
    let overrides = Overrides {
        // A run is as careful as its own options say, not as the session was before.
        approval_mode: Some(options.approvals.mode()),
        max_iterations: options.max_iterations,
    };
    let runtime = start(RuntimeOptions {
        overrides,
        ..RuntimeOptions::command()
    })
    .await?;
    let asks = options.approvals == Approvals::Ask && terminal::is_attached();
    let capabilities: &[&str] = if asks { &["approval", "clarify"] } else { &[] };
    let (client, hello) = LocalClient::connect(runtime.clone(), "cli", capabilities).await?;
    tell_notices(&hello);
    let outcome = turn(&client, &options, folder, prompt, &mut signals, progress).await;
    drop(client);
    tokio::select! {
        () = runtime.shutdown() => {}
        () = signals.next() => {}
    }
    outcome
}

async fn turn(
    client: &LocalClient,
    options: &RunOptions,
    folder: Option<std::path::PathBuf>,
    prompt: String,
    signals: &mut StopSignals,
    progress: &mut Progress,
) -> Result<Outcome, Failure> {
    let session_id = session::open(client, options, folder).await?;
    if options.session.is_some() {
        progress.session_id = Some(session_id.clone());
    }
    let submit = PromptSubmitParams {
        session_id: session_id.clone(),
        text: prompt,
        when_busy: WhenBusy::Queue,
        client_token: None,
    };
    let reply = client.runtime().prompt_submit(client.id(), submit).await?;
    progress.session_id = Some(session_id.clone());
    let turn_id = reply
        .turn_id
        .ok_or_else(|| AppError::internal("the message did not begin a turn"))?;
    let mut following = Following {
        client,
        session_id: &session_id,
        turn_id: &turn_id,
        show: (!options.json).then(Show::new),
        desk: Desk::default(),
        unanswered: false,
        stopping: false,
    };
    Ok(following.follow(signals, progress).await)
}

/// A turn that is shown.
struct Following<'a> {
    client: &'a LocalClient,
    session_id: &'a SessionId,
    turn_id: &'a TurnId,
    /// Without it, events go out as JSON.
    show: Option<Show>,
    desk: Desk,
    /// Whether a call was denied because nobody could be asked.
    unanswered: bool,
    stopping: bool,
}

impl Following<'_> {
    async fn follow(&mut self, signals: &mut StopSignals, progress: &mut Progress) -> Outcome {
        loop {
            let batch = tokio::select! {
                biased;
                () = signals.next() => {
                    if self.stopping {
                        // Twice means now; what still runs is ended by the shutdown.
                        return self.ended_by_force();
                    }
                    self.stopping = true;
                    self.stop().await;
                    continue;
                }
                batch = self.client.next() => batch,
                () = self.desk.serve_one(self.client) => continue,
            };
            let mut lines = String::new();
            let mut outcome = None;
            for delivery in batch {
                match delivery {
                    Delivery::Event(published) if published.frame.session_id.as_ref() == Some(self.session_id) => {
                        outcome = self.event(&published.frame, &mut lines, progress);
                        if outcome.is_some() {
                            break;
                        }
                    }
                    Delivery::Event(_) => {}
                    Delivery::Request(open) => self.desk.add(*open),
                }
            }
            if let Err(error) = out(&lines) {
                // Whoever read us may be gone; the task goes on to its end all the same.
                progress.lost_output.get_or_insert(error);
            }
            if let Some(outcome) = outcome {
                return outcome;
            }
        }
    }

    fn event(&mut self, frame: &EventFrame, lines: &mut String, progress: &mut Progress) -> Option<Outcome> {
        match &mut self.show {
            Some(show) => {
                if let Err(error) = show.event(&frame.event) {
                    progress.lost_output.get_or_insert(error);
                }
            }
            None => push_json(lines, frame),
        }
        match &frame.event {
            CoreEvent::ToolComplete { tool, .. } if tool.state == ToolState::Denied => {
                self.unanswered |= tool.approval.as_ref().is_some_and(|record| record.by == "nobody");
                None
            }
            CoreEvent::RequestCancel { id, .. } => {
                self.desk.withdraw(id);
                None
            }
            CoreEvent::MessageComplete {
                turn_id,
                status,
                text,
                usage,
                error,
                exit_reason,
                ..
            } if turn_id == self.turn_id => {
                let code = match status {
                    TurnStatus::Interrupted => INTERRUPTED,
                    TurnStatus::Error => FAILED,
                    TurnStatus::Complete if self.unanswered => DENIED,
                    TurnStatus::Complete => COMPLETED,
                };
                let (text, error) = (text.clone(), error.clone());
                Some(Outcome {
                    code,
                    text,
                    usage: *usage,
                    error,
                    exit_reason: exit_reason.clone(),
                })
            }
            _ => None,
        }
    }

    async fn stop(&self) {
        let stop = SessionRefParams {
            session_id: self.session_id.clone(),
        };
        if let Err(error) = self.client.runtime().session_interrupt(self.client.id(), stop).await {
            tell_error(&error);
        }
    }

    fn ended_by_force(&self) -> Outcome {
        Outcome {
            code: INTERRUPTED,
            text: String::new(),
            usage: Usage::default(),
            error: None,
            exit_reason: "stopped_by_signal".to_owned(),
        }
    }
}

fn push_json(lines: &mut String, value: &impl Serialize) {
    // Our own types always serialise.
    if let Ok(json) = serde_json::to_string(value) {
        lines.push_str(&json);
        lines.push('\n');
    }
}
