//! The tool itself.

use crate::meaning::meaning;
use crate::progress::Progress;
use crate::request::{Refusal, Request};
use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;
use talaria_exec::{CommandEnd, CommandResult, ExecError, OutputCap, RunRequest, TextForm};
use talaria_protocol::{ToolBody, ToolState, Verb};
use talaria_tools::{
    CallTitle, Intent, ParallelClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, register_tool,
};

const DESCRIPTION: &str = "Runs a bash command in the project's environment and returns its output and exit code as soon as it ends. \
Every command is a fresh shell, but the current folder, exported variables and files persist from call to call: activate a virtual \
environment or `cd` once. Use it for builds, tests, git, package managers and programs. To read a file prefer read_file over cat, head, \
tail and sed; to write one prefer write_file over echo and here-documents. stdout and stderr come merged; of long output the first 40 % \
and last 60 % are kept. There is no terminal and no input: pass flags that avoid prompts, pagers and editors (`-y`, `--no-pager`, \
`-m`). Processes must not outlive the command: no trailing `&`, nohup, disown or setsid, and no server that runs until it is stopped.";

/// Runs a shell command in the foreground.
#[derive(Default)]
pub(crate) struct Terminal;

register_tool!(Terminal);

/// What the model reads, in this order.
#[derive(Serialize)]
struct Answer<'a> {
    output: &'a str,
    exit_code: i32,
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code_meaning: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
}

impl Answer<'_> {
    fn text(&self) -> String {
        // Strings and numbers always serialise.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Tool for Terminal {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "terminal",
            toolset: "terminal",
            description: DESCRIPTION.to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "command": { "type": "string", "description": "The command, as typed into bash." },
                    "timeout": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "Seconds until the command is stopped. Default 180, at most 600."
                    },
                    "workdir": {
                        "type": "string",
                        "description": "Folder for this command alone (absolute). Default: the current folder."
                    }
                },
                "required": ["command"]
            }),
            max_result_chars: Some(100_000),
            parallel: ParallelClass::Barrier,
            has_effects: true,
        }
    }

    fn title(&self, args: &Value) -> CallTitle {
        let command = args.get("command").and_then(Value::as_str).unwrap_or_default().trim();
        CallTitle {
            verb: Verb::Run,
            target: command.lines().next().unwrap_or_default().to_owned(),
        }
    }

    fn intent<'a>(&'a self, cx: &'a ToolContext, args: &'a Value) -> BoxFuture<'a, Result<Intent, ToolError>> {
        Box::pin(async move {
            Ok(match Request::read(args, &cx.limits) {
                Ok(request) => {
                    let cwd = request.folder(&cx.environment);
                    Intent::Command {
                        command: request.command,
                        cwd,
                    }
                }
                // Nothing will run: `call` reads the same arguments and answers with what is wrong.
                Err(_) => Intent::Read,
            })
        })
    }

    fn call<'a>(&'a self, cx: &'a ToolContext, args: &'a Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            match Request::read(args, &cx.limits) {
                Ok(request) => run(cx, request).await,
                Err(refusal) => Ok(refused(&refusal)),
            }
        })
    }
}

async fn run(cx: &ToolContext, request: Request) -> Result<ToolOutput, ToolError> {
    let folder = request.folder(&cx.environment);
    match with_retries(cx, &request).await {
        Ok(result) => {
            let output = shown(&request.command, folder, &result, request.timeout);
            match result.end {
                CommandEnd::Interrupted => Err(ToolError::Cancelled {
                    partial: Some(Box::new(output)),
                }),
                CommandEnd::Exited | CommandEnd::TimedOut | CommandEnd::NoFolder => Ok(output),
            }
        }
        Err(error) => {
            let message = format!("The command could not be run: {error}.");
            Ok(refused(&Refusal {
                message,
                status: "error",
            }))
        }
    }
}

/// Runs the command. While the system has no process to spare it tries again: nothing ran, so nothing is done twice.
async fn with_retries(cx: &ToolContext, request: &Request) -> Result<CommandResult, ExecError> {
    let mut pauses = [2, 4, 8].into_iter().map(Duration::from_secs);
    loop {
        let ended = streamed(cx, request).await;
        match (&ended, pauses.next()) {
            (Err(ExecError::Busy { reason }), Some(pause)) => {
                tracing::warn!(reason, "the command is tried again");
                cx.host.status("The system is busy; the command is tried again");
                tokio::select! {
                    biased;
                    () = cx.cancel.cancelled() => {}
                    () = tokio::time::sleep(pause) => {}
                }
            }
            _ => return ended,
        }
    }
}

async fn streamed(cx: &ToolContext, request: &Request) -> Result<CommandResult, ExecError> {
    let progress = Progress::default();
    let mut on_output = |text: &str| progress.push(text);
    let run = cx.environment.run(
        RunRequest {
            command: request.command.clone(),
            timeout: request.timeout,
            workdir: request.workdir.clone(),
            stdin: None,
            cap: OutputCap::Chars(cx.limits.terminal_chars),
            text: TextForm::Plain,
            on_output: Some(&mut on_output),
        },
        &cx.cancel,
    );
    tokio::select! {
        biased;
        ended = run => ended,
        never = progress.show(cx.host.as_ref()) => match never {},
    }
}

fn shown(command: &str, cwd: String, result: &CommandResult, timeout: Duration) -> ToolOutput {
    let answer = Answer {
        output: result.output.trim(),
        exit_code: result.exit_code,
        error: None,
        exit_code_meaning: match result.end {
            CommandEnd::Exited => meaning(command, result.exit_code),
            CommandEnd::TimedOut | CommandEnd::Interrupted | CommandEnd::NoFolder => None,
        },
        status: None,
    };
    let (state, note) = match result.end {
        CommandEnd::Exited => (ToolState::Done, format!("exit {}", result.exit_code)),
        CommandEnd::TimedOut => (ToolState::Failed, format!("timed out after {} s", timeout.as_secs())),
        CommandEnd::Interrupted => (ToolState::Cancelled, "interrupted".to_owned()),
        CommandEnd::NoFolder => (ToolState::Failed, "no such folder".to_owned()),
    };
    ToolOutput {
        result: answer.text(),
        body: ToolBody::Terminal {
            command: command.to_owned(),
            cwd,
            exit_code: Some(result.exit_code),
            output: result.display.clone(),
            total_lines: result.total_lines,
            truncated: result.display_cut,
        },
        note: Some(note),
        state,
    }
}

/// The answer to a call that ran nothing.
fn refused(refusal: &Refusal) -> ToolOutput {
    let answer = Answer {
        output: "",
        exit_code: -1,
        error: Some(&refusal.message),
        exit_code_meaning: None,
        status: Some(refusal.status),
    };
    ToolOutput {
        result: answer.text(),
        body: ToolBody::Text {
            text: refusal.message.clone(),
            truncated: false,
        },
        note: Some("not run".to_owned()),
        state: ToolState::Failed,
    }
}

#[cfg(test)]
mod tests;
