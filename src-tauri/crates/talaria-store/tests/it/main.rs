//! The store through its public face: what survives, what is refused, and who may write.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

mod child;
mod damage;
mod durability;
mod sessions;
mod sharing;
mod transcript;

use std::path::PathBuf;
use talaria_protocol::{ApprovalMode, Message, ModelRoute, SessionId};
use talaria_store::{NewMessage, NewSession, Store, StoreError, Tx};
use tempfile::TempDir;

fn new_store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("state.db")).unwrap();
    (folder, store)
}

fn database(folder: &TempDir) -> PathBuf {
    folder.path().join("state.db")
}

fn route() -> ModelRoute {
    ModelRoute {
        provider: "custom".to_owned(),
        model: "m-1".to_owned(),
        base_url: Some("http://localhost:1/v1".to_owned()),
        api_key_env: None,
    }
}

fn new_session(id: &str) -> NewSession {
    NewSession {
        session_id: SessionId::from(id),
        source: "test".to_owned(),
        model: Some(route()),
        approval_mode: ApprovalMode::Ask,
        max_iterations: None,
        project_dir: Some("/project".to_owned()),
        git_branch: None,
        git_repo_root: None,
        started_at: 1_000.0,
    }
}

/// A session with one message of the person; gives the message's row id.
fn begin(tx: &Tx<'_>, id: &str, text: &str) -> Result<i64, StoreError> {
    tx.create_session(&new_session(id))?;
    tx.append_message(&SessionId::from(id), &NewMessage::from(Message::user(text)))
}
