//! Results as text.

use crate::collect::{FileMatches, MAX_TEXT, Matches, Totals};
use crate::scope::Scope;
use std::collections::BTreeMap;

/// How matches are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// `path:line:text`, and `path-line-text` for lines beside a match, as grep writes them.
    Flat,
    /// The path once, then the lines below it.
    Grouped,
}

/// The text of a result, with what was left out.
pub(crate) fn render(scope: &Scope<'_>, matches: Matches, layout: Layout, context: bool) -> String {
    let cap = matches.cap();
    let (files, totals) = matches.finish();
    let (mut out, shown) = rows(&files, cap, layout, context);
    scope.ctx.metadata("matches", totals.lines);
    scope.ctx.metadata("files", totals.files);
    scope.ctx.metadata("shown", shown);
    scope.ctx.metadata("complete", !scope.incomplete());
    let notes = notes(scope, &totals, shown, shown >= cap as u64);
    out.push_str(&format!("[{}]\n", notes.join("; ")));
    out
}

/// The rows, and how many of them are matches.
fn rows(files: &BTreeMap<String, FileMatches>, cap: usize, layout: Layout, context: bool) -> (String, u64) {
    let mut out = String::new();
    let mut shown = 0u64;
    'files: for (path, found) in files {
        let path = one_line(path);
        let mut last = None;
        for row in &found.rows {
            // Context behind the last match that fits still belongs to it.
            let full = shown >= cap as u64 || out.len() >= MAX_TEXT;
            if full && (row.is_match || last.is_none() || last.is_some_and(|last| last + 1 < row.line)) {
                break 'files;
            }
            if layout == Layout::Grouped && last.is_none() {
                out.push_str(&format!("{path} ({})\n", found.total));
            }
            let gap = last.map_or(!out.is_empty(), |last| last + 1 < row.line);
            if context && layout == Layout::Flat && gap {
                out.push_str("--\n");
            }
            shown += u64::from(row.is_match);
            last = Some(row.line);
            match layout {
                Layout::Flat => {
                    let mark = if row.is_match { ':' } else { '-' };
                    out.push_str(&format!("{path}{mark}{}{mark}{}\n", row.line, row.text));
                }
                Layout::Grouped => out.push_str(&format!("  {}: {}\n", row.line, row.text.trim_start())),
            }
        }
    }
    (out, shown)
}

/// `by_count` says that it was `max_results` and not the length of the text that ended the rows.
fn notes(scope: &Scope<'_>, totals: &Totals, shown: u64, by_count: bool) -> Vec<String> {
    let at_least = if scope.incomplete() { "at least " } else { "" };
    let place = if scope.path == "." { "the workspace".to_owned() } else { format!("`{}`", scope.path) };
    let lines = plural(totals.lines, "matching line", "matching lines");
    let files = plural(totals.files, "file", "files");
    let mut notes = Vec::new();
    if totals.lines == 0 {
        let searched = plural(totals.searched, "file", "files");
        notes.push(format!("no match in {place}, {searched} searched"));
    } else if shown < totals.lines {
        let remedy = if by_count { "narrow the search, or raise max_results" } else { "narrow the search" };
        notes.push(format!("{shown} of {at_least}{lines} in {files} shown: {remedy}"));
    } else {
        notes.push(format!("{at_least}{lines} in {files}"));
    }
    if scope.incomplete() {
        notes.push(
            "stopped before the end, because the time was nearly up: search a smaller directory".to_owned(),
        );
    }
    if totals.binary > 0 && (totals.lines == 0 || scope.is_file) {
        notes.push(format!("{} skipped", plural(totals.binary, "binary file", "binary files")));
    }
    if scope.unreadable() > 0 {
        notes.push(format!("{} could not be read", plural(scope.unreadable(), "file", "files")));
    }
    notes
}

/// `1 file`, `2 files`.
pub(crate) fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A path that cannot pass for two lines.
pub(crate) fn one_line(path: &str) -> String {
    path.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}
