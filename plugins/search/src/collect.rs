//! What several threads find, in an order that does not depend on them, within bounds.

use crate::row::Row;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Text kept at most, in bytes: some 16,000 tokens. The last file may go beyond it by a row and its context.
pub(crate) const MAX_TEXT: usize = 64 * 1024;

/// Keeps the rows of the first files by path, as many files as it takes for `cap` matches or [`MAX_TEXT`], and counts
/// all of them.
pub(crate) struct Matches {
    cap: usize,
    inner: Mutex<MatchesInner>,
}

#[derive(Default)]
struct MatchesInner {
    files: BTreeMap<String, FileMatches>,
    kept: usize,
    bytes: usize,
    totals: Totals,
}

/// The matches of one file, the first ones with their rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileMatches {
    pub(crate) rows: Vec<Row>,
    /// How many of the rows are matches.
    pub(crate) kept: usize,
    /// How much text the rows have.
    bytes: usize,
    /// How many matching lines there are.
    pub(crate) total: u64,
}

impl FileMatches {
    pub(crate) fn push(&mut self, row: Row) {
        self.bytes += row.text.len();
        self.rows.push(row);
    }
}

/// All that was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Lines that match.
    pub(crate) lines: u64,
    /// Files with such lines.
    pub(crate) files: u64,
    /// Files looked at.
    pub(crate) searched: u64,
    /// Files skipped, or left in the middle, because they are binary.
    pub(crate) binary: u64,
}

impl Matches {
    pub(crate) fn new(cap: usize) -> Matches {
        Matches { cap, inner: Mutex::default() }
    }

    pub(crate) fn cap(&self) -> usize {
        self.cap
    }

    /// Whether these rows fill a result by themselves.
    pub(crate) fn enough(&self, found: &FileMatches) -> bool {
        self.fills(found.kept, found.bytes)
    }

    fn fills(&self, kept: usize, bytes: usize) -> bool {
        kept >= self.cap || bytes >= MAX_TEXT
    }

    fn lock(&self) -> MutexGuard<'_, MatchesInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether rows of this file could be among those kept. Once it is not, it never is again.
    pub(crate) fn wants(&self, path: &str) -> bool {
        let inner = self.lock();
        !self.fills(inner.kept, inner.bytes)
            || inner.files.last_key_value().is_some_and(|(last, _)| path < last.as_str())
    }

    pub(crate) fn add(&self, path: &str, found: FileMatches) {
        let mut inner = self.lock();
        inner.totals.lines += found.total;
        inner.totals.files += 1;
        if found.kept == 0 {
            return;
        }
        inner.kept += found.kept;
        inner.bytes += found.bytes;
        inner.files.insert(path.to_owned(), found);
        while let Some(last) = inner.files.last_entry() {
            let (kept, bytes) = (last.get().kept, last.get().bytes);
            if !self.fills(inner.kept - kept, inner.bytes - bytes) {
                break;
            }
            inner.files.pop_last();
            inner.kept -= kept;
            inner.bytes -= bytes;
        }
    }

    /// Adds what one thread counted.
    pub(crate) fn count(&self, searched: u64, binary: u64) {
        let mut inner = self.lock();
        inner.totals.searched += searched;
        inner.totals.binary += binary;
    }

    pub(crate) fn finish(self) -> (BTreeMap<String, FileMatches>, Totals) {
        let inner = self.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        (inner.files, inner.totals)
    }
}

/// Keeps the first `cap` paths, and counts all of them.
pub(crate) struct Paths {
    cap: usize,
    inner: Mutex<(BinaryHeap<String>, u64)>,
}

impl Paths {
    pub(crate) fn new(cap: usize) -> Paths {
        Paths { cap, inner: Mutex::default() }
    }

    pub(crate) fn add(&self, path: &str) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let (paths, total) = &mut *inner;
        *total += 1;
        if paths.len() < self.cap {
            paths.push(path.to_owned());
        } else if let Some(mut last) = paths.peek_mut()
            && path < last.as_str()
        {
            *last = path.to_owned();
        }
    }

    /// The paths in order, and how many there were.
    pub(crate) fn finish(self) -> (Vec<String>, u64) {
        let (paths, total) = self.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        (paths.into_sorted_vec(), total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(kept: usize, total: u64) -> FileMatches {
        let row = Row { line: 1, is_match: true, text: String::new() };
        FileMatches { rows: vec![row; kept], kept, bytes: 0, total }
    }

    #[test]
    fn b_the_first_files_by_path_are_kept_whatever_the_order_of_arrival() {
        let all = [("a", 2), ("b", 3), ("c", 1), ("d", 5), ("e", 1)];
        for start in 0..all.len() {
            for step in [1, 2, 3, 4] {
                let matches = Matches::new(4);
                for i in 0..all.len() {
                    let (path, count) = all[(start + i * step) % all.len()];
                    let kept = if matches.wants(path) { count } else { 0 };
                    matches.add(path, file(kept, count as u64));
                }
                let (files, totals) = matches.finish();
                assert_eq!(
                    files.keys().map(String::as_str).collect::<Vec<_>>(),
                    ["a", "b"],
                    "{start} {step}"
                );
                assert_eq!((totals.lines, totals.files), (12, 5));
            }
        }
    }

    #[test]
    fn b_the_first_paths_are_kept() {
        let paths = Paths::new(2);
        ["d", "b", "c", "a", "e"].iter().for_each(|path| paths.add(path));
        assert_eq!(paths.finish(), (vec!["a".to_owned(), "b".to_owned()], 5));
    }
}
