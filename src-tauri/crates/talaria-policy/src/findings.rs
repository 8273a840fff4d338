//! What needs an answer (security.md 6): deletes, writes to the system and to secrets, remote code, privilege, lost work.

use crate::assess::{Check, Finding, Peeled, Verdict, base_name, peel};
use crate::block::fold;
use crate::shell::{Redirect, Script, Simple};
use crate::words::Word;

const SHELLS: [&str; 7] = ["sh", "bash", "zsh", "ksh", "dash", "ash", "fish"];
/// Startup and credential files of a person.
const HOME_FILES: [&str; 15] = [
    ".bashrc",
    ".zshrc",
    ".profile",
    ".bash_profile",
    ".zprofile",
    ".zshenv",
    ".bash_login",
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".talaria/config.yaml",
    ".talaria/.env",
    ".bash_logout",
];

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
        "find" => {
            if command.has("-delete") {
                ask(check, "find -delete", "Deletes what it finds");
            }
        }
        "git" => git(check, command),
        "eval" | "source" | "." => evaluate(check, command),
        "systemctl" => {
            if command
                .operands()
                .next()
                .is_some_and(|verb| matches!(verb, "stop" | "restart" | "disable" | "mask" | "try-restart"))
            {
                ask(
                    check,
                    "stop/restart system service",
                    "Stops or restarts a service of the system",
                );
            }
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
        "man" | "rg" | "ag" | "sort" => runs_program(check, command),
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
        "ssh" | "scp" | "sftp"
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
            if let Some(last) = command.operands().last().map(str::to_owned) {
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

/// What only shows over several commands: a file that is downloaded or made executable and then run.
pub(crate) fn in_sequence(script: &Script, found: &mut Vec<Finding>) {
    let mut fresh: Vec<(String, &str, &str)> = Vec::new();
    for (part, simple) in script.simples.iter().enumerate() {
        let command = peel(&simple.words);
        let runs = match SHELLS.contains(&command.name.as_str()) {
            true => command.operands().next().map(str::to_owned),
            false => simple.words.first().map(|word| word.best().to_owned()),
        };
        let runs = runs.map(|path| fold(&path));
        if let Some((_, key, reason)) = fresh.iter().find(|(path, ..)| runs.as_ref() == Some(path)) {
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
                fresh.extend(
                    command
                        .operands()
                        .skip(1)
                        .map(|path| (fold(path), executable.0, executable.1)),
                );
            }
            "curl" | "wget" => {
                let args: Vec<&str> = command.args.iter().map(|arg| arg.best()).collect();
                let named = args.windows(2).filter(|pair| {
                    let option = pair[0];
                    option == "--output"
                        || option == "--output-document"
                        || (option.starts_with('-') && !option.starts_with("--") && option.ends_with(['o', 'O']))
                });
                fresh.extend(named.map(|pair| (fold(pair[1]), download.0, download.1)));
                fresh.extend(
                    simple
                        .redirects
                        .iter()
                        .map(|redirect| (fold(redirect.target.best()), download.0, download.1)),
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
            None => letters.extend(option.trim_start_matches('-').chars()),
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

/// A file that is written to by redirection, `tee`, `cp` and the like.
fn target(check: &mut Check<'_>, path: &str) {
    let path = fold(path);
    let under = |folder: &str| path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    if ["/etc", "/private/etc", "/boot", "/usr/lib/systemd"]
        .iter()
        .any(|folder| under(folder))
    {
        return ask(check, "overwrite system config", "Writes to the system's configuration");
    }
    let home = path.strip_prefix("~/").map(str::to_owned).or_else(|| {
        // `~user/…` names a home folder as well.
        path.strip_prefix('~')
            .and_then(|rest| rest.split_once('/'))
            .map(|(_, rest)| rest.to_owned())
    });
    if let Some(inside) = home {
        let secret = inside.starts_with(".ssh/") || inside.starts_with(".aws/") || inside.starts_with(".gnupg/");
        if secret || HOME_FILES.contains(&inside.as_str()) {
            return ask(
                check,
                "overwrite credential, SSH or shell startup file",
                "Writes to keys or to a shell's startup file",
            );
        }
    }
    let name = base_name(&path).into_owned();
    if name == ".env" || name.starts_with(".env.") && name != ".env.example" || name == "config.yaml" {
        ask(
            check,
            "overwrite project env/config",
            "Writes to a file with settings or secrets",
        );
    }
}

fn remove(check: &mut Check<'_>, command: &Peeled<'_>) {
    let recursive = command.short().contains(['r', 'R']) || command.long("--recursive", 4);
    if recursive {
        ask(check, "recursive delete", "Deletes a folder");
    }
    if command.operands().any(|path| path.starts_with('/')) {
        ask(check, "delete in root path", "Deletes by an absolute path");
    }
}

fn chmod(check: &mut Check<'_>, command: &Peeled<'_>) {
    let opens = command.operands().next().is_some_and(|mode| {
        let mode = mode.trim_start_matches('0');
        matches!(mode, "777" | "666")
            || mode.split(',').any(|clause| {
                clause.split_once(['+', '=']).is_some_and(|(who, rights)| {
                    (who.contains(['o', 'a'])
                        || (who.is_empty() && clause.contains('+') && rights.contains('w') && rights.len() > 1))
                        && rights.contains('w')
                })
            })
    });
    if opens {
        ask(
            check,
            "world/other-writable permissions",
            "Lets everybody write to files",
        );
    }
}

fn git(check: &mut Check<'_>, command: &Peeled<'_>) {
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
        "reset" if long("--hard", 4) && !rest.contains(&"--help") => {
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
        "stash" if rest.first().is_some_and(|arg| matches!(*arg, "drop" | "clear")) => {
            ask(check, "git discards changes", "Throws put-aside changes away");
        }
        _ => {}
    }
}

fn forced(command: &Peeled<'_>) -> bool {
    command.short().contains('9')
        || command.args.iter().any(|arg| {
            matches!(
                arg.best(),
                "-KILL" | "-SIGKILL" | "KILL" | "SIGKILL" | "9" | "--signal=9" | "--signal=KILL"
            )
        })
}

/// Whether a command names a process of the agent itself.
fn own_process(command: &Peeled<'_>) -> bool {
    command.operands().any(|name| {
        let name = name.to_lowercase();
        ["hermes", "gateway", "cli.py", "talaria"]
            .iter()
            .any(|own| name.contains(own))
    })
}

fn own(check: &mut Check<'_>) {
    ask(
        check,
        "kill own process (self-termination)",
        "Ends the agent that runs it",
    );
}

fn gateway(check: &mut Check<'_>, command: &Peeled<'_>) {
    let words: Vec<&str> = command.operands().collect();
    let pair = |a: &str, b: &[&str]| words.windows(2).any(|pair| pair[0] == a && b.contains(&pair[1]));
    if pair("gateway", &["stop", "restart"]) || words.first() == Some(&"update") {
        ask(
            check,
            "stop/restart own service (kills running agents)",
            "Stops running agents",
        );
    } else if pair("gateway", &["run"]) {
        ask(
            check,
            "start own service outside of the service manager",
            "Starts a service that nobody watches",
        );
    }
}

fn powershell(check: &mut Check<'_>, command: &Peeled<'_>) {
    let args: Vec<String> = command.args.iter().map(|arg| arg.best().to_lowercase()).collect();
    if args.iter().any(|arg| {
        arg.starts_with('-') && (arg == "-e" || (arg.len() >= 3 && "-encodedcommand".starts_with(arg.as_str())))
    }) {
        return ask(
            check,
            "PowerShell encoded command execution",
            "Runs text that was hidden by an encoding",
        );
    }
    let verbs = ["remove-item", "rmdir", "erase", "del", "rd", "ri", "rm"];
    let file = args.iter().any(|arg| arg == "-file" || arg == "-f");
    let deletes = args.iter().any(|arg| {
        arg.split(|c: char| !(c.is_alphanumeric() || c == '-'))
            .any(|word| verbs.contains(&word))
    });
    if deletes && !file {
        return ask(check, "Windows PowerShell destructive delete", "Deletes files");
    }
    if file || args.iter().any(|arg| arg == "-c" || arg == "-command") {
        ask(
            check,
            "script execution via -e/-c flag",
            "Runs a program written in the command",
        );
    }
}

/// Options by which a reading program runs another one.
fn runs_program(check: &mut Check<'_>, command: &Peeled<'_>) {
    let options: &[&str] = match command.name.as_str() {
        "man" => &["-P", "-H", "--pager", "--html"],
        "rg" => &["--pre", "--hostname-bin"],
        "ag" => &["--pager"],
        _ => &["--compress-program"],
    };
    // What follows these is a pattern or a name, whatever it looks like.
    let takes_value = |option: &str| match command.name.as_str() {
        "rg" => matches!(
            option,
            "-e" | "-f" | "-g" | "-t" | "-T" | "-r" | "--regexp" | "--file" | "--glob" | "--replace"
        ),
        "sort" => matches!(option, "-k" | "-t" | "-S" | "-T" | "-o"),
        _ => false,
    };
    let mut given = false;
    let mut args = command.args.iter().map(|arg| arg.best()).take_while(|arg| *arg != "--");
    while let Some(arg) = args.next() {
        let name = arg.split('=').next().unwrap_or(arg);
        given |= options.iter().any(|option| match option.strip_prefix("--") {
            // `man` and `sort` take beginnings of long options as well.
            Some(_) => name == *option || (name.len() > 4 && command.name != "rg" && option.starts_with(name)),
            None => arg.starts_with(option),
        });
        if takes_value(arg) {
            args.next();
        }
    }
    if given {
        ask(
            check,
            "arbitrary program execution via an option",
            "Runs another program by an option",
        );
    }
}

fn container(check: &mut Check<'_>, command: &Peeled<'_>) {
    // Options in front of the verb may have values; the first word that is a verb counts.
    const VERBS: [&str; 5] = ["restart", "stop", "kill", "down", "rm"];
    let words: Vec<&str> = command.operands().collect();
    let compose = command.name.ends_with("-compose") || words.contains(&"compose");
    let starts = words.iter().position(|word| {
        matches!(
            *word,
            "run"
                | "exec"
                | "build"
                | "ps"
                | "logs"
                | "images"
                | "pull"
                | "push"
                | "inspect"
                | "up"
                | "cp"
                | "create"
                | "start"
        )
    });
    let ends = words
        .iter()
        .take(if compose { 6 } else { 3 })
        .position(|word| VERBS.contains(word));
    let ends = ends.filter(|at| starts.is_none_or(|start| *at < start));
    let volume = matches!(words.as_slice(), ["volume", "rm", ..]);
    if ends.is_some() || volume {
        ask(
            check,
            "docker restart/stop/kill (container lifecycle)",
            "Stops or removes containers",
        );
    }
    if matches!(
        words.as_slice(),
        ["system" | "volume" | "image" | "builder", "prune", ..]
    ) {
        ask(check, "docker prune", "Deletes images, volumes or caches");
    }
}

fn sql(check: &mut Check<'_>, command: &Peeled<'_>) {
    let mut text: String = command
        .args
        .iter()
        .map(|arg| arg.best())
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    if let Some(Some(here)) = &check.simple.here {
        text.push(' ');
        text.push_str(&here.to_lowercase());
    }
    if let Some(source) = check.source {
        text.push(' ');
        text.push_str(&source.text.to_lowercase());
    }
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let pair = |a: &str, b: &[&str]| words.windows(2).any(|pair| pair[0] == a && b.contains(&pair[1]));
    if pair("drop", &["table", "database", "schema"]) {
        ask(check, "SQL DROP", "Deletes a table or a database");
    }
    if words.contains(&"truncate") {
        ask(check, "SQL TRUNCATE", "Empties a table");
    }
    if pair("delete", &["from"]) && !words.contains(&"where") {
        ask(check, "SQL DELETE without WHERE", "Deletes all rows of a table");
    }
}

fn in_place(check: &mut Check<'_>, command: &Peeled<'_>) {
    let edits = command.long("--in-place", 4) || command.short().contains('i');
    if edits {
        for operand in command.operands().map(str::to_owned).collect::<Vec<_>>() {
            target(check, &operand);
        }
    }
}

fn evaluate(check: &mut Check<'_>, command: &Peeled<'_>) {
    let text: String = command
        .args
        .iter()
        .map(|arg| arg.raw.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    if text.contains("curl") || text.contains("wget") {
        return ask(
            check,
            "execute remote content via command substitution",
            "Runs what it downloads",
        );
    }
    if command.name == "eval" {
        let values: Option<Vec<&str>> = command.args.iter().map(|arg| arg.value.as_deref()).collect();
        match values {
            Some(values) => check.payloads.push(values.join(" ")),
            None => ask(check, "eval of dynamic text", "Runs text that is made at run time"),
        }
    }
}

/// `bash -c TEXT`, here-documents and here-strings for a shell.
fn shell_payload(check: &mut Check<'_>, command: &Peeled<'_>) {
    if !SHELLS.contains(&command.name.as_str()) {
        return;
    }
    if check
        .simple
        .redirects
        .iter()
        .any(|redirect| redirect.operator == "<" && redirect.target.raw.starts_with("<("))
    {
        return ask(
            check,
            "script via process substitution",
            "Runs the output of another command",
        );
    }
    let mut args = command.args.iter();
    let mut takes_text = false;
    let mut runs_file = false;
    while let Some(arg) = args.next() {
        let text = arg.best();
        if arg.raw.starts_with("<(") {
            let remote = arg.raw.contains("curl") || arg.raw.contains("wget");
            let (key, reason) = match remote {
                true => (
                    "execute remote script via process substitution",
                    "Runs what it downloads",
                ),
                false => ("script via process substitution", "Runs the output of another command"),
            };
            return ask(check, key, reason);
        }
        match text {
            "--rcfile" | "--init-file" | "-o" | "-O" | "+o" | "+O" => {
                args.next();
            }
            option if option.starts_with("--") => {}
            option
                if option.len() > 1
                    && option.starts_with('-')
                    && option[1..].chars().all(|c| c.is_ascii_alphabetic()) =>
            {
                takes_text |= option.contains('c');
            }
            _ if takes_text => {
                return match &arg.value {
                    Some(payload) => {
                        ask(check, "shell command via -c/-lc flag", "Runs a text as shell");
                        check.payloads.push(payload.clone());
                    }
                    None => ask(
                        check,
                        "shell command via -c/-lc flag",
                        "Runs text that is made at run time",
                    ),
                };
            }
            _ => {
                runs_file = true;
                break;
            }
        }
    }
    if runs_file {
        return;
    }
    match &check.simple.here {
        Some(Some(payload)) => {
            let payload = payload.clone();
            ask(check, "shell execution via heredoc", "Runs a text as shell");
            check.payloads.push(payload);
        }
        Some(None) => ask(
            check,
            "shell execution via heredoc",
            "Runs text that is made at run time",
        ),
        None => {}
    }
}

fn interpreter(check: &mut Check<'_>, command: &Peeled<'_>) {
    let name = command.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let letters: &[char] = match name {
        "python" | "pypy" | "py" => &['c'],
        "node" | "nodejs" | "deno" | "bun" => &['e', 'p'],
        "perl" => &['e', 'E'],
        "ruby" => &['e'],
        "php" => &['r'],
        "lua" | "osascript" => &['e'],
        _ => return,
    };
    let mut inline = false;
    for arg in command.args.iter().map(|arg| arg.best()) {
        match arg {
            "--eval" | "--print" => inline = true,
            option if option.starts_with("--") => {}
            option if option.len() > 1 && option.starts_with('-') => inline |= option[1..].contains(letters),
            _ => break,
        }
        if inline {
            break;
        }
    }
    if inline {
        ask(
            check,
            "script execution via -e/-c flag",
            "Runs a program written in the command",
        );
    } else if check.simple.here.is_some() {
        ask(
            check,
            "script execution via heredoc",
            "Runs a program written in the command",
        );
    }
}

/// A shell or interpreter that runs what it is piped.
fn piped(check: &mut Check<'_>, command: &Peeled<'_>) {
    let name = command.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let runs = SHELLS.contains(&name) || matches!(name, "python" | "perl" | "ruby" | "node" | "php");
    let has_script = command.operands().next().is_some_and(|operand| operand != "-");
    if !runs || check.upstream.is_empty() || has_script || check.simple.here.is_some() {
        return;
    }
    let sources: Vec<String> = check.upstream.iter().map(|simple| peel(&simple.words).name).collect();
    if sources
        .iter()
        .any(|name| matches!(name.as_str(), "curl" | "wget" | "fetch" | "aria2c"))
    {
        return ask(check, "pipe remote content to shell", "Runs what it downloaded");
    }
    if sources.iter().any(|name| {
        matches!(
            name.as_str(),
            "base64" | "base32" | "basenc" | "xxd" | "openssl" | "tr" | "rev" | "gunzip" | "zcat"
        )
    }) {
        return ask(
            check,
            "pipe decoded content to shell (possible command obfuscation)",
            "Runs text that was hidden by an encoding",
        );
    }
    ask(check, "pipe into a shell", "Runs the output of another command");
    if let Some(text) = check.source.and_then(literal_output) {
        check.payloads.push(text);
    }
}

/// What `echo TEXT` and `printf TEXT` put out.
fn literal_output(simple: &Simple) -> Option<String> {
    let name = simple.words.first()?.value.as_deref()?;
    if !matches!(name, "echo" | "printf") {
        return None;
    }
    let words: Option<Vec<&str>> = simple.words[1..].iter().map(|word| word.value.as_deref()).collect();
    Some(
        words?
            .into_iter()
            .skip_while(|word| matches!(*word, "-n" | "-e" | "-en" | "%s" | "%s\\n"))
            .collect::<Vec<_>>()
            .join(" "),
    )
}
