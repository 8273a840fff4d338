//! Finds the tool that a model meant by a name that does not exist (tools.md 5.1).

const MIN_SIMILARITY: f64 = 0.7;

/// The known name that `name` stands for: the name itself, the name in another spelling, or the closest one that is at least
/// 0.7 alike. `None` for a blank name and for one that resembles nothing.
pub fn repair_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let find = |wanted: &str| known.clone().into_iter().find(|candidate| *candidate == wanted);
    let cut = name.split(['"', '\'', '<', '>']).next().unwrap_or_default().trim();
    if cut.is_empty() {
        return None;
    }
    let snake = to_snake(cut);
    let lower = cut.to_lowercase().replace(['-', ' '], "_");
    if let Some(found) = find(cut).or_else(|| find(&lower)).or_else(|| find(&snake)) {
        return Some(found);
    }
    for spelling in [&lower, &snake] {
        let mut stem = spelling.as_str();
        for _ in 0..2 {
            let Some(shorter) = stem.strip_suffix("tool") else {
                break;
            };
            stem = shorter.trim_end_matches('_');
            if let Some(found) = find(stem) {
                return Some(found);
            }
        }
    }
    let mut best: Option<(&'a str, f64)> = None;
    for candidate in known {
        let likeness = similarity(&snake, candidate).max(similarity(&lower, candidate));
        if likeness >= MIN_SIMILARITY && best.is_none_or(|(_, so_far)| likeness > so_far) {
            best = Some((candidate, likeness));
        }
    }
    best.map(|(candidate, _)| candidate)
}

/// `ReadFile`, `read-file` and `readFile` all become `read_file`; a run of capitals stays one word.
fn to_snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut characters = name.chars().peekable();
    let mut previous: Option<char> = None;
    while let Some(character) = characters.next() {
        if matches!(character, '-' | ' ') {
            snake.push('_');
        } else {
            let starts_word = character.is_uppercase()
                && previous.is_some_and(|before| {
                    before.is_lowercase()
                        || before.is_ascii_digit()
                        || (before.is_uppercase() && characters.peek().is_some_and(|next| next.is_lowercase()))
                });
            if starts_word {
                snake.push('_');
            }
            snake.extend(character.to_lowercase());
        }
        previous = Some(character);
    }
    snake
}

/// Twice the characters in common blocks over all characters, the longest block first (Ratcliff and Obershelp).
fn similarity(left: &str, right: &str) -> f64 {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let total = left.len() + right.len();
    if total == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "names are short")]
    let ratio = 2.0 * common(&left, &right) as f64 / total as f64;
    ratio
}

fn common(left: &[char], right: &[char]) -> usize {
    let (start_left, start_right, length) = longest_block(left, right);
    if length == 0 {
        return 0;
    }
    length
        + common(&left[..start_left], &right[..start_right])
        + common(&left[start_left + length..], &right[start_right + length..])
}

fn longest_block(left: &[char], right: &[char]) -> (usize, usize, usize) {
    let mut best = (0, 0, 0);
    // lengths[j]: length of the common block that ends at the current left character and right[j - 1].
    let mut lengths = vec![0; right.len() + 1];
    for (i, character) in left.iter().enumerate() {
        let mut diagonal = 0;
        for (j, other) in right.iter().enumerate() {
            let above = lengths[j + 1];
            lengths[j + 1] = if character == other { diagonal + 1 } else { 0 };
            if lengths[j + 1] > best.2 {
                best = (i + 1 - lengths[j + 1], j + 1 - lengths[j + 1], lengths[j + 1]);
            }
            diagonal = above;
        }
    }
    best
}

#[cfg(test)]
mod tests;
