//! Small text helpers.

/// At most `limit` characters on one line without control characters, with an ellipsis when cut.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.retain(|c| !c.is_control());
    match line.char_indices().nth(limit) {
        Some((cut, _)) => format!("{}…", line[..cut].trim_end()),
        None => line,
    }
}
