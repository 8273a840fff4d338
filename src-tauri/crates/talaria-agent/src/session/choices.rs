//! What the person sets on a session: model, mode, title, and the text that is not sent yet.

use super::Session;
use crate::failure::storage_error;
use talaria_model::WireMessage;
use talaria_protocol::{AppError, ApprovalMode, ModelRoute, SessionSummary};

impl Session {
    /// Chooses the model from the next turn on. Gives whether the provider's prompt cache is lost by it.
    pub(super) async fn set_model(&mut self, route: ModelRoute) -> Result<bool, AppError> {
        let changed = self.summary.model.as_ref() != Some(&route);
        if changed && self.stored {
            let (id, stored) = (self.shared.id.clone(), route.clone());
            self.core
                .store
                .write(move |tx| {
                    tx.set_model(&id, &stored)?;
                    // The prompt names the model, so it is built anew.
                    tx.set_system_prompt(&id, None)
                })
                .await
                .map_err(|error| storage_error(&error))?;
        }
        if changed {
            self.system = None;
            self.route_changed = self.running.is_some();
            self.wrap_anew();
        }
        self.shared.set_route(route.clone());
        self.summary.model = Some(route);
        self.tell_summary();
        Ok(changed && self.summary.usage.last_prompt_tokens > 20_000)
    }

    /// Forgets the wire forms of the history: another provider may want others.
    pub(super) fn wrap_anew(&mut self) {
        self.history = self
            .history
            .drain(..)
            .map(|old| WireMessage::new(old.message.clone()))
            .collect();
    }

    /// Sets the mode; it holds from the next call on, also within a running turn.
    pub(super) async fn set_mode(&mut self, mode: ApprovalMode) -> Result<(), AppError> {
        if self.stored {
            let id = self.shared.id.clone();
            self.core
                .store
                .write(move |tx| tx.set_approval_mode(&id, mode))
                .await
                .map_err(|error| storage_error(&error))?;
        }
        self.shared.set_mode(mode);
        self.summary.approval_mode = mode;
        self.tell_summary();
        Ok(())
    }

    pub(super) async fn rename(&mut self, title: String) -> Result<SessionSummary, AppError> {
        self.ensure_stored().await?;
        let id = self.shared.id.clone();
        let cleaned = self
            .core
            .store
            .write(move |tx| tx.rename_session(&id, &title))
            .await
            .map_err(|error| storage_error(&error))?
            .ok_or_else(|| AppError::invalid("the title is empty").with_hint("Give it at least one character."))?;
        self.summary.title = cleaned;
        self.summary.title_is_users = true;
        self.tell_summary();
        Ok(self.summary.clone())
    }

    /// Keeps the unsent text: in the store, or here while the session has no row yet.
    pub(super) async fn keep_draft(&mut self, text: String) -> Result<(), AppError> {
        if !self.stored {
            self.draft = Some(text);
            return Ok(());
        }
        let id = self.shared.id.clone();
        self.core
            .store
            .write(move |tx| tx.set_draft(&id, &text))
            .await
            .map(|_| ())
            .map_err(|error| storage_error(&error))
    }
}
