//! Output as a model can take it: no control sequences, a bounded number of lines and bytes, the rest kept in a file.

use super::result::Outcome;
use crate::config::Config;
use crate::registry::ToolEntry;
use crate::spill::Spill;
use serde_json::json;
use std::borrow::Cow;
use stud_contract::{CallOutput, SideEffects, ToolError};

/// Lines kept at the beginning of a command's output, of every hundred that are kept.
const HEAD_PERCENT: usize = 15;

/// How much of an output is kept.
pub(super) struct Limits {
    bytes: usize,
    /// Only commands are bounded by lines: their last lines say most.
    lines: Option<usize>,
}

impl Limits {
    pub(super) fn of(config: &Config, entry: Option<&ToolEntry>) -> Limits {
        let command = entry.is_some_and(|entry| entry.embedded().side_effects == SideEffects::Execute);
        Limits {
            bytes: config.count("limits.output_bytes"),
            lines: command.then(|| config.count("limits.command_lines")),
        }
    }
}

/// Bounds what a call has to say, be it output or error.
pub(super) fn bound(
    outcome: Result<CallOutput, ToolError>,
    limits: &Limits,
    spill: &Spill,
    call: &str,
) -> Outcome {
    let (text, mut metadata, mut error) = match outcome {
        Ok(CallOutput { text, structured, mut metadata }) => {
            if !fits(&metadata, limits.bytes) {
                metadata = serde_json::Map::from_iter([("dropped".to_owned(), too_long(limits))]);
            }
            // What is too long as text is too long as a value, too.
            if let Some(value) = structured.filter(|_| text.len() <= limits.bytes) {
                metadata.insert("structured".to_owned(), value);
            }
            (text, metadata, None)
        }
        Err(error) => (error.message.clone(), serde_json::Map::new(), Some(error)),
    };
    let clean = strip(&text);
    let text = match cut(&clean, limits) {
        None => clean.into_owned(),
        Some(cut) => {
            let kept = spill.keep(call, clean.as_bytes());
            metadata.insert(
                "truncated".to_owned(),
                json!({ "lines": cut.lines, "bytes": cut.bytes, "file": kept.as_ref().ok().map(|file| file.display().to_string()) }),
            );
            let place = match kept {
                Ok(file) => format!("the full text is in {}", file.display()),
                Err(error) => format!("the full text could not be kept: {error}"),
            };
            format!(
                "{}\n[... {} lines, {} bytes cut; {place} ...]\n{}",
                cut.head.trim_end(),
                cut.lines,
                cut.bytes,
                cut.tail.trim_start_matches('\n')
            )
        }
    };
    if let Some(error) = &mut error {
        error.message.clone_from(&text);
        if !fits(&error.details, limits.bytes) {
            error.details = json!({ "dropped": too_long(limits) });
        }
    }
    Outcome { text, metadata, error }
}

/// What stands in place of facts for programs that have no end.
fn too_long(limits: &Limits) -> serde_json::Value {
    format!("more than {} bytes", limits.bytes).into()
}

/// Whether something takes at most so many bytes as JSON. Stops counting there.
fn fits(value: &impl serde::Serialize, most: usize) -> bool {
    serde_json::to_writer(Room(most), value).is_ok()
}

/// Takes so many bytes and keeps none.
struct Room(usize);

impl std::io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Removes terminal escapes and control characters; tabs and line ends stay, a lone carriage return ends a line.
fn strip(text: &str) -> Cow<'_, str> {
    let harmless = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let stripped = strip_ansi_escapes::strip_str(&text);
    Cow::Owned(stripped.chars().filter(|c| harmless(*c)).collect())
}

struct Cut<'a> {
    head: &'a str,
    tail: &'a str,
    /// How many whole or partial lines are missing.
    lines: usize,
    bytes: usize,
}

/// What to keep of a text that is too long.
fn cut<'a>(text: &'a str, limits: &Limits) -> Option<Cut<'a>> {
    let total_lines = text.lines().count();
    let too_many_lines = limits.lines.is_some_and(|most| total_lines > most);
    if !too_many_lines && text.len() <= limits.bytes {
        return None;
    }
    let (mut head, mut tail) = match limits.lines {
        Some(most) if too_many_lines => {
            let first = most * HEAD_PERCENT / 100;
            (&text[..line_start(text, first)], &text[line_start(text, total_lines - (most - first))..])
        }
        _ => text.split_at(floor_boundary(text, text.len() / 2)),
    };
    // Commands say most at their end, other tools at their beginning.
    let head_share = if limits.lines.is_some() { HEAD_PERCENT } else { 80 };
    if head.len() + tail.len() > limits.bytes {
        let room = limits.bytes * head_share / 100;
        let head_room = room.min(head.len()).max(limits.bytes.saturating_sub(tail.len()).min(head.len()));
        head = &head[..floor_boundary(head, head_room)];
        let tail_room = limits.bytes.saturating_sub(head.len());
        tail = &tail[ceil_boundary(tail, tail.len().saturating_sub(tail_room))..];
    }
    let missing = &text[head.len()..text.len() - tail.len()];
    Some(Cut { head, tail, lines: missing.lines().count(), bytes: missing.len() })
}

/// The byte at which line `n` (from 0) starts.
fn line_start(text: &str, n: usize) -> usize {
    match n {
        0 => 0,
        n => text.match_indices('\n').nth(n - 1).map_or(text.len(), |(at, _)| at + 1),
    }
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
#[path = "bound_tests.rs"]
mod tests;
