//! One client over frames: requests in, answers, events and questions out.

use crate::hub::{Delivery, Follower, Hub};
use futures::future::{BoxFuture, FutureExt};
use futures::stream::{FuturesUnordered, StreamExt};
use serde_json::value::RawValue;
use std::sync::Arc;
use talaria_protocol::{
    ClientId, DispatchError, ErrorObject, INVALID_PARAMS, INVALID_REQUEST, Incoming, MAX_FRAME_BYTES, METHOD_NOT_FOUND,
    Methods, PARSE_ERROR, RUNTIME_ERROR, RequestId, ResponseFrame, ServerRequestFrame, dispatch,
};
use tokio::sync::mpsc;

/// First call of every client.
const HELLO: &str = "client.hello";
/// Requests of one client that may run at the same time; more wait in the transport.
const MAX_RUNNING: usize = 64;

/// Takes frames for the client. Frames are handed over in order; `false` means that the client is gone.
pub trait Outbox: Send {
    /// Sends one frame.
    fn send<'a>(&'a mut self, frame: Arc<str>) -> BoxFuture<'a, bool>;
}

/// Serves one client until its frames end or it cannot be reached. Requests start in the order of their frames and run
/// side by side, so that a stop is not behind a slow test call.
pub async fn serve_peer<H: Methods>(
    handler: Arc<H>,
    hub: Arc<Hub>,
    mut frames: mpsc::Receiver<String>,
    mut outbox: impl Outbox,
) {
    let follower: Follower = hub.connect();
    let mut running: FuturesUnordered<BoxFuture<'_, Called>> = FuturesUnordered::new();
    let mut greeted = false;
    loop {
        tokio::select! {
            biased;
            Some(called) = running.next(), if !running.is_empty() => {
                if !send(&mut outbox, called.answer).await {
                    return;
                }
            }
            frame = frames.recv(), if running.len() < MAX_RUNNING => {
                let Some(frame) = frame else { break };
                match read(&frame, greeted) {
                    Read::Call { id, method, params } => {
                        let is_hello = method == HELLO;
                        let mut call = call(Arc::clone(&handler), follower.client_id().clone(), id, method, params).boxed();
                        // The first poll hands the request to its owner, which keeps two submits in their order. What
                        // follows a greeting waits for it.
                        let called = match is_hello {
                            true => Some((&mut call).await),
                            false => (&mut call).now_or_never(),
                        };
                        match called {
                            Some(called) => {
                                greeted |= is_hello && called.succeeded;
                                if !send(&mut outbox, called.answer).await {
                                    return;
                                }
                            }
                            None => running.push(call),
                        }
                    }
                    Read::Answer { id, result } => {
                        hub.answer(&id, match &result {
                            Ok(json) => Ok(json),
                            Err(json) => Err(json),
                        });
                    }
                    Read::Refuse(answer) => {
                        if !outbox.send(answer).await {
                            return;
                        }
                    }
                }
            }
            batch = follower.next() => {
                for delivery in batch {
                    let frame = match delivery {
                        Delivery::Event(published) => published.wire(),
                        Delivery::Request(open) => encode(&ServerRequestFrame {
                            jsonrpc: "2.0",
                            id: &open.id,
                            request: &open.request,
                        }),
                    };
                    if !outbox.send(frame).await {
                        return;
                    }
                }
            }
        }
    }
    // The client closed its side: what it asked for still gets its answer.
    while let Some(called) = running.next().await {
        if !send(&mut outbox, called.answer).await {
            return;
        }
    }
}

/// A request that has run.
struct Called {
    succeeded: bool,
    /// None for a request without an id, which wants no answer.
    answer: Option<Arc<str>>,
}

async fn call<H: Methods>(
    handler: Arc<H>,
    client: ClientId,
    id: Option<Box<RawValue>>,
    method: String,
    params: Option<Box<RawValue>>,
) -> Called {
    let result = dispatch(handler.as_ref(), &client, &method, params.as_deref()).await;
    Called {
        succeeded: result.is_ok(),
        answer: id.map(|id| respond(&id, result)),
    }
}

