//! Words of a command: what is written, and what it stands for where that is fixed.

use tree_sitter::Node;

/// A word. `value` is what the command would get; `None` when it depends on more than the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// As written.
    pub raw: String,
    /// What it stands for. `$HOME` and `~` at the beginning both become `~`.
    pub value: Option<String>,
    /// What it most likely stands for, where that is not fixed.
    pub guess: Option<String>,
}

impl Word {
    /// A word that stands for itself.
    pub(crate) fn plain(text: &str) -> Self {
        Self {
            raw: text.to_owned(),
            value: Some(text.to_owned()),
            guess: None,
        }
    }

    /// What is known of it: the value, else a guess, else the text as written.
    pub(crate) fn best(&self) -> &str {
        self.value.as_deref().or(self.guess.as_deref()).unwrap_or(&self.raw)
    }
}

/// Reads a word node.
pub(crate) fn read(node: Node<'_>, source: &str) -> Word {
    let raw = source.get(node.byte_range()).unwrap_or_default().to_owned();
    let mut value = String::new();
    let known = resolve(node, source, &mut value, 0);
    match known {
        true => Word {
            raw,
            value: Some(value),
            guess: None,
        },
        false => Word {
            raw,
            value: None,
            guess: (!value.is_empty()).then_some(value),
        },
    }
}

/// Appends what a node stands for; `false` when that is not fixed.
fn resolve(node: Node<'_>, source: &str, out: &mut String, depth: usize) -> bool {
    let text = source.get(node.byte_range()).unwrap_or_default();
    if depth > 40 {
        return false;
    }
    match node.kind() {
        "word"
        | "number"
        | "file_descriptor"
        | "variable_name"
        | "special_variable_name"
        | "test_operator"
        | "regex"
        | "extglob_pattern" => {
            unescape(text, out);
            true
        }
        "raw_string" => {
            out.push_str(text.trim_start_matches('\'').trim_end_matches('\''));
            true
        }
        "ansi_c_string" => {
            ansi_c(text, out);
            true
        }
        "string_content" => {
            unescape_double(text, out);
            true
        }
        "string" | "translated_string" => {
            let mut known = true;
            let mut at = node.start_byte();
            let mut cursor = node.walk();
            for child in node.children(&mut cursor).collect::<Vec<_>>() {
                // The grammar leaves blanks between parts of a string out of its nodes.
                if child.start_byte() > at {
                    out.push_str(source.get(at..child.start_byte()).unwrap_or_default());
                }
                at = child.end_byte();
                if child.is_named() {
                    known &= resolve(child, source, out, depth + 1);
                }
            }
            known
        }
        "concatenation" => {
            let mut known = true;
            let mut cursor = node.walk();
            for child in node.children(&mut cursor).collect::<Vec<_>>() {
                known &= resolve(child, source, out, depth + 1);
            }
            known
        }
        "simple_expansion" | "expansion" => {
            let name = text
                .trim_start_matches('$')
                .trim_start_matches('{')
                .trim_end_matches('}');
            match name {
                "HOME" => {
                    out.push('~');
                    true
                }
                "IFS" => {
                    out.push(' ');
                    true
                }
                _ => {
                    // `${v:-word}` and `${v/a/word}` most likely give the word.
                    if let Some((_, default)) = name.split_once(":-") {
                        out.push_str(default);
                    } else if let Some((_, rest)) = name.split_once('/') {
                        out.push_str(rest.rsplit('/').next().unwrap_or_default());
                    } else {
                        // Something unknown, so that `$dir/` does not read as the root folder.
                        out.push('$');
                    }
                    false
                }
            }
        }
        "command_substitution" => {
            if let Some(text) = echoed(text) {
                out.push_str(&text);
                return true;
            }
            false
        }
        _ if !node.is_named() => {
            unescape(text, out);
            true
        }
        _ => {
            out.push_str(text);
            false
        }
    }
}

/// What `$(echo X)` and `$(printf X)` give, for plain X.
fn echoed(text: &str) -> Option<String> {
    let inner = text
        .trim_start_matches("$(")
        .trim_start_matches('`')
        .trim_end_matches(')')
        .trim_end_matches('`')
        .trim();
    let rest = inner
        .strip_prefix("echo ")
        .or_else(|| inner.strip_prefix("printf %s "))
        .or_else(|| inner.strip_prefix("printf "))?
        .trim();
    let plain = !rest.is_empty() && rest.chars().all(|c| c.is_alphanumeric() || "_./:@%+=,-".contains(c));
    plain.then(|| rest.to_owned())
}

fn unescape(text: &str, out: &mut String) {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(escaped) => out.push(escaped),
            },
            c => out.push(c),
        }
    }
}

fn unescape_double(text: &str, out: &mut String) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('$' | '`' | '"' | '\\')) => out.extend(chars.next()),
            ('\\', Some('\n')) => {
                chars.next();
            }
            (c, _) => out.push(c),
        }
    }
}

/// `$'…'` with the escapes that matter for names.
fn ansi_c(text: &str, out: &mut String) {
    let inner = text
        .strip_prefix("$'")
        .and_then(|rest| rest.strip_suffix('\''))
        .unwrap_or(text);
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(kind @ ('x' | 'u' | 'U' | '0'..='7')) => {
                let (radix, limit) = match kind {
                    'x' => (16, 2),
                    'u' => (16, 4),
                    'U' => (16, 8),
                    _ => (8, 2),
                };
                let mut digits = String::new();
                if radix == 8 {
                    digits.push(kind);
                }
                let limit = digits.len() + limit;
                while digits.len() < limit && chars.peek().is_some_and(|c| c.is_digit(radix)) {
                    digits.extend(chars.next());
                }
                out.extend(u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
}
