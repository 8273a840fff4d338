use super::*;

fn key(path: &str) -> PageKey {
    PageKey {
        path: path.into(),
        offset: 1,
        limit: 10,
    }
}

#[test]
fn a_repeated_page_is_told_once_and_then_blocked() {
    let memory = FileMemory::default();
    let version = Version::of_bytes(b"a");
    assert_eq!(memory.ask(0, &key("f"), &version), Repeat::Read { in_row: 1 });
    memory.shown(key("f"), version, Extent::Whole);
    assert_eq!(
        memory.ask(0, &key("f"), &version.modified_at(5)),
        Repeat::Unchanged,
        "touching is no change"
    );
    assert_eq!(memory.ask(0, &key("f"), &version), Repeat::Blocked { times: 3 });
    assert_eq!(
        memory.ask(1, &key("f"), &version),
        Repeat::Unchanged,
        "another call came between"
    );
    memory.wrote("f", Version::of_bytes(b"b"));
    assert_eq!(
        memory.ask(1, &key("f"), &Version::of_bytes(b"b")),
        Repeat::Read { in_row: 1 }
    );
}

#[test]
fn a_file_that_always_changes_is_read_three_times_in_a_row() {
    let memory = FileMemory::default();
    let ask = |row, number: u8| {
        let version = Version::of_bytes(&[number]);
        let repeat = memory.ask(row, &key("log"), &version);
        memory.shown(key("log"), version, Extent::Whole);
        repeat
    };
    assert_eq!(ask(0, 1), Repeat::Read { in_row: 1 });
    assert_eq!(ask(0, 2), Repeat::Read { in_row: 2 });
    assert_eq!(ask(0, 3), Repeat::Read { in_row: 3 });
    assert_eq!(ask(0, 4), Repeat::Blocked { times: 4 });
    assert_eq!(ask(1, 5), Repeat::Read { in_row: 1 });
}

#[test]
fn the_session_knows_what_it_saw() {
    let memory = FileMemory::default();
    let (old, new) = (Version::of_bytes(b"old"), Version::of_bytes(b"new"));
    assert_eq!(memory.standing("f", &old), Standing::Unseen);
    memory.shown(key("f"), old, Extent::Part);
    assert_eq!(memory.standing("f", &old), Standing::Partial);
    memory.shown(key("f"), old, Extent::Whole);
    memory.shown(PageKey { offset: 5, ..key("f") }, old, Extent::Part);
    assert_eq!(
        memory.standing("f", &old),
        Standing::Current,
        "the whole was read before"
    );
    assert!(matches!(memory.standing("f", &new), Standing::Changed { .. }));
    memory.wrote("f", new);
    assert_eq!(memory.standing("f", &new), Standing::Current);
}

#[test]
fn without_content_size_and_time_decide() {
    let stat = |size, modified_ns| {
        Version::of_stat(&FileStat {
            kind: talaria_exec::FileKind::File,
            size,
            modified_ns,
            mode: 0o644,
        })
    };
    assert!(stat(5, 1).same_content(&stat(5, 1)));
    assert!(!stat(5, 1).same_content(&stat(5, 2)));
    assert!(!stat(5, 1).same_content(&stat(6, 1)));
}

#[test]
fn the_oldest_entry_goes_first() {
    let mut recent = Recent::default();
    for number in 0..5 {
        recent.put(number, (), 3);
    }
    let mut left: Vec<i32> = recent.entries.keys().copied().collect();
    left.sort_unstable();
    assert_eq!(left, [2, 3, 4]);
}
