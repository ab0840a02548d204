//! Where a search goes, and when it stops.

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use stud_plugin_api::EntryKind;
use stud_plugin_api::prelude::*;

/// The part of the time until the deadline that a search may use: what was found by then is worth more than a timeout.
const SHARE_OF_DEADLINE: f64 = 0.8;

/// The place that a search was told to look at.
pub(crate) struct Scope<'a> {
    pub(crate) ctx: &'a Context,
    /// As the model wrote it.
    pub(crate) path: String,
    /// Whether it names one file: that is searched whatever the ignore rules say.
    pub(crate) is_file: bool,
    workspace: PathBuf,
    start: PathBuf,
    stop_at: Option<Instant>,
    stopped: AtomicBool,
    unreadable: AtomicU64,
}

impl<'a> Scope<'a> {
    /// Asks the host what is there, so that a path that leads outside is refused before anything is walked.
    pub(crate) fn new(ctx: &'a Context, path: &str) -> Result<Scope<'a>> {
        ctx.check_cancelled()?;
        let is_file = match ctx.files().stat(path)?.kind {
            EntryKind::Directory => false,
            EntryKind::File => true,
            _ => {
                let message =
                    format!("`{path}` is neither a file nor a directory: name one that can be searched");
                return Err(Error::new(message).code("not_a_file"));
            }
        };
        let workspace = ctx.workspace()?.to_owned();
        Ok(Scope {
            ctx,
            path: path.to_owned(),
            is_file,
            // Without `.` in it: globs and ignore rules compare paths by their bytes.
            start: workspace.join(path).components().collect(),
            workspace,
            stop_at: Instant::now().checked_add(ctx.remaining().mul_f64(SHARE_OF_DEADLINE)),
            stopped: AtomicBool::new(false),
            unreadable: AtomicU64::new(0),
        })
    }

    /// The path relative to the workspace; none when it is not UTF-8, or was written in a way that does not start with
    /// the root.
    pub(crate) fn relative<'p>(&self, path: &'p Path) -> Option<&'p str> {
        path.strip_prefix(&self.workspace).ok()?.to_str()
    }

    /// The path below the directory that is searched.
    pub(crate) fn below<'p>(&self, path: &'p Path) -> Option<&'p str> {
        path.strip_prefix(&self.start).ok()?.to_str()
    }

    /// The single file's path, for the host: as the walk would write it, where it can be written so.
    pub(crate) fn file(&self) -> Option<&str> {
        self.is_file.then(|| self.relative(&self.start).unwrap_or(&self.path))
    }

    /// Whether to give up: cancelled, or the time is used up.
    pub(crate) fn over(&self) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return true;
        }
        let over = self.ctx.cancelled() || self.stop_at.is_some_and(|at| Instant::now() >= at);
        if over {
            self.stopped.store(true, Ordering::Relaxed);
        }
        over
    }

    /// Whether the search ended before it had seen everything.
    pub(crate) fn incomplete(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    pub(crate) fn note_unreadable(&self) {
        self.unreadable.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn unreadable(&self) -> u64 {
        self.unreadable.load(Ordering::Relaxed)
    }

    /// Walks the directory on several threads; `make` makes what one thread does with each entry that is no directory.
    pub(crate) fn walk<V>(&self, hidden: bool, globs: Option<Override>, make: impl Fn() -> V)
    where
        V: FnMut(&DirEntry) + Send,
    {
        let mut builder = WalkBuilder::new(&self.start);
        builder.hidden(!hidden).follow_links(false).current_dir(&self.workspace);
        if let Some(globs) = globs {
            builder.overrides(globs);
        }
        if hidden {
            // Nobody means the object store of git by "hidden files".
            builder.filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
        }
        builder.build_parallel().run(|| {
            let mut visit = make();
            Box::new(move |entry| {
                if self.over() {
                    return WalkState::Quit;
                }
                match entry {
                    Ok(entry) => {
                        if entry.file_type().is_some_and(|kind| !kind.is_dir()) {
                            visit(&entry);
                        }
                    }
                    // A directory that may not be read, or was deleted meanwhile.
                    Err(_) => self.note_unreadable(),
                }
                WalkState::Continue
            })
        });
    }

    /// The filter for a glob as ripgrep's `-g` takes it: relative to the workspace, `!` in front excludes.
    pub(crate) fn filter(&self, glob: &str) -> Result<Override> {
        let mut builder = OverrideBuilder::new(&self.workspace);
        let added = builder.add(glob).and_then(|builder| builder.build());
        added.map_err(|error| bad_glob(glob, &error.to_string()))
    }
}

/// The error for something that is no glob.
pub(crate) fn bad_glob(glob: &str, why: &str) -> Error {
    Error::invalid(format!("`{glob}` is no glob: {why}; write one like `*.rs` or `src/**/*.{{ts,tsx}}`"))
        .code("invalid_glob")
}
