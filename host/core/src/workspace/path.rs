//! The lexical half of W1: from what a tool names to components relative to the root. It touches no file.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use super::error::WorkspaceError;

/// The longest path taken, in bytes: Linux' `PATH_MAX`. We could walk longer ones, but no other program could open
/// them again.
pub const MAX_PATH_BYTES: usize = 4096;

/// The longest single name taken, in bytes: `NAME_MAX` of all common file systems.
pub const MAX_NAME_BYTES: usize = 255;

/// One step of a path, relative to the directory reached so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Name(OsString),
    Up,
}

/// A path relative to the root, without empty and `.` components.
///
/// `..` after a name stays in it: what `a/..` means depends on whether `a` is a link, so it is settled while walking,
/// with directories in hand. `..` that outnumber the names before them are refused here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelativePath {
    pub(super) steps: Vec<Step>,
    /// It ends in a slash, `.` or `..`: whatever it names has to be a directory.
    pub(super) must_be_dir: bool,
}

impl RelativePath {
    /// True if it names the root itself without going anywhere.
    pub fn is_root(&self) -> bool {
        self.steps.is_empty()
    }

    /// The path as `/`-separated text; `.` for the root.
    pub fn to_path_buf(&self) -> PathBuf {
        if self.is_root() {
            return PathBuf::from(".");
        }
        self.steps
            .iter()
            .map(|step| match step {
                Step::Name(name) => Path::new(name),
                Step::Up => Path::new(".."),
            })
            .collect()
    }
}

impl fmt::Display for RelativePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_path_buf().display().fmt(f)
    }
}

/// Parses a path as a tool gives it. `roots` are the absolute spellings of the root that are accepted as prefixes.
pub(super) fn parse(path: &str, roots: &[PathBuf]) -> Result<RelativePath, WorkspaceError> {
    let invalid = |reason| WorkspaceError::InvalidPath { path: path.to_owned(), reason };
    if path.is_empty() {
        return Err(invalid("it is empty"));
    }
    if path.contains('\0') {
        return Err(invalid("it contains a NUL character"));
    }
    if path.len() > MAX_PATH_BYTES {
        return Err(invalid("it is longer than 4096 bytes"));
    }
    let escapes = || WorkspaceError::Escapes { path: path.to_owned() };
    let (_, steps) = split(Path::new(path), roots).ok_or_else(escapes)?;

    let mut depth = 0usize;
    for step in &steps {
        match step {
            Step::Up => depth = depth.checked_sub(1).ok_or_else(escapes)?,
            Step::Name(name) if name.len() > MAX_NAME_BYTES => {
                return Err(invalid("a name in it is longer than 255 bytes"));
            }
            Step::Name(_) => depth += 1,
        }
    }
    let last = path.rsplit(std::path::is_separator).next().unwrap_or_default();
    Ok(RelativePath { steps: steps.into(), must_be_dir: matches!(last, "" | "." | "..") })
}

/// Splits a path or the text of a link. The flag says that it starts at the root instead of the current directory;
/// `None` means that it is absolute and outside.
///
/// An absolute path is inside if it starts with one of `roots`, component by component. That comparison only chooses
/// where the walk starts: it always starts at the root's descriptor or below, whatever the text says.
pub(super) fn split(path: &Path, roots: &[PathBuf]) -> Option<(bool, VecDeque<Step>)> {
    // On Windows `C:x` and `\x` are neither absolute nor relative: both count as absolute and match no root.
    let rooted = matches!(path.components().next(), Some(Component::Prefix(_) | Component::RootDir));
    let inside = if rooted { roots.iter().find_map(|root| path.strip_prefix(root).ok())? } else { path };
    let mut steps = VecDeque::new();
    for component in inside.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => steps.push_back(Step::Up),
            Component::Normal(name) => steps.push_back(Step::Name(name.to_owned())),
            Component::Prefix(_) | Component::RootDir => return None,
        }
    }
    Some((rooted, steps))
}
