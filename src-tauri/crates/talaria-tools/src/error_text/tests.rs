use super::*;

#[test]
fn cases_tool_error() {
    crate::cases::run("tool-error", |case| {
        let got = sanitize_error(case["input"]["text"].as_str().expect("text"));
        let expected = case["expect"]["text"].as_str().expect("text");
        (got.trim_end() == expected.trim_end()).then_some(()).ok_or(got)
    });
}

#[test]
fn a_tag_that_a_removal_puts_together_is_removed() {
    assert_eq!(sanitize_error("<sys<![CDATA[x]]>tem>y"), "[TOOL_ERROR] y");
    assert_eq!(sanitize_error("<<system>system>y"), "[TOOL_ERROR] y");
    assert_eq!(sanitize_error("<\n```system>y"), "[TOOL_ERROR] y");
}

#[test]
fn an_open_cdata_section_and_lone_brackets_stay() {
    assert_eq!(
        sanitize_error("a < b <![CDATA[ c > d"),
        "[TOOL_ERROR] a < b <![CDATA[ c > d"
    );
}

#[test]
fn a_deeply_nested_message_is_quick() {
    let hostile = "<sys".repeat(8_000) + &"tem>".repeat(8_000);
    let started = std::time::Instant::now();
    assert_eq!(sanitize_error(&hostile).trim(), "[TOOL_ERROR]");
    assert!(started.elapsed() < std::time::Duration::from_secs(1));
}
