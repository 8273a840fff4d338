//! `read_file`: a page of a text file with line numbers.

use crate::arguments;
use crate::guard;
use crate::internal_text::UNCHANGED;
use crate::kind;
use crate::memory::{Extent, FileMemory, PageKey, Repeat, Version};
use crate::page::{EndedBy, Page, PageLimits, PageReader};
use crate::place::Place;
use crate::similar_names::similar_files;
use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::{Value, json};
use talaria_exec::{FileError, FileKind};
use talaria_protocol::{ToolBody, ToolState, Verb};
use talaria_tools::{
    CallTitle, Intent, ParallelClass, Tool, ToolContext, ToolError, ToolLimits, ToolOutput, ToolSpec, register_tool,
};

const DEFAULT_LINES: u64 = 500;
/// Files up to this size are read in one piece; larger ones pass by in pieces of it.
const PIECE: u64 = 1024 * 1024;
/// Most bytes of a page that the card shows.
const CARD_BYTES: usize = 64 * 1024;
const LARGE_FILE: u64 = 512_000;
const LARGE_PAGE: u64 = 200;

/// Reads text files.
#[derive(Debug, Default)]
pub struct ReadFile;

register_tool!(ReadFile);

impl Tool for ReadFile {
    fn spec(&self) -> ToolSpec {
        let most_lines = ToolLimits::default().read_lines;
        ToolSpec {
            name: "read_file",
            toolset: "file",
            description: "Read a text file. Each line comes as `number|text`; the numbers are not part of the file. Long files \
                come in pages: go on with the `next_offset` of the result. Use this instead of cat, head, tail or sed. \
                Images, documents and other binary files are not shown. A page that you have read already and that has not \
                changed is not sent again."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {
                        "type": "string",
                        "description": "File to read: absolute, relative to the current folder, or beginning with ~/"
                    },
                    "offset": {
                        "type": "integer",
                        "description": "Line to begin with, from 1",
                        "default": 1,
                        "minimum": 1
                    },
                    "limit": {
                        "type": "integer",
                        "description": "Most lines to read",
                        "default": DEFAULT_LINES,
                        "minimum": 1,
                        "maximum": most_lines
                    }
                },
                "required": ["path"]
            }),
            // A page has its own budget; spilling it to a file would only lead to reading that file.
            max_result_chars: None,
            parallel: ParallelClass::PathScoped,
            has_effects: false,
        }
    }

    fn title(&self, args: &Value) -> CallTitle {
        CallTitle {
            verb: Verb::Read,
            target: arguments::shown_path(args),
        }
    }

    fn intent<'a>(&'a self, _cx: &'a ToolContext, args: &'a Value) -> BoxFuture<'a, Result<Intent, ToolError>> {
        Box::pin(async move { arguments::path("read_file", args).map(|_| Intent::Read) })
    }

    fn call<'a>(&'a self, cx: &'a ToolContext, args: &'a Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(read(cx, args))
    }

    fn is_lookup(&self) -> bool {
        true
    }
}

#[derive(Serialize)]
struct ReadResult<'a> {
    content: &'a str,
    total_lines: u64,
    file_size: u64,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated_by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[serde(rename = "_hint", skip_serializing_if = "Option::is_none")]
    large_file_hint: Option<&'static str>,
    #[serde(rename = "_warning", skip_serializing_if = "Option::is_none")]
    warning: Option<&'static str>,
}

async fn read(cx: &ToolContext, args: &Value) -> Result<ToolOutput, ToolError> {
    let written = arguments::path("read_file", args)?;
    let offset = arguments::count(args, "offset", 1, u64::MAX);
    let limit = arguments::count(args, "limit", DEFAULT_LINES, cx.limits.read_lines as u64);

    guard::read_by_name(&cx.absolute_path(written))?;
    let place = Place::find(cx, written).await?;
    guard::read(cx, &place).await?;
    if let Some(refusal) = kind::refusal_by_name(&place.real) {
        return Ok(failed("not text", json!({ "error": refusal, "is_binary": true })));
    }
    let Some(stat) = place
        .files
        .stat(&place.real)
        .await
        .map_err(|error| tell(&place, &error))?
    else {
        return Ok(not_found(cx, &place).await);
    };
    match stat.kind {
        FileKind::File => {}
        FileKind::Directory => {
            return Err(ToolError::Tell(format!(
                "{written} is a folder, not a file. List it with the terminal (ls)."
            )));
        }
        FileKind::Other => {
            return Err(ToolError::Tell(format!(
                "{written} is a device, pipe or socket; read_file shows files only."
            )));
        }
    }
    let first = place
        .files
        .read(&place.real, 0, PIECE)
        .await
        .map_err(|error| tell(&place, &error))?;
    if kind::looks_binary(&first) {
        let error =
            format!("{written} looks binary; read_file shows text only. Inspect it in the terminal (`file`, `xxd`).");
        return Ok(failed(
            "not text",
            json!({ "error": error, "is_binary": true, "file_size": stat.size }),
        ));
    }
    let whole = (first.len() as u64) < PIECE;
    let version = if whole {
        Version::of_content(&stat, &first)
    } else {
        Version::of_stat(&stat)
    };
    let key = PageKey {
        path: place.real.clone(),
        offset,
        limit,
    };
    let memory = cx.memory.get::<FileMemory>();
    let in_row = match memory.ask(cx.memory.lookup_row(), &key, &version) {
        Repeat::Read { in_row } => in_row,
        Repeat::Unchanged => return Ok(unchanged(written)),
        Repeat::Blocked { times } => return Ok(blocked(written, times)),
    };
    let limits = PageLimits {
        offset,
        lines: limit,
        line_chars: cx.limits.line_chars,
        chars: cx.limits.read_chars,
    };
    let (page, file_size) = read_page(cx, &place, limits, first, whole).await?;
    let output = output(&page, &limits, file_size, in_row);
    let truncated = page.next_offset(offset).is_some() || page.ended_by != EndedBy::Lines;
    let extent = if offset == 1 && !truncated {
        Extent::Whole
    } else {
        Extent::Part
    };
    memory.shown(key, version, extent);
    Ok(output)
}

