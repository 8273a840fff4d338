//! One handler per method. Handlers are thin: unpack, call one thing, map the error.

use crate::boot::{Runtime, config_error};
use crate::models::DEMO;
use crate::sample;
use std::path::{Path, PathBuf};
use talaria_agent::{NewSessionParts, QueueChange, storage_error};
use talaria_protocol::*;

/// Version of the protocol: a client with another major version cannot go on.
pub(crate) const PROTOCOL: &str = "1.0";

/// Seconds between heartbeats on connections that can break.
const HEARTBEAT_S: u64 = 15;
/// Rows of a snapshot without a limit.
const SNAPSHOT_ROWS: u32 = 40;
/// Rows of an older page without a limit.
const HISTORY_ROWS: u32 = 80;
/// Most rows of any page.
const MAX_ROWS: u32 = 400;
/// Sessions of a page without a limit.
const SESSIONS: u32 = 50;
/// Most sessions of a page.
const MAX_SESSIONS: u32 = 500;
/// Characters of a result slice without a limit.
const RESULT_CHARS: u32 = 65_536;

impl Methods for Runtime {
    async fn client_hello(&self, client: &ClientId, p: HelloParams) -> Result<HelloReply, AppError> {
        let major = |version: &str| version.split('.').next().map(str::to_owned);
        if major(&p.protocol) != major(PROTOCOL) {
            return Err(AppError::invalid(format!(
                "the client speaks protocol {} and this core speaks {PROTOCOL}",
                p.protocol
            ))
            .with_hint("Update the older of the two."));
        }
        let replayed = self.hub.hello(client, &p.capabilities, p.resume.as_ref());
        let config = self.settings.config();
        Ok(HelloReply {
            protocol: PROTOCOL.to_owned(),
            core_version: env!("CARGO_PKG_VERSION").to_owned(),
            epoch: self.hub.epoch().clone(),
            heartbeat_s: HEARTBEAT_S,
            features: Vec::new(),
            global_seq: self.hub.last_seq(None),
            replayed,
            notices: self.notices.clone(),
            default_model: self.default_model(),
            default_mode: config.approvals.mode,
            machine: self.machine.clone(),
            home: self.home.path().display().to_string(),
        })
    }

    async fn session_create(&self, client: &ClientId, p: SessionCreateParams) -> Result<SessionSnapshot, AppError> {
        let model = p.model.or_else(|| self.default_model());
        let is_demo = model.as_ref().is_some_and(|route| route.provider == DEMO);
        let project_dir = match p.project_dir {
            Some(folder) => checked_folder(&folder, &self.user_home)?,
            None if is_demo => sample::create(self.models.samples()).await?,
            None => self.default_folder(),
        };
        let snapshot = self
            .sessions
            .create(NewSessionParts {
                source: self.source.to_owned(),
                project_dir,
                model,
                approval_mode: p.approval_mode.unwrap_or(self.settings.config().approvals.mode),
                max_iterations: p.max_iterations,
            })
            .await?;
        self.hub.follow(
            client,
            &snapshot.session.session_id,
            snapshot.seq,
            &snapshot.open_requests,
        );
        Ok(snapshot)
    }

    async fn session_resume(&self, client: &ClientId, p: SessionResumeParams) -> Result<SessionSnapshot, AppError> {
        let limit = p.limit.unwrap_or(SNAPSHOT_ROWS).clamp(1, MAX_ROWS);
        let snapshot = self.sessions.snapshot(&p.session_id, limit).await?;
        self.hub
            .follow(client, &p.session_id, snapshot.seq, &snapshot.open_requests);
        Ok(snapshot)
    }

    async fn session_history(&self, _: &ClientId, p: SessionHistoryParams) -> Result<SessionHistoryReply, AppError> {
        let limit = p.limit.unwrap_or(HISTORY_ROWS).clamp(1, MAX_ROWS);
        self.sessions.history(&p.session_id, &p.cursor, limit).await
    }

    async fn session_list(&self, _: &ClientId, p: SessionListParams) -> Result<SessionListReply, AppError> {
        let limit = p.limit.unwrap_or(SESSIONS).clamp(1, MAX_SESSIONS) as usize;
        let (page, others) = self
            .store
            .read(move |db| {
                Ok((
                    db.list_sessions(p.query.as_deref(), p.cursor.as_deref(), limit)?,
                    db.leases_of_others()?,
                ))
            })
            .await
            .map_err(|error| storage_error(&error))?;
        let live = self.sessions.live().await;
        let sessions = page
            .sessions
            .iter()
            .map(|stored| match live.get(&stored.session_id) {
                Some(summary) => summary.clone(),
                None => {
                    let elsewhere = others.iter().any(|(id, _)| *id == stored.session_id);
                    stored.summary(if elsewhere {
                        SessionState::Running
                    } else {
                        SessionState::Idle
                    })
                }
            })
            .collect();
        Ok(SessionListReply {
            sessions,
            next_cursor: page.next_cursor,
        })
    }

