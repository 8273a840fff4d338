//! What a mode makes of a verdict (security.md 2.1). Every way through this module that is not an explicit yes asks or
//! refuses.

use crate::assess::{Assessment, Verdict};
use crate::grants::{Grants, keys_of, write_key};
use talaria_protocol::{ApprovalChoice, ApprovalMode, PartVerdict};

/// What is about to happen.
#[derive(Clone, Copy, Debug)]
pub enum Action<'a> {
    /// It reads.
    Read,
    /// It runs a command.
    Command(&'a Assessment),
    /// It writes a file.
    Write {
        /// Absolute path with links resolved.
        path: &'a str,
        /// Whether it lies in the project's folder.
        inside_project: bool,
    },
}

/// Whether somebody can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// A window or a terminal is attached.
    Person,
    /// Nobody is there.
    Nobody,
}

/// What to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Why it asks, one short sentence each.
    pub reasons: Vec<String>,
    /// Answers on offer, in order.
    pub choices: Vec<ApprovalChoice>,
    /// What an answer for the session would cover.
    pub grant_keys: Vec<String>,
    /// The same in words.
    pub scope_preview: Option<String>,
}

/// What is to be done with an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It runs.
    Run,
    /// The person decides.
    Ask(Ask),
    /// It must not run.
    Refuse {
        /// For the model.
        message: String,
        /// Whether it is for want of somebody to ask.
        unanswered: bool,
    },
}

/// Tells a model what not to try after a refusal.
const STOP: &str =
    "Do not try it again, in other words or by another way. Go on without it, or say what you need and why.";

/// Rules on an action.
pub fn decide(mode: ApprovalMode, action: Action<'_>, grants: &Grants, surface: Surface) -> Ruling {
    match action {
        Action::Read => Ruling::Run,
        Action::Command(assessment) => command(mode, assessment, grants, surface),
        Action::Write { path, inside_project } => write(mode, path, inside_project, grants, surface),
    }
}

/// What a model reads when the person said no.
pub fn denied_message(note: Option<&str>) -> String {
    match note.map(str::trim).filter(|note| !note.is_empty()) {
        Some(note) => format!("The person denied this: {note}. Nothing was run. {STOP}"),
        None => format!("The person denied this. Nothing was run. {STOP}"),
    }
}

/// What a model reads when nobody answered.
pub fn unanswered_message() -> String {
    format!("This needs the person's permission and nobody could be asked, so it was denied. Nothing was run. {STOP}")
}

fn command(mode: ApprovalMode, assessment: &Assessment, grants: &Grants, surface: Surface) -> Ruling {
    if assessment.verdict == Verdict::Block {
        let reasons: Vec<&str> = assessment
            .findings
            .iter()
            .filter(|finding| finding.verdict == Verdict::Block)
            .map(|finding| finding.reason.as_str())
            .collect();
        return refuse(format!(
            "Blocked: {}. This never runs, whatever the mode; the person can run it outside of Talaria. Nothing was run. {STOP}",
            reasons.join("; ").to_lowercase()
        ));
    }
    if assessment.reads_only {
        return Ruling::Run;
    }
    match mode {
        ApprovalMode::Auto => return Ruling::Run,
        ApprovalMode::Plan => {
            return refuse(format!(
                "Refused: in plan mode only commands that read are run. Nothing was run. {STOP}"
            ));
        }
        ApprovalMode::Smart if assessment.verdict == Verdict::Safe => return Ruling::Run,
        ApprovalMode::Ask | ApprovalMode::AcceptEdits | ApprovalMode::Smart => {}
    }
    let reads = |part: usize| {
        assessment
            .parts
            .get(part)
            .is_some_and(|part| part.verdict == PartVerdict::Reads)
    };
    let keys = keys_of(assessment, reads);
    if keys.as_ref().is_some_and(|keys| grants.cover(keys)) {
        return Ruling::Run;
    }
    if surface == Surface::Nobody {
        return Ruling::Refuse {
            message: unanswered_message(),
            unanswered: true,
        };
    }
    let mut reasons: Vec<String> = Vec::new();
    for finding in &assessment.findings {
        if !reasons.contains(&finding.reason) {
            reasons.push(finding.reason.clone());
        }
    }
    let mut choices = vec![ApprovalChoice::Once];
    if keys.is_some() {
        choices.push(ApprovalChoice::Session);
    }
    choices.push(ApprovalChoice::Deny);
    Ruling::Ask(Ask {
        reasons,
        choices,
        scope_preview: keys
            .as_ref()
            .map(|_| "The same command, word for word, in this folder, until this chat is closed".to_owned()),
        grant_keys: keys.unwrap_or_default(),
    })
}

fn write(mode: ApprovalMode, path: &str, inside_project: bool, grants: &Grants, surface: Surface) -> Ruling {
    let sensitive = is_sensitive(path);
    match mode {
        ApprovalMode::Auto => return Ruling::Run,
        ApprovalMode::Plan => {
            return refuse(format!(
                "Refused: in plan mode nothing is written. Nothing was changed. {STOP}"
            ));
        }
        ApprovalMode::AcceptEdits | ApprovalMode::Smart if inside_project && !sensitive => return Ruling::Run,
        ApprovalMode::Ask | ApprovalMode::AcceptEdits | ApprovalMode::Smart => {}
    }
    let key = write_key(path);
    if !sensitive && grants.has(&key) {
        return Ruling::Run;
    }
    if surface == Surface::Nobody {
        return Ruling::Refuse {
            message: unanswered_message(),
            unanswered: true,
        };
    }
    let mut reasons = Vec::new();
    if !inside_project {
        reasons.push("Writes outside the project".to_owned());
    }
    if sensitive {
        reasons.push("Writes to a file with settings or secrets".to_owned());
    }
    let mut choices = vec![ApprovalChoice::Once];
    if !sensitive {
        choices.push(ApprovalChoice::Session);
    }
    choices.push(ApprovalChoice::Deny);
    Ruling::Ask(Ask {
        reasons,
        choices,
        scope_preview: (!sensitive).then(|| "Every change of this file until this chat is closed".to_owned()),
        grant_keys: if sensitive { Vec::new() } else { vec![key] },
    })
}

fn refuse(message: String) -> Ruling {
    Ruling::Refuse {
        message,
        unanswered: false,
    }
}

/// Files that are asked for even where edits are accepted (security.md 8.9).
fn is_sensitive(path: &str) -> bool {
    // Some file systems do not tell letter case apart.
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    path.split('/').any(|part| part == ".git" || part == ".ssh")
        || matches!(
            name,
            ".env" | ".env.local" | ".env.production" | ".envrc" | "id_rsa" | "id_ed25519"
        )
}

#[cfg(test)]
mod tests;
