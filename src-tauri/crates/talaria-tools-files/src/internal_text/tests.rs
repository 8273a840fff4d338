use super::*;

#[test]
fn display_text_of_a_tool_is_refused() {
    assert!(refusal(UNCHANGED).is_some());
    assert!(refusal(&format!("  {UNCHANGED}\n")).is_some());
    assert!(refusal("1|fn main() {\n2|}\n").is_some());
    assert!(refusal("7|a\n\n8|b\nc\n9|d").is_some());
}

#[test]
fn files_that_only_resemble_it_are_written() {
    assert!(refusal(&format!("{UNCHANGED}{}", "x".repeat(200))).is_none());
    assert!(refusal("1|one line\n").is_none());
    assert!(
        refusal("3|a\n1|b\n").is_none(),
        "a table whose first column is not a line number"
    );
    assert!(refusal("1|a\nb\nc\nd\n2|e\n").is_none());
    assert!(refusal("").is_none());
}
