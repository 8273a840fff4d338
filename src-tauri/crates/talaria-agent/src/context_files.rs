//! Instruction files of a project (agent.md 9.3): the first kind that exists is taken.

use std::path::{Path, PathBuf};

/// Names in order of precedence. The first group is also looked for in the folders above, up to the repository's root.
const OWN: [&str; 3] = [".talaria.md", ".hermes.md", "HERMES.md"];
const SHARED: [&str; 3] = ["AGENTS.md", "CLAUDE.md", ".cursorrules"];
/// Folder of rule files; all of them together count as one.
const RULES: &str = ".cursor/rules";

/// An instruction file as it goes into the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContextFile {
    /// Path relative to the project where it lies inside.
    pub name: String,
    /// Text, cut to the limit.
    pub text: String,
    /// Whether it was cut.
    pub truncated: bool,
}

/// Largest instruction file that is read at all.
const MAX_BYTES: u64 = 2 * 1024 * 1024;

/// Loads the project's instruction files; unreadable ones count as absent. At most one file.
pub(crate) async fn load(project_dir: &Path, limit_chars: usize) -> Vec<ContextFile> {
    let project_dir = project_dir.to_owned();
    tokio::task::spawn_blocking(move || find(&project_dir, limit_chars))
        .await
        .ok()
        .flatten()
        .into_iter()
        .collect()
}

fn find(project_dir: &Path, limit_chars: usize) -> Option<ContextFile> {
    for folder in up_to_repository_root(project_dir) {
        for name in OWN {
            if let Some(file) = read(&folder.join(name), project_dir, limit_chars) {
                return Some(file);
            }
        }
    }
    SHARED
        .iter()
        .find_map(|name| read(&project_dir.join(name), project_dir, limit_chars))
        .or_else(|| rules(project_dir, limit_chars))
}

/// The `.mdc` files of the rules folder, in name order.
fn rules(project_dir: &Path, limit_chars: usize) -> Option<ContextFile> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(project_dir.join(RULES))
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ext| ext == "mdc"))
        .collect();
    paths.sort();
    let files: Vec<ContextFile> = paths
        .iter()
        .filter_map(|path| read(path, project_dir, limit_chars))
        .collect();
    if files.is_empty() {
        return None;
    }
    let whole = files
        .iter()
        .map(|file| file.text.as_str())
        .collect::<Vec<_>>()
        .join("\n\n");
    let (text, cut_here) = cut(&whole, limit_chars, RULES);
    Some(ContextFile {
        name: RULES.to_owned(),
        text,
        truncated: cut_here || files.iter().any(|file| file.truncated),
    })
}

/// The folder itself, and the ones above it if it lies in a repository.
fn up_to_repository_root(folder: &Path) -> Vec<PathBuf> {
    let chain: Vec<PathBuf> = folder.ancestors().map(Path::to_owned).collect();
    match chain.iter().position(|folder| folder.join(".git").exists()) {
        Some(root) => chain.into_iter().take(root + 1).collect(),
        None => vec![folder.to_owned()],
    }
}

fn read(path: &Path, project_dir: &Path, limit_chars: usize) -> Option<ContextFile> {
    let facts = std::fs::metadata(path)
        .ok()
        .filter(|facts| facts.is_file() && facts.len() <= MAX_BYTES)?;
    if facts.len() == 0 {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    if text.is_empty() {
        return None;
    }
    let name = path.strip_prefix(project_dir).unwrap_or(path).display().to_string();
    let (text, truncated) = cut(&text, limit_chars, &name);
    Some(ContextFile { name, text, truncated })
}

/// Keeps 70 % of the limit from the head and 20 % from the tail, with a marker that says where the rest is.
fn cut(text: &str, limit_chars: usize, name: &str) -> (String, bool) {
    let total = text.chars().count();
    if total <= limit_chars {
        return (text.to_owned(), false);
    }
    let head: String = text.chars().take(limit_chars * 7 / 10).collect();
    let tail: String = text.chars().skip(total - limit_chars / 5).collect();
    let left_out = total - limit_chars * 7 / 10 - limit_chars / 5;
    (
        format!("{head}\n\n[{left_out} characters of {name} are left out here; read the file for them]\n\n{tail}"),
        true,
    )
}

#[cfg(test)]
mod tests;
