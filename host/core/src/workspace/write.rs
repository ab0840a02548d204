//! Writing: whole files, appending, directories.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use cap_std::fs::Metadata;

use super::atomic::{Replace, install};
use super::error::WorkspaceError;
use super::platform::{self, Access};
use super::read::EntryKind;
use super::root::Workspace;
use super::walk::{self, Place, Spot, Walk};

/// How to write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Create missing directories on the way. They stay if the write fails later.
    pub create_dirs: bool,
    /// Fail with `AlreadyExists` if anything is there, a link to nothing included.
    pub must_not_exist: bool,
}

/// What a write did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Where the file is, relative to the root, with no links left.
    pub path: PathBuf,
    /// There was no file before.
    pub created: bool,
    /// How many bytes were written.
    pub bytes: u64,
}

impl Workspace {
    /// Writes a whole file: a temporary file beside it, synced, then renamed over it. Through a link inside, the
    /// link's target is written and the link stays.
    ///
    /// An existing file keeps its permission bits and, as far as the system lets us, its owner and group; setuid,
    /// setgid, extended attributes and other hard links are not carried over. A new file honours the umask.
    ///
    /// # Errors
    ///
    /// `Escapes`, `NotFound` for a missing directory, `NotAFile`, `ReadOnly`, `AlreadyExists`, `Unstable`, `Io`. The old
    /// content is untouched then, and no temporary file is left.
    pub fn write(&self, path: &str, bytes: &[u8], options: WriteOptions) -> Result<Written, WorkspaceError> {
        self.changing(path, options.create_dirs, |spot, old| {
            let what = match old {
                Some(_) if options.must_not_exist => {
                    return Err(WorkspaceError::AlreadyExists { path: path.to_owned() });
                }
                Some(old) => Replace::Like(old),
                None if options.must_not_exist && spot.through_link => {
                    return Err(WorkspaceError::AlreadyExists { path: path.to_owned() });
                }
                None if options.must_not_exist => Replace::Nothing,
                None => Replace::Anything,
            };
            install(&spot.dir, &spot.name, what, |file| file.write_all(bytes))
                .map_err(|e| WorkspaceError::from_io(path, "write", e))?;
            Ok(Some(written(spot, old, bytes)))
        })
    }

