//! Which calls of one batch may run together (tools.md 5.7).

use std::ops::Range;
use std::path::{Path, PathBuf};

/// What a call needs for itself while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Nothing: it may run beside anything that is not alone.
    Free,
    /// A path, canonical: it may run beside calls whose path is neither this one, nor above it, nor below it.
    Path(PathBuf),
    /// Everything: it runs alone.
    Alone,
}

/// Calls, by their place in the batch, that run together or one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// One after the other.
    Sequential(Range<usize>),
    /// Together, at least two.
    Parallel(Range<usize>),
}

impl Segment {
    /// The calls.
    pub fn calls(&self) -> Range<usize> {
        match self {
            Self::Sequential(calls) | Self::Parallel(calls) => calls.clone(),
        }
    }
}

/// Cuts a batch into segments that run in this order; results keep the order of the calls. A run of calls that do not get
/// in each other's way is parallel, all else sequential.
pub fn plan(scopes: &[Scope]) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut start = 0;
    while start < scopes.len() {
        let end = start + run_length(&scopes[start..]);
        let sequential = end - start == 1;
        match segments.last_mut() {
            Some(Segment::Sequential(before)) if sequential => before.end = end,
            _ if sequential => segments.push(Segment::Sequential(start..end)),
            _ => segments.push(Segment::Parallel(start..end)),
        }
        start = end;
    }
    segments
}

/// How many calls from the first on can run together; at least one.
fn run_length(scopes: &[Scope]) -> usize {
    let mut taken: Vec<&Path> = Vec::new();
    for (index, scope) in scopes.iter().enumerate() {
        match scope {
            Scope::Alone => return index.max(1),
            Scope::Free => {}
            Scope::Path(path) => {
                if taken.iter().any(|other| overlap(path, other)) {
                    return index;
                }
                taken.push(path);
            }
        }
    }
    scopes.len()
}

fn overlap(left: &Path, right: &Path) -> bool {
    left.starts_with(right) || right.starts_with(left)
}

#[cfg(test)]
mod tests;
