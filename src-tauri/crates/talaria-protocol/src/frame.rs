//! JSON-RPC 2.0 frames. One object a frame; on stdio one object a line.

use crate::error::AppError;
use crate::event::EventFrame;
use crate::ids::RequestId;
use crate::request::ServerRequest;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Largest frame either side accepts.
pub const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;

/// The frame is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The frame is not a request, answer or notification.
pub const INVALID_REQUEST: i64 = -32600;
/// The method does not exist (or the client has no handler).
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters do not fit the method.
pub const INVALID_PARAMS: i64 = -32602;
/// The method failed; `data` is an [`AppError`].
pub const RUNTIME_ERROR: i64 = -32000;

/// A frame as it comes in, before its kind is known.
#[derive(Debug, Deserialize)]
pub struct Incoming<'a> {
    /// Integer for the client's requests, text for answers to ours.
    #[serde(borrow, default)]
    pub id: Option<&'a RawValue>,
    /// Present on requests.
    #[serde(default)]
    pub method: Option<String>,
    /// Parameters of a request.
    #[serde(borrow, default)]
    pub params: Option<&'a RawValue>,
    /// Present on answers.
    #[serde(borrow, default)]
    pub result: Option<&'a RawValue>,
    /// Present on failed answers.
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
}

/// A request of a client.
#[derive(Debug, Serialize)]
pub struct RequestFrame<'a, P> {
    /// Always `2.0`.
    pub jsonrpc: &'static str,
    /// Integer of the client's choice.
    pub id: u64,
    /// Method name.
    pub method: &'a str,
    /// Parameters.
    pub params: P,
}

/// An answer, in either direction.
#[derive(Debug, Serialize)]
pub struct ResponseFrame<'a> {
    /// Always `2.0`.
    pub jsonrpc: &'static str,
    /// Id of the request; `null` when it could not be read.
    pub id: Option<&'a RawValue>,
    /// The result, unless it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// The failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorObject>,
}

/// A failure on the wire.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ErrorObject {
    /// JSON-RPC code.
    pub code: i64,
    /// One sentence.
    pub message: String,
    /// The whole error, for [`RUNTIME_ERROR`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<AppError>,
}

/// An event on the wire: `{"jsonrpc":"2.0","method":"event","params":{…}}`.
#[derive(Debug, Serialize)]
pub struct Notification<'a> {
    /// Always `2.0`.
    pub jsonrpc: &'static str,
    /// Always `event`.
    pub method: &'static str,
    /// The event.
    pub params: &'a EventFrame,
}

/// A reverse request on the wire.
#[derive(Debug, Serialize)]
pub struct ServerRequestFrame<'a> {
    /// Always `2.0`.
    pub jsonrpc: &'static str,
    /// `srq-<12 hex>`.
    pub id: &'a RequestId,
    /// Method and parameters.
    #[serde(flatten)]
    pub request: &'a ServerRequest,
}