    async fn session_rename(&self, _: &ClientId, p: SessionRenameParams) -> Result<SessionReply, AppError> {
        if p.title.chars().count() > 200 {
            return Err(AppError::invalid("the title is longer than 200 characters").with_hint("Shorten it."));
        }
        Ok(SessionReply {
            session: self.sessions.rename(&p.session_id, p.title).await?,
        })
    }

    async fn session_delete(&self, _: &ClientId, p: SessionDeleteParams) -> Result<SessionDeleteReply, AppError> {
        Ok(SessionDeleteReply {
            undo_until: self.sessions.delete(&p.session_id, p.now).await?,
        })
    }

    async fn session_restore(&self, _: &ClientId, p: SessionRefParams) -> Result<SessionReply, AppError> {
        Ok(SessionReply {
            session: self.sessions.restore(&p.session_id).await?,
        })
    }

    async fn session_interrupt(&self, _: &ClientId, p: SessionRefParams) -> Result<Done, AppError> {
        self.sessions.interrupt(&p.session_id).await.map(|()| Done {})
    }

    async fn session_steer(&self, _: &ClientId, p: SessionTextParams) -> Result<PromptReply, AppError> {
        self.sessions.submit(&p.session_id, p.text, WhenBusy::Steer, None).await
    }

    async fn session_queue_add(&self, _: &ClientId, p: SessionTextParams) -> Result<QueueReply, AppError> {
        self.sessions
            .queue(&p.session_id, QueueChange::Add { text: p.text })
            .await
    }

    async fn session_queue_edit(&self, _: &ClientId, p: QueueEditParams) -> Result<QueueReply, AppError> {
        self.sessions
            .queue(
                &p.session_id,
                QueueChange::Edit {
                    entry_id: p.entry_id,
                    text: p.text,
                },
            )
            .await
    }

    async fn session_queue_move(&self, _: &ClientId, p: QueueMoveParams) -> Result<QueueReply, AppError> {
        let change = QueueChange::Move {
            entry_id: p.entry_id,
            index: p.index as usize,
        };
        self.sessions.queue(&p.session_id, change).await
    }

    async fn session_queue_remove(&self, _: &ClientId, p: QueueEntryParams) -> Result<QueueReply, AppError> {
        self.sessions
            .queue(&p.session_id, QueueChange::Remove { entry_id: p.entry_id })
            .await
    }

    async fn session_queue_resume(&self, _: &ClientId, p: SessionRefParams) -> Result<QueueReply, AppError> {
        self.sessions.queue(&p.session_id, QueueChange::Resume).await
    }

    async fn session_draft(&self, _: &ClientId, p: SessionTextParams) -> Result<Done, AppError> {
        self.sessions.draft(&p.session_id, p.text).await.map(|()| Done {})
    }

    async fn prompt_submit(&self, _: &ClientId, p: PromptSubmitParams) -> Result<PromptReply, AppError> {
        self.sessions
            .submit(&p.session_id, p.text, p.when_busy, p.client_token)
            .await
    }

    async fn model_list(&self, _: &ClientId, p: ModelListParams) -> Result<ModelListReply, AppError> {
        Ok(self.models.list(&self.settings.config(), p.refresh).await)
    }

    async fn model_set(&self, _: &ClientId, p: ModelSetParams) -> Result<ModelSetReply, AppError> {
        let cache_lost = match &p.session_id {
            Some(session_id) => self.sessions.set_model(session_id, p.route.clone()).await?,
            None => {
                self.write_default_model(&p.route)?;
                false
            }
        };
        Ok(ModelSetReply {
            route: p.route,
            cache_lost,
        })
    }

    async fn model_test(&self, _: &ClientId, p: ModelTestParams) -> Result<ModelTestReply, AppError> {
        if p.route.provider == DEMO {
            let leg = TestLeg {
                name: "answer".to_owned(),
                state: TestLegState::Done,
                detail: "The demo is built in and scripted; nothing is sent anywhere.".to_owned(),
                duration_ms: 0,
            };
            return Ok(ModelTestReply {
                ok: true,
                legs: vec![leg],
                error: None,
            });
        }
        Ok(self.models.test(&p.route).await)
    }

    async fn approvals_mode_set(&self, _: &ClientId, p: ApprovalModeParams) -> Result<ApprovalModeReply, AppError> {
        match &p.session_id {
            Some(session_id) => self.sessions.set_mode(session_id, p.mode).await?,
            None => {
                let value = serde_json::to_value(p.mode).map_err(|error| AppError::internal(error.to_string()))?;
                self.write_setting("approvals.mode", &value)?;
            }
        }
        Ok(ApprovalModeReply { mode: p.mode })
    }

    async fn config_get(&self, _: &ClientId, p: ConfigGetParams) -> Result<ConfigGetReply, AppError> {
        self.config_reply(p.key.as_deref())
    }

