use super::*;
use crate::ansi::strip_escapes;
use serde_json::Value;
use std::path::PathBuf;

fn capture(cap: OutputCap, form: TextForm, pieces: &[&[u8]]) -> Captured {
    let mut capture = Capture::new(cap, form, None);
    for piece in pieces {
        capture.bytes(piece);
    }
    capture.finish()
}

#[test]
fn characters_cut_by_a_read_survive() {
    let text = "aé日😀z".repeat(3);
    for size in 1..9 {
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        let captured = capture(OutputCap::Unlimited, TextForm::Raw, &pieces);
        assert_eq!(
            (captured.text.as_str(), captured.total_chars),
            (text.as_str(), 15),
            "pieces of {size}"
        );
    }
}

#[test]
fn bytes_that_are_no_characters_become_replacements_in_pieces_as_in_whole() {
    let bytes = b"a\xff\xc3(\xe6\x97x\xf0\x9f\x98\xf0\x9f\x98\x80\xed\xa0\x80\xc3";
    let whole = String::from_utf8_lossy(bytes);
    for size in 1..=bytes.len() {
        let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
        assert_eq!(
            capture(OutputCap::Unlimited, TextForm::Raw, &pieces).text,
            whole,
            "pieces of {size}"
        );
    }
}

#[test]
fn a_long_output_keeps_head_and_tail_around_a_notice() {
    let numbers: String = (0..100_000).map(|number| format!("{number}\n")).collect();
    for size in [1, 7, 4_096, 65_536, numbers.len()] {
        let pieces: Vec<&[u8]> = numbers.as_bytes().chunks(size).collect();
        let captured = capture(OutputCap::Chars(1_000), TextForm::Plain, &pieces);
        let expected = format!(
            "{}\n\n... [OUTPUT TRUNCATED - 587,890 chars omitted out of 588,890 total] ...\n\n{}",
            &numbers[..400],
            &numbers[numbers.len() - 600..]
        );
        assert_eq!(captured.text, expected, "pieces of {size}");
        assert_eq!(
            (captured.total_bytes, captured.total_lines, captured.omitted_chars),
            (588_890, 100_000, 587_890)
        );
    }
}

#[test]
fn memory_stays_bounded_for_a_line_without_end() {
    let piece = vec![b'x'; 64 * 1024];
    let mut capture = Capture::new(OutputCap::Chars(50_000), TextForm::Plain, None);
    for _ in 0..1_600 {
        capture.bytes(&piece);
        assert!(capture.kept.tail.capacity() + capture.kept.head.capacity() < 512 * 1024);
        assert!(capture.raw_tail.text.capacity() <= 4 * RAW_TAIL_BYTES);
    }
    let captured = capture.finish();
    assert_eq!(captured.total_bytes, 1_600 * 64 * 1024);
    assert_eq!(captured.total_lines, 1);
    assert_eq!(captured.omitted_chars, 1_600 * 64 * 1024 - 50_000);
    assert!(captured.display.len() <= DISPLAY_BYTES && captured.display_cut);
}

#[test]
fn escape_sequences_do_not_count_towards_the_cap() {
    let coloured = "\x1b[31mx\x1b[0m".repeat(100);
    let captured = capture(OutputCap::Chars(100), TextForm::Plain, &[coloured.as_bytes()]);
    assert_eq!((captured.text, captured.omitted_chars), ("x".repeat(100), 0));
    assert_eq!(captured.display, coloured);
}

#[test]
fn a_note_stands_on_its_own_line_and_survives_the_cap() {
    let mut capture = Capture::new(OutputCap::Chars(5), TextForm::Raw, None);
    capture.bytes(b"0123456789");
    capture.note("[note]");
    assert!(capture.finish().text.ends_with("789\n[note]"));
    let mut capture = Capture::new(OutputCap::Chars(5), TextForm::Raw, None);
    capture.note("[note]");
    assert_eq!(capture.finish().text, "[note]");
}

#[test]
fn output_is_handed_on_decoded_as_it_comes() {
    let mut seen = Vec::new();
    let mut take = |text: &str| seen.push(text.to_owned());
    let mut capture = Capture::new(OutputCap::Unlimited, TextForm::Plain, Some(&mut take));
    capture.bytes("\x1b[31mé".as_bytes());
    capture.bytes(&"é".as_bytes()[..1]);
    capture.bytes(&"é".as_bytes()[1..]);
    drop(capture.finish());
    assert_eq!(seen, ["\x1b[31mé", "é"]);
}

/// Form of a case that is not built yet.
const NOT_BUILT: &str = "watch_patterns";

#[test]
fn cases_watch_truncate() {
    let default = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/cases"));
    let path = std::env::var_os("TALARIA_CASES")
        .map_or_else(default, PathBuf::from)
        .join("watch-truncate.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let (mut passed, mut total, mut not_built) = (0, 0, 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let input = &case["input"];
        if input.get(NOT_BUILT).is_some() {
            not_built += 1;
            continue;
        }
        total += 1;
        let got = outcome(input);
        if got.as_ref() == Some(&case["expect"]) {
            passed += 1;
        } else {
            println!("{}: got {got:?}, expected {}", case["id"], case["expect"]);
        }
    }
    println!("cases_watch_truncate: {passed}/{total}");
    println!("not built: {not_built}");
    assert!(total > 0);
    assert_eq!(passed, total);
}

/// What a case gives; `None` when its form is unknown.
fn outcome(input: &Value) -> Option<Value> {
    if let Some(text) = input.get("strip_escapes") {
        return Some(serde_json::json!({ "text": strip_escapes(text.as_str()?) }));
    }
    let output = match (input.get("output_chars"), input.get("output_text_repeat")) {
        (Some(count), None) => "x".repeat(usize::try_from(count.as_u64()?).ok()?),
        (None, Some(repeat)) => repeat["unit"]
            .as_str()?
            .repeat(usize::try_from(repeat["count"].as_u64()?).ok()?),
        _ => return None,
    };
    let limit = usize::try_from(input["limit"].as_u64()?).ok()?;
    let pieces: Vec<&[u8]> = output.as_bytes().chunks(4_096).collect();
    let captured = capture(OutputCap::Chars(limit), TextForm::Plain, &pieces);
    if captured.omitted_chars == 0 {
        assert_eq!(captured.text, output);
        return Some(serde_json::json!({ "truncated": false }));
    }
    let (head, rest) = captured.text.split_once("\n\n... [OUTPUT TRUNCATED - ")?;
    let (_, tail) = rest.split_once("] ...\n\n")?;
    assert!(output.starts_with(head) && output.ends_with(tail));
    Some(serde_json::json!({
        "truncated": true,
        "head": head.chars().count(),
        "tail": tail.chars().count(),
        "omitted": captured.omitted_chars,
    }))
}
