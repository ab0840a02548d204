//! What would be loaded if the project were trusted now, and what changed since it was.

use super::ProjectTrust;
use crate::digest::Digest;
use serde::Serialize;
use std::collections::BTreeMap;
use stud_contract::EmbeddedTool;

/// All that a person needs to see before trusting a project.
#[derive(Debug, Clone, Serialize)]
pub struct TrustPreview {
    /// The project's directory.
    pub project: String,
    /// Whether nothing would change by trusting it.
    pub up_to_date: bool,
    /// Its files.
    pub files: Vec<PreviewFile>,
}

/// One file of the preview.
#[derive(Debug, Clone, Serialize)]
pub struct PreviewFile {
    /// Relative to `.stud`.
    pub file: String,
    /// Its digest now; none when it was removed or cannot be read.
    pub sha256: Option<Digest>,
    /// How it differs from what was trusted.
    pub change: FileChange,
    /// Its plugin, as `name version`.
    pub plugin: Option<String>,
    /// Its tools, with class, gate and capabilities.
    pub tools: Vec<EmbeddedTool>,
    /// Tools of lower layers that would be shadowed, with their layer.
    pub shadows: BTreeMap<String, String>,
    /// Why it would not load even if it were trusted.
    pub problem: Option<String>,
}

/// How a file differs from what was trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileChange {
    /// Not trusted before.
    New,
    /// Trusted with another content.
    Changed,
    /// As it was trusted.
    Unchanged,
    /// Trusted, and no longer there.
    Removed,
}

/// Makes the preview from the files that are there, in order, and what was trusted before.
#[must_use]
pub fn preview(project: String, mut files: Vec<PreviewFile>, trusted: Option<&ProjectTrust>) -> TrustPreview {
    let known = trusted.map(|trust| trust.files.clone()).unwrap_or_default();
    for file in &mut files {
        file.change = match (known.get(&file.file), file.sha256) {
            (Some(old), Some(new)) if *old == new => FileChange::Unchanged,
            (Some(_), _) => FileChange::Changed,
            (None, _) => FileChange::New,
        };
    }
    for gone in
        known.keys().filter(|name| !files.iter().any(|file| file.file == **name)).cloned().collect::<Vec<_>>()
    {
        files.push(PreviewFile {
            file: gone,
            sha256: None,
            change: FileChange::Removed,
            plugin: None,
            tools: Vec::new(),
            shadows: BTreeMap::new(),
            problem: None,
        });
    }
    let up_to_date = trusted.is_some() && files.iter().all(|file| file.change == FileChange::Unchanged);
    TrustPreview { project, up_to_date, files }
}
