//! `todo`: the plan of a session (state.md 19).

use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::{Map, Value, json};
use talaria_protocol::{Todo, TodoStatus, TodoSummary, ToolBody, ToolState, Verb};
use talaria_tools::{
    CallTitle, Intent, ParallelClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, register_tool,
};

const MOST_STEPS: usize = 256;
const MOST_CHARS: usize = 4000;
const CUT_MARK: &str = "… [cut]";
const NO_ID: &str = "?";
const NO_CONTENT: &str = "(no description)";
const MAX_RESULT_CHARS: usize = 100_000;

/// Keeps the plan.
#[derive(Debug, Default)]
pub struct TodoList;

register_tool!(TodoList);

impl Tool for TodoList {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "todo",
            toolset: "todo",
            description: "Keep the plan of this task. Use it when a task has three or more steps, or when the person gives several. \
                Without arguments it returns the plan. `todos` replaces the plan; with `merge` true it changes the steps of the \
                same id and appends the others. Have one step in progress at a time, and mark a step completed as soon as it is \
                done. The result is always the whole plan."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "todos": {
                        "type": "array",
                        "description": "The steps in order; leave out to read the plan",
                        "items": {
                            "type": "object",
                            "properties": {
                                "id": { "type": "string", "description": "Short id, unique in the plan" },
                                "content": { "type": "string", "description": "What is to be done" },
                                "status": {
                                    "type": "string",
                                    "enum": ["pending", "in_progress", "completed", "cancelled"]
                                }
                            },
                            "required": ["id", "content", "status"]
                        }
                    },
                    "merge": {
                        "type": "boolean",
                        "description": "Change and append instead of replacing the plan",
                        "default": false
                    }
                }
            }),
            max_result_chars: Some(MAX_RESULT_CHARS),
            parallel: ParallelClass::Barrier,
            has_effects: true,
        }
    }

    fn title(&self, args: &Value) -> CallTitle {
        let target = match args.get("todos").and_then(Value::as_array).map(Vec::len) {
            None => String::new(),
            Some(1) => "1 step".to_owned(),
            Some(steps) => format!("{steps} steps"),
        };
        CallTitle {
            verb: Verb::Plan,
            target,
        }
    }

    fn intent<'a>(&'a self, _cx: &'a ToolContext, _args: &'a Value) -> BoxFuture<'a, Result<Intent, ToolError>> {
        Box::pin(async { Ok(Intent::Read) })
    }

    fn call<'a>(&'a self, cx: &'a ToolContext, args: &'a Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move { update(cx, args) })
    }
}

#[derive(Serialize)]
struct PlanResult<'a> {
    todos: &'a [Todo],
    summary: TodoSummary,
}

fn update(cx: &ToolContext, args: &Value) -> Result<ToolOutput, ToolError> {
    let plan = match args.get("todos") {
        None | Some(Value::Null) => cx.host.todos(),
        Some(Value::Array(steps)) => {
            let merge = args.get("merge") == Some(&Value::Bool(true));
            let plan = if merge {
                merged(cx.host.todos(), steps)
            } else {
                replaced(steps)
            };
            cx.host.set_todos(plan.clone());
            plan
        }
        Some(_) => return Err(ToolError::Tell("todo: `todos` must be a list of steps.".to_owned())),
    };
    let summary = summary(&plan);
    Ok(ToolOutput {
        // A struct of texts and numbers always serialises.
        result: serde_json::to_string(&PlanResult { todos: &plan, summary }).unwrap_or_default(),
        note: Some(format!("{} of {} done", summary.completed, summary.total)),
        body: ToolBody::Todos { todos: plan },
        state: ToolState::Done,
    })
}

/// A new plan. Of steps with the same id the last one counts.
fn replaced(steps: &[Value]) -> Vec<Todo> {
    let mut plan: Vec<Todo> = Vec::with_capacity(steps.len().min(MOST_STEPS));
    for step in steps.iter().filter_map(Value::as_object) {
        let step = new_step(step);
        plan.retain(|other| other.id != step.id);
        plan.push(step);
    }
    plan.truncate(MOST_STEPS);
    plan
}

/// The plan with changed and further steps. A step without an id means none.
fn merged(mut plan: Vec<Todo>, steps: &[Value]) -> Vec<Todo> {
    for step in steps.iter().filter_map(Value::as_object) {
        let Some(id) = text(step, "id") else { continue };
        match plan.iter_mut().find(|known| known.id == id) {
            Some(known) => {
                if let Some(content) = text(step, "content") {
                    known.content = capped(content);
                }
                if let Some(status) = status(step) {
                    known.status = status;
                }
            }
            None => plan.push(new_step(step)),
        }
    }
    plan.truncate(MOST_STEPS);
    plan
}

fn new_step(step: &Map<String, Value>) -> Todo {
    Todo {
        id: text(step, "id").unwrap_or_else(|| NO_ID.to_owned()),
        content: text(step, "content").map_or_else(|| NO_CONTENT.to_owned(), capped),
        status: status(step).unwrap_or(TodoStatus::Pending),
    }
}

/// A field as text, unless it is missing or blank. Models number steps with 1, 2, 3.
fn text(step: &Map<String, Value>, name: &str) -> Option<String> {
    let text = match step.get(name)? {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

fn status(step: &Map<String, Value>) -> Option<TodoStatus> {
    match text(step, "status")?.to_ascii_lowercase().as_str() {
        "pending" => Some(TodoStatus::Pending),
        "in_progress" => Some(TodoStatus::InProgress),
        "completed" => Some(TodoStatus::Completed),
        "cancelled" => Some(TodoStatus::Cancelled),
        _ => None,
    }
}

fn capped(mut content: String) -> String {
    if content.chars().count() > MOST_CHARS {
        let kept = MOST_CHARS - CUT_MARK.chars().count();
        if let Some((end, _)) = content.char_indices().nth(kept) {
            content.truncate(end);
        }
        content.push_str(CUT_MARK);
    }
    content
}

fn summary(plan: &[Todo]) -> TodoSummary {
    let mut summary = TodoSummary::default();
    for step in plan {
        summary.total += 1;
        *match step.status {
            TodoStatus::Pending => &mut summary.pending,
            TodoStatus::InProgress => &mut summary.in_progress,
            TodoStatus::Completed => &mut summary.completed,
            TodoStatus::Cancelled => &mut summary.cancelled,
        } += 1;
    }
    summary
}

#[cfg(test)]
mod tests;
