use super::sample::{SCRIPT, TEST_COMMAND, TESTS};
use super::*;
use crate::transport::{ToolDefinition, WireMessage};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;
use talaria_protocol::{Message, ToolCall};

const FAULTY: &str = r#"{"content":"7|while read -r name cents; do\n","total_lines":10}"#;
const RED: &str = r#"{"output":"ok    a\nFAIL  the last line: expected 4.65, got 1.20","exit_code":1}"#;
const GREEN: &str = r#"{"output":"all tests passed","exit_code":0}"#;
const DENIED_COMMAND: &str = r#"{"output":"","exit_code":-1,"error":"The person said no.","status":"blocked"}"#;
const DENIED_WRITE: &str = r#"{"error":"The person said no.","status":"denied"}"#;
const WRITTEN: &str = r#"{"bytes_written":300,"files_modified":["/p/total.sh"]}"#;
const ALL: [&str; 5] = ["clarify", "read_file", "terminal", "todo", "write_file"];

/// A session with the demo in which a test answers for the tools.
struct Chat {
    history: Vec<Arc<WireMessage>>,
    tools: Vec<&'static str>,
    log: Vec<String>,
}

impl Chat {
    fn new() -> Self {
        Self {
            history: Vec::new(),
            tools: ALL.to_vec(),
            log: Vec::new(),
        }
    }

    fn request(&self) -> ChatRequest {
        let tools = self.tools.iter().map(|name| ToolDefinition {
            name: (*name).to_owned(),
            description: String::new(),
            parameters: json!({"type": "object"}),
        });
        ChatRequest {
            model: "demo".to_owned(),
            system: None,
            messages: self.history.clone(),
            tools: tools.collect(),
            max_tokens: None,
            temperature: None,
        }
    }

    async fn ask(&self) -> Completion {
        let mut shown = String::new();
        let mut sink = |delta: Delta<'_>| {
            if let Delta::Text(text) = delta {
                shown.push_str(text);
            }
        };
        let model = DemoModel::paced(Pace::INSTANT);
        let completion = model
            .ask(&self.request(), &mut sink, &CancellationToken::new())
            .await
            .unwrap();
        assert_eq!(completion.text, shown);
        completion
    }

    /// One turn: the person says `text`, `tool` answers every call. Gives the final answer.
    async fn turn(&mut self, text: &str, mut tool: impl FnMut(&str, &Value) -> String) -> String {
        self.history.push(WireMessage::new(Message::user(text)));
        for _ in 0..20 {
            let completion = self.ask().await;
            let calls: Vec<ToolCall> = completion
                .tool_calls
                .iter()
                .map(|call| ToolCall {
                    id: call.id.as_str().into(),
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                })
                .collect();
            let answer = Message {
                tool_calls: calls.clone(),
                ..Message::assistant(completion.text.clone())
            };
            self.history.push(WireMessage::new(answer));
            if calls.is_empty() {
                return completion.text;
            }
            self.log.push(
                calls
                    .iter()
                    .map(|call| call.name.as_str())
                    .collect::<Vec<_>>()
                    .join("+"),
            );
            for call in &calls {
                let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
                let result = tool(&call.name, &arguments);
                self.history.push(WireMessage::new(Message::tool(call, result)));
            }
        }
        panic!("the walk does not end: {:?}", self.log);
    }
}

/// Tools of a sample project that behave; `edit` answers the write, `runs` the test runs in order.
fn tools<'t>(edit: &'t str, runs: &'t [&'t str], choice: &'t str) -> impl FnMut(&str, &Value) -> String + 't {
    let mut runs = runs.iter();
    move |name, arguments| {
        match name {
            "read_file" if arguments["path"] == SCRIPT => FAULTY,
            "read_file" => {
                assert_eq!(arguments["path"], TESTS);
                r#"{"content":"1|#!/bin/sh\n"}"#
            }
            "terminal" => {
                assert_eq!(arguments["command"], TEST_COMMAND);
                runs.next().expect("no further test run is expected")
            }
            "clarify" => return json!({"question": "q", "choices_offered": null, "user_response": choice}).to_string(),
            "write_file" => edit,
            "todo" => r#"{"todos":[],"summary":{}}"#,
            other => panic!("the demo called {other}"),
        }
        .to_owned()
    }
}

#[tokio::test]
async fn walks_from_the_plan_to_the_report() {
    let mut chat = Chat::new();
    let report = chat.turn("Show me", tools(WRITTEN, &[RED, GREEN], "Both")).await;
    assert_eq!(
        chat.log,
        [
            "todo",
            "read_file+read_file",
            "todo+terminal",
            "todo+clarify",
            "write_file",
            "todo+terminal",
            "todo"
        ]
    );
    for part in [
        "That was the demo",
        "one failed: the last line: expected 4.65, got 1.20",
        "**all passed**",
        "OPENAI_API_KEY",
    ] {
        assert!(report.contains(part), "{part} is not in {report}");
    }
    let first = chat.history[1].message.content_text();
    assert!(
        first.contains("I am the scripted demo, not a language model"),
        "{first}"
    );
    let mut ids: Vec<_> = chat
        .history
        .iter()
        .flat_map(|wire| &wire.message.tool_calls)
        .map(|call| &call.id)
        .collect();
    let calls = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!((calls, ids.len()), (11, 11));
}

