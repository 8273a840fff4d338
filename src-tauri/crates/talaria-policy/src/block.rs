//! What never runs, in no mode and no container (security.md 5).

use crate::assess::{Check, Finding, Verdict};
use crate::peel::{Peeled, base_name};
use crate::words::Word;

/// Families of raw block devices.
const DEVICES: [&str; 9] = ["sd", "nvme", "hd", "mmcblk", "vd", "xvd", "disk", "rdisk", "dm-"];
/// Folders without which a system does not start or a person has nothing left.
const SYSTEM: [&str; 15] = [
    "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "opt", "proc", "root", "sbin", "sys", "usr", "var",
];

/// Judges one command.
pub(crate) fn command(check: &mut Check<'_>, command: &Peeled<'_>) {
    let operands: Vec<String> = command.operands().map(str::to_owned).collect();
    match command.name.as_str() {
        "rm" => {
            for operand in &operands {
                delete(check, operand);
            }
        }
        "mke2fs" | "blkdiscard" => format(check),
        name if name == "mkfs" || name.starts_with("mkfs.") => format(check),
        "wipefs" if command.short().contains('a') || command.long("--all", 4) => format(check),
        "sgdisk" if command.short().contains('Z') || command.long("--zap-all", 5) => format(check),
        "shred" if operands.iter().any(|path| is_device(path)) => format(check),
        "dd" if command
            .args
            .iter()
            .any(|arg| arg.best().strip_prefix("of=").is_some_and(is_device)) =>
        {
            device(check)
        }
        "cp" | "mv" | "install" if operands.last().is_some_and(|path| is_device(path)) => device(check),
        "tee" | "truncate" if operands.iter().any(|path| is_device(path)) => device(check),
        "tee" | "cp" if operands.iter().any(|path| is_power_switch(path)) => power(check),
        "kill" => kill(check, command),
        "killall5" => check.found(Verdict::Block, "kill all processes", "Ends every process of yours"),
        "loginctl"
            if operands
                .first()
                .is_some_and(|verb| matches!(verb.as_str(), "poweroff" | "reboot" | "halt")) =>
        {
            power(check)
        }
        "find" => find(check, command, &operands),
        "shutdown" | "reboot" | "halt" | "poweroff" => power(check),
        "init" | "telinit"
            if operands
                .first()
                .is_some_and(|level| matches!(level.as_str(), "0" | "6")) =>
        {
            power(check)
        }
        "systemctl" => {
            let verb = operands.first().map(String::as_str).unwrap_or_default();
            let target = operands.get(1).map(String::as_str).unwrap_or_default();
            let ends = ["poweroff", "reboot", "halt", "kexec", "soft-reboot"];
            let stops = ends.contains(&verb)
                || (matches!(verb, "isolate" | "start")
                    && ends
                        .iter()
                        .any(|end| target == *end || target == format!("{end}.target")));
            if stops {
                power(check);
            }
        }
        _ => {}
    }
}

/// Judges the target of a redirection.
pub(crate) fn write_target(check: &mut Check<'_>, target: &Word) {
    let path = target.best().to_owned();
    if is_device(&path) {
        device(check);
    }
    if is_power_switch(&path) {
        power(check);
    }
}

/// What is recognised in the text as a whole.
pub(crate) fn whole_text(text: &str, found: &mut Vec<Finding>) {
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let body = |rest: &str, name: &str| rest.starts_with(&format!("{name}|{name}&}}"));
    let keyword = text.match_indices("function ").any(|(at, keyword)| {
        let rest: String = text[at + keyword.len()..]
            .chars()
            .take(128)
            .filter(|c| !c.is_whitespace())
            .collect();
        rest.split_once('{')
            .is_some_and(|(name, rest)| body(rest, name.trim_end_matches("()")))
    });
    // `:(){ :|:& };:` with any name.
    let bomb = dense.match_indices("(){").any(|(at, _)| {
        let name: String = dense[..at]
            .chars()
            .rev()
            .take_while(|c| c.is_alphanumeric() || ":_.".contains(*c))
            .collect();
        let name: String = name.chars().rev().collect();
        !name.is_empty() && body(&dense[at + 3..], &name)
    });
    if bomb || keyword {
        found.push(Finding {
            key: "fork bomb".to_owned(),
            reason: "Starts copies of itself without end".to_owned(),
            verdict: Verdict::Block,
            part: 0,
        });
    }
}

fn delete(check: &mut Check<'_>, path: &str) {
    for path in braces(path) {
        if let Some((key, reason)) = deletes_everything(&path) {
            check.found(Verdict::Block, key, reason);
        }
    }
}

