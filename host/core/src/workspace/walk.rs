//! The other half of W1: from the components of a path to an open directory and the last name in it.
//!
//! The walk opens one component at a time, relative to the directory before it, and never follows a link by opening
//! it: it reads the link and puts its components in front of the rest. The kernel's own beneath-only lookup would
//! save some calls, but refuses absolute links even to places inside and cannot say where a link ended.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, Metadata};

use super::error::WorkspaceError;
use super::path::{RelativePath, Step, split};
use super::platform;

/// As many links as Linux follows in one path.
const MAX_LINKS: usize = 40;

/// An end for walks that would otherwise go on while another program keeps swapping directories, and for paths made
/// of `..` to be slow. The longest honest path has some two thousand components.
const MAX_OPENS: usize = 16_384;

/// The root's own descriptor, or one below it.
pub(super) enum Handle<'a> {
    Root(&'a Dir),
    Below(Dir),
}

impl Deref for Handle<'_> {
    type Target = Dir;

    fn deref(&self) -> &Dir {
        match self {
            Handle::Root(dir) => dir,
            Handle::Below(dir) => dir,
        }
    }
}

/// A name in an open directory: all that an operation needs.
pub(super) struct Spot<'a> {
    pub(super) dir: Handle<'a>,
    pub(super) name: OsString,
    /// Where that is, relative to the root, with no links left.
    pub(super) real: PathBuf,
    /// What was seen there, if anything. For a decision use a descriptor, or look again.
    pub(super) seen: Option<Metadata>,
    /// The path as given ended in a link, which was followed.
    pub(super) through_link: bool,
    /// The path as given asks for a directory.
    pub(super) must_be_dir: bool,
}

/// Where a path leads.
#[allow(clippy::large_enum_variant, reason = "one value a call, taken apart at once: a box would only cost")]
pub(super) enum Place<'a> {
    /// To the root itself.
    Root,
    /// To a name, which may or may not exist.
    At(Spot<'a>),
    /// Through a directory that does not exist; the path says where it would be.
    Missing(PathBuf),
}

/// How to walk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    /// Follow a link that is the last component.
    pub(super) follow_last: bool,
    /// Create the directories on the way.
    pub(super) create_dirs: bool,
}

/// Walks from the root.
pub(super) fn locate<'a>(
    root: &'a Dir,
    roots: &[PathBuf],
    given: &str,
    path: &RelativePath,
    how: Walk,
) -> Result<Place<'a>, WorkspaceError> {
    let fail = |action, error| WorkspaceError::from_io(given, action, error);
    let mut rest: VecDeque<Step> = path.steps.iter().cloned().collect();
    let mut dir = Handle::Root(root);
    // The names of the directories gone through: none of them was a link.
    let mut real: Vec<OsString> = Vec::new();
    let mut links = 0;
    let mut through_link = false;

    for _ in 0..MAX_OPENS {
        let name = match rest.pop_front() {
            None if real.is_empty() => return Ok(Place::Root),
            // A link to `.` was the last component: what counts is the directory it is in.
            None => {
                dir = start_over(root, &mut real, &mut rest);
                continue;
            }
            Some(Step::Up) => {
                if real.pop().is_none() {
                    return Err(WorkspaceError::Escapes { path: given.to_owned() });
                }
                dir = start_over(root, &mut real, &mut rest);
                continue;
            }
            Some(Step::Name(name)) => name,
        };
        let last = rest.is_empty();

        let link = if last {
            let seen = found(dir.symlink_metadata(&name)).map_err(|e| fail("look at", e))?;
            match &seen {
                Some(metadata) if metadata.is_symlink() && how.follow_last => dir.read_link_contents(&name),
                _ => {
                    let real = real.iter().chain([&name]).collect();
                    let must_be_dir = path.must_be_dir;
                    return Ok(Place::At(Spot { dir, name, real, seen, through_link, must_be_dir }));
                }
            }
        } else {
            match platform::open_dir(&dir, &name) {
                Ok(next) => {
                    dir = Handle::Below(next);
                    real.push(name);
                    continue;
                }
                Err(e) if e.kind() == io::ErrorKind::NotFound && how.create_dirs => {
                    create_dir(&dir, &name).map_err(|e| fail("create a directory for", e))?;
                    rest.push_front(Step::Name(name));
                    continue;
                }
                Err(e) if e.kind() == io::ErrorKind::NotFound => {
                    return would_be(real, name, rest)
                        .map(Place::Missing)
                        .ok_or_else(|| WorkspaceError::Escapes { path: given.to_owned() });
                }
                Err(e) if e.kind() == io::ErrorKind::NotADirectory => dir.read_link_contents(&name),
                Err(e) => return Err(fail("open a directory of", e)),
            }
        };

        match link {
            Ok(target) => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(WorkspaceError::TooManyLinks { path: given.to_owned() });
                }
                through_link |= last;
                let (from_root, steps) = split(&target, roots)
                    .ok_or_else(|| WorkspaceError::Escapes { path: given.to_owned() })?;
                if from_root {
                    dir = Handle::Root(root);
                    real.clear();
                }
                for step in steps.into_iter().rev() {
                    rest.push_front(step);
                }
            }
            // It was a link a moment ago, or it is a directory by now: look again. (InvalidInput: not a link.)
            Err(e) if e.kind() == io::ErrorKind::NotFound => rest.push_front(Step::Name(name)),
            Err(e) if e.kind() == io::ErrorKind::InvalidInput => {
                let now = found(dir.symlink_metadata(&name)).map_err(|e| fail("look at", e))?;
                if !last && now.is_some_and(|now| !now.is_dir() && !now.is_symlink()) {
                    return Err(WorkspaceError::NotADirectory { path: given.to_owned() });
                }
                rest.push_front(Step::Name(name));
            }
            Err(e) => return Err(fail("read a link of", e)),
        }
    }
    Err(WorkspaceError::TooManyLinks { path: given.to_owned() })
}

/// Goes to where the walk is by walking down again. The kernel's `..` would lead out of a directory that has been moved.
fn start_over<'a>(root: &'a Dir, real: &mut Vec<OsString>, rest: &mut VecDeque<Step>) -> Handle<'a> {
    for name in real.drain(..).rev() {
        rest.push_front(Step::Name(name));
    }
    Handle::Root(root)
}

/// `None` instead of an error if there is nothing.
pub(super) fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// Creates a directory; one that somebody else just created is as good.
pub(super) fn create_dir(dir: &Dir, name: impl AsRef<Path>) -> io::Result<()> {
    match dir.create_dir(name) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        done => done,
    }
}

/// Where a path would lead that goes on below a missing directory; no links can be there. `None`: outside.
fn would_be(mut real: Vec<OsString>, missing: OsString, rest: VecDeque<Step>) -> Option<PathBuf> {
    real.push(missing);
    for step in rest {
        match step {
            Step::Name(name) => real.push(name),
            Step::Up => drop(real.pop()?),
        }
    }
    Some(real.iter().collect())
}
