//! What a session has seen of files and is about to write.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;
use talaria_exec::FileStat;
use talaria_policy::PathContext;
use talaria_protocol::{CallId, FileDiff};

const PAGES_KEPT: usize = 1000;
const FILES_KEPT: usize = 4096;
/// More writes than ever wait for an approval at once. One that was refused stays until newer ones push it out.
const PROPOSALS_KEPT: usize = 16;

/// State of a file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    size: u64,
    modified_ns: i128,
    hash: Option<u64>,
}

impl Version {
    /// Of content that was read as a whole.
    pub(crate) fn of_content(stat: &FileStat, content: &[u8]) -> Self {
        Self::of_bytes(content).modified_at(stat.modified_ns)
    }

    /// Of content whose time is not known yet.
    pub(crate) fn of_bytes(content: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        Self {
            size: content.len() as u64,
            modified_ns: 0,
            hash: Some(hasher.finish()),
        }
    }

    /// The same content with another time.
    pub(crate) fn modified_at(self, modified_ns: i128) -> Self {
        Self { modified_ns, ..self }
    }

    /// Of a file too large to be looked at as a whole.
    pub(crate) fn of_stat(stat: &FileStat) -> Self {
        Self {
            size: stat.size,
            modified_ns: stat.modified_ns,
            hash: None,
        }
    }

    /// Whether both are the same content. Times alone do not say: their resolution is coarse, and a file may be touched.
    pub(crate) fn same_content(&self, other: &Self) -> bool {
        self.size == other.size
            && match (self.hash, other.hash) {
                (Some(left), Some(right)) => left == right,
                _ => self.modified_ns == other.modified_ns,
            }
    }
}

/// A page as asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PageKey {
    pub(crate) path: String,
    pub(crate) offset: u64,
    pub(crate) limit: u64,
}

/// Whether a page was asked for before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It is new, or the file changed; `in_row` counts how often it was read in a row, this time included.
    Read { in_row: u32 },
    /// The model has it already; told so for the first time.
    Unchanged,
    /// The model was told already, or reads the same for ever.
    Blocked { times: u32 },
}

/// How much of a file a session knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    Part,
}

/// How the file stands to what the session knows of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Current,
    Partial,
    Unseen,
    /// Its content is another one; the session looked at it at this time.
    Changed {
        seen_at: Instant,
    },
}

/// A write that the gate is asked about. What is approved is what is written.
pub(crate) struct Proposal {
    pub(crate) real: String,
    /// The file's content when the diff was made; `None` when there was no file.
    pub(crate) old: Option<Version>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) diff: FileDiff,
    pub(crate) warning: Option<String>,
    pub(crate) lint: crate::lint::Lint,
}

/// The memory of the file tools in one session.
#[derive(Default)]
pub(crate) struct FileMemory {
    /// Folders that the path rules refer to.
    pub(crate) paths: OnceLock<Arc<PathContext>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    row: u64,
    last: Option<PageKey>,
    in_row: u32,
    told: HashMap<PageKey, u32>,
    shown: Recent<PageKey, Version>,
    seen: Recent<String, Seen>,
    proposals: VecDeque<(CallId, Proposal)>,
}

#[derive(Clone, Copy)]
struct Seen {
    version: Version,
    extent: Extent,
    at: Instant,
}

impl FileMemory {
    /// Notes that a page is asked for. `row` is the session's current row of look-ups: in a new one, repeats count anew.
    pub(crate) fn ask(&self, row: u64, key: &PageKey, version: &Version) -> Repeat {
        let mut state = self.state();
        if state.row != row {
            state.row = row;
            state.last = None;
            state.in_row = 0;
            state.told.clear();
        }
        if state.shown.get(key).is_some_and(|shown| shown.same_content(version)) {
            let told = state.told.entry(key.clone()).or_default();
            *told += 1;
            return if *told == 1 {
                Repeat::Unchanged
            } else {
                Repeat::Blocked { times: *told + 1 }
            };
        }
        state.in_row = if state.last.as_ref() == Some(key) {
            state.in_row + 1
        } else {
            1
        };
        state.last = Some(key.clone());
        state.told.remove(key);
        if state.in_row > 3 {
            Repeat::Blocked { times: state.in_row }
        } else {
            Repeat::Read { in_row: state.in_row }
        }
    }

    /// Notes that the model got a page.
    pub(crate) fn shown(&self, key: PageKey, version: Version, extent: Extent) {
        let mut state = self.state();
        let known = state.seen.get(&key.path);
        // Several pages of one and the same content do not make less of a whole reading before.
        let whole_before =
            known.is_some_and(|seen| seen.extent == Extent::Whole && seen.version.same_content(&version));
        let extent = if whole_before { Extent::Whole } else { extent };
        state.seen.put(
            key.path.clone(),
            Seen {
                version,
                extent,
                at: Instant::now(),
            },
            FILES_KEPT,
        );
        state.shown.put(key, version, PAGES_KEPT);
    }

    /// Notes that the session wrote a file: it knows the whole of it, and no page of before holds.
    pub(crate) fn wrote(&self, path: &str, version: Version) {
        let mut state = self.state();
        state.shown.remove_where(|key| key.path == path);
        state.seen.put(
            path.to_owned(),
            Seen {
                version,
                extent: Extent::Whole,
                at: Instant::now(),
            },
            FILES_KEPT,
        );
    }

    pub(crate) fn standing(&self, path: &str, current: &Version) -> Standing {
        match self.state().seen.get(path) {
            None => Standing::Unseen,
            Some(seen) if !seen.version.same_content(current) => Standing::Changed { seen_at: seen.at },
            Some(seen) if seen.extent == Extent::Part => Standing::Partial,
            Some(_) => Standing::Current,
        }
    }

    pub(crate) fn propose(&self, call: &CallId, proposal: Proposal) {
        let mut state = self.state();
        state.proposals.retain(|(other, _)| other != call);
        if state.proposals.len() >= PROPOSALS_KEPT {
            state.proposals.pop_front();
        }
        state.proposals.push_back((call.clone(), proposal));
    }

    pub(crate) fn take_proposal(&self, call: &CallId) -> Option<Proposal> {
        let mut state = self.state();
        let at = state.proposals.iter().position(|(other, _)| other == call)?;
        state.proposals.remove(at).map(|(_, proposal)| proposal)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A map that drops its oldest entry when it is full.
struct Recent<K, V> {
    entries: HashMap<K, (u64, V)>,
    next: u64,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self {
            entries: HashMap::new(),
            next: 0,
        }
    }
}

impl<K: Hash + Eq + Clone, V> Recent<K, V> {
    fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.entries.get(key).map(|(_, value)| value)
    }

    fn put(&mut self, key: K, value: V, capacity: usize) {
        self.entries.insert(key, (self.next, value));
        self.next += 1;
        if self.entries.len() > capacity {
            let oldest = self
                .entries
                .iter()
                .min_by_key(|(_, (number, _))| *number)
                .map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                self.entries.remove(&oldest);
            }
        }
    }

    fn remove_where(&mut self, condition: impl Fn(&K) -> bool) {
        self.entries.retain(|key, _| !condition(key));
    }
}

#[cfg(test)]
mod tests;
