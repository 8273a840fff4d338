//! Questions of the core. An id each, the first answer wins, and whatever is not a clear answer is none.

use crate::hub::Hub;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use talaria_protocol::{
    ApprovalChoice, ApprovalReply, ClarifyReply, CoreEvent, OpenRequest, RequestCancelReason, RequestId, ServerRequest,
    SessionId,
};
use tokio::sync::oneshot;

/// How long a question outlives the last surface, so that a reload or a reconnect does not answer it.
const SURFACE_GRACE: Duration = Duration::from_secs(10);

/// How a question ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Somebody answered an approval. Malformed answers arrive here as a denial.
    Approval(ApprovalReply),
    /// Somebody answered questions. Malformed answers arrive here as dismissed.
    Clarify(ClarifyReply),
    /// Nobody could be asked, or nobody was left to answer.
    Nobody,
    /// Nobody answered within the time that was set.
    TimedOut,
    /// The question was withdrawn.
    Withdrawn(RequestCancelReason),
}

#[derive(Debug)]
pub(crate) struct OpenAsk {
    pub(crate) open: OpenRequest,
    answer: Option<oneshot::Sender<Answer>>,
}

/// An open question. Dropping it withdraws it as interrupted.
#[derive(Debug)]
pub struct Ask {
    hub: Arc<Hub>,
    number: u64,
    answer: oneshot::Receiver<Answer>,
    method: &'static str,
    timeout: Option<Duration>,
}

impl Hub {
    /// Asks all clients that follow the session. `timeout` of `None` waits as long as a surface is attached.
    pub fn ask(self: &Arc<Self>, request: ServerRequest, timeout: Option<Duration>) -> Ask {
        let (sender, receiver) = oneshot::channel();
        let method = request.method();
        let session_id = request.session_id().clone();
        let id = match &request {
            ServerRequest::Approval(params) => params.request_id.clone(),
            ServerRequest::Clarify(params) => params.request_id.clone(),
        };
        let mut state = self.lock();
        state.next_ask += 1;
        let number = state.next_ask;
        let open = OpenRequest {
            id,
            request,
            asked_at: unix_now(),
        };
        state.asks.insert(
            number,
            OpenAsk {
                open,
                answer: Some(sender),
            },
        );
        drop(state);
        self.wake_followers(&session_id);
        Ask {
            hub: Arc::clone(self),
            number,
            answer: receiver,
            method,
            timeout,
        }
    }

    /// Open questions of a session, oldest first.
    pub fn open_requests(&self, session_id: &SessionId) -> Vec<OpenRequest> {
        let state = self.lock();
        state
            .asks
            .values()
            .filter(|ask| ask.open.request.session_id() == session_id)
            .map(|ask| ask.open.clone())
            .collect()
    }

    /// Takes an answer from the wire. The first one wins; gives whether this was it.
    pub fn answer(&self, id: &RequestId, result: Result<&RawValue, &RawValue>) -> bool {
        self.settle(id, |request| match request {
            ServerRequest::Approval(params) => {
                let denied = || ApprovalReply {
                    choice: ApprovalChoice::Deny,
                    note: None,
                };
                let mut reply = match result {
                    Ok(json) => serde_json::from_str::<ApprovalReply>(json.get()).unwrap_or_else(|_| denied()),
                    Err(_) => denied(),
                };
                // A choice that was not on offer is no answer either.
                if !params.choices.contains(&reply.choice) {
                    reply.choice = ApprovalChoice::Deny;
                }
                Answer::Approval(reply)
            }
            ServerRequest::Clarify(_) => Answer::Clarify(match result {
                Ok(json) => serde_json::from_str(json.get()).unwrap_or_default(),
                Err(_) => ClarifyReply::default(),
            }),
        })
    }

    /// Withdraws all open questions of a session.
    pub fn withdraw(&self, session_id: &SessionId, reason: RequestCancelReason) {
        for open in self.open_requests(session_id) {
            self.settle(&open.id, |_| Answer::Withdrawn(reason));
        }
    }

    fn settle(&self, id: &RequestId, make: impl FnOnce(&ServerRequest) -> Answer) -> bool {
        let mut state = self.lock();
        let Some((&number, _)) = state.asks.iter().find(|(_, ask)| ask.open.id == *id) else {
            return false;
        };
        let Some(mut ask) = state.asks.remove(&number) else {
            return false;
        };
        drop(state);
        let answer = make(&ask.open.request);
        let reason = match &answer {
            Answer::Withdrawn(reason) => *reason,
            Answer::TimedOut | Answer::Nobody => RequestCancelReason::Timeout,
            Answer::Approval(_) | Answer::Clarify(_) => RequestCancelReason::Resolved,
        };
        self.publish(
            Some(ask.open.request.session_id()),
            CoreEvent::RequestCancel {
                id: id.clone(),
                method: ask.open.request.method().to_owned(),
                reason,
            },
        );
        if let Some(sender) = ask.answer.take() {
            // The asker may be gone; then nobody needs the answer.
            let _ = sender.send(answer);
        }
        true
    }

    fn close(&self, number: u64, make: impl FnOnce() -> Answer) {
        let id = self.lock().asks.get(&number).map(|ask| ask.open.id.clone());
        if let Some(id) = id {
            self.settle(&id, |_| make());
        }
    }
}

impl Ask {
    /// Waits for the answer. Gives [`Answer::Nobody`] at once when no surface answers such questions.
    pub async fn wait(mut self) -> Answer {
        if !self.hub.has_surface(self.method) {
            self.hub.close(self.number, || Answer::Nobody);
            return Answer::Nobody;
        }
        let hub = Arc::clone(&self.hub);
        let method = self.method;
        let gone = async {
            let mut surfaces = hub.watch_surfaces();
            loop {
                if !hub.has_surface(method) {
                    tokio::time::sleep(SURFACE_GRACE).await;
                    if !hub.has_surface(method) {
                        return;
                    }
                }
                if surfaces.changed().await.is_err() {
                    return;
                }
            }
        };
        let expired = async {
            match self.timeout {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            answer = &mut self.answer => answer.unwrap_or(Answer::Nobody),
            () = gone => {
                self.hub.close(self.number, || Answer::Nobody);
                Answer::Nobody
            }
            () = expired => {
                self.hub.close(self.number, || Answer::TimedOut);
                Answer::TimedOut
            }
        }
    }
}

impl Drop for Ask {
    fn drop(&mut self) {
        self.hub
            .close(self.number, || Answer::Withdrawn(RequestCancelReason::Interrupted));
    }
}

fn unix_now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |now| now.as_secs_f64())
}
