//! Line endings and byte order mark of a file, kept when its text is replaced (files.md 5.2).

use std::borrow::Cow;

const BOM: &str = "\u{feff}";
/// How much of the old file decides about its line endings.
const LOOKED_AT: usize = 4096;

/// The new text in the form of the old file. A new file is written as sent.
pub(crate) fn in_form_of<'a>(old: Option<&[u8]>, new: &'a str) -> Cow<'a, str> {
    let Some(old) = old else { return Cow::Borrowed(new) };
    let mut text = Cow::Borrowed(new);
    if old[..old.len().min(LOOKED_AT)].windows(2).any(|pair| pair == b"\r\n") {
        let unix = new.replace("\r\n", "\n").replace('\r', "\n");
        text = Cow::Owned(unix.replace('\n', "\r\n"));
    }
    if old.starts_with(BOM.as_bytes()) && !text.starts_with(BOM) {
        text.to_mut().insert_str(0, BOM);
    }
    text
}

#[cfg(test)]
mod tests;
