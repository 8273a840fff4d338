//! What a run shows to a person: the answer on standard output, steps on standard error.

use crate::output::{err, out};
use crate::terminal::{visible, visible_line};
use std::io::{self, IsTerminal};
use talaria_protocol::{CallId, CoreEvent, Row, StatusKind, ToolState, ToolView, Verb};

/// Shows events as they come.
pub struct Show {
    /// Whether the last thing on standard output ended a line.
    at_line_start: bool,
    colour: bool,
    streamed: bool,
    /// The call whose step was shown last: one that waited for an answer starts to run twice.
    shown: Option<CallId>,
}

impl Show {
    pub fn new() -> Self {
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Self {
            at_line_start: true,
            colour,
            streamed: false,
            shown: None,
        }
    }

    /// Shows one event. Fails when standard output takes nothing.
    pub fn event(&mut self, event: &CoreEvent) -> io::Result<()> {
        match event {
            CoreEvent::MessageDelta { text, .. } => {
                self.streamed = true;
                self.answer(text)
            }
            CoreEvent::MessageInterim {
                row: Row::Assistant { .. },
                ..
            } => {
                self.streamed = false;
                self.end_line()
            }
            CoreEvent::ToolStart { tool, .. }
                if tool.state == ToolState::Running && self.shown.as_ref() != Some(&tool.call_id) =>
            {
                self.shown = Some(tool.call_id.clone());
                self.step(&format!("{} {}", verb(tool), target(tool)))
            }
            CoreEvent::ToolComplete { tool, .. } => {
                let state = match tool.state {
                    ToolState::Failed => "failed",
                    ToolState::Cancelled => "cancelled",
                    ToolState::Denied => "denied",
                    _ => "done",
                };
                let note = tool.note.as_deref().unwrap_or(state);
                let took = tool
                    .duration_ms
                    .map_or_else(String::new, |ms| format!(", {:.1} s", ms as f64 / 1000.0));
                self.step(&format!("  {}{took}", visible_line(note)))
            }
            CoreEvent::Status {
                kind: StatusKind::Retrying | StatusKind::Reconnecting,
                text,
                ..
            } => self.step(&format!("{}; trying again", visible_line(text))),
            CoreEvent::Status {
                kind: StatusKind::Quiet,
                text,
                ..
            } => self.step(&visible_line(text)),
            CoreEvent::RowAdded {
                row: Row::Notice { text, .. },
            } => self.step(&visible_line(text)),
            CoreEvent::MessageComplete { text, .. } => {
                if !self.streamed {
                    self.answer(text)?;
                }
                self.end_line()
            }
            _ => Ok(()),
        }
    }

    fn answer(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.at_line_start = text.ends_with('\n');
        out(&visible(text))
    }

    fn end_line(&mut self) -> io::Result<()> {
        if self.at_line_start { Ok(()) } else { self.answer("\n") }
    }

    fn step(&mut self, text: &str) -> io::Result<()> {
        let ended = self.end_line();
        match self.colour {
            true => err(&format!("\x1b[2m· {text}\x1b[0m")),
            false => err(&format!("· {text}")),
        }
        ended
    }
}

fn verb(tool: &ToolView) -> &str {
    match tool.verb {
        Verb::Read => "Read",
        Verb::Search => "Search",
        Verb::Edit => "Edit",
        Verb::Run => "Run",
        Verb::Fetch => "Fetch",
        Verb::Open => "Open",
        Verb::Ask => "Ask",
        Verb::Plan => "Plan",
        Verb::Use => "Use",
    }
}

fn target(tool: &ToolView) -> String {
    let text = visible(&tool.target);
    let mut lines = text.lines();
    let first: String = lines.next().unwrap_or_default().chars().take(160).collect();
    match lines.next() {
        Some(_) => format!("{first} …"),
        None => first,
    }
}
