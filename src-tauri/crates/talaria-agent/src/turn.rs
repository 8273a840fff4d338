//! A turn, step by step (agent.md 4): ask the model, run what it calls, ask again, until there is an answer.

mod ending;

use crate::attempt::{AskOutcome, Attempts};
use crate::batch::{Batch, BatchEnd};
use crate::calls::{self, Checked};
use crate::failure::storage_error;
use crate::feed::{Ended, Tell};
use crate::guardrail::Guardrail;
use crate::history;
use crate::prompt::{STEER_CLOSE, STEER_OPEN};
use crate::record::{Record, TurnRecord};
use crate::shared::{SessionShared, Steer};
use ending::{Answer, Ending};
use std::collections::HashSet;
use std::sync::Arc;
use talaria_model::{ChatRequest, Completion, FinishReason, ModelError, ModelTransport, ToolDefinition, WireMessage};
use talaria_protocol::{
    AppError, Content, ErrorKind, Layer, Message, ModelRoute, StatusKind, ToolCall, TurnId, TurnStatus, Usage,
};
use tokio_util::sync::CancellationToken;

/// Times an empty answer is asked for again without a word.
const MAX_EMPTY_RETRIES: u32 = 3;
/// Times an answer that hit the output limit is continued.
const MAX_CONTINUATIONS: u32 = 3;
/// Times calls that were cut off by the output limit are asked for again, each with a larger cap.
const MAX_CUT_CALL_RETRIES: u32 = 4;
/// Times calls with unreadable arguments are asked for again without a word.
const MAX_BAD_CALL_RETRIES: u32 = 2;
/// Rounds in which the model names only tools that do not exist.
const MAX_UNKNOWN_ROUNDS: u32 = 3;

/// Everything a turn needs, owned by it while it runs.
pub(crate) struct Turn {
    pub id: TurnId,
    pub session: Arc<SessionShared>,
    pub record: Record,
    pub batch: Arc<Batch>,
    pub transport: Arc<dyn ModelTransport>,
    pub route: ModelRoute,
    pub system: Arc<WireMessage>,
    pub tools: Arc<[ToolDefinition]>,
    pub history: Vec<Arc<WireMessage>>,
    pub max_iterations: u32,
    pub max_attempts: u32,
    pub max_tokens: Option<u32>,
    pub cancel: CancellationToken,
}

/// What is left when a turn has ended.
pub(crate) struct TurnEnd {
    pub history: Vec<Arc<WireMessage>>,
    pub status: TurnStatus,
    pub text: String,
    pub error: Option<AppError>,
    pub exit_reason: String,
    pub usage: Usage,
    /// One line for the session list.
    pub preview: String,
    /// Newest row of the session in the store; `None` when the end could not be stored.
    pub newest_row: Option<i64>,
    /// Messages that no tool result could carry; they become the next message.
    pub undelivered: Vec<Steer>,
}

/// Counters and texts that live for one turn.
#[derive(Default)]
struct Progress {
    usage: Usage,
    iterations: u32,
    empty_retries: u32,
    continuations: u32,
    cut_calls: u32,
    bad_calls: u32,
    unknown_rounds: u32,
    nudged: bool,
    tool_ran: bool,
    max_tokens: Option<u32>,
    guardrail: Guardrail,
    /// Ids of all calls of the turn: some servers count them anew in each answer.
    call_ids: HashSet<String>,
    /// Text of earlier parts of an answer that hit the output limit.
    parts: String,
    /// Messages that are sent but never stored: continuations and nudges.
    scaffold: Vec<Arc<WireMessage>>,
}

enum Step {
    Again,
    End(Box<Ending>),
}

impl Turn {
    /// Runs to the end. The person's message is in the history and in the store already.
    pub(crate) async fn run(mut self) -> TurnEnd {
        let mut progress = Progress {
            max_tokens: self.max_tokens,
            ..Progress::default()
        };
        let ending = loop {
            if self.cancel.is_cancelled() {
                break ending::interrupted("interrupted_by_user");
            }
            if progress.iterations >= self.max_iterations {
                break self.wrap_up(&mut progress).await;
            }
            progress.iterations += 1;
            self.deliver_steer().await;
            match self.step(&mut progress).await {
                Step::Again => {}
                Step::End(ending) => break *ending,
            }
        };
        self.finish(ending, progress).await
    }