/// Key and reason when deleting a path leaves no system or no home folder.
pub(crate) fn deletes_everything(path: &str) -> Option<(&'static str, &'static str)> {
    let folded = fold(path);
    let whole = folded.trim_end_matches("/*").trim_end_matches("/.*");
    if folded.starts_with('/') && whole.trim_start_matches('/').is_empty() {
        return Some(("recursive delete of root filesystem", "Deletes the whole file system"));
    }
    if let Some(name) = whole.strip_prefix('/') {
        return SYSTEM
            .iter()
            .any(|folder| fits(name.as_bytes(), folder.as_bytes()))
            .then_some(("recursive delete of system directory", "Deletes a folder of the system"));
    }
    let user = whole.strip_prefix('~')?;
    let home = user.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') || user.starts_with("/..");
    home.then_some(("recursive delete of home directory", "Deletes a home folder"))
}

/// Whether a name fits a pattern of `*` and `?`. Goes back to the last star only, so that no pattern takes long.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut star = None;
    while read < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(letter) if *letter == b'?' || *letter == name[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((star_at, taken)) = star else { return false };
                at = star_at + 1;
                read = taken + 1;
                star = Some((star_at, read));
            }
        }
    }
    pattern[at..].iter().all(|letter| *letter == b'*')
}

/// What `{a,b}` stands for, one level at a time; beyond a few the word is left as it is.
fn braces(path: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![path.to_owned()];
    while let Some(word) = open.pop() {
        let found = word.rfind('{').and_then(|start| {
            let end = start + word[start..].find('}')?;
            word[start..end].contains(',').then_some((start, end))
        });
        match found {
            Some((start, end)) if done.len() + open.len() < 64 => open.extend(
                word[start + 1..end]
                    .split(',')
                    .map(|choice| format!("{}{choice}{}", &word[..start], &word[end + 1..])),
            ),
            _ => done.push(word),
        }
    }
    done
}

fn format(check: &mut Check<'_>) {
    check.found(Verdict::Block, "format filesystem (mkfs)", "Formats or wipes a disk");
}

fn device(check: &mut Check<'_>) {
    check.found(
        Verdict::Block,
        "write to raw block device",
        "Writes to a disk below its file system",
    );
}

fn power(check: &mut Check<'_>) {
    check.found(
        Verdict::Block,
        "system shutdown/reboot",
        "Stops or restarts the computer",
    );
}

fn is_power_switch(path: &str) -> bool {
    fold(path) == "/proc/sysrq-trigger"
}

/// `find / -delete` without anything that narrows it.
fn find(check: &mut Check<'_>, command: &Peeled<'_>, operands: &[String]) {
    const NARROWS_NOTHING: [&str; 12] = [
        "-delete",
        "-exec",
        "-execdir",
        "-ok",
        "-type",
        "-depth",
        "-mindepth",
        "-xdev",
        "-mount",
        "-print",
        "-L",
        "-rf",
    ];
    let deletes = command.has("-delete")
        || command.inner.iter().any(|words| {
            words
                .first()
                .is_some_and(|word| matches!(base_name(word.best()).as_ref(), "rm" | "shred" | "unlink"))
        });
    let narrowed = command.options().any(|option| {
        option.len() > 2 && !option.starts_with("--") && !NARROWS_NOTHING.contains(&option) || option == "!"
    });
    if deletes && !narrowed {
        for path in operands.iter().take_while(|path| path.starts_with(['/', '~', '.'])) {
            delete(check, path);
        }
    }
}

/// `kill … -1` signals every process there is.
fn kill(check: &mut Check<'_>, command: &Peeled<'_>) {
    let args: Vec<&str> = command.args.iter().map(|arg| arg.best()).collect();
    let mut at = 0;
    let mut signal_given = false;
    let mut targets = Vec::new();
    while let Some(arg) = args.get(at) {
        match *arg {
            "--" => {
                targets.extend(&args[at + 1..]);
                break;
            }
            "-s" | "-n" | "--signal" => {
                signal_given = true;
                at += 1;
            }
            "-l" | "-L" => return,
            option if option.starts_with('-') && option.len() > 1 && !signal_given && args.len() > at + 1 => {
                signal_given = true;
            }
            target => targets.push(target),
        }
        at += 1;
    }
    if targets.contains(&"-1") {
        check.found(Verdict::Block, "kill all processes", "Ends every process of yours");
    }
}

/// Whether a path names a raw block device.
pub(crate) fn is_device(path: &str) -> bool {
    let path = fold(path);
    path.strip_prefix("/dev/").is_some_and(|name| {
        DEVICES.iter().any(|family| {
            name.strip_prefix(family)
                .is_some_and(|rest| !rest.is_empty() || *family == "disk")
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '/')
        })
    })
}

/// A path without doubled slashes, `.` and `..`; a trailing slash goes too.
pub(crate) fn fold(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if kept.last().is_some_and(|last| *last != "~") {
                    kept.pop();
                } else if !absolute {
                    kept.push("..");
                }
            }
            part => kept.push(part),
        }
    }
    match absolute {
        true => format!("/{}", kept.join("/")),
        false => kept.join("/"),
    }
}
