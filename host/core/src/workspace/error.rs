//! What can go wrong with a file of the workspace, in words for the one who gave the path.

use std::fmt;
use std::io;

use super::read::EntryKind;
use stud_contract::ErrorClass;

/// A line of the file that resembles the text that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearLine {
    /// Its number, from 1.
    pub line: usize,
    /// Its text without the line break, cut at 200 characters.
    pub text: String,
    /// It is the wanted line but for white space.
    pub whitespace_only: bool,
}

/// Why an operation on the workspace failed.
///
/// `path` is always the path as it was given. [`Display`](fmt::Display) is one sentence without a full stop, fit for
/// the model; [`remedy`](Self::remedy) says what to do next.
#[derive(Debug)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// The path cannot name a file anywhere: empty, with a NUL, or longer than a file system takes.
    InvalidPath {
        /// As given.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The path, or a link on its way, leads outside the root.
    Escapes {
        /// As given.
        path: String,
    },
    /// Nothing is there, or a directory on the way is missing.
    NotFound {
        /// As given.
        path: String,
    },
    /// Something other than a regular file is there.
    NotAFile {
        /// As given.
        path: String,
        /// What is there.
        found: EntryKind,
    },
    /// Something other than a directory is there, or on the way.
    NotADirectory {
        /// As given.
        path: String,
    },
    /// Something is there already and must not be replaced.
    AlreadyExists {
        /// As given.
        path: String,
    },
    /// A directory with entries was to be deleted without `recursive`.
    DirectoryNotEmpty {
        /// As given.
        path: String,
    },
    /// The root itself was to be deleted.
    IsRoot {
        /// As given.
        path: String,
    },
    /// The file is marked read-only. (Replacing it by a rename would work and go against what its owner said.)
    ReadOnly {
        /// As given.
        path: String,
    },
    /// More links or `..` than any honest path has: most likely a loop of links.
    TooManyLinks {
        /// As given.
        path: String,
    },
    /// Other programs changed the place faster than it could be worked on.
    Unstable {
        /// As given.
        path: String,
    },
    /// Text was wanted; the file has a NUL byte or is not UTF-8.
    NotText {
        /// As given.
        path: String,
        /// The first byte that is not text, counted from 0.
        offset: u64,
        /// True for a NUL byte (a binary file), false for bytes that are not UTF-8.
        binary: bool,
    },
    /// More bytes than the service holds in memory at once.
    TooLarge {
        /// As given.
        path: String,
        /// How many bytes there are.
        size: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// The text to look for is empty.
    EmptySearch {
        /// As given.
        path: String,
    },
    /// The text to look for and its replacement are the same.
    SameText {
        /// As given.
        path: String,
    },
    /// The text to replace does not occur.
    NoMatch {
        /// As given.
        path: String,
        /// The most similar lines, best first, at most 3.
        near: Vec<NearLine>,
    },
    /// The text to replace occurs more than once.
    NotUnique {
        /// As given.
        path: String,
        /// How often it occurs, overlapping occurrences included.
        count: usize,
        /// The lines on which the occurrences start, from 1, at most the first 20.
        lines: Vec<usize>,
    },
    /// The operating system refused or failed.
    Io {
        /// As given.
        path: String,
        /// What was being done, as a verb: "read", "write".
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl WorkspaceError {
    /// The path as it was given.
    pub fn path(&self) -> &str {
        use WorkspaceError::*;
        match self {
            InvalidPath { path, .. }
            | Escapes { path }
            | NotFound { path }
            | NotAFile { path, .. }
            | NotADirectory { path }
            | AlreadyExists { path }
            | DirectoryNotEmpty { path }
            | IsRoot { path }
            | ReadOnly { path }
            | TooManyLinks { path }
            | Unstable { path }
            | NotText { path, .. }
            | TooLarge { path, .. }
            | EmptySearch { path }
            | SameText { path }
            | NoMatch { path, .. }
            | NotUnique { path, .. }
            | Io { path, .. } => path,
        }
    }

    /// The class for the one who called.
    pub fn class(&self) -> ErrorClass {
        use WorkspaceError::*;
        match self {
            Escapes { .. } => ErrorClass::PermissionDenied,
            InvalidPath { .. } | IsRoot { .. } | EmptySearch { .. } | SameText { .. } => {
                ErrorClass::ValidationError
            }
            _ => ErrorClass::ExecutionError,
        }
    }

    /// A short name that programs can match on; it stays what it is.
    pub fn code(&self) -> &'static str {
        use WorkspaceError::*;
        match self {
            InvalidPath { .. } => "invalid_path",
            Escapes { .. } => "path_escapes",
            NotFound { .. } => "path_not_found",
            NotAFile { .. } => "not_a_file",
            NotADirectory { .. } => "not_a_directory",
            AlreadyExists { .. } => "already_exists",
            DirectoryNotEmpty { .. } => "directory_not_empty",
            IsRoot { .. } => "is_workspace_root",
            ReadOnly { .. } => "read_only",
            TooManyLinks { .. } => "too_many_links",
            Unstable { .. } => "path_unstable",
            NotText { .. } => "not_text",
            TooLarge { .. } => "too_large",
            EmptySearch { .. } => "empty_search",
            SameText { .. } => "same_text",
            NoMatch { .. } => "no_match",
            NotUnique { .. } => "not_unique",
            Io { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied => "access_denied",
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "disk_full",
                io::ErrorKind::ReadOnlyFilesystem => "read_only_filesystem",
                _ => "io_error",
            },
        }
    }

    /// What to do next, as one sentence without a full stop.
    pub fn remedy(&self) -> &'static str {
        use WorkspaceError::*;
        match self {
            InvalidPath { .. } => "give a path relative to the workspace root",
            Escapes { .. } => "use a path inside the workspace, relative to its root",
            NotFound { .. } => "list the directory to see what is there",
            NotAFile { found: EntryKind::Directory, .. } => "list the directory and name a file in it",
            NotAFile { .. } => "name a regular file",
            NotADirectory { .. } => "name a directory, or drop what follows the file's name",
            AlreadyExists { .. } => "choose another name, or edit what is there",
            DirectoryNotEmpty { .. } => "delete the entries first",
            IsRoot { .. } => "name something inside the root",
            ReadOnly { .. } => "make the file writable first, if it is meant to change",
            TooManyLinks { .. } => "use the path without links and without `..`",
            Unstable { .. } => "try again when no other program is changing this place",
            NotText { .. } => "read it as bytes, or with a program that knows the format",
            TooLarge { .. } => "read a part of it with an offset and a length",
            EmptySearch { .. } => "give the text to replace, or write the whole file",
            SameText { .. } => "give a replacement that differs from the text",
            NoMatch { .. } => "read the file again and copy the text exactly, white space included",
            NotUnique { .. } => "add surrounding lines until the text occurs only once",
            Io { .. } => match self.code() {
                "access_denied" => "check the owner and the permissions of the file and its directory",
                "disk_full" => "free some space",
                "read_only_filesystem" => "choose a place that can be written to",
                _ => "look at the cause, then try again",
            },
        }
    }

    /// Turns what the system said about a single component into what it means for the path.
    pub(super) fn from_io(path: &str, action: &'static str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::NotADirectory => Self::NotADirectory { path },
            io::ErrorKind::IsADirectory => Self::NotAFile { path, found: EntryKind::Directory },
            io::ErrorKind::AlreadyExists => Self::AlreadyExists { path },
            io::ErrorKind::DirectoryNotEmpty => Self::DirectoryNotEmpty { path },
            io::ErrorKind::InvalidFilename => {
                Self::InvalidPath { path, reason: "a name in it is longer than the file system takes" }
            }
            // cap-std's own refusal to leave a directory has no errno; it can only mean that a race was lost.
            io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => Self::Escapes { path },
            _ => Self::Io { path, action, source },
        }
    }
}

