//! Replacing a unique string in a text file.
//!
//! Line breaks: models write `\n`, files may have `\r\n`. So as long as the text to replace holds no `\r`, each of
//! its `\n` matches `\r\n` as well, and a replacement without `\r` takes over the line breaks of the place: of the
//! text it replaces if that has one, else of the file's majority. Everything outside the match stays byte for byte. A
//! text with a `\r` in it speaks of bytes and is taken literally; so is a replacement with one.

use std::borrow::Cow;
use std::io::Write as _;
use std::path::PathBuf;

use super::atomic::{Replace, install};
use super::error::WorkspaceError;
use super::hints;
use super::platform::{self, Access};
use super::read::{into_text, read_part};
use super::root::Workspace;

/// How many line numbers an ambiguous patch lists.
const MAX_LINES_LISTED: usize = 20;

/// What a patch did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Patched {
    /// Where the file is, relative to the root, with no links left.
    pub path: PathBuf,
    /// The line on which the replaced text started, from 1.
    pub line: usize,
    /// The whole text before, for a diff or an undo.
    pub before: String,
    /// The whole text after.
    pub after: String,
}

impl Workspace {
    /// Replaces `old`, which must occur exactly once, by `new`, and writes the file as [`write`](Self::write) does.
    /// If another program changes the file in the meantime, the patch is made again on what is there then.
    ///
    /// How `\n` and `\r\n` are matched: see the head of this module's file; in short, a patch written with `\n` works
    /// on a file with `\r\n` and leaves it one.
    ///
    /// # Errors
    ///
    /// `EmptySearch`, `SameText`; `NoMatch` with the most similar lines, `NotUnique` with the line numbers; `NotText`,
    /// `TooLarge` above [`MAX_TEXT_BYTES`](super::MAX_TEXT_BYTES); and those of `write`. The file is untouched then.
    pub fn patch(&self, path: &str, old: &str, new: &str) -> Result<Patched, WorkspaceError> {
        if old.is_empty() {
            return Err(WorkspaceError::EmptySearch { path: path.to_owned() });
        }
        if old == new {
            return Err(WorkspaceError::SameText { path: path.to_owned() });
        }
        self.changing(path, false, |spot, existing| {
            if existing.is_none() {
                return Err(WorkspaceError::NotFound { path: path.to_owned() });
            }
            let opened = platform::open_file(&spot.dir, &spot.name, Access::Read)
                .map_err(|e| WorkspaceError::from_io(path, "read", e))?;
            let Some((file, metadata)) = opened else { return Ok(None) };
            let bytes = read_part(path, file.into_std(), metadata.len(), 0, None)?;
            let before = into_text(path, bytes)?;
            let (line, after) = match replace_unique(&before, old, new) {
                Ok(replaced) => replaced,
                Err(Mismatch::None) => {
                    return Err(WorkspaceError::NoMatch {
                        path: path.to_owned(),
                        near: hints::nearest(&before, old),
                    });
                }
                Err(Mismatch::Same) => return Err(WorkspaceError::SameText { path: path.to_owned() }),
                Err(Mismatch::Many { count, lines }) => {
                    return Err(WorkspaceError::NotUnique { path: path.to_owned(), count, lines });
                }
            };
            let unchanged = Replace::Unchanged(&metadata);
            let done = install(&spot.dir, &spot.name, unchanged, |file| file.write_all(after.as_bytes()))
                .map_err(|e| WorkspaceError::from_io(path, "write", e))?;
            Ok(done.then(|| Patched { path: spot.real.clone(), line, before, after }))
        })
    }
}

/// Why there is nothing to replace.
#[derive(Debug, PartialEq, Eq)]
enum Mismatch {
    None,
    /// The replacement is what is there already, line breaks included.
    Same,
    Many {
        count: usize,
        lines: Vec<usize>,
    },
}

/// The line and the new text.
fn replace_unique(text: &str, old: &str, new: &str) -> Result<(usize, String), Mismatch> {
    let literal = old.contains('\r') || !text.contains("\r\n");
    // A text in which every line ends in `\n`, for matching only.
    let view = if literal { Cow::Borrowed(text) } else { Cow::Owned(text.replace("\r\n", "\n")) };
    let at = find_unique(&view, old)?;
    let line = 1 + count_breaks(&view[..at]);

    let range =
        if literal { at..at + old.len() } else { in_original(text, at)..in_original(text, at + old.len()) };
    let (head, replaced, tail) = (&text[..range.start], &text[range.clone()], &text[range.end..]);
    let new =
        match literal || new.contains('\r') || !prefers_crlf(replaced).unwrap_or_else(|| mostly_crlf(text)) {
            true => Cow::Borrowed(new),
            false => Cow::Owned(new.replace('\n', "\r\n")),
        };
    if *new == *replaced { Err(Mismatch::Same) } else { Ok((line, [head, &new, tail].concat())) }
}

