use super::*;

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
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
            Role::User | Role::Assistant if previous == Some(message.role) => out.push(format!("{index}: roles do not alternate")),
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
                    if !serde_json::from_str::<serde_json::Value>(&call.arguments).is_ok_and(|value| value.is_object()) {
                        out.push(format!("{index}: arguments are no object"));
                    }
                    open.push(call.id.clone());
                }
            }
            Role::Tool => match message.tool_call_id.as_ref().and_then(|id| open.iter().position(|open| open == id)) {
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
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn mangled(seed: u64) -> Vec<Message> {
    let mut dice = Dice(seed);
    let ids = ["a", "b", "c|1", "c", ""];
    let names = ["read_file", "terminal", " "];
    let arguments = ["{}", "{\"x\":1}", "{\"x\":", "nonsense", ""];
    let length = 1 + dice.roll(12);
    (0..length)
        .map(|number| match dice.roll(6) {
            0 | 1 => Message::user(format!("u{number}")),
            2 => Message::assistant(if dice.roll(3) == 0 { String::new() } else { format!("t{number}") }),
            3 => Message::calls(
                (0..1 + dice.roll(3))
                    .map(|_| {
                        let pick = |dice: &mut Dice, list: &[&str]| list[dice.roll(list.len() as u64) as usize].to_owned();
                        call(&pick(&mut dice, &ids), &pick(&mut dice, &names), &pick(&mut dice, &arguments))
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
        assert!(is_sendable(&wired), "seed {seed}: {once:#?}");
    }
}

#[test]
fn what_the_person_wrote_is_never_lost() {
    for seed in 0..2_000 {
        let mut history = mangled(seed);
        let said: Vec<String> =
            history.iter().filter(|message| message.role == Role::User).map(Message::content_text).collect();
        repair(&mut history);
        let all = history.iter().map(Message::content_text).collect::<Vec<_>>().join("\n");
        for text in said {
            assert!(all.contains(&text), "seed {seed} lost {text}");
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
    assert_eq!(recovered.messages.last().map(|message| message.role), Some(Role::Assistant));
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
