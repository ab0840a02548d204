//! What a library file says about itself, with nothing of it executed.

use crate::diagnostic::{Diagnostic, Stage};
use crate::digest::Digest;
use crate::load::read_regular_file;
use crate::manifest::{check_contract, read_foreign_library, require_this_machine};
use crate::object_file::Format;
use serde::Serialize;
use std::path::{Path, PathBuf};
use stud_contract::EmbeddedContract;

/// The embedded contract as written, and what this host thinks of it.
#[derive(Debug, Clone, Serialize)]
pub struct Inspection {
    /// The contract, if the file has one.
    #[serde(flatten)]
    pub contract: Option<EmbeddedContract>,
    /// The file.
    #[serde(serialize_with = "crate::lossy::path")]
    pub file: PathBuf,
    /// The digest of its bytes.
    pub sha256: Digest,
    /// Its size in bytes.
    pub size: u64,
    /// The object format, if it is a library.
    pub format: Option<Format>,
    /// Whether this host would load it.
    pub compatible: bool,
    /// What speaks against it.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, Serialize)]
pub struct Problem {
    /// The step that found it.
    pub stage: Stage,
    /// The place in the contract, as a JSON pointer.
    pub field: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl From<Diagnostic> for Problem {
    fn from(diagnostic: Diagnostic) -> Problem {
        let Diagnostic { stage, field, message, remedy, .. } = diagnostic;
        Problem { stage, field, message, remedy }
    }
}

/// Looks into a library file.
///
/// # Errors
/// The file cannot be read. A file that is no plugin is an [`Inspection`] with problems.
pub fn inspect_library(file: &Path) -> Result<Inspection, Diagnostic> {
    let bytes = read_regular_file(file)?;
    let read = read_foreign_library(&bytes);
    let mut inspection = Inspection {
        contract: None,
        file: file.to_owned(),
        sha256: read.as_ref().map_or_else(|_| Digest::of(&bytes), |facts| facts.digest),
        size: bytes.len() as u64,
        format: None,
        compatible: false,
        problems: Vec::new(),
    };
    match read {
        Err(diagnostic) => inspection.problems.push(diagnostic.into()),
        Ok(facts) => {
            inspection.problems.extend(require_this_machine(&bytes).err().map(Problem::from));
            let rules = check_contract(&facts.contract).err().unwrap_or_default();
            inspection.problems.extend(rules.into_iter().map(Problem::from));
            inspection.format = Some(facts.format);
            inspection.contract = Some(facts.contract);
        }
    }
    inspection.compatible = inspection.problems.is_empty();
    Ok(inspection)
}
