use super::*;

fn status(path: &str, old: Option<&str>, new: &str) -> Status {
    lint(path, old, new).status
}

#[test]
fn json_is_checked_and_comments_are_allowed_where_they_belong() {
    for (path, text, expected) in [
        ("x.json", "{\"a\": [1, 2]}", Status::Ok),
        ("x.json", "{bad", Status::Error),
        ("x.json", "", Status::Ok),
        ("x.json", "\u{feff}{}", Status::Ok),
        ("x.json", "// c\n{}", Status::Error),
        ("a/tsconfig.json", "// c\n{}", Status::Ok),
        ("tsconfig.build.json", "{\"a\": /* , } */ [1, 2,], // x\n}", Status::Ok),
        (
            "x.jsonc",
            "{\"a\": \"// no \\\" comment\", /*/ x */ \"b\": 1}",
            Status::Ok,
        ),
        ("x.jsonc", "{\"a\" 1}", Status::Error),
        ("x.rs", "fn (", Status::Skipped),
        ("Makefile", "", Status::Skipped),
    ] {
        assert_eq!(status(path, None, text), expected, "{path} {text:?}");
    }
}

#[test]
fn an_error_names_its_place_and_whether_it_is_new() {
    assert_eq!(
        lint("x.json", Some("{}"), "{\n  \"a\": }"),
        Lint {
            status: Status::Error,
            output: Some("JSON syntax: expected value at line 2 column 8".into()),
            message: None
        }
    );
    assert!(
        lint("x.json", Some("{"), "{bad")
            .message
            .is_some_and(|text| text.contains("already broken"))
    );
    let inside_comment = lint("x.jsonc", None, "/* a\n b */ {\n1}");
    assert!(
        inside_comment
            .output
            .is_some_and(|text| text.contains("line 3 column 1"))
    );
}
