//! What loses work or history.

use super::ask;
use crate::assess::Check;
use crate::peel::Peeled;

pub(super) fn git(check: &mut Check<'_>, command: &Peeled<'_>) {
    // Options of git itself stand before the verb.
    let args: Vec<&str> = command.args.iter().map(|arg| arg.best()).collect();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        match *arg {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => at += 2,
            option if option.starts_with('-') => at += 1,
            _ => break,
        }
    }
    let runs = args[..at.min(args.len())]
        .windows(2)
        .any(|pair| pair[0] == "-c" && setting_runs(pair[1]))
        || args[..at.min(args.len())]
            .iter()
            .any(|arg| arg.starts_with("--config-env") || arg.starts_with("--exec-path="));
    if runs {
        ask(
            check,
            "arbitrary program execution via an option",
            "Runs another program by a setting",
        );
    }
    let Some(verb) = args.get(at) else { return };
    let rest = &args[at + 1..];
    let long = |name: &str, least: usize| {
        rest.iter().any(|arg| {
            let arg = arg.split('=').next().unwrap_or(arg);
            arg.len() >= least && arg.starts_with("--") && name.starts_with(arg)
        })
    };
    let short = |letter: char| {
        rest.iter()
            .take_while(|arg| **arg != "--")
            .any(|arg| arg.len() > 1 && arg.starts_with('-') && !arg.starts_with("--") && arg.contains(letter))
    };
    match *verb {
        "reset" if long("--hard", 3) && !rest.contains(&"--help") => {
            ask(
                check,
                "git reset --hard (destroys uncommitted changes)",
                "Throws uncommitted changes away",
            );
        }
        "push" => {
            let forced = rest.iter().any(|arg| arg.starts_with("--forc"))
                || short('f')
                || rest.iter().any(|arg| arg.len() > 1 && arg.starts_with('+'));
            if forced {
                ask(
                    check,
                    "git force push (rewrites remote history)",
                    "Rewrites the history of the remote",
                );
            }
            if long("--delete", 5)
                || rest.iter().any(|arg| arg.len() > 1 && arg.starts_with(':'))
                || short('d')
                || long("--mirror", 4)
                || long("--prune", 4)
            {
                ask(check, "git push --delete", "Deletes branches of the remote");
            }
        }
        "clean" if short('f') || long("--force", 4) => {
            ask(
                check,
                "git clean with force (deletes untracked files)",
                "Deletes files that git does not know",
            );
        }
        "branch" if short('D') || ((short('d') || long("--delete", 4)) && (long("--force", 4) || short('f'))) => {
            ask(
                check,
                "git branch force delete",
                "Deletes a branch with its unmerged work",
            );
        }
        "checkout" | "restore" if rest.contains(&".") || rest.contains(&"--") => {
            ask(check, "git discards changes", "Throws uncommitted changes away");
        }
        "reflog" if rest.first().is_some_and(|arg| matches!(*arg, "expire" | "delete")) => {
            ask(
                check,
                "git reflog expire",
                "Throws away what could bring lost commits back",
            );
        }
        "filter-branch" | "filter-repo" => {
            ask(check, "git rewrites history", "Rewrites the history of the repository");
        }
        "update-ref" if short('d') || long("--delete", 4) => {
            ask(
                check,
                "git deletes references",
                "Deletes a reference and what only it holds",
            );
        }
        "stash" if rest.first().is_some_and(|arg| matches!(*arg, "drop" | "clear")) => {
            ask(check, "git discards changes", "Throws put-aside changes away");
        }
        _ => {}
    }
}

/// Whether a setting of git names a program, or where to find some.
fn setting_runs(setting: &str) -> bool {
    let key = setting.split('=').next().unwrap_or(setting).to_lowercase();
    key.starts_with("alias.")
        || [
            "command",
            "editor",
            "external",
            "fsmonitor",
            "helper",
            "hook",
            "pager",
            "program",
            "textconv",
            "cmd",
        ]
        .iter()
        .any(|word| key.contains(word))
}
