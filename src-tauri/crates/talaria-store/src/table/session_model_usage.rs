//! `session_model_usage`: tokens by session, model, route and task.

use crate::error::StoreError;
use crate::schema::Migration;
use crate::table::{signed, unsigned};
use crate::tx::{Reader, Tx};
use rusqlite::{Row, params};
use talaria_protocol::{ModelRoute, ModelUsage, SessionId, Usage};

pub(crate) const MIGRATIONS: &[Migration] = &[(
    1,
    "CREATE TABLE session_model_usage (
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        model TEXT NOT NULL,
        billing_provider TEXT NOT NULL,
        billing_base_url TEXT NOT NULL DEFAULT '',
        billing_mode TEXT NOT NULL DEFAULT '',
        task TEXT NOT NULL DEFAULT '',
        api_call_count INTEGER NOT NULL DEFAULT 0,
        input_tokens INTEGER NOT NULL DEFAULT 0,
        output_tokens INTEGER NOT NULL DEFAULT 0,
        cache_read_tokens INTEGER NOT NULL DEFAULT 0,
        cache_write_tokens INTEGER NOT NULL DEFAULT 0,
        reasoning_tokens INTEGER NOT NULL DEFAULT 0,
        first_seen REAL NOT NULL,
        last_seen REAL NOT NULL,
        PRIMARY KEY (session_id, model, billing_provider, billing_base_url, billing_mode, task)
    ) WITHOUT ROWID;",
)];

/// Tokens in all and by model. What auxiliary tasks used is listed by model and not part of the total.
#[derive(Clone, Debug, Default)]
pub struct UsageTotals {
    /// Of the main loop.
    pub total: Usage,
    /// By model, most used first.
    pub models: Vec<ModelUsage>,
}

impl Reader<'_> {
    /// Tokens of a session, or of all.
    pub fn usage(&self, session_id: Option<&SessionId>) -> Result<UsageTotals, StoreError> {
        let only = session_id.map(SessionId::as_str);
        let total = self.one(
            "SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), coalesce(sum(cache_read_tokens), 0),
                    coalesce(sum(cache_write_tokens), 0), coalesce(sum(reasoning_tokens), 0),
                    coalesce(sum(api_call_count), 0), CASE WHEN ?1 IS NULL THEN 0 ELSE coalesce(max(last_prompt_tokens), 0) END
             FROM sessions WHERE (?1 IS NULL OR id = ?1) AND deleted_at IS NULL",
            [only],
            |row| usage(row, 0),
        )?;
        let models = self.all(
            "SELECT sum(input_tokens), sum(output_tokens), sum(cache_read_tokens), sum(cache_write_tokens),
                    sum(reasoning_tokens), sum(api_call_count), 0, model, billing_provider
             FROM session_model_usage WHERE (?1 IS NULL OR session_id = ?1)
             GROUP BY model, billing_provider ORDER BY sum(input_tokens + output_tokens) DESC, model",
            [only],
            |row| {
                Ok(ModelUsage {
                    model: row.get(7)?,
                    provider: row.get(8)?,
                    usage: usage(row, 0)?,
                })
            },
        )?;
        Ok(UsageTotals {
            total: total.unwrap_or_default(),
            models,
        })
    }
}

impl Tx<'_> {
    /// Adds what one model call used. `task` is empty for the main loop; what an auxiliary task used is not added to
    /// the session's own sum.
    pub fn add_usage(
        &self,
        session_id: &SessionId,
        route: &ModelRoute,
        task: &str,
        delta: &Usage,
    ) -> Result<(), StoreError> {
        let base_url = route.base_url.as_deref().unwrap_or("");
        if task.is_empty() {
            let rows = self.execute(
                "UPDATE sessions SET input_tokens = input_tokens + ?2, output_tokens = output_tokens + ?3,
                    cache_read_tokens = cache_read_tokens + ?4, cache_write_tokens = cache_write_tokens + ?5,
                    reasoning_tokens = reasoning_tokens + ?6, api_call_count = api_call_count + ?7,
                    last_prompt_tokens = CASE WHEN ?8 > 0 THEN ?8 ELSE last_prompt_tokens END,
                    billing_provider = coalesce(billing_provider, ?9), billing_base_url = coalesce(billing_base_url, ?10)
                 WHERE id = ?1",
                params![
                    session_id.as_str(),
                    signed(delta.input_tokens),
                    signed(delta.output_tokens),
                    signed(delta.cache_read_tokens),
                    signed(delta.cache_write_tokens),
                    signed(delta.reasoning_tokens),
                    signed(delta.api_calls),
                    signed(delta.last_prompt_tokens),
                    route.provider,
                    base_url
                ],
            )?;
            if rows == 0 {
                return Err(StoreError::NoSession {
                    session_id: session_id.clone(),
                });
            }
        }
        self.execute(
            "INSERT INTO session_model_usage (session_id, model, billing_provider, billing_base_url, task,
                api_call_count, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
                first_seen, last_seen)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12)
             ON CONFLICT DO UPDATE SET api_call_count = api_call_count + excluded.api_call_count,
                input_tokens = input_tokens + excluded.input_tokens,
                output_tokens = output_tokens + excluded.output_tokens,
                cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
                cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
                reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens, last_seen = excluded.last_seen",
            params![
                session_id.as_str(),
                route.model,
                route.provider,
                base_url,
                task,
                signed(delta.api_calls),
                signed(delta.input_tokens),
                signed(delta.output_tokens),
                signed(delta.cache_read_tokens),
                signed(delta.cache_write_tokens),
                signed(delta.reasoning_tokens),
                self.now()
            ],
        )?;
        Ok(())
    }
}

/// Seven columns from `first` on: input, output, cache read, cache write, reasoning, calls, newest prompt.
pub(crate) fn usage(row: &Row<'_>, first: usize) -> Result<Usage, StoreError> {
    let count = |offset: usize| -> Result<u64, StoreError> { Ok(unsigned(row.get(first + offset)?)) };
    Ok(Usage {
        input_tokens: count(0)?,
        output_tokens: count(1)?,
        cache_read_tokens: count(2)?,
        cache_write_tokens: count(3)?,
        reasoning_tokens: count(4)?,
        api_calls: count(5)?,
        last_prompt_tokens: count(6)?,
    })
}