#[tokio::test]
async fn writes_what_the_answer_chose() {
    for (choice, blank, comments) in [
        ("Blank lines", true, false),
        ("Lines that begin with #, as comments", false, true),
        ("Both", true, true),
        ("", true, true),
        ("whatever you think", true, true),
    ] {
        let mut chat = Chat::new();
        chat.turn("start", tools(WRITTEN, &[RED, GREEN], choice)).await;
        let write = chat
            .history
            .iter()
            .flat_map(|wire| &wire.message.tool_calls)
            .find(|call| call.name == "write_file");
        let arguments: Value = serde_json::from_str(&write.unwrap().arguments).unwrap();
        let content = arguments["content"].as_str().unwrap();
        assert!(content.contains("|| [ -n \"$name\" ]"));
        assert_eq!(
            (content.contains("|| continue"), content.contains("'#'*)")),
            (blank, comments),
            "{choice}"
        );
    }
}

#[tokio::test]
async fn a_denied_command_is_acknowledged_and_the_walk_goes_on() {
    let mut chat = Chat::new();
    let report = chat
        .turn("start", tools(WRITTEN, &[DENIED_COMMAND, DENIED_COMMAND], "Both"))
        .await;
    let said: Vec<String> = chat.history.iter().map(|wire| wire.message.content_text()).collect();
    assert!(
        said.iter()
            .any(|text| text.contains("The command was not allowed, so it has not run"))
    );
    assert!(
        report.contains("The first test run was not allowed, so that command never ran"),
        "{report}"
    );
    assert!(
        report.contains("whether the fix works is not proven") && !report.contains("all passed"),
        "{report}"
    );
}

#[tokio::test]
async fn a_denied_edit_leaves_the_file_and_ends_the_walk() {
    let mut chat = Chat::new();
    let report = chat.turn("start", tools(DENIED_WRITE, &[RED], "Both")).await;
    assert!(
        report.contains("The change was not allowed, so `total.sh` is as it was"),
        "{report}"
    );
    assert_eq!(chat.log.last().map(String::as_str), Some("todo"));
}

#[tokio::test]
async fn a_test_that_still_fails_is_told() {
    let mut chat = Chat::new();
    let report = chat.turn("start", tools(WRITTEN, &[RED, RED], "Both")).await;
    assert!(
        report.contains("one **still fails**") && !report.contains("all passed"),
        "{report}"
    );
}

#[tokio::test]
async fn green_tests_leave_nothing_to_fix() {
    let mut chat = Chat::new();
    let report = chat.turn("start", tools(WRITTEN, &[GREEN], "Both")).await;
    assert!(report.contains("nothing to fix"), "{report}");
    assert!(!chat.log.iter().any(|calls| calls.contains("write_file")));
}

#[tokio::test]
async fn another_project_is_left_alone() {
    let mut chat = Chat::new();
    let answer = chat
        .turn("start", |name, _| match name {
            "read_file" => r#"{"error":"File not found: total.sh"}"#.to_owned(),
            "todo" => "{}".to_owned(),
            other => panic!("the demo called {other} in a foreign project"),
        })
        .await;
    assert!(answer.contains("not the sample project"), "{answer}");
}

#[tokio::test]
async fn anything_else_gets_an_honest_reply_and_an_offer() {
    let mut chat = Chat::new();
    for text in ["Write a poem about the sea", "Hello", "no, don't start"] {
        let answer = chat.turn(text, |name, _| panic!("the demo called {name}")).await;
        assert!(
            answer.contains("I am the scripted demo, not a language model") && answer.contains("**start**"),
            "{answer}"
        );
    }
    let report = chat.turn("ok, start", tools(WRITTEN, &[RED, GREEN], "Both")).await;
    assert!(report.contains("all passed"));
}

#[tokio::test]
async fn goes_on_where_it_was_stopped() {
    let mut chat = Chat::new();
    chat.turn("start", tools(WRITTEN, &[RED, GREEN], "Both")).await;
    // As if the person had stopped the turn after the first test run.
    chat.history.truncate(9);
    assert_eq!(chat.history.last().unwrap().message.content_text(), RED);
    chat.history.push(WireMessage::new(Message::assistant("(stopped)")));
    chat.log.clear();
    let report = chat.turn("go on", tools(WRITTEN, &[GREEN], "Both")).await;
    assert_eq!(chat.log, ["todo+clarify", "write_file", "todo+terminal", "todo"]);
    assert!(report.contains("all passed"), "{report}");
}

#[tokio::test]
async fn leaves_out_steps_whose_tool_is_missing() {
    let mut chat = Chat::new();
    chat.tools = vec!["read_file", "write_file"];
    let report = chat.turn("start", tools(WRITTEN, &[], "Both")).await;
    assert_eq!(chat.log, ["read_file+read_file", "write_file"]);
    assert!(report.contains("there is no terminal in this chat"), "{report}");
    let mut chat = Chat::new();
    chat.tools.clear();
    assert!(
        chat.turn("start", tools(WRITTEN, &[], "Both"))
            .await
            .contains("not on offer")
    );
}

#[tokio::test]
async fn cancelling_ends_an_answer_at_once() {
    let mut chat = Chat::new();
    chat.history.push(WireMessage::new(Message::user("start")));
    let hour = Duration::from_secs(3600);
    for pace in [
        Pace {
            before: hour,
            word: hour,
        },
        Pace {
            before: Duration::ZERO,
            word: hour,
        },
    ] {
        let cancel = CancellationToken::new();
        let request = chat.request();
        let (model, mut words) = (DemoModel::paced(pace), 0);
        let mut sink = |delta: Delta<'_>| words += usize::from(matches!(delta, Delta::Text(_)));
        let begun = Instant::now();
        let (result, ()) = tokio::join!(model.ask(&request, &mut sink, &cancel), async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            cancel.cancel();
        });
        assert!(matches!(result, Err(ModelError::Cancelled)));
        assert!(begun.elapsed() < Duration::from_secs(5));
        assert_eq!(words, usize::from(pace.before.is_zero()));
    }
}
