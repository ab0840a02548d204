//! File requests over plain `std::fs`. The real host's service is another: it keeps paths inside by descriptors and
//! writes atomically. This one has the same answers, classes and codes, for workspaces that nobody attacks.

use serde_json::Value;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;
use stud_contract::{DirEntry, EntryKind, ErrorClass, FileRequest, FileStat, Patched, ToolError};

/// What goes back to the tool.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) value: Value,
    pub(crate) body: Vec<u8>,
    pub(crate) file: Option<File>,
}

impl From<Value> for Answer {
    fn from(value: Value) -> Answer {
        Answer { value, ..Answer::default() }
    }
}

type Result<T> = std::result::Result<T, ToolError>;

pub(crate) fn serve(root: &Path, request: &FileRequest<'_>, body: &[u8]) -> Result<Answer> {
    match request {
        FileRequest::Open { path } => Ok(Answer { file: Some(open(root, path)?), ..Answer::default() }),
        FileRequest::Read { path, offset, max } => {
            Ok(Answer { body: read(root, path, *offset, *max)?, ..Answer::default() })
        }
        FileRequest::Write { path, create_dirs } => {
            let target = inside(root, path)?;
            if *create_dirs && let Some(parent) = target.parent() {
                fs::create_dir_all(parent).map_err(|error| failed(path, "write", &error))?;
            }
            refuse_other_than_file(path, &target)?;
            fs::write(&target, body).map_err(|error| failed(path, "write", &error))?;
            Ok(Answer::default())
        }
        FileRequest::Append { path } => {
            let target = inside(root, path)?;
            refuse_other_than_file(path, &target)?;
            let file = OpenOptions::new().append(true).create(true).open(&target);
            let written = file.and_then(|mut file| file.write_all(body));
            written.map_err(|error| failed(path, "append to", &error))?;
            Ok(Answer::default())
        }
        FileRequest::Exists { path } => Ok(Value::Bool(inside(root, path)?.exists()).into()),
        FileRequest::Stat { path } => {
            let metadata =
                fs::metadata(inside(root, path)?).map_err(|error| failed(path, "look at", &error))?;
            typed(&stat(&metadata))
        }
        FileRequest::List { path } => typed(&list(path, &inside(root, path)?)?),
        FileRequest::Delete { path } => delete(root, path),
        FileRequest::Patch { path, old, new } => {
            let before = text(root, path)?;
            let after = patch(path, &before, old, new)?;
            fs::write(inside(root, path)?, &after).map_err(|error| failed(path, "write", &error))?;
            typed(&Patched { before, after })
        }
    }
}

/// The path below the root, or a refusal. Compares text only: see the crate's documentation.
fn inside(root: &Path, path: &str) -> Result<PathBuf> {
    if path.is_empty() || path.contains('\0') {
        let message = format!("{path:?} is not a usable path: give one relative to the workspace root");
        return Err(ToolError::new(ErrorClass::ValidationError, "invalid_path", message));
    }
    let escapes = || {
        let error = ToolError::new(
            ErrorClass::PermissionDenied,
            "path_escapes",
            "Path escapes workspace boundary; use a path inside the workspace, relative to its root",
        );
        error.with_details(serde_json::json!({"path": path}))
    };
    let given = Path::new(path);
    let relative = if given.has_root() { given.strip_prefix(root).map_err(|_| escapes())? } else { given };
    let mut target = root.to_owned();
    let mut depth = 0usize;
    for component in relative.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => {
                depth += 1;
                target.push(name);
            }
            Component::ParentDir => {
                depth = depth.checked_sub(1).ok_or_else(escapes)?;
                target.pop();
            }
            Component::RootDir | Component::Prefix(_) => return Err(escapes()),
        }
    }
    Ok(target)
}

/// Opens a regular file; a pipe is refused before an open could wait for its other end.
fn open(root: &Path, path: &str) -> Result<File> {
    let target = inside(root, path)?;
    let metadata = fs::metadata(&target).map_err(|error| failed(path, "read", &error))?;
    if !metadata.is_file() {
        return Err(not_a_file(path, kind(metadata.file_type())));
    }
    File::open(&target).map_err(|error| failed(path, "read", &error))
}

fn read(root: &Path, path: &str, offset: u64, max: Option<u64>) -> Result<Vec<u8>> {
    let mut file = open(root, path)?;
    let mut bytes = Vec::new();
    let sought = file.seek(SeekFrom::Start(offset));
    sought
        .and_then(|_| file.take(max.unwrap_or(u64::MAX)).read_to_end(&mut bytes))
        .map_err(|error| failed(path, "read", &error))?;
    Ok(bytes)
}

fn text(root: &Path, path: &str) -> Result<String> {
    String::from_utf8(read(root, path, 0, None)?).map_err(|_| {
        execution(
            "not_text",
            format!("`{path}` is not UTF-8 text; read it as bytes, or with a program that knows the format"),
        )
    })
}

