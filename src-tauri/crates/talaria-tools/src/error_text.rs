//! Makes the text of an unexpected failure safe to show to a model (tools.md 5.6).
//!
//! A failure may carry text that looks like a role marker or a tool call of some chat template. Errors that a tool states
//! itself do not pass through here.

use regex::Regex;
use std::sync::LazyLock;

const PREFIX: &str = "[TOOL_ERROR] ";
const MAX_CHARS: usize = 2000;
const ELLIPSIS: &str = "...";
/// Text beyond this is dropped before cleaning, so that a huge message costs no more than a long one.
const MAX_INPUT_BYTES: usize = 64 * 1024;

const TAGS: [&str; 10] = [
    "tool_call",
    "tool_result",
    "function_call",
    "result",
    "response",
    "output",
    "input",
    "system",
    "assistant",
    "user",
];

/// The message without role tags, fences and CDATA sections, capped and marked as a tool error.
pub fn sanitize_error(message: &str) -> String {
    let mut text = head(message, MAX_INPUT_BYTES).to_owned();
    loop {
        let cleaned = strip_fences(&strip_markup(&text));
        // Each pass only removes, so an equal length means that nothing changed. A fence may have hidden a tag.
        if cleaned.len() == text.len() {
            break;
        }
        text = cleaned;
    }
    if text.chars().count() > MAX_CHARS {
        text = text.chars().take(MAX_CHARS - ELLIPSIS.len()).collect();
        text.push_str(ELLIPSIS);
    }
    text.insert_str(0, PREFIX);
    text
}

fn head(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

/// Removes tags and CDATA sections in one pass. What is kept grows at its end only, so a tag that a removal puts together is
/// seen when its `>` arrives.
fn strip_markup(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut open_brackets: Vec<usize> = Vec::new();
    let mut cdata_start: Option<usize> = None;
    for character in text.chars() {
        if character == '<' {
            open_brackets.push(kept.len());
        }
        kept.push(character);
        if character == '[' && cdata_start.is_none() && kept.ends_with("<![CDATA[") {
            cdata_start = Some(kept.len() - "<![CDATA[".len());
        }
        if character != '>' {
            continue;
        }
        let cut = match cdata_start {
            Some(start) if kept.ends_with("]]>") => Some(start),
            _ => open_brackets
                .last()
                .copied()
                .filter(|start| is_role_tag(&kept[*start..])),
        };
        match cut {
            Some(start) => {
                kept.truncate(start);
                while open_brackets.last().is_some_and(|bracket| *bracket >= start) {
                    open_brackets.pop();
                }
                cdata_start = cdata_start.filter(|cdata| *cdata < start);
            }
            // `>` ends whatever the last bracket began.
            None => {
                open_brackets.pop();
            }
        }
    }
    kept
}

/// Whether `tag`, from `<` to `>`, opens or closes one of the role tags; blanks and attributes are allowed.
fn is_role_tag(tag: &str) -> bool {
    let inside = tag.trim_start_matches('<').trim_end_matches('>').trim();
    let inside = inside.strip_prefix('/').unwrap_or(inside).trim_start();
    let end = inside
        .find(|c: char| c.is_whitespace() || c == '/')
        .unwrap_or(inside.len());
    TAGS.iter().any(|name| inside[..end].eq_ignore_ascii_case(name))
}

fn strip_fences(text: &str) -> String {
    static OPENING: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?m)^\s*```(?:json|xml|html|markdown)?\s*").ok());
    static CLOSING: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)\s*```\s*$").ok());
    let mut text = text.to_owned();
    for fence in [&OPENING, &CLOSING] {
        if let Some(fence) = fence.as_ref() {
            text = fence.replace_all(&text, "").into_owned();
        }
    }
    text
}

#[cfg(test)]
mod tests;
