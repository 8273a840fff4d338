//! The branch of a folder, read from the repository's own files; no program is started.

use std::path::Path;

/// Name of the branch that is checked out around `folder`, or the first seven digits of a detached commit.
pub(crate) fn branch(folder: &Path) -> Option<String> {
    let dot_git = folder
        .ancestors()
        .map(|folder| folder.join(".git"))
        .find(|path| path.exists())?;
    let git_dir = if dot_git.is_file() {
        // A worktree: the file names the real folder.
        let text = std::fs::read_to_string(&dot_git).ok()?;
        let named = text.strip_prefix("gitdir:")?.trim();
        dot_git.parent()?.join(named)
    } else {
        dot_git
    };
    let head = std::fs::read_to_string(git_dir.join("HEAD")).ok()?;
    let head = head.trim();
    match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => Some(branch.to_owned()),
        None => head.get(..7).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests;