    async fn step(&mut self, progress: &mut Progress) -> Step {
        let request = self.request(progress, Arc::clone(&self.tools));
        if progress.iterations > 1 || progress.empty_retries > 0 {
            self.session
                .feed
                .status(StatusKind::WaitingForModel, "waiting for the model", None);
        }
        let AskOutcome { result, calls } = self.ask(&request).await;
        progress.usage.api_calls += calls;
        let completion = match result {
            Ok(completion) => completion,
            Err(ModelError::Cancelled) => {
                return Step::End(Box::new(ending::interrupted("interrupted_during_api_call")));
            }
            Err(ModelError::Empty { .. }) => return self.empty_answer(progress),
            Err(error) => return Step::End(Box::new(self.failed(&error))),
        };
        self.account(progress, &completion);
        if completion.finish == FinishReason::ContentFilter {
            return Step::End(Box::new(ending::refused(&self.route, &completion)));
        }
        if !completion.tool_calls.is_empty() {
            return self.tool_calls(progress, completion).await;
        }
        if completion.finish == FinishReason::Length && !completion.text.trim().is_empty() {
            return self.continue_answer(progress, completion);
        }
        if completion.finish == FinishReason::Length && !completion.reasoning.is_empty() {
            return Step::End(Box::new(ending::budget_spent_on_reasoning(&self.route)));
        }
        if completion.text.trim().is_empty() && progress.parts.is_empty() {
            return self.empty_answer(progress);
        }
        Step::End(Box::new(ending::answered(
            std::mem::take(&mut progress.parts),
            completion,
        )))
    }

    fn request(&self, progress: &Progress, tools: Arc<[ToolDefinition]>) -> ChatRequest {
        let mut messages = history::for_request(&self.history);
        messages.extend(progress.scaffold.iter().cloned());
        ChatRequest {
            model: self.route.model.clone(),
            system: Some(Arc::clone(&self.system)),
            messages,
            tools,
            max_tokens: progress.max_tokens,
            temperature: None,
        }
    }

    async fn ask(&self, request: &ChatRequest) -> AskOutcome {
        let attempts = Attempts {
            transport: self.transport.as_ref(),
            feed: &self.session.feed,
            max_attempts: self.max_attempts,
            cancel: &self.cancel,
        };
        attempts.ask(request).await
    }

    fn account(&self, progress: &mut Progress, completion: &Completion) {
        if let Some(usage) = &completion.usage {
            progress.usage.add(&Usage { api_calls: 0, ..*usage });
        }
    }

    /// Nothing visible came: nudge once after tools, then ask again silently, then give up with words.
    fn empty_answer(&mut self, progress: &mut Progress) -> Step {
        self.session.feed.restart_answer();
        if progress.tool_ran && !progress.nudged {
            progress.nudged = true;
            progress.scaffold.push(WireMessage::new(Message::assistant("(empty)")));
            progress.scaffold.push(WireMessage::new(Message::user(
                "You ran tools and then gave an empty answer. Read the results and go on with the task or answer.",
            )));
            return Step::Again;
        }
        if progress.empty_retries < MAX_EMPTY_RETRIES {
            progress.empty_retries += 1;
            return Step::Again;
        }
        Step::End(Box::new(Ending {
            status: TurnStatus::Error,
            text: String::new(),
            error: Some(
                AppError::new(
                    ErrorKind::Model,
                    Layer::Model,
                    "error.model.empty",
                    format!(
                        "{} gave an empty answer {} times",
                        self.route.model,
                        MAX_EMPTY_RETRIES + 1
                    ),
                )
                .with_hint("Send the message again, or choose another model.")
                .with_value("model", self.route.model.clone())
                .retryable(),
            ),
            exit_reason: "empty_response_exhausted".to_owned(),
            reasoning: Answer::default(),
        }))
    }

    /// The output limit or a cut stream ended the text: keep it and ask for the rest.
    fn continue_answer(&mut self, progress: &mut Progress, completion: Completion) -> Step {
        progress.parts.push_str(&completion.text);
        if progress.continuations >= MAX_CONTINUATIONS {
            let exit = format!("partial_after_{MAX_CONTINUATIONS}_continuations");
            let text = std::mem::take(&mut progress.parts);
            return Step::End(Box::new(Ending {
                status: TurnStatus::Complete,
                text,
                error: None,
                exit_reason: exit,
                reasoning: Answer {
                    finish: Some("length"),
                    ..Answer::default()
                },
            }));
        }
        progress.continuations += 1;
        if !completion.cut_off {
            progress.max_tokens = Some(ending::boosted(progress.max_tokens, progress.continuations));
        }
        let ask = match completion.cut_off {
            true => {
                "The connection broke in the middle of your answer. Go on exactly where it stopped, without repeating anything."
            }
            false => {
                "Your answer reached the output limit. Go on exactly where it stopped, without repeating anything."
            }
        };
        progress
            .scaffold
            .push(WireMessage::new(Message::assistant(completion.text)));
        progress.scaffold.push(WireMessage::new(Message::user(ask)));
        Step::Again
    }

