use super::*;

fn events(reader: &mut SseReader, chunks: &[&[u8]]) -> Vec<(String, String)> {
    let mut seen = Vec::new();
    let mut take = |event: SseEvent<'_>| {
        seen.push((event.name.to_owned(), String::from_utf8_lossy(event.data).into_owned()));
    };
    for chunk in chunks {
        reader.push(chunk, &mut take).unwrap();
    }
    reader.finish(&mut take);
    seen
}

fn pair(name: &str, data: &str) -> (String, String) {
    (name.to_owned(), data.to_owned())
}

const STREAM: &[u8] = "\u{feff}: hello\r\nevent: error\r\ndata: {\"a\":\"é\"}\r\n\r\ndata:one\ndata: two\n\nid: 3\ndata\n\nevent:x\r\rdata: last\r"
    .as_bytes();

fn expected() -> Vec<(String, String)> {
    vec![
        pair("error", "{\"a\":\"é\"}"),
        pair("", "one\ntwo"),
        pair("", ""),
        pair("", "last"),
    ]
}

#[test]
fn line_ends_comments_names_and_several_data_lines() {
    assert_eq!(events(&mut SseReader::default(), &[STREAM]), expected());
}

#[test]
fn every_cut_gives_the_same_events() {
    for cut in 0..=STREAM.len() {
        let (head, tail) = STREAM.split_at(cut);
        assert_eq!(
            events(&mut SseReader::default(), &[head, tail]),
            expected(),
            "cut at {cut}"
        );
    }
    let bytes: Vec<&[u8]> = STREAM.chunks(1).collect();
    assert_eq!(events(&mut SseReader::default(), &bytes), expected());
}

#[test]
fn an_endless_line_is_an_error_and_not_memory() {
    let mut reader = SseReader::with_limit(64);
    let mut ignore = |_: SseEvent<'_>| {};
    let mut result = Ok(());
    for _ in 0..20 {
        result = reader.push(b"data: xxxxxxxxxxxxxxxx", &mut ignore);
        if result.is_err() {
            break;
        }
    }
    assert_eq!(result, Err(EventTooLong { limit: 64 }));
}

#[test]
fn endless_data_lines_of_one_event_are_an_error() {
    let mut reader = SseReader::with_limit(64);
    let failed = (0..20).any(|_| {
        reader
            .push(b"data: xxxxxxxxxxxxxxxx\n", &mut |_: SseEvent<'_>| {})
            .is_err()
    });
    assert!(failed);
}
