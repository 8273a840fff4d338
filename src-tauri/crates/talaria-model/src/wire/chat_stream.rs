//! Assembly of a streamed Chat Completions answer (agent.md 5.2).

mod answer;
mod chunk;

use super::sse::SseReader;
use crate::transport::{Completion, DeltaSink};
use answer::Answer;

/// Why a stream gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamFault {
    /// The server reported an error inside the stream.
    #[error("{code}: {detail}")]
    Reported {
        /// The provider's code, or its type if there is no code.
        code: String,
        /// What it said.
        detail: String,
    },
    /// What came is not a stream of Chat Completions chunks.
    #[error("{detail}")]
    Malformed {
        /// What is wrong.
        detail: String,
    },
    /// The stream ended before anything came.
    #[error("the stream ended before anything came")]
    Nothing {
        /// Whether the server ended it in due form.
        done: bool,
    },
}

/// What has come of an answer so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Visible text was handed out.
    pub text: bool,
    /// Reasoning was handed out.
    pub reasoning: bool,
    /// A call has begun.
    pub calls: bool,
    /// A finish reason has come; only usage and the end marker may follow.
    pub finished: bool,
    /// The end marker has come; nothing behind it counts.
    pub done: bool,
}

/// Turns the bytes of one answer into deltas and a [`Completion`].
#[derive(Debug, Default)]
pub struct ChatAssembler {
    sse: SseReader,
    answer: Answer,
}

impl ChatAssembler {
    /// Takes the next bytes of an event stream.
    ///
    /// # Errors
    /// When the server reports an error or sends what is no chunk; later bytes are ignored then.
    pub fn push(&mut self, bytes: &[u8], sink: &mut dyn DeltaSink) -> Result<(), StreamFault> {
        let answer = &mut self.answer;
        let read = self.sse.push(bytes, &mut |event| answer.event(event, sink));
        if let Err(too_long) = read {
            answer.fail(StreamFault::Malformed {
                detail: too_long.to_string(),
            });
        }
        answer.fault.clone().map_or(Ok(()), Err)
    }

    /// Takes an answer that came as one plain object instead of a stream.
    ///
    /// # Errors
    /// When it is an error object or no answer at all.
    pub fn push_whole(&mut self, body: &[u8], sink: &mut dyn DeltaSink) -> Result<(), StreamFault> {
        self.answer.data("", body, sink);
        if self.answer.fault.is_none() && !self.answer.had_choice {
            self.answer.fail(StreamFault::Malformed {
                detail: "the answer has no choices".to_owned(),
            });
        }
        self.answer.done = true;
        self.answer.fault.clone().map_or(Ok(()), Err)
    }

    /// What has come so far.
    pub fn progress(&self) -> Progress {
        let answer = &self.answer;
        Progress {
            text: answer.shown_text,
            reasoning: answer.shown_reasoning,
            calls: !answer.calls.is_empty(),
            finished: answer.finish.is_some(),
            done: answer.done,
        }
    }

    /// Forgets what could not be read, so that what came before it can be kept.
    pub(crate) fn without_fault(mut self) -> Self {
        self.answer.fault = None;
        self.sse = SseReader::default();
        self
    }

    /// Visible text so far.
    pub fn text(&self) -> &str {
        &self.answer.text
    }

    /// The stream has ended, in due form or not.
    ///
    /// # Errors
    /// When the server reported an error, or nothing came.
    pub fn finish(mut self, sink: &mut dyn DeltaSink) -> Result<Completion, StreamFault> {
        let answer = &mut self.answer;
        if answer.fault.is_none() && !answer.done {
            self.sse.finish(&mut |event| answer.event(event, sink));
            // A cut inside the last event is a stream that broke off, not a malformed one.
            if matches!(answer.fault, Some(StreamFault::Malformed { .. })) {
                answer.fault = None;
            }
        }
        self.answer.complete(sink)
    }
}

#[cfg(test)]
mod tests;
