//! Runs the calls of one assistant turn: in segments, in order, each with exactly one result (agent.md 14).

use crate::calls::{Checked, error_json};
use crate::desk::CallDesk;
use crate::gate::SessionGate;
use crate::guardrail::Guardrail;
use crate::prompt::{STEER_CLOSE, STEER_OPEN};
use crate::record::Record;
use crate::shared::SessionShared;
use futures::future::{BoxFuture, FutureExt};
use futures::stream::{self, StreamExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use talaria_protocol::{
    AppError, Content, EffectDisposition, Message, StatusKind, ToolBody, ToolCall, ToolState, ToolView,
};
use talaria_tools::{Registry, Segment, ToolContext, ToolLimits, ToolOutcome, plan};
use tokio_util::sync::CancellationToken;

/// Calls of a parallel segment that run at the same time.
const WORKERS: usize = 8;
/// How long a parallel segment may take.
const SEGMENT_DEADLINE: Duration = Duration::from_secs(420);
/// How long a cancelled call has to hand over what it had before it is left alone.
const CANCEL_GRACE: Duration = Duration::from_millis(150);

/// Runs batches for one session.
pub(crate) struct Batch {
    pub session: Arc<SessionShared>,
    pub registry: Arc<Registry>,
    pub gate: Arc<SessionGate>,
    pub talaria_home: PathBuf,
    pub user_home: PathBuf,
    pub limits: ToolLimits,
}

/// What a batch left.
pub(crate) struct BatchEnd {
    /// One message a call, in call order.
    pub results: Vec<Message>,
    /// Ends the turn.
    pub stop: Option<AppError>,
}

struct Ran {
    message: Message,
    view: ToolView,
    stop: Option<Box<AppError>>,
}

impl Batch {
    /// Runs all calls. `record` has taken the assistant message: no call that can change anything starts before that is
    /// durable.
    pub(crate) async fn run(
        &self,
        calls: Vec<Checked>,
        record: &mut Record,
        guardrail: &mut Guardrail,
        cancel: &CancellationToken,
    ) -> BatchEnd {
        let mut recorded = false;
        let mut results = Vec::with_capacity(calls.len());
        let mut stop: Option<AppError> = None;
        if calls.len() > 1 {
            for checked in &calls {
                self.session.feed.tool(self.view(checked.call(), ToolState::Queued));
            }
        }
        for segment in self.segments(&calls, cancel).await {
            let range = segment.calls();
            let changes = calls[range.clone()].iter().any(|checked| match checked {
                Checked::Valid(call) => self.has_effects(call),
                Checked::Unknown { .. } | Checked::Unreadable { .. } => false,
            });
            if changes && !recorded {
                recorded = true;
                if let Err(failure) = record.durable().await {
                    stop = Some(failure);
                }
            }
            let parallel = matches!(segment, Segment::Parallel(_));
            let deadline = parallel.then(|| Instant::now() + SEGMENT_DEADLINE);
            let stopped = stop.is_some();
            // Boxed one by one: a closure over borrowed calls would tie the turn's future to one lifetime.
            let mut work: Vec<BoxFuture<'_, Ran>> = Vec::with_capacity(range.len());
            for checked in &calls[range] {
                work.push(self.run_one(checked, stopped, deadline, cancel).boxed());
            }
            let mut running = stream::iter(work).buffered(if parallel { WORKERS } else { 1 });
            loop {
                // What is done at once shares a commit with its question; nothing is held back while a call waits.
                let next = match running.next().now_or_never() {
                    Some(next) => next,
                    None => {
                        record.hand_over();
                        running.next().await
                    }
                };
                let Some(mut ran) = next else { break };
                if let Some(error) = ran.stop.take() {
                    stop.get_or_insert(*error);
                }
                let ran = self.warned(ran, &calls[results.len()], guardrail);
                record.tool_result(ran.message.clone(), &ran.view);
                self.session.feed.tool(ran.view);
                results.push(ran.message);
                if stop.is_some() && !stopped && !parallel {
                    // The calls behind it have not been started.
                    break;
                }
            }
            drop(running);
        }
        // A stop in the middle of a segment leaves calls without a result.
        for checked in calls.iter().skip(results.len()) {
            let ran = self.not_run(checked.call(), "Not run: the turn was stopped by an error.");
            record.tool_result(ran.message.clone(), &ran.view);
            self.session.feed.tool(ran.view);
            results.push(ran.message);
        }
        record.hand_over();
        BatchEnd { results, stop }
    }

    /// Appends a warning to the result of a call that goes round in circles.
    fn warned(&self, mut ran: Ran, checked: &Checked, guardrail: &mut Guardrail) -> Ran {
        let call = checked.call();
        let result = ran.message.content_text();
        let reads = matches!(checked, Checked::Valid(_)) && !self.has_effects(call);
        if let Some(warning) = guardrail.observe(call, ran.view.state, &result, reads) {
            ran.message.content = Some(Content::Text(format!("{result}\n\n{warning}")));
        }
        ran
    }

    /// Runs one call outside of a turn.
    pub(crate) async fn run_alone(&self, call: &Checked, cancel: &CancellationToken) -> (Message, ToolView) {
        let ran = self.run_one(call, false, None, cancel).await;
        (ran.message, ran.view)
    }

    async fn segments(&self, calls: &[Checked], cancel: &CancellationToken) -> Vec<Segment> {
        if calls.len() == 1 {
            return vec![Segment::Sequential(0..1)];
        }
        let mut scopes = Vec::with_capacity(calls.len());
        for checked in calls {
            scopes.push(match checked {
                Checked::Valid(call) => {
                    self.registry
                        .scope(&self.context(call, cancel.child_token()), &call.name, &call.arguments)
                        .await
                }
                Checked::Unknown { .. } | Checked::Unreadable { .. } => talaria_tools::Scope::Free,
            });
        }
        plan(&scopes)
    }

    async fn run_one(
        &self,
        checked: &Checked,
        stopped: bool,
        deadline: Option<Instant>,
        cancel: &CancellationToken,
    ) -> Ran {
        let call = match checked {
            Checked::Valid(call) => call,
            Checked::Unknown { call, message } | Checked::Unreadable { call, message } => {
                let mut ran = self.not_run(call, message);
                ran.view.state = ToolState::Failed;
                return ran;
            }
        };
        if stopped {
            return self.not_run(call, "Not run: the turn was stopped by an error.");
        }
        if cancel.is_cancelled() {
            return self.not_run(call, "Cancelled: the person stopped the turn before this call began.");
        }
        let started = Instant::now();
        let mut view = self.view(call, ToolState::Running);
        view.started_at = Some(crate::clock::unix_now());
        self.session.feed.tool(view);
        let outcome = self.dispatch(call, deadline, cancel).await;
        if outcome.unanswered {
            self.session.note_unanswered();
        }
        let mut view = self
            .session
            .feed
            .tool_view(&call.id)
            .unwrap_or_else(|| self.view(call, outcome.state));
        view.state = outcome.state;
        view.duration_ms = Some(started.elapsed().as_millis() as u64);
        view.note = outcome.note;
        if !matches!(outcome.body, ToolBody::Empty) {
            view.body = outcome.body;
        }
        let message = Message {
            effect_disposition: match outcome.state {
                ToolState::Denied => Some(EffectDisposition::None),
                ToolState::Cancelled if outcome.effect_unknown => Some(EffectDisposition::Unknown),
                ToolState::Cancelled => Some(EffectDisposition::None),
                _ => None,
            },
            timestamp: crate::clock::unix_now(),
            ..Message::tool(call, defuse(outcome.result))
        };
        Ran {
            message,
            view,
            stop: outcome.stop,
        }
    }

    async fn dispatch(&self, call: &ToolCall, deadline: Option<Instant>, cancel: &CancellationToken) -> ToolOutcome {
        let token = cancel.child_token();
        let context = self.context(call, token.clone());
        let work = self
            .registry
            .dispatch(&context, self.gate.as_ref(), &call.name, &call.arguments);
        tokio::pin!(work);
        let expired = async {
            let Some(mut at) = deadline else {
                return std::future::pending().await;
            };
            loop {
                tokio::time::sleep_until(at.into()).await;
                // The person has as long as they need; the time counts from their answer on.
                let waits = self
                    .session
                    .feed
                    .tool_view(&call.id)
                    .is_some_and(|view| view.state == ToolState::Waiting);
                if !waits {
                    return;
                }
                at = Instant::now() + SEGMENT_DEADLINE;
            }
        };
        tokio::select! {
            biased;
            outcome = &mut work => outcome,
            () = cancel.cancelled() => {
                match tokio::time::timeout(CANCEL_GRACE, &mut work).await {
                    Ok(outcome) => outcome,
                    Err(_) => self.given_up(call, "Cancelled: the person stopped the turn while this call ran."),
                }
            }
            () = expired => {
                token.cancel();
                self.session.feed.status(StatusKind::RunningTools, "a call took too long and was given up", None);
                self.given_up(call, "Timed out: the batch took longer than 420 s.")
            }
        }
    }

    fn context(&self, call: &ToolCall, cancel: CancellationToken) -> ToolContext {
        ToolContext {
            session_id: self.session.id.clone(),
            call_id: call.id.clone(),
            project_dir: self.session.project_dir.clone(),
            talaria_home: self.talaria_home.clone(),
            user_home: self.user_home.clone(),
            environment: Arc::clone(&self.session.environment),
            cancel,
            host: Arc::new(CallDesk::new(Arc::clone(&self.session), call.id.clone())),
            memory: Arc::clone(&self.session.memory),
            limits: self.limits.clone(),
        }
    }

    fn given_up(&self, call: &ToolCall, message: &str) -> ToolOutcome {
        let effects = self.has_effects(call);
        let message = match effects {
            true => format!("{message} It may have had effects; check before you repeat it."),
            false => message.to_owned(),
        };
        ToolOutcome {
            result: error_json(&message),
            body: ToolBody::Empty,
            note: None,
            state: ToolState::Cancelled,
            effect_unknown: effects,
            stop: None,
            unanswered: false,
        }
    }

    fn not_run(&self, call: &ToolCall, message: &str) -> Ran {
        let result = match serde_json::from_str::<serde_json::Value>(message) {
            Ok(serde_json::Value::Object(_)) => message.to_owned(),
            _ => error_json(message),
        };
        let mut view = self.view(call, ToolState::Cancelled);
        view.note = Some(crate::text::shorten(&crate::transcript::error_text(&result), 120));
        Ran {
            message: Message {
                effect_disposition: Some(EffectDisposition::None),
                timestamp: crate::clock::unix_now(),
                ..Message::tool(call, result)
            },
            view,
            stop: None,
        }
    }

    fn has_effects(&self, call: &ToolCall) -> bool {
        self.registry.spec(&call.name).is_some_and(|spec| spec.has_effects)
    }

    fn view(&self, call: &ToolCall, state: ToolState) -> ToolView {
        view_of(&self.registry, call, state)
    }
}

/// A call as it is drawn before it has a result.
pub(crate) fn view_of(registry: &Registry, call: &ToolCall, state: ToolState) -> ToolView {
    let arguments = serde_json::from_str(&call.arguments).unwrap_or(serde_json::Value::Null);
    let title = registry.title(&call.name, &arguments);
    ToolView {
        call_id: call.id.clone(),
        name: call.name.clone(),
        verb: title.verb,
        target: title.target,
        arguments,
        state,
        started_at: None,
        duration_ms: None,
        note: None,
        body: ToolBody::Empty,
        approval: None,
    }
}

/// Tool output must not be able to speak as the person.
fn defuse(result: String) -> String {
    if result.contains(STEER_OPEN) || result.contains(STEER_CLOSE) {
        return result
            .replace(STEER_OPEN, "<quoted_message>")
            .replace(STEER_CLOSE, "</quoted_message>");
    }
    result
}
