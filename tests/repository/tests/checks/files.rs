//! The files of the repository, and how long they may be.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A text file: its path relative to the root, with forward slashes, and its content.
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl SourceFile {
    /// A made-up one.
    pub(crate) fn of(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), text: text.to_owned() }
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

/// Every text file that people write here, sorted. Found by walking: a machine that builds need not have git.
pub(crate) fn sources() -> Vec<SourceFile> {
    let mut found = Vec::new();
    walk(&root(), "", &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 100, "this is not the repository: {} files", found.len());
    found
}

/// Only those in Rust.
pub(crate) fn rust_sources() -> Vec<SourceFile> {
    sources().into_iter().filter(SourceFile::is_rust).collect()
}

fn walk(directory: &Path, relative: &str, found: &mut Vec<SourceFile>) {
    // What cargo builds is marked by it, wherever it was told to put it.
    if directory.join("CACHEDIR.TAG").exists() {
        return;
    }
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{relative}{name}");
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && (!name.starts_with('.') || name == ".ci") && path != "target" {
            walk(&entry.path(), &format!("{path}/"), found);
        }
        let ending = Path::new(&name).extension().and_then(OsStr::to_str);
        let wanted = matches!(ending, Some("rs" | "toml" | "md" | "sh"))
            || matches!(path.as_str(), "stud" | ".ci/run");
        if kind.is_file() && wanted {
            found.push(SourceFile { path, text: fs::read_to_string(entry.path()).unwrap() });
        }
    }
}

/// No file of code is longer.
const MOST_LINES: usize = 800;
/// Longer ones are worth a look.
const MANY_LINES: usize = 500;

fn too_long(files: &[SourceFile], most: usize) -> Vec<String> {
    let lines = files.iter().map(|file| (file, file.text.lines().count()));
    let long = lines.filter(|(file, lines)| file.is_rust() && *lines > most);
    long.map(|(file, lines)| format!("{}: {lines} lines, more than {most}: split it", file.path)).collect()
}

#[test]
fn no_file_is_too_long() {
    let files = sources();
    for note in too_long(&files, MANY_LINES) {
        println!("note: {note}");
    }
    crate::assert_none(&too_long(&files, MOST_LINES));
}

#[test]
fn a_long_file_is_seen() {
    let files = [SourceFile::of("a.rs", &"\n".repeat(801)), SourceFile::of("b.rs", &"\n".repeat(800))];
    crate::assert_one(&too_long(&files, MOST_LINES), "a.rs: 801 lines");
}
