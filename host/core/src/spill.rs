//! Full outputs that were cut for the model are kept in files that it may read on in.

use crate::private_dir;
use crate::workspace::Workspace;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The directory of this project's full outputs.
#[derive(Debug)]
pub(crate) struct Spill {
    directory: PathBuf,
    opened: OnceLock<Option<Workspace>>,
}

impl Spill {
    pub(crate) fn new(directory: PathBuf) -> Spill {
        Spill { directory, opened: OnceLock::new() }
    }

    /// Keeps the output of a call, and says where.
    pub(crate) fn keep(&self, call: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let file = self.directory.join(format!("{call}.txt"));
        private_dir::replace(&file, bytes, false)?;
        Ok(file)
    }

    /// The directory as something that may be read, when the path lies in it.
    pub(crate) fn readable(&self, path: &Path) -> Option<&Workspace> {
        if !path.starts_with(&self.directory) {
            return None;
        }
        self.opened.get_or_init(|| Workspace::open(&self.directory).ok()).as_ref()
    }
}
