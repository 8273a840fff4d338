//! A page of numbered lines out of a file that comes in pieces.

use std::borrow::Cow;
use std::fmt::Write as _;

const BOM: &[u8] = b"\xEF\xBB\xBF";
const CUT_MARK: &str = "... [truncated]";

/// Which lines are wanted and how much of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageLimits {
    /// First line, from 1.
    pub(crate) offset: u64,
    /// Most lines.
    pub(crate) lines: u64,
    /// Most characters a line.
    pub(crate) line_chars: usize,
    /// Most characters in all, numbers included.
    pub(crate) chars: usize,
}

/// The lines, and how they lie in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// `12|text`, joined by line breaks.
    pub(crate) content: String,
    /// Lines in the page.
    pub(crate) shown: u64,
    /// Lines in the file.
    pub(crate) total_lines: u64,
    /// What ended the page before its lines were all in.
    pub(crate) ended_by: EndedBy,
    /// Whether bytes that are not UTF-8 were replaced.
    pub(crate) replaced: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndedBy {
    /// The number of lines, or the end of the file.
    Lines,
    /// The characters; the next line did not fit any more.
    Chars,
    /// The first line alone was too long and is cut.
    FirstLine,
}

impl Page {
    /// Line to go on with, when there is more.
    pub(crate) fn next_offset(&self, offset: u64) -> Option<u64> {
        let next = offset + self.shown;
        (self.shown > 0 && next <= self.total_lines).then_some(next)
    }
}

/// Takes the bytes of a file in order. Keeps no more than the page and one bounded line.
pub(crate) struct PageReader {
    limits: PageLimits,
    /// Number of the line that the next byte belongs to.
    number: u64,
    /// Beginning of a line of the page that did not end in its piece.
    line: Vec<u8>,
    line_began: bool,
    page: Page,
    chars: usize,
}

impl PageReader {
    pub(crate) fn new(limits: PageLimits) -> Self {
        let page = Page {
            content: String::new(),
            shown: 0,
            total_lines: 0,
            ended_by: EndedBy::Lines,
            replaced: false,
        };
        Self {
            limits,
            number: 1,
            line: Vec::new(),
            line_began: false,
            page,
            chars: 0,
        }
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.is_full() {
                return self.count_only(bytes);
            }
            match memchr::memchr(b'\n', bytes) {
                Some(end) => {
                    self.end_line(&bytes[..end]);
                    bytes = &bytes[end + 1..];
                }
                None => {
                    self.line_began = true;
                    if self.in_page() {
                        // No character is longer than four bytes, so the rest of the line would be cut off anyway.
                        let room = (self.limits.line_chars * 4 + 4).saturating_sub(self.line.len());
                        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
                    }
                    return;
                }
            }
        }
    }

    pub(crate) fn finish(mut self) -> Page {
        if self.line_began {
            self.end_line(&[]);
        }
        self.page.total_lines = self.number - 1;
        self.page
    }

    fn in_page(&self) -> bool {
        self.number >= self.limits.offset && !self.is_full()
    }

    fn is_full(&self) -> bool {
        self.page.shown >= self.limits.lines || self.page.ended_by != EndedBy::Lines
    }

    fn count_only(&mut self, bytes: &[u8]) {
        self.number += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.line_began = bytes.last().is_some_and(|last| *last != b'\n');
    }

    fn end_line(&mut self, rest: &[u8]) {
        if self.in_page() {
            if self.line.is_empty() {
                self.add_line(rest);
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(rest);
                self.add_line(&line);
                line.clear();
                self.line = line;
            }
        }
        self.line_began = false;
        self.number += 1;
    }

    fn add_line(&mut self, line: &[u8]) {
        let line = if self.number == 1 {
            line.strip_prefix(BOM).unwrap_or(line)
        } else {
            line
        };
        let (text, cut) = self.clip(line);
        let separator = usize::from(self.page.shown > 0);
        let number_chars = self.number.checked_ilog10().unwrap_or(0) as usize + 2;
        let text_chars = text.chars().count() + if cut { CUT_MARK.len() } else { 0 };
        let needed = separator + number_chars + text_chars;
        if self.chars + needed > self.limits.chars {
            if self.page.shown > 0 {
                self.page.ended_by = EndedBy::Chars;
                return;
            }
            self.page.ended_by = EndedBy::FirstLine;
        }
        if separator > 0 {
            self.page.content.push('\n');
        }
        // Writing to a String cannot fail.
        let _ = write!(self.page.content, "{}|", self.number);
        self.page.content.push_str(&text);
        if cut {
            self.page.content.push_str(CUT_MARK);
        }
        if self.page.ended_by == EndedBy::FirstLine
            && let Some((end, _)) = self.page.content.char_indices().nth(self.limits.chars)
        {
            self.page.content.truncate(end);
        }
        self.chars += needed;
        self.page.shown += 1;
    }

    /// The line as text, cut to its most characters.
    fn clip<'a>(&mut self, line: &'a [u8]) -> (Cow<'a, str>, bool) {
        // Bytes that are kept of a line in pieces may end inside a character; what follows is cut off anyway.
        let kept = &line[..line.len().min(self.limits.line_chars * 4 + 4)];
        let mut text = match std::str::from_utf8(kept) {
            Ok(text) => Cow::Borrowed(text),
            Err(error) if error.error_len().is_none() && kept.len() > self.limits.line_chars * 4 => {
                String::from_utf8_lossy(&kept[..error.valid_up_to()])
            }
            Err(_) => {
                self.page.replaced = true;
                String::from_utf8_lossy(kept)
            }
        };
        if text.len() <= self.limits.line_chars {
            return (text, false);
        }
        match text.char_indices().nth(self.limits.line_chars) {
            None => (text, false),
            Some((end, _)) => {
                match &mut text {
                    Cow::Borrowed(text) => *text = &text[..end],
                    Cow::Owned(text) => text.truncate(end),
                }
                (text, true)
            }
        }
    }
}

#[cfg(test)]
mod tests;
