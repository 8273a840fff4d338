//! One kept-alive HTTP client for all turns, and the transport on top of it.

pub(crate) mod answer;
pub(crate) mod classify;
mod http_model;
mod silence;

pub use http_model::HttpModel;

use crate::error::ModelError;
use crate::profile::{ResolvedRoute, SecretLookup, resolve};
use crate::transport::ModelTransport;
use reqwest::redirect;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use talaria_protocol::ModelRoute;

/// How long the transport waits for what. Tests shorten it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timers {
    /// To connect.
    pub connect: Duration,
    /// Without a byte before an answer counts as stale; raised for long prompts.
    pub stale: Duration,
    /// The same for a server on this machine, which may have to load a model first.
    pub stale_local: Duration,
    /// Without a byte before a [`crate::Delta::Quiet`] notice, and between two.
    pub quiet: Duration,
    /// For usage and the end marker once the answer is finished.
    pub tail: Duration,
    /// For the end of the body behind the end marker, so that the connection can be used again.
    pub drain: Duration,
    /// Before the second silent retry; the first comes at once.
    pub retry_pause: Duration,
}

impl Default for Timers {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            stale: Duration::from_secs(180),
            stale_local: Duration::from_secs(900),
            quiet: Duration::from_secs(30),
            tail: Duration::from_secs(10),
            drain: Duration::from_millis(200),
            retry_pause: Duration::from_millis(500),
        }
    }
}

impl Timers {
    /// How long an answer to a prompt of `tokens` may be silent.
    pub(crate) fn stale_for(&self, loopback: bool, tokens: usize) -> Duration {
        if loopback {
            return self.stale_local;
        }
        match tokens {
            100_001.. => self.stale * 5 / 3,
            50_001.. => self.stale * 4 / 3,
            _ => self.stale,
        }
    }
}

/// The connections of all routes. Cheap to make and to clone; nothing is loaded before a route needs it.
#[derive(Clone, Debug, Default)]
pub struct SharedClient {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    timers: Timers,
    /// By encryption (certificates take long to load) and loopback (no proxy applies).
    clients: [OnceLock<reqwest::Client>; 4],
}

impl SharedClient {
    /// A client with the usual timers.
    pub fn new() -> Self {
        Self::default()
    }

    /// A client with other timers.
    pub fn with_timers(timers: Timers) -> Self {
        Self {
            inner: Arc::new(Inner {
                timers,
                ..Inner::default()
            }),
        }
    }

    /// The timers.
    pub fn timers(&self) -> &Timers {
        &self.inner.timers
    }

    /// The HTTP client for a route: one for each kind of route, made when it is first asked for.
    pub(crate) fn http(&self, route: &ResolvedRoute) -> Result<&reqwest::Client, ModelError> {
        self.http_for(route.encrypted(), route.loopback)
    }

    pub(crate) fn http_for(&self, encrypted: bool, loopback: bool) -> Result<&reqwest::Client, ModelError> {
        let cell = &self.inner.clients[usize::from(encrypted) * 2 + usize::from(loopback)];
        if let Some(client) = cell.get() {
            return Ok(client);
        }
        let built = self.build(encrypted, loopback).map_err(|error| ModelError::BadRoute {
            detail: format!(
                "the HTTP client cannot be set up: {}",
                error_chain(&error.without_url())
            ),
        })?;
        Ok(cell.get_or_init(|| built))
    }

    fn build(&self, encrypted: bool, loopback: bool) -> reqwest::Result<reqwest::Client> {
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("talaria/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.inner.timers.connect)
            .tcp_keepalive(Duration::from_secs(30))
            .pool_idle_timeout(Duration::from_secs(300))
            .http2_keep_alive_interval(Duration::from_secs(20))
            .http2_keep_alive_timeout(Duration::from_secs(20))
            .referer(false)
            .redirect(redirect::Policy::custom(same_place));
        if !encrypted {
            builder = builder.tls_certs_only([]);
        }
        if loopback {
            builder = builder.no_proxy();
        }
        builder.build()
    }
}

/// Follows a redirect only where method, body and key stay with the server that was asked.
fn same_place(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
    let same = attempt
        .previous()
        .last()
        .is_some_and(|from| from.origin() == attempt.url().origin());
    if keeps_method && same && attempt.previous().len() <= 3 {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

/// Opens a route of a server.
///
/// # Errors
/// When the route is wrong or a needed key is missing. Nothing is sent yet.
pub fn open_route(
    route: &ModelRoute,
    secrets: SecretLookup<'_>,
    client: &SharedClient,
) -> Result<Arc<dyn ModelTransport>, ModelError> {
    Ok(Arc::new(HttpModel::new(resolve(route, secrets)?, client.clone())))
}

/// The messages of an error and of what caused it, each once.
pub(crate) fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = cause.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
pub(crate) mod tests;
