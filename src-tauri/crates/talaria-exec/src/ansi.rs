//! Terminal escape sequences (ECMA-48): away with them for the model, colours only for people.

use std::borrow::Cow;

/// A sequence that has not ended after so many bytes is text that merely starts like one.
const LONGEST_SEQUENCE: usize = 8 * 1024;

/// Bytes of colour sequences that a line which is redrawn hands on.
const MOST_COLOURS: usize = 256;

/// What stands at an introducer (ESC, or a C1 character).
enum Sequence {
    /// A whole one of so many bytes; `Colour` is one that sets colours or weight (SGR).
    Whole(usize),
    Colour(usize),
    /// The text ends before the sequence does.
    Open,
    /// No sequence; so many bytes of introducer stand there for nothing.
    Broken(usize),
}

/// Offset of the next introducer.
fn next_introducer(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let at = from + bytes[from..].iter().position(|byte| *byte == 0x1b || *byte == 0xc2)?;
        if bytes[at] == 0x1b || bytes.get(at + 1).is_some_and(|byte| (0x80..=0x9f).contains(byte)) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Reads the sequence that `text` starts with.
fn sequence(text: &str) -> Sequence {
    let bytes = text.as_bytes();
    if bytes[0] == 0x1b {
        return match bytes.get(1) {
            None => Sequence::Open,
            Some(b'[') => control(bytes, 2),
            Some(b']') => string(bytes, 2, true),
            Some(b'P' | b'X' | b'^' | b'_') => string(bytes, 2, false),
            Some(0x20..=0x2f) => match bytes[1..].iter().position(|byte| !(0x20..=0x2f).contains(byte)) {
                None => Sequence::Open,
                Some(more) if (0x30..=0x7e).contains(&bytes[1 + more]) => Sequence::Whole(more + 2),
                Some(_) => Sequence::Broken(1),
            },
            Some(0x30..=0x7e) => Sequence::Whole(2),
            Some(_) => Sequence::Broken(1),
        };
    }
    match bytes.get(1) {
        Some(0x9b) => control(bytes, 2),
        Some(0x9d) => string(bytes, 2, true),
        Some(0x90 | 0x98 | 0x9e | 0x9f) => string(bytes, 2, false),
        _ => Sequence::Whole(2),
    }
}

/// CSI: parameters, intermediates, one final byte.
fn control(bytes: &[u8], from: usize) -> Sequence {
    let params = bytes[from..]
        .iter()
        .take_while(|byte| (0x30..=0x3f).contains(*byte))
        .count();
    let inters = bytes[from + params..]
        .iter()
        .take_while(|byte| (0x20..=0x2f).contains(*byte))
        .count();
    let end = from + params + inters;
    match bytes.get(end) {
        None if end > LONGEST_SEQUENCE => Sequence::Broken(from),
        None => Sequence::Open,
        // A private parameter makes it something else than colours.
        Some(b'm') if inters == 0 && bytes[from..end].iter().all(|byte| *byte < 0x3c) => Sequence::Colour(end + 1),
        Some(0x40..=0x7e) => Sequence::Whole(end + 1),
        Some(_) => Sequence::Broken(from),
    }
}

/// A control string: ends with ST (ESC \ or U+009C), an OSC also with BEL. Another introducer inside means that it was none,
/// as in terminals; so no text is read twice, however many introducers it has.
fn string(bytes: &[u8], from: usize, bell_ends: bool) -> Sequence {
    let window = &bytes[..bytes.len().min(LONGEST_SEQUENCE)];
    let mut at = from;
    while let Some(more) = window[at..].iter().position(|byte| matches!(byte, 0x07 | 0x1b | 0xc2)) {
        at += more;
        match (window[at], window.get(at + 1)) {
            (0x07, _) if bell_ends => return Sequence::Whole(at + 1),
            (0x1b, Some(b'\\')) | (0xc2, Some(0x9c)) => return Sequence::Whole(at + 2),
            (0x1b, Some(_)) | (0xc2, Some(0x80..=0x9f)) => return Sequence::Broken(from),
            _ => at += 1,
        }
    }
    if bytes.len() >= LONGEST_SEQUENCE {
        Sequence::Broken(from)
    } else {
        Sequence::Open
    }
}

/// The text without escape sequences and C1 controls.
pub fn strip_escapes(text: &str) -> Cow<'_, str> {
    if next_introducer(text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut stripped = String::with_capacity(text.len());
    let rest = strip_into(text, &mut stripped, End::OfText);
    debug_assert!(rest.is_empty());
    Cow::Owned(stripped)
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    /// More may come.
    OfPiece,
    /// Nothing comes; an open sequence is none.
    OfText,
}

/// Strips into `out`; gives back what must wait for more text.
fn strip_into<'a>(text: &'a str, out: &mut String, end: End) -> &'a str {
    let mut rest = text;
    while let Some(at) = next_introducer(rest) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match sequence(rest) {
            Sequence::Whole(length) | Sequence::Colour(length) | Sequence::Broken(length) => rest = &rest[length..],
            Sequence::Open if end == End::OfPiece => return rest,
            Sequence::Open => rest = &rest[open_introducer(rest)..],
        }
    }
    out.push_str(rest);
    ""
}

