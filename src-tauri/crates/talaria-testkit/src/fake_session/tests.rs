use super::*;
use crate::FakeBackend;
use serde_json::json;
use talaria_tools::ParallelClass;

fn spec() -> ToolSpec {
    ToolSpec {
        name: "terminal",
        toolset: "terminal",
        description: String::new(),
        parameters: json!({"type": "object"}),
        max_result_chars: None,
        parallel: ParallelClass::Barrier,
        has_effects: true,
    }
}

fn context() -> ToolContext {
    tool_context(
        Path::new("/project/app"),
        Arc::new(FakeBackend::new()),
        &FakeHost::new(),
    )
}

#[tokio::test]
async fn decides_as_told_and_records_what_was_meant() {
    let gate = FakeGate::denying("not now");
    gate.next(Decision::Run {
        note: Some("approved once".to_owned()),
    });
    let (cx, spec) = (context(), spec());
    let command = Intent::Command {
        command: "ls".to_owned(),
        cwd: "/project/app".to_owned(),
    };
    let first = gate.decide(&cx, &spec, &json!({}), command).await;
    assert!(matches!(first, Decision::Run { note: Some(note) } if note == "approved once"));
    let second = gate.decide(&cx, &spec, &json!({}), Intent::Read).await;
    assert!(matches!(second, Decision::Refuse { message, unanswered: false } if message == "not now"));
    let intents = gate.intents();
    assert!(matches!(&intents[0].1, Intent::Command { command, .. } if command == "ls"));
    assert!(matches!(&intents[1], (tool, Intent::Read) if tool == "terminal"));
}

#[tokio::test]
async fn a_waiting_gate_refuses_when_the_call_is_cancelled() {
    let barrier = Barrier::new();
    let gate = FakeGate::waiting_for(&barrier);
    let (cx, spec, args) = (context(), spec(), json!({}));
    let (decision, ()) = tokio::join!(gate.decide(&cx, &spec, &args, Intent::Read), async {
        barrier.reached().await;
        cx.cancel.cancel();
    });
    assert!(matches!(decision, Decision::Refuse { .. }));
}

#[tokio::test]
async fn a_question_gets_the_answer_of_the_test_once() {
    let host = FakeHost::new();
    host.answers("yes");
    let question = Question {
        qid: "q".to_owned(),
        question: "go?".to_owned(),
        choices: Vec::new(),
        multi: false,
    };
    let call = CallId::new("c");
    assert_eq!(host.clarify(&call, question.clone()).await.as_deref(), Some("yes"));
    assert_eq!(host.clarify(&call, question.clone()).await, None);
    assert_eq!(host.questions(), [question.clone(), question]);
}
