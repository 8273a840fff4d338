use super::*;

#[test]
fn previews_are_one_short_line() {
    assert_eq!(preview("  fix\n\nthe   test "), "fix the test");
    assert_eq!(preview(""), "");
    let exact = "x".repeat(60);
    assert_eq!(preview(&exact), exact);
    assert_eq!(preview(&"x".repeat(61)), format!("{exact}…"));
    assert_eq!(
        preview(&format!("{} y", "x".repeat(59))),
        format!("{}…", "x".repeat(59))
    );
}
