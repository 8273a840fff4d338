use super::*;

#[test]
fn strips_every_kind_of_sequence() {
    for (text, plain) in [
        ("plain é 日本", "plain é 日本"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[?25lhidden\x1b[?25h", "hidden"),
        ("\x1b[38:2::1:2:3mrgb\x1b[m", "rgb"),
        ("a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\c\u{9d}0;t\u{9c}d", "abcd"),
        ("\x1bPq#0~\x1b\\six\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\", "six"),
        ("\x1b(Bok\x1b=\x1b7\x1bc", "ok"),
        ("\u{9b}1mbold\u{85}x", "boldx"),
        ("Â price £", "Â price £"),
        ("\x1b[31", "31"),
        ("\x1b]0;no end\nnext", "0;no end\nnext"),
        ("\x1b[3\nx", "3\nx"),
        ("end\x1b", "end"),
        ("\x1béx", "éx"),
        ("\x1b]0;cut off\x1b[31mred", "0;cut offred"),
    ] {
        assert_eq!(strip_escapes(text), plain, "{text:?}");
    }
}

#[test]
fn pieces_give_the_same_as_the_whole_wherever_they_are_cut() {
    let text =
        "a\x1b[1;31mred\x1b[0m\x1b]8;;http://x\x1b\\link\x1b]8;;\x07 é\u{9b}1mb\x1b(0z\x1b[\n\x1bPdata\x1b\\end\x1b[3";
    for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
        let mut stripper = Stripper::default();
        let mut plain = String::new();
        let mut scratch = String::new();
        for piece in [&text[..cut], &text[cut..]] {
            plain.push_str(&stripper.push(piece, &mut scratch));
        }
        plain.push_str(&stripper.finish());
        assert_eq!(plain, strip_escapes(text), "cut at {cut}");
    }
}

#[test]
fn text_that_starts_like_a_sequence_without_end_is_not_held_for_ever() {
    let mut stripper = Stripper::default();
    let mut scratch = String::new();
    let mut plain = stripper.push("\x1b]52;", &mut scratch).into_owned();
    for _ in 0..LONGEST_SEQUENCE {
        plain.push_str(&stripper.push("xy", &mut scratch));
        assert!(stripper.held.len() <= LONGEST_SEQUENCE);
    }
    assert!(plain.len() > LONGEST_SEQUENCE);
}

#[test]
fn a_card_keeps_colours_and_nothing_else() {
    for (text, shown) in [
        (
            "\x1b[32mok\x1b[0m\x1b[2K\x1b[1A\x1b]0;t\x07\x07!\n",
            "\x1b[32mok\x1b[0m!\n",
        ),
        ("\u{9b}31mred\u{9b}m", "\x1b[31mred\x1b[m"),
        ("\x1b[>4;2m", ""),
        ("10%\r20%\r100%\n", "100%\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("last\r", "last"),
        ("\x1b[32m10%\x1b[0m\r\x1b[32m20%\x1b[0m\r", "\x1b[0m\x1b[32m20%\x1b[0m"),
        ("\x1b[33m1\r2\x1b[0m\n", "\x1b[33m2\x1b[0m\n"),
        ("|\x08/\x08-\n", "-\n"),
        ("tab\there\x00\x7f", "tab\there"),
        ("é\u{85}日", "é日"),
    ] {
        assert_eq!(keep_colours(text), shown, "{text:?}");
    }
}

#[test]
fn many_introducers_take_no_longer_than_other_text() {
    let text = "\x1b]\u{9d}\x1bP".repeat(400_000);
    let start = std::time::Instant::now();
    assert_eq!(strip_escapes(&text), "");
    assert!(
        start.elapsed() < std::time::Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}
