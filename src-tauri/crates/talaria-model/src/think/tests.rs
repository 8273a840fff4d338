use super::*;

fn scrub(chunks: &[&str]) -> (String, String) {
    let mut scrubber = ThinkScrubber::default();
    let (mut visible, mut hidden) = (String::new(), String::new());
    let mut take = |piece: Piece<'_>| match piece {
        Piece::Visible(text) => visible.push_str(text),
        Piece::Hidden(text) => hidden.push_str(text),
    };
    for chunk in chunks {
        scrubber.push(chunk, &mut take);
    }
    scrubber.finish(&mut take);
    (visible, hidden)
}

#[test]
fn the_cut_of_the_text_does_not_matter() {
    let texts = [
        "<think>plan</think>Answer",
        "<think>a</thinking>b</think >\n\nc",
        "x <think>in the\nmiddle</think> y </thought>  z",
        "Use <think> here.\n\nNot </think>\nthere. a < b <thi",
        "say `<think>` and `</think>` to me",
        "a <think> b\n<think>c</think>d",
        "日\n <REASONING_SCRATCHPAD>考え</reasoning_scratchpad>語 <",
    ];
    for text in texts {
        let whole = scrub(&[text]);
        let letters: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(
            scrub(&letters.iter().map(String::as_str).collect::<Vec<_>>()),
            whole,
            "{text:?} letter by letter"
        );
        for (cut, _) in text.char_indices() {
            let (head, tail) = text.split_at(cut);
            assert_eq!(scrub(&[head, tail]), whole, "{text:?} cut at {cut}");
        }
    }
}

#[test]
fn hidden_text_is_handed_out_as_hidden() {
    assert_eq!(
        scrub(&["<think>plan", " it</think>go"]),
        ("go".to_owned(), "plan it".to_owned())
    );
    assert_eq!(scrub(&["a <think>b</think> c"]), ("a  c".to_owned(), "b".to_owned()));
}

#[test]
fn a_stray_closing_tag_goes_with_the_blanks_behind_it() {
    assert_eq!(scrub(&["plan</think>", " \n", "answer"]).0, "plananswer");
}

#[test]
fn a_quoted_tag_is_prose() {
    assert_eq!(
        scrub(&["the `<think>` tag and `</think>`"]).0,
        "the `<think>` tag and `</think>`"
    );
}

#[test]
fn a_mention_holds_back_a_paragraph_at_most() {
    let mut scrubber = ThinkScrubber::default();
    let mut visible = String::new();
    scrubber.push("Use <think> now.\n\nNext", &mut |piece| {
        if let Piece::Visible(text) = piece {
            visible.push_str(text);
        }
    });
    assert_eq!(visible, "Use <think> now.\n\nNext");
}

#[test]
fn many_mentions_stay_cheap() {
    let text = "a <think> ".repeat(2_000);
    let started = std::time::Instant::now();
    assert_eq!(scrub(&[&text]).0, text);
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
}
