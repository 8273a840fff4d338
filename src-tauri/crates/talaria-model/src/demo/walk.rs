//! The script itself: what the demo says and calls next.

use super::happened::{End, Happened, Script, TestRun};
use super::sample::{SCRIPT, Skips, TEST_COMMAND, TESTS, fixed};
use crate::transport::ChatRequest;
use serde_json::{Value, json};

/// Text that the arguments of the last `todo` call contain, and no other.
pub(super) const LAST_STEP_DONE: &str = r#""id":"report","status":"completed""#;

const ABOUT: &str = "I am the scripted demo, not a language model, so I cannot answer that. What I can do is walk you \
    through Talaria with real tools on a small sample project: I read files, ask you before I run its tests, fix a fault, \
    run the tests again and tell you what happened. It takes about a minute. Write **start** to begin.\n\nFor everything \
    else, choose a real model in the model menu: a local server such as Ollama, LM Studio, llama.cpp or vLLM, or a vendor \
    whose API key is set.";

const CONNECT: &str = "**To work with a real model**, start a local server (Ollama, LM Studio, llama.cpp or vLLM are found by \
    themselves) or set a vendor's key, such as `OPENAI_API_KEY` or `OPENROUTER_API_KEY`, before you start Talaria. Then \
    choose the model in the model menu and open a project of your own.";

/// A call that the demo makes.
pub(super) struct DemoCall {
    pub name: &'static str,
    pub arguments: Value,
}

/// One answer of the demo.
pub(super) struct Step {
    pub text: String,
    pub calls: Vec<DemoCall>,
}

/// The next answer. A step whose tool is not on offer is left out.
pub(super) fn next_step(request: &ChatRequest) -> Step {
    let offers = |name: &str| request.tools.iter().any(|tool| tool.name == name);
    let Some(walk) = Happened::on_walk(&request.messages) else {
        return says(ABOUT);
    };
    if !offers("read_file") && walk.script == Script::Unread {
        return says(
            "I am the scripted demo, not a language model. My walk needs the tool `read_file`, which is not on offer in this \
             chat, so there is nothing that I can show here.",
        );
    }
    let step = if !walk.planned && offers("todo") {
        plan()
    } else {
        match walk.script {
            Script::Unread => read(offers("todo")),
            Script::Foreign => return says(FOREIGN),
            Script::Faulty | Script::Fixed => act(&walk, &offers).unwrap_or_else(|| close(&walk, offers("todo"))),
        }
    };
    Step {
        calls: step.calls.into_iter().filter(|call| offers(call.name)).collect(),
        ..step
    }
}

const FOREIGN: &str = "This folder is not the sample project, so I stop here: I am the scripted demo and change nothing but the \
    sample. Open a new chat with the demo and without a folder; it brings the sample project with it.";

fn act(walk: &Happened, offers: &dyn Fn(&str) -> bool) -> Option<Step> {
    if walk.run_before.is_none() && walk.edit.is_none() && offers("terminal") {
        return Some(run_before());
    }
    if walk.script == Script::Fixed || walk.run_before == Some(TestRun::Green) {
        return None;
    }
    if !walk.asked && walk.edit.is_none() && offers("clarify") {
        return Some(ask(walk));
    }
    if walk.edit.is_none() && offers("write_file") {
        return Some(edit(walk));
    }
    (walk.edit == Some(End::Done) && walk.run_after.is_none() && offers("terminal")).then(run_after)
}

fn plan() -> Step {
    let steps = [
        ("look", "Read the script and its tests", "in_progress"),
        ("run", "Run the tests", "pending"),
        ("fix", "Fix what fails", "pending"),
        ("check", "Run the tests again", "pending"),
        ("report", "Report", "pending"),
    ];
    let steps: Vec<Value> = steps
        .iter()
        .map(|(id, content, status)| json!({"id": id, "content": content, "status": status}))
        .collect();
    Step {
        text: "Hello. I am the scripted demo, not a language model: what I say is written beforehand, but the tools are real. \
            I work on a small sample project, a price list that a shell script adds up. One of its tests fails. First I make \
            a plan; you see it beside the chat."
            .to_owned(),
        calls: vec![DemoCall { name: "todo", arguments: json!({"todos": steps}) }],
    }
}

fn read(planned: bool) -> Step {
    let text = match planned {
        true => "Now I read the script and its tests. Reading never asks.",
        false => {
            "Hello. I am the scripted demo, not a language model: what I say is written beforehand, but the tools are \
            real. I read the sample project's script and its tests first; reading never asks."
        }
    };
    let read = |path: &str| DemoCall {
        name: "read_file",
        arguments: json!({"path": path}),
    };
    Step {
        text: text.to_owned(),
        calls: vec![read(SCRIPT), read(TESTS)],
    }
}

fn run_before() -> Step {
    Step {
        text: format!(
            "I want to run the tests with `{TEST_COMMAND}`. A command may change things, so in the approval mode \"ask\" you are \
             asked first: look at it, then allow it once, for this session, or deny it. Nothing runs before you answer."
        ),
        calls: vec![progress(&[("look", "completed"), ("run", "in_progress")]), tests()],
    }
}

