//! The behaviour cases `history-repair` (tests/cases/README.md).

use super::*;
use serde_json::{Value, json};
use std::collections::HashMap;

#[test]
fn cases_history_repair() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/cases");
    let folder = std::env::var("TALARIA_CASES").unwrap_or_else(|_| default.to_owned());
    let text = std::fs::read_to_string(format!("{folder}/history-repair.jsonl")).unwrap();
    let mut failed = Vec::new();
    let mut total = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        total += 1;
        let got = run(&case["input"]);
        if !matches(&got, &case["expect"]) {
            failed.push(format!(
                "{}\n  got  {got}\n  want {}",
                case["id"].as_str().unwrap(),
                case["expect"]
            ));
        }
    }
    println!("cases_history_repair: {}/{total}", total - failed.len());
    println!("not built: 0");
    assert!(failed.is_empty(), "failed:\n{}", failed.join("\n"));
}

fn run(input: &Value) -> Value {
    if let Some(arguments) = input.get("arguments").and_then(Value::as_str) {
        let text = repair_arguments(arguments).text(arguments).to_owned();
        return json!({"arguments_json": serde_json::from_str::<Value>(&text).unwrap()});
    }
    let json = match (input.get("raw_json").and_then(Value::as_str), input.get("messages")) {
        (Some(raw), _) => raw.to_owned(),
        (None, Some(messages)) => messages.to_string(),
        (None, None) => panic!("a form of case that is neither built nor listed: {input}"),
    };
    let history: Vec<_> = parse_history(&json)
        .unwrap()
        .into_iter()
        .map(WireMessage::new)
        .collect();
    json!({"messages": for_request(&history).iter().map(|wire| chat_form(&wire.message)).collect::<Vec<_>>()})
}

/// The message as the wire has it, without what is never sent.
fn chat_form(message: &Message) -> Value {
    let mut out = json!({"role": message.role.as_str(), "content": message.content});
    if !message.tool_calls.is_empty() {
        out["tool_calls"] = message
            .tool_calls
            .iter()
            .map(|call| {
                json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
            })
            .collect();
    }
    if let Some(id) = &message.tool_call_id {
        out["tool_call_id"] = json!(id);
    }
    if let Some(reasoning) = &message.reasoning_content {
        out["reasoning_content"] = json!(reasoning);
    }
    out
}

fn matches(got: &Value, want: &Value) -> bool {
    if want.get("arguments_json").is_some() {
        return got == want;
    }
    let (Some(got), Some(want)) = (got["messages"].as_array(), want["messages"].as_array()) else {
        return false;
    };
    canonical(got) == canonical(&fill_free(want, got))
}

/// Free texts of the expected history take what came out, if that is a text.
fn fill_free(want: &[Value], got: &[Value]) -> Vec<Value> {
    let mut want = want.to_vec();
    for (wanted, found) in want.iter_mut().zip(got) {
        let free = wanted["content"].get("any_non_empty_text").is_some();
        if free && found["content"].as_str().is_some_and(|text| !text.trim().is_empty()) {
            wanted["content"] = found["content"].clone();
        }
    }
    want
}

/// Ids become numbers by pairing, results of one turn are sorted, parsed arguments replace their text.
fn canonical(messages: &[Value]) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut results: Vec<Value> = Vec::new();
    let flush = |results: &mut Vec<Value>, out: &mut Vec<Value>| {
        results.sort_by_key(|result| result["tool_call_id"].as_u64());
        out.append(results);
    };
    for message in messages {
        let mut message = message.clone();
        if let Some(map) = message.as_object_mut() {
            map.remove("name");
            map.remove("finish_reason");
        }
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default().to_owned();
            message["tool_call_id"] = json!(numbers.get(&id));
            results.push(message);
            continue;
        }
        flush(&mut results, &mut out);
        if message["role"] == "assistant" {
            numbers.clear();
            if let Some(calls) = message.get_mut("tool_calls").and_then(Value::as_array_mut) {
                for (number, call) in calls.iter_mut().enumerate() {
                    numbers.insert(call["id"].as_str().unwrap_or_default().to_owned(), number);
                    call["id"] = json!(number);
                    let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
                    call["function"]["arguments"] = serde_json::from_str(arguments).unwrap();
                }
            }
        }
        out.push(message);
    }
    flush(&mut results, &mut out);
    out
}
