use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a tool can do at most, by capability and not by typical use. Ordered: a later class includes the risk of the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideEffects {
    /// Pure: computes from its arguments.
    None,
    /// Reads files or queries something, without mutation.
    Read,
    /// Mutates files in the workspace.
    Write,
    /// Runs arbitrary code or commands.
    Execute,
    /// Mutates state outside the workspace.
    Network,
}

impl SideEffects {
    /// Every class, weakest first.
    pub const ALL: [SideEffects; 5] = [
        SideEffects::None,
        SideEffects::Read,
        SideEffects::Write,
        SideEffects::Execute,
        SideEffects::Network,
    ];

    /// The word used in contracts, tables and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            SideEffects::None => "none",
            SideEffects::Read => "read",
            SideEffects::Write => "write",
            SideEffects::Execute => "execute",
            SideEffects::Network => "network",
        }
    }

    /// Whether a call leaves something behind that was not there before.
    #[must_use]
    pub fn mutates(self) -> bool {
        self > SideEffects::Read
    }
}

impl fmt::Display for SideEffects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for SideEffects {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|class| class.as_str() == text).ok_or_else(|| {
            format!("`{text}` is no side-effect class: use none, read, write, execute or network")
        })
    }
}