    async fn tool_calls(&mut self, progress: &mut Progress, completion: Completion) -> Step {
        let cut = completion.finish == FinishReason::Length || completion.cut_off;
        let broken = completion.tool_calls.iter().any(|call| !call.valid);
        if cut && broken {
            // A call whose arguments were cut off must not run with what is there.
            if progress.cut_calls >= MAX_CUT_CALL_RETRIES {
                return Step::End(Box::new(ending::calls_cut_off(&self.route)));
            }
            progress.cut_calls += 1;
            progress.max_tokens = Some(ending::boosted(progress.max_tokens, progress.cut_calls));
            self.session.feed.restart_answer();
            return Step::Again;
        }
        if broken && progress.bad_calls < MAX_BAD_CALL_RETRIES {
            progress.bad_calls += 1;
            self.session.feed.restart_answer();
            return Step::Again;
        }
        let checked = calls::check(&self.tools, completion.tool_calls, &mut progress.call_ids);
        if checked.iter().all(|call| matches!(call, Checked::Unknown { .. })) {
            progress.unknown_rounds += 1;
        } else {
            progress.unknown_rounds = 0;
        }
        let give_up = progress.unknown_rounds >= MAX_UNKNOWN_ROUNDS;

        let tool_calls: Vec<ToolCall> = checked.iter().map(|call| call.call().clone()).collect();
        let text = std::mem::take(&mut progress.parts) + &completion.text;
        progress.scaffold.clear();
        self.session.feed.finish_answer(&text, Tell::Always);
        let message = Message {
            content: (!text.is_empty()).then_some(Content::Text(text)),
            tool_calls,
            reasoning: (!completion.reasoning.is_empty()).then_some(completion.reasoning),
            reasoning_content: completion.reasoning_content,
            reasoning_details: completion.reasoning_details,
            finish_reason: Some(completion.finish.as_str().to_owned()),
            timestamp: crate::clock::unix_now(),
            ..Message::assistant("")
        };
        self.history.push(WireMessage::new(message.clone()));
        self.record.assistant(
            message,
            std::mem::take(&mut progress.usage),
            self.session.feed.take_reasoning_ms(),
        );
        let BatchEnd { results, stop } = self
            .batch
            .run(checked, &mut self.record, &mut progress.guardrail, &self.cancel)
            .await;
        progress.tool_ran = true;
        progress.nudged = false;
        self.history.extend(results.into_iter().map(WireMessage::new));
        if let Some(error) = stop {
            return Step::End(Box::new(Ending {
                status: TurnStatus::Error,
                text: String::new(),
                error: Some(error),
                exit_reason: "local_processing_error".to_owned(),
                reasoning: Answer::default(),
            }));
        }
        if self.cancel.is_cancelled() {
            return Step::End(Box::new(ending::interrupted("interrupted_by_user")));
        }
        if give_up {
            return Step::End(Box::new(ending::only_unknown_tools(&self.route)));
        }
        Step::Again
    }

    /// Gives what the person added to the newest tool result. Without one it waits.
    async fn deliver_steer(&mut self) {
        if !self.session.has_steer() {
            return;
        }
        let Some(last) = self
            .history
            .last_mut()
            .filter(|last| last.message.role == talaria_protocol::Role::Tool)
        else {
            return;
        };
        let steer = self.session.take_steer();
        let mut message = last.message.clone();
        // The result itself stays as it was; what the model is sent of it carries the message.
        let mut text = message.api_content.take().unwrap_or_else(|| message.content_text());
        for entry in &steer {
            text.push_str(&format!("\n\n{STEER_OPEN}\n{}\n{STEER_CLOSE}", entry.text));
        }
        message.api_content = Some(text.clone());
        *last = WireMessage::new(message);
        let at = crate::clock::unix_now();
        self.record.steered(&steer, text, at);
        for entry in &steer {
            self.session.feed.steered(&entry.text, at);
        }
    }

