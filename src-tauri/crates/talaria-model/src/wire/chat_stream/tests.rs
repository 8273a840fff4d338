use super::*;
use crate::transport::{AssembledCall, Delta, FinishReason};
use serde_json::{Value, json};

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn choice(delta: Value, finish: Value) -> String {
    event(&json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))
}

fn run(stream: &str) -> (Result<Completion, StreamFault>, Vec<String>) {
    let mut log = Vec::new();
    let mut sink = |delta: Delta<'_>| match delta {
        Delta::Text(text) => log.push(format!("text {text}")),
        Delta::Reasoning(text) => log.push(format!("reasoning {text}")),
        Delta::CallStarted { name } => log.push(format!("call {name}")),
        other => log.push(format!("{other:?}")),
    };
    let mut assembler = ChatAssembler::default();
    let _ = assembler.push(stream.as_bytes(), &mut sink);
    (assembler.finish(&mut sink), log)
}

fn done(stream: &str) -> Completion {
    run(stream).0.unwrap()
}

fn calls(stream: &str) -> Vec<(String, String, bool)> {
    done(stream)
        .tool_calls
        .into_iter()
        .map(
            |AssembledCall {
                 name, arguments, valid, ..
             }| (name, arguments, valid),
        )
        .collect()
}

fn piece(value: Value) -> String {
    choice(json!({"tool_calls": [value]}), Value::Null)
}

fn call(name: &str, arguments: &str, valid: bool) -> (String, String, bool) {
    (name.to_owned(), arguments.to_owned(), valid)
}

#[test]
fn reasoning_in_its_many_forms() {
    let both = choice(json!({"reasoning": "a", "reasoning_content": "a"}), Value::Null);
    let details = choice(
        json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "b"}]}),
        Value::Null,
    ) + &choice(
        json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "c", "signature": "s"}]}),
        json!("stop"),
    );
    let completion = done(&(both + &details));
    assert_eq!(completion.reasoning, "abc");
    assert_eq!(completion.reasoning_content.as_deref(), Some("a"));
    assert_eq!(
        completion.reasoning_details,
        Some(json!([{"type": "reasoning.text", "index": 0, "text": "bc", "signature": "s"}]))
    );
    let empty = done(&choice(json!({"reasoning_content": "", "content": "x"}), json!("stop")));
    assert_eq!(empty.reasoning_content.as_deref(), Some(""));
    let (tagged, log) = run(&(choice(json!({"content": "<think>h"}), Value::Null)
        + &choice(json!({"content": "m</think>x"}), json!("stop"))));
    assert_eq!(
        (tagged.unwrap().reasoning.as_str(), log),
        ("hm", vec!["reasoning h".into(), "reasoning m".into(), "text x".into()])
    );
    let parts =
        json!([{"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}, {"type": "text", "text": "x"}, "y"]);
    let listed = done(&choice(json!({"content": parts}), json!("stop")));
    assert_eq!((listed.reasoning.as_str(), listed.text.as_str()), ("t", "xy"));
}

#[test]
fn usage_in_our_buckets() {
    let stream = choice(json!({"content": "x"}), json!("stop"))
        + &event(
            &json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 7,
            "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
            "completion_tokens_details": {"reasoning_tokens": 3}}}),
        )
        + "data: [DONE]\n\n";
    let usage = done(&stream).usage.unwrap();
    assert_eq!(
        (
            usage.input_tokens,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
            usage.last_prompt_tokens
        ),
        (30, 60, 10, 100)
    );
    assert_eq!(
        (usage.output_tokens, usage.reasoning_tokens, usage.api_calls),
        (7, 3, 1)
    );
    let hit = done(
        &(choice(json!({"content": "x"}), json!("stop"))
            + &event(
                &json!({"usage": {"prompt_tokens": 5, "completion_tokens": 1, "prompt_cache_hit_tokens": 4, "prompt_tokens_details": null}}),
            )),
    );
    assert_eq!(hit.usage.unwrap().cache_read_tokens, 4);
    let twice = json!({"prompt_tokens": 5, "input_tokens": 5, "completion_tokens": 1, "output_tokens": 1});
    let both = done(&(choice(json!({"content": "x"}), json!("stop")) + &event(&json!({"usage": twice}))));
    assert_eq!(both.usage.unwrap().input_tokens, 5);
}

