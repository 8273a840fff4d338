//! Questions as text, and what a typed line means.

use crate::terminal::{visible, visible_line};
use talaria_protocol::{
    ApprovalChoice, ApprovalParams, ApprovalReply, DiffLineKind, FileDiff, PartVerdict, Question, ServerRequest,
};

/// Lines of a change that are shown; the rest is counted.
const DIFF_LINES: usize = 60;

/// A question for the screen. `answered` tells how many questions of a list have their answer.
pub fn question(request: &ServerRequest, answered: usize) -> String {
    match request {
        ServerRequest::Approval(params) => approval(params),
        ServerRequest::Clarify(params) => params.questions.get(answered).map(open_question).unwrap_or_default(),
    }
}

fn approval(params: &ApprovalParams) -> String {
    let line = visible_line;
    let mut text = format!(
        "\n{} on {} in {}\n",
        line(&params.summary),
        line(&params.target.name),
        line(&params.cwd)
    );
    if let Some(command) = params.command.as_ref().filter(|_| params.parts.is_empty()) {
        text.push_str(&format!("    {}\n", indented(command)));
    }
    for part in &params.parts {
        let verdict = match part.verdict {
            PartVerdict::Reads => "only reads".to_owned(),
            PartVerdict::Safe => "nothing dangerous found".to_owned(),
            PartVerdict::Allowed => "allowed by a rule".to_owned(),
            PartVerdict::Asks | PartVerdict::Blocked => line(&part.reasons.join("; ")),
        };
        text.push_str(&format!(
            "  {:>2} {}   ({verdict})\n",
            part.operator,
            indented(&part.command)
        ));
    }
    if let Some(diff) = &params.diff {
        push_diff(&mut text, diff);
    }
    for reason in &params.risk {
        text.push_str(&format!("    ! {}\n", line(reason)));
    }
    text.push_str(match params.choices.contains(&ApprovalChoice::Session) {
        true => "Allow? [o]nce, for this [s]ession, [d]eny (or a note for the model): ",
        false => "Allow? [o]nce, [d]eny (or a note for the model): ",
    });
    text
}

fn push_diff(text: &mut String, diff: &FileDiff) {
    text.push_str(&format!(
        "    {} +{} -{}\n",
        visible_line(&diff.path),
        diff.added,
        diff.removed
    ));
    let mut lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
    for line in lines.by_ref().take(DIFF_LINES) {
        let sign = match line.kind {
            DiffLineKind::Same => ' ',
            DiffLineKind::Added => '+',
            DiffLineKind::Removed => '-',
        };
        text.push_str(&format!("    {sign} {}\n", visible_line(&line.text)));
    }
    let left = lines.count();
    if left > 0 {
        text.push_str(&format!("    … and {left} more lines\n"));
    }
}

/// Further lines stand so far to the right that none can be taken for a line of ours.
fn indented(text: &str) -> String {
    visible(text).replace('\n', "\n      | ")
}

fn open_question(question: &Question) -> String {
    let mut text = format!("\n{}\n", visible(&question.question));
    for (number, choice) in question.choices.iter().enumerate() {
        text.push_str(&format!("  {}. {}\n", number + 1, visible_line(choice)));
    }
    text.push_str(match question.choices.is_empty() {
        true => "Answer (empty to skip): ",
        false => "Number or answer (empty to skip): ",
    });
    text
}

/// What is not a clear yes is a no, and the end of input is none.
pub fn approval_reply(params: &ApprovalParams, line: Option<&str>) -> ApprovalReply {
    let reply = |choice, note: Option<&str>| ApprovalReply {
        choice,
        note: note.map(str::to_owned),
    };
    let Some(line) = line else {
        return reply(ApprovalChoice::Deny, None);
    };
    match line.to_lowercase().as_str() {
        "o" | "once" | "y" | "yes" => reply(ApprovalChoice::Once, None),
        "s" | "session" if params.choices.contains(&ApprovalChoice::Session) => reply(ApprovalChoice::Session, None),
        "" | "d" | "deny" | "n" | "no" => reply(ApprovalChoice::Deny, None),
        _ => reply(ApprovalChoice::Deny, Some(line)),
    }
}

/// A number picks the choice; anything else is the answer itself, and nothing skips the question.
pub fn picked(question: &Question, line: Option<&str>) -> Option<String> {
    let line = line.filter(|line| !line.is_empty())?;
    let choice = line
        .parse::<usize>()
        .ok()
        .and_then(|number| question.choices.get(number.checked_sub(1)?));
    Some(choice.cloned().unwrap_or_else(|| line.to_owned()))
}

#[cfg(test)]
mod tests;
