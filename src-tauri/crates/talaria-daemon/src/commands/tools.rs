//! `talariad tools list` and `talariad tool call`.

use super::{Text, project_dir, start, tell_notices, text_or_stdin};
use crate::desk::Desk;
use crate::options::{Approvals, ToolCommand, ToolOptions, ToolsCommand, ToolsOptions};
use crate::output::{Stopped, out};
use crate::signals::StopSignals;
use crate::{COMPLETED, DENIED, FAILED, INTERRUPTED, USAGE, terminal};
use serde_json::{Map, Value, json};
use talaria_bridge::Delivery;
use talaria_protocol::{AppError, CoreEvent};
use talaria_runtime::{CallReport, LocalClient, RuntimeOptions};
use tokio_util::sync::CancellationToken;

pub async fn tools(options: ToolsOptions) -> Result<u8, Stopped> {
    let ToolsCommand::List { json } = options.command;
    let runtime = start(RuntimeOptions::command()).await?;
    let tools = runtime.tools();
    let mut text = String::new();
    if json {
        let definitions = tools.iter().map(|tool| {
            json!({"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.parameters,
            }})
        });
        text.push_str(&Value::Array(definitions.collect()).to_string());
        text.push('\n');
    } else {
        let width = tools.iter().map(|tool| tool.name.len()).max().unwrap_or(0);
        for tool in tools.iter() {
            let line = tool.description.lines().next().unwrap_or_default();
            let first = line.split_inclusive(". ").next().unwrap_or(line).trim();
            text.push_str(&format!("{:width$}  {first}\n", tool.name));
        }
    }
    let written = out(&text);
    runtime.shutdown().await;
    written?;
    Ok(COMPLETED)
}

pub async fn tool(options: ToolOptions) -> Result<u8, Stopped> {
    let ToolCommand::Call(options) = options.command;
    let arguments = match arguments(options.arguments.clone()) {
        Ok(arguments) => arguments,
        Err(error) => {
            crate::output::tell_error(&error);
            return Ok(USAGE);
        }
    };
    let folder = project_dir(options.project.as_deref())?;
    let mut signals = StopSignals::listen();
    let runtime = start(RuntimeOptions::command()).await?;
    let asks = options.approvals == Approvals::Ask && terminal::is_attached();
    let capabilities: &[&str] = if asks { &["approval", "clarify"] } else { &[] };
    let (client, hello) = LocalClient::connect(runtime.clone(), "cli", capabilities).await?;
    tell_notices(&hello);
    let mut bench = runtime.tool_bench(&folder, options.approvals.mode());
    if asks {
        runtime.hub().follow(client.id(), bench.session_id(), 0, &[]);
    }
    let cancel = CancellationToken::new();
    let mut desk = Desk::default();
    let mut code = COMPLETED;
    let mut written = Ok(());
    for _ in 0..options.repeat {
        let report = {
            let work = bench.call(&options.name, &arguments, &cancel);
            tokio::pin!(work);
            loop {
                tokio::select! {
                    biased;
                    report = &mut work => break report,
                    batch = client.next() => take(&mut desk, batch),
                    () = desk.serve_one(&client) => {}
                    () = signals.next() => cancel.cancel(),
                }
            }
        };
        written = written.and(out(&shown(&report, options.time)));
        code = match (report.is_done(), report.unanswered) {
            _ if cancel.is_cancelled() => INTERRUPTED,
            (_, true) => DENIED,
            (true, false) => code,
            (false, false) if code == DENIED => code,
            (false, false) => FAILED,
        };
        if cancel.is_cancelled() {
            break;
        }
    }
    bench.close().await;
    drop(client);
    runtime.shutdown().await;
    written?;
    Ok(code)
}

/// The arguments as they stand, when they are a JSON object.
fn arguments(text: String) -> Result<String, AppError> {
    let wrong = |what: String| {
        AppError::invalid(what).with_hint("Write them as a JSON object, for example '{\"path\": \"README.md\"}'.")
    };
    let text = match text_or_stdin(text, "the arguments")? {
        Text::Clean(text) => text,
        Text::Replaced(_) => return Err(wrong("the arguments are not UTF-8".to_owned())),
    };
    match serde_json::from_str::<Map<String, Value>>(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(wrong(format!("the arguments are not a JSON object: {error}"))),
    }
}

fn take(desk: &mut Desk, batch: Vec<Delivery>) {
    for delivery in batch {
        match delivery {
            Delivery::Request(open) => desk.add(*open),
            Delivery::Event(published) => {
                if let CoreEvent::RequestCancel { id, .. } = &published.frame.event {
                    desk.withdraw(id);
                }
            }
        }
    }
}

fn shown(report: &CallReport, time: bool) -> String {
    let mut text = format!("{}\n", report.result);
    if time {
        text.push_str(&format!("{:.3} ms\n", report.took.as_secs_f64() * 1000.0));
    }
    text
}
