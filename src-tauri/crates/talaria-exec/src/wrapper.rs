//! The script around a command.

use crate::backend::{BASE_DESCRIPTOR, STATE_DESCRIPTOR};
use std::fmt::Write as _;

/// Builtins that leave folder and exports alone.
const HARMLESS: [&str; 4] = ["true", "false", "echo", "pwd"];

/// Words at the start of a command that are not the name of a program: reserved words and builtins of bash.
const NOT_PROGRAMS: &str = " ! . : [ [[ { } alias bg bind break builtin caller case cd command compgen complete \
    compopt continue coproc declare dirs disown do done elif else enable esac eval exec exit export fc fg fi for \
    function getopts hash help history if in jobs kill let local logout mapfile popd printf pushd read readarray \
    readonly return select set shift shopt source suspend test then time times trap type typeset ulimit umask \
    unalias unset until wait while ";

/// Whether a command is one program with plain arguments. Such a one cannot change what the shell would hand back,
/// so it needs no wrapper, and the shell becomes the program instead of starting it: a process and a third of the
/// time saved for the most common kind of command.
pub(crate) fn is_one_program(command: &str) -> bool {
    let command = command.trim_matches(' ');
    let (name, arguments) = command.split_at(command.find(' ').unwrap_or(command.len()));
    let names_program = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+'))
        && !name.starts_with('-')
        && (HARMLESS.contains(&name) || !NOT_PROGRAMS.split_ascii_whitespace().any(|word| word == name));
    names_program && are_plain(arguments)
}

/// Words, quoted or not, in which nothing is expanded but `~` and file patterns.
fn are_plain(arguments: &str) -> bool {
    let mut quote = None;
    for byte in arguments.bytes() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(b'\''), _) => {}
            (Some(_), b'$' | b'`' | b'\\' | b'!') => return false,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b' ' | b'_' | b'-' | b'.' | b'/' | b'+' | b':' | b',' | b'@' | b'%' | b'=' | b'~' | b'*' | b'?') => {
            }
            (None, _) if byte.is_ascii_alphanumeric() || byte >= 0x80 => {}
            (None, _) => return false,
        }
    }
    quote.is_none()
}

/// Wraps a command. With descriptors the process starts in its folder and hands back folder and exports, with
/// builtins alone; without, the script enters the folder itself and nothing comes back.
pub(crate) fn command(command: &str, has_descriptors: bool, folder: &str, has_base: bool) -> String {
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
pub(crate) const DUMP: &str = r"builtin pwd -P; builtin printf '\0'; builtin export -p; builtin printf '\0'";

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

#[cfg(test)]
mod tests;
