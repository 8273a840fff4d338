use super::*;

#[test]
fn a_boosted_cap_doubles_and_stays_within_its_limit() {
    assert_eq!(
        [1, 2, 3, 4].map(|times| boosted(None, times)),
        [16_384, 32_768, 32_768, 32_768]
    );
    assert_eq!(boosted(Some(1_000), 1), 16_384);
    assert_eq!(boosted(Some(100_000), 1), 100_000);
}

#[test]
fn the_line_of_the_list_is_the_last_said_without_markup() {
    let line = |text: &str| preview(text, None, TurnStatus::Complete);
    assert_eq!(line("Done.\n\n- **All** tests `pass`.\n"), "All tests pass.");
    assert_eq!(line("## Result\n\n```\ncode\n```\n"), "Result");
    assert_eq!(line("a [link](https://x.example) here"), "a link here");
    assert_eq!(preview("half", None, TurnStatus::Interrupted), "Stopped by you");
}
