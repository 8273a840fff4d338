use super::*;

fn assembled(id: &str, name: &str, arguments: &str) -> AssembledCall {
    AssembledCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
        valid: serde_json::from_str::<serde_json::Value>(arguments).is_ok(),
    }
}

fn offered() -> Vec<ToolDefinition> {
    ["read_file", "terminal"]
        .map(|name| ToolDefinition {
            name: name.into(),
            description: String::new(),
            parameters: serde_json::json!({}),
        })
        .to_vec()
}

fn story(calls: Vec<AssembledCall>) -> Vec<String> {
    check(&offered(), calls, &mut HashSet::new())
        .iter()
        .map(|checked| {
            let call = checked.call();
            match checked {
                Checked::Valid(_) => format!("run {} {} {}", call.id, call.name, call.arguments),
                Checked::Unknown { .. } => format!("unknown {} {}", call.id, call.name),
                Checked::Unreadable { .. } => format!("unreadable {} {} {}", call.id, call.name, call.arguments),
            }
        })
        .collect()
}

#[test]
fn names_in_another_spelling_are_repaired_and_wrong_ones_refused_alone() {
    let calls = vec![
        assembled("a", "ReadFile", "{\"path\":\"x\"}"),
        assembled("b", "launch_rockets", "{}"),
        assembled("c", "  ", "{}"),
    ];
    assert_eq!(
        story(calls),
        [
            "run a read_file {\"path\":\"x\"}",
            "unknown b launch_rockets",
            "unknown c invalid_tool_call"
        ]
    );
}

#[test]
fn equal_calls_run_once_and_ids_become_unique() {
    let calls = vec![
        assembled("a", "terminal", "{\"command\":\"x\"}"),
        assembled("b", "terminal", "{\"command\":\"x\"}"),
        assembled("a", "terminal", "{\"command\":\"y\"}"),
        assembled("", "terminal", "{\"command\":\"z\"}"),
    ];
    assert_eq!(
        story(calls),
        [
            "run a terminal {\"command\":\"x\"}",
            "run a_2 terminal {\"command\":\"y\"}",
            "run call_3 terminal {\"command\":\"z\"}",
        ]
    );
}

#[test]
fn one_unreadable_call_stops_the_whole_turn_of_calls() {
    let calls = vec![
        assembled("a", "terminal", "{\"command\": oops}"),
        assembled("b", "read_file", "{\"path\":\"x\"}"),
    ];
    assert_eq!(
        story(calls),
        ["unreadable a terminal {}", "unreadable b read_file {\"path\":\"x\"}"]
    );
}

#[test]
fn a_name_that_no_provider_takes_back_is_replaced() {
    let strange = "x".repeat(80) + "\n<script>";
    let checked = check(&offered(), vec![assembled("a", &strange, "{}")], &mut HashSet::new());
    assert_eq!(checked[0].call().name, INVALID_NAME);
}

#[test]
fn a_server_that_counts_anew_in_each_answer_gets_ids_that_are_unique_in_the_turn() {
    let mut ids = HashSet::new();
    let id = |ids: &mut HashSet<String>| {
        check(&offered(), vec![assembled("call_0", "terminal", "{}")], ids)[0]
            .call()
            .id
            .to_string()
    };
    assert_eq!(
        [id(&mut ids), id(&mut ids), id(&mut ids)],
        ["call_0", "call_0_2", "call_0_3"]
    );
}
