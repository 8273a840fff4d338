use super::*;

const LIMITS: PageLimits = PageLimits {
    offset: 1,
    lines: 500,
    line_chars: 2000,
    chars: 100_000,
};

/// The page whatever the pieces are.
fn page(limits: PageLimits, bytes: &[u8]) -> Page {
    let in_pieces = |size: usize| {
        let mut reader = PageReader::new(limits);
        bytes.chunks(size).for_each(|piece| reader.push(piece));
        reader.finish()
    };
    let whole = in_pieces(bytes.len().max(1));
    for size in [1, 2, 3, 7] {
        assert_eq!(in_pieces(size), whole, "in pieces of {size}");
    }
    whole
}

fn content(limits: PageLimits, bytes: &[u8]) -> (String, u64) {
    let page = page(limits, bytes);
    (page.content, page.total_lines)
}

#[test]
fn lines_are_counted_as_they_are() {
    for (bytes, expected, total) in [
        ("", "", 0),
        ("\n", "1|", 1),
        ("a", "1|a", 1),
        ("a\n", "1|a", 1),
        ("a\nb", "1|a\n2|b", 2),
        ("a\n\nb\n", "1|a\n2|\n3|b", 3),
        ("a\r\nb\r\n", "1|a\r\n2|b\r", 2),
        ("\u{feff}a\n\u{feff}b", "1|a\n2|\u{feff}b", 2),
    ] {
        assert_eq!(
            content(LIMITS, bytes.as_bytes()),
            (expected.to_owned(), total),
            "{bytes:?}"
        );
    }
}

#[test]
fn a_page_is_cut_out_by_offset_and_limit() {
    let text: String = (1..=12).map(|number| format!("line {number}\n")).collect();
    let limits = |offset, lines| PageLimits {
        offset,
        lines,
        ..LIMITS
    };
    assert_eq!(
        content(limits(10, 2), text.as_bytes()),
        ("10|line 10\n11|line 11".to_owned(), 12)
    );
    assert_eq!(content(limits(12, 5), text.as_bytes()), ("12|line 12".to_owned(), 12));
    assert_eq!(content(limits(13, 5), text.as_bytes()), (String::new(), 12));
    assert_eq!(page(limits(10, 2), text.as_bytes()).next_offset(10), Some(12));
    assert_eq!(page(limits(10, 3), text.as_bytes()).next_offset(10), None);
    assert_eq!(page(limits(13, 3), text.as_bytes()).next_offset(13), None);
}

#[test]
fn long_lines_are_cut_and_said_so() {
    let limits = PageLimits {
        line_chars: 3,
        ..LIMITS
    };
    assert_eq!(
        content(limits, "ééé\néééé\nabc\n".as_bytes()).0,
        "1|ééé\n2|ééé... [truncated]\n3|abc"
    );
    let long = "é".repeat(1_000_000);
    let page = page_of_one(limits, long.as_bytes());
    assert_eq!((page.content.as_str(), page.replaced), ("1|ééé... [truncated]", false));
}

fn page_of_one(limits: PageLimits, bytes: &[u8]) -> Page {
    let mut reader = PageReader::new(limits);
    bytes.chunks(4093).for_each(|piece| {
        reader.push(piece);
        assert!(
            reader.line.len() <= limits.line_chars * 4 + 4,
            "a long line is not kept"
        );
    });
    reader.finish()
}

#[test]
fn the_budget_keeps_whole_lines() {
    let limits = PageLimits { chars: 11, ..LIMITS };
    let cut = page(limits, b"abc\ndef\nghi\n");
    assert_eq!(
        (cut.content.as_str(), cut.total_lines, cut.ended_by),
        ("1|abc\n2|def", 3, EndedBy::Chars)
    );
    assert_eq!(cut.next_offset(1), Some(3));
    let first = page(PageLimits { chars: 6, ..LIMITS }, "äbcdefgh\nx\n".as_bytes());
    assert_eq!((first.content.as_str(), first.ended_by), ("1|äbcd", EndedBy::FirstLine));
    assert_eq!(first.next_offset(1), Some(2));
}

#[test]
fn bytes_that_are_not_utf8_are_replaced_and_noticed() {
    let page = page(LIMITS, b"caf\xe9\nok\n");
    assert_eq!((page.content.as_str(), page.replaced), ("1|caf\u{fffd}\n2|ok", true));
    let outside = super::tests::page(PageLimits { offset: 2, ..LIMITS }, b"caf\xe9\nok\n");
    assert!(!outside.replaced, "what is not shown does not matter");
}
