//! How things look: one place for errors, warnings, tables and JSON. Colour never carries meaning alone, and is off
//! when the stream is no terminal or NO_COLOR is set.
#![allow(clippy::print_stderr, reason = "diagnostics go to standard error, from here alone")]

use crate::failure::{Exit, Failure};
use anstyle::{AnsiColor, Style};
use comfy_table::{Table, presets};
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use stud_host::Stage;

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
pub(crate) const ODD: Style = AnsiColor::Yellow.on_default();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const BOLD: Style = Style::new().bold();

/// The text in a style. The stream it is printed to decides whether the codes stay.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// What failed, and beneath it what to do.
pub(crate) fn failure(failure: &Failure) {
    say(format_args!("{}: {}", styled(BAD.bold(), "error"), printable(&failure.message)));
    if let Some(hint) = &failure.hint {
        say(format_args!("  {}: {}", styled(BOLD, "hint"), line(hint)));
    }
}

/// Something that the operator should know and that stops nothing.
pub(crate) fn warning(text: &str) {
    say(format_args!("{}: {}", styled(ODD.bold(), "warning"), line(text)));
}

/// A line for the person at the terminal that is no result.
pub(crate) fn note(text: &str) {
    say(format_args!("{}", printable(text)));
}

/// The same for text with styles, whose parts from elsewhere went through [`line()`] one by one.
pub(crate) fn styled_note(text: &str) {
    say(format_args!("{text}"));
}

/// A terminal that went away, with its SIGHUP, is no reason to panic.
fn say(text: fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// One field from a file, a plugin or a path: it can neither end its line, nor steer the terminal, nor look like
/// something else by characters that are not seen or that turn the direction of the text.
pub(crate) fn line(text: &str) -> String {
    let forges = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().map(|c| if forges(c) { '\u{fffd}' } else { c }).collect()
}

/// A path as one field.
pub(crate) fn path(path: &Path) -> String {
    line(&path.display().to_string())
}

/// Something that is wrong, as `stud check`, `stud inspect` and `stud doctor` show it.
pub(crate) struct Problem<'a> {
    pub(crate) stage: Option<Stage>,
    pub(crate) message: &'a str,
    /// The place in the contract, as a JSON pointer.
    pub(crate) field: Option<&'a str>,
    pub(crate) remedy: Option<&'a str>,
}

/// The rest of a line that says what is wrong, and a line beneath it, indented so far, that says what to do.
pub(crate) fn problem(problem: &Problem<'_>, indent: usize) -> String {
    let stage = problem.stage.map(|stage| format!("[{stage}] ")).unwrap_or_default();
    let place = problem.field.map(|field| format!(" (at `{}`)", line(field))).unwrap_or_default();
    let hint = problem.remedy.map(|text| format!("{:indent$}hint: {}\n", "", line(text))).unwrap_or_default();
    format!("{stage}{}{place}\n{hint}", line(problem.message))
}

/// Text of several lines from files and plugins may hold terminal sequences: on a terminal they are shown, not obeyed.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}

/// Writes to standard output. A reader that went away ends the writing quietly.
pub(crate) fn out(text: &str) -> Result<Exit, Failure> {
    let mut stream = anstream::stdout().lock();
    finish(stream.write_all(text.as_bytes()).and_then(|()| stream.flush()))
}

/// Writes one JSON document to standard output, nothing else.
pub(crate) fn json(value: &impl Serialize) -> Result<Exit, Failure> {
    let mut text = serde_json::to_string_pretty(value).map_err(|error| {
        Failure::new(Exit::Error, format!("the result cannot be written as JSON: {error}"))
    })?;
    text.push('\n');
    let mut stream = crate::reserved::stream();
    finish(stream.write_all(text.as_bytes()).and_then(|()| stream.flush()))
}

fn finish(written: io::Result<()>) -> Result<Exit, Failure> {
    match written {
        Ok(()) => Ok(Exit::Done),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error) => Err(Failure::output(&error)),
    }
}

/// A table without lines: a header and columns.
pub(crate) fn table(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.to_vec());
    for row in rows {
        table.add_row(row.iter().map(|cell| line(cell)).collect::<Vec<_>>());
    }
    let mut text: String =
        table.to_string().lines().map(|line| format!("{}\n", line.trim().trim_end())).collect();
    if text.is_empty() {
        text.push('\n');
    }
    text
}
