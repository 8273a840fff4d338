//! A command without what stands in front of it: wrappers such as `sudo` and `env`, which run what follows.

use crate::words::Word;
use std::borrow::Cow;

/// A command without the words in front of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peeled<'w> {
    /// Base name of the program; empty when there is none or it is not fixed.
    pub name: String,
    /// Its arguments.
    pub args: Vec<&'w Word>,
    /// Options of each `sudo` in front of it.
    pub sudo: Vec<Vec<&'w Word>>,
    /// Whether `xargs` feeds it.
    pub through_xargs: bool,
    /// Commands that it runs as arguments: `find -exec`.
    pub inner: Vec<Vec<Word>>,
    /// Whether the program's name depends on more than the text.
    pub dynamic_name: bool,
    /// Shell text that something in front runs.
    pub payloads: Vec<String>,
    /// Whether something in front changes what the program does or where its output goes.
    pub altered: bool,
    /// Whether the program is named by a path that is not one of the system's folders.
    pub own_path: bool,
}

impl Peeled<'_> {
    /// Whether one of the arguments is this word.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.args.iter().any(|arg| arg.best() == word)
    }

    /// Letters of all short options, `-rf` and `-r -f` alike; stops at `--`.
    pub(crate) fn short(&self) -> String {
        self.options()
            .filter(|arg| !arg.starts_with("--"))
            .flat_map(|arg| arg[1..].chars())
            .collect()
    }

    /// Options before `--`.
    pub(crate) fn options(&self) -> impl Iterator<Item = &str> {
        self.args
            .iter()
            .map(|arg| arg.best())
            .take_while(|arg| *arg != "--")
            .filter(|arg| arg.len() > 1 && arg.starts_with('-'))
    }

    /// Arguments that are no options.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &str> {
        let mut after = false;
        self.args.iter().map(|arg| arg.best()).filter(move |arg| {
            if after {
                return true;
            }
            after = *arg == "--";
            !(after || (arg.len() > 1 && arg.starts_with('-')))
        })
    }

    /// Whether an option is there, in its long form or an unambiguous beginning of at least `least` characters.
    pub(crate) fn long(&self, name: &str, least: usize) -> bool {
        self.options().any(|option| {
            let option = option.split('=').next().unwrap_or(option);
            option.len() >= least && option.starts_with("--") && name.starts_with(option)
        })
    }
}

/// Takes `sudo`, `env`, `nohup` and the like off, and finds what `xargs` and `find -exec` run.
pub(crate) fn peel(words: &[Word]) -> Peeled<'_> {
    let mut out = Peeled::default();
    let mut rest: Vec<&Word> = words.iter().collect();
    for _ in 0..12 {
        let Some(first) = rest.first() else { break };
        if first.value.is_none() {
            out.dynamic_name = true;
        }
        let name = base_name(first.best()).into_owned();
        let Some(wrapper) = wrapper(&name) else { break };
        // With a text or a login shell it is no wrapper.
        if name == "runuser" && rest.iter().any(|word| matches!(word.best(), "-c" | "--command")) {
            break;
        }
        let end = skip_options(&rest[1..], wrapper);
        match name.as_str() {
            "sudo" | "doas" => out.sudo.push(rest[1..=end].to_vec()),
            "xargs" | "parallel" => out.through_xargs = true,
            "env" => out.payloads.extend(split_string(&rest[1..])),
            _ => {}
        }
        let next = 1 + end + wrapper.operands;
        if name == "flock"
            && rest
                .get(next)
                .is_some_and(|word| matches!(word.best(), "-c" | "--command"))
        {
            out.payloads
                .extend(rest.get(next + 1).map(|word| word.best().to_owned()));
            break;
        }
        // `command -v git` asks about a program and does not run it.
        if name == "command" && rest.get(1).is_some_and(|word| matches!(word.best(), "-v" | "-V")) {
            break;
        }
        if next >= rest.len() {
            break;
        }
        out.altered |= match name.as_str() {
            "command" | "builtin" | "timeout" | "nice" | "stdbuf" => false,
            // The program of this name writes to a file by an option.
            "time" => next > 1,
            _ => true,
        };
        rest = rest[next..].to_vec();
        while rest.first().is_some_and(|word| is_assignment(word.best())) {
            rest.remove(0);
            out.altered = true;
        }
    }
    if let Some(first) = rest.first() {
        out.name = base_name(first.best()).into_owned();
        out.dynamic_name |= first.value.is_none();
        let path = first.best();
        out.own_path = path.contains('/')
            && !["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"]
                .iter()
                .any(|folder| path.starts_with(folder));
    }
    out.args = rest.into_iter().skip(1).collect();
    if out.name == "find" {
        let mut args = out.args.iter().peekable();
        while let Some(arg) = args.next() {
            if matches!(arg.best(), "-exec" | "-execdir" | "-ok" | "-okdir") {
                let run: Vec<Word> = args
                    .by_ref()
                    .take_while(|word| !matches!(word.best(), ";" | "+"))
                    .map(|word| (*word).clone())
                    .collect();
                out.inner.push(run);
            }
        }
    }
    out
}

