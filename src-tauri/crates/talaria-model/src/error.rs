//! Why a model call failed, by what a caller can do about it (agent.md 8.1).

use std::time::Duration;

/// A failed model call.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The caller cancelled.
    #[error("the model call was cancelled")]
    Cancelled,
    /// The vendor needs a key and none was found.
    #[error("there is no API key for {host}")]
    NoKey {
        /// Host that would have been asked.
        host: String,
        /// Variable that should hold the key.
        key_env: Option<String>,
    },
    /// The route itself is wrong: an unknown provider, no address.
    #[error("the model's route is wrong: {detail}")]
    BadRoute {
        /// What is wrong.
        detail: String,
    },
    /// No key, a wrong key, or a key without the right (401, 403).
    #[error("{host} rejected the API key")]
    Unauthorized {
        /// Host that refused.
        host: String,
        /// Variable that holds the key, if one is set for the route.
        key_env: Option<String>,
        /// What the server said.
        detail: String,
    },
    /// No credit or quota left (402 and phrases).
    #[error("{host} reports that the account has no credit left")]
    Billing {
        /// Host that refused.
        host: String,
        /// What the server said.
        detail: String,
    },
    /// Too many requests (429).
    #[error("{host} limits the rate")]
    RateLimited {
        /// Host.
        host: String,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
        /// What the server said.
        detail: String,
    },
    /// The server is overloaded or failed (5xx, 529).
    #[error("{host} failed with status {status}")]
    Server {
        /// Host.
        host: String,
        /// HTTP status.
        status: u16,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
        /// What the server said.
        detail: String,
    },
    /// The address cannot be reached: name, connection, TLS.
    #[error("{url} cannot be reached: {detail}")]
    Unreachable {
        /// Address.
        url: String,
        /// What failed.
        detail: String,
        /// Whether a certificate was refused.
        certificate: bool,
    },
    /// The server answered something that is not the protocol: HTML, another API.
    #[error("{url} does not speak Chat Completions: {detail}")]
    WrongProtocol {
        /// Address.
        url: String,
        /// What came instead.
        detail: String,
    },
    /// No such model (404 and phrases).
    #[error("{host} has no model {model}")]
    ModelNotFound {
        /// Host.
        host: String,
        /// Model.
        model: String,
        /// What the server said.
        detail: String,
    },
    /// The conversation does not fit the window.
    #[error("the conversation does not fit the window of {model}")]
    ContextOverflow {
        /// Model.
        model: String,
        /// What the server said.
        detail: String,
    },
    /// The provider refuses the content.
    #[error("{host} refused the request by its content policy")]
    Refused {
        /// Host.
        host: String,
        /// What the server said.
        detail: String,
    },
    /// The request is malformed in the server's eyes (other 4xx).
    #[error("{host} rejected the request with status {status}")]
    Rejected {
        /// Host.
        host: String,
        /// HTTP status.
        status: u16,
        /// What the server said.
        detail: String,
    },
    /// The stream reported an error event.
    #[error("the answer of {host} ended with an error: {detail}")]
    StreamError {
        /// Host.
        host: String,
        /// The provider's code, or its type if there is no code.
        code: String,
        /// What the server said.
        detail: String,
    },
    /// The stream broke off before anything usable came, also after reconnects.
    #[error("the stream from {host} ended early")]
    Interrupted {
        /// Host.
        host: String,
        /// What failed.
        detail: String,
    },
    /// Nothing came for too long.
    #[error("{host} sent nothing for {silent:?}")]
    Stale {
        /// Host.
        host: String,
        /// How long it was silent.
        silent: Duration,
    },
    /// The answer is empty: no text, no call.
    #[error("{host} gave an empty answer")]
    Empty {
        /// Host.
        host: String,
    },
}

impl ModelError {
    /// Whether the same request may work when it is sent again after a pause.
    pub fn retryable(&self) -> bool {
        match self {
            ModelError::RateLimited { .. }
            | ModelError::Server { .. }
            | ModelError::StreamError { .. }
            | ModelError::Interrupted { .. }
            | ModelError::Stale { .. }
            | ModelError::Empty { .. } => true,
            ModelError::Unreachable { certificate, .. } => !certificate,
            ModelError::Cancelled
            | ModelError::NoKey { .. }
            | ModelError::BadRoute { .. }
            | ModelError::Unauthorized { .. }
            | ModelError::Billing { .. }
            | ModelError::WrongProtocol { .. }
            | ModelError::ModelNotFound { .. }
            | ModelError::ContextOverflow { .. }
            | ModelError::Refused { .. }
            | ModelError::Rejected { .. } => false,
        }
    }
}

mod person;
