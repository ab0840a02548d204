//! Deleting.

use std::path::PathBuf;

use super::error::WorkspaceError;
use super::platform;
use super::read::EntryKind;
use super::root::Workspace;
use super::walk::{Place, Walk};

/// What was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// Where it was, relative to the root, with no links left on the way.
    pub path: PathBuf,
    /// What it was; a link is deleted itself, never what it leads to.
    pub kind: EntryKind,
}

impl Workspace {
    /// Deletes a file, a link, an empty directory, or with `recursive` a directory and all beneath it. Links beneath
    /// are deleted, not followed. What a recursive deletion that fails has deleted by then stays deleted.
    ///
    /// # Errors
    ///
    /// `IsRoot` for the root itself however it is named, `DirectoryNotEmpty`, `Escapes`, `NotFound`, `NotADirectory`
    /// for a file or a link with a slash behind it, `Io`.
    pub fn delete(&self, path: &str, recursive: bool) -> Result<Removed, WorkspaceError> {
        let spot = match self.locate(path, Walk { follow_last: false, create_dirs: false })? {
            Place::Root => return Err(WorkspaceError::IsRoot { path: path.to_owned() }),
            Place::Missing(_) => return Err(WorkspaceError::NotFound { path: path.to_owned() }),
            Place::At(spot) => spot,
        };
        let Some(seen) = &spot.seen else {
            return Err(WorkspaceError::NotFound { path: path.to_owned() });
        };
        let kind = platform::kind(seen.file_type());
        if spot.must_be_dir && kind != EntryKind::Directory {
            return Err(WorkspaceError::NotADirectory { path: path.to_owned() });
        }
        let _changing = self.lock(&spot.real);
        match kind {
            EntryKind::Directory if recursive => spot.dir.remove_dir_all(&spot.name),
            EntryKind::Directory => spot.dir.remove_dir(&spot.name),
            _ => spot.dir.remove_file(&spot.name),
        }
        .map_err(|e| WorkspaceError::from_io(path, "delete", e))?;
        Ok(Removed { path: spot.real, kind })
    }
}
