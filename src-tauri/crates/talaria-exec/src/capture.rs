//! Takes the output of a command while it runs: decodes, counts, caps, and keeps a tail for people.

use crate::ansi::{self, Stripper};
use crate::backend::OutputSink;
use std::borrow::Cow;

/// Bytes of display text that a card gets.
const DISPLAY_BYTES: usize = 64 * 1024;
/// Raw tail from which the display text is made; colours and collapsed progress bars leave less than they take.
const RAW_TAIL_BYTES: usize = 256 * 1024;

/// How much output is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputCap {
    /// All of it; for readers to whom a cut would be corruption.
    Unlimited,
    /// So many characters: the first 40 % and the last 60 %, with a notice between them.
    Chars(usize),
}

/// The form of the kept output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    /// As written.
    Raw,
    /// Without escape sequences.
    Plain,
}

/// What was captured.
pub(crate) struct Captured {
    pub(crate) text: String,
    pub(crate) display: String,
    pub(crate) display_cut: bool,
    pub(crate) total_bytes: u64,
    pub(crate) total_chars: u64,
    pub(crate) total_lines: u64,
    pub(crate) omitted_chars: u64,
}

pub(crate) struct Capture<'a> {
    decoder: Decoder,
    stripper: Option<Stripper>,
    kept: Kept,
    raw_tail: Tail,
    on_output: Option<&'a mut (dyn FnMut(&str) + Send)>,
    notes: Vec<String>,
    total_bytes: u64,
    newlines: u64,
    ends_in_line: bool,
    decoded: String,
    plain: String,
}

impl<'a> Capture<'a> {
    pub(crate) fn new(cap: OutputCap, form: TextForm, on_output: Option<&'a mut (dyn FnMut(&str) + Send)>) -> Self {
        Self {
            decoder: Decoder::default(),
            stripper: match form {
                TextForm::Raw => None,
                TextForm::Plain => Some(Stripper::default()),
            },
            kept: Kept::new(cap),
            raw_tail: Tail {
                text: String::new(),
                limit: RAW_TAIL_BYTES,
                is_cut: false,
            },
            on_output,
            notes: Vec::new(),
            total_bytes: 0,
            newlines: 0,
            ends_in_line: false,
            decoded: String::new(),
            plain: String::new(),
        }
    }

    /// Text of our own in place of output.
    pub(crate) fn say(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// A last line about the end of the command; survives every cap.
    pub(crate) fn note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }

    pub(crate) fn finish(mut self) -> Captured {
        let rest = self.decoder.finish();
        if let Some(rest) = rest {
            self.text(rest);
        }
        if let Some(stripper) = self.stripper.take() {
            self.kept.push(&stripper.finish());
        }
        let total_chars = self.kept.total_chars();
        let (mut text, omitted_chars) = self.kept.finish();
        let mut display = ansi::keep_colours(&self.raw_tail.text);
        let mut display_cut = self.raw_tail.is_cut;
        if display.len() > DISPLAY_BYTES {
            let from = display.ceil_char_boundary(display.len() - DISPLAY_BYTES);
            // A tail starts with a whole line where it has one.
            let from = display[from..].find('\n').map_or(from, |at| from + at + 1);
            display.drain(..from);
            display_cut = true;
        }
        for note in &self.notes {
            for text in [&mut text, &mut display] {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(note);
            }
        }
        Captured {
            text,
            display,
            display_cut,
            total_bytes: self.total_bytes,
            total_chars,
            total_lines: self.newlines + u64::from(self.ends_in_line),
            omitted_chars,
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(on_output) = &mut self.on_output {
            on_output(text);
        }
        self.raw_tail.push(text);
        match &mut self.stripper {
            None => self.kept.push(text),
            Some(stripper) => match stripper.push(text, &mut self.plain) {
                Cow::Borrowed(plain) => self.kept.push(plain),
                Cow::Owned(plain) => self.kept.push(&plain),
            },
        }
    }
}

impl OutputSink for Capture<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        self.total_bytes += bytes.len() as u64;
        self.newlines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.ends_in_line = *last != b'\n';
        // Whole reads, not the pieces between bad bytes: binary output has millions of those.
        if self.decoder.held == 0
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            return self.text(text);
        }
        let mut decoded = std::mem::take(&mut self.decoded);
        decoded.clear();
        self.decoder.push(bytes, &mut decoded);
        if !decoded.is_empty() {
            self.text(&decoded);
        }
        self.decoded = decoded;
    }
}

/// UTF-8 in pieces: a character may be cut by a read; what is no character becomes U+FFFD.
#[derive(Default)]
pub(crate) struct Decoder {
    partial: [u8; 4],
    held: usize,
}

