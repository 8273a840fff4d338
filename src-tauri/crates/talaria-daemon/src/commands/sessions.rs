//! `talariad sessions list|show|export|delete`.

use super::{start, tell_error};
use crate::options::{SessionsCommand, SessionsOptions};
use crate::terminal::visible;
use crate::{COMPLETED, FAILED};
use std::sync::Arc;
use talaria_protocol::{
    AppError, Methods, Row, SessionDeleteParams, SessionHistoryParams, SessionId, SessionListParams, SessionResumeParams, ToolBody,
};
use talaria_runtime::{LocalClient, Runtime, RuntimeOptions};

/// Rows that are fetched at a time.
const PAGE: u32 = 400;

pub async fn sessions(options: SessionsOptions) -> u8 {
    let runtime = match start(RuntimeOptions::command()).await {
        Ok(runtime) => runtime,
        Err(code) => return code,
    };
    let done = command(&runtime, options.command).await;
    runtime.shutdown().await;
    match done {
        Ok(()) => COMPLETED,
        Err(error) => {
            tell_error(&error);
            FAILED
        }
    }
}

async fn command(runtime: &Arc<Runtime>, command: SessionsCommand) -> Result<(), AppError> {
    let (client, _) = LocalClient::connect(Arc::clone(runtime), "cli", &[]).await?;
    match command {
        SessionsCommand::List { json, limit } => list(&client, json, limit).await,
        SessionsCommand::Show { id, json } => show(&client, &runtime.find_session(&id).await?, json).await,
        SessionsCommand::Export { id } => {
            let export = runtime.export(&runtime.find_session(&id).await?).await?;
            println!("{export}");
            Ok(())
        }
        SessionsCommand::Delete { id } => {
            // A prefix is handy for looking, too risky for deleting.
            let params = SessionDeleteParams { session_id: SessionId::new(id), now: true };
            runtime.session_delete(client.id(), params).await?;
            Ok(())
        }
    }
}

async fn list(client: &LocalClient, json: bool, limit: u32) -> Result<(), AppError> {
    let mut cursor = None;
    let mut left = limit;
    while left > 0 {
        let params = SessionListParams { limit: Some(left.min(PAGE)), cursor, query: None };
        let page = client.runtime().session_list(client.id(), params).await?;
        for session in &page.sessions {
            match json {
                true => println!("{}", serde_json::to_string(session).map_err(|error| AppError::internal(error.to_string()))?),
                false => println!("{}  {:4} messages  {}", session.session_id, session.message_count, visible(&session.title)),
            }
        }
        left = left.saturating_sub(page.sessions.len() as u32);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    Ok(())
}

async fn show(client: &LocalClient, session_id: &SessionId, json: bool) -> Result<(), AppError> {
    let params = SessionResumeParams { session_id: session_id.clone(), limit: Some(PAGE) };
    let snapshot = client.runtime().session_resume(client.id(), params).await?;
    let mut pages = vec![snapshot.rows];
    let mut cursor = snapshot.older_cursor;
    while let Some(at) = cursor {
        let params = SessionHistoryParams { session_id: session_id.clone(), cursor: at, limit: Some(PAGE) };
        let page = client.runtime().session_history(client.id(), params).await?;
        pages.push(page.rows);
        cursor = page.older_cursor;
    }
    for row in pages.iter().rev().flatten() {
        match json {
            true => println!("{}", serde_json::to_string(row).map_err(|error| AppError::internal(error.to_string()))?),
            false => show_row(row),
        }
    }
    Ok(())
}

fn show_row(row: &Row) {
    match row {
        Row::User { text, .. } => println!("\n> {}\n", visible(text).replace('\n', "\n> ")),
        Row::Assistant { text, .. } => println!("{}\n", visible(text)),
        Row::Reasoning { .. } => {}
        Row::Tool { tool, .. } => {
            let note = tool.note.as_deref().unwrap_or_default();
            println!("· {:?} {} {}", tool.verb, visible(&tool.target), visible(note));
            if let ToolBody::Terminal { output, .. } = &tool.body {
                for line in output.lines().rev().take(12).collect::<Vec<_>>().into_iter().rev() {
                    println!("    {}", visible(line));
                }
            }
        }
        Row::Notice { text, .. } => println!("  ({})", visible(text)),
        Row::Error { error, .. } => println!("! {}", visible(&error.message)),
    }
}