fn refuse_other_than_file(path: &str, target: &Path) -> Result<()> {
    match fs::metadata(target) {
        Ok(metadata) if !metadata.is_file() => Err(not_a_file(path, kind(metadata.file_type()))),
        _ => Ok(()),
    }
}

fn list(path: &str, target: &Path) -> Result<Vec<DirEntry>> {
    let fail = |error: io::Error| failed(path, "list", &error);
    let mut entries = Vec::new();
    for entry in fs::read_dir(target).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let metadata = entry.metadata().map_err(fail)?;
        let kind = kind(metadata.file_type());
        let size = if kind == EntryKind::File { metadata.len() } else { 0 };
        entries.push(DirEntry { name: entry.file_name().to_string_lossy().into_owned(), kind, size });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

fn delete(root: &Path, path: &str) -> Result<Answer> {
    let target = inside(root, path)?;
    if target == root {
        let message = format!(
            "`{path}` is the workspace root, which cannot be deleted; name something inside the root"
        );
        return Err(ToolError::new(ErrorClass::ValidationError, "is_workspace_root", message));
    }
    let removed = fs::symlink_metadata(&target).and_then(|metadata| {
        if metadata.is_dir() { fs::remove_dir(&target) } else { fs::remove_file(&target) }
    });
    removed.map_err(|error| failed(path, "delete", &error))?;
    Ok(Answer::default())
}

/// Replaces the one occurrence. As in the real service, a `\n` of `old` also stands for `\r\n` in the file.
fn patch(path: &str, before: &str, old: &str, new: &str) -> Result<String> {
    if old.is_empty() {
        let message = format!("the text to replace in `{path}` is empty; give the text to replace");
        return Err(ToolError::new(ErrorClass::ValidationError, "empty_search", message));
    }
    if old == new {
        let message = format!("the text to replace in `{path}` and its replacement are the same");
        return Err(ToolError::new(ErrorClass::ValidationError, "same_text", message));
    }
    let windows = |text: &str| text.replace('\n', "\r\n");
    let (old, new) = if !before.contains(old) && !old.contains('\r') && before.contains("\r\n") {
        (windows(old), windows(new))
    } else {
        (old.to_owned(), new.to_owned())
    };
    let places: Vec<usize> = before.match_indices(&old).map(|(at, _)| at).collect();
    match places.as_slice() {
        [] => Err(execution(
            "no_match",
            format!(
                "the text to replace does not occur in `{path}`; read the file again and copy the text exactly"
            ),
        )),
        [at] => Ok(format!("{}{new}{}", &before[..*at], &before[at + old.len()..])),
        several => {
            let lines: Vec<String> =
                several.iter().map(|at| (before[..*at].matches('\n').count() + 1).to_string()).collect();
            let message = format!(
                "the text to replace occurs {} times in `{path}`, on lines {}; add surrounding lines until the text \
                 occurs only once",
                several.len(),
                lines.join(", ")
            );
            Err(execution("not_unique", message))
        }
    }
}

fn stat(metadata: &Metadata) -> FileStat {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    FileStat {
        kind: kind(metadata.file_type()),
        size: metadata.len(),
        modified: modified.map(|since| since.as_secs()),
    }
}

fn kind(file_type: FileType) -> EntryKind {
    if file_type.is_file() {
        EntryKind::File
    } else if file_type.is_dir() {
        EntryKind::Directory
    } else if file_type.is_symlink() {
        EntryKind::Symlink
    } else {
        EntryKind::Other
    }
}

fn typed(value: &impl serde::Serialize) -> Result<Answer> {
    let value = serde_json::to_value(value).map_err(|error| execution("io_error", error.to_string()))?;
    Ok(value.into())
}

fn not_a_file(path: &str, found: EntryKind) -> ToolError {
    let message = match found {
        EntryKind::Directory => {
            format!("`{path}` is a directory, not a file; list the directory and name a file in it")
        }
        _ => format!("`{path}` is a pipe, socket or device, not a file; name a regular file"),
    };
    execution("not_a_file", message)
}

fn failed(path: &str, action: &str, error: &io::Error) -> ToolError {
    match error.kind() {
        io::ErrorKind::NotFound => execution(
            "path_not_found",
            format!("`{path}` does not exist; list the directory to see what is there"),
        ),
        // `AlreadyExists` comes from making directories below a file.
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            execution("not_a_directory", format!("`{path}` is not a directory or leads through a file"))
        }
        io::ErrorKind::IsADirectory => not_a_file(path, EntryKind::Directory),
        io::ErrorKind::DirectoryNotEmpty => execution(
            "directory_not_empty",
            format!("directory `{path}` is not empty; delete the entries first"),
        ),
        io::ErrorKind::PermissionDenied => execution(
            "access_denied",
            format!("cannot {action} `{path}`: {error}; check the permissions of the file"),
        ),
        _ => execution("io_error", format!("cannot {action} `{path}`: {error}")),
    }
}

fn execution(code: &str, message: impl Into<String>) -> ToolError {
    ToolError::new(ErrorClass::ExecutionError, code, message)
}