/// Bytes of an introducer whose sequence never ends.
fn open_introducer(text: &str) -> usize {
    match text.as_bytes() {
        [0x1b, 0x30..=0x7e, ..] | [0xc2, ..] => 2,
        _ => 1,
    }
}

/// Strips text that comes in pieces; sequences may be cut anywhere.
#[derive(Default)]
pub(crate) struct Stripper {
    held: String,
}

impl Stripper {
    /// The plain form of a piece; `scratch` is space to build it in.
    pub(crate) fn push<'a>(&mut self, piece: &'a str, scratch: &'a mut String) -> Cow<'a, str> {
        if self.held.is_empty() && next_introducer(piece).is_none() {
            return Cow::Borrowed(piece);
        }
        scratch.clear();
        if self.held.is_empty() {
            self.held.push_str(strip_into(piece, scratch, End::OfPiece));
        } else {
            self.held.push_str(piece);
            let text = std::mem::take(&mut self.held);
            self.held.push_str(strip_into(&text, scratch, End::OfPiece));
        }
        Cow::Borrowed(scratch)
    }

    /// What is left of a sequence that never ended.
    pub(crate) fn finish(self) -> String {
        strip_escapes(&self.held).into_owned()
    }
}

/// The text as a card shows it: colours stay; other sequences and controls go; a carriage return starts its line
/// anew, so that a progress bar leaves its last state.
pub fn keep_colours(text: &str) -> String {
    let mut screen = Screen {
        out: String::with_capacity(text.len()),
        line: 0,
        returned: false,
    };
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let plain = rest
            .bytes()
            .position(|byte| byte < 0x20 || byte == 0x7f || byte == 0xc2)
            .unwrap_or(rest.len());
        if plain > 0 {
            screen.text(&rest[..plain]);
            rest = &rest[plain..];
            continue;
        }
        let length = match character {
            '\x1b' | '\u{80}'..='\u{9f}' => match sequence(rest) {
                Sequence::Colour(length) => {
                    // Both introducers take two bytes; a card knows the form with ESC alone.
                    screen.colour(&rest[2..length]);
                    length
                }
                Sequence::Whole(length) | Sequence::Broken(length) => length,
                Sequence::Open => open_introducer(rest),
            },
            '\n' => {
                screen.newline();
                1
            }
            '\r' => {
                screen.returned = true;
                1
            }
            '\x08' => {
                screen.backspace();
                1
            }
            '\t' => {
                screen.text("\t");
                1
            }
            '\0'..='\x1f' | '\x7f' => 1,
            other => {
                screen.text(&rest[..other.len_utf8()]);
                other.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    screen.out
}

struct Screen {
    out: String,
    /// Where the current line starts.
    line: usize,
    /// The cursor went back to the start of the line; the next text replaces it.
    returned: bool,
}

impl Screen {
    fn text(&mut self, text: &str) {
        if std::mem::take(&mut self.returned) {
            let colours = colours_at_end(&self.out[self.line..]);
            self.out.truncate(self.line);
            self.out.push_str(&colours);
        }
        self.out.push_str(text);
    }

    fn colour(&mut self, parameters: &str) {
        self.out.push_str("\x1b[");
        self.out.push_str(parameters);
    }

    fn newline(&mut self) {
        self.returned = false;
        self.out.push('\n');
        self.line = self.out.len();
    }

    fn backspace(&mut self) {
        if self.out.len() > self.line && !self.out.ends_with('m') {
            self.out.pop();
        }
    }
}

/// The colour sequences of a line that still hold at its end.
fn colours_at_end(line: &str) -> String {
    let mut colours = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('\x1b') {
        let Some(length) = rest[at..].find('m') else {
            break;
        };
        let colour = &rest[at..=at + length];
        // A bar that is redrawn for ever must not gather its colours.
        if matches!(colour, "\x1b[m" | "\x1b[0m") || colours.len() > MOST_COLOURS {
            colours.clear();
        }
        if !colours.ends_with(colour) {
            colours.push_str(colour);
        }
        rest = &rest[at + length + 1..];
    }
    colours
}

#[cfg(test)]
mod tests;
