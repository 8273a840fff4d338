use super::*;

fn call(arguments: &str) -> ToolCall {
    ToolCall {
        id: "c".into(),
        name: "terminal".into(),
        arguments: arguments.into(),
    }
}

#[test]
fn the_same_failing_call_is_warned_about_at_its_second_failure() {
    let mut guardrail = Guardrail::default();
    let exit = "{\"output\":\"\",\"exit_code\":1,\"error\":null}";
    assert_eq!(guardrail.observe(&call("a"), ToolState::Done, exit, false), None);
    assert!(
        guardrail
            .observe(&call("a"), ToolState::Done, exit, false)
            .unwrap()
            .contains("failed 2 times")
    );
}

#[test]
fn one_tool_is_warned_about_at_its_third_failure_and_success_forgives() {
    let mut guardrail = Guardrail::default();
    assert_eq!(guardrail.observe(&call("a"), ToolState::Failed, "{}", false), None);
    assert_eq!(guardrail.observe(&call("b"), ToolState::Failed, "{}", false), None);
    assert!(guardrail.observe(&call("c"), ToolState::Failed, "{}", false).is_some());
    assert_eq!(
        guardrail.observe(&call("d"), ToolState::Done, "{\"exit_code\":0}", false),
        None
    );
    assert_eq!(guardrail.observe(&call("e"), ToolState::Failed, "{}", false), None);
}

#[test]
fn a_read_with_the_same_result_twice_is_warned_about_and_a_new_result_is_not() {
    let mut guardrail = Guardrail::default();
    assert_eq!(guardrail.observe(&call("a"), ToolState::Done, "one", true), None);
    assert_eq!(guardrail.observe(&call("a"), ToolState::Done, "two", true), None);
    assert!(guardrail.observe(&call("a"), ToolState::Done, "two", true).is_some());
    assert_eq!(guardrail.observe(&call("a"), ToolState::Denied, "two", true), None);
}
