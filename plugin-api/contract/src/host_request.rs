use crate::ToolError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// What a plugin asks of the host during a call. Bytes of files travel beside the message.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum HostRequest<'a> {
    /// A file of the workspace.
    File(#[serde(borrow)] FileRequest<'a>),
    /// A line for the log.
    Log {
        /// `error`, `warn`, `info` or `debug`.
        level: Cow<'a, str>,
        /// The line.
        message: Cow<'a, str>,
    },
    /// An environment variable that may be read only when declared; undeclared ones are refused.
    Env {
        /// Its name.
        name: Cow<'a, str>,
    },
    /// The tool's state slot.
    StateGet,
    /// The tool's state slot, replaced.
    StateSet {
        /// The new state.
        value: Value,
    },
    /// A question to the user.
    Ask(Question),
    /// A kind that this side does not know.
    #[serde(other)]
    Unknown,
}

/// A file operation. Paths are relative to the workspace's root, or absolute and inside it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum FileRequest<'a> {
    /// Opens a file for reading: the answer carries the handle.
    Open {
        /// Which.
        path: Cow<'a, str>,
    },
    /// Reads bytes: they come as the answer's body.
    Read {
        /// Which.
        path: Cow<'a, str>,
        /// First byte.
        #[serde(default)]
        offset: u64,
        /// At most so many bytes; all without it.
        #[serde(default)]
        max: Option<u64>,
    },
    /// Replaces or creates a file with the request's body, atomically.
    Write {
        /// Which.
        path: Cow<'a, str>,
        /// Whether missing parent directories are made.
        #[serde(default)]
        create_dirs: bool,
    },
    /// Adds the request's body at the end.
    Append {
        /// Which.
        path: Cow<'a, str>,
    },
    /// Whether there is something.
    Exists {
        /// Which.
        path: Cow<'a, str>,
    },
    /// What there is: [`FileStat`].
    Stat {
        /// Which.
        path: Cow<'a, str>,
    },
    /// The entries of a directory: a list of [`DirEntry`], sorted by name.
    List {
        /// Which.
        path: Cow<'a, str>,
    },
    /// Removes a file, or an empty directory.
    Delete {
        /// Which.
        path: Cow<'a, str>,
    },
    /// Replaces a text that occurs exactly once: [`Patched`].
    Patch {
        /// Which.
        path: Cow<'a, str>,
        /// The text there.
        old: Cow<'a, str>,
        /// The text that should be there.
        new: Cow<'a, str>,
    },
}

/// The message part of an answer to a [`HostRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostAnswerMessage {
    /// Done, with what the request's description says, or null.
    Ok(Value),
    /// Refused or failed.
    Error(ToolError),
}

/// What a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, wherever it leads.
    Symlink,
    /// A device, pipe or socket.
    Other,
}

/// Facts about a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStat {
    /// What it is, after following links inside the workspace.
    pub kind: EntryKind,
    /// Bytes.
    pub size: u64,
    /// Seconds since 1970, where known.
    pub modified: Option<u64>,
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirEntry {
    /// Its name, with replacement characters where it is not UTF-8.
    pub name: String,
    /// What it is, links not followed.
    pub kind: EntryKind,
    /// Bytes, for files.
    pub size: u64,
}

/// The whole text before and after a patch, for a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patched {
    /// Before.
    pub before: String,
    /// After.
    pub after: String,
}

/// A question to the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// `ask`, `confirm`, `select`, `password` or `device_code`.
    pub form: String,
    /// What to ask.
    pub text: String,
    /// The choices of a `select`.
    #[serde(default)]
    pub choices: Vec<String>,
}
