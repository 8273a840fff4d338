//! A server behind HTTP as a [`ModelTransport`]: one ask with the reconnects of agent.md 7.

use super::answer::{Form, capped_body, headers, send_error, wrong_page};
use super::classify::{FailedAnswer, Unsupported, classify, classify_reported, unsupported};
use super::silence::{Silence, Silent};
use super::{SharedClient, error_chain};
use crate::error::ModelError;
use crate::profile::{CapKey, ResolvedRoute};
use crate::transport::{ChatRequest, Completion, Delta, DeltaSink, ModelTransport, ToolDefinition};
use crate::wire::chat::{ChatStyle, body, rough_tokens, tools_json};
use crate::wire::chat_stream::{ChatAssembler, StreamFault};
use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use reqwest::header::{HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use serde_json::value::RawValue;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio_util::sync::CancellationToken;

/// Turns that the connection's task gets after an answer.
const HAND_BACK_TURNS: usize = 3;
/// Reconnects inside one ask.
const MAX_RECONNECTS: u32 = 2;
/// Features that are given up one after the other at most.
const MAX_ADAPTATIONS: u32 = 3;
const MAX_WHOLE_BODY: usize = 64 * 1024 * 1024;
/// Deltas of many small reads that are ready at once are handed on together, up to this much.
const FLUSH_AFTER: usize = 64 * 1024;

type ToolsMemory = Option<(Arc<[ToolDefinition]>, Option<Arc<RawValue>>)>;

/// A route to a server. Remembers what the server turned out not to support.
pub struct HttpModel {
    route: ResolvedRoute,
    client: SharedClient,
    headers: HeaderMap,
    whole_answers: AtomicBool,
    no_stream_usage: AtomicBool,
    other_cap_key: AtomicBool,
    tools: Mutex<ToolsMemory>,
}

impl std::fmt::Debug for HttpModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpModel")
            .field("route", &self.route)
            .finish_non_exhaustive()
    }
}

/// How one request went.
enum Attempt {
    Done(Completion),
    Failed(ModelError),
    /// The server objects to a feature, which is off now.
    Adapted(ModelError),
    /// The connection broke or the answer was cut.
    Broken(Break),
}

struct Break {
    error: ModelError,
    /// What can be kept if nothing better comes.
    partial: Option<Completion>,
    shown: Shown,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Nothing,
    TextOnly,
    /// Reasoning or a call: not worth keeping, so it is asked for again.
    Other,
}

impl HttpModel {
    /// A transport to the server of `route`.
    pub fn new(route: ResolvedRoute, client: SharedClient) -> Self {
        let headers = headers(&route);
        Self {
            route,
            client,
            headers,
            whole_answers: AtomicBool::new(false),
            no_stream_usage: AtomicBool::new(false),
            other_cap_key: AtomicBool::new(false),
            tools: Mutex::new(None),
        }
    }

    /// The route.
    pub fn route(&self) -> &ResolvedRoute {
        &self.route
    }

