//! What a command that the call waits for must not do: leave processes behind or never end.

/// Why a command is not run as it is, and what to do instead.
pub(crate) fn advice(command: &str) -> Option<String> {
    if asks_for_help(command) {
        return None;
    }
    let code = code_of(command);
    let commands = simple_commands(&code);
    if let Some(word) = commands.iter().find_map(|words| detacher(words)) {
        return Some(format!(
            "`{word}` detaches a process from the call that started it, so its output and its end would be lost. \
             Run the command without it."
        ));
    }
    if backgrounds(&code) {
        return Some(
            "`&` leaves a process behind that no later call could see or end. Run the command without `&`; \
             to test a server, start and query it in one command that also stops it, for example under `timeout`."
                .to_owned(),
        );
    }
    commands.iter().find_map(|words| server(words)).map(|name| {
        format!(
            "`{name}` keeps running until it is stopped, so the call would only end by its timeout. \
             Limit it (`timeout 10 …`), or run something that ends by itself: a build, a test, a check."
        )
    })
}

fn asks_for_help(command: &str) -> bool {
    let command = command.trim_end();
    command.contains(" --help")
        || command.contains(" --version")
        || command.ends_with(" -h")
        || command.ends_with(" -v")
}

/// The command without what is data or comment: quoted and backtick text, here-documents, arithmetic, comments.
fn code_of(command: &str) -> String {
    let mut code = String::with_capacity(command.len());
    let mut rest = command;
    let mut here_documents: Vec<String> = Vec::new();
    while let Some(next) = rest.chars().next() {
        let at_word_start = code
            .chars()
            .next_back()
            .is_none_or(|last| last.is_whitespace() || ";&|(".contains(last));
        let skipped = match next {
            '\'' => closing(rest, '\'', Escapes::None),
            '"' | '`' => closing(rest, next, Escapes::Backslash),
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '#' if at_word_start => rest.find('\n').unwrap_or(rest.len()),
            '$' if rest.starts_with("$((") => rest.find("))").map_or(rest.len(), |end| end + 2),
            '<' if rest.starts_with("<<<") => {
                code.push_str("<<<");
                rest = &rest[3..];
                continue;
            }
            '<' if rest.starts_with("<<") => {
                let (length, delimiter) = here_delimiter(rest);
                here_documents.push(delimiter);
                length
            }
            '\n' if !here_documents.is_empty() => {
                code.push('\n');
                rest = after_here_documents(&rest[1..], &here_documents);
                here_documents.clear();
                continue;
            }
            _ => {
                code.push(next);
                rest = &rest[next.len_utf8()..];
                continue;
            }
        };
        // A mark of what was there: `a'&'b` stays one word.
        if next != '#' {
            code.push('_');
        }
        rest = &rest[skipped..];
    }
    code
}

#[derive(PartialEq)]
enum Escapes {
    None,
    Backslash,
}

/// Length of a quoted piece with both its quotes.
fn closing(text: &str, quote: char, escapes: Escapes) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if character == '\\' && escapes == Escapes::Backslash {
            escaped = true;
        } else if character == quote {
            return at + character.len_utf8();
        }
    }
    text.len()
}

/// Length of `<<WORD` and the word without quotes.
fn here_delimiter(text: &str) -> (usize, String) {
    let start = if text.starts_with("<<-") { 3 } else { 2 };
    let start = start + text[start..].len() - text[start..].trim_start_matches([' ', '\t']).len();
    let end = text[start..]
        .find(|character: char| character.is_whitespace() || ";&|()<>".contains(character))
        .map_or(text.len(), |length| start + length);
    (end, text[start..end].replace(['\'', '"', '\\'], ""))
}

fn after_here_documents<'a>(mut text: &'a str, delimiters: &[String]) -> &'a str {
    for delimiter in delimiters {
        loop {
            let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
            text = rest;
            if line.trim_start_matches('\t') == delimiter || text.is_empty() {
                break;
            }
        }
    }
    text
}

/// ` & ` or an `&` at the end of a line, with blank before it. `cmd&` is not caught.
fn backgrounds(code: &str) -> bool {
    let bytes = code.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| {
        *byte == b'&'
            && at > 0
            && matches!(bytes[at - 1], b' ' | b'\t')
            && bytes
                .get(at + 1)
                .is_none_or(|next| matches!(next, b' ' | b'\t' | b'\n' | b'\r'))
    })
}

/// The words of each simple command, without assignments and without programs that only start another.
fn simple_commands(code: &str) -> Vec<Vec<&str>> {
    code.split([';', '|', '&', '\n', '(', ')', '{', '}'])
        .map(|part| {
            part.split_whitespace()
                .skip_while(|word| is_assignment(word) || STARTERS.contains(word))
                .collect::<Vec<_>>()
        })
        .filter(|words| !words.is_empty())
        .collect()
}

const STARTERS: [&str; 13] = [
    "sudo", "env", "exec", "command", "builtin", "time", "nice", "npx", "bunx", "then", "do", "else", "!",
];

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
    })
}

fn program<'a>(words: &[&'a str]) -> &'a str {
    let word = words.first().copied().unwrap_or_default();
    word.rsplit_once('/').map_or(word, |(_, name)| name)
}

fn detacher<'a>(words: &[&'a str]) -> Option<&'a str> {
    Some(program(words)).filter(|name| matches!(*name, "nohup" | "disown" | "setsid"))
}

/// The name of a program that serves until it is stopped.
fn server(words: &[&str]) -> Option<String> {
    let name = program(words);
    let arguments = &words[1..];
    let first = arguments.first().copied().unwrap_or_default();
    let second = arguments.get(1).copied().unwrap_or_default();
    let serves = match name {
        "npm" | "pnpm" | "yarn" | "bun" => {
            matches!(
                if first == "run" { second } else { first },
                "dev" | "start" | "serve" | "watch"
            )
        }
        "docker" => first == "compose" && stays_up(&arguments[1..]),
        "docker-compose" => stays_up(arguments),
        "next" => first == "dev",
        "vite" => matches!(first, "" | "dev" | "serve" | "preview") || first.starts_with('-'),
        "nodemon" | "uvicorn" | "gunicorn" => true,
        "python" | "python3" => first == "-m" && second == "http.server",
        _ => false,
    };
    serves.then(|| match name {
        "nodemon" | "uvicorn" | "gunicorn" => name.to_owned(),
        "npm" | "pnpm" | "yarn" | "bun" | "docker" | "python" | "python3" => {
            [name, first, second].join(" ").trim_end().to_owned()
        }
        _ => [name, first].join(" ").trim_end().to_owned(),
    })
}

/// Whether `docker compose` arguments start services without leaving them to the daemon.
fn stays_up(arguments: &[&str]) -> bool {
    arguments.contains(&"up")
        && !arguments
            .iter()
            .any(|word| matches!(*word, "-d" | "--detach" | "--no-start"))
}

#[cfg(test)]
mod tests;
