//! Commands that only read: a list of what is known, not of what is forbidden. Unknown commands do not read.

use crate::assess::{CommandContext, Peeled, peel};
use crate::shell::Simple;

/// Programs that read with any options they have.
const READERS: &[&str] = &[
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "pwd",
    "echo",
    "printf",
    "true",
    "false",
    ":",
    "stat",
    "du",
    "df",
    "file",
    "which",
    "whereis",
    "type",
    "whoami",
    "id",
    "groups",
    "uname",
    "hostname",
    "date",
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
    "uniq",
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
    "test",
    "[",
    "seq",
    "sleep",
    "tree",
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
    "man",
    "help",
    "history",
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
    let writes = simple.redirects.iter().any(|redirect| {
        let to = redirect.target.best();
        let descriptor =
            redirect.operator.ends_with('&') && !to.is_empty() && to.chars().all(|c| c.is_ascii_digit() || c == '-');
        !(descriptor || to == "/dev/null" || redirect.operator == "<")
    });
    if writes || simple.words.is_empty() {
        return false;
    }
    let command = peel(&simple.words);
    if !command.sudo.is_empty() || command.through_xargs || command.dynamic_name || command.own_path {
        return false;
    }
    // An assignment in front may change what the program does (`PAGER=`, `LD_PRELOAD=`).
    if simple
        .words
        .first()
        .is_some_and(|word| !simple.text.trim_start().starts_with(word.raw.as_str()))
        && command.name != ":"
    {
        return false;
    }
    if command.name == ":" && simple.text.trim() != ":" {
        // A bare assignment changes the shell's own variables only, but it persists into later commands.
        return false;
    }
    reader(&command)
}

fn reader(command: &Peeled<'_>) -> bool {
    let any = |options: &[&str]| {
        command.args.iter().any(|arg| {
            options
                .iter()
                .any(|option| arg.best() == *option || arg.best().starts_with(&format!("{option}=")))
        })
    };
    match command.name.as_str() {
        "man" => {
            !(any(&["-P", "--pager", "-H", "--html"])
                || command
                    .options()
                    .any(|option| option.starts_with("-P") || option.starts_with("-H")))
        }
        "date" => !(any(&["-s", "--set"]) || command.options().any(|option| option.starts_with("-s"))),
        "hostname" => command.operands().next().is_none() && !any(&["-F", "--file", "-b"]),
        "tree" => !command.options().any(|option| option.starts_with("-o")),
        "history" => command.args.is_empty(),
        "command" => command
            .args
            .first()
            .is_some_and(|arg| matches!(arg.best(), "-v" | "-V")),
        "sort" => !command.options().any(|option| {
            option.starts_with("-o")
                || option.starts_with("--output")
                || option.starts_with("--compress-program")
                || (!option.starts_with("--") && option.contains('o'))
        }),
        "uniq" => command.operands().count() < 2,
        "rg" => !command.options().any(|option| {
            option.starts_with("--pre")
                || option.starts_with("--hostname-bin")
                || option == "-z"
                || option == "--search-zip"
        }),
        "ag" | "ack" => !command.options().any(|option| option.starts_with("--pager")),
        "find" => !command.args.iter().any(|arg| {
            matches!(
                arg.best(),
                "-exec" | "-execdir" | "-ok" | "-okdir" | "-delete" | "-fprint" | "-fprint0" | "-fprintf" | "-fls"
            )
        }),
        "fd" | "fdfind" => !command
            .options()
            .any(|option| option.starts_with("-x") || option.starts_with("-X") || option.starts_with("--exec")),
        "sed" => sed(command),
        "awk" | "gawk" | "mawk" => awk(command),
        "git" => git(command),
        "cargo" | "rustc" | "node" | "python" | "python3" | "npm" | "go" | "java" | "gcc" | "make" | "bash" => {
            command.args.len() == 1
                && matches!(command.args[0].best(), "--version" | "-V" | "-v" | "version")
                && !(command.name == "npm" && command.args[0].best() == "version")
                && !(matches!(command.name.as_str(), "bash" | "python" | "python3") && command.args[0].best() == "-v")
        }
        "env" => command.args.is_empty(),
        name => READERS.contains(&name),
    }
}

/// Only `sed -n` with line addresses and `p`, and substitutions without `e` and `w`.
fn sed(command: &Peeled<'_>) -> bool {
    if command.options().any(|option| {
        option.starts_with("-i")
            || option.starts_with("--in-place")
            || option.starts_with("-f")
            || option.starts_with("--file")
            || option.contains('i') && !option.starts_with("--")
    }) {
        return false;
    }
    command.operands().next().is_some_and(|script| {
        script
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, ',' | '$' | 'p' | ';' | ' ' | 'q' | 'd' | '!'))
    })
}

/// awk programs that neither write nor run.
fn awk(command: &Peeled<'_>) -> bool {
    if command.options().any(|option| {
        option.starts_with("-f")
            || option.starts_with("-i")
            || option.starts_with("--file")
            || option.starts_with("-o")
            || option.starts_with("-e")
    }) {
        return false;
    }
    command.operands().next().is_some_and(|program| {
        !(program.contains('>')
            || program.contains('|')
            || program.contains("system")
            || program.contains("getline")
            || program.contains('@'))
    })
}

fn git(command: &Peeled<'_>) -> bool {
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
    let bad = rest.iter().any(|arg| {
        arg.starts_with("--output")
            || arg.starts_with("--ext-diff")
            || arg.starts_with("--textconv")
            || arg.starts_with("--open-files-in-pager")
            || arg.starts_with("-O")
    });
    if bad {
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
        "remote" => rest.is_empty() || matches!(rest.as_slice(), ["-v"] | ["show", _] | ["get-url", _]),
        "stash" => rest.first() == Some(&"list") || rest.first() == Some(&"show"),
        "config" => rest
            .iter()
            .any(|arg| matches!(*arg, "--get" | "--get-all" | "--list" | "-l")),
        "worktree" => rest.first() == Some(&"list"),
        verb => GIT.contains(&verb),
    }
}
