//! `write_file`: the whole text of a file, replaced in one step.
//!
//! The call is worked out before the gate is asked: what the person sees is exactly what is written, or nothing is.

use crate::arguments;
use crate::diff::{file_diff, replaced_unseen};
use crate::guard;
use crate::internal_text;
use crate::lint::{Lint, lint};
use crate::lock::lock_path;
use crate::memory::{FileMemory, Proposal, Standing, Version};
use crate::place::{Place, write_failed};
use crate::text_form::in_form_of;
use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;
use talaria_exec::{FileKind, FileStat};
use talaria_protocol::{ToolBody, ToolState, Verb};
use talaria_tools::{
    CallTitle, Intent, ParallelClass, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, register_tool,
};

/// Old files beyond this are not compared with the new text.
const MOST_COMPARED: u64 = 16 * 1024 * 1024;
const MAX_RESULT_CHARS: usize = 100_000;

/// Writes text files.
#[derive(Debug, Default)]
pub struct WriteFile;

register_tool!(WriteFile);

impl Tool for WriteFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "write_file",
            toolset: "file",
            description: "Write a text file: creates it, or replaces all of its content. Missing folders are made. Send the whole \
                text, without line numbers. Read an existing file first: a file that changed since you read it is not \
                overwritten. Use this instead of echo or a here-document in the terminal."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {
                        "type": "string",
                        "description": "File to write: absolute, relative to the current folder, or beginning with ~/"
                    },
                    "content": {
                        "type": "string",
                        "description": "The whole text of the file; may be empty"
                    }
                },
                "required": ["path", "content"]
            }),
            max_result_chars: Some(MAX_RESULT_CHARS),
            parallel: ParallelClass::PathScoped,
            has_effects: true,
        }
    }

    fn title(&self, args: &Value) -> CallTitle {
        CallTitle {
            verb: Verb::Edit,
            target: arguments::shown_path(args),
        }
    }

    fn intent<'a>(&'a self, cx: &'a ToolContext, args: &'a Value) -> BoxFuture<'a, Result<Intent, ToolError>> {
        Box::pin(propose(cx, args))
    }

    fn call<'a>(&'a self, cx: &'a ToolContext, args: &'a Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(write(cx, args))
    }
}

#[derive(Serialize)]
struct WriteResult<'a> {
    bytes_written: u64,
    dirs_created: bool,
    lint: &'a Lint,
    resolved_path: &'a str,
    files_modified: [&'a str; 1],
    #[serde(rename = "_warning", skip_serializing_if = "Option::is_none")]
    warning: Option<&'a str>,
}

fn content(args: &Value) -> Result<&str, ToolError> {
    match args.get("content") {
        Some(Value::String(content)) => Ok(content),
        Some(_) => Err(ToolError::Tell(
            "write_file: `content` must be a text. Send the file's content as one JSON string.".to_owned(),
        )),
        None => Err(ToolError::Tell(
            "write_file got no `content`; long arguments are sometimes dropped on the way. Send the call again with `path` \
             and `content`, or write a first part and add the rest in further calls. An empty file needs `content` as \"\"."
                .to_owned(),
        )),
    }
}

/// Works out the write and remembers it for the call; nothing is changed.
async fn propose(cx: &ToolContext, args: &Value) -> Result<Intent, ToolError> {
    let written = arguments::path("write_file", args)?;
    let content = content(args)?;
    if let Some(refusal) = internal_text::refusal(content) {
        return Err(ToolError::Tell(refusal.to_owned()));
    }
    let place = Place::find(cx, written).await?;
    guard::write(cx, &place).await?;
    let old = OldFile::load(&place).await?;
    if old.is_none()
        && let Some(missing) = place.missing_project(cx).await
    {
        return Err(ToolError::Tell(format!("Nothing was written. {missing}")));
    }
    let memory = cx.memory.get::<FileMemory>();
    let standing = old.as_ref().map(|old| memory.standing(&place.real, &old.version));
    if let Some(Standing::Changed { seen_at }) = standing {
        return Err(ToolError::Tell(changed_since_read(written, seen_at.elapsed())));
    }
    let old_bytes = old.as_ref().and_then(|old| old.content.as_deref());
    let text = in_form_of(old_bytes, content);
    let old_text = old_bytes.map(String::from_utf8_lossy);
    let shown = place.shown(cx).await;
    let diff = match &old {
        Some(OldFile { content: None, .. }) => replaced_unseen(shown, &text),
        _ => file_diff(shown, old_text.as_deref(), &text),
    };
    let proposal = Proposal {
        lint: lint(&place.real, old_text.as_deref(), content),
        warning: warning(cx, &place, standing),
        old: old.map(|old| old.version),
        bytes: text.into_owned().into_bytes(),
        diff: diff.clone(),
        real: place.real.clone(),
    };
    memory.propose(&cx.call_id, proposal);
    Ok(Intent::Write { path: place.real, diff })
}

