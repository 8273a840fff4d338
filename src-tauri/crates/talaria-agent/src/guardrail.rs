//! Warns a model that goes round in circles (agent.md 14): the same call failing, one tool failing again and again, a
//! reading call that gives the same result. A warning is appended to the result; nothing is stopped.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use talaria_protocol::{ToolCall, ToolState};

/// Failures of the same call from which on a warning is given.
const SAME_CALL_FAILED: u32 = 2;
/// Failures of one tool, whatever the arguments.
const SAME_TOOL_FAILED: u32 = 3;
/// Equal results of the same reading call.
const SAME_RESULT: u32 = 2;

/// Counters of one turn.
#[derive(Debug, Default)]
pub(crate) struct Guardrail {
    failed_calls: HashMap<u64, u32>,
    failed_tools: HashMap<String, u32>,
    results: HashMap<u64, (u64, u32)>,
}

impl Guardrail {
    /// Takes a result into account. Gives the warning to append to it, if one is due.
    pub(crate) fn observe(&mut self, call: &ToolCall, state: ToolState, result: &str, reads: bool) -> Option<String> {
        let signature = hash(&(&call.name, &call.arguments));
        match state {
            ToolState::Failed => {}
            ToolState::Done if nonzero_exit(result) => {}
            ToolState::Done => {
                self.failed_calls.remove(&signature);
                self.failed_tools.remove(&call.name);
                return reads.then(|| self.repeated(signature, call, result)).flatten();
            }
            // A denial or an interrupt says nothing about the call.
            _ => return None,
        }
        let calls = self.failed_calls.entry(signature).or_default();
        *calls += 1;
        let tools = self.failed_tools.entry(call.name.clone()).or_default();
        *tools += 1;
        if *calls >= SAME_CALL_FAILED {
            return Some(format!(
                "[Warning: this very call has failed {calls} times. Do not send it again unchanged; read the error and change the approach.]"
            ));
        }
        (*tools >= SAME_TOOL_FAILED).then(|| {
            format!(
                "[Warning: {} has failed {tools} times in this turn. Check your assumptions before you use it again.]",
                call.name
            )
        })
    }

    fn repeated(&mut self, signature: u64, call: &ToolCall, result: &str) -> Option<String> {
        let result = hash(&result);
        let (last, times) = self.results.entry(signature).or_insert((result, 0));
        if *last == result {
            *times += 1;
        } else {
            (*last, *times) = (result, 1);
        }
        (*times >= SAME_RESULT).then(|| {
            format!(
                "[Warning: {} gave the same result {times} times. You have it already; go on with it.]",
                call.name
            )
        })
    }
}

/// Whether a command ended with a code other than 0.
fn nonzero_exit(result: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Exit {
        exit_code: Option<i64>,
    }
    result.contains("\"exit_code\"")
        && serde_json::from_str::<Exit>(result).is_ok_and(|exit| exit.exit_code.is_some_and(|code| code != 0))
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
