//! The detector: every simple command of a command line gets its own verdict, the worst one is the command line's.

use crate::shell::{self, Redirect, Script, Simple};
use crate::words::Word;
use crate::{block, findings, reads};
use std::borrow::Cow;
use talaria_protocol::{CommandPart, PartVerdict};

/// How deep payloads (`bash -c`, here-documents) are followed.
const MAX_PAYLOADS: usize = 6;

/// What the detector makes of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing dangerous was found.
    Safe,
    /// It needs an answer.
    Ask,
    /// It never runs, in no mode and no container.
    Block,
}

/// Something dangerous that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Category; what a grant for the session names.
    pub key: String,
    /// Why, one short sentence for a person.
    pub reason: String,
    /// Verdict by itself.
    pub verdict: Verdict,
    /// Part that it is in.
    pub part: usize,
}

/// Surroundings of a command.
#[derive(Clone, Debug, Default)]
pub struct CommandContext {
    /// The person's home folder.
    pub user_home: String,
    /// Talaria's home folder.
    pub talaria_home: String,
    /// Whether a sudo password is configured, so that `sudo -S` is ours.
    pub sudo_password: bool,
}

/// What a command would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// The worst verdict of all parts.
    pub verdict: Verdict,
    /// Whether every part only reads.
    pub reads_only: bool,
    /// All findings, in the order of the parts.
    pub findings: Vec<Finding>,
    /// Simple commands with their verdicts, as a card shows them.
    pub parts: Vec<CommandPart>,
    /// The same parts as what a grant names: words as the command would get them. `None` where they are not fixed.
    pub grant_keys: Vec<Option<String>>,
}

/// Gives a command its verdict. Never fails: what cannot be understood asks.
pub fn assess(command: &str, context: &CommandContext) -> Assessment {
    let command = normalise(command, context);
    let script = shell::parse(&command);
    let mut found = Vec::new();
    let mut reads_only =
        script.trouble.is_none() && !script.background && !script.defines_function && !script.sets_by_loop;
    examine(&script, context, &mut found, &mut reads_only, 0);
    block::whole_text(&command, &mut found);
    findings::in_sequence(&script, &mut found);
    if let Some(trouble) = script.trouble {
        found.push(Finding {
            key: "command parser limit or malformed payload".to_owned(),
            reason: trouble.to_owned(),
            verdict: Verdict::Ask,
            part: 0,
        });
    }
    let outer: Vec<(usize, &Simple)> = script
        .simples
        .iter()
        .enumerate()
        .filter(|(_, simple)| !simple.inner)
        .collect();
    // A finding inside a substitution belongs to the command that holds it.
    let place = |part: usize| outer.iter().rposition(|(at, _)| *at <= part).unwrap_or(0);
    for finding in &mut found {
        finding.part = place(finding.part);
    }
    found.sort_by_key(|finding| finding.part);
    found.dedup_by(|a, b| a.key == b.key && a.part == b.part);
    let parts = parts(&command, &outer, &found, &script, context);
    let grant_keys = outer
        .iter()
        .map(|(_, simple)| grant_key(&script, simple).filter(|_| !script.sets_by_loop && !script.defines_function))
        .collect();
    Assessment {
        verdict: found
            .iter()
            .map(|finding| finding.verdict)
            .max()
            .unwrap_or(Verdict::Safe),
        reads_only: reads_only && found.is_empty() && !outer.is_empty(),
        findings: found,
        parts,
        grant_keys,
    }
}

fn parts(
    command: &str,
    outer: &[(usize, &Simple)],
    found: &[Finding],
    script: &Script,
    context: &CommandContext,
) -> Vec<CommandPart> {
    let reasons = |part: usize| found.iter().filter(move |finding| finding.part == part);
    let verdict_of = |part: usize, reads: bool| match reasons(part).map(|finding| finding.verdict).max() {
        Some(Verdict::Block) => PartVerdict::Blocked,
        Some(Verdict::Ask) => PartVerdict::Asks,
        Some(Verdict::Safe) | None if reads => PartVerdict::Reads,
        Some(Verdict::Safe) | None => PartVerdict::Safe,
    };
    if outer.is_empty() {
        return vec![CommandPart {
            operator: String::new(),
            command: command.to_owned(),
            verdict: verdict_of(0, false),
            reasons: reasons(0).map(|finding| finding.reason.clone()).collect(),
        }];
    }
    outer
        .iter()
        .enumerate()
        .map(|(part, (at, simple))| {
            let inner = script.simples[at + 1..].iter().take_while(|inner| inner.inner);
            let reads = std::iter::once(*simple)
                .chain(inner)
                .all(|simple| reads::only_reads(simple, context));
            CommandPart {
                operator: if part == 0 {
                    String::new()
                } else {
                    simple.operator.clone()
                },
                command: simple.text.clone(),
                verdict: verdict_of(
                    part,
                    reads && !script.background && !script.defines_function && !script.sets_by_loop,
                ),
                reasons: reasons(part).map(|finding| finding.reason.clone()).collect(),
            }
        })
        .collect()
}

