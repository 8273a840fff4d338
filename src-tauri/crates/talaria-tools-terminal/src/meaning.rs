//! What an exit code of a well-known program means when it is no failure, or says more than a number.

/// A note for the exit code of a command; `None` when the code speaks for itself.
pub(crate) fn meaning(command: &str, code: i32) -> Option<&'static str> {
    if code == 0 {
        return None;
    }
    match (last_program(command), code) {
        ("grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack", 1) => Some("No matches were found; that is not an error."),
        ("diff" | "colordiff", 1) => Some("The files differ; that is the expected way to say so."),
        ("find", 1) => Some("Some folders could not be read; the results may be partial."),
        ("test" | "[", 1) => Some("The condition is false."),
        ("curl", 6) => Some("The host name could not be resolved."),
        ("curl", 7) => Some("The host did not accept the connection."),
        ("curl", 22) => Some("The server answered with an HTTP error status."),
        ("curl", 28) => Some("The request ran out of time."),
        ("git", 1) => Some("Often not a failure: for example, a diff found changes."),
        _ => None,
    }
}

/// The base name of the program that gave the exit code: the last one of the line.
fn last_program(command: &str) -> &str {
    let last = command.rsplit(['|', '&', ';']).next().unwrap_or(command);
    let word = last
        .split_whitespace()
        .find(|word| !word.split_once('=').is_some_and(|(name, _)| is_name(name)))
        .unwrap_or_default();
    word.rsplit_once('/').map_or(word, |(_, name)| name)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests;
