//! The terminal: asking a person there, and the signals that stop a run.

use std::io::{BufRead, IsTerminal, Write};
use talaria_protocol::{ApprovalChoice, ApprovalParams, ApprovalReply, ClarifyParams, ClarifyReply, PartVerdict};

/// Whether somebody can be asked: both what they type and what they read is a terminal.
pub fn is_attached() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Comes back at Ctrl-C or a termination signal.
pub async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let terminated = async {
            match signal(SignalKind::terminate()) {
                Ok(mut signal) => {
                    signal.recv().await;
                }
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            result = tokio::signal::ctrl_c() => drop(result),
            () = terminated => {}
        }
    }
    #[cfg(not(unix))]
    drop(tokio::signal::ctrl_c().await);
}

/// Asks for an approval. What is not a clear yes is a no.
pub async fn ask_approval(params: &ApprovalParams) -> ApprovalReply {
    let mut text = format!("\n{} on {} in {}\n", params.summary, params.target.name, params.cwd);
    if let Some(command) = params.command.as_ref().filter(|_| params.parts.is_empty()) {
        text.push_str(&format!("    {}\n", visible(command)));
    }
    for part in &params.parts {
        let verdict = match part.verdict {
            PartVerdict::Reads => "only reads".to_owned(),
            PartVerdict::Safe => "nothing dangerous found".to_owned(),
            PartVerdict::Allowed => "allowed by a rule".to_owned(),
            PartVerdict::Asks | PartVerdict::Blocked => part.reasons.join("; "),
        };
        text.push_str(&format!("  {:>2} {}   ({verdict})\n", part.operator, visible(&part.command)));
    }
    if let Some(diff) = &params.diff {
        text.push_str(&format!("    {} +{} -{}\n", visible(&diff.path), diff.added, diff.removed));
        for line in diff.hunks.iter().flat_map(|hunk| &hunk.lines).take(60) {
            let sign = match line.kind {
                talaria_protocol::DiffLineKind::Same => ' ',
                talaria_protocol::DiffLineKind::Added => '+',
                talaria_protocol::DiffLineKind::Removed => '-',
            };
            text.push_str(&format!("    {sign} {}\n", visible(&line.text)));
        }
    }
    for reason in &params.risk {
        text.push_str(&format!("    ! {reason}\n"));
    }
    let session = params.choices.contains(&ApprovalChoice::Session);
    text.push_str(if session { "Allow? [o]nce, for this [s]ession, [d]eny (or a note for the model): " } else { "Allow? [o]nce, [d]eny (or a note for the model): " });
    let answer = ask_line(text).await;
    let deny = |note: Option<String>| ApprovalReply { choice: ApprovalChoice::Deny, note };
    match answer.as_deref().map(str::trim) {
        Some("o" | "once" | "y" | "yes") => ApprovalReply { choice: ApprovalChoice::Once, note: None },
        Some("s" | "session") if session => ApprovalReply { choice: ApprovalChoice::Session, note: None },
        None | Some("" | "d" | "deny" | "n" | "no") => deny(None),
        Some(note) => deny(Some(note.to_owned())),
    }
}

/// Asks the model's questions one after the other; an empty line skips one.
pub async fn ask_questions(params: &ClarifyParams) -> ClarifyReply {
    let mut answers = std::collections::BTreeMap::new();
    for question in &params.questions {
        let mut text = format!("\n{}\n", visible(&question.question));
        for (number, choice) in question.choices.iter().enumerate() {
            text.push_str(&format!("  {}. {}\n", number + 1, visible(choice)));
        }
        text.push_str(if question.choices.is_empty() { "Answer: " } else { "Number or answer: " });
        let answer = ask_line(text).await.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty());
        let answer = answer.map(|line| {
            let picked = line.parse::<usize>().ok().and_then(|number| question.choices.get(number.checked_sub(1)?));
            picked.cloned().unwrap_or(line)
        });
        answers.insert(question.qid.clone(), answer);
    }
    ClarifyReply { answers: Some(answers) }
}

async fn ask_line(prompt: String) -> Option<String> {
    let read = tokio::task::spawn_blocking(move || {
        let mut output = std::io::stderr().lock();
        output.write_all(prompt.as_bytes()).and_then(|()| output.flush()).ok()?;
        drop(output);
        let mut line = String::new();
        match std::io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line),
        }
    });
    read.await.ok().flatten()
}

/// Text of a model on a terminal: control characters must not act there.
pub fn visible(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests;