    async fn attempts(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<Completion, ModelError> {
        let mut reconnects = 0;
        let mut adaptations = 0;
        loop {
            let broken = match self.attempt(request, sink).await {
                Attempt::Done(completion) => return Ok(completion),
                Attempt::Failed(error) => return Err(error),
                Attempt::Adapted(_) if adaptations < MAX_ADAPTATIONS => {
                    adaptations += 1;
                    continue;
                }
                Attempt::Adapted(error) => return Err(error),
                Attempt::Broken(broken) => broken,
            };
            if reconnects == MAX_RECONNECTS || broken.shown == Shown::TextOnly {
                return broken.partial.ok_or(broken.error);
            }
            reconnects += 1;
            tracing::debug!(host = %self.route.host, error = %broken.error, reconnects, "asking again");
            if broken.shown == Shown::Other {
                sink.delta(Delta::Reconnecting {
                    attempt: reconnects + 1,
                    restart: true,
                });
                sink.delta(Delta::Flush);
            }
            if reconnects > 1 {
                tokio::time::sleep(self.client.timers().retry_pause).await;
            }
        }
    }

    async fn attempt(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Attempt {
        let tools = self.tools_json(&request.tools);
        let style = self.style();
        let body = Bytes::from(body(request, tools.as_deref(), style));
        let timers = self.client.timers();
        let stale = timers.stale_for(self.route.loopback, rough_tokens(&body));
        let mut silence = Silence::new(timers.quiet, stale);
        let http = match self.client.http(&self.route) {
            Ok(http) => http,
            Err(error) => return Attempt::Failed(error),
        };
        let send = http
            .post(self.route.url("/chat/completions"))
            .headers(self.headers.clone())
            .body(body)
            .send();
        let response = match silence.wait(send, sink).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return self.send_failed(error),
            Err(silent) => return broken_before(self.stale(silent)),
        };
        if !response.status().is_success() {
            return self.refused(response, style).await;
        }
        self.read(response, silence, sink).await
    }

    fn style(&self) -> ChatStyle {
        let other = self.other_cap_key.load(Ordering::Relaxed);
        let cap_key = match (self.route.cap_key, other) {
            (CapKey::MaxTokens, false) | (CapKey::MaxCompletionTokens, true) => CapKey::MaxTokens,
            (CapKey::MaxTokens, true) | (CapKey::MaxCompletionTokens, false) => CapKey::MaxCompletionTokens,
        };
        ChatStyle {
            cap_key,
            reasoning_echo: self.route.reasoning_echo,
            stream: !self.whole_answers.load(Ordering::Relaxed),
            stream_usage: !self.no_stream_usage.load(Ordering::Relaxed),
        }
    }

    /// The wire form of the tools, made anew only for another set.
    fn tools_json(&self, tools: &Arc<[ToolDefinition]>) -> Option<Arc<RawValue>> {
        let mut memory = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        match &*memory {
            Some((known, json)) if Arc::ptr_eq(known, tools) => json.clone(),
            _ => {
                let json: Option<Arc<RawValue>> = tools_json(tools).map(Arc::from);
                *memory = Some((Arc::clone(tools), json.clone()));
                json
            }
        }
    }

    fn stale(&self, silent: Silent) -> ModelError {
        ModelError::Stale {
            host: self.route.host.clone(),
            silent: silent.0,
        }
    }

    fn send_failed(&self, error: reqwest::Error) -> Attempt {
        match send_error(&self.route, error) {
            error @ ModelError::Interrupted { .. } => broken_before(error),
            // Whoever cannot be reached now is not there a moment later either; the caller waits longer.
            error => Attempt::Failed(error),
        }
    }

    async fn refused(&self, response: reqwest::Response, style: ChatStyle) -> Attempt {
        let status = response.status().as_u16();
        let header = |name| {
            response
                .headers()
                .get(name)
                .and_then(|value: &HeaderValue| value.to_str().ok())
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let retry_after = header(RETRY_AFTER).and_then(|text| crate::retry::retry_after(text, now));
        let location = header(LOCATION).map(str::to_owned);
        let body = capped_body(response).await;
        let answer = FailedAnswer {
            status,
            retry_after,
            location: location.as_deref(),
            body: &body,
        };
        let error = classify(answer, &self.route);
        let flag = match unsupported(status, &body) {
            Some(Unsupported::Streaming) if style.stream => &self.whole_answers,
            Some(Unsupported::StreamUsage) if style.stream && style.stream_usage => &self.no_stream_usage,
            Some(Unsupported::CapKey) if matches!(error, ModelError::Rejected { .. }) => &self.other_cap_key,
            _ => return Attempt::Failed(error),
        };
        match flag.swap(true, Ordering::Relaxed) {
            true => Attempt::Failed(error),
            false => Attempt::Adapted(error),
        }
    }

    async fn read(&self, mut response: reqwest::Response, mut silence: Silence, sink: &mut dyn DeltaSink) -> Attempt {
        let mut form = Form::Unknown;
        let mut start = Vec::new();
        let mut assembler = ChatAssembler::default();
        let mut unflushed = 0;
        let broken = loop {
            let read = match response.chunk().now_or_never() {
                Some(read) if unflushed < FLUSH_AFTER => read,
                ready => {
                    if std::mem::take(&mut unflushed) > 0 {
                        sink.delta(Delta::Flush);
                    }
                    match ready {
                        Some(read) => read,
                        None => match silence.wait(response.chunk(), sink).await {
                            Ok(read) => read,
                            Err(silent) => break Some(self.stale(silent)),
                        },
                    }
                }
            };
            let bytes = match read {
                Ok(Some(bytes)) => bytes,
                Ok(None) => break None,
                Err(error) => break Some(self.interrupted(error)),
            };
            unflushed += bytes.len();
            if matches!(form, Form::Unknown | Form::Whole) {
                start.extend_from_slice(&bytes);
            }
            if form == Form::Unknown {
                form = Form::of_start(&start, response.headers());
            }
            let pushed = match form {
                Form::Unknown => Ok(()),
                Form::Page => return Attempt::Failed(self.wrong_page(&start)),
                Form::Whole => {
                    if start.len() > MAX_WHOLE_BODY {
                        return Attempt::Failed(self.wrong_protocol("the answer is longer than 64 MiB"));
                    }
                    Ok(())
                }
                Form::Events if start.is_empty() => assembler.push(&bytes, sink),
                Form::Events => assembler.push(&std::mem::take(&mut start), sink),
            };
            if let Err(fault) = pushed {
                sink.delta(Delta::Flush);
                return self.faulty(fault, assembler, sink);
            }
            let progress = assembler.progress();
            if progress.done {
                sink.delta(Delta::Flush);
                self.drain(response).await;
                break None;
            }
            if progress.finished {
                silence.shorten(self.client.timers().tail);
            }
        };
        if form == Form::Whole && broken.is_none() {
            self.whole_answers.store(true, Ordering::Relaxed);
            if let Err(fault) = assembler.push_whole(&start, sink) {
                return match fault {
                    StreamFault::Malformed { detail } => Attempt::Failed(self.wrong_protocol(&detail)),
                    fault => self.faulty(fault, assembler, sink),
                };
            }
        }
        if form == Form::Unknown && broken.is_none() && !start.trim_ascii().is_empty() {
            return Attempt::Failed(self.wrong_page(&start));
        }
        self.end(assembler, broken, sink)
    }

    /// The body has ended, or the connection broke with `broken`.
    fn end(&self, assembler: ChatAssembler, broken: Option<ModelError>, sink: &mut dyn DeltaSink) -> Attempt {
        let progress = assembler.progress();
        let result = assembler.finish(sink);
        sink.delta(Delta::Flush);
        let cut = || ModelError::Interrupted {
            host: self.route.host.clone(),
            detail: "the server closed the connection in the middle of the answer".to_owned(),
        };
        match result {
            Ok(completion) if progress.finished || progress.done => Attempt::Done(completion),
            // Complete calls without an end are run; after a broken connection more might have followed.
            Ok(completion) if broken.is_none() && !completion.cut_off => Attempt::Done(completion),
            Ok(mut completion) => {
                completion.cut_off = true;
                completion.finish = crate::transport::FinishReason::Length;
                let shown = match (progress.text, progress.calls || completion.text.is_empty()) {
                    (true, false) => Shown::TextOnly,
                    _ => Shown::Other,
                };
                let keep = !completion.text.is_empty() || !completion.tool_calls.is_empty();
                Attempt::Broken(Break {
                    error: broken.unwrap_or_else(cut),
                    partial: keep.then_some(completion),
                    shown,
                })
            }
            Err(StreamFault::Nothing { done: true }) => broken_before(ModelError::Empty {
                host: self.route.host.clone(),
            }),
            Err(StreamFault::Nothing { done: false }) => broken_before(broken.unwrap_or_else(cut)),
            Err(StreamFault::Reported { code, detail }) => {
                Attempt::Failed(classify_reported(code, detail, &self.route))
            }
            Err(StreamFault::Malformed { detail }) => broken_before(self.wrong_protocol(&detail)),
        }
    }

    /// The stream holds an error, or what cannot be read.
    fn faulty(&self, fault: StreamFault, assembler: ChatAssembler, sink: &mut dyn DeltaSink) -> Attempt {
        let progress = assembler.progress();
        match fault {
            StreamFault::Malformed { detail } if progress.text || progress.reasoning || progress.calls => {
                let error = ModelError::Interrupted {
                    host: self.route.host.clone(),
                    detail: self.route.tidy(&detail),
                };
                self.end(assembler.without_fault(), Some(error), sink)
            }
            StreamFault::Malformed { detail } => broken_before(self.wrong_protocol(&detail)),
            StreamFault::Reported { code, detail } => Attempt::Failed(classify_reported(code, detail, &self.route)),
            StreamFault::Nothing { .. } => self.end(assembler, None, sink),
        }
    }

    /// Reads on behind the end marker: only a body that was read to its end frees the connection for the next turn.
    async fn drain(&self, mut response: reqwest::Response) {
        let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
        if tokio::time::timeout(self.client.timers().drain, rest).await.is_ok() {
            // The connection's own task hands it back to the pool after the last byte. Without giving it its turn, the
            // next request may come first and open a second connection.
            for _ in 0..HAND_BACK_TURNS {
                tokio::task::yield_now().await;
            }
        }
    }

    fn interrupted(&self, error: reqwest::Error) -> ModelError {
        let detail = error_chain(&error.without_url());
        ModelError::Interrupted {
            host: self.route.host.clone(),
            detail: self.route.tidy(&detail),
        }
    }

    fn wrong_protocol(&self, detail: &str) -> ModelError {
        ModelError::WrongProtocol {
            url: self.route.base.clone(),
            detail: self.route.tidy(detail),
        }
    }

    fn wrong_page(&self, start: &[u8]) -> ModelError {
        wrong_page(&self.route, start)
    }
}

impl ModelTransport for HttpModel {
    fn ask<'a>(
        &'a self,
        request: &'a ChatRequest,
        sink: &'a mut dyn DeltaSink,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Completion, ModelError>> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(ModelError::Cancelled),
                answer = self.attempts(request, sink) => answer,
            }
        })
    }
}

fn broken_before(error: ModelError) -> Attempt {
    Attempt::Broken(Break {
        error,
        partial: None,
        shown: Shown::Nothing,
    })
}
