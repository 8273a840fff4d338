use super::branch;

#[test]
fn branch_of_a_repository_a_worktree_and_a_detached_head() {
    let dir = tempfile::tempdir().unwrap();
    let repo = dir.path().join("repo");
    std::fs::create_dir_all(repo.join(".git/worktrees/w")).unwrap();
    std::fs::create_dir_all(repo.join("src")).unwrap();
    std::fs::write(repo.join(".git/HEAD"), "ref: refs/heads/feat/x\n").unwrap();
    assert_eq!(branch(&repo.join("src")).as_deref(), Some("feat/x"));

    let tree = dir.path().join("tree");
    std::fs::create_dir(&tree).unwrap();
    std::fs::write(
        tree.join(".git"),
        format!("gitdir: {}\n", repo.join(".git/worktrees/w").display()),
    )
    .unwrap();
    std::fs::write(repo.join(".git/worktrees/w/HEAD"), "0123456789abcdef\n").unwrap();
    assert_eq!(branch(&tree).as_deref(), Some("0123456"));
    assert_eq!(branch(dir.path()), None);
}
