//! The one way from a model's call to its result (tools.md 5.2, 5.3).

use crate::arguments::parse_arguments;
use crate::coerce::coerce;
use crate::error_text::sanitize_error;
use crate::outcome;
use crate::plan::Scope;
use crate::registry::{Entry, Registry};
use crate::tool::{CallTitle, Decision, Gate, ParallelClass, ToolContext, ToolError, ToolOutcome, ToolOutput};
use futures::FutureExt;
use serde_json::Value;
use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::time::Duration;
use talaria_protocol::{AppError, ToolState};

/// How long a cancelled call may take to end by itself and hand over what it has.
const CANCEL_GRACE: Duration = Duration::from_secs(3);

/// A call whose arguments are read: what it is can be shown, and it can be run.
#[derive(Clone, Debug)]
pub struct PreparedCall {
    /// Name of the tool, as registered.
    pub name: &'static str,
    /// Arguments after coercion.
    pub args: Value,
    /// How it is drawn.
    pub title: CallTitle,
}

impl Registry {
    /// Reads the arguments of a call. Nothing runs; an unknown name or unusable arguments are an outcome already.
    pub fn prepare(&self, name: &str, raw_arguments: &str) -> Result<PreparedCall, Box<ToolOutcome>> {
        let Some(entry) = self.entry(name) else {
            return Err(Box::new(outcome::failed(format!("Unknown tool: {name}"))));
        };
        match parse_arguments(raw_arguments) {
            Ok(mut args) => {
                coerce(&mut args, &entry.spec.parameters);
                let args = Value::Object(args);
                let title = self.title(name, &args);
                Ok(PreparedCall {
                    name: entry.spec.name,
                    args,
                    title,
                })
            }
            Err(reason) => Err(Box::new(outcome::bad_arguments(name, &reason))),
        }
    }

    /// Runs one call from name and argument text to its outcome. The gate decides before anything runs; whatever fails there
    /// refuses. Cancelling `cx.cancel` ends the call as [`ToolState::Cancelled`]. A panic ends the turn, not the program.
    pub async fn dispatch(&self, cx: &ToolContext, gate: &dyn Gate, name: &str, raw_arguments: &str) -> ToolOutcome {
        match self.prepare(name, raw_arguments) {
            Ok(call) => self.run(cx, gate, &call).await,
            Err(outcome) => *outcome,
        }
    }

    /// Runs a prepared call; see [`dispatch`](Self::dispatch).
    pub async fn run(&self, cx: &ToolContext, gate: &dyn Gate, call: &PreparedCall) -> ToolOutcome {
        let Some(entry) = self.entry(call.name) else {
            return outcome::failed(format!("Unknown tool: {}", call.name));
        };
        if cx.cancel.is_cancelled() {
            return outcome::cancelled_before_start();
        }
        if !entry.tool.is_lookup() {
            cx.memory.end_lookup_row();
        }
        let intent = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => return outcome::cancelled_before_start(),
            intent = caught(entry.tool.intent(cx, &call.args)) => match intent {
                Ok(Ok(intent)) => intent,
                Ok(Err(error)) => return before_start(outcome::from_error(error)),
                Err(message) => return before_start(panicked(entry, &message)),
            },
        };
        let refusal = outcome::RefusedCall::of(&intent);
        let decision = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => return outcome::cancelled_before_start(),
            decision = caught(gate.decide(cx, &entry.spec, &call.args, intent)) => decision,
        };
        let note = match decision {
            Ok(Decision::Run { note }) => note,
            Ok(Decision::Refuse { message, unanswered }) => return refusal.outcome(message, unanswered),
            Err(message) => {
                tracing::error!(tool = call.name, message, "the gate failed; the call is refused");
                let message = "The check whether this call may run failed, so it did not run. Do not retry it.";
                return refusal.outcome(message.to_owned(), false);
            }
        };
        // The person may have stopped the turn while the question was open.
        if cx.cancel.is_cancelled() {
            return outcome::cancelled_before_start();
        }
        let mut outcome = finish(entry, execute(entry, cx, &call.args).await);
        if let Some(note) = note {
            outcome::add_note(&mut outcome.result, &note);
        }
        outcome
    }

    /// What a call needs for itself beside the other calls of its batch. Only worth asking when a batch has several calls.
    pub async fn scope(&self, cx: &ToolContext, name: &str, raw_arguments: &str) -> Scope {
        let Ok(call) = self.prepare(name, raw_arguments) else {
            return Scope::Alone;
        };
        match self.entry(call.name).map(|entry| entry.spec.parallel) {
            Some(ParallelClass::Safe) => Scope::Free,
            Some(ParallelClass::PathScoped) => match call.args.get("path").and_then(Value::as_str) {
                Some(path) if !path.trim().is_empty() => canonical(cx, path).await,
                _ => Scope::Alone,
            },
            Some(ParallelClass::Barrier) | None => Scope::Alone,
        }
    }
}

async fn canonical(cx: &ToolContext, path: &str) -> Scope {
    let absolute = cx.absolute_path(path);
    let Some(files) = cx.environment.backend().files() else {
        return Scope::Alone;
    };
    files
        .real_path(&absolute)
        .await
        .map_or(Scope::Alone, |real| Scope::Path(PathBuf::from(real)))
}

async fn execute(entry: &Entry, cx: &ToolContext, args: &Value) -> Result<Result<ToolOutput, ToolError>, String> {
    let call = caught(entry.tool.call(cx, args));
    tokio::pin!(call);
    tokio::select! {
        biased;
        ended = &mut call => ended,
        () = cx.cancel.cancelled() => match tokio::time::timeout(CANCEL_GRACE, call).await {
            Ok(ended) => ended,
            Err(_) => {
                tracing::warn!(tool = entry.spec.name, "the cancelled call did not end; it is abandoned");
                Ok(Err(ToolError::Cancelled { partial: None }))
            }
        },
    }
}

fn finish(entry: &Entry, ended: Result<Result<ToolOutput, ToolError>, String>) -> ToolOutcome {
    let mut outcome = match ended {
        Ok(Ok(output)) => outcome::from_output(output),
        Ok(Err(error)) => outcome::from_error(error),
        Err(message) => panicked(entry, &message),
    };
    let cut_off = outcome.state == ToolState::Cancelled || outcome.stop.is_some();
    outcome.effect_unknown = cut_off && entry.spec.has_effects;
    outcome::fit(&mut outcome.result, entry.spec.max_result_chars);
    outcome
}

/// What ended before the gate was asked had no effect.
fn before_start(mut outcome: ToolOutcome) -> ToolOutcome {
    outcome.effect_unknown = false;
    outcome
}

/// Awaits with panics caught; the error is the panic's message.
async fn caught<T>(work: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .map_err(|payload| panic_message(payload.as_ref()))
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it gave no reason").to_owned()
}

fn panicked(entry: &Entry, message: &str) -> ToolOutcome {
    let name = entry.spec.name;
    tracing::error!(tool = name, message, "a tool call panicked");
    let error = AppError::internal(format!("the tool {name} failed in a way it should not"))
        .with_value("tool", name)
        .with_hint("The turn was ended; what was done before stays. Send the message again, or report the fault.");
    outcome::stopped(
        Box::new(error),
        &sanitize_error(&format!("Tool execution failed: {name}: {message}")),
    )
}

#[cfg(test)]
mod tests;
