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
            !after && !(arg.len() > 1 && arg.starts_with('-'))
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
        let skip = |rest: &[&Word], with_value: &[&str]| skip_options(rest, with_value);
        let next = match name.as_str() {
            "sudo" | "doas" => {
                let end = skip(
                    &rest[1..],
                    &["-u", "-g", "-h", "-p", "-C", "-U", "-r", "-t", "-D", "-R", "-T"],
                );
                out.sudo.push(rest[1..=end].to_vec());
                1 + end
            }
            "env" => 1 + skip(&rest[1..], &["-u", "-C", "-S"]),
            "nohup" | "setsid" | "time" | "command" | "builtin" | "exec" | "stdbuf" | "ionice" | "chrt"
            | "unbuffer" | "coproc" => 1 + skip(&rest[1..], &["-c", "-n", "-o", "-e", "-i", "-a", "-f"]),
            "nice" => 1 + skip(&rest[1..], &["-n"]),
            "timeout" => 2 + skip(&rest[1..], &["-s", "-k"]),
            "busybox" | "toybox" => 1,
            "xargs" | "parallel" => {
                out.through_xargs = true;
                1 + skip(&rest[1..], &["-I", "-n", "-P", "-L", "-d", "-E", "-s", "-a", "-j"])
            }
            _ => break,
        };
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

/// How many words from the front are options, with the values of those that have one.
fn skip_options(words: &[&Word], with_value: &[&str]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.best();
        if text == "--" {
            return at + 1;
        }
        if text.len() < 2 || !text.starts_with('-') {
            break;
        }
        at += if with_value.contains(&text) { 2 } else { 1 };
    }
    at.min(words.len())
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
