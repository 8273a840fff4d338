use super::*;

#[test]
fn line_endings_and_byte_order_mark_of_the_old_file_stay() {
    for (old, new, expected) in [
        (None, "a\r\nb\n", "a\r\nb\n"),
        (Some("x\ny\n"), "a\r\nb\n", "a\r\nb\n"),
        (Some("x\r\ny"), "a\nb\r\nc\rd", "a\r\nb\r\nc\r\nd"),
        (Some("\u{feff}x\r\n"), "a\n", "\u{feff}a\r\n"),
        (Some("\u{feff}x"), "\u{feff}a", "\u{feff}a"),
        (Some(""), "a\n", "a\n"),
    ] {
        assert_eq!(in_form_of(old.map(str::as_bytes), new), expected, "{old:?} {new:?}");
    }
    let late = format!("{}\r\n", "x".repeat(5000));
    assert_eq!(
        in_form_of(Some(late.as_bytes()), "a\n"),
        "a\n",
        "only the beginning decides"
    );
}