    async fn config_set(&self, _: &ClientId, p: ConfigSetParams) -> Result<ConfigGetReply, AppError> {
        self.write_setting(&p.key, &p.value)?;
        self.config_reply(Some(&p.key))
    }

    async fn usage_get(&self, _: &ClientId, p: UsageGetParams) -> Result<UsageGetReply, AppError> {
        let totals = self
            .store
            .read(move |db| db.usage(p.session_id.as_ref()))
            .await
            .map_err(|error| storage_error(&error))?;
        Ok(UsageGetReply {
            total: totals.total,
            models: totals.models,
        })
    }

    async fn events_since(&self, client: &ClientId, p: EventsSinceParams) -> Result<EventsSinceReply, AppError> {
        let open_requests = match &p.session_id {
            Some(session_id) => self.hub.open_requests(session_id),
            None => Vec::new(),
        };
        if p.epoch != *self.hub.epoch() {
            return Ok(EventsSinceReply {
                complete: false,
                events: Vec::new(),
                open_requests,
            });
        }
        let (complete, events) = self.hub.since(p.session_id.as_ref(), p.seq);
        if let (Some(session_id), Some(last)) = (&p.session_id, events.last()) {
            self.hub.follow(client, session_id, last.seq, &open_requests);
        }
        Ok(EventsSinceReply {
            complete,
            events,
            open_requests,
        })
    }

    async fn tool_result(&self, _: &ClientId, p: ToolResultParams) -> Result<ToolResultReply, AppError> {
        let turn = p
            .turn_id
            .as_str()
            .strip_prefix('t')
            .and_then(|row| row.parse::<i64>().ok());
        let turn = turn.ok_or_else(|| AppError::invalid("the turn id is not one of this session's"))?;
        let (session_id, call_id) = (p.session_id, p.call_id);
        let found = self
            .store
            .read(move |db| db.tool_message(&session_id, turn, &call_id))
            .await
            .map_err(|error| storage_error(&error))?;
        let message = found.ok_or_else(|| AppError::not_found("this result is not stored (yet)"))?;
        let text = message.message.content_text();
        let limit = p.limit.unwrap_or(RESULT_CHARS).clamp(1, RESULT_CHARS) as usize;
        Ok(ToolResultReply {
            text: text.chars().skip(p.offset as usize).take(limit).collect(),
            total: text.chars().count() as u64,
        })
    }
}

impl Runtime {
    fn default_folder(&self) -> PathBuf {
        let configured = self.settings.config().terminal.cwd.clone();
        configured
            .and_then(|folder| checked_folder(&folder, &self.user_home).ok())
            .unwrap_or_else(|| self.user_home.clone())
    }

    fn write_setting(&self, key: &str, value: &serde_json::Value) -> Result<(), AppError> {
        let loaded = self.settings.set(key, value).map_err(|error| config_error(&error))?;
        self.core.set_settings(crate::settings::agent(&loaded.config));
        self.models.forget();
        Ok(())
    }

    fn write_default_model(&self, route: &ModelRoute) -> Result<(), AppError> {
        let text = |value: &Option<String>| value.clone().map_or(serde_json::Value::Null, serde_json::Value::String);
        self.write_setting("model.default", &serde_json::Value::String(route.model.clone()))?;
        self.write_setting("model.provider", &serde_json::Value::String(route.provider.clone()))?;
        self.write_setting("model.base_url", &text(&route.base_url))?;
        self.write_setting("model.api_key_env", &text(&route.api_key_env))
    }

    fn config_reply(&self, key: Option<&str>) -> Result<ConfigGetReply, AppError> {
        let loaded = self.settings.load(None, &serde_json::Value::Null);
        let value = match key {
            Some(key) => loaded.config.get(key).ok_or_else(|| {
                AppError::not_found(format!("there is no setting {key}")).with_hint("Look up its name with config.get.")
            })?,
            None => loaded.config.to_value(),
        };
        Ok(ConfigGetReply {
            value,
            path: self.home.config_file().display().to_string(),
            warnings: loaded.warnings.iter().map(ToString::to_string).collect(),
        })
    }
}

/// An absolute folder that exists; `~` is the person's home folder.
fn checked_folder(text: &str, user_home: &Path) -> Result<PathBuf, AppError> {
    let text = text.trim();
    let path = match text.strip_prefix('~') {
        Some("") => user_home.to_owned(),
        Some(rest) if rest.starts_with('/') => user_home.join(&rest[1..]),
        _ => PathBuf::from(text),
    };
    if !path.is_absolute() {
        return Err(AppError::invalid(format!("{text} is not an absolute path")).with_hint("Write it from / on."));
    }
    match path.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(folder),
        Ok(_) => Err(AppError::invalid(format!("{text} is not a folder")).with_hint("Name a folder.")),
        Err(error) => Err(
            AppError::not_found(format!("the folder {text} cannot be used: {error}"))
                .with_hint("Check the path, or make the folder first.")
                .with_value("path", text),
        ),
    }
}
