//! Facts about library files that were read before, so that start-up neither hashes nor parses an unchanged file again.
//!
//! The key of the file cache is what the file system says about a file (size, times, inode); that is never trusted with
//! a decision: before a library is opened its bytes are hashed again. Descriptions are keyed by digest alone.

use crate::diagnostic::Diagnostic;
use crate::digest::Digest;
use crate::discover::Stamp;
use crate::manifest::{CORE_VERSION, LibraryFacts};
use crate::private_dir;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What reading a library file gave: its facts, or why it is refused. Both hold as long as the bytes do.
pub(crate) type Outcome = Result<LibraryFacts, Refused>;

/// A library that is refused for its bytes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Refused {
    pub(crate) digest: Digest,
    pub(crate) diagnostic: Diagnostic,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    stamp: Stamp,
    outcome: Outcome,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    /// Another version may check otherwise: its records do not count.
    written_by: String,
    files: HashMap<PathBuf, Record>,
}

/// The cache, read at start and written back when something changed.
#[derive(Debug)]
pub(crate) struct Cache {
    directory: PathBuf,
    files: HashMap<PathBuf, Record>,
    changed: bool,
}

/// What a plugin said about itself, or why its description is refused, for one content.
pub(crate) type Described = Result<Vec<u8>, Diagnostic>;

impl Cache {
    /// Reads the cache; one that is missing, broken or of another version is empty.
    pub(crate) fn read(directory: &Path) -> Cache {
        let stored: Option<Stored> =
            std::fs::read(file_cache(directory)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let files = stored
            .filter(|stored| stored.written_by == CORE_VERSION)
            .map(|stored| stored.files)
            .unwrap_or_default();
        Cache { directory: directory.to_owned(), files, changed: false }
    }

    pub(crate) fn get(&self, file: &Path, stamp: Stamp) -> Option<Outcome> {
        self.files.get(file).filter(|record| record.stamp == stamp).map(|record| record.outcome.clone())
    }

    pub(crate) fn put(&mut self, file: &Path, stamp: Stamp, outcome: Outcome) {
        // The cache is JSON, where a name that is not Unicode has no place: such a file is read anew each time.
        if file.to_str().is_none() {
            return;
        }
        self.files.insert(file.to_owned(), Record { stamp, outcome });
        self.changed = true;
    }

    /// Forgets files under these directories that are no longer there, and writes what changed. A home that cannot be
    /// written costs speed and nothing else.
    pub(crate) fn write(&mut self, layers: &[&Path], present: &dyn Fn(&Path) -> bool) {
        let before = self.files.len();
        self.files.retain(|file, _| present(file) || !layers.iter().any(|layer| file.starts_with(layer)));
        if !self.changed && self.files.len() == before {
            return;
        }
        let stored = Stored { written_by: CORE_VERSION.to_owned(), files: std::mem::take(&mut self.files) };
        if let Ok(bytes) = serde_json::to_vec(&stored) {
            let _ = private_dir::replace(&file_cache(&self.directory), &bytes, false);
        }
        self.files = stored.files;
        self.changed = false;
    }
}

fn file_cache(directory: &Path) -> PathBuf {
    directory.join("files.json")
}

/// A description as it is kept: the plugin's bytes, or why there are none.
#[derive(Serialize, Deserialize)]
struct StoredDescription<Raw> {
    written_by: String,
    outcome: Result<Raw, Diagnostic>,
}

/// The description of that content, if it was asked for before.
pub(crate) fn read_described(directory: &Path, digest: Digest) -> Option<Described> {
    let bytes = [true, false]
        .into_iter()
        .find_map(|sound| std::fs::read(described_file(directory, digest, sound)).ok())?;
    let stored: StoredDescription<Box<RawValue>> = serde_json::from_slice(&bytes).ok()?;
    (stored.written_by == CORE_VERSION).then(|| stored.outcome.map(|raw| raw.get().as_bytes().to_vec()))
}

/// Whether that content was described before and something was wrong: one look at a name, for start-up.
pub(crate) fn known_unsound(directory: &Path, digest: Digest) -> bool {
    described_file(directory, digest, false).exists()
}

/// Remembers a description, or why there is none; `sound` when every tool in it may be used.
pub(crate) fn write_described(directory: &Path, digest: Digest, described: &Described, sound: bool) {
    let outcome = match described {
        Ok(bytes) => match serde_json::from_slice::<&RawValue>(bytes) {
            Ok(raw) => Ok(raw),
            Err(_) => return,
        },
        Err(diagnostic) => Err(diagnostic.clone()),
    };
    if let Ok(bytes) = serde_json::to_vec(&StoredDescription { written_by: CORE_VERSION.to_owned(), outcome })
    {
        let _ = private_dir::replace(&described_file(directory, digest, sound), &bytes, false);
    }
}

fn described_file(directory: &Path, digest: Digest, sound: bool) -> PathBuf {
    let ending = if sound { "json" } else { "refused.json" };
    directory.join("descriptions").join(format!("{digest}.{ending}"))
}
