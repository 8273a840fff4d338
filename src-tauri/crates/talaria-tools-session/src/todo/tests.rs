use crate::testing::{Person, Session};
use serde_json::{Value, json};
use std::sync::Arc;
use talaria_protocol::{ToolBody, ToolState};

fn session() -> Arc<Session> {
    Session::with(Person::Dismisses)
}

fn step(id: &str, content: &str, status: &str) -> Value {
    json!({"id": id, "content": content, "status": status})
}

async fn plan(session: &Arc<Session>, args: Value) -> Value {
    session.result("todo", args).await["todos"].clone()
}

#[tokio::test]
async fn the_whole_plan_comes_back_with_counts() {
    let session = session();
    let args = json!({"todos": [step("1", "read", "completed"), step("2", "write", "in_progress"), step("3", "test", "pending")]});
    let outcome = session.run("todo", args.clone()).await;
    let expected = json!({
        "todos": args["todos"],
        "summary": {"total": 3, "pending": 1, "in_progress": 1, "completed": 1, "cancelled": 0},
    });
    assert_eq!(serde_json::from_str::<Value>(&outcome.result).unwrap(), expected);
    assert_eq!(
        (outcome.state, outcome.note.as_deref()),
        (ToolState::Done, Some("1 of 3 done"))
    );
    assert!(matches!(outcome.body, ToolBody::Todos { todos } if todos.len() == 3));
    assert_eq!(
        session.result("todo", json!({})).await,
        expected,
        "reading changes nothing"
    );
}

#[tokio::test]
async fn incomplete_steps_are_completed_and_the_last_of_an_id_counts() {
    let todos = json!([
        {"content": " no id "},
        {"id": 7, "status": "DONE"},
        step("a", "first", "pending"),
        "not a step",
        step("a", "second", " Completed "),
    ]);
    let expected = json!([
        step("?", "no id", "pending"),
        step("7", "(no description)", "pending"),
        step("a", "second", "completed"),
    ]);
    assert_eq!(plan(&session(), json!({"todos": todos.clone()})).await, expected);
    assert_eq!(
        plan(&session(), json!({"todos": todos.to_string()})).await,
        expected,
        "as JSON text"
    );
}

#[tokio::test]
async fn merging_changes_what_is_given_and_appends_the_rest() {
    let session = session();
    plan(
        &session,
        json!({"todos": [step("a", "one", "pending"), step("b", "two", "pending")]}),
    )
    .await;
    let merge = json!({"merge": "true", "todos": [
        {"id": "b", "content": "", "status": "completed"},
        {"id": "a", "content": "uno", "status": "whatever"},
        {"content": "without id"},
        {"id": "c"},
    ]});
    let expected = json!([
        step("a", "uno", "pending"),
        step("b", "two", "completed"),
        step("c", "(no description)", "pending"),
    ]);
    assert_eq!(plan(&session, merge).await, expected);
    assert_eq!(
        plan(&session, json!({"todos": []})).await,
        json!([]),
        "an empty list clears the plan"
    );
}

#[tokio::test]
async fn a_plan_has_bounds() {
    let many: Vec<Value> = (0..300)
        .map(|number| step(&number.to_string(), "x", "pending"))
        .collect();
    let kept = plan(&session(), json!({"todos": many})).await;
    assert_eq!(kept.as_array().map(Vec::len), Some(256));
    assert_eq!(kept[255]["id"], "255");
    let long = plan(&session(), json!({"todos": [step("a", &"é".repeat(5000), "pending")]})).await;
    let content = long[0]["content"].as_str().unwrap();
    assert_eq!(content.chars().count(), 4000);
    assert!(content.ends_with("… [cut]"));
}
