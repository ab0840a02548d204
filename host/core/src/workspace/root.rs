//! The opened root directory, and the questions about paths that need no file.

use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cap_std::fs::Dir;

use super::error::WorkspaceError;
use super::path::{self, RelativePath, Step};
use super::platform::{self, Access};
use super::walk::{self, Place, Spot, Walk};

/// How often an operation starts over when another program changed the place while it was at work.
const RETRIES: usize = 64;

/// Enough that two files rarely share a lock; calls run four at a time (D4).
const LOCKS: usize = 32;

/// An opened workspace: one directory, and every file beneath it.
///
/// The directory is opened once; if it is renamed later, the workspace follows it. Any number of threads may use one
/// workspace. Changes to the same file through the same `Workspace` wait for each other, so that two patches at the
/// same time both take effect: share it, do not open one for each call. A run with another root (W3) opens another one.
pub struct Workspace {
    dir: Dir,
    root: PathBuf,
    /// The canonical root and the absolute spelling it was opened by: `/tmp/link/file` is inside although
    /// `/tmp/link` is a link to the root.
    spellings: Vec<PathBuf>,
    locks: [Mutex<()>; LOCKS],
}

/// The directory a command is to run in (W3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandDir {
    /// Absolute, inside the root, without links.
    pub path: PathBuf,
    /// The one that was asked for led outside, so it is the root instead; the result has to say so.
    pub brought_back: bool,
}

impl Workspace {
    /// Opens a root directory. Links in `root` itself are followed; a relative one starts at the current directory.
    ///
    /// # Errors
    ///
    /// `NotFound`, `NotADirectory` or `Io`, with the root as the path.
    pub fn open(root: &Path) -> Result<Workspace, WorkspaceError> {
        let fail = |error: io::Error| {
            let given = root.to_string_lossy();
            WorkspaceError::from_io(&given, "open the workspace", error)
        };
        let canonical = root.canonicalize().map_err(fail)?;
        let given = std::path::absolute(root).map_err(fail)?;
        let dir = Dir::open_ambient_dir(&canonical, cap_std::ambient_authority()).map_err(fail)?;
        let mut spellings = vec![canonical.clone()];
        if given != canonical {
            spellings.push(given);
        }
        Ok(Workspace { dir, root: canonical, spellings, locks: [const { Mutex::new(()) }; LOCKS] })
    }

    /// The canonical path of the root, as it was when the workspace was opened.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What a path means before any file is looked at: relative to the root, without `.` and doubled slashes.
    ///
    /// Accepted are relative paths and absolute ones that start with the root, in its canonical spelling or in the
    /// one it was opened by. A backslash is an ordinary character where it is not the system's separator; names are
    /// taken byte for byte, Unicode is not normalised. `..` stays in the path, see [`RelativePath`].
    ///
    /// # Errors
    ///
    /// `InvalidPath` for an empty path, a NUL, more than 4096 bytes or a name of more than 255; `Escapes` for another
    /// absolute path and for `..` that outnumber the names before them, even if a link could lead back inside.
    pub fn resolve(&self, path: &str) -> Result<RelativePath, WorkspaceError> {
        path::parse(path, &self.spellings)
    }

    /// Where a path leads, relative to the root, with all links followed; the empty path is the root. The file need
    /// not exist. For deciding about a path (A10): the operation itself walks again.
    ///
    /// # Errors
    ///
    /// `InvalidPath`, `Escapes`, `NotADirectory`, `TooManyLinks`, `Io`.
    pub fn real_path(&self, path: &str) -> Result<PathBuf, WorkspaceError> {
        Ok(match self.locate(path, Walk { follow_last: true, create_dirs: false })? {
            Place::Root => PathBuf::new(),
            Place::At(spot) => spot.real,
            Place::Missing(real) => real,
        })
    }