fn ask(walk: &Happened) -> Step {
    let seen = match &walk.run_before {
        Some(TestRun::Red(failing)) => format!("One test fails: {failing}."),
        Some(TestRun::Denied) => {
            "The command was not allowed, so it has not run. That is fine; I go on with what I have read.".to_owned()
        }
        Some(TestRun::NotRun(why)) => format!("The tests could not be run ({why}). I go on with what I have read."),
        Some(TestRun::Green) | None => "I could not run the tests here, so I go by what I have read.".to_owned(),
    };
    let question = json!({
        "question": "While I fix the script: which lines of a list should it skip?",
        "choices": ["Blank lines", "Lines that begin with #, as comments", "Both"],
    });
    Step {
        text: format!(
            "{seen} The reason is in `{SCRIPT}`: `read` gives up at a last line without a line break, so its price is not \
             added. Before I fix it, one thing is yours to decide."
        ),
        calls: vec![
            progress(&[("run", status_of(walk.run_before.as_ref())), ("fix", "in_progress")]),
            DemoCall {
                name: "clarify",
                arguments: question,
            },
        ],
    }
}

fn edit(walk: &Happened) -> Step {
    let skips = skipped(walk.skips);
    Step {
        text: format!(
            "I change `{SCRIPT}`: the last line counts, and {skips} skipped. The change is shown as a diff; in the mode \"ask\" \
             the file is written only when you allow it."
        ),
        calls: vec![DemoCall {
            name: "write_file",
            arguments: json!({"path": SCRIPT, "content": fixed(walk.skips)}),
        }],
    }
}

fn run_after() -> Step {
    Step {
        text: "The file is written. Now the same tests again; if you allowed the command for this session, it runs without \
            a question."
            .to_owned(),
        calls: vec![progress(&[("fix", "completed"), ("check", "in_progress")]), tests()],
    }
}

/// The plan is closed first, then the report comes.
fn close(walk: &Happened, has_plan: bool) -> Step {
    if has_plan && !walk.reported {
        let fix = if walk.edit == Some(End::Done) {
            "completed"
        } else {
            "cancelled"
        };
        let steps = [
            ("look", "completed"),
            ("run", status_of(walk.run_before.as_ref())),
            ("fix", fix),
            ("check", status_of(walk.run_after.as_ref())),
            ("report", "completed"),
        ];
        return Step {
            text: String::new(),
            calls: vec![progress(&steps)],
        };
    }
    says(&report(walk))
}

fn report(walk: &Happened) -> String {
    let mut lines = vec![format!("- I read `{SCRIPT}` and `{TESTS}`.")];
    lines.push(match &walk.run_before {
        Some(TestRun::Red(failing)) => format!("- The tests ran, and one failed: {failing}."),
        Some(TestRun::Green) => "- The tests ran and all passed, so there was nothing to fix.".to_owned(),
        Some(TestRun::Denied) => "- The first test run was not allowed, so that command never ran.".to_owned(),
        Some(TestRun::NotRun(why)) => format!("- The tests could not be run: {why}."),
        None => "- The tests were not run: there is no terminal in this chat.".to_owned(),
    });
    lines.extend(match &walk.edit {
        Some(End::Done) => Some(format!(
            "- I fixed `{SCRIPT}`: the last line counts, and {} skipped. The skipping has no test yet; that would be the \
             next step.",
            skipped(walk.skips)
        )),
        Some(End::Denied) => Some(format!("- The change was not allowed, so `{SCRIPT}` is as it was.")),
        Some(End::Failed(why)) => Some(format!("- The change could not be written: {why}")),
        None if walk.script == Script::Fixed => Some(format!("- `{SCRIPT}` was fixed already.")),
        None => None,
    });
    lines.extend(match &walk.run_after {
        Some(TestRun::Green) => Some("- The tests ran again: **all passed**.".to_owned()),
        Some(TestRun::Red(failing)) => Some(format!("- The tests ran again, and one **still fails**: {failing}.")),
        Some(TestRun::Denied) => {
            Some("- The second test run was not allowed, so whether the fix works is not proven.".to_owned())
        }
        Some(TestRun::NotRun(why)) => Some(format!(
            "- The tests could not be run again ({why}), so whether the fix works is not proven."
        )),
        None => None,
    });
    format!(
        "That was the demo. What happened:\n\n{}\n\nAll of it was scripted, but the tools, the questions and the files were \
         real. You can look at the sample project, or write **start** to see it again.\n\n{CONNECT}",
        lines.join("\n")
    )
}

fn says(text: &str) -> Step {
    Step {
        text: text.to_owned(),
        calls: Vec::new(),
    }
}

fn tests() -> DemoCall {
    DemoCall {
        name: "terminal",
        arguments: json!({"command": TEST_COMMAND}),
    }
}

/// Moves the plan on.
fn progress(steps: &[(&str, &str)]) -> DemoCall {
    let steps: Vec<Value> = steps
        .iter()
        .map(|(id, status)| json!({"id": id, "status": status}))
        .collect();
    DemoCall {
        name: "todo",
        arguments: json!({"todos": steps, "merge": true}),
    }
}

fn status_of(run: Option<&TestRun>) -> &'static str {
    match run {
        Some(TestRun::Green | TestRun::Red(_)) => "completed",
        Some(TestRun::Denied | TestRun::NotRun(_)) | None => "cancelled",
    }
}

fn skipped(skips: Skips) -> &'static str {
    match skips {
        Skips::Blank => "blank lines are",
        Skips::Comments => "comment lines are",
        Skips::Both => "blank lines and comment lines are",
    }
}
