//! Commands that only read: a list of what is known, not of what is forbidden. Unknown commands do not read.

use crate::assess::CommandContext;
use crate::peel::{Peeled, peel};
use crate::shell::{Redirect, Simple};
use crate::words::Word;

/// Programs that read with any options they have.
const READERS: &[&str] = &[
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "pwd",
    "echo",
    "true",
    "false",
    ":",
    "stat",
    "du",
    "df",
    "which",
    "whereis",
    "type",
    "whoami",
    "id",
    "groups",
    "uname",
    "uptime",
    "ps",
    "free",
    "nproc",
    "lscpu",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "cut",
    "tr",
    "nl",
    "tac",
    "rev",
    "paste",
    "join",
    "comm",
    "fold",
    "expand",
    "column",
    "diff",
    "cmp",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "cksum",
    "b2sum",
    "od",
    "hexdump",
    "strings",
    "seq",
    "sleep",
    "printenv",
    "locale",
    "getconf",
    "arch",
    "tty",
    "cd",
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "zcat",
    "jq",
    "lsblk",
    "lsof",
    "pgrep",
    "expr",
    "numfmt",
    "look",
    "help",
];

/// Sub-commands of git that read.
const GIT: &[&str] = &[
    "status",
    "log",
    "diff",
    "show",
    "blame",
    "rev-parse",
    "ls-files",
    "ls-tree",
    "describe",
    "shortlog",
    "cat-file",
    "rev-list",
    "merge-base",
    "name-rev",
    "grep",
    "count-objects",
    "check-ignore",
    "whatchanged",
    "diff-tree",
    "for-each-ref",
];

/// Whether a simple command changes nothing: no unknown program, no option that writes or runs, no redirection to a file.
pub(crate) fn only_reads(simple: &Simple, _: &CommandContext) -> bool {
    if !simple.redirects.iter().all(harmless) || !simple.hidden.is_empty() || !simple.assignments.is_empty() {
        return false;
    }
    if simple.words.is_empty() {
        // `$(< file)`; without any file there is nothing that could be judged.
        return !simple.redirects.is_empty() && simple.redirects.iter().all(|redirect| redirect.operator == "<");
    }
    let command = peel(&simple.words);
    // `${name:=value}` sets a variable, `${name@P}` runs what is in one.
    let expands = simple
        .words
        .iter()
        .any(|word| word.raw.contains("${") && word.raw.contains(['=', '@']));
    let plain = !expands && command.sudo.is_empty() && !command.through_xargs && !command.altered;
    plain && !command.dynamic_name && !command.own_path && reader(&command)
}

fn harmless(redirect: &Redirect) -> bool {
    let to = redirect.target.best();
    let descriptor =
        redirect.operator.ends_with('&') && !to.is_empty() && to.chars().all(|c| c.is_ascii_digit() || c == '-');
    // Bash opens connections by these names.
    let connection = to.starts_with("/dev/tcp/") || to.starts_with("/dev/udp/") || redirect.target.value.is_none();
    descriptor || to == "/dev/null" || (redirect.operator == "<" && !connection)
}

fn reader(command: &Peeled<'_>) -> bool {
    let starts = |prefixes: &[&str]| {
        command
            .args
            .iter()
            .any(|arg| prefixes.iter().any(|prefix| arg.best().starts_with(prefix)))
    };
    let fixed = || command.args.iter().all(|arg| is_fixed(arg));
    match command.name.as_str() {
        "printf" => fixed() && !starts(&["-"]),
        // A subscript is evaluated, commands in it included.
        "test" | "[" => !command.args.iter().any(|arg| {
            let inner = arg.raw.trim_matches(|c| matches!(c, '[' | ']' | ' '));
            inner.contains('[') || inner.split_whitespace().any(|word| word == "-v")
        }),
        "man" => allows(command, "kfwaK", "", &[]) && !command.operands().any(|page| page.contains('/')),
        "date" => {
            allows(command, "uRI", "dr", &["--utc", "--universal", "--date", "--iso-8601", "--rfc-3339", "--reference"])
                // Digits alone set the clock.
                && !command.operands().any(|text| text.chars().all(|c| c.is_ascii_digit() || c == '.'))
        }
        "hostname" => allows(command, "fsiIdA", "", &[]) && command.operands().next().is_none(),
        "tree" => allows(
            command,
            "adfpsugDhFNqQrtcUvxlinACSJX",
            "LPI",
            &["--noreport", "--dirsfirst", "--du", "--prune", "--gitignore", "--si"],
        ),
        "file" => allows(
            command,
            "bikLNhsrp0",
            "mF",
            &["--brief", "--mime", "--mime-type", "--mime-encoding", "--dereference"],
        ),
        "history" => command.args.is_empty(),
        "command" => command
            .args
            .first()
            .is_some_and(|arg| matches!(arg.best(), "-v" | "-V")),
        "sort" => allows(
            command,
            "bdfghiMnRrVucCmsz",
            "kt",
            &[
                "--reverse",
                "--numeric-sort",
                "--human-numeric-sort",
                "--version-sort",
                "--unique",
                "--check",
                "--ignore-case",
                "--key",
                "--field-separator",
                "--stable",
                "--zero-terminated",
                "--general-numeric-sort",
                "--month-sort",
                "--random-sort",
                "--ignore-leading-blanks",
                "--dictionary-order",
            ],
        ),
        "uniq" => fixed() && command.operands().count() < 2,
        "rg" => fixed() && !starts(&["--pre", "--hostname-bin", "--search-zip"]) && !command.short().contains('z'),
        "find" => fixed() && !starts(&["-exec", "-ok", "-delete", "-fprint", "-fls", "-files0-from"]),
        "fd" | "fdfind" => fixed() && !command.short().contains(['x', 'X']) && !starts(&["--exec"]),
        "sed" => sed(command),
        "awk" | "gawk" | "mawk" => awk(command),
        "git" => git(command),
        "cargo" | "rustc" | "node" | "python" | "python3" | "npm" | "go" | "java" | "gcc" | "make" | "bash" => {
            let [version] = command.args.as_slice() else {
                return false;
            };
            match command.name.as_str() {
                "go" => version.best() == "version",
                "node" | "npm" => matches!(version.best(), "--version" | "-v"),
                "java" => matches!(version.best(), "--version" | "-version"),
                _ => version.best() == "--version",
            }
        }
        "env" => command.args.is_empty(),
        name => READERS.contains(&name),
    }
}

