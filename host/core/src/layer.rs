use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// Where tools come from. Ordered: a later layer shadows an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// Shipped with the program.
    Bundled,
    /// The user's own: `~/.stud/tools`.
    Global,
    /// The working directory's: `.stud/tools`.
    Project,
}

impl Layer {
    /// The word used in tables and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Layer::Bundled => "bundled",
            Layer::Global => "global",
            Layer::Project => "project",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The directory of one layer, whether it exists or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerDir {
    /// Which layer.
    pub layer: Layer,
    /// Its directory.
    pub path: PathBuf,
    /// Only library files whose name (without `lib`) starts with this are entries: the bundled layer may share its
    /// directory with whatever else was built there.
    pub prefix: Option<&'static str>,
}
