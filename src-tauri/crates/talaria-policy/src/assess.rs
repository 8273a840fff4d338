//! The detector: every simple command of a command line gets its own verdict, the worst one is the command line's.

use crate::normalise::{joined_lines, normalise, without_here_documents};
use crate::peel::peel;
use crate::shell::{self, Redirect, Script, Simple};
use crate::{block, findings, reads};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use talaria_protocol::{CommandPart, PartVerdict};

/// How deep payloads (`bash -c`, here-documents) are followed.
const MAX_PAYLOADS: usize = 6;

/// How long parsing may take, payloads included; what is not parsed by then asks.
const PATIENCE: Duration = Duration::from_millis(500);

/// How deep inside payloads, and until when.
#[derive(Clone, Copy)]
struct Level {
    depth: usize,
    deadline: Instant,
}

impl Level {
    fn inner(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }
}

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

/// Variables that change what a program does or which program a name means.
const STEERING: &[&str] = &[
    "PATH",
    "LD_",
    "DYLD_",
    "BASH_",
    "ENV",
    "IFS",
    "SHELLOPTS",
    "CDPATH",
    "GLOBIGNORE",
    "GIT_",
    "PAGER",
    "MANPAGER",
    "LESS",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "PROMPT_COMMAND",
    "PYTHON",
    "NODE_",
    "PERL",
    "RUBY",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "CARGO",
    "RUSTC",
    "CC",
    "CXX",
    "MAKEFLAGS",
    "NPM_CONFIG_",
    "npm_config_",
    "HOME",
    "XDG_CONFIG_HOME",
];

impl Assessment {
    /// Takes into account that earlier commands changed variables: with one of those that steer programs a reading command
    /// may run anything, and a grant no longer names what would run.
    pub fn with_changed_variables<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        let steered = names
            .into_iter()
            .any(|name| STEERING.iter().any(|prefix| name.starts_with(prefix)));
        if steered {
            self.reads_only = false;
            self.grant_keys.iter_mut().for_each(|key| *key = None);
            for part in &mut self.parts {
                if part.verdict == PartVerdict::Reads {
                    part.verdict = PartVerdict::Safe;
                }
            }
        }
        self
    }

    /// Ties what a grant names to the folder that the command runs in.
    pub fn in_folder(mut self, folder: &str) -> Self {
        for key in self.grant_keys.iter_mut().flatten() {
            key.push('\u{1d}');
            key.push_str(folder);
        }
        self
    }
}

/// Gives a command its verdict. Never fails: what cannot be understood asks.
pub fn assess(command: &str, context: &CommandContext) -> Assessment {
    let command = normalise(command, context);
    let deadline = Instant::now() + PATIENCE;
    let script = shell::parse(&command, deadline);
    let mut found = Vec::new();
    let mut reads_only =
        script.trouble.is_none() && !script.background && !script.defines_function && !script.sets_by_loop;
    examine(
        &script,
        context,
        &mut found,
        &mut reads_only,
        Level { depth: 0, deadline },
    );
    block::whole_text(&command, &mut found);
    findings::in_sequence(&script, &mut found);
    // The grammar ends a word at an escaped line break, the shell does not. Joining them is no better by itself:
    // comments and quoted here-documents end there. So both readings count.
    let joined = joined_lines(&command).map(|text| shell::parse(&text, deadline));
    let bare = script
        .trouble
        .and_then(|_| without_here_documents(&command))
        .map(|text| shell::parse(&text, deadline));
    if bare
        .as_ref()
        .is_some_and(|bare| bare.trouble.is_none() && !findings::runs_shell_text(bare))
    {
        // Text that a misread here-document holds is taken for commands; it must not be blocked beyond appeal.
        for finding in &mut found {
            finding.verdict = finding.verdict.min(Verdict::Ask);
        }
    }
    for reading in joined.iter().chain(&bare) {
        let mut other = Vec::new();
        examine(
            reading,
            context,
            &mut other,
            &mut reads_only,
            Level { depth: 0, deadline },
        );
        found.extend(other.into_iter().map(|finding| Finding { part: 0, ..finding }));
    }
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
    let place = |part: usize| outer.partition_point(|(at, _)| *at <= part).saturating_sub(1);
    for finding in &mut found {
        finding.part = place(finding.part);
    }
    found.sort_by_key(|finding| (finding.part, std::cmp::Reverse(finding.verdict)));
    let mut seen = BTreeSet::new();
    found.retain(|finding| seen.insert((finding.part, finding.key.clone())));
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
    // Sorted by part.
    let reasons = |part: usize| {
        let start = found.partition_point(|finding| finding.part < part);
        found[start..].iter().take_while(move |finding| finding.part == part)
    };
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
fn examine(script: &Script, context: &CommandContext, found: &mut Vec<Finding>, reads_only: &mut bool, level: Level) {
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
            if level.depth >= MAX_PAYLOADS {
                found.push(Finding {
                    key: "command parser limit or malformed payload".to_owned(),
                    reason: "Shell inside shell too many times to be checked".to_owned(),
                    verdict: Verdict::Ask,
                    part,
                });
                continue;
            }
            let inner = shell::parse(&payload, level.deadline);
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
            examine(&inner, context, &mut inner_found, &mut inner_reads, level.inner());
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
        let mut command = peel(&self.simple.words);
        self.payloads.append(&mut command.payloads);
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

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;