    /// The directory for a command that asked for `cwd` (W3): one outside the root becomes the root.
    ///
    /// # Errors
    ///
    /// `NotFound` or `NotADirectory` for one inside that cannot be used, `InvalidPath`, `Io`.
    pub fn command_dir(&self, cwd: &str) -> Result<CommandDir, WorkspaceError> {
        match self.locate(cwd, Walk { follow_last: true, create_dirs: false }) {
            Ok(Place::Root) => Ok(CommandDir { path: self.root.clone(), brought_back: false }),
            Ok(Place::At(Spot { seen: Some(seen), real, .. })) if seen.is_dir() => {
                Ok(CommandDir { path: self.root.join(real), brought_back: false })
            }
            Ok(Place::At(Spot { seen: Some(_), .. })) => {
                Err(WorkspaceError::NotADirectory { path: cwd.to_owned() })
            }
            Ok(Place::At(_) | Place::Missing(_)) => Err(WorkspaceError::NotFound { path: cwd.to_owned() }),
            Err(WorkspaceError::Escapes { .. }) => {
                Ok(CommandDir { path: self.root.clone(), brought_back: true })
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    pub(super) fn locate(&self, path: &str, how: Walk) -> Result<Place<'_>, WorkspaceError> {
        let relative = self.resolve(path)?;
        walk::locate(&self.dir, &self.spellings, path, &relative, how)
    }

    /// Opens a file for reading in one system call where the way to it has no links and no `..`: a search opens
    /// thousands. `None` says nothing about the file: the walk then finds out.
    pub(super) fn open_plain(&self, path: &str) -> Option<std::fs::File> {
        let relative = self.resolve(path).ok()?;
        let plain = !relative.must_be_dir && relative.steps.iter().all(|step| matches!(step, Step::Name(_)));
        plain.then(|| platform::open_without_links(&self.dir, &relative.to_path_buf()))?
    }

    /// Opens what is there for an operation on a regular file, which must exist.
    pub(super) fn open_existing(
        &self,
        path: &str,
        access: Access,
    ) -> Result<(cap_std::fs::File, cap_std::fs::Metadata), WorkspaceError> {
        self.retrying(path, || {
            let spot = match self.locate(path, Walk { follow_last: true, create_dirs: false })? {
                Place::Root => return Err(WorkspaceError::not_a_file(path, super::EntryKind::Directory)),
                Place::Missing(_) => return Err(WorkspaceError::NotFound { path: path.to_owned() }),
                Place::At(spot) => spot,
            };
            match &spot.seen {
                None => return Err(WorkspaceError::NotFound { path: path.to_owned() }),
                Some(seen) => spot.check_regular(path, seen)?,
            }
            platform::open_file(&spot.dir, &spot.name, access)
                .map_err(|e| WorkspaceError::from_io(path, "open", e))
        })
    }

    /// Runs `attempt` again while it answers `None`: the place changed under it.
    pub(super) fn retrying<T>(
        &self,
        path: &str,
        mut attempt: impl FnMut() -> Result<Option<T>, WorkspaceError>,
    ) -> Result<T, WorkspaceError> {
        for _ in 0..RETRIES {
            if let Some(done) = attempt()? {
                return Ok(done);
            }
        }
        Err(WorkspaceError::Unstable { path: path.to_owned() })
    }

    /// Keeps other changes through this workspace away from one file (and from some others, which only wait).
    pub(super) fn lock(&self, real: &Path) -> MutexGuard<'_, ()> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(real);
        let index = (hash % LOCKS as u64) as usize;
        // A panic elsewhere leaves no half-done state behind a lock: files change by rename.
        self.locks[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Spot<'_> {
    /// Refuses what is not a regular file, or was asked for as a directory.
    pub(super) fn check_regular(
        &self,
        path: &str,
        now: &cap_std::fs::Metadata,
    ) -> Result<(), WorkspaceError> {
        let kind = platform::kind(now.file_type());
        if kind != super::EntryKind::File {
            return Err(WorkspaceError::not_a_file(path, kind));
        }
        if self.must_be_dir {
            return Err(WorkspaceError::NotADirectory { path: path.to_owned() });
        }
        Ok(())
    }
}

impl WorkspaceError {
    pub(super) fn not_a_file(path: &str, found: super::EntryKind) -> Self {
        WorkspaceError::NotAFile { path: path.to_owned(), found }
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("root", &self.root).finish_non_exhaustive()
    }
}