/// Sends what there is to send. Gives whether the client is still there.
async fn send(outbox: &mut impl Outbox, frame: Option<Arc<str>>) -> bool {
    match frame {
        Some(frame) => outbox.send(frame).await,
        None => true,
    }
}

enum Read {
    Call {
        id: Option<Box<RawValue>>,
        method: String,
        params: Option<Box<RawValue>>,
    },
    Answer {
        id: RequestId,
        result: Result<Box<RawValue>, Box<RawValue>>,
    },
    Refuse(Arc<str>),
}

fn read(frame: &str, greeted: bool) -> Read {
    if frame.len() > MAX_FRAME_BYTES {
        return refuse(
            None,
            INVALID_REQUEST,
            format!("the frame is larger than {MAX_FRAME_BYTES} bytes"),
        );
    }
    let incoming: Incoming<'_> = match serde_json::from_str(frame) {
        Ok(incoming) => incoming,
        Err(error) => {
            let code = if error.is_data() { INVALID_REQUEST } else { PARSE_ERROR };
            return refuse(None, code, format!("the frame is not a JSON-RPC object: {error}"));
        }
    };
    let id = incoming.id.map(RawValue::to_owned);
    if let Some(method) = incoming.method {
        if !greeted && method != HELLO {
            return refuse(
                id.as_deref(),
                INVALID_REQUEST,
                "the first call must be client.hello".to_owned(),
            );
        }
        return Read::Call {
            id,
            method,
            params: incoming.params.map(RawValue::to_owned),
        };
    }
    if !greeted {
        return refuse(
            id.as_deref(),
            INVALID_REQUEST,
            "the first frame must call client.hello".to_owned(),
        );
    }
    let request_id = id
        .as_deref()
        .and_then(|id| serde_json::from_str::<String>(id.get()).ok());
    match (request_id, incoming.result, incoming.error) {
        (Some(text), Some(result), None) => Read::Answer {
            id: RequestId::new(text),
            result: Ok(result.to_owned()),
        },
        (Some(text), _, Some(error)) => Read::Answer {
            id: RequestId::new(text),
            result: Err(error.to_owned()),
        },
        // `"result": null` reads as absent; it answers nothing, which counts as a denial or a dismissal.
        (Some(text), None, None) => match RawValue::from_string("null".to_owned()) {
            Ok(null) => Read::Answer {
                id: RequestId::new(text),
                result: Ok(null),
            },
            Err(_) => refuse(id.as_deref(), INVALID_REQUEST, "the answer is empty".to_owned()),
        },
        _ => refuse(
            id.as_deref(),
            INVALID_REQUEST,
            "the frame is neither a request nor an answer".to_owned(),
        ),
    }
}

fn refuse(id: Option<&RawValue>, code: i64, message: String) -> Read {
    Read::Refuse(encode(&ResponseFrame {
        jsonrpc: "2.0",
        id,
        result: None,
        error: Some(ErrorObject {
            code,
            message,
            data: None,
        }),
    }))
}

fn respond(id: &RawValue, result: Result<Box<RawValue>, DispatchError>) -> Arc<str> {
    let (result, error) = match result {
        Ok(value) => (Some(value), None),
        Err(DispatchError::UnknownMethod) => (
            None,
            Some(ErrorObject {
                code: METHOD_NOT_FOUND,
                message: "no such method".to_owned(),
                data: None,
            }),
        ),
        Err(DispatchError::InvalidParams(message)) => (
            None,
            Some(ErrorObject {
                code: INVALID_PARAMS,
                message,
                data: None,
            }),
        ),
        Err(DispatchError::App(error)) => (
            None,
            Some(ErrorObject {
                code: RUNTIME_ERROR,
                message: error.message.clone(),
                data: Some(*error),
            }),
        ),
    };
    encode(&ResponseFrame {
        jsonrpc: "2.0",
        id: Some(id),
        result,
        error,
    })
}

fn encode<T: serde::Serialize>(frame: &T) -> Arc<str> {
    // Our own types always serialise.
    serde_json::to_string(frame).unwrap_or_else(|_| "{}".to_owned()).into()
}

#[cfg(test)]
mod tests;
