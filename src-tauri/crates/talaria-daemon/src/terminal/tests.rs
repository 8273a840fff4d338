use super::visible;

#[test]
fn control_characters_of_a_model_do_not_reach_the_terminal() {
    assert_eq!(visible("a\x1b[2Jb\rc\u{9b}d\ne"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\ne");
}
