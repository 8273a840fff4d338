//! What the parts of one session share while a turn runs.

use crate::feed::Feed;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use talaria_exec::Environment;
use talaria_policy::Grants;
use talaria_protocol::{ApprovalMode, ModelRoute, SessionId, Todo};
use talaria_tools::SessionMemory;

/// A message for the running turn that the model has not got yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Steer {
    /// Entry of the stored queue that keeps it until it is delivered.
    pub entry_id: String,
    pub text: String,
}

/// One session, as its owner task, its turn and its calls see it. Everything in here is small and never locked across
/// a wait.
pub(crate) struct SessionShared {
    pub id: SessionId,
    pub feed: Arc<Feed>,
    pub environment: Arc<Environment>,
    pub memory: Arc<SessionMemory>,
    pub project_dir: PathBuf,
    todos: Mutex<Vec<Todo>>,
    steer: Mutex<VecDeque<Steer>>,
    grants: Mutex<Grants>,
    choice: Mutex<Choice>,
    unanswered: AtomicBool,
}

/// What the person chose for the session.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub mode: ApprovalMode,
    pub route: Option<ModelRoute>,
}

fn locked<T, R>(mutex: &Mutex<T>, read: impl FnOnce(&mut T) -> R) -> R {
    read(&mut mutex.lock().unwrap_or_else(PoisonError::into_inner))
}

impl SessionShared {
    pub(crate) fn new(
        id: SessionId,
        feed: Arc<Feed>,
        environment: Arc<Environment>,
        project_dir: &Path,
        choice: Choice,
        todos: Vec<Todo>,
    ) -> Arc<Self> {
        Arc::new(Self {
            id,
            feed,
            environment,
            memory: Arc::default(),
            project_dir: project_dir.to_owned(),
            todos: Mutex::new(todos),
            steer: Mutex::default(),
            grants: Mutex::default(),
            choice: Mutex::new(choice),
            unanswered: AtomicBool::new(false),
        })
    }

    pub(crate) fn todos(&self) -> Vec<Todo> {
        locked(&self.todos, |todos| todos.clone())
    }

    pub(crate) fn set_todos(&self, next: Vec<Todo>) {
        locked(&self.todos, |todos| todos.clone_from(&next));
        self.feed.todos(next);
    }

    pub(crate) fn push_steer(&self, steer: Steer) {
        locked(&self.steer, |waiting| waiting.push_back(steer));
    }

    /// Takes all that waits, oldest first.
    pub(crate) fn take_steer(&self) -> Vec<Steer> {
        locked(&self.steer, |waiting| waiting.drain(..).collect())
    }

    /// What waits for the running turn, oldest first.
    pub(crate) fn waiting_steer(&self) -> Vec<Steer> {
        locked(&self.steer, |waiting| waiting.iter().cloned().collect())
    }

    pub(crate) fn has_steer(&self) -> bool {
        locked(&self.steer, |waiting| !waiting.is_empty())
    }

    pub(crate) fn with_grants<R>(&self, read: impl FnOnce(&mut Grants) -> R) -> R {
        locked(&self.grants, read)
    }

    pub(crate) fn choice(&self) -> Choice {
        locked(&self.choice, |choice| choice.clone())
    }

    pub(crate) fn mode(&self) -> ApprovalMode {
        locked(&self.choice, |choice| choice.mode)
    }

    pub(crate) fn set_mode(&self, mode: ApprovalMode) {
        locked(&self.choice, |choice| choice.mode = mode);
    }

    pub(crate) fn set_route(&self, route: ModelRoute) {
        locked(&self.choice, |choice| choice.route = Some(route));
    }

    /// Notes that something was denied because nobody could be asked.
    pub(crate) fn note_unanswered(&self) {
        self.unanswered.store(true, Ordering::Relaxed);
    }

    /// Whether that happened since the last time this was asked.
    pub(crate) fn take_unanswered(&self) -> bool {
        self.unanswered.swap(false, Ordering::Relaxed)
    }
}
