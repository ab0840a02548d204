//! Searching the content of files, one per thread at a time.

use crate::collect::{FileMatches, Matches};
use crate::row::Row;
use crate::scope::Scope;
use grep_matcher::{LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};
use ignore::overrides::Override;
use std::fs::File;
use std::io::{self, Read};
use stud_plugin_api::prelude::*;

/// The longest line, in bytes: a searcher holds a line as a whole. Longer ones are found in generated data only.
const MAX_LINE: usize = 64 * 1024 * 1024;

/// What to look for, and where.
pub(crate) struct Search {
    pub(crate) matcher: RegexMatcher,
    /// Lines shown before and after a match.
    pub(crate) context: usize,
    pub(crate) hidden: bool,
    pub(crate) globs: Option<Override>,
    /// Matching lines kept.
    pub(crate) cap: usize,
}

impl Search {
    /// Runs it.
    pub(crate) fn run(&self, scope: &Scope<'_>) -> Result<Matches> {
        let matches = Matches::new(self.cap);
        if let Some(path) = scope.file() {
            let mut worker = Worker::new(self, scope, &matches);
            // Asked for by name, so that a failure is an error and not a gap.
            worker.search(path, scope.ctx.files().open(path)?)?;
        } else {
            scope.walk(self.hidden, self.globs.clone(), || {
                let mut worker = Worker::new(self, scope, &matches);
                move |entry| {
                    if entry.file_type().is_some_and(|kind| kind.is_file()) {
                        worker.visit(entry);
                    }
                }
            });
        }
        scope.ctx.check_cancelled()?;
        Ok(matches)
    }
}

/// One thread's part. The searcher holds buffers that all its files share.
struct Worker<'a> {
    search: &'a Search,
    scope: &'a Scope<'a>,
    matches: &'a Matches,
    searcher: Searcher,
    searched: u64,
    binary: u64,
}

impl<'a> Worker<'a> {
    fn new(search: &'a Search, scope: &'a Scope<'a>, matches: &'a Matches) -> Worker<'a> {
        let searcher = SearcherBuilder::new()
            .line_terminator(LineTerminator::crlf())
            .line_number(true)
            .before_context(search.context)
            .after_context(search.context)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MAX_LINE))
            .build();
        Worker { search, scope, matches, searcher, searched: 0, binary: 0 }
    }

    fn visit(&mut self, entry: &ignore::DirEntry) {
        let Some(path) = self.scope.relative(entry.path()) else { return self.scope.note_unreadable() };
        // The host keeps the path inside the workspace, whatever happened to its directories since the walk saw them.
        let opened = self.scope.ctx.files().open(path);
        if !opened.is_ok_and(|file| self.search(path, file).is_ok()) {
            self.scope.note_unreadable();
        }
    }

    fn search(&mut self, path: &str, file: File) -> io::Result<()> {
        self.searched += 1;
        let mut sink = FileSink {
            search: self.search,
            matches: self.matches,
            path,
            wanted: None,
            found: FileMatches::default(),
            binary: false,
        };
        let reader = Stoppable { file, scope: self.scope };
        let outcome = self.searcher.search_reader(&self.search.matcher, reader, &mut sink);
        let FileSink { found, binary, .. } = sink;
        self.binary += u64::from(binary);
        if found.total > 0 {
            self.matches.add(path, found);
        }
        // A search that was stopped says so as a whole; the file is not to blame.
        if self.scope.incomplete() { Ok(()) } else { outcome }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.matches.count(self.searched, self.binary);
    }
}

/// A file that ends early when the search is over: the searcher itself would read gigabytes without asking.
struct Stoppable<'a> {
    file: File,
    scope: &'a Scope<'a>,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.scope.over() {
            Err(io::Error::other("the search was stopped"))
        } else {
            self.file.read(buffer)
        }
    }
}

/// What is found in one file.
struct FileSink<'a> {
    search: &'a Search,
    matches: &'a Matches,
    path: &'a str,
    /// Whether rows are kept; asked at the first match, so that files without one cost no lock.
    wanted: Option<bool>,
    found: FileMatches,
    binary: bool,
}

impl FileSink<'_> {
    fn keeps(&mut self) -> bool {
        *self.wanted.get_or_insert_with(|| self.matches.wants(self.path))
    }
}

impl Sink for FileSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.found.total += 1;
        if !self.matches.enough(&self.found) && self.keeps() {
            self.found.kept += 1;
            let line = found.bytes();
            let place = self.search.matcher.find(line)?.map_or(0, |place| place.start());
            self.found.push(Row::new(found.line_number().unwrap_or(0), Some(place), line));
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        // Lines before the first match come first: whether the file is wanted is settled by then too.
        let all_kept = self.found.total == self.found.kept as u64;
        let full = self.matches.enough(&self.found);
        let after = matches!(context.kind(), grep_searcher::SinkContextKind::After);
        if all_kept && (!full || after) && self.keeps() {
            self.found.push(Row::new(context.line_number().unwrap_or(0), None, context.bytes()));
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.binary = true;
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}
