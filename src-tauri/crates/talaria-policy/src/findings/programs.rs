//! Programs that run other programs: shells, interpreters, options that name a program.

use super::{SHELLS, ask};
use crate::assess::Check;
use crate::peel::{Peeled, peel};
use crate::shell::Simple;

/// Options by which a reading program runs another one.
pub(super) fn runs_program(check: &mut Check<'_>, command: &Peeled<'_>) {
    let options: &[&str] = match command.name.as_str() {
        "man" => &["-P", "-H", "--pager", "--html"],
        "rg" => &["--pre", "--hostname-bin"],
        "ag" => &["--pager"],
        "tar" => &[
            "-I",
            "--to-command",
            "--use-compress-program",
            "--checkpoint-action",
            "--rsh-command",
        ],
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

pub(super) fn evaluate(check: &mut Check<'_>, command: &Peeled<'_>) {
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
    if command.name != "eval" {
        if command.args.first().is_some_and(|arg| arg.raw.starts_with("<(")) {
            return ask(
                check,
                "script via process substitution",
                "Runs the output of another command",
            );
        }
        if command
            .args
            .first()
            .is_some_and(|arg| matches!(arg.best(), "/dev/stdin" | "/dev/fd/0"))
        {
            ask(check, "shell execution via heredoc", "Runs a text as shell");
            if let Some(Some(payload)) = &check.simple.here {
                check.payloads.push(payload.clone());
            }
        }
    } else {
        let values: Option<Vec<&str>> = command.args.iter().map(|arg| arg.value.as_deref()).collect();
        match values {
            Some(values) => check.payloads.push(values.join(" ")),
            None => ask(check, "eval of dynamic text", "Runs text that is made at run time"),
        }
    }
}

/// Programs that hand a text to a shell: as another user, on another machine, again and again.
pub(super) fn runs_text(check: &mut Check<'_>, command: &Peeled<'_>) {
    let name = command.name.as_str();
    if matches!(name, "su" | "runuser" | "pkexec") {
        ask(check, "sudo", "Runs as another user");
    }
    if name == "ssh" {
        let config = command.args.iter().any(|arg| {
            let arg = arg.best().to_lowercase();
            arg.contains("proxycommand") || arg.contains("localcommand") || arg.contains("knownhostscommand")
        });
        if config {
            ask(
                check,
                "arbitrary program execution via ssh",
                "Runs a program for the connection",
            );
        }
    }
    let (valued, operands, joins) = match name {
        "ssh" => ("BbcDEeFIiJLlmOopQRSWw", 1, true),
        "watch" => ("n", 0, true),
        _ => ("", 0, false),
    };
    let mut args = command.args.iter().map(|arg| arg.best());
    let mut left = operands;
    while let Some(arg) = args.next() {
        match arg.strip_prefix('-') {
            Some("c" | "-command") if !joins => return check.payloads.extend(args.next().map(str::to_owned)),
            Some(letters) if joins && letters.len() == 1 && valued.contains(letters) => {
                args.next();
            }
            Some(_) => {}
            None if !joins => {}
            None if left > 0 => left -= 1,
            None => {
                let text: Vec<&str> = std::iter::once(arg).chain(args).collect();
                return check.payloads.push(text.join(" "));
            }
        }
    }
}

/// `bash -c TEXT`, here-documents and here-strings for a shell.
pub(super) fn shell_payload(check: &mut Check<'_>, command: &Peeled<'_>) {
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
    if check.simple.redirects.iter().any(|redirect| {
        redirect.target.best().starts_with("/dev/tcp/") || redirect.target.best().starts_with("/dev/udp/")
    }) {
        return ask(
            check,
            "shell over a network connection",
            "Hands a shell to a network connection",
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
            option if option.starts_with("--") || option.starts_with('+') => {}
            "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => {}
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

pub(super) fn interpreter(check: &mut Check<'_>, command: &Peeled<'_>) {
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
    // Options whose value is the next word.
    let valued: &[&str] = match name {
        "python" | "pypy" | "py" => &["-W", "-X"],
        "node" | "nodejs" | "deno" | "bun" => &["--require", "-r", "--import", "--loader", "--experimental-loader"],
        "perl" => &["-I", "-M", "-m"],
        "ruby" => &["-r", "-I", "-C"],
        "php" => &["-d", "-c", "-z"],
        _ => &[],
    };
    let mut inline = name == "deno" && command.operands().next() == Some("eval");
    let mut args = command.args.iter();
    while let Some(word) = args.next() {
        match word.best() {
            "--eval" | "--print" => inline = true,
            option if valued.contains(&option) => {
                args.next();
            }
            // What follows in the same word is the value of the option.
            option if valued.iter().any(|name| name.len() == 2 && option.starts_with(name)) => {}
            option if option.starts_with("--") => {}
            option if option.len() > 1 && option.starts_with('-') => inline |= option[1..].contains(letters),
            _ => {
                if word.raw.starts_with("<(") {
                    return ask(
                        check,
                        "script via process substitution",
                        "Runs the output of another command",
                    );
                }
                break;
            }
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
pub(super) fn piped(check: &mut Check<'_>, command: &Peeled<'_>) {
    let name = command.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let runs = SHELLS.contains(&name) || matches!(name, "python" | "perl" | "ruby" | "node" | "php");
    // With `-s` a shell reads its commands from standard input, whatever words follow.
    let reads_input = SHELLS.contains(&name) && command.short().contains('s');
    let has_script = !reads_input
        && command
            .operands()
            .next()
            .is_some_and(|operand| operand != "-" && operand != "/dev/stdin");
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
