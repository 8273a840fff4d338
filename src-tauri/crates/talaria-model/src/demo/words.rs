//! What a person's message asks of the demo. The demo understands a few words and says so when it understands none.

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// The walk, from its beginning.
    Start,
    /// The walk, from where it was left.
    GoOn,
    /// Something that a script cannot do.
    Other,
}

const REFUSALS: [&str; 9] = ["no", "not", "don't", "dont", "never", "stop", "不", "нет", "не"];
const CONTINUATIONS: [&str; 6] = ["continue", "resume", "further", "继续", "繼續", "продолжай"];
const STARTS: [&str; 29] = [
    "start",
    "begin",
    "go",
    "yes",
    "yep",
    "ok",
    "okay",
    "sure",
    "show",
    "walk",
    "demo",
    "tour",
    "try",
    "run",
    "fix",
    "test",
    "tests",
    "failing",
    "ready",
    "开始",
    "演示",
    "是",
    "好",
    "開始",
    "示範",
    "да",
    "начать",
    "начни",
    "покажи",
];

pub(super) fn wish(text: &str) -> Wish {
    let text = text.to_lowercase();
    let words = || {
        text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
            .filter(|word| !word.is_empty())
    };
    let has = |list: &[&str]| words().any(|word| list.contains(&word));
    // "go on" and "carry on" are two words each.
    let on = words()
        .zip(words().skip(1))
        .any(|(first, second)| matches!(first, "go" | "carry" | "keep") && matches!(second, "on" | "going"));
    if has(&REFUSALS) {
        Wish::Other
    } else if on || has(&CONTINUATIONS) {
        Wish::GoOn
    } else if has(&STARTS) {
        Wish::Start
    } else {
        Wish::Other
    }
}

#[cfg(test)]
mod tests;
