use super::*;
use std::io::Cursor;

#[test]
fn lines_end_at_line_feeds_and_at_the_end_of_input() {
    let mut input = Cursor::new(b"{\"a\":1}\n\nlast".to_vec());
    assert_eq!(read_line(&mut input).unwrap().as_deref(), Some("{\"a\":1}"));
    assert_eq!(read_line(&mut input).unwrap().as_deref(), Some(""));
    assert_eq!(read_line(&mut input).unwrap().as_deref(), Some("last"));
    assert_eq!(read_line(&mut input).unwrap(), None);
}

#[test]
fn a_line_over_the_limit_is_cut_just_behind_it() {
    let mut long = vec![b'x'; MAX_FRAME_BYTES + 1_000];
    long.extend_from_slice(b"\nnext\n");
    let mut input = Cursor::new(long);
    assert_eq!(
        read_line(&mut input).unwrap().map(|line| line.len()),
        Some(MAX_FRAME_BYTES + 1)
    );
    assert_eq!(read_line(&mut input).unwrap().as_deref(), Some("next"));
}
