//! A client inside the process: typed calls and deliveries without frames, for programs that hold the runtime themselves.

use crate::boot::Runtime;
use std::sync::Arc;
use talaria_bridge::{Delivery, Follower};
use talaria_protocol::{AppError, ApprovalReply, ClarifyReply, ClientId, HelloParams, HelloReply, Methods, RequestId};

/// A connected client. Dropping it disconnects.
pub struct LocalClient {
    runtime: Arc<Runtime>,
    follower: Follower,
}

impl LocalClient {
    /// Connects and greets. `capabilities` names the questions it answers, such as `approval`.
    pub async fn connect(
        runtime: Arc<Runtime>,
        client: &str,
        capabilities: &[&str],
    ) -> Result<(Self, HelloReply), AppError> {
        let follower = runtime.hub().connect();
        let hello = HelloParams {
            protocol: crate::handlers::PROTOCOL.to_owned(),
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
            client: client.to_owned(),
            window_id: None,
            capabilities: capabilities.iter().map(|name| (*name).to_owned()).collect(),
            resume: None,
        };
        let reply = runtime.client_hello(follower.client_id(), hello).await?;
        Ok((Self { runtime, follower }, reply))
    }

    /// Whose calls these are; the first argument of every method.
    pub fn id(&self) -> &ClientId {
        self.follower.client_id()
    }

    /// The runtime, for calls.
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// The next events and questions. Cancel safe.
    pub async fn next(&self) -> Vec<Delivery> {
        self.follower.next().await
    }

    /// What is there without waiting.
    pub fn now(&self) -> Vec<Delivery> {
        self.follower.now()
    }

    /// Answers an approval. Gives whether this was the first answer.
    pub fn answer_approval(&self, id: &RequestId, reply: &ApprovalReply) -> bool {
        self.answer(id, reply)
    }

    /// Answers questions. Gives whether this was the first answer.
    pub fn answer_questions(&self, id: &RequestId, reply: &ClarifyReply) -> bool {
        self.answer(id, reply)
    }

    fn answer(&self, id: &RequestId, reply: &impl serde::Serialize) -> bool {
        match serde_json::value::to_raw_value(reply) {
            Ok(json) => self.runtime.hub().answer(id, Ok(&json)),
            Err(_) => false,
        }
    }
}
