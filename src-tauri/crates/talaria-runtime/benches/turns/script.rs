//! Answers of the scripted model. They are text that is ready to be sent: a bench must not time the making of JSON by
//! the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use talaria_testkit::{Reply, Script, ScriptedModel, raw_events, respond_with};

/// Turns of two answers: a call, then a text.
pub fn model(tool: &str, arguments: impl Fn(usize) -> String + Send + Sync + 'static) -> ScriptedModel {
    let tool = tool.to_owned();
    let number = Arc::new(AtomicUsize::new(0));
    let call = respond_with(move |_| {
        let number = number.fetch_add(1, Ordering::Relaxed);
        calls(&tool, number, &arguments(number))
    });
    ScriptedModel::start_blocking(Script::new([call, says()]).cycle().forget_requests())
}

fn event(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,\"model\":\"scripted\",\
         \"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    )
}

const END: &str = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,\
    \"model\":\"scripted\",\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":20,\"total_tokens\":120}}\n\n\
    data: [DONE]\n\n";

/// One call, its arguments in one delta.
pub fn calls(tool: &str, number: usize, arguments: &str) -> Reply {
    let arguments = serde_json::Value::from(arguments);
    let call = event(
        &format!(
            "{{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{{\"index\":0,\"id\":\"call_{number}\",\
             \"type\":\"function\",\"function\":{{\"name\":\"{tool}\",\"arguments\":{arguments}}}}}]}}"
        ),
        "null",
    );
    raw_events(call + &event("{}", "\"tool_calls\"") + END)
}

/// A short answer.
pub fn says() -> Reply {
    let text = event("{\"role\":\"assistant\",\"content\":\"All is done.\"}", "null");
    raw_events(text + &event("{}", "\"stop\"") + END)
}
