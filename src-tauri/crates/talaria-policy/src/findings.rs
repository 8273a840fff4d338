//! What needs an answer (security.md 6): deletes, writes to the system and to secrets, remote code, privilege, lost work.

use crate::assess::{Check, Finding, Verdict};
use crate::block::{deletes_everything, fold};
use crate::peel::{Peeled, peel};
use crate::shell::{Redirect, Script};
use crate::words::Word;
use files::{chmod, in_place, remove, target, whole_tree};
use git::git;
use programs::{evaluate, interpreter, piped, runs_program, runs_text, shell_payload};
use services::{container, forced, gateway, kill_by_name, launchd, own, own_process, powershell, sql};
use std::collections::HashMap;

mod files;
mod git;
mod programs;
mod services;

const SHELLS: [&str; 7] = ["sh", "bash", "zsh", "ksh", "dash", "ash", "fish"];

/// Judges one command.
pub(crate) fn command(check: &mut Check<'_>, command: &Peeled<'_>) {
    if command.dynamic_name && !command.name.is_empty() {
        ask(
            check,
            "program chosen at run time",
            "Runs a program whose name is not in the text",
        );
    }
    match command.name.as_str() {
        "rm" => remove(check, command),
        "chmod" => chmod(check, command),
        "chown" => {
            whole_tree(check, command);
            let recursive = command.short().contains('R') || command.long("--recursive", 5);
            if recursive
                && command
                    .operands()
                    .next()
                    .is_some_and(|owner| owner == "root" || owner.starts_with("root:"))
            {
                ask(check, "recursive chown to root", "Gives files to root");
            }
        }
        "dd" if command.args.iter().any(|arg| arg.best().starts_with("if=")) => {
            ask(check, "disk copy", "Copies raw data");
        }
        "fd" | "fdfind"
            if command
                .options()
                .any(|option| option.starts_with("-x") || option.starts_with("-X") || option.starts_with("--exec")) =>
        {
            ask(check, "find -exec/-execdir rm", "Runs a command on what it finds");
        }
        "find" if command.has("-delete") => ask(check, "find -delete", "Deletes what it finds"),
        "git" => git(check, command),
        "kill" => kill_by_name(check, command),
        "launchctl" => launchd(check, command),
        "awk" | "gawk" | "mawk" | "nawk"
            if command
                .args
                .iter()
                .any(|arg| arg.best().contains("system(") || arg.best().contains("| getline")) =>
        {
            ask(
                check,
                "script execution via -e/-c flag",
                "Runs commands from a program of awk",
            );
        }
        "su" | "runuser" | "pkexec" | "script" | "watch" | "ssh" => runs_text(check, command),
        "parted" | "fdisk" | "sfdisk" | "cfdisk" | "gdisk" | "sgdisk" | "mkswap" | "wipefs" | "cryptsetup"
            if command.operands().any(|path| path.starts_with("/dev/"))
                && !command.short().contains('l')
                && !command.has("print") =>
        {
            ask(check, "change of a disk", "Changes the layout of a disk");
        }
        "rsync"
            if command.long("--delete", 5)
                && command
                    .operands()
                    .last()
                    .is_some_and(|to| deletes_everything(to).is_some()) =>
        {
            ask(
                check,
                "sync that deletes in a system or home folder",
                "Deletes what the source does not have",
            );
        }
        "mv" | "rmdir" | "unlink" if command.operands().any(|path| deletes_everything(path).is_some()) => {
            ask(
                check,
                "moves a system or home folder",
                "Takes away a folder of the system",
            );
        }
        "eval" | "source" | "." => evaluate(check, command),
        "systemctl"
            if command
                .operands()
                .next()
                .is_some_and(|verb| matches!(verb, "stop" | "restart" | "disable" | "mask" | "try-restart")) =>
        {
            ask(
                check,
                "stop/restart system service",
                "Stops or restarts a service of the system",
            );
        }
        "pkill" if own_process(command) => own(check),
        "killall" if own_process(command) => own(check),
        "pkill" if forced(command) => ask(check, "force kill processes", "Ends processes by force"),
        "hermes" | "talaria" | "talariad" => gateway(check, command),
        "service"
            if command
                .operands()
                .nth(1)
                .is_some_and(|verb| matches!(verb, "stop" | "restart")) =>
        {
            ask(
                check,
                "stop/restart system service",
                "Stops or restarts a service of the system",
            );
        }
        "trap" | "alias" => {
            for text in command.operands().map(str::to_owned).collect::<Vec<_>>() {
                let payload = text
                    .split_once('=')
                    .filter(|_| command.name == "alias")
                    .map_or(text.as_str(), |(_, text)| text);
                check.payloads.push(payload.to_owned());
            }
        }
        "cmd" => {
            let switch = command
                .args
                .iter()
                .position(|arg| matches!(arg.best().to_lowercase().as_str(), "/c" | "/k"));
            let verb = switch
                .and_then(|at| command.args.get(at + 1))
                .map(|arg| arg.best().to_lowercase());
            if verb.is_some_and(|verb| matches!(verb.split_whitespace().next(), Some("del" | "erase" | "rd" | "rmdir")))
            {
                ask(check, "Windows cmd destructive delete", "Deletes files");
            }
        }
        "powershell" | "pwsh" => powershell(check, command),
        "man" | "rg" | "ag" | "sort" | "tar" => runs_program(check, command),
        "vim" | "vi" | "nvim" | "ex" | "view"
            if command
                .options()
                .any(|option| option.starts_with("-c") || option.starts_with("--cmd"))
                || command.args.iter().any(|arg| arg.best().starts_with('+')) =>
        {
            ask(
                check,
                "arbitrary program execution via an editor",
                "Runs editor commands, which can run programs",
            );
        }
        "scp" | "sftp"
            if command.args.iter().any(|arg| {
                arg.best().to_lowercase().contains("proxycommand") || arg.best().to_lowercase().contains("localcommand")
            }) =>
        {
            ask(
                check,
                "arbitrary program execution via ssh",
                "Runs a program for the connection",
            );
        }
        "socat" | "nc" | "ncat" | "netcat"
            if command.args.iter().any(|arg| {
                let arg = arg.best().to_lowercase();
                arg.starts_with("exec:") || arg.starts_with("system:") || arg == "-e" || arg == "-c"
            }) =>
        {
            ask(
                check,
                "shell over a network connection",
                "Hands a shell to a network connection",
            );
        }
        "killall" => {
            if command.short().contains('r') || command.long("--regexp", 4) {
                ask(
                    check,
                    "kill processes by regex (killall -r)",
                    "Ends every process whose name fits a pattern",
                );
            } else if command
                .args
                .iter()
                .any(|arg| matches!(arg.best(), "-9" | "-KILL" | "-SIGKILL" | "KILL" | "SIGKILL" | "9"))
            {
                ask(check, "force kill processes", "Ends processes by force");
            }
        }
        "docker" | "podman" | "docker-compose" | "podman-compose" => container(check, command),
        "crontab" if command.short().contains('r') => ask(check, "delete crontab", "Deletes all scheduled jobs"),
        "psql" | "mysql" | "mariadb" | "sqlite3" | "sqlcmd" | "clickhouse-client" => sql(check, command),
        "tee" => {
            for operand in command.operands().map(str::to_owned).collect::<Vec<_>>() {
                target(check, &operand);
            }
        }
        "cp" | "mv" | "install" | "rsync" | "ln" => {
            let folder = command
                .args
                .windows(2)
                .find(|pair| matches!(pair[0].best(), "-t" | "--target-directory"))
                .map(|pair| pair[1].best());
            let attached = command
                .options()
                .find_map(|option| option.strip_prefix("--target-directory="));
            let last = folder.or(attached).or_else(|| command.operands().last());
            if let Some(last) = last.map(str::to_owned) {
                target(check, &last);
            }
        }
        "sed" | "perl" | "ruby" => in_place(check, command),
        "curl" | "wget" => {}
        _ => {}
    }
    shell_payload(check, command);
    interpreter(check, command);
    piped(check, command);
}