    /// Adds to the end of a file, or creates it.
    ///
    /// In place, at the end as it is at that moment: cheap for a file of any size, and other programs that have it
    /// open see it. What a failure left at the end is cut off again; only the end of the process in between can leave
    /// a part. A file with more than one hard link is replaced by a longer copy instead, which costs its size.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn append(&self, path: &str, bytes: &[u8], create_dirs: bool) -> Result<Written, WorkspaceError> {
        let fail = |error| WorkspaceError::from_io(path, "append to", error);
        self.changing(path, create_dirs, |spot, old| {
            let Some(old) = old else {
                // If somebody else creates it in between, theirs is appended to on the next attempt.
                return match install(&spot.dir, &spot.name, Replace::Nothing, |file| file.write_all(bytes)) {
                    Ok(_) => Ok(Some(written(spot, None, bytes))),
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(None),
                    Err(e) => Err(fail(e)),
                };
            };
            if platform::link_count(old) > 1 {
                let opened = platform::open_file(&spot.dir, &spot.name, Access::Read).map_err(fail)?;
                let Some((before, metadata)) = opened else { return Ok(None) };
                let longer = install(&spot.dir, &spot.name, Replace::Unchanged(&metadata), |file| {
                    io::copy(&mut before.into_std(), file)?;
                    file.write_all(bytes)
                });
                return Ok(longer.map_err(fail)?.then(|| written(spot, Some(old), bytes)));
            }
            let opened = platform::open_file(&spot.dir, &spot.name, Access::Append).map_err(fail)?;
            let Some((file, metadata)) = opened else { return Ok(None) };
            if platform::link_count(&metadata) > 1 {
                return Ok(None);
            }
            append_or_cut_back(&mut file.into_std(), bytes).map_err(fail)?;
            Ok(Some(written(spot, Some(old), bytes)))
        })
    }

    /// Creates a directory and those on the way to it; one that is there already is fine. Returns where it is,
    /// relative to the root, with no links left.
    ///
    /// # Errors
    ///
    /// `Escapes`, `NotADirectory` if something else is there or on the way, `Io`.
    pub fn create_dir_all(&self, path: &str) -> Result<PathBuf, WorkspaceError> {
        self.retrying(path, || match self.locate(path, Walk { follow_last: true, create_dirs: true })? {
            Place::Root => Ok(Some(PathBuf::new())),
            Place::Missing(_) => Ok(None),
            Place::At(Spot { seen: Some(seen), real, .. }) if seen.is_dir() => Ok(Some(real)),
            Place::At(Spot { seen: Some(_), .. }) => {
                Err(WorkspaceError::NotADirectory { path: path.to_owned() })
            }
            Place::At(spot) => {
                walk::create_dir(&spot.dir, &spot.name)
                    .map_err(|e| WorkspaceError::from_io(path, "create the directory", e))?;
                // Look at what is there now: it may be somebody else's file.
                Ok(None)
            }
        })
    }

    /// Runs a change of one regular file under its lock, with what is there now; again while it answers `None`.
    pub(super) fn changing<T>(
        &self,
        path: &str,
        create_dirs: bool,
        mut change: impl FnMut(&Spot<'_>, Option<&Metadata>) -> Result<Option<T>, WorkspaceError>,
    ) -> Result<T, WorkspaceError> {
        self.retrying(path, || {
            let spot = match self.locate(path, Walk { follow_last: true, create_dirs })? {
                Place::Root => return Err(WorkspaceError::not_a_file(path, EntryKind::Directory)),
                Place::Missing(_) => return Err(WorkspaceError::NotFound { path: path.to_owned() }),
                Place::At(spot) => spot,
            };
            let _changing = self.lock(&spot.real);
            let now = walk::found(spot.dir.symlink_metadata(&spot.name))
                .map_err(|e| WorkspaceError::from_io(path, "look at", e))?;
            match &now {
                Some(now) if now.is_symlink() => return Ok(None),
                Some(now) => {
                    spot.check_regular(path, now)?;
                    check_writable(path, &spot, now)?;
                }
                None if spot.must_be_dir => {
                    return Err(WorkspaceError::not_a_file(path, EntryKind::Directory));
                }
                None => {}
            }
            change(&spot, now.as_ref())
        })
    }
}

/// A rename asks nobody whether the file itself may be written, so we do.
fn check_writable(path: &str, spot: &Spot<'_>, now: &Metadata) -> Result<(), WorkspaceError> {
    if now.permissions().readonly() {
        return Err(WorkspaceError::ReadOnly { path: path.to_owned() });
    }
    match platform::open_file(&spot.dir, &spot.name, Access::Write) {
        // A program that is running cannot be written to, but replaced. What has vanished or turned into something
        // else is met again at the rename.
        Err(e) if !matches!(e.kind(), io::ErrorKind::ExecutableFileBusy | io::ErrorKind::NotFound) => {
            Err(WorkspaceError::from_io(path, "write", e))
        }
        _ => Ok(()),
    }
}

fn written(spot: &Spot<'_>, old: Option<&Metadata>, bytes: &[u8]) -> Written {
    Written { path: spot.real.clone(), created: old.is_none(), bytes: bytes.len() as u64 }
}

/// Appends everything, or takes back what it could append, unless another program has appended since.
fn append_or_cut_back(file: &mut fs::File, bytes: &[u8]) -> io::Result<()> {
    let before = file.metadata()?.len();
    let error = match file.write_all(bytes) {
        Ok(()) => return Ok(()),
        Err(error) => error,
    };
    let after = file.metadata()?.len();
    if after > before && after - before < bytes.len() as u64 {
        file.set_len(before)?;
    }
    Err(error)
}