#[test]
fn finish_reasons() {
    let of = |reason: Value| done(&choice(json!({"content": "x"}), reason)).finish;
    assert_eq!(of(json!("STOP")), FinishReason::Stop);
    assert_eq!(of(json!(3)), FinishReason::Stop);
    assert_eq!(of(json!("max_tokens")), FinishReason::Length);
    assert_eq!(of(json!("content_filter")), FinishReason::ContentFilter);
    assert_eq!(of(json!("function_call")), FinishReason::ToolCalls);
    let cut = done(&choice(json!({"content": "x"}), Value::Null));
    assert_eq!((cut.finish, cut.cut_off), (FinishReason::Length, true));
    let ended = done(&(choice(json!({"content": "x"}), Value::Null) + "data: [DONE]\n\n"));
    assert_eq!((ended.finish, ended.cut_off), (FinishReason::Stop, false));
    assert_eq!(run(": ping\n\n").0.unwrap_err(), StreamFault::Nothing { done: false });
    assert_eq!(
        run("data: [DONE]\n\n").0.unwrap_err(),
        StreamFault::Nothing { done: true }
    );
}

#[test]
fn a_refusal_is_text_and_a_filter() {
    let (completion, log) = run(&choice(json!({"refusal": "No."}), json!("stop")));
    let completion = completion.unwrap();
    assert_eq!(
        (completion.text.as_str(), completion.finish),
        ("No.", FinishReason::ContentFilter)
    );
    assert_eq!(log, ["text No."]);
}

#[test]
fn calls_without_index_or_id() {
    let stop = choice(json!({}), json!("tool_calls"));
    let both = choice(
        json!({"tool_calls": [{"function": {"name": "f", "arguments": "{\"a\":1}"}}, {"function": {"name": "f", "arguments": "{\"a\":2}"}}]}),
        Value::Null,
    );
    assert_eq!(
        calls(&(both + &stop)),
        [call("f", "{\"a\":1}", true), call("f", "{\"a\":2}", true)]
    );
    let one = piece(json!({"function": {"name": "f", "arguments": "{\"a\""}}))
        + &piece(json!({"function": {"arguments": ":1}"}}));
    assert_eq!(calls(&(one + &stop)), [call("f", "{\"a\":1}", true)]);
    let renamed = piece(json!({"index": 0, "function": {"name": "f", "arguments": "{}"}}))
        + &piece(json!({"index": 0, "function": {"name": "g", "arguments": "{}"}}));
    assert_eq!(
        calls(&(renamed + &stop)),
        [call("f", "{}", true), call("g", "{}", true)]
    );
    let new_ids = piece(json!({"index": 0, "id": "x1", "function": {"name": "f", "arguments": "{\"a\""}}))
        + &piece(json!({"index": 0, "id": "x2", "function": {"arguments": ":1}"}}));
    assert_eq!(calls(&(new_ids + &stop)), [call("f", "{\"a\":1}", true)]);
}

#[test]
fn argument_texts() {
    let of = |arguments: Value, finish: Value| {
        calls(
            &(piece(json!({"index": 0, "id": "c", "function": {"name": "f", "arguments": arguments}}))
                + &choice(json!({}), finish)),
        )
    };
    let whole = json!("tool_calls");
    assert_eq!(of(Value::Null, whole.clone()), [call("f", "{}", true)]);
    assert_eq!(of(json!({"a": [1]}), whole.clone()), [call("f", "{\"a\":[1]}", true)]);
    assert_eq!(
        of(json!("{\"a\":1}{\"a\":1}"), whole.clone()),
        [call("f", "{\"a\":1}", true)]
    );
    assert_eq!(of(json!("{\"a\""), whole.clone()), [call("f", "{\"a\"", false)]);
    assert_eq!(
        of(json!("{\"a\":\"\\ud83d\"}"), whole),
        [call("f", "{\"a\":\"\\uFFFD\"}", true)]
    );
    assert_eq!(of(json!(""), json!("length")), [call("f", "", false)]);
    assert_eq!(of(json!("{\"a\":"), json!("length")), [call("f", "{\"a\":", false)]);
}