/// Writes what was proposed, if the file is still the one that the proposal was made for.
async fn write(cx: &ToolContext, args: &Value) -> Result<ToolOutput, ToolError> {
    let written = arguments::path("write_file", args)?;
    let memory = cx.memory.get::<FileMemory>();
    let Some(proposal) = memory.take_proposal(&cx.call_id) else {
        return Err(ToolError::Tell(
            "Nothing was written: the change that was worked out for this call is gone. Send the call again."
                .to_owned(),
        ));
    };
    let _writing = lock_path(&proposal.real).await;
    let place = Place::find(cx, written).await?;
    let current = OldFile::load(&place).await?.map(|old| old.version);
    let unchanged = match (&proposal.old, &current) {
        (Some(old), Some(current)) => old.same_content(current),
        (None, None) => true,
        _ => false,
    };
    if place.real != proposal.real || !unchanged {
        return Err(ToolError::Tell(format!(
            "Nothing was written: {written} changed after this write was worked out and before it could be done. Read the \
             file again, then write it anew."
        )));
    }
    if cx.cancel.is_cancelled() {
        return Err(ToolError::Cancelled { partial: None });
    }
    let Proposal {
        real,
        bytes,
        diff,
        warning,
        lint,
        ..
    } = proposal;
    let hashed = Version::of_bytes(&bytes);
    let outcome = place
        .files
        .write(&real, bytes)
        .await
        .map_err(|error| write_failed(&error))?;
    memory.wrote(&real, hashed.modified_at(outcome.modified_ns));
    let result = WriteResult {
        bytes_written: outcome.bytes_written,
        dirs_created: outcome.dirs_created,
        lint: &lint,
        resolved_path: &real,
        files_modified: [&real],
        warning: warning.as_deref(),
    };
    Ok(ToolOutput {
        // A struct of texts and numbers always serialises.
        result: serde_json::to_string(&result).unwrap_or_default(),
        note: Some(format!("+{} \u{2212}{}", diff.added, diff.removed)),
        body: ToolBody::Edit { files: vec![diff] },
        state: ToolState::Done,
    })
}

/// The file that a write replaces.
struct OldFile {
    version: Version,
    /// `None` when it is too large to compare.
    content: Option<Vec<u8>>,
}

impl OldFile {
    async fn load(place: &Place<'_>) -> Result<Option<Self>, ToolError> {
        let Some(stat) = place
            .files
            .stat(&place.real)
            .await
            .map_err(|error| write_failed(&error))?
        else {
            return Ok(None);
        };
        check_kind(place.written, &stat)?;
        if stat.size > MOST_COMPARED {
            return Ok(Some(Self {
                version: Version::of_stat(&stat),
                content: None,
            }));
        }
        let content = place
            .files
            .read(&place.real, 0, MOST_COMPARED)
            .await
            .map_err(|error| write_failed(&error))?;
        Ok(Some(Self {
            version: Version::of_content(&stat, &content),
            content: Some(content),
        }))
    }
}

fn check_kind(written: &str, stat: &FileStat) -> Result<(), ToolError> {
    match stat.kind {
        FileKind::File => Ok(()),
        FileKind::Directory => Err(ToolError::Tell(format!("{written} is a folder; name a file in it."))),
        FileKind::Other => Err(ToolError::Tell(format!(
            "{written} is a device, pipe or socket; it is not written."
        ))),
    }
}

fn changed_since_read(written: &str, seen_ago: Duration) -> String {
    format!(
        "Nothing was written: {written} was changed by the person or another program after you read it {} s ago. Read it \
         again and write a version that keeps that change.",
        seen_ago.as_secs()
    )
}

/// The first thing that the model should know about this write, if any.
fn warning(cx: &ToolContext, place: &Place<'_>, standing: Option<Standing>) -> Option<String> {
    let written = place.written;
    match standing {
        Some(Standing::Unseen) => {
            return Some(format!(
                "{written} existed and was replaced without having been read in this session."
            ));
        }
        Some(Standing::Partial) => {
            return Some(format!(
                "{written} was replaced as a whole although only a part of it had been read."
            ));
        }
        _ => {}
    }
    let relative = !written.starts_with(['/', '~']);
    let project = cx.project_dir.to_string_lossy();
    let inside = [&place.absolute, &place.real]
        .iter()
        .any(|path| std::path::Path::new(path.as_str()).starts_with(&*project));
    (relative && !inside).then(|| format!("{written} lies outside the project: {} was written.", place.real))
}

#[cfg(test)]
mod tests;
