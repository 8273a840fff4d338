use super::*;

async fn run(folder: &Path, args: &[&str]) -> (String, Option<i32>) {
    let output = tokio::process::Command::new("sh")
        .args(args)
        .current_dir(folder)
        .output()
        .await
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

#[tokio::test]
async fn one_test_fails_until_any_of_the_fixes_is_written() {
    let parent = tempfile::tempdir().unwrap();
    let folder = create_sample_project(&parent.path().join("samples")).unwrap();
    let (output, code) = run(&folder, &[TESTS]).await;
    assert_eq!(code, Some(1));
    assert_eq!(output.matches("FAIL").count(), 1, "{output}");
    assert!(
        output.contains("FAIL  the last line counts without a line break: expected 4.65, got 1.20"),
        "{output}"
    );
    for skips in [Skips::Blank, Skips::Comments, Skips::Both] {
        fs::write(folder.join(SCRIPT), fixed(skips)).unwrap();
        let (output, code) = run(&folder, &[TESTS]).await;
        assert_eq!(
            (code, output.ends_with("all tests passed\n")),
            (Some(0), true),
            "{output}"
        );
    }
    assert_eq!(run(&folder, &[SCRIPT, "lists/fruit.txt"]).await.0, "7.45\n");
}

#[tokio::test]
async fn the_fix_skips_what_was_chosen() {
    let parent = tempfile::tempdir().unwrap();
    let folder = create_sample_project(parent.path()).unwrap();
    fs::write(folder.join("list"), "# fruit 999\napples 120\n\npears 345").unwrap();
    fs::write(folder.join(SCRIPT), fixed(Skips::Both)).unwrap();
    assert_eq!(run(&folder, &[SCRIPT, "list"]).await.0, "4.65\n");
    fs::write(folder.join("list"), "# 999\napples 120\n").unwrap();
    fs::write(folder.join(SCRIPT), fixed(Skips::Blank)).unwrap();
    assert_eq!(run(&folder, &[SCRIPT, "list"]).await.0, "11.19\n");
}

#[test]
fn each_call_makes_another_folder() {
    let parent = tempfile::tempdir().unwrap();
    let names: Vec<_> = (0..3)
        .map(|_| {
            create_sample_project(parent.path())
                .unwrap()
                .strip_prefix(parent.path())
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(names, ["price-list", "price-list-2", "price-list-3"].map(PathBuf::from));
    assert!(faulty().contains(FAULTY_LOOP) && !faulty().contains(FIXED_MARK));
    assert!(!fixed(Skips::Both).contains(FAULTY_LOOP) && fixed(Skips::Both).contains(FIXED_MARK));
}
