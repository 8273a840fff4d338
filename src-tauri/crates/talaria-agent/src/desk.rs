//! What one call may ask of its session.

use crate::shared::SessionShared;
use futures::future::BoxFuture;
use std::sync::Arc;
use talaria_bridge::Answer;
use talaria_protocol::{CallId, ClarifyParams, Question, ServerRequest, StatusKind, Todo, ToolBody, ToolState};
use talaria_tools::CallHost;

/// The desk of one call.
pub(crate) struct CallDesk {
    session: Arc<SessionShared>,
    call_id: CallId,
}

impl CallDesk {
    pub(crate) fn new(session: Arc<SessionShared>, call_id: CallId) -> Self {
        Self { session, call_id }
    }
}

impl CallHost for CallDesk {
    fn progress(&self, text: &str) {
        self.session.feed.tool_output(&self.call_id, text);
    }

    fn todos(&self) -> Vec<Todo> {
        self.session.todos()
    }

    fn set_todos(&self, todos: Vec<Todo>) {
        self.session.set_todos(todos);
    }

    fn clarify<'a>(&'a self, call: &'a CallId, question: Question) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let feed = &self.session.feed;
            let request = ServerRequest::Clarify(ClarifyParams {
                session_id: self.session.id.clone(),
                request_id: crate::ids::request_id(),
                call_id: call.clone(),
                questions: vec![question.clone()],
            });
            feed.change_tool(call, |view| {
                view.state = ToolState::Waiting;
                view.body = ToolBody::Question {
                    question: question.clone(),
                    answer: None,
                };
            });
            let _asking = feed.asking("Waiting for your answer");
            let answer = match feed.hub().ask(request, None).wait().await {
                Answer::Clarify(reply) => reply
                    .answers
                    .and_then(|answers| answers.get(&question.qid).cloned().flatten()),
                Answer::Approval(_) | Answer::Nobody | Answer::TimedOut | Answer::Withdrawn(_) => None,
            };
            feed.change_tool(call, |view| view.state = ToolState::Running);
            answer
        })
    }

    fn status(&self, text: &str) {
        self.session.feed.status(StatusKind::RunningTools, text, None);
    }
}
