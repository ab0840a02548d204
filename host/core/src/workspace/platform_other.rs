//! The plain version for systems without Unix' calls. cap-std keeps each single name inside its directory there.

use std::ffi::OsStr;
use std::fs;
use std::io;

use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};

use super::read::EntryKind;

/// What an existing file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Append,
}

/// Opens a directory by one name, refusing a link in its place (`NotADirectory`).
///
/// Between the look and the opening a link may appear; cap-std then follows it only to a place inside `dir`.
pub(super) fn open_dir(dir: &Dir, name: &OsStr) -> io::Result<Dir> {
    if dir.symlink_metadata(name)?.is_dir() {
        dir.open_dir(name)
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

/// Opens an existing file by one name. `None`: a link, or something that is no file, sits in its place by now.
pub(super) fn open_file(dir: &Dir, name: &OsStr, access: Access) -> io::Result<Option<(File, Metadata)>> {
    if !dir.symlink_metadata(name)?.is_file() {
        return Ok(None);
    }
    let mut options = OpenOptions::new();
    match access {
        Access::Read => options.read(true),
        Access::Write => options.write(true),
        Access::Append => options.append(true),
    };
    let file = dir.open_with(name, &options)?;
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then_some((file, metadata)))
}

/// Options for a new temporary file; the directory's own access list decides who may read it.
pub(super) fn temporary_options(_private: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options
}

/// Nothing to copy: a read-only file is refused before, and access lists come from the directory.
pub(super) fn copy_ownership_and_mode(_file: &fs::File, _old: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Renames unless something has the new name: `AlreadyExists`.
pub(super) fn rename_new(dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    dir.hard_link(from, dir, to)?;
    dir.remove_file(from)
}

/// How many names the file has; unknown here, so it counts as many and is never changed in place.
pub(super) fn link_count(_metadata: &Metadata) -> u64 {
    u64::MAX
}

/// There are no mode bits.
pub(super) fn mode(_metadata: &Metadata) -> Option<u32> {
    None
}

/// Two equal stamps mean the same content, as far as length and time tell.
pub(super) fn stamp(metadata: &Metadata) -> impl PartialEq + use<> {
    (metadata.len(), metadata.modified().ok().map(cap_std::time::SystemTime::into_std))
}

/// What a directory entry is.
pub(super) fn kind(file_type: FileType) -> EntryKind {
    if file_type.is_file() {
        EntryKind::File
    } else if file_type.is_dir() {
        EntryKind::Directory
    } else if file_type.is_symlink() {
        EntryKind::Symlink
    } else {
        EntryKind::Other
    }
}

/// There is no such call here.
pub(super) fn open_without_links(_dir: &Dir, _path: &std::path::Path) -> Option<std::fs::File> {
    None
}
