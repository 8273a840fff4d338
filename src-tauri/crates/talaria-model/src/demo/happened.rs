//! What has happened on the walk so far, read from the history: the demo keeps no state of its own, so it goes on
//! properly after a restart.

use super::sample::{FAULTY_LOOP, FIXED_MARK, SCRIPT, Skips, TEST_COMMAND};
use super::words::{Wish, wish};
use crate::transport::WireMessage;
use serde_json::Value;
use std::sync::Arc;
use talaria_protocol::{Message, Role, ToolCall};

/// How a call of the walk ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Denied,
    Failed(String),
    Done,
}

/// How a run of the tests ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TestRun {
    Green,
    /// The line that names the first failing test, or the exit code.
    Red(String),
    Denied,
    NotRun(String),
}

/// What is known of the script under repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    Unread,
    /// It is not the sample's script, or there is none: nothing may be changed here.
    Foreign,
    Faulty,
    Fixed,
}

/// The walk so far.
#[derive(Clone, Debug)]
pub(super) struct Happened {
    pub planned: bool,
    pub reported: bool,
    pub script: Script,
    pub run_before: Option<TestRun>,
    pub asked: bool,
    pub skips: Skips,
    pub edit: Option<End>,
    pub run_after: Option<TestRun>,
}

impl Happened {
    /// Where the walk stands, or `None` when the newest message of the person asks for no walk.
    pub fn on_walk(messages: &[Arc<WireMessage>]) -> Option<Self> {
        let start = walk_start(messages)?;
        let mut happened = Self {
            planned: false,
            reported: false,
            script: Script::Unread,
            run_before: None,
            asked: false,
            skips: Skips::Both,
            edit: None,
            run_after: None,
        };
        // What an earlier walk learned of the script still holds: an unchanged file is not sent again.
        let mut known = Script::Unread;
        for (index, (call, result)) in calls(messages) {
            let before = happened.clone();
            happened.take(call, result, &mut known);
            if index < start {
                happened = before;
            }
        }
        Some(happened)
    }

    fn take(&mut self, call: &ToolCall, result: &Message, known: &mut Script) {
        let text = result.content_text();
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        match call.name.as_str() {
            "todo" => {
                self.planned = true;
                self.reported |= call.arguments.contains(super::walk::LAST_STEP_DONE);
            }
            "read_file" if arguments["path"] == SCRIPT => {
                let end = end(&text);
                self.script = match end {
                    End::Done if text.contains(FAULTY_LOOP) => Script::Faulty,
                    End::Done if text.contains(FIXED_MARK) => Script::Fixed,
                    End::Done if *known != Script::Unread => *known,
                    _ => Script::Foreign,
                };
                *known = self.script;
            }
            "terminal" if arguments["command"] == TEST_COMMAND => {
                let run = Some(test_run(&text));
                match self.edit {
                    None => self.run_before = run,
                    Some(_) => self.run_after = run,
                }
            }
            "clarify" => {
                self.asked = true;
                let answer: Value = serde_json::from_str(&text).unwrap_or_default();
                self.skips = skips(answer["user_response"].as_str().unwrap_or_default());
            }
            "write_file" => {
                let end = end(&text);
                if end == End::Done {
                    *known = Script::Fixed;
                }
                self.edit = Some(end);
            }
            _ => {}
        }
    }
}

/// Index of the message that began the walk that is to go on.
fn walk_start(messages: &[Arc<WireMessage>]) -> Option<usize> {
    let mut said = messages
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, wire)| wire.message.role == Role::User);
    let (newest, wire) = said.next()?;
    match wish(&wire.message.content_text()) {
        Wish::Start => Some(newest),
        Wish::Other => None,
        // Without a walk to go on with, this begins one.
        Wish::GoOn => said
            .find(|(_, wire)| wish(&wire.message.content_text()) == Wish::Start)
            .map(|(index, _)| index)
            .or(Some(newest)),
    }
}

/// Calls with their results, each with the index of its turn.
fn calls(messages: &[Arc<WireMessage>]) -> impl Iterator<Item = (usize, (&ToolCall, &Message))> {
    messages.iter().enumerate().flat_map(move |(index, wire)| {
        wire.message.tool_calls.iter().filter_map(move |call| {
            let results = messages[index + 1..].iter().map(|wire| &wire.message);
            let mut results = results.take_while(|message| message.role == Role::Tool);
            let result = results.find(|message| message.tool_call_id.as_ref() == Some(&call.id))?;
            Some((index, (call, result)))
        })
    })
}

fn end(result: &str) -> End {
    let value: Value = serde_json::from_str(result).unwrap_or_default();
    match (value["status"].as_str(), value["error"].as_str()) {
        (Some("denied" | "blocked"), _) => End::Denied,
        (_, Some(error)) => End::Failed(error.to_owned()),
        (_, None) => End::Done,
    }
}

fn test_run(result: &str) -> TestRun {
    let value: Value = serde_json::from_str(result).unwrap_or_default();
    match (end(result), value["exit_code"].as_i64()) {
        (End::Denied, _) => TestRun::Denied,
        (End::Failed(error), _) => TestRun::NotRun(error),
        (End::Done, Some(0)) => TestRun::Green,
        (End::Done, Some(code)) => {
            let output = value["output"].as_str().unwrap_or_default();
            let failing = output.lines().find_map(|line| line.strip_prefix("FAIL  "));
            TestRun::Red(failing.map_or_else(|| format!("exit code {code}"), str::to_owned))
        }
        (End::Done, None) => TestRun::NotRun("the result has no exit code".to_owned()),
    }
}

/// What the person's answer wants skipped; both when it says nothing that a script understands.
fn skips(answer: &str) -> Skips {
    let answer = answer.to_lowercase();
    let (blank, comments) = (
        answer.contains("blank"),
        answer.contains("comment") || answer.contains('#'),
    );
    match (blank, comments) {
        (true, false) => Skips::Blank,
        (false, true) => Skips::Comments,
        _ => Skips::Both,
    }
}
