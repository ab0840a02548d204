//! Replacing a file whole (W2): whoever looks sees the old content or the new one, never a part.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io;

use cap_std::fs::{Dir, Metadata};

use super::platform;

/// What the names of temporary files start with. They are removed when the operation fails; only the end of the
/// process can leave one behind, and then it may be deleted by anybody.
pub(super) const TEMPORARY_PREFIX: &str = ".stud-tmp-";

/// What may be replaced.
#[derive(Debug, Clone, Copy)]
pub(super) enum Replace<'a> {
    /// Nothing may be there: `AlreadyExists` otherwise.
    Nothing,
    /// Whatever is there by then; a new file gets what the umask leaves.
    Anything,
    /// This file, whose mode bits and owner are kept, even if its content has changed since.
    Like(&'a Metadata),
    /// This file, unless it has changed since.
    Unchanged(&'a Metadata),
}

/// Puts a new file in the place of `name`, with what `fill` writes into it. False: it had changed, nothing was done.
///
/// # Errors
///
/// Whatever the system says, or `fill`. Then the old file is untouched and no temporary file is left.
pub(super) fn install(
    dir: &Dir,
    name: &OsStr,
    what: Replace<'_>,
    fill: impl FnOnce(&mut fs::File) -> io::Result<()>,
) -> io::Result<bool> {
    let old = match what {
        Replace::Nothing | Replace::Anything => None,
        Replace::Like(old) | Replace::Unchanged(old) => Some(old),
    };
    let (temporary, mut file) = Temporary::create(dir, old.is_some())?;
    fill(&mut file)?;
    if let Some(old) = old {
        platform::copy_ownership_and_mode(&file, old)?;
    }
    // Without it a crash after the rename could leave an empty file where the old content was.
    file.sync_all()?;
    drop(file);
    match what {
        Replace::Nothing => platform::rename_new(dir, &temporary.name, name)?,
        Replace::Unchanged(old) if !same(dir, name, old) => return Ok(false),
        _ => dir.rename(&temporary.name, dir, name)?,
    }
    temporary.done();
    Ok(true)
}

fn same(dir: &Dir, name: &OsStr, old: &Metadata) -> bool {
    dir.symlink_metadata(name).is_ok_and(|now| platform::stamp(&now) == platform::stamp(old))
}

/// A temporary file that goes away unless it is renamed.
struct Temporary<'a> {
    dir: &'a Dir,
    name: OsString,
    renamed: bool,
}

impl<'a> Temporary<'a> {
    fn create(dir: &'a Dir, private: bool) -> io::Result<(Self, fs::File)> {
        let options = platform::temporary_options(private);
        loop {
            // Seeded by the system for each process and different each time. Only uniqueness matters: nobody can
            // make use of a guess, since an existing name is never opened.
            let random = RandomState::new().hash_one(std::process::id());
            let name = OsString::from(format!("{TEMPORARY_PREFIX}{random:016x}"));
            match dir.open_with(&name, &options) {
                Ok(file) => return Ok((Temporary { dir, name, renamed: false }, file.into_std())),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }

    fn done(mut self) {
        self.renamed = true;
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.renamed {
            // The operation has failed already, and that is the error worth reporting.
            let _ = self.dir.remove_file(&self.name);
        }
    }
}
