use super::*;

const KNOWN: [&str; 5] = ["clarify", "read_file", "terminal", "todo", "write_file"];

#[test]
fn other_spellings_find_the_tool() {
    for (name, expected) in [
        ("read_file", Some("read_file")),
        ("READ_FILE", Some("read_file")),
        ("read-file", Some("read_file")),
        ("Read File", Some("read_file")),
        ("ReadFile", Some("read_file")),
        ("readFileTool", Some("read_file")),
        ("TodoTool_tool", Some("todo")),
        ("terminal\" <|im_end|>", Some("terminal")),
        ("termnal", Some("terminal")),
        ("read_files", Some("read_file")),
        ("search_web", None),
        ("", None),
        ("  ", None),
        ("\"><", None),
    ] {
        assert_eq!(repair_name(name, KNOWN), expected, "{name:?}");
    }
}

#[test]
fn similarity_counts_common_blocks() {
    assert!((similarity("abcd", "bcde") - 0.75).abs() < 1e-9);
    assert!((similarity("", "") - 1.0).abs() < 1e-9);
    assert!(similarity("abc", "xyz").abs() < 1e-9);
}