/// Whether one of the commands runs a text as shell.
pub(crate) fn runs_shell_text(script: &Script) -> bool {
    script.simples.iter().any(|simple| {
        let name = peel(&simple.words).name;
        SHELLS.contains(&name.as_str()) || matches!(name.as_str(), "eval" | "source" | "." | "ssh" | "su")
    })
}

/// What only shows over several commands: a file that is downloaded or made executable and then run.
pub(crate) fn in_sequence(script: &Script, found: &mut Vec<Finding>) {
    let mut fresh: HashMap<String, (&str, &str)> = HashMap::new();
    // Where a `cd` right before leads to.
    let mut folder: Option<String> = None;
    for (part, simple) in script.simples.iter().enumerate() {
        let command = peel(&simple.words);
        if let Some(folder) = folder.take().filter(|_| command.name == "rm") {
            let inside = command
                .operands()
                .filter(|path| !path.starts_with(['/', '~']))
                .find_map(|path| deletes_everything(&format!("{folder}/{path}")));
            found.extend(inside.map(|(key, reason)| Finding {
                key: key.to_owned(),
                reason: reason.to_owned(),
                verdict: Verdict::Block,
                part,
            }));
        }
        if command.name == "cd" {
            folder = Some(command.operands().next().unwrap_or("~").to_owned());
        }
        let runs = match SHELLS.contains(&command.name.as_str()) {
            true => command.operands().next().map(str::to_owned),
            false => simple.words.first().map(|word| word.best().to_owned()),
        };
        let runs = runs.map(|path| fold(&path));
        if let Some((key, reason)) = runs.and_then(|path| fresh.get(&path)) {
            found.push(Finding {
                key: (*key).to_owned(),
                reason: (*reason).to_owned(),
                verdict: Verdict::Ask,
                part,
            });
        }
        let download = ("pipe remote content to shell", "Runs what it downloaded");
        match command.name.as_str() {
            "chmod"
                if command
                    .args
                    .first()
                    .is_some_and(|mode| mode.best().contains('x') || mode.best().starts_with('7')) =>
            {
                let executable = (
                    "chmod +x followed by immediate execution",
                    "Makes a file a program and runs it",
                );
                fresh.extend(command.operands().skip(1).map(|path| (fold(path), executable)));
            }
            "curl" | "wget" => {
                let args: Vec<&str> = command.args.iter().map(|arg| arg.best()).collect();
                let named = args.windows(2).filter(|pair| {
                    let option = pair[0];
                    option == "--output"
                        || option == "--output-document"
                        || (option.starts_with('-') && !option.starts_with("--") && option.ends_with(['o', 'O']))
                });
                fresh.extend(named.map(|pair| (fold(pair[1]), download)));
                // Without a name the file is called as in the address.
                fresh.extend(command.operands().filter_map(|address| {
                    let path = address.split(['?', '#']).next().unwrap_or(address);
                    let (_, name) = path.rsplit_once('/')?;
                    Some((name.to_owned(), download))
                }));
                fresh.extend(
                    simple
                        .redirects
                        .iter()
                        .map(|redirect| (fold(redirect.target.best()), download)),
                );
            }
            _ => {}
        }
    }
}

