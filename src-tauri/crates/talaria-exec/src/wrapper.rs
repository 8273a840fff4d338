//! The script around a command.

use crate::backend::{BASE_DESCRIPTOR, STATE_DESCRIPTOR};
use std::fmt::Write as _;

/// Wraps a command. With descriptors the process starts in its folder and hands back folder and exports, with
/// builtins alone; without, the script enters the folder itself and nothing comes back.
pub(crate) fn command(
    command: &str,
    has_descriptors: bool,
    folder: &str,
    has_base: bool,
) -> String {
    let mut text = String::with_capacity(command.len() + command.len() / 16 + 256);
    if !has_descriptors {
        text.push_str("cd -- ");
        quote(folder, &mut text);
        text.push_str(" || exit 126\neval ");
        quote(command, &mut text);
        return text;
    }
    if has_base {
        // Silenced because old shells print variables while sourcing.
        let _ = writeln!(
            text,
            "builtin source /dev/fd/{BASE_DESCRIPTOR} >/dev/null 2>&1; exec {BASE_DESCRIPTOR}<&-"
        );
    }
    text.push_str("builtin eval -- ");
    quote(command, &mut text);
    // The command and its children do not see the descriptor. Tracing that the command left on stays out of the
    // output, and is off before the last line.
    let _ = write!(
        text,
        " {STATE_DESCRIPTOR}>&-\n{{ __talaria_code=$?; {DUMP}; builtin set +x; }} >&{STATE_DESCRIPTOR} 2>/dev/null\n\
         exit $__talaria_code"
    );
    text
}

/// Writes folder and exports; a NUL ends each, so that a part that is cut off is known as such.
pub(crate) const DUMP: &str =
    r"builtin pwd -P; builtin printf '\0'; builtin export -p; builtin printf '\0'";

/// Appends `text` as one word of shell.
pub(crate) fn quote(text: &str, into: &mut String) {
    into.push('\'');
    let mut rest = text;
    while let Some(at) = rest.find('\'') {
        into.push_str(&rest[..at]);
        into.push_str("'\\''");
        rest = &rest[at + 1..];
    }
    into.push_str(rest);
    into.push('\'');
}
