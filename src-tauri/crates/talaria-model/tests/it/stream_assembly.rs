use crate::cases::{Verdict, run};
use serde_json::{Value, json};
use talaria_model::wire::chat_stream::{ChatAssembler, StreamFault};
use talaria_model::{AssembledCall, Delta};

/// Protocols of later issues.
const NOT_BUILT: [&str; 3] = ["anthropic_messages", "openai_responses", "bedrock_converse"];

#[test]
fn cases_stream_assembly() {
    run("stream-assembly", |case| {
        let protocol = case["input"]["protocol"].as_str().unwrap_or_default();
        if NOT_BUILT.contains(&protocol) {
            return Verdict::NotBuilt;
        }
        if protocol != "openai_chat" {
            return Verdict::Failed(format!("protocol {protocol:?} is neither built nor listed"));
        }
        let chunks = chunks(&case["input"]);
        let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        if let Err(why) = check(&assemble(&chunks), &case["expect"]) {
            return Verdict::Failed(why);
        }
        let whole = chunks.concat();
        for cut in 0..=whole.len() {
            let (head, tail) = whole.split_at(cut);
            if let Err(why) = check(&assemble(&[head, tail]), &case["expect"]) {
                return Verdict::Failed(format!("cut at byte {cut}: {why}"));
            }
        }
        let single: Vec<&[u8]> = whole.chunks(1).collect();
        match check(&assemble(&single), &case["expect"]) {
            Ok(()) => Verdict::Passed,
            Err(why) => Verdict::Failed(format!("byte by byte: {why}")),
        }
    });
}

#[derive(Debug)]
struct Seen {
    result: Value,
    calls: Vec<AssembledCall>,
    shown: String,
}

fn assemble(chunks: &[&[u8]]) -> Seen {
    let mut shown = String::new();
    let mut sink = |delta: Delta<'_>| {
        if let Delta::Text(text) = delta {
            shown.push_str(text);
        }
    };
    let mut assembler = ChatAssembler::default();
    for chunk in chunks {
        if assembler.push(chunk, &mut sink).is_err() {
            break;
        }
    }
    let text = assembler.text().to_owned();
    let (result, calls) = match assembler.finish(&mut sink) {
        Ok(done) => {
            let usage = done
                .usage
                .map(|usage| json!({"input": usage.last_prompt_tokens, "output": usage.output_tokens}));
            let result = json!({
                "text": done.text, "reasoning": done.reasoning, "finish": done.finish.as_str(),
                "usage": usage, "error": null,
            });
            (result, done.tool_calls)
        }
        Err(fault) => {
            let error = match fault {
                StreamFault::Reported { code, .. } => code,
                StreamFault::Nothing { .. } => "no_terminal".to_owned(),
                StreamFault::Malformed { detail } => detail,
            };
            (json!({"text": text, "error": error}), Vec::new())
        }
    };
    Seen { result, calls, shown }
}

fn check(seen: &Seen, expect: &Value) -> Result<(), String> {
    let failed = !expect["error"].is_null();
    let fields: &[&str] = if failed {
        &["error", "text"]
    } else {
        &["error", "text", "reasoning", "finish", "usage"]
    };
    for field in fields {
        let (got, wanted) = (&seen.result[field], &expect[field]);
        let good = got == wanted || wanted.as_array().is_some_and(|good| good.contains(got));
        if !good {
            return Err(format!("{field} is {got}, expected {wanted}"));
        }
    }
    if failed {
        return Ok(());
    }
    if seen.calls.is_empty() && seen.result["text"] != seen.shown {
        return Err(format!("shown {:?}, kept {}", seen.shown, seen.result["text"]));
    }
    let wanted = expect["tool_calls"].as_array().ok_or("no tool_calls in the case")?;
    if wanted.len() != seen.calls.len() {
        return Err(format!("calls {:?}, expected {wanted:?}", seen.calls));
    }
    for (call, wanted) in seen.calls.iter().zip(wanted) {
        let unique = seen.calls.iter().filter(|other| other.id == call.id).count() == 1 && !call.id.is_empty();
        let id = if wanted["id"]["any_unique"] == true {
            unique
        } else {
            wanted["id"] == call.id.as_str()
        };
        let arguments = match call.valid {
            true => serde_json::from_str(&call.arguments).map_err(|error| error.to_string())?,
            false => Value::Null,
        };
        if !id || wanted["name"] != call.name.as_str() || wanted["arguments"] != arguments {
            return Err(format!("call {call:?}, expected {wanted}"));
        }
    }
    Ok(())
}

fn chunks(input: &Value) -> Vec<Vec<u8>> {
    let texts = |key: &str| input[key].as_array().into_iter().flatten().filter_map(Value::as_str);
    if input.get("chunks_b64").is_some() {
        return texts("chunks_b64").map(decode_base64).collect();
    }
    texts("chunks").map(|text| text.as_bytes().to_vec()).collect()
}

fn decode_base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut out) = (0_u32, 0, Vec::new());
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = LETTERS
            .iter()
            .position(|known| *known == letter)
            .expect("a base64 letter");
        bits = (bits << 6) | u32::try_from(value).expect("six bits");
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((bits >> held) & 0xff).expect("eight bits"));
        }
    }
    out
}