#[test]
fn a_call_cut_off_before_its_arguments_must_not_run() {
    let completion = done(&piece(
        json!({"index": 0, "id": "c", "function": {"name": "rm", "arguments": ""}}),
    ));
    assert!(!completion.tool_calls[0].valid && completion.cut_off);
    assert_eq!(completion.dropped_calls, ["rm"]);
    let whole = done(&piece(
        json!({"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}),
    ));
    assert_eq!((whole.finish, whole.cut_off), (FinishReason::ToolCalls, false));
}

#[test]
fn ids_are_unique_texts() {
    let stream = piece(json!({"index": 0, "id": "", "function": {"name": "f", "arguments": "{\"a\":1}{\"a\":2}"}}))
        + &piece(json!({"index": 1, "id": 7, "function": {"name": "f"}}))
        + &choice(json!({}), json!("tool_calls"));
    let ids: Vec<String> = done(&stream).tool_calls.into_iter().map(|call| call.id).collect();
    assert_eq!(ids.len(), 3);
    assert!(
        ids[0].starts_with("call_") && ids[1].starts_with("call_") && ids[0] != ids[1] && ids[2] == "7",
        "{ids:?}"
    );
}

#[test]
fn the_old_function_call_is_a_call() {
    let stream = choice(
        json!({"function_call": {"name": "f", "arguments": "{\"a\""}}),
        Value::Null,
    ) + &choice(json!({"function_call": {"arguments": ":1}"}}), json!("function_call"));
    let completion = done(&stream);
    assert_eq!(
        (completion.finish, completion.tool_calls[0].arguments.as_str()),
        (FinishReason::ToolCalls, "{\"a\":1}")
    );
}

#[test]
fn text_behind_a_call_is_kept_and_not_shown() {
    let stream = choice(json!({"content": "a <"}), Value::Null)
        + &piece(json!({"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}))
        + &choice(json!({"content": "b"}), json!("tool_calls"));
    let (completion, log) = run(&stream);
    assert_eq!(completion.unwrap().text, "a <b");
    assert_eq!(log, ["text a ", "text <", "call f"]);
}

#[test]
fn errors_in_their_many_forms() {
    let code = |stream: &str| match run(stream).0 {
        Err(StreamFault::Reported { code, detail }) => (code, detail),
        other => panic!("{other:?}"),
    };
    let pair = |code: &str, detail: &str| (code.to_owned(), detail.to_owned());
    assert_eq!(
        code(&event(
            &json!({"error": {"type": "busy", "code": null, "message": "m"}})
        )),
        pair("busy", "m")
    );
    assert_eq!(
        code(&event(&json!({"error": {"code": 429, "message": "m"}, "choices": []}))),
        pair("429", "m")
    );
    assert_eq!(code(&event(&json!({"error": "boom"}))), pair("error", "boom"));
    assert_eq!(
        code("event: error\ndata: {\"message\":\"m\",\"code\":\"c\"}\n\n"),
        pair("c", "m")
    );
    assert_eq!(
        code("event: error\ndata: out of memory\n\n"),
        pair("error", "out of memory")
    );
    assert_eq!(
        code(&event(
            &json!({"object": "error", "type": "BadRequestError", "message": "m"})
        )),
        pair("BadRequestError", "m")
    );
    assert_eq!(code(&choice(json!({}), json!("error"))).0, "error");
    assert_eq!(
        done(&(event(&json!({"error": null})) + &choice(json!({"content": "x"}), json!("stop")))).text,
        "x"
    );
}

#[test]
fn odd_events() {
    let lone = "data: {\"choices\":[{\"delta\":{\"content\":\"a\\ud83d b\"},\"finish_reason\":\"stop\"}]}\n\n";
    assert_eq!(done(lone).text, "a\u{fffd} b");
    let glued = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n\n";
    assert_eq!(done(glued).text, "ab");
    assert_eq!(
        done(&("data: ping\n\n".to_owned() + &choice(json!({"content": "x"}), json!("stop")))).text,
        "x"
    );
    assert!(matches!(
        run("data: {\"choices\": oops}\n\ndata: x\n\n").0,
        Err(StreamFault::Malformed { .. })
    ));
    let odd = event(&json!({"choices": null}))
        + &event(&json!({"choices": [{"delta": null, "index": null}]}))
        + &event(&json!({"choices": [{"index": 1, "delta": {"content": "other"}}]}));
    assert_eq!(done(&(odd + &choice(json!({"content": "x"}), json!("stop")))).text, "x");
}
