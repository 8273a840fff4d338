//! `talariad tools list` and `talariad tool call`.

use super::{project_dir, start, tell_error, text_or_stdin};
use crate::options::{Approvals, ToolCallOptions, ToolCommand, ToolOptions, ToolsCommand, ToolsOptions};
use crate::{COMPLETED, DENIED, FAILED, INTERRUPTED, terminal};
use serde_json::json;
use talaria_bridge::Delivery;
use talaria_protocol::{ApprovalMode, ServerRequest};
use talaria_runtime::{LocalClient, RuntimeOptions};
use tokio_util::sync::CancellationToken;

pub async fn tools(options: ToolsOptions) -> u8 {
    let ToolsCommand::List { json } = options.command;
    let runtime = match start(RuntimeOptions::command()).await {
        Ok(runtime) => runtime,
        Err(code) => return code,
    };
    let tools = runtime.tools();
    if json {
        let definitions: Vec<serde_json::Value> = tools
            .iter()
            .map(|tool| {
                json!({"type": "function", "function": {
                    "name": tool.name, "description": tool.description, "parameters": tool.parameters,
                }})
            })
            .collect();
        println!("{}", serde_json::Value::Array(definitions));
    } else {
        let width = tools.iter().map(|tool| tool.name.len()).max().unwrap_or(0);
        for tool in tools.iter() {
            let line = tool.description.lines().next().unwrap_or_default();
            let first = line.split_inclusive(". ").next().unwrap_or(line).trim();
            println!("{:width$}  {first}", tool.name);
        }
    }
    runtime.shutdown().await;
    COMPLETED
}

pub async fn tool(options: ToolOptions) -> u8 {
    let ToolCommand::Call(options) = options.command;
    match call(options).await {
        Ok(code) | Err(code) => code,
    }
}

async fn call(options: ToolCallOptions) -> Result<u8, u8> {
    let arguments = text_or_stdin(options.arguments)?;
    if let Err(error) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&arguments) {
        eprintln!("error: the arguments are not a JSON object: {error}");
        eprintln!("hint: for example '{{\"path\": \"README.md\"}}'");
        return Err(crate::USAGE);
    }
    let folder = project_dir(options.project.as_deref())?;
    let runtime = start(RuntimeOptions::command()).await?;
    let asks = options.approvals == Approvals::Ask && terminal::is_attached();
    let capabilities: &[&str] = if asks { &["approval", "clarify"] } else { &[] };
    let client = match LocalClient::connect(runtime.clone(), "cli", capabilities).await {
        Ok((client, _)) => client,
        Err(error) => {
            tell_error(&error);
            return Err(FAILED);
        }
    };
    let mode = match options.approvals {
        Approvals::Auto => ApprovalMode::Auto,
        Approvals::Ask | Approvals::Deny => ApprovalMode::Ask,
    };
    let mut bench = runtime.tool_bench(&folder, mode);
    runtime.hub().follow(client.id(), bench.session_id(), 0);
    let cancel = CancellationToken::new();
    let mut code = COMPLETED;
    for _ in 0..options.repeat {
        let report = {
            let work = bench.call(&options.name, &arguments, &cancel);
            tokio::pin!(work);
            loop {
                tokio::select! {
                    biased;
                    report = &mut work => break report,
                    batch = client.next(), if asks => answer_all(&client, batch).await,
                    () = terminal::stop_signal(), if !cancel.is_cancelled() => cancel.cancel(),
                }
            }
        };
        println!("{}", report.result);
        if options.time {
            println!("{:.3} ms", report.took.as_secs_f64() * 1000.0);
        }
        code = match (report.is_done(), report.unanswered) {
            _ if cancel.is_cancelled() => INTERRUPTED,
            (_, true) => DENIED,
            (true, false) => code,
            (false, false) => FAILED,
        };
        if cancel.is_cancelled() {
            break;
        }
    }
    bench.close().await;
    drop(client);
    runtime.shutdown().await;
    Ok(code)
}

async fn answer_all(client: &LocalClient, batch: Vec<Delivery>) {
    for delivery in batch {
        let Delivery::Request(open) = delivery else { continue };
        match &open.request {
            ServerRequest::Approval(params) => {
                let reply = terminal::ask_approval(params).await;
                client.answer_approval(&open.id, &reply);
            }
            ServerRequest::Clarify(params) => {
                let reply = terminal::ask_questions(params).await;
                client.answer_questions(&open.id, &reply);
            }
        }
    }
}
