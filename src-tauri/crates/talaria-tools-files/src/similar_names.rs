//! Files that a model may have meant by a name that does not exist (files.md 4.6).

use talaria_exec::FileHost;

const NAMES_LOOKED_AT: usize = 50;
const NAMES_GIVEN: usize = 5;

/// The best few names beside `absolute`, written the way the model wrote the path.
pub(crate) async fn similar_files(files: &dyn FileHost, absolute: &str, written: &str) -> Vec<String> {
    let Some((folder, name)) = absolute.rsplit_once('/') else {
        return Vec::new();
    };
    let folder = if folder.is_empty() { "/" } else { folder };
    let names = files.list(folder, NAMES_LOOKED_AT).await.unwrap_or_default();
    let prefix = match written.rsplit_once('/') {
        Some((prefix, _)) => prefix,
        None => ".",
    };
    best(name, names)
        .into_iter()
        .map(|found| format!("{prefix}/{found}"))
        .collect()
}

fn best(wanted: &str, names: Vec<String>) -> Vec<String> {
    let mut scored: Vec<(u32, String)> = names
        .into_iter()
        .map(|name| (score(wanted, &name), name))
        .filter(|(score, _)| *score > 0)
        .collect();
    scored.sort_by(|(left, left_name), (right, right_name)| right.cmp(left).then_with(|| left_name.cmp(right_name)));
    scored.into_iter().take(NAMES_GIVEN).map(|(_, name)| name).collect()
}

fn score(wanted: &str, candidate: &str) -> u32 {
    let (wanted, candidate) = (wanted.to_lowercase(), candidate.to_lowercase());
    let ((stem, extension), (other_stem, other_extension)) = (split(&wanted), split(&candidate));
    if wanted == candidate {
        100
    } else if stem == other_stem {
        90
    } else if wanted.starts_with(&candidate) || candidate.starts_with(&wanted) {
        70
    } else if candidate.contains(&wanted) {
        60
    } else if candidate.chars().count() > 2 && wanted.contains(&candidate) {
        40
    } else if extension == other_extension && extension.is_some() && shares_letters(&wanted, &candidate) {
        30
    } else {
        0
    }
}

fn split(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, Some(extension)),
        _ => (name, None),
    }
}

/// Whether the different characters in both are at least 40 % of the longer name.
fn shares_letters(left: &str, right: &str) -> bool {
    let distinct: std::collections::BTreeSet<char> = left.chars().collect();
    let shared = right
        .chars()
        .collect::<std::collections::BTreeSet<char>>()
        .intersection(&distinct)
        .count();
    shared * 10 >= left.chars().count().max(right.chars().count()) * 4
}

#[cfg(test)]
mod tests;
