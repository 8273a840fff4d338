//! A syntax check of what is written: it informs and never refuses (files.md 5.5). JSON is checked here; other languages
//! are skipped until they have a checker.

use serde::Serialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// What the check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Lint {
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Ok,
    Error,
    Skipped,
}

/// Files that may hold comments and trailing commas although they are called `.json`.
const JSON_WITH_COMMENTS: [&str; 11] = [
    ".eslintrc.json",
    ".swcrc",
    "api-extractor.json",
    "babel.config.json",
    "devcontainer.json",
    "extensions.json",
    "jsconfig.json",
    "keybindings.json",
    "launch.json",
    "settings.json",
    "tasks.json",
];

/// Checks the new text; an error that the old text had as well is told as such.
pub(crate) fn lint(path: &str, old: Option<&str>, new: &str) -> Lint {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let with_comments = JSON_WITH_COMMENTS.contains(&name.as_str())
        || matches!(extension, "jsonc" | "code-workspace")
        || (name.starts_with("tsconfig") && extension == "json");
    if !with_comments && extension != "json" {
        let what = if extension.is_empty() {
            "files of this kind".to_owned()
        } else {
            format!(".{extension} files")
        };
        return Lint {
            status: Status::Skipped,
            output: None,
            message: Some(format!("No linter for {what}")),
        };
    }
    let check = |text: &str| json_error(text, with_comments);
    match check(new) {
        None => Lint {
            status: Status::Ok,
            output: None,
            message: None,
        },
        Some(output) => {
            let broken_before = old.is_some_and(|old| check(old).is_some());
            let message = broken_before.then(|| "The file was already broken before this write.".to_owned());
            Lint {
                status: Status::Error,
                output: Some(output),
                message,
            }
        }
    }
}

fn json_error(text: &str, with_comments: bool) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return None;
    }
    let plain = if with_comments {
        Cow::Owned(without_comments(text))
    } else {
        Cow::Borrowed(text)
    };
    serde_json::from_str::<IgnoredAny>(&plain)
        .err()
        .map(|error| format!("JSON syntax: {error}"))
}

/// The text with comments and trailing commas blanked out, so that lines and columns stay.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut comma: Option<usize> = None;
    while let Some(character) = rest.next() {
        match (character, rest.peek()) {
            ('"', _) => {
                comma = None;
                plain.push('"');
                while let Some(inside) = rest.next() {
                    plain.push(inside);
                    match inside {
                        '"' => break,
                        '\\' => plain.extend(rest.next()),
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => {
                plain.push(' ');
                while let Some(inside) = rest.next_if(|next| *next != '\n') {
                    plain.push(if inside == '\r' { inside } else { ' ' });
                }
            }
            ('/', Some('*')) => {
                // The star is taken first: `/*/` opens a comment and does not close it.
                rest.next();
                plain.push_str("  ");
                let mut last = ' ';
                for inside in rest.by_ref() {
                    plain.push(if inside == '\n' { inside } else { ' ' });
                    if last == '*' && inside == '/' {
                        break;
                    }
                    last = inside;
                }
            }
            (',', _) => {
                comma = Some(plain.len());
                plain.push(',');
            }
            ('}' | ']', _) => {
                if let Some(at) = comma.take() {
                    plain.replace_range(at..=at, " ");
                }
                plain.push(character);
            }
            _ => {
                if !character.is_whitespace() {
                    comma = None;
                }
                plain.push(character);
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests;
