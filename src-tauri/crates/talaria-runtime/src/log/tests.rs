use super::*;

#[test]
fn the_log_rotates_and_keeps_three_files() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = LogFile {
        folder: dir.path().join("logs"),
        open: None,
    };
    let line = vec![b'x'; 1024 * 1024];
    for _ in 0..24 {
        log.write(&line).unwrap();
    }
    let mut names: Vec<String> = std::fs::read_dir(dir.path().join("logs"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["talaria.log", "talaria.log.1", "talaria.log.2"]);
    assert!(std::fs::metadata(dir.path().join("logs/talaria.log.1")).unwrap().len() <= MAX_BYTES);
}

#[test]
fn the_tail_is_the_last_lines() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(tail(dir.path(), 2), Vec::<String>::new());
    std::fs::write(dir.path().join(FILE_NAME), "a\nb\nc\n").unwrap();
    assert_eq!(tail(dir.path(), 2), ["b", "c"]);
}
