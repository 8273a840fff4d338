use super::{visible, visible_line};

#[test]
fn control_characters_of_a_model_do_not_reach_the_terminal() {
    assert_eq!(visible("a\x1b[2Jb\rc\u{9b}d\ne"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\ne");
}

#[test]
fn text_cannot_be_turned_around() {
    assert_eq!(visible("rm \u{202e}txt.a"), "rm \u{fffd}txt.a");
}

#[test]
fn a_line_stays_one_line() {
    assert_eq!(visible_line("a\nAllow?"), "a⏎Allow?");
}
