//! Takes off a command what only hides it from a reader.

use crate::assess::CommandContext;
use std::borrow::Cow;
use std::collections::VecDeque;

/// Removes what only hides: control sequences, NUL, other spellings of the home folders, compatibility letters.
pub(crate) fn normalise(command: &str, context: &CommandContext) -> String {
    let mut text = String::with_capacity(command.len());
    let visible = without_escapes(command);
    for c in visible.chars() {
        match c {
            '\0' => {}
            // Full-width forms are letters to a model and to some shells' users, never to bash: fold them, so that
            // what looks like a command is judged as one.
            '\u{ff01}'..='\u{ff5e}' => text.extend(char::from_u32(c as u32 - 0xff01 + 0x21)),
            '\u{3000}' => text.push(' '),
            c => text.push(c),
        }
    }
    text = split_at_ifs(text);
    for (home, short) in [(&context.talaria_home, "~/.talaria"), (&context.user_home, "~")] {
        // A path of one component is too short to be a home.
        if home.matches('/').count() >= 2 && text.contains(home.as_str()) {
            text = replace_path(&text, home, short);
        }
    }
    text
}

/// The text without escaped line breaks inside words, where there are any.
pub(crate) fn joined_lines(command: &str) -> Option<String> {
    if !command.contains("\\\n") && !command.contains("\\\r\n") {
        return None;
    }
    let mut out = String::with_capacity(command.len());
    let mut inside_word = false;
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let before = out.chars().next_back();
        match chars.next() {
            Some('\n') => inside_word |= before.is_some_and(|c| !c.is_whitespace()),
            Some('\r') if chars.peek() == Some(&'\n') => {
                chars.next();
                inside_word |= before.is_some_and(|c| !c.is_whitespace());
            }
            escaped => {
                out.push(c);
                out.extend(escaped);
            }
        }
    }
    inside_word.then_some(out)
}

/// The text without here-documents, read line by line: for texts whose here-documents the grammar does not understand.
pub(crate) fn without_here_documents(command: &str) -> Option<String> {
    if !command.contains("<<") {
        return None;
    }
    let mut out = String::with_capacity(command.len());
    let mut open: VecDeque<String> = VecDeque::new();
    for line in command.split('\n') {
        if let Some(end) = open.front() {
            if line.trim_start_matches('\t') == end {
                open.pop_front();
            }
            continue;
        }
        let mut quote = None;
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let here = quote.is_none() && rest.starts_with("<<") && !rest.starts_with("<<<");
            if here {
                let word = rest[2..].trim_start_matches('-').trim_start();
                let end = word
                    .find(|c: char| c.is_whitespace() || ";&|<>()".contains(c))
                    .unwrap_or(word.len());
                open.push_back(word[..end].replace(['\'', '"', '\\'], ""));
                rest = &word[end..];
                continue;
            }
            let width = match c {
                '<' if rest.starts_with("<<<") => 3,
                '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
                c => c.len_utf8(),
            };
            match quote {
                Some(open) if open == c => quote = None,
                None if matches!(c, '\'' | '"') => quote = Some(c),
                _ => {}
            }
            out.push_str(&rest[..width]);
            rest = &rest[width..];
        }
        out.push('\n');
    }
    Some(out)
}

/// Terminal control sequences show nothing and would split words.
fn without_escapes(command: &str) -> Cow<'_, str> {
    if !command.contains(['\u{1b}', '\u{9b}', '\u{9d}', '\u{90}']) {
        return Cow::Borrowed(command);
    }
    let mut out = String::with_capacity(command.len());
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        let introducer = match c {
            '\u{1b}' => chars.next(),
            '\u{9b}' => Some('['),
            '\u{9d}' => Some(']'),
            '\u{90}' => Some('P'),
            other => {
                out.push(other);
                continue;
            }
        };
        match introducer {
            // CSI: parameters up to a final letter.
            Some('[') => while chars.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
            // OSC, DCS and the like: up to BEL or ST.
            Some(']' | 'P' | 'X' | '^' | '_') => {
                while let Some(c) = chars.next() {
                    if c == '\u{7}' || c == '\u{9c}' {
                        break;
                    }
                    if c == '\u{1b}' && chars.peek() == Some(&'\\') {
                        chars.next();
                        break;
                    }
                }
            }
            // Intermediate bytes, then one more.
            Some(' '..='/') => while chars.next_if(|c| (' '..='/').contains(c)).is_some() {},
            _ => {}
        }
    }
    Cow::Owned(out)
}

/// `$IFS` and `${IFS…}` stand for a blank.
fn split_at_ifs(text: String) -> String {
    if !text.contains("IFS") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let used = match tail.strip_prefix("${IFS") {
            Some(inner) if inner.starts_with(['}', ':', '%', '#']) => {
                inner.find('}').map(|end| "${IFS".len() + end + 1)
            }
            _ => tail
                .strip_prefix("$IFS")
                .filter(|inner| !inner.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
                .map(|_| "$IFS".len()),
        };
        match used {
            Some(used) => {
                out.push(' ');
                rest = &tail[used..];
            }
            None => {
                out.push('$');
                rest = &tail[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Replaces a path where it ends at a component.
fn replace_path(text: &str, path: &str, with: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(path) {
        let end = at + path.len();
        let whole = rest[end..]
            .chars()
            .next()
            .is_none_or(|c| c == '/' || c.is_whitespace() || "\"'`);|&<>".contains(c));
        out.push_str(&rest[..at]);
        out.push_str(if whole { with } else { path });
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}
