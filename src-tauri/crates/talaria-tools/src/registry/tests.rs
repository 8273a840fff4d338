use super::*;
use crate::tool::{Intent, ParallelClass, ToolContext, ToolError, ToolOutput};
use futures::future::BoxFuture;
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

struct Named {
    name: &'static str,
    toolset: &'static str,
    description: &'static str,
    available: Arc<AtomicBool>,
}

fn named(name: &'static str, toolset: &'static str, description: &'static str) -> Box<dyn Tool> {
    Box::new(Named {
        name,
        toolset,
        description,
        available: Arc::new(AtomicBool::new(true)),
    })
}

impl Tool for Named {
    fn spec(&self) -> ToolSpec {
        assert!(self.name != "broken", "cannot be described");
        ToolSpec {
            name: self.name,
            toolset: self.toolset,
            description: self.description.to_owned(),
            parameters: json!({"properties": {"p": {"type": ["string", "null"]}}, "required": ["p", "q"]}),
            max_result_chars: None,
            parallel: ParallelClass::Safe,
            has_effects: false,
        }
    }
    fn title(&self, args: &Value) -> CallTitle {
        CallTitle {
            verb: Verb::Read,
            target: args["p"].as_str().expect("a path").to_owned(),
        }
    }
    fn intent<'a>(&'a self, _: &'a ToolContext, _: &'a Value) -> BoxFuture<'a, Result<Intent, ToolError>> {
        Box::pin(async { Ok(Intent::Read) })
    }
    fn call<'a>(&'a self, _: &'a ToolContext, _: &'a Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async { Err(ToolError::Tell("not called here".into())) })
    }
    fn available(&self) -> bool {
        self.available.load(Ordering::Relaxed)
    }
}

fn offered(registry: &Registry, toolsets: &Toolsets, now: Instant) -> Vec<String> {
    registry
        .definitions(toolsets, now)
        .iter()
        .map(|definition| definition.name.clone())
        .collect()
}

#[test]
fn definitions_come_in_name_order_with_a_clean_schema() {
    let registry = Registry::of([named("b", "x", "second"), named("a", "x", "first")]);
    let definitions = registry.definitions(&Toolsets::all(), Instant::now());
    let parameters = json!({
        "properties": {"p": {"type": "string", "nullable": true}},
        "required": ["p"],
        "type": "object",
    });
    let expected = [("a", "first"), ("b", "second")].map(|(name, description)| Definition {
        name: name.into(),
        description: description.into(),
        parameters: parameters.clone(),
    });
    assert_eq!(
        definitions
            .iter()
            .map(|definition| (**definition).clone())
            .collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn a_name_of_another_toolset_is_rejected_and_of_the_same_one_replaced() {
    let registry = Registry::of([
        named("a", "x", "first"),
        named("a", "y", "thief"),
        named("broken", "x", ""),
    ]);
    assert_eq!(registry.spec("a").map(|spec| spec.description.as_str()), Some("first"));
    assert_eq!(registry.names().collect::<Vec<_>>(), ["a"]);
    let registry = Registry::of([named("a", "x", "first"), named("a", "x", "newer")]);
    assert_eq!(registry.spec("a").map(|spec| spec.description.as_str()), Some("newer"));
}

#[test]
fn disabled_toolsets_are_left_out_whatever_is_enabled() {
    let registry = Registry::of([named("a", "x", ""), named("b", "y", "")]);
    let now = Instant::now();
    assert_eq!(offered(&registry, &Toolsets::all().without(["x"]), now), ["b"]);
    assert_eq!(offered(&registry, &Toolsets::only(["x"]), now), ["a"]);
    assert_eq!(
        offered(&registry, &Toolsets::only(["x", "y"]).without(["y"]), now),
        ["a"]
    );
}

#[test]
fn a_tool_that_is_not_available_is_not_offered_but_known() {
    let available = Arc::new(AtomicBool::new(false));
    let tool = Named {
        name: "a",
        toolset: "x",
        description: "",
        available: Arc::clone(&available),
    };
    let registry = Registry::of([Box::new(tool) as Box<dyn Tool>]);
    let start = Instant::now();
    assert_eq!(offered(&registry, &Toolsets::all(), start), [""; 0]);
    assert!(registry.spec("a").is_some());
    available.store(true, Ordering::Relaxed);
    assert_eq!(
        offered(&registry, &Toolsets::all(), start + Duration::from_secs(29)),
        [""; 0]
    );
    assert_eq!(
        offered(&registry, &Toolsets::all(), start + Duration::from_secs(30)),
        ["a"]
    );
}

#[test]
fn a_title_is_always_given() {
    let registry = Registry::of([named("a", "x", "")]);
    assert_eq!(
        registry.title("a", &json!({"p": "f.txt"})),
        CallTitle {
            verb: Verb::Read,
            target: "f.txt".into()
        }
    );
    let by_name = |name: &str| CallTitle {
        verb: Verb::Use,
        target: name.into(),
    };
    assert_eq!(
        registry.title("a", &json!({})),
        by_name("a"),
        "the tool panics on missing arguments"
    );
    assert_eq!(registry.title("zz", &json!({})), by_name("zz"));
}
