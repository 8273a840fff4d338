//! Rows of a running turn: numbering, finding, and text that was not told yet.

use std::time::Instant;
use talaria_protocol::{CallId, Row, SessionSummary, ToolView, TurnId};

/// What a feed keeps under its lock.
#[derive(Default)]
pub(super) struct Live {
    pub turn: Option<TurnId>,
    pub rows: Vec<Row>,
    pub next_row: u32,
    pub text: Pending,
    pub reasoning: Pending,
    pub last_flush: Option<Instant>,
    /// The session as it was told last.
    pub summary: Option<SessionSummary>,
    /// The session as its owner has it, before what it asks for.
    pub base: Option<SessionSummary>,
    /// What it waits for, a line each.
    pub asking: Vec<String>,
    pub reasoning_ms: Option<u64>,
}

/// Text that was not told yet, and the row it belongs to.
#[derive(Default)]
pub(super) struct Pending {
    pub row_id: Option<String>,
    pub text: String,
    pub started: Option<Instant>,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    Reasoning,
}

pub(super) fn next_row_id(live: &mut Live, turn_id: &TurnId) -> String {
    live.next_row += 1;
    format!("{turn_id}.{}", live.next_row)
}

pub(super) fn ensure_row(live: &mut Live, turn_id: &TurnId, kind: Kind) -> String {
    let known = match kind {
        Kind::Text => live.text.row_id.clone(),
        Kind::Reasoning => live.reasoning.row_id.clone(),
    };
    if let Some(row_id) = known {
        return row_id;
    }
    let row_id = next_row_id(live, turn_id);
    let (id, turn, at) = (row_id.clone(), turn_id.clone(), crate::clock::unix_now());
    match kind {
        Kind::Text => {
            live.text.row_id = Some(row_id.clone());
            live.rows.push(Row::Assistant {
                row_id: id,
                turn_id: turn,
                text: String::new(),
                streaming: true,
                at,
            });
        }
        Kind::Reasoning => {
            live.reasoning.row_id = Some(row_id.clone());
            live.rows.push(Row::Reasoning {
                row_id: id,
                turn_id: turn,
                text: String::new(),
                streaming: true,
                at,
                duration_ms: None,
            });
        }
    }
    row_id
}

pub(super) fn find_row<'a>(rows: &'a mut [Row], row_id: &str) -> Option<&'a mut Row> {
    rows.iter_mut().rev().find(|row| row.row_id() == row_id)
}

pub(super) fn find_tool<'a>(rows: &'a mut [Row], call: &CallId) -> Option<(String, &'a mut ToolView)> {
    rows.iter_mut().rev().find_map(|row| match row {
        Row::Tool { row_id, tool, .. } if tool.call_id == *call => Some((row_id.clone(), tool)),
        _ => None,
    })
}
