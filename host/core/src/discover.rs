//! From a layer's directory to its candidates. Nothing is opened here but directories and `tool.toml` files.

use crate::diagnostic::{Diagnostic, Stage};
use crate::layer::{Layer, LayerDir};
use crate::ownership;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// The endings of library files on the platforms that stud knows. One of another platform is a candidate too, so that
/// it can be listed with the reason why it does not load.
const LIBRARY_EXTENSIONS: [&str; 3] = ["so", "dylib", "dll"];

/// The description of a folder entry.
pub(crate) const FOLDER_FILE: &str = "tool.toml";

/// The largest library that is read, in bytes.
pub(crate) const MAX_LIBRARY: u64 = 512 * 1024 * 1024;

/// A file in a layer that may be a plugin.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Where it was found.
    pub layer: Layer,
    /// The library file.
    pub file: PathBuf,
    /// What changes when the file does.
    pub stamp: Stamp,
}

/// Facts about a file that change when its content is replaced or written: the key of the cache, never of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stamp {
    size: u64,
    modified: i128,
    changed: i128,
    inode: u64,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        #[cfg(unix)]
        let (changed, inode) = {
            use std::os::unix::fs::MetadataExt;
            (i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec()), metadata.ino())
        };
        #[cfg(not(unix))]
        let (changed, inode) = (0, 0);
        let modified = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .map_or(0, |duration| duration.as_nanos() as i128);
        Stamp { size: metadata.len(), modified, changed, inode }
    }

    /// Whether the file was left alone for long enough: within the tick of the file system's clock it may be written
    /// again and look the same.
    pub(crate) fn is_settled(&self) -> bool {
        const TICK_NANOS: i128 = 2_000_000_000;
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos() as i128);
        self.modified.max(self.changed) + TICK_NANOS < now
    }
}

/// What one layer holds: candidates, and entries that are none with the reason.
#[derive(Debug, Default)]
pub struct Discovered {
    /// Library files, sorted by path.
    pub candidates: Vec<Candidate>,
    /// Entries that look like plugins and cannot be, and the directory itself when it cannot be read.
    pub refused: Vec<Diagnostic>,
}

/// Lists a layer. A directory that is missing is an empty layer; one that cannot be read is a diagnostic.
#[must_use]
pub fn discover(layer: &LayerDir) -> Discovered {
    let mut found = Discovered::default();
    let entries = match read_layer(layer) {
        Ok(entries) => entries,
        Err(Some(diagnostic)) => {
            found.refused.push(*diagnostic);
            return found;
        }
        Err(None) => return found,
    };
    for path in entries {
        match entry(layer, &path) {
            Ok(Some(candidate)) => found.candidates.push(candidate),
            Ok(None) => {}
            Err(diagnostic) => found.refused.push(diagnostic),
        }
    }
    found
}

fn read_layer(layer: &LayerDir) -> Result<Vec<PathBuf>, Option<Box<Diagnostic>>> {
    let path = &layer.path;
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(None),
        Err(error) => return Err(Some(Box::new(unreadable(path, &error)))),
    };
    if !metadata.is_dir() {
        let diagnostic =
            Diagnostic::new(Stage::Discovery, "a layer is a directory, this is not", "remove or rename it");
        return Err(Some(Box::new(diagnostic.file(path))));
    }
    ownership::check(path, &metadata).map_err(|diagnostic| Some(Box::new(diagnostic)))?;
    let entries = fs::read_dir(path).map_err(|error| Some(Box::new(unreadable(path, &error))))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::new(Stage::Discovery, format!("it cannot be read: {error}"), "check its permissions")
        .file(path)
}

