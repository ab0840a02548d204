use crate::diagnostic::Diagnostic;
use crate::digest::Digest;
use crate::private_dir;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// `trust.toml`: the projects that were trusted, by canonical path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustStore {
    #[serde(default)]
    projects: BTreeMap<String, ProjectTrust>,
}

/// What one project was trusted with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectTrust {
    /// By file, or as a whole.
    #[serde(default)]
    pub trust: TrustMode,
    /// Whether its looser configuration counts: a grant of its own.
    #[serde(default)]
    pub relax: bool,
    /// The trusted files, relative to `.stud`, with the digest that was shown.
    #[serde(default)]
    pub files: BTreeMap<String, Digest>,
}

/// How changes are taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustMode {
    /// A changed or new file is untrusted until it is confirmed.
    #[default]
    Files,
    /// Whatever lies there is trusted: for one's own work.
    Path,
}

/// Why the trust file cannot be used. Nothing of a project is trusted then.
#[derive(Debug)]
pub struct TrustError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl fmt::Display for TrustError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.file.display(), self.message)
    }
}

impl std::error::Error for TrustError {}

impl TrustStore {
    /// Reads the file; one that is missing trusts nothing.
    ///
    /// # Errors
    /// It cannot be read, is not valid, or others may write it.
    pub fn read(file: &Path) -> Result<TrustStore, TrustError> {
        let wrong = |message: String, remedy: &str| TrustError {
            file: file.to_owned(),
            message,
            remedy: remedy.to_owned(),
        };
        let metadata = match std::fs::metadata(file) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(TrustStore::default()),
            Err(error) => return Err(wrong(format!("it cannot be read: {error}"), "check its permissions")),
        };
        let unsafe_place = |diagnostic: Diagnostic| wrong(diagnostic.to_string(), &diagnostic.remedy);
        crate::ownership::check(file, &metadata).map_err(unsafe_place)?;
        // Who may write the directory may replace the file.
        if let Some(directory) = file.parent()
            && let Ok(metadata) = std::fs::metadata(directory)
        {
            crate::ownership::check(directory, &metadata).map_err(unsafe_place)?;
        }
        let text = crate::regular_file::read_text(file)
            .map_err(|error| wrong(format!("it cannot be read: {error}"), "check its permissions"))?;
        toml::from_str(&text).map_err(|error| {
            wrong(
                format!("it is not valid: {}", error.message()),
                "correct it, or remove it and trust your projects again",
            )
        })
    }

    /// Reads the file, changes what it says and writes it, while no other process does the same.
    ///
    /// # Errors
    /// It cannot be read, locked or written; the old one is intact then.
    pub fn update<T>(file: &Path, change: impl FnOnce(&mut TrustStore) -> T) -> Result<T, TrustError> {
        let _lock = lock(file).map_err(|error| TrustError {
            file: file.to_owned(),
            message: format!("it cannot be locked against other changes: {error}"),
            remedy: "set STUD_HOME to a directory that you can write".to_owned(),
        })?;
        let mut store = TrustStore::read(file)?;
        let before = store.clone();
        let done = change(&mut store);
        if store != before {
            store.write(file)?;
        }
        Ok(done)
    }

    /// Replaces the file as a whole.
    fn write(&self, file: &Path) -> Result<(), TrustError> {
        let wrong = |message: String| TrustError {
            file: file.to_owned(),
            message,
            remedy: "make room, or set STUD_HOME to a directory that you can write".to_owned(),
        };
        let text = toml::to_string(self).map_err(|error| wrong(error.to_string()))?;
        private_dir::replace(file, text.as_bytes(), true)
            .map_err(|error| wrong(format!("it cannot be written: {error}")))
    }

    /// What a project was trusted with, if it was.
    #[must_use]
    pub fn project(&self, project: &Path) -> Option<&ProjectTrust> {
        self.projects.get(&key(project)?)
    }

    /// Trusts a project anew: these files and no others. Says whether that was possible: a path that is not Unicode
    /// has no place in the file.
    #[must_use]
    pub fn grant(&mut self, project: &Path, trust: ProjectTrust) -> bool {
        key(project).map(|key| self.projects.insert(key, trust)).is_some()
    }

    /// Forgets a project. Says whether it was known.
    pub fn revoke(&mut self, project: &Path) -> bool {
        key(project).is_some_and(|key| self.projects.remove(&key).is_some())
    }

    /// Every trusted project.
    pub fn projects(&self) -> impl Iterator<Item = (&str, &ProjectTrust)> {
        self.projects.iter().map(|(path, trust)| (path.as_str(), trust))
    }
}

impl ProjectTrust {
    /// Whether a file of the project, relative to `.stud`, is trusted with these bytes.
    #[must_use]
    pub fn covers(&self, relative: &str, digest: Digest) -> bool {
        self.trust == TrustMode::Path || self.files.get(relative) == Some(&digest)
    }
}

/// Holds a file of its own beside the trust file: that one is replaced, and a lock stays with the file it was taken on.
/// Released when it is dropped, also by the end of the process.
fn lock(file: &Path) -> std::io::Result<std::fs::File> {
    let path = file.with_extension("toml.lock");
    if let Some(directory) = path.parent() {
        private_dir::create(directory)?;
    }
    let lock = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    lock.lock()?;
    Ok(lock)
}

/// The canonical path as text. A path that is not Unicode has no place in the file and is never trusted.
fn key(project: &Path) -> Option<String> {
    std::fs::canonicalize(project).ok()?.into_os_string().into_string().ok()
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
