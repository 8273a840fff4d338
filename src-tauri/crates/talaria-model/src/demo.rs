//! The demo model: a script that walks a newcomer through real tools on a sample project, behind the same seam as a real
//! model. It says at every turn that it is scripted, sends nothing anywhere, and changes nothing but the sample project.

mod happened;
mod sample;
mod walk;
mod words;

use crate::error::ModelError;
use crate::transport::{AssembledCall, ChatRequest, Completion, Delta, DeltaSink, FinishReason, ModelTransport};
use futures::future::BoxFuture;
pub use sample::create_sample_project;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How fast the demo talks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Before the first word.
    pub before: Duration,
    /// Behind each word.
    pub word: Duration,
}

impl Pace {
    /// To be read along.
    pub const READING: Self = Self {
        before: Duration::from_millis(350),
        word: Duration::from_millis(16),
    };
    /// Without pauses.
    pub const INSTANT: Self = Self {
        before: Duration::ZERO,
        word: Duration::ZERO,
    };
}

/// The scripted demo model.
#[derive(Clone, Copy, Debug)]
pub struct DemoModel {
    pace: Pace,
}

impl Default for DemoModel {
    fn default() -> Self {
        Self::new()
    }
}

impl DemoModel {
    /// The demo at a pace for reading along.
    pub fn new() -> Self {
        Self::paced(Pace::READING)
    }

    /// The demo at a pace of choice.
    pub fn paced(pace: Pace) -> Self {
        Self { pace }
    }

    async fn answer(
        &self,
        request: &ChatRequest,
        sink: &mut dyn DeltaSink,
        cancel: &CancellationToken,
    ) -> Result<Completion, ModelError> {
        let step = walk::next_step(request);
        pause(self.pace.before, cancel).await?;
        for word in step.text.split_inclusive(' ') {
            sink.delta(Delta::Text(word));
            sink.delta(Delta::Flush);
            pause(self.pace.word, cancel).await?;
        }
        for call in &step.calls {
            sink.delta(Delta::CallStarted { name: call.name });
        }
        sink.delta(Delta::Flush);
        // Ids are unique in the whole session, as with a real model.
        let earlier: usize = request.messages.iter().map(|wire| wire.message.tool_calls.len()).sum();
        let calls = step.calls.into_iter().enumerate().map(|(index, call)| AssembledCall {
            id: format!("demo_{}", earlier + index + 1),
            name: call.name.to_owned(),
            arguments: call.arguments.to_string(),
            valid: true,
        });
        let tool_calls: Vec<AssembledCall> = calls.collect();
        Ok(Completion {
            text: step.text,
            reasoning: String::new(),
            reasoning_content: None,
            reasoning_details: None,
            finish: if tool_calls.is_empty() {
                FinishReason::Stop
            } else {
                FinishReason::ToolCalls
            },
            tool_calls,
            usage: None,
            cut_off: false,
            dropped_calls: Vec::new(),
            model: Some("demo (scripted)".to_owned()),
        })
    }
}

impl ModelTransport for DemoModel {
    fn ask<'a>(
        &'a self,
        request: &'a ChatRequest,
        sink: &'a mut dyn DeltaSink,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Completion, ModelError>> {
        Box::pin(self.answer(request, sink, cancel))
    }
}

async fn pause(time: Duration, cancel: &CancellationToken) -> Result<(), ModelError> {
    if cancel.is_cancelled() {
        return Err(ModelError::Cancelled);
    }
    if time.is_zero() {
        return Ok(());
    }
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(ModelError::Cancelled),
        () = tokio::time::sleep(time) => Ok(()),
    }
}

#[cfg(test)]
mod tests;