/// Where the only occurrence starts. Overlapping ones count: which of them would be meant is as unclear.
fn find_unique(text: &str, old: &str) -> Result<usize, Mismatch> {
    let first = text.find(old).ok_or(Mismatch::None)?;
    let step = old.chars().next().map_or(1, char::len_utf8);
    let (mut count, mut lines) = (0, Vec::new());
    let (mut line, mut counted_to, mut next) = (1, 0, Some(first));
    while let Some(at) = next {
        count += 1;
        if lines.len() < MAX_LINES_LISTED {
            line += count_breaks(&text[counted_to..at]);
            counted_to = at;
            lines.push(line);
        }
        next = text[at + step..].find(old).map(|further| at + step + further);
    }
    if count == 1 { Ok(first) } else { Err(Mismatch::Many { count, lines }) }
}

/// The place in `text` of a place in its view without the `\r` of `\r\n`.
fn in_original(text: &str, in_view: usize) -> usize {
    let mut passed = 0;
    for (at, _) in text.match_indices("\r\n") {
        // In the view the break sits at `at - passed`; a place up to there comes before this `\r`.
        if in_view <= at - passed {
            break;
        }
        passed += 1;
    }
    in_view + passed
}

/// How the first line break of a text is written, if it has one.
fn prefers_crlf(text: &str) -> Option<bool> {
    text.find('\n').map(|at| text[..at].ends_with('\r'))
}

fn mostly_crlf(text: &str) -> bool {
    text.matches("\r\n").count() * 2 > count_breaks(text)
}

fn count_breaks(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, old: &str, new: &str, after: &str) {
        assert_eq!(replace_unique(text, old, new).map(|(_, after)| after), Ok(after.to_owned()));
    }

    #[test]
    fn w1_patch_replaces_once_and_counts_lines_from_one() {
        assert_eq!(replace_unique("a\nb\nc\n", "b", "x\ny"), Ok((2, "a\nx\ny\nc\n".into())));
        assert_eq!(replace_unique("a\r\nb\r\nc\r\n", "b\nc", "x"), Ok((2, "a\r\nx\r\n".into())));
    }

    #[test]
    fn w1_patch_written_with_lf_works_on_crlf_and_leaves_it_crlf() {
        check("a\r\nb\r\nc\r\n", "a\nb\n", "1\n2\n3\n", "1\r\n2\r\n3\r\nc\r\n");
        check("a\r\nb\r\nc\r\n", "b", "1\n2", "a\r\n1\r\n2\r\nc\r\n");
        check("a\r\nb\r\nc\r\n", "\nb", "", "a\r\nc\r\n");
        check("a\r\nb\r\nc\r\n", "b\n", "", "a\r\nc\r\n");
    }

    #[test]
    fn w1_patch_in_mixed_files_follows_the_place_and_touches_nothing_else() {
        check("a\r\nb\nc\nd\n", "a\nb", "x\ny", "x\r\ny\nc\nd\n");
        check("a\r\nb\nc\nd\n", "b\nc", "x\ny", "a\r\nx\ny\nd\n");
        // No break in the match: the majority decides.
        check("a\r\nb\nc\nd\n", "c", "x\ny", "a\r\nb\nx\ny\nd\n");
        check("a\r\nb\r\nc\nd", "c", "x\ny", "a\r\nb\r\nx\r\ny\nd");
    }

    #[test]
    fn w1_patch_with_cr_is_literal() {
        check("a\r\nb\r\n", "a\r\n", "a\n", "a\nb\r\n");
        check("a\nb\n", "a", "x\r\ny", "x\r\ny\nb\n");
        check("a\r\nb\r\n", "b", "x\r\ny\n", "a\r\nx\r\ny\n\r\n");
        check("a\r\r\nb", "a\r\r\nb", "c", "c");
        assert_eq!(replace_unique("a\nb\n", "a\r\nb", "x"), Err(Mismatch::None));
        assert_eq!(replace_unique("a\r\nb", "a\nb", "a\r\nb"), Err(Mismatch::Same));
    }

    #[test]
    fn w1_patch_counts_overlaps_and_lists_lines() {
        assert_eq!(replace_unique("aaa", "aa", "b"), Err(Mismatch::Many { count: 2, lines: vec![1, 1] }));
        assert_eq!(
            replace_unique("é\né\nxé", "é", "b"),
            Err(Mismatch::Many { count: 3, lines: vec![1, 2, 3] })
        );
        let many = "x\r\n".repeat(50);
        let listed = (1..=MAX_LINES_LISTED).collect();
        assert_eq!(replace_unique(&many, "x\n", ""), Err(Mismatch::Many { count: 50, lines: listed }));
        assert_eq!(replace_unique("", "x", ""), Err(Mismatch::None));
    }
}
