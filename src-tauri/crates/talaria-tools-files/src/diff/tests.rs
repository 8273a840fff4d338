use super::*;
use DiffLineKind::{Added, Removed, Same};

fn line(kind: DiffLineKind, number: u32, text: &str) -> DiffLine {
    DiffLine {
        kind,
        number,
        text: text.into(),
    }
}

#[test]
fn a_change_is_shown_with_three_lines_around() {
    let old: String = (1..=20).map(|number| format!("{number}\n")).collect();
    let new = old.replace("\n10\n", "\nten\neleven\n").replace("\n20\n", "\n");
    assert_eq!(
        file_diff("f".into(), Some(&old), &new),
        FileDiff {
            path: "f".into(),
            created: false,
            added: 2,
            removed: 2,
            hunks: vec![
                DiffHunk {
                    skipped: 6,
                    lines: vec![
                        line(Same, 7, "7"),
                        line(Same, 8, "8"),
                        line(Same, 9, "9"),
                        line(Removed, 10, "10"),
                        line(Added, 10, "ten"),
                        line(Added, 11, "eleven"),
                        line(Same, 12, "11"),
                        line(Same, 13, "12"),
                        line(Same, 14, "13"),
                    ],
                },
                DiffHunk {
                    skipped: 3,
                    lines: vec![
                        line(Same, 18, "17"),
                        line(Same, 19, "18"),
                        line(Same, 20, "19"),
                        line(Removed, 20, "20"),
                    ],
                },
            ],
            truncated: false,
        }
    );
}

#[test]
fn a_new_file_is_all_added_and_cut_at_400_lines() {
    let new = "x\n".repeat(1000);
    let diff = file_diff("f".into(), None, &new);
    assert_eq!(
        (diff.created, diff.added, diff.removed, diff.truncated),
        (true, 1000, 0, true)
    );
    assert_eq!(diff.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>(), 400);
    let short = file_diff("f".into(), None, &"x\n".repeat(400));
    assert!(!short.truncated);
}

#[test]
fn nothing_changed_is_no_hunk_and_a_lost_line_break_is_one() {
    let same = file_diff("f".into(), Some("a\nb\n"), "a\nb\n");
    assert_eq!(
        (same.added, same.removed, same.hunks.len(), same.truncated),
        (0, 0, 0, false)
    );
    let lost = file_diff("f".into(), Some("a\nb\n"), "a\nb");
    assert_eq!((lost.added, lost.removed), (1, 1));
}

#[test]
fn two_huge_different_texts_are_compared_in_time() {
    let text = |seed: u64| -> String {
        (0..60_000_u64)
            .map(|n| format!("{}\n", n.wrapping_mul(seed) % 9973))
            .collect()
    };
    let started = Instant::now();
    let diff = file_diff("f".into(), Some(&text(7919)), &text(104_729));
    assert!(diff.truncated && diff.added > 0);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}