/// A program that runs what follows its own options and operands.
#[derive(Clone, Copy)]
struct Wrapper {
    /// Letters of options with a value.
    short: &'static str,
    /// Long options whose value may be the next word.
    long: &'static [&'static str],
    /// Operands in front of the command.
    operands: usize,
}

fn wrapper(name: &str) -> Option<Wrapper> {
    let of = |short, long, operands| Some(Wrapper { short, long, operands });
    match name {
        "sudo" | "doas" => of(
            "ughpCUrtDRT",
            &[
                "--user",
                "--group",
                "--host",
                "--prompt",
                "--close-from",
                "--other-user",
                "--role",
                "--type",
                "--chdir",
                "--chroot",
                "--command-timeout",
            ],
            0,
        ),
        "pkexec" => of("", &["--user"], 0),
        "env" => of("uCS", &["--unset", "--chdir", "--split-string"], 0),
        "nohup" | "setsid" | "command" | "builtin" | "unbuffer" | "coproc" | "busybox" | "toybox" => of("", &[], 0),
        "time" => of("fo", &["--format", "--output"], 0),
        "exec" => of("a", &[], 0),
        "stdbuf" => of("ioe", &["--input", "--output", "--error"], 0),
        "nice" => of("n", &["--adjustment"], 0),
        "ionice" => of("cn", &["--class", "--classdata"], 0),
        "chrt" => of("TPD", &["--sched-runtime", "--sched-period", "--sched-deadline"], 1),
        "timeout" => of("sk", &["--signal", "--kill-after"], 1),
        "xargs" => of(
            "InPLdEsa",
            &[
                "--max-args",
                "--max-procs",
                "--max-lines",
                "--delimiter",
                "--arg-file",
                "--max-chars",
            ],
            0,
        ),
        "parallel" => of(
            "jIaSNnLd",
            &["--jobs", "--arg-file", "--sshlogin", "--max-args", "--delimiter"],
            0,
        ),
        "chroot" => of("", &["--userspec", "--groups"], 1),
        "unshare" => of("SGRw", &["--setuid", "--setgid", "--root", "--wd"], 0),
        "nsenter" => of("tSG", &["--target", "--setuid", "--setgid"], 0),
        "flock" => of("wE", &["--timeout", "--wait", "--conflict-exit-code"], 1),
        "strace" | "ltrace" => of("eopsaEuPOSIbX", &["--output", "--trace", "--attach"], 0),
        "runuser" => of("ugG", &["--user", "--group", "--supp-group"], 0),
        "systemd-run" => of(
            "puMH",
            &["--property", "--unit", "--machine", "--host", "--uid", "--gid"],
            0,
        ),
        _ => None,
    }
}

/// How many words from the front are options, with the values of those that have one.
fn skip_options(words: &[&Word], wrapper: Wrapper) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.best();
        if text == "--" {
            at += 1;
            break;
        }
        let Some(letters) = text.strip_prefix('-') else { break };
        let takes_next = match letters.starts_with('-') {
            true => wrapper.long.contains(&text),
            false => letters
                .find(|letter| wrapper.short.contains(letter))
                .is_some_and(|found| found + 1 == letters.len()),
        };
        at += if takes_next { 2 } else { 1 };
    }
    at.min(words.len())
}

/// The command in `env -S TEXT …`.
fn split_string(words: &[&Word]) -> Option<String> {
    let mut words = words.iter().map(|word| word.best());
    while let Some(word) = words.next() {
        let text = match word {
            "-S" | "--split-string" => words.next()?,
            attached => match attached
                .strip_prefix("-S")
                .or_else(|| attached.strip_prefix("--split-string="))
            {
                Some(text) => text,
                None if matches!(attached, "-u" | "-C" | "--unset" | "--chdir") => {
                    words.next();
                    continue;
                }
                None if attached.starts_with('-') || is_assignment(attached) => continue,
                None => return None,
            },
        };
        return Some(std::iter::once(text).chain(words).collect::<Vec<_>>().join(" "));
    }
    None
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Last part of a path, without `.exe`, in lower case.
pub(crate) fn base_name(text: &str) -> Cow<'_, str> {
    let name = text.rsplit('/').next().unwrap_or(text);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    match name.chars().any(char::is_uppercase) {
        true => Cow::Owned(name.to_lowercase()),
        false => Cow::Borrowed(name),
    }
}
