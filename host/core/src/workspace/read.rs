//! Reading: bytes, text, what is there.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::time::SystemTime;

use cap_std::fs::Metadata;

use super::error::WorkspaceError;
use super::platform::{self, Access};
use super::root::Workspace;
use super::walk::{Place, Walk};

/// The most that is held in memory at once, in bytes: for a whole text, a patch, and one `read_bytes`. Ours to choose:
/// far above any source file, far below what would hurt the host with four calls at a time.
pub const MAX_TEXT_BYTES: u64 = 64 * 1024 * 1024;

/// What something in a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, wherever it leads.
    Symlink,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device.
    Device,
    /// Anything else.
    Other,
}

impl EntryKind {
    /// The word for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            EntryKind::File => "file",
            EntryKind::Directory => "directory",
            EntryKind::Symlink => "symlink",
            EntryKind::Pipe => "pipe",
            EntryKind::Socket => "socket",
            EntryKind::Device => "device",
            EntryKind::Other => "other",
        }
    }
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its name. One that is not UTF-8 has U+FFFD in it and cannot be given back as a path: see `addressable`.
    pub name: String,
    /// Links are not followed.
    pub kind: EntryKind,
    /// In bytes; of the link's text for a link.
    pub size: u64,
    /// False if `name` is only an approximation.
    pub addressable: bool,
}

/// What is known about a file or directory, links followed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileInfo {
    /// Where it is, relative to the root, with no links left; empty for the root.
    pub path: PathBuf,
    /// What it is; never `Symlink`.
    pub kind: EntryKind,
    /// In bytes.
    pub size: u64,
    /// When its content changed last, where the file system knows.
    pub modified: Option<SystemTime>,
    /// It is marked read-only: on Unix, nobody has the write bit.
    pub readonly: bool,
    /// The permission bits, on Unix.
    pub mode: Option<u32>,
}

impl Workspace {
    /// Opens a regular file for reading. Directories, pipes, sockets and devices are refused without waiting for
    /// them, by what the descriptor says.
    ///
    /// # Errors
    ///
    /// `Escapes`, `NotFound`, `NotAFile`, `NotADirectory` and the others of every path.
    pub fn open_file(&self, path: &str) -> Result<std::fs::File, WorkspaceError> {
        match self.open_plain(path) {
            Some(file) => Ok(file),
            None => Ok(self.open_existing(path, Access::Read)?.0.into_std()),
        }
    }

    /// Reads at most `max` bytes from `offset` on, or the rest of the file; beyond the end there is nothing. Costs
    /// what it returns, however large the file.
    ///
    /// # Errors
    ///
    /// As [`open_file`](Self::open_file), and `TooLarge` if it would return more than [`MAX_TEXT_BYTES`].
    pub fn read_bytes(&self, path: &str, offset: u64, max: Option<u64>) -> Result<Vec<u8>, WorkspaceError> {
        let (file, metadata) = self.open_existing(path, Access::Read)?;
        read_part(path, file.into_std(), metadata.len(), offset, max)
    }

    /// Reads a whole file as text, line breaks and byte order mark left as they are.
    ///
    /// # Errors
    ///
    /// As [`read_bytes`](Self::read_bytes), and `NotText` for a file with a NUL byte or that is not UTF-8.
    pub fn read_text(&self, path: &str) -> Result<String, WorkspaceError> {
        into_text(path, self.read_bytes(path, 0, None)?)
    }

