//! `talariad sessions list|show|export|delete`.

use super::{start, tell_notices};
use crate::COMPLETED;
use crate::options::{SessionsCommand, SessionsOptions};
use crate::output::{Stopped, out};
use crate::terminal::{visible, visible_line};
use serde::Serialize;
use std::sync::Arc;
use talaria_protocol::{
    AppError, Methods, Row, SessionDeleteParams, SessionHistoryParams, SessionId, SessionListParams,
    SessionResumeParams, SessionSummary, ToolBody,
};
use talaria_runtime::{LocalClient, Runtime, RuntimeOptions};

/// Rows that are fetched at a time.
const PAGE: u32 = 400;
/// Last lines of a command's output that are shown.
const OUTPUT_LINES: usize = 12;

pub async fn sessions(options: SessionsOptions) -> Result<u8, Stopped> {
    let runtime = start(RuntimeOptions::command()).await?;
    let done = command(&runtime, options.command).await;
    runtime.shutdown().await;
    done.map(|()| COMPLETED)
}

async fn command(runtime: &Arc<Runtime>, command: SessionsCommand) -> Result<(), Stopped> {
    let (client, hello) = LocalClient::connect(Arc::clone(runtime), "cli", &[]).await?;
    tell_notices(&hello);
    match command {
        SessionsCommand::List { json, limit } => list(&client, json, limit).await,
        SessionsCommand::Show { id, json } => show(&client, &runtime.find_session(&id).await?, json).await,
        SessionsCommand::Export { id } => {
            let export = runtime.export(&runtime.find_session(&id).await?).await?;
            Ok(out(&format!("{export}\n"))?)
        }
        SessionsCommand::Delete { id } => {
            // A prefix is handy for looking, too risky for deleting.
            let params = SessionDeleteParams {
                session_id: SessionId::new(id),
                now: true,
            };
            runtime.session_delete(client.id(), params).await?;
            Ok(())
        }
    }
}

async fn list(client: &LocalClient, json: bool, limit: u32) -> Result<(), Stopped> {
    let mut cursor = None;
    let mut left = limit;
    while left > 0 {
        let params = SessionListParams {
            limit: Some(left.min(PAGE)),
            cursor,
            query: None,
        };
        let page = client.runtime().session_list(client.id(), params).await?;
        let mut text = String::new();
        for session in &page.sessions {
            match json {
                true => push_json(&mut text, session)?,
                false => text.push_str(&line(session)),
            }
        }
        out(&text)?;
        left = left.saturating_sub(u32::try_from(page.sessions.len()).unwrap_or(u32::MAX));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    Ok(())
}

fn line(session: &SessionSummary) -> String {
    format!(
        "{}  {:4} messages  {}\n",
        session.session_id,
        session.message_count,
        visible_line(&session.title)
    )
}

async fn show(client: &LocalClient, session_id: &SessionId, json: bool) -> Result<(), Stopped> {
    let params = SessionResumeParams {
        session_id: session_id.clone(),
        limit: Some(PAGE),
    };
    let snapshot = client.runtime().session_resume(client.id(), params).await?;
    let mut pages = vec![snapshot.rows];
    let mut cursor = snapshot.older_cursor;
    while let Some(at) = cursor {
        let params = SessionHistoryParams {
            session_id: session_id.clone(),
            cursor: at,
            limit: Some(PAGE),
        };
        let page = client.runtime().session_history(client.id(), params).await?;
        pages.push(page.rows);
        cursor = page.older_cursor;
    }
    for page in pages.iter().rev() {
        let mut text = String::new();
        for row in page {
            match json {
                true => push_json(&mut text, row)?,
                false => push_row(&mut text, row),
            }
        }
        out(&text)?;
    }
    Ok(())
}

fn push_json(text: &mut String, value: &impl Serialize) -> Result<(), AppError> {
    let json = serde_json::to_string(value).map_err(|error| AppError::internal(error.to_string()))?;
    text.push_str(&json);
    text.push('\n');
    Ok(())
}

fn push_row(text: &mut String, row: &Row) {
    match row {
        Row::User { text: said, .. } => {
            text.push_str(&format!("\n> {}\n\n", visible(said.trim_end()).replace('\n', "\n> ")));
        }
        Row::Assistant { text: said, .. } => text.push_str(&format!("{}\n", visible(said.trim_end()))),
        Row::Reasoning { .. } => {}
        Row::Tool { tool, .. } => {
            let note = tool
                .note
                .as_deref()
                .map(|note| format!("  ({note})"))
                .unwrap_or_default();
            let step = format!("{:?} {}{note}", tool.verb, tool.target);
            text.push_str(&format!("· {}\n", visible_line(&step)));
            if let ToolBody::Terminal { output, .. } = &tool.body {
                let lines: Vec<&str> = output.lines().collect();
                for line in &lines[lines.len().saturating_sub(OUTPUT_LINES)..] {
                    text.push_str(&format!("    {}\n", visible(line)));
                }
            }
        }
        Row::Notice { text: notice, .. } => text.push_str(&format!("  ({})\n", visible_line(notice))),
        Row::Error { error, .. } => text.push_str(&format!("! {}\n", visible_line(&error.message))),
    }
}
