//! The terminal: whether somebody sits there, and what may be written to it.

use std::io::IsTerminal;

/// Whether somebody can be asked: both what they type and what they read is a terminal.
pub fn is_attached() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Text of a model on a terminal: control characters must not act there, nor turn the order of what is read.
pub fn visible(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => '\u{fffd}',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// The same on one line: a line break of a model must not begin a line that looks like ours.
pub fn visible_line(text: &str) -> String {
    visible(text).replace('\n', "⏎")
}

#[cfg(test)]
mod tests;
