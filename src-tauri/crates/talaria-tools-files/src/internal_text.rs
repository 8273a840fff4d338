//! Text that a tool made for a model and that must never become the content of a file (files.md 3.6).

/// What a model is told instead of a page that it has already.
pub(crate) const UNCHANGED: &str =
    "The file has not changed since you read this part; the earlier result of read_file still holds.";

/// Why `content` is not the content of a file, if it is not.
pub(crate) fn refusal(content: &str) -> Option<&'static str> {
    let repeats_status = content.contains(UNCHANGED) && content.len() <= 2 * UNCHANGED.len();
    if repeats_status {
        return Some(
            "Nothing was written: the content is a status message of read_file, not the content of a file. Read the file \
             again if you need its text.",
        );
    }
    is_numbered(content).then_some(
        "Nothing was written: the content carries the line numbers of read_file (`12|text`). Send the text without \
         them.",
    )
}

/// At least two lines that are not blank, 60 % of them numbered as `read_file` does, the numbers consecutive.
fn is_numbered(content: &str) -> bool {
    let (mut lines, mut numbered) = (0_u64, 0_u64);
    let mut last: Option<u64> = None;
    for line in content.lines().filter(|line| !line.trim().is_empty()) {
        lines += 1;
        let Some((number, _)) = line.split_once('|') else {
            continue;
        };
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let Ok(number) = number.parse::<u64>() else {
            return false;
        };
        if last.is_some_and(|last| last.checked_add(1) != Some(number)) {
            return false;
        }
        last = Some(number);
        numbered += 1;
    }
    lines >= 2 && numbered * 10 >= lines * 6
}

#[cfg(test)]
mod tests;
