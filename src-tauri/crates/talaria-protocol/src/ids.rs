//! Ids are newtypes over text, so that a session cannot be passed where a call is meant.

use serde::{Deserialize, Serialize};
use std::fmt;
use ts_rs::TS;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps a text that already is such an id.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }
    };
}

text_id! {
    /// Names a session for good: `YYYYMMDD_HHMMSS_<6 hex>` in local time. The only session id on the wire.
    SessionId
}
text_id! {
    /// Names one turn of a session: `t<row id of its user message>`.
    TurnId
}
text_id! {
    /// Names one call of one tool, as the model wrote it; unique within its assistant turn.
    CallId
}
text_id! {
    /// Names a question of the core to its clients: `srq-<12 hex>`.
    RequestId
}
text_id! {
    /// Names a connected client (a window, a terminal run) for the time it is connected.
    ClientId
}
text_id! {
    /// Names one start of the core; sequence numbers are meaningless across epochs.
    Epoch
}
text_id! {
    /// Names a background process: `proc_<12 hex>`.
    ProcessId
}