impl Decoder {
    pub(crate) fn push(&mut self, mut bytes: &[u8], out: &mut String) {
        while self.held > 0 && !bytes.is_empty() {
            self.partial[self.held] = bytes[0];
            match std::str::from_utf8(&self.partial[..=self.held]) {
                Ok(text) => {
                    out.push_str(text);
                    self.held = 0;
                    bytes = &bytes[1..];
                }
                Err(error) if error.error_len().is_none() => {
                    self.held += 1;
                    bytes = &bytes[1..];
                }
                // The new byte does not belong to what is held.
                Err(_) => {
                    out.push('\u{fffd}');
                    self.held = 0;
                }
            }
        }
        while !bytes.is_empty() {
            match std::str::from_utf8(bytes) {
                Ok(text) => return out.push_str(text),
                Err(error) => {
                    let (valid, rest) = bytes.split_at(error.valid_up_to());
                    if let (false, Ok(valid)) = (valid.is_empty(), std::str::from_utf8(valid)) {
                        out.push_str(valid);
                    }
                    let Some(bad) = error.error_len() else {
                        self.partial[..rest.len()].copy_from_slice(rest);
                        self.held = rest.len();
                        return;
                    };
                    out.push('\u{fffd}');
                    bytes = &rest[bad..];
                }
            }
        }
    }

    /// What a character that never ended becomes.
    pub(crate) fn finish(&mut self) -> Option<&'static str> {
        (std::mem::take(&mut self.held) > 0).then_some("\u{fffd}")
    }
}

/// The last bytes of a text; memory stays within twice the limit.
struct Tail {
    text: String,
    limit: usize,
    is_cut: bool,
}

impl Tail {
    fn push(&mut self, text: &str) {
        if text.len() >= self.limit {
            self.is_cut |= text.len() > self.limit || !self.text.is_empty();
            self.text.clear();
            self.text
                .push_str(&text[text.ceil_char_boundary(text.len() - self.limit)..]);
            return;
        }
        if self.text.len() + text.len() > 2 * self.limit {
            self.text
                .drain(..self.text.ceil_char_boundary(self.text.len() - self.limit));
            self.is_cut = true;
        }
        self.text.push_str(text);
    }
}

/// Head and rolling tail, counted in characters.
pub(crate) struct Kept {
    head: String,
    /// Characters that the head still takes.
    head_room: usize,
    tail: String,
    tail_chars: usize,
    tail_limit: usize,
    total: u64,
}

impl Kept {
    pub(crate) fn new(cap: OutputCap) -> Self {
        let (head_room, tail_limit) = match cap {
            OutputCap::Unlimited => (usize::MAX, 0),
            OutputCap::Chars(limit) => {
                // 40 %, rounded down, without overflow for any limit.
                let head = limit / 5 * 2 + limit % 5 * 2 / 5;
                (head, limit - head)
            }
        };
        Self {
            head: String::new(),
            head_room,
            tail: String::new(),
            tail_chars: 0,
            tail_limit,
            total: 0,
        }
    }

    pub(crate) fn push(&mut self, text: &str) {
        let count = text.chars().count();
        self.total += count as u64;
        if count <= self.head_room {
            self.head.push_str(text);
            self.head_room -= count;
            return;
        }
        let (head, rest) = text.split_at(char_offset(text, self.head_room));
        self.head.push_str(head);
        self.push_tail(rest, count - self.head_room);
        self.head_room = 0;
    }

    fn push_tail(&mut self, text: &str, count: usize) {
        if count >= self.tail_limit {
            self.tail.clear();
            self.tail.push_str(&text[char_offset(text, count - self.tail_limit)..]);
            self.tail_chars = self.tail_limit;
            return;
        }
        if self.tail_chars + count > 2 * self.tail_limit {
            self.cut_tail(self.tail_limit);
        }
        self.tail.push_str(text);
        self.tail_chars += count;
    }

    fn cut_tail(&mut self, keep: usize) {
        let surplus = self.tail_chars.saturating_sub(keep);
        self.tail.drain(..char_offset(&self.tail, surplus));
        self.tail_chars -= surplus;
    }

    pub(crate) fn total_chars(&self) -> u64 {
        self.total
    }

    /// The text, and how many characters are missing from it.
    pub(crate) fn finish(mut self) -> (String, u64) {
        self.cut_tail(self.tail_limit);
        let omitted = self.total - self.head.chars().count() as u64 - self.tail_chars as u64;
        (self.join(omitted), omitted)
    }

    fn join(self, omitted: u64) -> String {
        let mut text = self.head;
        if omitted > 0 {
            text.push_str(&format!(
                "\n\n... [OUTPUT TRUNCATED - {} chars omitted out of {} total] ...\n\n",
                grouped(omitted),
                grouped(self.total)
            ));
        }
        text.push_str(&self.tail);
        text
    }
}

/// Byte offset of the character number `chars`.
fn char_offset(text: &str, chars: usize) -> usize {
    if chars == 0 {
        return 0;
    }
    if text.is_ascii() {
        return chars.min(text.len());
    }
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