impl fmt::Display for WorkspaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use WorkspaceError::*;
        let name = Shown(self.path());
        match self {
            InvalidPath { reason, .. } => write!(f, "`{name}` is not a usable path: {reason}"),
            // The exact words that W1 promises; the path is in the error's fields.
            Escapes { .. } => f.write_str("Path escapes workspace boundary"),
            NotFound { .. } => write!(f, "`{name}` does not exist"),
            NotAFile { found, .. } => write!(f, "`{name}` is a {}, not a file", found.as_str()),
            NotADirectory { .. } => write!(f, "`{name}` is not a directory or leads through a file"),
            AlreadyExists { .. } => write!(f, "`{name}` already exists"),
            DirectoryNotEmpty { .. } => write!(f, "directory `{name}` is not empty"),
            IsRoot { .. } => write!(f, "`{name}` is the workspace root, which cannot be deleted"),
            ReadOnly { .. } => write!(f, "`{name}` is marked read-only"),
            TooManyLinks { .. } => write!(f, "`{name}` leads through too many links"),
            Unstable { .. } => write!(f, "`{name}` keeps being changed by another program"),
            NotText { offset, binary: true, .. } => {
                write!(f, "`{name}` is a binary file (NUL at byte {offset})")
            }
            NotText { offset, .. } => write!(f, "`{name}` is not UTF-8 text (from byte {offset} on)"),
            TooLarge { size, limit, .. } => {
                write!(f, "`{name}` has {size} bytes, more than the limit of {limit}")
            }
            EmptySearch { .. } => write!(f, "the text to replace in `{name}` is empty"),
            SameText { .. } => write!(f, "the text to replace in `{name}` and its replacement are the same"),
            NoMatch { near, .. } => {
                write!(f, "the text to replace does not occur in `{name}`")?;
                let Some(best) = near.first() else { return Ok(()) };
                if best.whitespace_only {
                    write!(f, "; line {} differs only in white space: `{}`", best.line, Shown(&best.text))
                } else {
                    write!(f, "; the most similar is line {}: `{}`", best.line, Shown(&best.text))
                }
            }
            NotUnique { count, lines, .. } => {
                write!(f, "the text to replace occurs {count} times in `{name}`, on lines ")?;
                for (i, line) in lines.iter().enumerate() {
                    let gap = if i == 0 { "" } else { ", " };
                    write!(f, "{gap}{line}")?;
                }
                if lines.len() < *count { f.write_str(" and more") } else { Ok(()) }
            }
            Io { action, source, .. } => write!(f, "cannot {action} `{name}`: {source}"),
        }
    }
}

impl std::error::Error for WorkspaceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WorkspaceError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Text inside a message: control characters escaped (they could forge lines), cut at 200 characters.
struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        for (i, c) in self.0.chars().enumerate() {
            if i == 200 {
                return f.write_str("...");
            }
            if c.is_control() { write!(f, "{}", c.escape_default())? } else { f.write_char(c)? }
        }
        Ok(())
    }
}