/// Looks at every simple command, and into payloads that are shell text themselves.
fn examine(script: &Script, context: &CommandContext, found: &mut Vec<Finding>, reads_only: &mut bool, depth: usize) {
    for (part, simple) in script.simples.iter().enumerate() {
        *reads_only &= reads::only_reads(simple, context);
        let source = simple.reads_from.and_then(|at| script.simples.get(at));
        let upstream = pipeline_sources(script, simple);
        let mut check = Check {
            part,
            simple,
            source,
            upstream: &upstream,
            context,
            found,
            payloads: simple.hidden.clone(),
        };
        for redirect in &simple.redirects {
            check.redirect(redirect);
        }
        check.run();
        let payloads = std::mem::take(&mut check.payloads);
        for payload in payloads {
            *reads_only = false;
            if depth >= MAX_PAYLOADS {
                found.push(Finding {
                    key: "command parser limit or malformed payload".to_owned(),
                    reason: "Shell inside shell too many times to be checked".to_owned(),
                    verdict: Verdict::Ask,
                    part,
                });
                continue;
            }
            let inner = shell::parse(&payload);
            let mut inner_found = Vec::new();
            let mut inner_reads = true;
            if let Some(trouble) = inner.trouble {
                inner_found.push(Finding {
                    key: "command parser limit or malformed payload".to_owned(),
                    reason: trouble.to_owned(),
                    verdict: Verdict::Ask,
                    part,
                });
            }
            examine(&inner, context, &mut inner_found, &mut inner_reads, depth + 1);
            block::whole_text(&payload, &mut inner_found);
            found.extend(inner_found.into_iter().map(|finding| Finding { part, ..finding }));
        }
    }
}

fn pipeline_sources<'s>(script: &'s Script, simple: &Simple) -> Vec<&'s Simple> {
    let mut out = Vec::new();
    let mut at = simple.reads_from;
    while let Some(source) = at.and_then(|at| script.simples.get(at)) {
        if out.len() > 64 {
            break;
        }
        out.push(source);
        at = source.reads_from;
    }
    out
}

/// One simple command under examination.
pub(crate) struct Check<'a> {
    pub part: usize,
    pub simple: &'a Simple,
    /// Command whose output it reads.
    pub source: Option<&'a Simple>,
    /// All commands before it in its pipeline, nearest first.
    pub upstream: &'a [&'a Simple],
    pub context: &'a CommandContext,
    found: &'a mut Vec<Finding>,
    /// Shell text that it would run.
    pub payloads: Vec<String>,
}

impl Check<'_> {
    /// Notes a finding.
    pub(crate) fn found(&mut self, verdict: Verdict, key: &str, reason: &str) {
        self.found.push(Finding {
            key: key.to_owned(),
            reason: reason.to_owned(),
            verdict,
            part: self.part,
        });
    }

    fn run(&mut self) {
        let command = peel(&self.simple.words);
        for wrapper in &command.sudo {
            findings::sudo(self, wrapper);
        }
        if command.through_xargs {
            findings::xargs(self, &command);
        }
        for inner in &command.inner {
            let inner = peel(inner);
            if inner.name == "rm" {
                self.found(Verdict::Ask, "find -exec/-execdir rm", "Deletes what it finds");
            }
            block::command(self, &inner);
            findings::command(self, &inner);
        }
        block::command(self, &command);
        findings::command(self, &command);
    }

    fn redirect(&mut self, redirect: &Redirect) {
        if redirect.operator.starts_with('<') && redirect.operator != "<>" {
            return;
        }
        block::write_target(self, &redirect.target);
        findings::redirect(self, redirect);
    }
}

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

