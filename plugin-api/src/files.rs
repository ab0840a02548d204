use crate::context::Answer;
use crate::{Context, Error, Result};
use serde::de::DeserializeOwned;
use std::fs::File;
use stud_contract::{DirEntry, FileRequest, FileStat, HostRequest, Patched};

/// The files of the workspace. Paths are relative to its root, or absolute and inside it; whatever leads outside is
/// refused by the host with `permission_denied`, also when a link is planted between two calls.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    context: &'a Context,
}

impl<'a> Files<'a> {
    pub(crate) fn new(context: &'a Context) -> Files<'a> {
        Files { context }
    }

    /// Opens a regular file for reading: for big files, and for libraries that read files themselves.
    ///
    /// # Errors
    /// There is no such file, or it is not the workspace's.
    pub fn open(self, path: &str) -> Result<File> {
        let answer = self.ask(FileRequest::Open { path: path.into() }, &[])?;
        answer.file.ok_or_else(|| Error::new(format!("the host opened `{path}` but sent no file")))
    }

    /// The whole file as text.
    ///
    /// # Errors
    /// There is no such file, or it is not UTF-8.
    pub fn read(self, path: &str) -> Result<String> {
        let bytes = self.read_bytes(path)?;
        String::from_utf8(bytes).map_err(|_| {
            Error::new(format!("`{path}` is not UTF-8 text: it is binary or in another encoding"))
                .code("not_text")
        })
    }

    /// The whole file.
    ///
    /// # Errors
    /// There is no such file.
    pub fn read_bytes(self, path: &str) -> Result<Vec<u8>> {
        Ok(self.ask(FileRequest::Read { path: path.into(), offset: 0, max: None }, &[])?.body)
    }

    /// At most `max` bytes from `offset` on; less at the end of the file.
    ///
    /// # Errors
    /// There is no such file.
    pub fn read_range(self, path: &str, offset: u64, max: u64) -> Result<Vec<u8>> {
        Ok(self.ask(FileRequest::Read { path: path.into(), offset, max: Some(max) }, &[])?.body)
    }

    /// Writes a text file as a whole: atomically, keeping the mode bits of one that is there, making missing directories.
    ///
    /// # Errors
    /// It cannot be written; the old content is intact then.
    pub fn write(self, path: &str, text: &str) -> Result<()> {
        self.write_bytes(path, text.as_bytes())
    }

    /// The same for bytes.
    ///
    /// # Errors
    /// It cannot be written; the old content is intact then.
    pub fn write_bytes(self, path: &str, bytes: &[u8]) -> Result<()> {
        self.ask(FileRequest::Write { path: path.into(), create_dirs: true }, bytes).map(|_| ())
    }

    /// Adds to the end of a file, which is created if need be.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn append(self, path: &str, bytes: &[u8]) -> Result<()> {
        self.ask(FileRequest::Append { path: path.into() }, bytes).map(|_| ())
    }

    /// Whether there is anything at that path.
    ///
    /// # Errors
    /// The path leads outside.
    pub fn exists(self, path: &str) -> Result<bool> {
        self.typed(FileRequest::Exists { path: path.into() })
    }

    /// What is at that path.
    ///
    /// # Errors
    /// Nothing is, or the path leads outside.
    pub fn stat(self, path: &str) -> Result<FileStat> {
        self.typed(FileRequest::Stat { path: path.into() })
    }

    /// The entries of a directory, sorted by name.
    ///
    /// # Errors
    /// There is no such directory.
    pub fn list(self, path: &str) -> Result<Vec<DirEntry>> {
        self.typed(FileRequest::List { path: path.into() })
    }

    /// Removes a file, a symbolic link, or an empty directory.
    ///
    /// # Errors
    /// There is none, or the directory is not empty.
    pub fn delete(self, path: &str) -> Result<()> {
        self.ask(FileRequest::Delete { path: path.into() }, &[]).map(|_| ())
    }

    /// Replaces a text that occurs exactly once in a file, and returns the file's text before and after.
    ///
    /// # Errors
    /// It occurs not at all or more than once: the message says where.
    pub fn patch(self, path: &str, old: &str, new: &str) -> Result<Patched> {
        self.typed(FileRequest::Patch { path: path.into(), old: old.into(), new: new.into() })
    }

    fn ask(self, request: FileRequest<'_>, body: &[u8]) -> Result<Answer> {
        self.context.request(&HostRequest::File(request), body)
    }

    fn typed<T: DeserializeOwned>(self, request: FileRequest<'_>) -> Result<T> {
        Ok(serde_json::from_value(self.ask(request, &[])?.value)?)
    }
}