/// Options of `sudo` itself.
pub(crate) fn sudo(check: &mut Check<'_>, options: &[&Word]) {
    let mut letters = String::new();
    let mut long = Vec::new();
    for option in options.iter().map(|word| word.best()) {
        match option.strip_prefix("--") {
            Some(name) => long.push(name.split('=').next().unwrap_or(name).to_owned()),
            None => letters.push_str(option.trim_start_matches('-')),
        }
    }
    let stdin = letters.contains('S')
        || long
            .iter()
            .any(|name| name.len() >= 2 && "stdin".starts_with(name.as_str()));
    if stdin && !check.context.sudo_password {
        let (verdict, reason) = match letters.contains('n') {
            true => (Verdict::Ask, "Runs as root"),
            false => (Verdict::Block, "Feeds a password to sudo"),
        };
        check.found(verdict, "sudo password on standard input", reason);
        return;
    }
    if letters.contains(['s', 'A', 'i'])
        || long
            .iter()
            .any(|name| ["shell", "askpass", "login"].contains(&name.as_str()))
    {
        ask(
            check,
            "sudo with privilege flag (stdin/askpass/shell/list)",
            "Opens a shell as root",
        );
        return;
    }
    ask(check, "sudo", "Runs as root");
}

/// `xargs rm` deletes what another command names.
pub(crate) fn xargs(check: &mut Check<'_>, command: &Peeled<'_>) {
    if command.name == "rm" {
        ask(check, "xargs with rm", "Deletes what another command names");
    }
    if SHELLS.contains(&command.name.as_str()) {
        ask(check, "pipe into a shell", "Runs text of another command as shell");
    }
}

/// Where a redirection writes.
pub(crate) fn redirect(check: &mut Check<'_>, redirect: &Redirect) {
    if redirect.operator.ends_with('&') && redirect.target.best().chars().all(|c| c.is_ascii_digit()) {
        return;
    }
    let path = redirect.target.best().to_owned();
    target(check, &path);
}

fn ask(check: &mut Check<'_>, key: &str, reason: &str) {
    check.found(Verdict::Ask, key, reason);
}