/// One entry of the directory: a library, a folder with a `tool.toml`, or nothing of ours.
fn entry(layer: &LayerDir, path: &Path) -> Result<Option<Candidate>, Diagnostic> {
    let named_like_library = is_library_name(path) && has_prefix(path, layer.prefix);
    let link = fs::symlink_metadata(path).map_err(|error| unreadable(path, &error))?;
    if link.is_dir() && layer.prefix.is_none() && path.join(FOLDER_FILE).is_file() {
        ownership::check(path, &link)?;
        let description = path.join(FOLDER_FILE);
        let metadata = fs::metadata(&description).map_err(|error| unreadable(&description, &error))?;
        ownership::check(&description, &metadata)?;
        let library = folder_library(path)?;
        return library_candidate(layer.layer, path, &library).map(Some);
    }
    if !named_like_library {
        return Ok(None);
    }
    library_candidate(layer.layer, &layer.path, path).map(Some)
}

fn library_candidate(layer: Layer, within: &Path, path: &Path) -> Result<Candidate, Diagnostic> {
    let link = fs::symlink_metadata(path).map_err(|error| unreadable(path, &error))?;
    let metadata = if link.is_symlink() { followed(within, path)? } else { link };
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "a directory" } else { "a pipe, socket or device" };
        let message = format!("it is named like a library and is {what}");
        return Err(Diagnostic::new(Stage::Discovery, message, "remove or rename it").file(path));
    }
    ownership::check(path, &metadata)?;
    if metadata.len() > MAX_LIBRARY {
        let message = format!("it has {} bytes, more than the {MAX_LIBRARY} that are read", metadata.len());
        return Err(
            Diagnostic::new(Stage::Discovery, message, "build it in release mode and strip it").file(path)
        );
    }
    Ok(Candidate { layer, file: path.to_owned(), stamp: Stamp::of(&metadata) })
}

/// What a link inside the layer leads to. One that leads out of it would let files be loaded that nobody put there.
fn followed(within: &Path, path: &Path) -> Result<Metadata, Diagnostic> {
    let dangling = |error: std::io::Error| {
        let message = format!("it is a symbolic link that leads nowhere: {error}");
        Diagnostic::new(Stage::Discovery, message, "remove it, or copy the library here").file(path)
    };
    let target = fs::canonicalize(path).map_err(dangling)?;
    let root = fs::canonicalize(within).map_err(|error| unreadable(within, &error))?;
    if !target.starts_with(&root) {
        let message = format!("it is a symbolic link that leads out of its layer, to `{}`", target.display());
        return Err(Diagnostic::new(
            Stage::Discovery,
            message,
            "copy the library here, or use `stud install FILE`",
        )
        .file(path));
    }
    fs::metadata(&target).map_err(dangling)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FolderFile {
    /// From `linux-x86_64` and the like to a file in the folder.
    library: BTreeMap<String, String>,
}

/// The library for this platform, as the folder's `tool.toml` names it.
fn folder_library(folder: &Path) -> Result<PathBuf, Diagnostic> {
    let file = folder.join(FOLDER_FILE);
    let platform = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    let wrong = |message: String| {
        let remedy = format!("it needs a table `[library]` with a line such as {platform} = \"libtool.so\"");
        Diagnostic::new(Stage::Discovery, message, remedy).file(&file)
    };
    let text = crate::regular_file::read_text(&file).map_err(|error| unreadable(&file, &error))?;
    let parsed: FolderFile = toml::from_str(&text).map_err(|error| wrong(error.message().to_owned()))?;
    let Some(name) = parsed.library.get(&platform) else {
        return Err(wrong(format!("it names no library for {platform}")));
    };
    if Path::new(name).file_name() != Some(OsStr::new(name)) {
        return Err(wrong(format!("`{name}` is not the name of a file in this folder")));
    }
    Ok(folder.join(name))
}

fn is_library_name(path: &Path) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|extension| LIBRARY_EXTENSIONS.contains(&extension))
}

fn has_prefix(path: &Path, prefix: Option<&str>) -> bool {
    let Some(prefix) = prefix else { return true };
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.strip_prefix("lib").unwrap_or(name).starts_with(prefix)
}

#[cfg(test)]
#[path = "discover_tests.rs"]
mod tests;
