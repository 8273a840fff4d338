//! Scripts as JSON, for programs that are no Rust tests.
//!
//! A script is a list of replies, or an object `{"strict": bool, "cycle": bool, "models": [ids], "replies": [...]}`.
//! A reply is one object. What it does:
//!
//! | key | meaning |
//! |---|---|
//! | `says` | text, or a list of texts, one delta each |
//! | `thinks` | reasoning before it |
//! | `calls` | list of `{"tool", "arguments", "id"?}`; text as `arguments` is sent as it stands |
//! | `plain` | `true`: one JSON object instead of a stream |
//! | `raw_events` | bytes of the stream as text |
//! | `stream_of` | so many text deltas |
//! | `http` | `{"status", "content_type"?, "headers"?, "body"?}` |
//! | `closes`, `garbage` | `true`: no answer; no HTTP |
//!
//! How it does it: `delay_ms` before the first byte, `pace_ms` between chunks, `usage` (`[prompt, completion]`, or `null`
//! for none), `finish_reason`, `chunk_bytes`, `cut_after` and `stall_after` (bytes of the body), `gate` (name of a file to wait
//! for before the first byte) and `gate_after` (`{"chunks", "file"}`). A gate that is reached makes `<file>.reached`.

use crate::gate::Gate;
use crate::model::Script;
use crate::reply::{self, Chunking, Reply};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

#[derive(Deserialize)]
#[serde(untagged)]
enum ScriptForm {
    Bare(Vec<Value>),
    Full(FullForm),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FullForm {
    #[serde(default)]
    strict: bool,
    #[serde(default)]
    cycle: bool,
    models: Option<Vec<String>>,
    replies: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyForm {
    says: Option<Texts>,
    thinks: Option<String>,
    #[serde(default)]
    calls: Vec<CallForm>,
    #[serde(default)]
    plain: bool,
    raw_events: Option<String>,
    stream_of: Option<usize>,
    http: Option<HttpForm>,
    #[serde(default)]
    closes: bool,
    #[serde(default)]
    garbage: bool,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    pace_ms: u64,
    #[serde(default, deserialize_with = "present")]
    usage: Option<Option<(u64, u64)>>,
    finish_reason: Option<String>,
    chunk_bytes: Option<usize>,
    cut_after: Option<usize>,
    stall_after: Option<usize>,
    gate: Option<String>,
    gate_after: Option<GateForm>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallForm {
    tool: String,
    arguments: Value,
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpForm {
    status: u16,
    content_type: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GateForm {
    chunks: usize,
    file: String,
}

/// Tells `null` from a key that is not there.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl Script {
    /// Reads a script in the form that the module `script_file` of this crate describes. Files of gates lie in `gates`.
    /// Fails with a sentence that names the reply.
    pub fn from_json(text: &str, gates: &Path) -> Result<Self, String> {
        let form = serde_json::from_str(text).map_err(|error| format!("the script cannot be read: {error}"))?;
        let full = match form {
            ScriptForm::Bare(replies) => FullForm {
                strict: false,
                cycle: false,
                models: None,
                replies,
            },
            ScriptForm::Full(full) => full,
        };
        let mut replies = Vec::with_capacity(full.replies.len());
        for (index, value) in full.replies.into_iter().enumerate() {
            let form: ReplyForm =
                serde_json::from_value(value).map_err(|error| format!("reply {index} cannot be read: {error}"))?;
            replies.push(
                form.reply(gates)
                    .map_err(|problem| format!("reply {index}: {problem}"))?,
            );
        }
        let mut script = Script::new(replies);
        if full.strict {
            script = script.strict();
        }
        if full.cycle {
            script = script.cycle();
        }
        if let Some(models) = full.models {
            script = script.models(models);
        }
        Ok(script)
    }
}

impl ReplyForm {
    fn reply(self, gates: &Path) -> Result<Reply, String> {
        let answers = self.says.is_some() || self.thinks.is_some() || !self.calls.is_empty();
        let kinds = [
            answers,
            self.raw_events.is_some(),
            self.stream_of.is_some(),
            self.http.is_some(),
            self.closes,
            self.garbage,
        ];
        if kinds.iter().filter(|kind| **kind).count() != 1 {
            return Err(
                "it must do exactly one of: answer (says, thinks, calls), raw_events, stream_of, http, closes, garbage"
                    .to_owned(),
            );
        }
        let mut reply = if let Some(events) = self.raw_events {
            reply::raw_events(events)
        } else if let Some(count) = self.stream_of {
            reply::stream_of(count)
        } else if let Some(http) = self.http {
            let kind = http.content_type.as_deref().unwrap_or("application/json");
            let plain = reply::http(http.status, kind, http.body);
            http.headers
                .iter()
                .fold(plain, |reply, (name, value)| reply.header(name, value))
        } else if self.closes {
            Reply::closes()
        } else if self.garbage {
            Reply::garbage()
        } else {
            let text = match self.says {
                None => Vec::new(),
                Some(Texts::One(text)) => vec![text],
                Some(Texts::Many(texts)) => texts,
            };
            let calls = self.calls.into_iter().map(|call| (call.id, call.tool, call.arguments));
            reply::answers(self.thinks, text, calls, self.plain)
        };
        if let Some(usage) = self.usage {
            reply = match usage {
                Some((prompt, completion)) => reply.usage(prompt, completion),
                None => reply.without_usage(),
            };
        }
        if let Some(reason) = &self.finish_reason {
            reply = reply.finish_reason(reason);
        }
        if let Some(size) = self.chunk_bytes {
            reply = reply.chunking(Chunking::Pieces(size));
        }
        if let Some(bytes) = self.cut_after {
            reply = reply.cut_after(bytes);
        }
        if let Some(bytes) = self.stall_after {
            reply = reply.stall_after(bytes);
        }
        if let Some(file) = &self.gate {
            reply = reply.hold(&Gate::at_file(gates.join(file)));
        }
        if let Some(gate) = &self.gate_after {
            reply = reply.hold_after(gate.chunks, &Gate::at_file(gates.join(&gate.file)));
        }
        Ok(reply
            .delay(Duration::from_millis(self.delay_ms))
            .pace(Duration::from_millis(self.pace_ms)))
    }
}

#[cfg(test)]
mod tests;