    /// Tells whether something is there, links followed: a link to nothing does not exist.
    ///
    /// # Errors
    ///
    /// `Escapes` rather than an answer about the outside; `InvalidPath`, `TooManyLinks`, `Io`.
    pub fn exists(&self, path: &str) -> Result<bool, WorkspaceError> {
        match self.metadata(path) {
            Ok(_) => Ok(true),
            Err(WorkspaceError::NotFound { .. } | WorkspaceError::NotADirectory { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Tells what is there, links followed.
    ///
    /// # Errors
    ///
    /// `Escapes`, `NotFound`, `NotADirectory`, `InvalidPath`, `TooManyLinks`, `Io`.
    pub fn metadata(&self, path: &str) -> Result<FileInfo, WorkspaceError> {
        let (real, metadata) = match self.locate(path, Walk { follow_last: true, create_dirs: false })? {
            Place::Root => {
                let metadata = self.dir().dir_metadata();
                (PathBuf::new(), metadata.map_err(|e| WorkspaceError::from_io(path, "look at", e))?)
            }
            Place::At(spot) => match spot.seen {
                Some(seen) if spot.must_be_dir && !seen.is_dir() => {
                    return Err(WorkspaceError::NotADirectory { path: path.to_owned() });
                }
                Some(seen) => (spot.real, seen),
                None => return Err(WorkspaceError::NotFound { path: path.to_owned() }),
            },
            Place::Missing(_) => return Err(WorkspaceError::NotFound { path: path.to_owned() }),
        };
        Ok(info(real, &metadata))
    }

    /// The entries of a directory, sorted by name, byte by byte; links are listed as links. `.` is the root.
    ///
    /// # Errors
    ///
    /// `Escapes`, `NotFound`, `NotADirectory` and the others of every path.
    pub fn list(&self, path: &str) -> Result<Vec<Entry>, WorkspaceError> {
        let fail = |error| WorkspaceError::from_io(path, "list", error);
        let entries = self.retrying(path, || {
            match self.locate(path, Walk { follow_last: true, create_dirs: false })? {
                Place::Root => self.dir().entries().map(Some).map_err(fail),
                Place::Missing(_) => Err(WorkspaceError::NotFound { path: path.to_owned() }),
                Place::At(spot) => match platform::open_dir(&spot.dir, &spot.name) {
                    Ok(dir) => dir.entries().map(Some).map_err(fail),
                    // It was a directory when the walk looked, so somebody is swapping it.
                    Err(e)
                        if e.kind() == io::ErrorKind::NotADirectory
                            && spot.seen.is_some_and(|seen| seen.is_dir()) =>
                    {
                        Ok(None)
                    }
                    Err(e) => Err(fail(e)),
                },
            }
        })?;
        let mut list = Vec::new();
        for entry in entries {
            let entry = entry.map_err(fail)?;
            let metadata = match entry.metadata() {
                Ok(metadata) => metadata,
                // Deleted since the directory was read.
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                Err(e) => return Err(fail(e)),
            };
            let name = entry.file_name();
            list.push(Entry {
                addressable: name.to_str().is_some(),
                name: name.to_string_lossy().into_owned(),
                kind: platform::kind(metadata.file_type()),
                size: metadata.len(),
            });
        }
        list.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(list)
    }
}

fn info(path: PathBuf, metadata: &Metadata) -> FileInfo {
    FileInfo {
        path,
        kind: platform::kind(metadata.file_type()),
        size: metadata.len(),
        modified: metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
        readonly: metadata.permissions().readonly(),
        mode: platform::mode(metadata),
    }
}

/// Reads a part of an open file. `size` only sizes the buffer and the error: the file may be growing.
pub(super) fn read_part(
    path: &str,
    mut file: std::fs::File,
    size: u64,
    offset: u64,
    max: Option<u64>,
) -> Result<Vec<u8>, WorkspaceError> {
    let fail = |error| WorkspaceError::from_io(path, "read", error);
    let left = size.saturating_sub(offset);
    let wanted = max.map_or(left, |max| max.min(left));
    let too_large = |size| WorkspaceError::TooLarge { path: path.to_owned(), size, limit: MAX_TEXT_BYTES };
    if wanted > MAX_TEXT_BYTES {
        return Err(too_large(wanted));
    }
    if offset > 0 {
        match file.seek(SeekFrom::Start(offset)) {
            Ok(_) => {}
            // No file of this file system can be that long, so the offset is beyond the end of this one.
            Err(e) if e.kind() == io::ErrorKind::InvalidInput => return Ok(Vec::new()),
            Err(e) => return Err(fail(e)),
        }
    }
    let mut bytes = Vec::with_capacity(wanted as usize);
    // One more than allowed, to notice a file that is longer than it says.
    file.take(max.unwrap_or(u64::MAX).min(MAX_TEXT_BYTES + 1)).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MAX_TEXT_BYTES { Err(too_large(bytes.len() as u64)) } else { Ok(bytes) }
}

/// Takes bytes as text, or says where they stop being text.
pub(super) fn into_text(path: &str, bytes: Vec<u8>) -> Result<String, WorkspaceError> {
    let not_text = |offset: usize, binary| WorkspaceError::NotText {
        path: path.to_owned(),
        offset: offset as u64,
        binary,
    };
    if let Some(offset) = bytes.iter().position(|&byte| byte == 0) {
        return Err(not_text(offset, true));
    }
    String::from_utf8(bytes).map_err(|error| not_text(error.utf8_error().valid_up_to(), false))
}
