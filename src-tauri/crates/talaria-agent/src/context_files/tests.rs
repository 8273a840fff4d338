use super::*;

#[test]
fn own_instructions_win_and_are_found_up_to_the_repository_root() {
    let dir = tempfile::tempdir().unwrap();
    let inner = dir.path().join("a/b");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::create_dir(dir.path().join(".git")).unwrap();
    std::fs::write(dir.path().join(".talaria.md"), "root rules").unwrap();
    std::fs::write(inner.join("CLAUDE.md"), "other").unwrap();
    assert_eq!(find(&inner, 1_000).unwrap().text, "root rules");
    std::fs::remove_dir(dir.path().join(".git")).unwrap();
    assert_eq!(find(&inner, 1_000).unwrap().text, "other");
}

#[test]
fn long_instructions_keep_head_and_tail() {
    let text = format!("{}{}", "a".repeat(900), "z".repeat(900));
    let (cut, truncated) = cut(&text, 1_000, "AGENTS.md");
    assert!(truncated);
    assert!(cut.starts_with(&"a".repeat(700)) && cut.ends_with(&"z".repeat(200)));
    assert!(cut.contains("[900 characters of AGENTS.md are left out here"));
}

#[test]
fn folders_and_empty_files_are_no_instructions() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("AGENTS.md")).unwrap();
    std::fs::write(dir.path().join("CLAUDE.md"), " \n").unwrap();
    assert_eq!(find(dir.path(), 1_000), None);
}

#[test]
fn rule_files_count_as_one_and_come_last() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join(".cursor/rules")).unwrap();
    std::fs::write(dir.path().join(".cursor/rules/b.mdc"), "second").unwrap();
    std::fs::write(dir.path().join(".cursor/rules/a.mdc"), "first").unwrap();
    std::fs::write(dir.path().join(".cursor/rules/note.txt"), "no").unwrap();
    assert_eq!(find(dir.path(), 1_000).unwrap().text, "first\n\nsecond");
    std::fs::write(dir.path().join("AGENTS.md"), "agents").unwrap();
    assert_eq!(find(dir.path(), 1_000).unwrap().text, "agents");
}
