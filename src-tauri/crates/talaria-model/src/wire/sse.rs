//! Incremental reader of server-sent events over byte chunks with arbitrary cuts.

use memchr::memchr2;

/// Longest line that is accepted. A tool call with a whole file in it stays far below.
pub const MAX_LINE: usize = 16 * 1024 * 1024;

/// A line or an event outgrew the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event is longer than {limit} bytes")]
pub struct EventTooLong {
    /// The limit in bytes.
    pub limit: usize,
}

/// One event. Both parts borrow from the chunk where the event lies in it as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// Value of the last `event:` field; empty if there was none.
    pub name: &'a str,
    /// All `data:` fields, joined by line feeds.
    pub data: &'a [u8],
}

/// Cuts a byte stream into events. Accepts LF, CRLF and CR line ends, comments, a byte order mark and a missing blank
/// behind the colon.
#[derive(Debug)]
pub struct SseReader {
    /// Start of a line whose end has not come yet.
    line: Vec<u8>,
    /// Data of the event in the making, as far as it did not come in the chunk at hand.
    data: Vec<u8>,
    has_data: bool,
    name: String,
    /// The last chunk ended in CR: a LF at the start of the next one belongs to it.
    skip_lf: bool,
    started: bool,
    limit: usize,
}

impl Default for SseReader {
    fn default() -> Self {
        Self::with_limit(MAX_LINE)
    }
}

impl SseReader {
    /// A reader that gives up on lines and events longer than `limit`.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            name: String::new(),
            skip_lf: false,
            started: false,
            limit,
        }
    }

    /// Takes the next bytes and hands each event that they complete to `on_event`.
    ///
    /// # Errors
    /// When a line or an event is longer than the limit.
    pub fn push(&mut self, chunk: &[u8], on_event: &mut impl FnMut(SseEvent<'_>)) -> Result<(), EventTooLong> {
        let mut rest = chunk;
        if self.skip_lf && !rest.is_empty() {
            self.skip_lf = false;
            if rest[0] == b'\n' {
                rest = &rest[1..];
            }
        }
        // Data of an event that lies whole in this chunk is never copied.
        let mut fresh: Option<&[u8]> = None;
        if !self.line.is_empty() {
            let Some(end) = memchr2(b'\n', b'\r', rest) else {
                return self.keep(rest);
            };
            self.keep(&rest[..end])?;
            rest = self.after_line_end(rest, end);
            let line = std::mem::take(&mut self.line);
            let mut copied = None;
            self.take_line(&line, &mut copied, on_event)?;
            self.copy_data(copied)?;
            self.line = line;
            self.line.clear();
        }
        while let Some(end) = memchr2(b'\n', b'\r', rest) {
            let line = &rest[..end];
            rest = self.after_line_end(rest, end);
            self.take_line(line, &mut fresh, on_event)?;
        }
        self.copy_data(fresh)?;
        self.keep(rest)
    }

    /// The stream ended: hands out what stands there without its blank line.
    pub fn finish(&mut self, on_event: &mut impl FnMut(SseEvent<'_>)) {
        let line = std::mem::take(&mut self.line);
        let mut fresh = None;
        // The limit was checked when the bytes came.
        let _ = self.take_line(&line, &mut fresh, on_event);
        let _ = self.take_line(b"", &mut fresh, on_event);
    }

    fn after_line_end<'c>(&mut self, rest: &'c [u8], end: usize) -> &'c [u8] {
        if rest[end] == b'\r' {
            match rest.get(end + 1) {
                Some(b'\n') => return &rest[end + 2..],
                Some(_) => {}
                None => self.skip_lf = true,
            }
        }
        &rest[end + 1..]
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), EventTooLong> {
        if self.line.len() + bytes.len() > self.limit {
            return Err(EventTooLong { limit: self.limit });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn copy_data(&mut self, fresh: Option<&[u8]>) -> Result<(), EventTooLong> {
        let Some(fresh) = fresh else { return Ok(()) };
        if self.data.len() + fresh.len() > self.limit {
            return Err(EventTooLong { limit: self.limit });
        }
        if self.has_data {
            self.data.push(b'\n');
        }
        self.has_data = true;
        self.data.extend_from_slice(fresh);
        Ok(())
    }

    fn take_line<'c>(
        &mut self,
        line: &'c [u8],
        fresh: &mut Option<&'c [u8]>,
        on_event: &mut impl FnMut(SseEvent<'_>),
    ) -> Result<(), EventTooLong> {
        let mut line = line;
        if !self.started {
            self.started = true;
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            if self.has_data {
                self.copy_data(fresh.take())?;
                on_event(SseEvent {
                    name: &self.name,
                    data: &self.data,
                });
                self.data.clear();
                self.has_data = false;
            } else if let Some(data) = fresh.take() {
                on_event(SseEvent { name: &self.name, data });
            }
            self.name.clear();
            return Ok(());
        }
        if let Some(value) = field(line, b"data") {
            if self.has_data || fresh.is_some() {
                self.copy_data(fresh.take())?;
                self.copy_data(Some(value))?;
            } else {
                *fresh = Some(value);
            }
        } else if let Some(value) = field(line, b"event") {
            self.name.clear();
            self.name.push_str(&String::from_utf8_lossy(value));
        }
        Ok(())
    }
}

/// The value of the field `name` if `line` is one: without the colon and one blank behind it.
fn field<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    let rest = line.strip_prefix(name)?;
    match rest {
        [] => Some(rest),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
