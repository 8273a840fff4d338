//! One stream of events: a ring that serves delivery and replay alike.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use talaria_protocol::{CoreEvent, EventFrame, Notification, SessionId};

/// Events kept per stream for replay.
pub const MAX_REPLAY_EVENTS: usize = 2_000;
/// Bytes kept per stream for replay.
pub const MAX_REPLAY_BYTES: usize = 4 * 1024 * 1024;
/// What a huge event leaves for others: the end of a turn with a long answer must outlast the small events that follow it
/// at once, or a client that waits for it waits for ever.
const ROOM_BESIDE_HUGE: usize = 64 * 1024;

/// An event with its number. Its JSON is made once, when the first client needs it.
#[derive(Debug)]
pub struct Published {
    /// The event.
    pub frame: EventFrame,
    wire: OnceLock<Arc<str>>,
    weight: usize,
}

impl Published {
    /// The notification frame.
    pub fn wire(&self) -> Arc<str> {
        Arc::clone(self.wire.get_or_init(|| {
            let notification = Notification {
                jsonrpc: "2.0",
                method: "event",
                params: &self.frame,
            };
            // Our own types always serialise; an empty object would be ignored by a client.
            serde_json::to_string(&notification)
                .unwrap_or_else(|_| "{}".to_owned())
                .into()
        }))
    }
}

/// Events of one session, or the global ones.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    last_seq: u64,
    ring: VecDeque<Arc<Published>>,
    bytes: usize,
}

impl Stream {
    pub(crate) fn publish(&mut self, session_id: Option<SessionId>, event: CoreEvent) -> u64 {
        self.last_seq += 1;
        let weight = weight(&event).min(MAX_REPLAY_BYTES - ROOM_BESIDE_HUGE);
        let published = Published {
            frame: EventFrame {
                session_id,
                seq: self.last_seq,
                event,
            },
            wire: OnceLock::new(),
            weight,
        };
        self.bytes += weight;
        self.ring.push_back(Arc::new(published));
        // The newest event always stays: from it a client learns that it missed some.
        while self.ring.len() > 1 && (self.ring.len() > MAX_REPLAY_EVENTS || self.bytes > MAX_REPLAY_BYTES) {
            if let Some(old) = self.ring.pop_front() {
                self.bytes -= old.weight;
            }
        }
        self.last_seq
    }

    pub(crate) fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// Events after `seq`, and whether they are all.
    pub(crate) fn since(&self, seq: u64) -> (bool, impl Iterator<Item = &Arc<Published>>) {
        let first = self.last_seq + 1 - self.ring.len() as u64;
        let complete = seq <= self.last_seq && seq + 1 >= first;
        let skip = (seq + 1).saturating_sub(first) as usize;
        (complete, self.ring.iter().skip(skip))
    }
}

/// Rough size of an event: its texts. Exact sizes would need the JSON, which headless runs never make.
fn weight(event: &CoreEvent) -> usize {
    let text = match event {
        CoreEvent::MessageDelta { text, .. }
        | CoreEvent::ReasoningDelta { text, .. }
        | CoreEvent::ToolProgress { text, .. } => text.len(),
        CoreEvent::MessageComplete { text, .. } => text.len(),
        CoreEvent::ToolStart { tool, .. } | CoreEvent::ToolComplete { tool, .. } => {
            tool.target.len() + body_weight(&tool.body)
        }
        CoreEvent::MessageInterim { row, .. } | CoreEvent::MessageStart { row, .. } | CoreEvent::RowAdded { row } => {
            row_weight(row)
        }
        _ => 0,
    };
    256 + text
}

fn row_weight(row: &talaria_protocol::Row) -> usize {
    use talaria_protocol::Row;
    match row {
        Row::User { text, .. }
        | Row::Assistant { text, .. }
        | Row::Reasoning { text, .. }
        | Row::Notice { text, .. } => text.len(),
        Row::Tool { tool, .. } => body_weight(&tool.body),
        Row::Error { .. } => 0,
    }
}

fn body_weight(body: &talaria_protocol::ToolBody) -> usize {
    use talaria_protocol::ToolBody;
    match body {
        ToolBody::Terminal { output, command, .. } => output.len() + command.len(),
        ToolBody::Text { text, .. } => text.len(),
        ToolBody::Edit { files } => files
            .iter()
            .flat_map(|file| &file.hunks)
            .flat_map(|hunk| &hunk.lines)
            .map(|line| line.text.len() + 24)
            .sum(),
        ToolBody::Empty | ToolBody::Question { .. } | ToolBody::Todos { .. } | ToolBody::Json { .. } => 512,
    }
}
