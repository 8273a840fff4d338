//! Takes think tags out of streamed text, however the text is cut (agent.md 7).

use memchr::{memchr, memrchr};

/// A run of text, told apart by whether the reader sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Part of the answer.
    Visible(&'a str),
    /// Stood inside think tags.
    Hidden(&'a str),
}

const NAMES: [&str; 5] = ["think", "thinking", "reasoning", "thought", "reasoning_scratchpad"];

/// Blanks that may stand behind the name inside a tag.
const MAX_TAG_BLANKS: usize = 16;

/// How far the closing tag of a block that opens inside a line may be away. What is longer is taken for prose, so that
/// a mention of the tag holds back a piece of the answer and not all of it.
const MAX_PAIR: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tag {
    Open {
        name: usize,
        len: usize,
    },
    Close {
        name: usize,
        len: usize,
    },
    /// May become a tag with more text.
    Partial,
    No,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Visible,
    /// Behind a stray closing tag: blanks are dropped.
    AfterStray,
    Hidden {
        name: usize,
    },
}

/// State of one answer. An open tag counts at the start of a line, or inside a line if it is closed before the paragraph
/// ends. A closing tag of another name does not end a block; a stray one is removed with the blanks behind it.
#[derive(Debug)]
pub struct ThinkScrubber {
    state: State,
    /// Only blanks stand before the next character in its line.
    at_line_start: bool,
    /// The last visible character was a backtick: what follows is quoted, not meant.
    after_backtick: bool,
    /// Text from a `<` on whose meaning is open.
    pending: String,
}

impl Default for ThinkScrubber {
    fn default() -> Self {
        Self {
            state: State::Visible,
            at_line_start: true,
            after_backtick: false,
            pending: String::new(),
        }
    }
}

impl ThinkScrubber {
    /// Takes the next piece of the answer and hands out what is decided.
    pub fn push(&mut self, text: &str, out: &mut dyn FnMut(Piece<'_>)) {
        if self.pending.is_empty() {
            if self.state == State::Visible && memchr(b'<', text.as_bytes()).is_none() {
                return self.show(text, out);
            }
            let open = self.run(text, false, out);
            self.pending.push_str(&text[open..]);
        } else {
            let mut work = std::mem::take(&mut self.pending);
            work.push_str(text);
            let open = self.run(&work, false, out);
            work.drain(..open);
            self.pending = work;
        }
    }

    /// The answer ended: an unfinished look-alike was text after all.
    pub fn finish(&mut self, out: &mut dyn FnMut(Piece<'_>)) {
        let work = std::mem::take(&mut self.pending);
        self.run(&work, true, out);
    }

    /// Works through `work` and returns from where on it is undecided.
    fn run(&mut self, work: &str, last: bool, out: &mut dyn FnMut(Piece<'_>)) -> usize {
        let mut at = 0;
        while at < work.len() {
            let rest = &work[at..];
            match self.state {
                State::Hidden { name } => {
                    let open = memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
                    if open > 0 {
                        out(Piece::Hidden(&rest[..open]));
                    }
                    at += open;
                    if open == rest.len() {
                        break;
                    }
                    match tag_at(&work.as_bytes()[at..]) {
                        Tag::Close { name: closed, len } if closed == name => {
                            self.state = State::Visible;
                            at += len;
                        }
                        Tag::Partial if !last => return at,
                        _ => {
                            out(Piece::Hidden("<"));
                            at += 1;
                        }
                    }
                }
                State::AfterStray => {
                    let kept = rest.trim_start();
                    let blanks = rest.len() - kept.len();
                    self.at_line_start |= rest[..blanks].contains('\n');
                    at += blanks;
                    if !kept.is_empty() {
                        self.state = State::Visible;
                    }
                }
                State::Visible => {
                    let open = memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
                    self.show(&rest[..open], out);
                    at += open;
                    if open == rest.len() {
                        break;
                    }
                    match self.tag_in_visible(&work[at..], last, out) {
                        Some(len) => at += len,
                        None => return at,
                    }
                }
            }
        }
        at
    }

    /// Decides about the `<` at the start of `rest`: how much of it is done with, or `None` if more text is needed.
    fn tag_in_visible(&mut self, rest: &str, last: bool, out: &mut dyn FnMut(Piece<'_>)) -> Option<usize> {
        let tag = if self.after_backtick {
            Tag::No
        } else {
            tag_at(rest.as_bytes())
        };
        match tag {
            Tag::Open { name, len } if self.at_line_start => {
                self.state = State::Hidden { name };
                Some(len)
            }
            Tag::Open { name, len } => match pair_end(&rest[len..], name) {
                Pair::Closed { inside, close } => {
                    out(Piece::Hidden(&rest[len..len + inside]));
                    Some(len + inside + close)
                }
                Pair::Undecided if !last => None,
                Pair::Undecided | Pair::Prose => {
                    self.show(&rest[..len], out);
                    Some(len)
                }
            },
            Tag::Close { len, .. } => {
                self.state = State::AfterStray;
                Some(len)
            }
            Tag::Partial if !last => None,
            Tag::Partial | Tag::No => {
                self.show("<", out);
                Some(1)
            }
        }
    }

    fn show(&mut self, text: &str, out: &mut dyn FnMut(Piece<'_>)) {
        if text.is_empty() {
            return;
        }
        let bytes = text.as_bytes();
        let blank = |line: &[u8]| line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        self.at_line_start = match memrchr(b'\n', bytes) {
            Some(end) => blank(&bytes[end + 1..]),
            None => self.at_line_start && blank(bytes),
        };
        self.after_backtick = bytes.last() == Some(&b'`');
        out(Piece::Visible(text));
    }
}

enum Pair {
    Closed { inside: usize, close: usize },
    Prose,
    Undecided,
}

/// Looks for the closing tag of a block that opened inside a line. A blank line, or a block that opens at the start of
/// a line, shows that the tag was only mentioned.
fn pair_end(text: &str, name: usize) -> Pair {
    let bytes = text.as_bytes();
    let mut line_start = false;
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            _ if at > MAX_PAIR => return Pair::Prose,
            b'\n' if line_start => return Pair::Prose,
            b'\n' => line_start = true,
            b' ' | b'\t' | b'\r' => {}
            b'<' => match tag_at(&bytes[at..]) {
                Tag::Close { name: closed, len } if closed == name => {
                    return Pair::Closed { inside: at, close: len };
                }
                Tag::Open { .. } if line_start => return Pair::Prose,
                Tag::Partial => return Pair::Undecided,
                _ => line_start = false,
            },
            _ => line_start = false,
        }
    }
    Pair::Undecided
}

/// Reads the tag at the start of `bytes`, which begin with `<`.
fn tag_at(bytes: &[u8]) -> Tag {
    let closing = bytes.get(1) == Some(&b'/');
    let start = if closing { 2 } else { 1 };
    let word = bytes[start.min(bytes.len())..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'_')
        .count();
    let end = start.min(bytes.len()) + word;
    let found = &bytes[start.min(bytes.len())..end];
    if end == bytes.len() {
        let fits = |name: &&str| name.len() >= word && name.as_bytes()[..word].eq_ignore_ascii_case(found);
        return if NAMES.iter().any(fits) { Tag::Partial } else { Tag::No };
    }
    let Some(name) = NAMES
        .iter()
        .position(|name| name.as_bytes().eq_ignore_ascii_case(found))
    else {
        return Tag::No;
    };
    let blanks = bytes[end..]
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    if blanks > MAX_TAG_BLANKS {
        return Tag::No;
    }
    match bytes.get(end + blanks) {
        Some(b'>') if closing => Tag::Close {
            name,
            len: end + blanks + 1,
        },
        Some(b'>') => Tag::Open {
            name,
            len: end + blanks + 1,
        },
        Some(_) => Tag::No,
        None => Tag::Partial,
    }
}

#[cfg(test)]
mod tests;
