//! What is checked is what is loaded: a private copy is made, its bytes are checked, and only it is opened.

use crate::diagnostic::{Diagnostic, Stage};
use crate::digest::Digest;
use crate::discover::MAX_LIBRARY;
use crate::manifest::{LibraryFacts, read_library};
use crate::{private_dir, regular_file};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use stud_contract::EmbeddedContract;

/// The directory of private copies, one per content.
#[derive(Debug, Clone)]
pub struct Staging {
    directory: PathBuf,
}

/// A library in the private directory whose bytes were read back, hashed and checked there. The only thing that the
/// loader accepts; there is no other way to make one.
#[derive(Debug)]
pub struct StagedCopy {
    path: PathBuf,
    digest: Digest,
    contract: EmbeddedContract,
}

impl StagedCopy {
    /// The copy.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The digest of its bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Holds the contract that stands in the copy against the one that decisions were made with: that one may come from
    /// the cache, which is never trusted with a decision.
    ///
    /// # Errors
    /// They differ.
    pub(crate) fn require_contract(&self, decided_with: &EmbeddedContract) -> Result<(), Diagnostic> {
        if self.contract == *decided_with {
            return Ok(());
        }
        let message = "the contract in the library is not the one that the cache remembers";
        Err(Diagnostic::new(Stage::Load, message, "remove the directory `cache` in ~/.stud"))
    }
}

impl Staging {
    /// Copies go to this directory, which is made when the first one is.
    #[must_use]
    pub fn new(directory: PathBuf) -> Staging {
        Staging { directory }
    }

    /// Copies a library that was seen with that digest. A file that has changed since is refused: it was not this one
    /// that was listed, trusted or shown.
    ///
    /// # Errors
    /// The file changed or cannot be read or copied, or the copy is no sound library.
    pub fn stage(&self, file: &Path, expected: Digest) -> Result<StagedCopy, Diagnostic> {
        let path = self.directory.join(format!("{expected}.{}", std::env::consts::DLL_EXTENSION));
        if let Some(copy) = self.reuse(&path, expected) {
            return Ok(copy);
        }
        let bytes = read_regular_file(file)?;
        let found = Digest::of(&bytes);
        if found != expected {
            let message = format!(
                "it changed while it was being loaded: {} was seen, {} is there",
                expected.short(),
                found.short()
            );
            return Err(Diagnostic::new(
                Stage::Load,
                message,
                "try again once it is no longer being written",
            )
            .file(file));
        }
        private_dir::create(&self.directory).map_err(|error| self.cannot_write(&error))?;
        self.require_private()?;
        private_dir::replace(&path, &bytes, false).map_err(|error| self.cannot_write(&error))?;
        self.verified(path, expected).map_err(|diagnostic| diagnostic.file(file))
    }

    /// A copy that another process of this program made, named by its path.
    ///
    /// # Errors
    /// It does not lie in this directory, or its bytes are not those that its name says.
    pub fn reopen(&self, path: &Path) -> Result<StagedCopy, Diagnostic> {
        let named =
            path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse::<Digest>().ok());
        match named {
            Some(expected) if path.parent() == Some(self.directory.as_path()) => {
                self.verified(path.to_owned(), expected)
            }
            _ => Err(Diagnostic::new(
                Stage::Load,
                "it is no private copy of this user's",
                "use `stud check FILE`",
            )
            .file(path)),
        }
    }

    /// A copy from an earlier run, if its bytes are still the right ones.
    fn reuse(&self, path: &Path, expected: Digest) -> Option<StagedCopy> {
        if !path.is_file() || self.require_private().is_err() {
            return None;
        }
        self.verified(path.to_owned(), expected).ok()
    }

    /// Reads the copy back and applies every check to what is really there.
    fn verified(&self, path: PathBuf, expected: Digest) -> Result<StagedCopy, Diagnostic> {
        let bytes = read_regular_file(&path)?;
        let LibraryFacts { digest, contract, .. } = read_library(&bytes)?;
        if digest != expected {
            let message = format!("the private copy `{}` has other bytes than were written", path.display());
            return Err(Diagnostic::new(Stage::Load, message, "remove that file"));
        }
        Ok(StagedCopy { path, digest, contract })
    }

    /// Whoever may write the directory, or the one above it, could swap a copy between its check and its opening.
    fn require_private(&self) -> Result<(), Diagnostic> {
        for directory in self.directory.ancestors().take(2) {
            let metadata = fs::metadata(directory).map_err(|error| self.cannot_write(&error))?;
            crate::ownership::check(directory, &metadata)?;
        }
        Ok(())
    }

    fn cannot_write(&self, error: &io::Error) -> Diagnostic {
        let message = format!("no private copy can be made in `{}`: {error}", self.directory.display());
        Diagnostic::new(Stage::Load, message, "make room or set STUD_HOME to a directory that you can write")
    }
}

/// Reads a regular file as a whole without ever waiting for a pipe that took its place.
///
/// # Errors
/// It cannot be opened or read, is no regular file, or is too large.
pub fn read_regular_file(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let unreadable = |error: io::Error| {
        let remedy = match error.kind() {
            io::ErrorKind::NotFound => "check the path".to_owned(),
            io::ErrorKind::PermissionDenied => format!("chmod u+r '{}'", path.display()),
            io::ErrorKind::InvalidInput | io::ErrorKind::FileTooLarge => "name a library file".to_owned(),
            _ => "check the disk and the file".to_owned(),
        };
        Diagnostic::new(Stage::Discovery, format!("it cannot be read: {error}"), remedy).file(path)
    };
    regular_file::read(path, MAX_LIBRARY).map_err(unreadable)
}
