use super::*;
use talaria_model::wire::chat;
use talaria_model::{CapKey, ChatRequest, ReasoningEcho};
use talaria_testkit::strict_history;

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    }
}

/// What a strict provider refuses; empty when it takes the history.
fn complaints(messages: &[Message]) -> Vec<String> {
    let mut out = Vec::new();
    let mut open: Vec<CallId> = Vec::new();
    let mut previous = None;
    for (index, message) in messages.iter().enumerate() {
        if message.role != Role::Tool && !open.is_empty() {
            out.push(format!("{index}: calls without results"));
            open.clear();
        }
        match message.role {
            Role::System if index > 0 => out.push(format!("{index}: system in the middle")),
            Role::System => {}
            Role::User | Role::Assistant if previous == Some(message.role) => {
                out.push(format!("{index}: roles do not alternate"))
            }
            Role::User => {}
            Role::Assistant => {
                if message.tool_calls.is_empty() && !has_content(message) {
                    out.push(format!("{index}: empty assistant turn"));
                }
                for call in &message.tool_calls {
                    if open.contains(&call.id) {
                        out.push(format!("{index}: id twice"));
                    }
                    if call.name.trim().is_empty() {
                        out.push(format!("{index}: blank name"));
                    }
                    if !serde_json::from_str::<serde_json::Value>(&call.arguments).is_ok_and(|value| value.is_object())
                    {
                        out.push(format!("{index}: arguments are no object"));
                    }
                    open.push(call.id.clone());
                }
            }
            Role::Tool => match message
                .tool_call_id
                .as_ref()
                .and_then(|id| open.iter().position(|open| open == id))
            {
                Some(at) => {
                    open.remove(at);
                }
                None => out.push(format!("{index}: result without a call")),
            },
        }
        previous = Some(message.role);
    }
    if !open.is_empty() {
        out.push("end: calls without results".to_owned());
    }
    out
}

/// A small deterministic generator; the seed is the failing case.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn mangled(seed: u64) -> Vec<Message> {
    let mut dice = Dice(seed);
    let ids = ["a", "b", "c|1", "c", ""];
    let names = ["read_file", "terminal", " ", "no such tool!"];
    let arguments = ["{}", "{\"x\":1}", "{\"x\":", "nonsense", ""];
    let length = 1 + dice.roll(12);
    (0..length)
        .map(|number| match dice.roll(20) {
            0 => Message::text(Role::System, "be brief"),
            1 => Message::user(" "),
            2..7 => Message::user(format!("u{number}")),
            7..10 => Message::assistant(if dice.roll(3) == 0 {
                String::new()
            } else {
                format!("t{number}")
            }),
            10..14 => Message::calls(
                (0..1 + dice.roll(3))
                    .map(|_| {
                        let pick =
                            |dice: &mut Dice, list: &[&str]| list[dice.roll(list.len() as u64) as usize].to_owned();
                        call(
                            &pick(&mut dice, &ids),
                            &pick(&mut dice, &names),
                            &pick(&mut dice, &arguments),
                        )
                    })
                    .collect(),
            ),
            _ => {
                let id = ids[dice.roll(ids.len() as u64) as usize];
                Message::tool(&call(id, "read_file", "{}"), format!("r{number}"))
            }
        })
        .collect()
}

#[test]
fn any_mangled_history_becomes_one_that_a_strict_provider_takes_and_repairing_again_changes_nothing() {
    for seed in 0..20_000 {
        let mut history = mangled(seed);
        repair(&mut history);
        assert_eq!(complaints(&history), Vec::<String>::new(), "seed {seed}: {history:#?}");
        let once = history.clone();
        assert!(!repair(&mut history), "seed {seed}: {once:#?} became {history:#?}");
        let wired: Vec<_> = history.into_iter().map(WireMessage::new).collect();
        assert!(request::is_sound(&wired), "seed {seed}: {once:#?}");
    }
}

/// The messages of a request as they go over the wire.
fn on_the_wire(history: &[Arc<WireMessage>]) -> Vec<serde_json::Value> {
    let request = ChatRequest {
        model: "m".to_owned(),
        system: None,
        messages: for_request(history),
        tools: Arc::default(),
        max_tokens: None,
        temperature: None,
    };
    let style = chat::ChatStyle {
        cap_key: CapKey::MaxTokens,
        reasoning_echo: ReasoningEcho::Never,
        stream: false,
        stream_usage: false,
    };
    let body: serde_json::Value = serde_json::from_slice(&chat::body(&request, None, style)).unwrap();
    body["messages"].as_array().unwrap().clone()
}

#[test]
fn a_request_made_of_any_mangled_history_passes_the_strict_judge() {
    for seed in 0..5_000 {
        let history: Vec<_> = mangled(seed).into_iter().map(WireMessage::new).collect();
        let sent = on_the_wire(&history);
        assert_eq!(
            strict_history(&sent),
            None,
            "seed {seed}: {history:#?} was sent as {sent:#?}"
        );
    }
}

