use super::*;

#[test]
fn titles_lose_what_cannot_be_seen() {
    assert_eq!(
        clean_title("  fix\tthe \u{200B}\u{202E}parser\n\u{7} now "),
        Some("fix the parser now".to_owned())
    );
    assert_eq!(clean_title("\u{FEFF} \u{0}"), None);
    assert_eq!(
        clean_title(&"é".repeat(150)).map(|title| title.chars().count()),
        Some(100)
    );
}