    /// The budget is spent: one more call without tools, for a summary.
    async fn wrap_up(&mut self, progress: &mut Progress) -> Ending {
        progress.scaffold.clear();
        progress.scaffold.push(WireMessage::new(Message::user(
            "The limit of steps for this turn is reached. Do not call tools. Say what was done, what is left, and what you would do next.",
        )));
        let exit = format!(
            "max_iterations_reached({}/{})",
            progress.iterations, self.max_iterations
        );
        for _ in 0..2 {
            let request = self.request(progress, Arc::from(Vec::new()));
            let AskOutcome { result, calls } = self.ask(&request).await;
            progress.usage.api_calls += calls;
            match result {
                Ok(completion) => {
                    self.account(progress, &completion);
                    if completion.text.trim().is_empty() {
                        continue;
                    }
                    let mut ending = ending::answered(std::mem::take(&mut progress.parts), completion);
                    ending.exit_reason = exit;
                    return ending;
                }
                Err(ModelError::Cancelled) => return ending::interrupted("interrupted_during_api_call"),
                Err(ModelError::Empty { .. }) => {}
                Err(error) => return self.failed(&error),
            }
        }
        Ending {
            status: TurnStatus::Error,
            text: String::new(),
            error: Some(
                AppError::new(
                    ErrorKind::Model,
                    Layer::Runtime,
                    "error.turn.limit",
                    format!("the turn reached its limit of {} steps", self.max_iterations),
                )
                .with_hint("Send “go on” to continue, or raise agent.max_turns.")
                .with_value("limit", self.max_iterations.to_string())
                .retryable(),
            ),
            exit_reason: exit,
            reasoning: Answer::default(),
        }
    }

    fn failed(&self, error: &ModelError) -> Ending {
        tracing::info!(%error, "the turn failed");
        Ending {
            status: TurnStatus::Error,
            text: String::new(),
            error: Some(error.to_app_error()),
            exit_reason: match error.retryable() {
                true => "all_retries_exhausted_no_response".to_owned(),
                false => "model_error".to_owned(),
            },
            reasoning: Answer::default(),
        }
    }

    /// Records the end: the answer (or what was shown of it), tokens and the lease, in one step.
    async fn finish(mut self, ending: Ending, mut progress: Progress) -> TurnEnd {
        let Ending {
            status,
            mut text,
            mut error,
            mut exit_reason,
            reasoning,
        } = ending;
        let feed = Arc::clone(&self.session.feed);
        if status != TurnStatus::Complete {
            // What was shown of an unfinished answer is kept as the answer.
            let shown = feed.open_text();
            text = std::mem::take(&mut progress.parts);
            if !shown.is_empty() && !text.ends_with(&shown) {
                text.push_str(&shown);
            }
        }
        let mut row_id = None;
        let mut message = None;
        if !text.is_empty() {
            row_id = feed.finish_answer(&text, Tell::IfChanged);
            message = Some(Message {
                reasoning: reasoning.reasoning,
                reasoning_content: reasoning.reasoning_content,
                reasoning_details: reasoning.reasoning_details,
                finish_reason: reasoning.finish.map(str::to_owned),
                timestamp: crate::clock::unix_now(),
                ..Message::assistant(text.clone())
            });
        } else {
            feed.finish_answer("", Tell::IfChanged);
            let ends_with_tool = self
                .history
                .last()
                .is_some_and(|last| last.message.role == talaria_protocol::Role::Tool);
            if ends_with_tool {
                // Roles must alternate: the next message of the person follows an assistant turn.
                message = Some(Message {
                    finish_reason: Some(history::CLOSED.to_owned()),
                    timestamp: crate::clock::unix_now(),
                    ..Message::assistant(history::unfinished_note(status))
                });
            }
        }
        if let Some(message) = &message {
            self.history.push(WireMessage::new(message.clone()));
        }
        let at = crate::clock::unix_now();
        let mut rows = Vec::new();
        if status == TurnStatus::Interrupted {
            rows.push(feed.notice("notice.turn.interrupted", "Stopped by you.", Default::default(), at));
        }
        if let Some(error) = &error {
            rows.extend(feed.error(error, at));
        }
        let end = TurnRecord {
            message,
            rows,
            usage: progress.usage,
            reasoning_ms: feed.take_reasoning_ms(),
            last_line: ending::preview(&text, error.as_ref(), status),
        };
        let newest_row = match self.record.end_turn(end).await {
            Ok(row) => Some(row),
            Err(failure) => {
                tracing::error!(%failure, "the end of the turn could not be stored");
                let failure = storage_error(&failure);
                feed.error(&failure, at);
                if error.is_none() {
                    exit_reason = "storage_error".to_owned();
                    error = Some(failure);
                }
                None
            }
        };
        let usage = self.record.turn_usage();
        TurnEnd {
            preview: ending::preview(&text, error.as_ref(), status),
            history: self.history,
            status: if error.is_some() { TurnStatus::Error } else { status },
            text,
            error,
            exit_reason,
            usage,
            newest_row,
            undelivered: self.session.take_steer(),
        }
        .with_row(row_id, &self.id, &feed)
    }
}

impl TurnEnd {
    fn with_row(self, row_id: Option<String>, turn_id: &TurnId, feed: &crate::feed::Feed) -> Self {
        let ended = Ended {
            status: self.status,
            text: self.text.clone(),
            row_id,
            usage: self.usage,
            error: self.error.clone(),
            exit_reason: self.exit_reason.clone(),
        };
        feed.complete(turn_id, ended);
        self
    }
}