/// Whether a word is known and the shell cannot make an option of it: no variable, no pattern and no braces in front,
/// none in an option.
fn is_fixed(word: &Word) -> bool {
    const EXPANDS: [char; 4] = ['*', '?', '[', '{'];
    let Some(value) = word.value.as_deref() else {
        return false;
    };
    let mut raw = word.raw.as_str();
    while let Some(rest) = raw.strip_prefix("\"\"").or_else(|| raw.strip_prefix("''")) {
        raw = rest;
    }
    let in_front = raw.starts_with(EXPANDS) || (raw.starts_with(['@', '+', '!']) && raw[1..].starts_with('('));
    let in_option = value.starts_with('-') && raw.contains(EXPANDS);
    !in_front && !in_option
}

/// Whether all options are among those listed: `flags` and `valued` are letters, `long` are names in full. What is
/// abbreviated or unknown does not count.
fn allows(command: &Peeled<'_>, flags: &str, valued: &str, long: &[&str]) -> bool {
    let mut args = command.args.iter();
    while let Some(arg) = args.next() {
        let text = arg.best();
        if !is_fixed(arg) {
            return false;
        }
        if text == "--" {
            return args.all(|arg| is_fixed(arg));
        }
        if text.starts_with("--") {
            if !long.contains(&text.split('=').next().unwrap_or(text)) {
                return false;
            }
            continue;
        }
        let Some(letters) = text.strip_prefix('-') else {
            continue;
        };
        let end = letters.find(|letter| !flags.contains(letter)).unwrap_or(letters.len());
        match letters[end..].chars().next() {
            None => {}
            Some(letter) if valued.contains(letter) => {
                let value_follows = letters[end..].chars().nth(1).is_none();
                if value_follows && args.next().is_some_and(|value| !is_fixed(value)) {
                    return false;
                }
            }
            Some(_) => return false,
        }
    }
    true
}

/// Only line addresses with `p`, `d` and `q`; other commands of sed may write or run.
fn sed(command: &Peeled<'_>) -> bool {
    allows(command, "nErsuz", "", &["--quiet", "--silent", "--regexp-extended"])
        && command.operands().next().is_some_and(|script| {
            script
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, ',' | '$' | 'p' | ';' | ' ' | 'q' | 'd' | '!'))
        })
}

/// Programs of awk that neither write nor run.
fn awk(command: &Peeled<'_>) -> bool {
    allows(command, "", "Fv", &[])
        && command.operands().next().is_some()
        && !command.args.iter().any(|arg| {
            let text = arg.best();
            text.contains(['>', '|', '@']) || text.contains("system") || text.contains("getline")
        })
}

fn git(command: &Peeled<'_>) -> bool {
    if !command.args.iter().all(|arg| is_fixed(arg)) {
        return false;
    }
    let mut args = command.args.iter().map(|arg| arg.best()).peekable();
    // `-c` can set a pager or a hook.
    while let Some(arg) = args.next_if(|arg| arg.starts_with('-')) {
        match arg {
            "-C" => {
                args.next();
            }
            "--no-pager" | "--version" => {}
            _ => return false,
        }
    }
    let Some(verb) = args.next() else {
        return command.has("--version");
    };
    let rest: Vec<&str> = args.collect();
    // git takes beginnings of long options as well.
    let writes_or_runs = rest.iter().any(|arg| {
        const LONG: [&str; 5] = [
            "--output",
            "--ext-diff",
            "--textconv",
            "--filters",
            "--open-files-in-pager",
        ];
        let name = arg.split('=').next().unwrap_or(arg);
        let long = LONG
            .iter()
            .any(|option| arg.starts_with(option) || (name.len() > 3 && option.starts_with(name)));
        let short = arg.len() > 1 && arg.starts_with('-') && !arg.starts_with("--");
        long || arg.starts_with("-O") || (short && verb == "grep" && arg.contains('O'))
    });
    if writes_or_runs {
        return false;
    }
    match verb {
        "branch" => rest.iter().all(|arg| {
            matches!(
                *arg,
                "-a" | "-r" | "-v" | "-vv" | "--list" | "--show-current" | "--all" | "--remotes"
            )
        }),
        "tag" => rest.iter().all(|arg| matches!(*arg, "-l" | "--list" | "-n")),
        "remote" => matches!(rest.as_slice(), [] | ["-v"] | ["get-url", _]),
        "stash" => rest.first() == Some(&"list") || rest.first() == Some(&"show"),
        "config" => rest
            .first()
            .is_some_and(|arg| matches!(*arg, "--get" | "--get-all" | "--list" | "-l")),
        "worktree" => rest.first() == Some(&"list"),
        verb => GIT.contains(&verb),
    }
}
