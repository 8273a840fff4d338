use super::*;
use Scope::{Alone, Free};
use Segment::{Parallel, Sequential};

fn path(text: &str) -> Scope {
    Scope::Path(PathBuf::from(text))
}

#[test]
fn a_batch_is_cut_at_barriers_and_at_overlapping_paths() {
    for (scopes, expected) in [
        (vec![], vec![]),
        (vec![Free], vec![Sequential(0..1)]),
        (vec![Free, Free], vec![Parallel(0..2)]),
        (vec![Alone, Alone, Free], vec![Sequential(0..3)]),
        (
            vec![Free, Free, Alone, Free, Free],
            vec![Parallel(0..2), Sequential(2..3), Parallel(3..5)],
        ),
        (
            vec![path("/a"), path("/b"), path("/a")],
            vec![Parallel(0..2), Sequential(2..3)],
        ),
        (
            vec![path("/a"), path("/a/b"), path("/ab")],
            vec![Sequential(0..1), Parallel(1..3)],
        ),
        (
            vec![path("/a"), Free, path("/a")],
            vec![Parallel(0..2), Sequential(2..3)],
        ),
    ] {
        assert_eq!(plan(&scopes), expected, "{scopes:?}");
    }
}

#[test]
fn segments_cover_each_call_once_and_in_order() {
    let scopes = [Free, Alone, path("/a"), path("/a"), Free, Free, Alone];
    let covered: Vec<usize> = plan(&scopes).iter().flat_map(Segment::calls).collect();
    assert_eq!(covered, (0..scopes.len()).collect::<Vec<_>>());
}
