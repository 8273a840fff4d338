//! What never runs, in no mode and no container (security.md 5).

use crate::assess::{Check, Finding, Verdict};
use crate::peel::Peeled;
use crate::words::Word;

/// Families of raw block devices.
const DEVICES: [&str; 9] = ["sd", "nvme", "hd", "mmcblk", "vd", "xvd", "disk", "rdisk", "dm-"];
/// Folders without which a system does not start or a person has nothing left.
const SYSTEM: [&str; 9] = [
    "/home", "/root", "/etc", "/usr", "/var", "/bin", "/sbin", "/boot", "/lib",
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
        "dd" => {
            if command
                .args
                .iter()
                .any(|arg| arg.best().strip_prefix("of=").is_some_and(is_device))
            {
                device(check);
            }
        }
        "cp" | "mv" | "install" if operands.last().is_some_and(|path| is_device(path)) => device(check),
        "tee" if operands.iter().any(|path| is_device(path)) => device(check),
        "kill" => kill(check, command),
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
            let ends = ["poweroff", "reboot", "halt", "kexec"];
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
    if fold(&path) == "/proc/sysrq-trigger" {
        power(check);
    }
}

/// What is recognised in the text as a whole.
pub(crate) fn whole_text(text: &str, found: &mut Vec<Finding>) {
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    // `:(){ :|:& };:` with any name.
    let bomb = dense.match_indices("(){").any(|(at, _)| {
        let name: String = dense[..at]
            .chars()
            .rev()
            .take_while(|c| c.is_alphanumeric() || ":_.".contains(*c))
            .collect();
        let name: String = name.chars().rev().collect();
        !name.is_empty() && dense[at + 3..].starts_with(&format!("{name}|{name}&}}"))
    });
    if bomb {
        found.push(Finding {
            key: "fork bomb".to_owned(),
            reason: "Starts copies of itself without end".to_owned(),
            verdict: Verdict::Block,
            part: 0,
        });
    }
}

fn delete(check: &mut Check<'_>, path: &str) {
    let folded = fold(path.trim_end_matches('*'));
    let star = path.ends_with('*');
    if folded == "/" {
        check.found(
            Verdict::Block,
            "recursive delete of root filesystem",
            "Deletes the whole file system",
        );
    } else if SYSTEM.contains(&folded.as_str()) && (!star || path.ends_with("/*")) {
        check.found(
            Verdict::Block,
            "recursive delete of system directory",
            "Deletes a folder of the system",
        );
    } else if folded == "~" && (!star || path.ends_with("/*")) {
        check.found(
            Verdict::Block,
            "recursive delete of home directory",
            "Deletes your home folder",
        );
    }
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
