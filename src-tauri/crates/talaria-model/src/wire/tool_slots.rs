//! Puts streamed pieces of tool calls together, for servers that disagree on index, id and cut.

use crate::repair::sanitize_lone_surrogates;
use crate::transport::AssembledCall;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher};

/// A piece of a call as a server sends it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CallPiece<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) arguments: &'a str,
    /// Position in the list of the same event.
    pub(super) position: usize,
}

#[derive(Debug)]
struct Slot {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
    announced: bool,
}

/// How the stream ended, as far as it decides about calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallEnd {
    /// The server said that the answer is whole.
    Whole,
    /// The answer broke off or ran into the output limit: the last call may lack text.
    CutShort,
}

#[derive(Debug, Default)]
pub(super) struct ToolSlots {
    slots: Vec<Slot>,
}

impl ToolSlots {
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Adds a piece and returns the name of the call if it begins with this piece.
    pub(super) fn add(&mut self, piece: CallPiece<'_>) -> Option<&str> {
        let at = match self.find(&piece) {
            Some(at) => at,
            None => {
                self.slots.push(Slot {
                    index: piece.index,
                    id: None,
                    name: String::new(),
                    arguments: String::new(),
                    announced: false,
                });
                self.slots.len() - 1
            }
        };
        let slot = self.slots.get_mut(at)?;
        if slot.id.is_none() {
            slot.id = piece.id.map(str::to_owned);
        }
        if let Some(name) = piece.name
            && slot.name != name
        {
            slot.name = name.to_owned();
        }
        slot.arguments.push_str(piece.arguments);
        if slot.announced || slot.name.is_empty() {
            return None;
        }
        slot.announced = true;
        Some(&slot.name)
    }

    /// The slot that a piece continues; `None` opens a new one.
    fn find(&self, piece: &CallPiece<'_>) -> Option<usize> {
        let same_index = |slot: &Slot| piece.index.is_some() && slot.index == piece.index;
        let last = match piece.index {
            Some(_) => self.slots.iter().rposition(same_index),
            None => self.slots.len().checked_sub(1),
        };
        if let Some(id) = piece.id {
            let named = |slot: &Slot| slot.id.as_deref() == Some(id) && (piece.index.is_none() || same_index(slot));
            if let Some(at) = self.slots.iter().rposition(named) {
                return Some(at);
            }
        }
        let slot = &self.slots[last?];
        // Some servers make up a new id for every piece; a call of its own brings its name along.
        if piece.id.is_some() && slot.id.is_some() && piece.name.is_some() {
            return None;
        }
        if piece.index.is_none() && piece.position > 0 && piece.name.is_some() {
            return None;
        }
        if let Some(name) = piece.name
            && (piece.index.is_none() || slot.name != name)
            && !slot.name.is_empty()
            && !piece.arguments.is_empty()
            && complete(&slot.arguments)
        {
            return None;
        }
        last
    }

    /// The calls in order.
    pub(super) fn finish(self, end: CallEnd) -> Vec<AssembledCall> {
        let mut calls = Vec::with_capacity(self.slots.len());
        let mut ids = HashSet::new();
        let count = self.slots.len();
        for (at, slot) in self.slots.into_iter().enumerate() {
            let mut id = slot.id;
            for (arguments, valid) in split(slot.arguments, end == CallEnd::CutShort && at + 1 == count) {
                let id = id.take().filter(|id| !ids.contains(id)).unwrap_or_else(fresh_id);
                ids.insert(id.clone());
                calls.push(AssembledCall {
                    id,
                    name: slot.name.clone(),
                    arguments,
                    valid,
                });
            }
        }
        calls
    }
}

fn complete(arguments: &str) -> bool {
    serde_json::from_str::<&RawValue>(arguments).is_ok()
}

/// The argument texts that stand in one slot, each with whether it is valid JSON.
fn split(mut arguments: String, may_lack_text: bool) -> Vec<(String, bool)> {
    if let Cow::Owned(clean) = sanitize_lone_surrogates(&arguments) {
        arguments = clean;
    }
    if arguments.trim().is_empty() {
        return vec![if may_lack_text {
            (arguments, false)
        } else {
            ("{}".to_owned(), true)
        }];
    }
    if complete(&arguments) {
        return vec![(arguments, true)];
    }
    let mut objects: Vec<&str> = Vec::new();
    for value in serde_json::Deserializer::from_str(&arguments).into_iter::<&RawValue>() {
        match value {
            Ok(value) if value.get().starts_with('{') => objects.push(value.get()),
            _ => return vec![(arguments, false)],
        }
    }
    // The same object several times is one call that a server repeated.
    objects.dedup();
    objects.into_iter().map(|object| (object.to_owned(), true)).collect()
}

/// An id for a call that came without one: unique within the session, not only within the answer.
fn fresh_id() -> String {
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("call_{:012x}", random >> 16)
}