/// What a grant for the session names: assignments, words and files as the command gets them, behind the same of the
/// commands that it reads from, for `sh` behind one command is not `sh` behind another.
fn grant_key(script: &Script, simple: &Simple) -> Option<String> {
    let mut key = String::new();
    for source in pipeline_sources(script, simple).into_iter().rev().chain([simple]) {
        let fixed = !source.substitutes && source.here.is_none() && !source.words.is_empty();
        if !fixed {
            return None;
        }
        for word in source.assignments.iter().chain(&source.words) {
            let value = word.value.as_deref()?;
            // With quotes it is another word: a pattern that is no longer one.
            key.push_str(if value.contains(['*', '?', '[', '{']) {
                &word.raw
            } else {
                value
            });
            key.push('\u{1f}');
        }
        for redirect in &source.redirects {
            key.push_str(&redirect.operator);
            key.push_str(redirect.target.value.as_deref()?);
            key.push('\u{1f}');
        }
        key.push('\u{1e}');
    }
    Some(key)
}

/// Removes what only hides: control sequences, NUL, other spellings of the home folders, compatibility letters.
fn normalise(command: &str, context: &CommandContext) -> String {
    let mut text = String::with_capacity(command.len());
    let visible = without_escapes(command);
    for c in visible.chars() {
        match c {
            '\0' => {}
            // Full-width forms are letters to a model and to some shells' users, never to bash: fold them, so that
            // what looks like a command is judged as one.
            '\u{ff01}'..='\u{ff5e}' => text.extend(char::from_u32(c as u32 - 0xff01 + 0x21)),
            '\u{3000}' => text.push(' '),
            c => text.push(c),
        }
    }
    text = split_at_ifs(text);
    for (home, short) in [(&context.talaria_home, "~/.talaria"), (&context.user_home, "~")] {
        // A path of one component is too short to be a home.
        if home.matches('/').count() >= 2 && text.contains(home.as_str()) {
            text = replace_path(&text, home, short);
        }
    }
    text
}

/// Terminal control sequences show nothing and would split words.
fn without_escapes(command: &str) -> Cow<'_, str> {
    if !command.contains(['\u{1b}', '\u{9b}', '\u{9d}', '\u{90}']) {
        return Cow::Borrowed(command);
    }
    let mut out = String::with_capacity(command.len());
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        let introducer = match c {
            '\u{1b}' => chars.next(),
            '\u{9b}' => Some('['),
            '\u{9d}' => Some(']'),
            '\u{90}' => Some('P'),
            other => {
                out.push(other);
                continue;
            }
        };
        match introducer {
            // CSI: parameters up to a final letter.
            Some('[') => while chars.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
            // OSC, DCS and the like: up to BEL or ST.
            Some(']' | 'P' | 'X' | '^' | '_') => {
                while let Some(c) = chars.next() {
                    if c == '\u{7}' || c == '\u{9c}' {
                        break;
                    }
                    if c == '\u{1b}' && chars.peek() == Some(&'\\') {
                        chars.next();
                        break;
                    }
                }
            }
            // Intermediate bytes, then one more.
            Some(' '..='/') => while chars.next_if(|c| (' '..='/').contains(c)).is_some() {},
            _ => {}
        }
    }
    Cow::Owned(out)
}

/// `$IFS` and `${IFS…}` stand for a blank.
fn split_at_ifs(text: String) -> String {
    if !text.contains("IFS") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let used = match tail.strip_prefix("${IFS") {
            Some(inner) if inner.starts_with(['}', ':', '%', '#']) => {
                inner.find('}').map(|end| "${IFS".len() + end + 1)
            }
            _ => tail
                .strip_prefix("$IFS")
                .filter(|inner| !inner.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
                .map(|_| "$IFS".len()),
        };
        match used {
            Some(used) => {
                out.push(' ');
                rest = &tail[used..];
            }
            None => {
                out.push('$');
                rest = &tail[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Replaces a path where it ends at a component.
fn replace_path(text: &str, path: &str, with: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(path) {
        let end = at + path.len();
        let whole = rest[end..]
            .chars()
            .next()
            .is_none_or(|c| c == '/' || c.is_whitespace() || "\"'`);|&<>".contains(c));
        out.push_str(&rest[..at]);
        out.push_str(if whole { with } else { path });
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;
