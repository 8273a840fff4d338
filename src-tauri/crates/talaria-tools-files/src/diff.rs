//! The change of a file as a card shows it.

use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices_deadline, group_diff_ops};
use std::time::{Duration, Instant};
use talaria_protocol::{DiffHunk, DiffLine, DiffLineKind, FileDiff};

const CONTEXT_LINES: usize = 3;
const MOST_LINES: usize = 400;
/// Longest line in a diff.
const LINE_CHARS: usize = 2000;
/// After this the difference is given more coarsely: a person is waiting.
const TIME_FOR_FINDING: Duration = Duration::from_millis(300);

/// The change from `old` (`None`: there was no file) to `new`.
pub(crate) fn file_diff(path: String, old: Option<&str>, new: &str) -> FileDiff {
    // Lines keep their ends: a changed line ending, or a missing last one, is a change as well.
    let old_lines: Vec<&str> = old.unwrap_or_default().split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let deadline = Some(Instant::now() + TIME_FOR_FINDING);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old_lines, &new_lines, deadline);
    let mut diff = FileDiff {
        path,
        created: old.is_none(),
        added: 0,
        removed: 0,
        hunks: Vec::new(),
        truncated: false,
    };
    for op in ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
        diff.removed += count(op.old_range().len());
        diff.added += count(op.new_range().len());
    }
    let mut room = MOST_LINES;
    let mut shown_to = 0;
    for group in group_diff_ops(ops, CONTEXT_LINES) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let mut changes = group.iter().flat_map(|op| op.iter_changes(&old_lines, &new_lines));
        let lines: Vec<DiffLine> = changes
            .by_ref()
            .take(room)
            .map(|change| {
                let (kind, index) = match change.tag() {
                    ChangeTag::Equal => (DiffLineKind::Same, change.new_index()),
                    ChangeTag::Insert => (DiffLineKind::Added, change.new_index()),
                    ChangeTag::Delete => (DiffLineKind::Removed, change.old_index()),
                };
                DiffLine {
                    kind,
                    number: count(index.unwrap_or_default() + 1),
                    text: line_text(change.value()),
                }
            })
            .collect();
        room -= lines.len();
        diff.truncated = changes.next().is_some();
        let skipped = count(first.old_range().start - shown_to);
        shown_to = last.old_range().end;
        if !lines.is_empty() {
            diff.hunks.push(DiffHunk { skipped, lines });
        }
        if diff.truncated {
            break;
        }
    }
    diff
}

/// The change to a file whose old content is too large to compare: the new text alone, in part.
pub(crate) fn replaced_unseen(path: String, new: &str) -> FileDiff {
    let diff = file_diff(path, None, new);
    FileDiff {
        created: false,
        truncated: true,
        ..diff
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn line_text(line: &str) -> String {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
