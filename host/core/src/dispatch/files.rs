//! File requests of a call, answered by the workspace service.

use super::services::{Answer, CallState};
use crate::workspace::{EntryKind as Kind, Workspace, WorkspaceError, WriteOptions};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use stud_contract::{
    DirEntry, EntryKind, ErrorClass, FileRequest, FileStat, Patched, SideEffects, ToolError,
};

pub(super) fn serve(state: &CallState, request: FileRequest<'_>, body: &[u8]) -> Result<Answer, ToolError> {
    may_write(state, &request)?;
    let workspace = &state.session.workspace;
    let answer = match request {
        FileRequest::Open { path } => readable(state, &path)
            .open_file(&path)
            .map(|file| Answer { file: Some(file), ..Answer::default() }),
        FileRequest::Read { path, offset, max } => readable(state, &path)
            .read_bytes(&path, offset, max)
            .map(|body| Answer { body, ..Answer::default() }),
        FileRequest::Write { path, create_dirs } => {
            let options = WriteOptions { create_dirs, ..WriteOptions::default() };
            workspace.write(&path, body, options).map(|written| json!({ "created": written.created }).into())
        }
        FileRequest::Append { path } => {
            workspace.append(&path, body, true).map(|written| json!({ "created": written.created }).into())
        }
        FileRequest::Exists { path } => {
            readable(state, &path).exists(&path).map(|exists| Value::Bool(exists).into())
        }
        FileRequest::Stat { path } => readable(state, &path).metadata(&path).map(|info| {
            let modified = info
                .modified
                .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
                .map(|since| since.as_secs());
            value(FileStat { kind: kind(info.kind), size: info.size, modified })
        }),
        FileRequest::List { path } => workspace.list(&path).map(|entries| {
            let entries =
                entries.into_iter().map(|e| DirEntry { name: e.name, kind: kind(e.kind), size: e.size });
            value(entries.collect::<Vec<_>>())
        }),
        FileRequest::Delete { path } => workspace.delete(&path, false).map(|_| Answer::default()),
        FileRequest::Patch { path, old, new } => {
            workspace.patch(&path, &old, &new).map(|p| value(Patched { before: p.before, after: p.after }))
        }
    };
    answer.map_err(|error| tool_error(&error))
}

fn value(of: impl serde::Serialize) -> Answer {
    // Plain data with text keys: it always serialises.
    serde_json::to_value(of).unwrap_or_default().into()
}

/// A tool's own declaration binds it here: what says `read` cannot write through the host.
fn may_write(state: &CallState, request: &FileRequest<'_>) -> Result<(), ToolError> {
    let writes = path_written(request).is_some();
    let tool = state.entry.embedded();
    let needed = if writes { SideEffects::Write } else { SideEffects::Read };
    if tool.side_effects >= needed {
        return path_written(request).map_or(Ok(()), |path| not_studs_own(state, path));
    }
    let message = format!(
        "`{}` declares side effects `{}` and asked for a file operation of class `{needed}`",
        tool.name, tool.side_effects
    );
    Err(ToolError::new(ErrorClass::PermissionDenied, "beyond_class", message))
}

fn path_written<'a>(request: &'a FileRequest<'_>) -> Option<&'a str> {
    match request {
        FileRequest::Write { path, .. }
        | FileRequest::Append { path }
        | FileRequest::Delete { path }
        | FileRequest::Patch { path, .. } => Some(path),
        FileRequest::Open { .. }
        | FileRequest::Read { .. }
        | FileRequest::Exists { .. }
        | FileRequest::Stat { .. }
        | FileRequest::List { .. } => None,
    }
}

/// What decides about tools is not a tool's to change: the project's `.stud`, and the user's where it lies in the workspace.
fn not_studs_own(state: &CallState, path: &str) -> Result<(), ToolError> {
    let session = &state.session;
    // As it is written, and with links followed; a path that is wrong is refused by the operation itself.
    let written = session.workspace.resolve(path).map(|relative| relative.to_path_buf());
    let studs_own = |path: &PathBuf| {
        path.starts_with(".stud") || session.workspace.root().join(path).starts_with(&session.home)
    };
    if !written.iter().chain(&session.workspace.real_path(path)).any(studs_own) {
        return Ok(());
    }
    let message = format!(
        "`{path}` belongs to stud itself: tools do not change what decides about tools; edit it yourself"
    );
    Err(ToolError::new(ErrorClass::PermissionDenied, "studs_own_file", message))
}

/// The workspace, or the directory of full outputs when the path names one of them: a model may read on there.
fn readable<'a>(state: &'a CallState, path: &str) -> &'a Workspace {
    state.session.spill.readable(Path::new(path)).unwrap_or(&state.session.workspace)
}

fn kind(kind: Kind) -> EntryKind {
    match kind {
        Kind::File => EntryKind::File,
        Kind::Directory => EntryKind::Directory,
        Kind::Symlink => EntryKind::Symlink,
        _ => EntryKind::Other,
    }
}

fn tool_error(error: &WorkspaceError) -> ToolError {
    ToolError::new(error.class(), error.code(), format!("{error}; {}", error.remedy()))
        .with_details(json!({ "path": error.path() }))
}
