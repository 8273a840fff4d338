//! The connection test: key, address, protocol, model, first words.

use super::list_of;
use crate::client::{HttpModel, SharedClient};
use crate::error::ModelError;
use crate::profile::{KeyNeed, ResolvedRoute, SecretLookup, resolve_without_key};
use crate::transport::{ChatRequest, Delta, ModelTransport, WireMessage};
use std::time::{Duration, Instant};
use talaria_protocol::{AppError, Message, ModelInfo, ModelRoute, TestLeg, TestLegState};
use tokio_util::sync::CancellationToken;

const LEGS: [&str; 5] = ["key", "reach", "protocol", "model", "answer"];
/// Time for the first words; a local server may have to load its model.
const ANSWER_TIME: Duration = Duration::from_secs(60);
const ANSWER_TOKENS: u32 = 64;

/// Tests a route leg by leg. The error is that of the leg that failed.
pub async fn test_route(
    route: &ModelRoute,
    secrets: SecretLookup<'_>,
    client: &SharedClient,
    cancel: &CancellationToken,
) -> (Vec<TestLeg>, Option<AppError>) {
    let mut legs = Legs::default();
    let error = legs.run(route, secrets, client, cancel).await.err();
    (legs.finish(), error.map(|error| error.to_app_error()))
}

#[derive(Default)]
struct Legs {
    done: Vec<TestLeg>,
}

impl Legs {
    async fn run(
        &mut self,
        route: &ModelRoute,
        secrets: SecretLookup<'_>,
        client: &SharedClient,
        cancel: &CancellationToken,
    ) -> Result<(), ModelError> {
        let started = Instant::now();
        let to = match resolve_without_key(route, secrets) {
            Ok(to) => to,
            Err(error) => return self.fail("key", started, error),
        };
        match (to.has_key(), to.profile.key) {
            (false, KeyNeed::Required) => {
                let error = ModelError::NoKey {
                    host: to.host.clone(),
                    key_env: to.key_env.clone(),
                };
                return self.fail("key", started, error);
            }
            (false, KeyNeed::Optional) => self.pass("key", started, "none is set, none may be needed".to_owned()),
            (true, _) => self.pass(
                "key",
                started,
                format!("found in {}", to.key_env.as_deref().unwrap_or("?")),
            ),
        }
        let started = Instant::now();
        let listed = tokio::select! {
            () = cancel.cancelled() => Err(ModelError::Cancelled),
            listed = list_of(&to, client) => listed,
        };
        self.listed(&to, started, listed)?;
        self.answered(&to, client, cancel).await
    }

    /// What the list of models tells about address, protocol, key and model.
    fn listed(
        &mut self,
        to: &ResolvedRoute,
        started: Instant,
        listed: Result<Vec<ModelInfo>, ModelError>,
    ) -> Result<(), ModelError> {
        let models = match listed {
            Ok(models) => models,
            Err(error @ (ModelError::Cancelled | ModelError::Unreachable { .. } | ModelError::Stale { .. })) => {
                return self.fail("reach", started, error);
            }
            Err(error @ ModelError::Unauthorized { .. }) => {
                self.done.clear();
                return self.fail("key", started, error);
            }
            // A web page or another protocol is wrong; a server without a list may still answer.
            Err(error @ ModelError::WrongProtocol { .. }) if error.to_string().contains("web page") => {
                self.pass("reach", started, to.host.clone());
                return self.fail("protocol", started, error);
            }
            Err(error) => {
                self.pass("reach", started, to.host.clone());
                self.pass("protocol", started, format!("no list of models: {error}"));
                self.pass("model", started, format!("{} is tried without a list", to.route.model));
                return Ok(());
            }
        };
        self.pass("reach", started, to.host.clone());
        self.pass("protocol", started, format!("lists {} models", models.len()));
        let wanted = to.route.model.as_str();
        let found = models.iter().any(|model| model.route.model == wanted);
        // Routers accept names that they do not list, such as aliases; the answer decides.
        let detail = if found {
            format!("{wanted} is listed")
        } else {
            format!("{wanted} is not listed, it is tried")
        };
        self.pass("model", started, detail);
        Ok(())
    }

    async fn answered(
        &mut self,
        to: &ResolvedRoute,
        client: &SharedClient,
        cancel: &CancellationToken,
    ) -> Result<(), ModelError> {
        let started = Instant::now();
        let request = ChatRequest {
            model: to.route.model.clone(),
            system: None,
            messages: vec![WireMessage::new(Message::user("Answer with the one word: ready"))],
            tools: Vec::new().into(),
            max_tokens: Some(ANSWER_TOKENS),
            temperature: None,
        };
        let model = HttpModel::new(to.clone(), client.clone());
        let mut sink = |_: Delta<'_>| {};
        let answer = tokio::time::timeout(ANSWER_TIME, model.ask(&request, &mut sink, cancel)).await;
        let late = || {
            Err(ModelError::Stale {
                host: to.host.clone(),
                silent: ANSWER_TIME,
            })
        };
        match answer.unwrap_or_else(|_| late()) {
            Ok(completion) => {
                let words: String = completion.text.trim().chars().take(60).collect();
                let detail = if words.is_empty() {
                    "it answered without text".to_owned()
                } else {
                    format!("{words:?}")
                };
                self.pass("answer", started, detail);
                Ok(())
            }
            Err(error) => {
                let leg = match error {
                    ModelError::Unauthorized { .. } => "key",
                    ModelError::Unreachable { .. } => "reach",
                    ModelError::WrongProtocol { .. } => "protocol",
                    ModelError::ModelNotFound { .. } => "model",
                    _ => "answer",
                };
                let keep = LEGS.iter().position(|name| *name == leg).unwrap_or(LEGS.len());
                self.done.truncate(keep);
                self.fail(leg, started, error)
            }
        }
    }

    fn pass(&mut self, name: &str, started: Instant, detail: String) {
        self.push(name, TestLegState::Done, started, detail);
    }

    fn fail(&mut self, name: &str, started: Instant, error: ModelError) -> Result<(), ModelError> {
        self.push(name, TestLegState::Failed, started, error.to_app_error().message);
        Err(error)
    }

    fn push(&mut self, name: &str, state: TestLegState, started: Instant, detail: String) {
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.done.push(TestLeg {
            name: name.to_owned(),
            state,
            detail,
            duration_ms,
        });
    }

    /// All legs; those behind a failure were not tried.
    fn finish(mut self) -> Vec<TestLeg> {
        for name in &LEGS[self.done.len().min(LEGS.len())..] {
            self.done.push(TestLeg {
                name: (*name).to_owned(),
                state: TestLegState::Skipped,
                detail: String::new(),
                duration_ms: 0,
            });
        }
        self.done
    }
}