async fn read_page(
    cx: &ToolContext,
    place: &Place<'_>,
    limits: PageLimits,
    first: Vec<u8>,
    whole: bool,
) -> Result<(Page, u64), ToolError> {
    let mut reader = PageReader::new(limits);
    reader.push(&first);
    let mut size = first.len() as u64;
    let mut at_end = whole;
    while !at_end {
        if cx.cancel.is_cancelled() {
            return Err(ToolError::Cancelled { partial: None });
        }
        let piece = place
            .files
            .read(&place.real, size, PIECE)
            .await
            .map_err(|error| tell(place, &error))?;
        reader.push(&piece);
        size += piece.len() as u64;
        at_end = (piece.len() as u64) < PIECE;
    }
    Ok((reader.finish(), size))
}

fn output(page: &Page, limits: &PageLimits, file_size: u64, in_row: u32) -> ToolOutput {
    let PageLimits { offset, lines, .. } = *limits;
    let next_offset = page.next_offset(offset);
    let total = page.total_lines;
    let last = (offset + page.shown).saturating_sub(1);
    let hint = if total == 0 {
        Some("The file is empty.".to_owned())
    } else if page.shown == 0 {
        Some(format!(
            "Offset {offset} is beyond the end of the file ({total} lines)."
        ))
    } else if page.ended_by == EndedBy::FirstLine {
        Some(format!(
            "Line {offset} is longer than a result may be; the rest of it cannot be reached by offset."
        ))
    } else {
        next_offset
            .map(|next| format!("Use offset={next} to continue reading (showing {offset}-{last} of {total} lines)"))
    };
    let truncated = next_offset.is_some() || page.ended_by == EndedBy::FirstLine;
    let warning = if in_row == 3 {
        Some(
            "You have read this part three times in a row; reading it again will be refused. Go on with what you have.",
        )
    } else if page.replaced {
        Some(
            "The file is not valid UTF-8: bytes that are not text were replaced. Writing this text back would change them.",
        )
    } else {
        None
    };
    let large = file_size > LARGE_FILE && lines > LARGE_PAGE && truncated;
    let result = ReadResult {
        content: &page.content,
        total_lines: total,
        file_size,
        truncated,
        truncated_by: (page.ended_by != EndedBy::Lines).then_some("bytes"),
        next_offset,
        hint,
        large_file_hint: large.then_some("The file is large: search it, or read smaller ranges."),
        warning,
    };
    let card_end = page.content.floor_char_boundary(CARD_BYTES);
    let note = if truncated || offset > 1 {
        format!("{offset}–{last} of {total} lines")
    } else {
        format!("{total} {}", if total == 1 { "line" } else { "lines" })
    };
    ToolOutput {
        // A struct of texts and numbers always serialises.
        result: serde_json::to_string(&result).unwrap_or_default(),
        body: ToolBody::Text {
            text: page.content[..card_end].to_owned(),
            truncated: truncated || card_end < page.content.len(),
        },
        note: Some(note),
        state: ToolState::Done,
    }
}

fn unchanged(path: &str) -> ToolOutput {
    let result = json!({
        "status": "unchanged",
        "message": UNCHANGED,
        "path": path,
        "dedup": true,
        "content_returned": false,
    });
    ToolOutput {
        result: result.to_string(),
        body: ToolBody::Empty,
        note: Some("unchanged".to_owned()),
        state: ToolState::Done,
    }
}

fn blocked(path: &str, times: u32) -> ToolOutput {
    let error = format!(
        "BLOCKED: this part of {path} was asked for {times} times in a row. You have its content already; go on with the \
         task, or read another part."
    );
    failed(
        "already read",
        json!({ "error": error, "path": path, "already_read": times }),
    )
}

async fn not_found(cx: &ToolContext, place: &Place<'_>) -> ToolOutput {
    let mut result = json!({ "error": format!("File not found: {}", place.written) });
    if let Some(hint) = place.missing_project(cx).await {
        result["hint"] = hint.into();
    } else {
        let similar = similar_files(place.files, &place.absolute, place.written).await;
        if !similar.is_empty() {
            result["similar_files"] = similar.into();
        }
    }
    failed("not found", result)
}

fn failed(note: &str, result: Value) -> ToolOutput {
    let message = result
        .get("error")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    ToolOutput {
        result: result.to_string(),
        body: ToolBody::Text {
            text: message,
            truncated: false,
        },
        note: Some(note.to_owned()),
        state: ToolState::Failed,
    }
}

fn tell(place: &Place<'_>, error: &FileError) -> ToolError {
    ToolError::Tell(match error {
        FileError::Permission { reason, .. } => format!("Permission denied: {} ({reason})", place.written),
        FileError::NotFound { .. } => format!("File not found: {}", place.written),
        other => format!("Cannot read {}: {other}", place.written),
    })
}

#[cfg(test)]
mod tests;