/// Results that stand directly behind the turn that called for them, the first for each call.
fn belonging(history: &[Message]) -> Vec<String> {
    let mut out = Vec::new();
    for (at, message) in history.iter().enumerate() {
        let mut answered = HashSet::new();
        for result in history[at + 1..].iter().take_while(|next| next.role == Role::Tool) {
            let id = result.tool_call_id.clone().unwrap_or_default();
            let first = answered.insert(first_half(&id).to_owned());
            if first && !id.as_str().is_empty() && message.tool_calls.iter().any(|call| call.id == id) {
                out.push(result.content_text());
            }
        }
    }
    out
}

#[test]
fn every_result_that_belongs_to_a_call_survives() {
    let mut seen = 0;
    for seed in 0..20_000 {
        let before = mangled(seed);
        let mut after = before.clone();
        repair(&mut after);
        for text in belonging(&before) {
            seen += 1;
            let kept = after
                .iter()
                .filter(|message| message.role == Role::Tool)
                .map(Message::content_text);
            let kept = kept
                .filter(|kept| *kept == text || kept.ends_with(&format!("\n{text}")))
                .count();
            assert_eq!(kept, 1, "seed {seed} lost {text}: {before:#?} became {after:#?}");
        }
    }
    assert!(seen > 1_000, "only {seen} results belonged to a call");
}

#[test]
fn a_name_that_providers_refuse_stays_recognisable() {
    let odd = call("c1", " read the file! ", "{}");
    let mut history = vec![
        Message::user("q"),
        Message::calls(vec![odd.clone()]),
        Message::tool(&odd, "unknown tool"),
    ];
    assert!(repair(&mut history));
    assert_eq!(history[1].tool_calls[0].name, "read_the_file_");
    assert_eq!(history[2].content_text(), "unknown tool");
}

#[test]
fn blanks_around_one_text_copy_that_message_alone() {
    let history: Vec<_> = (0..1_200)
        .map(|number| match number % 2 {
            0 => Message::user(format!("q{number}")),
            _ => Message::assistant(if number == 601 { "answer\n" } else { "answer" }),
        })
        .map(WireMessage::new)
        .collect();
    let sent = for_request(&history);
    let copied: Vec<usize> = (0..history.len())
        .filter(|at| !Arc::ptr_eq(&history[*at], &sent[*at]))
        .collect();
    assert_eq!(copied, [601]);
    assert_eq!(sent[601].message.content_text(), "answer");
}

#[test]
fn what_the_person_wrote_is_never_lost() {
    for seed in 0..2_000 {
        let mut history = mangled(seed);
        let said: Vec<String> = history
            .iter()
            .filter(|message| message.role == Role::User)
            .map(Message::content_text)
            .collect();
        repair(&mut history);
        let all = history.iter().map(Message::content_text).collect::<Vec<_>>().join("\n");
        for text in said {
            assert!(all.contains(text.trim()), "seed {seed} lost {text}");
        }
    }
}

#[test]
fn a_valid_history_is_shared_and_not_copied() {
    let one = call("c1", "read_file", "{}");
    let history: Vec<_> = [
        Message::user("q"),
        Message::calls(vec![one.clone()]),
        Message::tool(&one, "ok"),
        Message::assistant("done"),
    ]
    .into_iter()
    .map(WireMessage::new)
    .collect();
    let sent = for_request(&history);
    assert!(history.iter().zip(&sent).all(|(a, b)| Arc::ptr_eq(a, b)));
}

#[test]
fn a_turn_cut_off_by_a_crash_is_closed() {
    let read = call("c1", "read_file", "{}");
    let run = call("c2", "terminal", "{}");
    let open = vec![
        Message::user("q"),
        Message::calls(vec![read.clone(), run.clone()]),
        Message::tool(&read, "text"),
    ];
    let recovered = recover(open, &|name| name == "read_file");
    assert_eq!(complaints(&recovered.messages), Vec::<String>::new());
    assert_eq!(recovered.added.len(), 2);
    assert_eq!(recovered.added[0].effect_disposition, Some(EffectDisposition::Unknown));
    assert_eq!(recovered.added[1].finish_reason.as_deref(), Some(CLOSED));
    assert_eq!(
        recovered.messages.last().map(|message| message.role),
        Some(Role::Assistant)
    );
}

#[test]
fn a_message_without_an_answer_stays_and_waits() {
    let recovered = recover(vec![Message::user("q")], &|_| true);
    assert_eq!(recovered.messages, vec![Message::user("q")]);
    assert!(recovered.added.is_empty());
}

#[test]
fn the_plan_comes_back_from_the_newest_result() {
    let todo = call("c1", "todo", "{}");
    let result = r#"{"todos":[{"id":"1","content":"x","status":"in_progress"}],"summary":{}}"#;
    let plan = newest_todos(&[Message::calls(vec![todo.clone()]), Message::tool(&todo, result)]);
    assert_eq!(plan.len(), 1);
    assert_eq!(plan[0].content, "x");
    assert_eq!(newest_todos(&[Message::tool(&todo, "garbage")]), Vec::new());
}
