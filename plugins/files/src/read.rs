use crate::lines::Lines;
use crate::size::{counted, size};
use stud_plugin_api::prelude::*;

/// Lines returned when the model names no limit.
const DEFAULT_LINES: u64 = 2000;
/// Text returned at most, in bytes: some 16,000 tokens. It ends between two lines, where a cut made by the host would
/// take out the middle.
const MAX_TEXT: usize = 64 * 1024;
/// Characters shown of one line.
const MAX_LINE: usize = 2000;
/// How much is read beyond the cut to count the lines there: about a tenth of a second.
const MAX_COUNTED: u64 = 256 * 1024 * 1024;
/// How much of the beginning decides whether a file is binary; git looks at as much.
const PROBE: usize = 8000;

fn key(arguments: &read_file) -> String {
    stud_plugin_api::approval::parent_directory(&arguments.path)
}

/// Reads a text file, or a range of its lines. Each line comes as its number, a tab and its text; number and tab are
/// not part of the file. A note in brackets at the end says what was left out and how to go on.
#[tool(
    side_effects = "read",
    category = "files",
    approval_key = key,
    examples({"path": "src/main.rs"}, {"path": "server.log", "offset": 5000, "limit": 100})
)]
pub fn read_file(
    ctx: &Context,
    /// The file, relative to the workspace root.
    #[arg(alias("file", "filePath"))]
    path: String,
    /// The first line to read, counted from 1. Default 1.
    #[arg(min = 1)]
    offset: Option<u64>,
    /// How many lines to read at most. Default 2000.
    #[arg(min = 1)]
    limit: Option<u64>,
) -> Result<String> {
    let first = offset.unwrap_or(1).max(1);
    let limit = limit.unwrap_or(DEFAULT_LINES).max(1);
    let file = ctx.files().open(&path)?;
    let bytes = file.metadata().context(format_args!("`{path}`"))?.len();
    let mut part = Part { path: &path, bytes, lines: Lines::new(file), out: String::new(), crlf: false };
    let beginning = part.lines.peek()?;
    let beginning = &beginning[..beginning.len().min(PROBE)];
    // UTF-16 is full of NUL bytes: it has to be told apart first.
    if beginning.starts_with(b"\xFF\xFE") || beginning.starts_with(b"\xFE\xFF") {
        return Err(part.not_text("UTF-16 text"));
    }
    if beginning.contains(&0) {
        return Err(part.not_text("a binary file (it has NUL bytes)"));
    }
    if beginning.is_empty() {
        return if first == 1 { Ok(format!("[`{path}` is empty]")) } else { Err(beyond(&path, first, 0)) };
    }
    let skipped = part.lines.skip(first - 1, u64::MAX, || ctx.check_cancelled())?;
    if skipped.lines < first - 1 || part.lines.peek()?.is_empty() {
        return Err(beyond(&path, first, skipped.lines));
    }
    let shown = part.read(ctx, first, limit)?;
    part.finish(ctx, first, shown)
}

fn beyond(path: &str, first: u64, lines: u64) -> Error {
    let has = counted(lines, "line", "lines");
    Error::invalid(format!("`{path}` has {has}: offset {first} is beyond its end, use a smaller one"))
        .code("offset_beyond_end")
}

/// One file on its way into a text.
struct Part<'a> {
    path: &'a str,
    bytes: u64,
    lines: Lines<std::fs::File>,
    out: String,
    /// Whether a shown line ended in `\r\n`.
    crlf: bool,
}

impl Part<'_> {
    fn not_text(&self, what: &str) -> Error {
        Error::new(format!(
            "`{}` is {what}, {}: it is not shown; look at it with a program that knows the format, or convert it to \
             UTF-8 first",
            self.path,
            size(self.bytes)
        ))
        .code("not_text")
    }

    /// Appends lines until there are enough of them; says how many.
    fn read(&mut self, ctx: &Context, first: u64, limit: u64) -> Result<u64> {
        let mut line = Vec::new();
        let mut shown = 0;
        while shown < limit && self.out.len() < MAX_TEXT {
            // Four bytes are the longest character.
            let Some(length) = self.lines.next(&mut line, 4 * MAX_LINE, || ctx.check_cancelled())? else {
                break;
            };
            self.append(first + shown, &line, length)?;
            shown += 1;
            if shown % 256 == 0 {
                ctx.check_cancelled()?;
            }
        }
        Ok(shown)
    }

    fn append(&mut self, number: u64, line: &[u8], mut length: u64) -> Result<()> {
        let mut kept = line;
        if let Some(text) = kept.strip_suffix(b"\r") {
            self.crlf = true;
            kept = text;
            length -= 1;
        }
        if number == 1
            && let Some(text) = kept.strip_prefix("\u{FEFF}".as_bytes())
        {
            kept = text;
            length -= 3;
        }
        if kept.contains(&0) {
            return Err(self.not_text(&format!("a binary file (line {number} has NUL bytes)")));
        }
        let text = match std::str::from_utf8(kept) {
            Ok(text) => text,
            // The cut may have gone through a character.
            Err(error) if error.error_len().is_none() && (kept.len() as u64) < length => {
                std::str::from_utf8(&kept[..error.valid_up_to()])?
            }
            Err(_) => return Err(self.not_text(&format!("not UTF-8 text (see line {number})"))),
        };
        let end = text.char_indices().nth(MAX_LINE).map_or(text.len(), |(at, _)| at);
        self.out.push_str(&number.to_string());
        self.out.push('\t');
        self.out.push_str(&text[..end]);
        if (end as u64) < length {
            self.out.push_str(&format!("… [{} more in this line]", size(length - end as u64)));
        }
        self.out.push('\n');
        Ok(())
    }

    /// Adds what a reader has to know about the rest of the file.
    fn finish(mut self, ctx: &Context, first: u64, shown: u64) -> Result<String> {
        let last = first + shown - 1;
        let left = self.bytes.saturating_sub(self.lines.position());
        let rest = self.lines.skip(u64::MAX, MAX_COUNTED, || ctx.check_cancelled())?;
        let more = rest.lines > 0 || !rest.at_end;
        ctx.metadata("size", self.bytes);
        ctx.metadata("first_line", first);
        ctx.metadata("last_line", last);
        ctx.metadata("truncated", more);
        let mut notes = Vec::new();
        if more || first > 1 {
            notes.push(if rest.at_end {
                format!("lines {first}-{last} of {}", last + rest.lines)
            } else {
                format!("lines {first}-{last} of more than {}", last + rest.lines)
            });
        }
        if more {
            notes.push(format!("{} not shown", size(left)));
            notes.push(format!("go on with offset={}", last + 1));
        }
        if self.crlf {
            notes.push("line breaks are CRLF".to_owned());
        }
        if !notes.is_empty() {
            self.out.push_str(&format!("[{}]\n", notes.join("; ")));
        }
        Ok(self.out)
    }
}
