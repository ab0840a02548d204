use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// A flat tool name: `[a-z][a-z0-9_]{0,63}`. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(Arc<str>);

/// A text that is no tool name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameError(String);

impl ToolName {
    /// The longest name, in bytes.
    pub const MAX_LEN: usize = 64;

    /// Checks the text.
    ///
    /// # Errors
    /// The text does not match the pattern.
    pub fn new(text: &str) -> Result<ToolName, NameError> {
        let mut bytes = text.bytes();
        let first = bytes.next().is_some_and(|b| b.is_ascii_lowercase());
        let rest = bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if first && rest && text.len() <= Self::MAX_LEN {
            Ok(ToolName(text.into()))
        } else {
            Err(NameError(text.to_owned()))
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ToolName {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        ToolName::new(&text)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> String {
        name.0.as_ref().to_owned()
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: String = self.0.chars().take(80).collect();
        write!(
            f,
            "{shown:?} is no tool name: one starts with a lower-case letter, goes on with lower-case letters, digits \
             and underscores, and has at most 64 characters"
        )
    }
}

impl std::error::Error for NameError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c10_names_match_the_pattern() {
        for good in ["a", "read_file", "x9_", &"a".repeat(64)] {
            assert!(ToolName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "A", "9a", "_a", "a-b", "a b", "ä", "a\n", &"a".repeat(65)] {
            assert!(ToolName::new(bad).is_err(), "{bad:?}");
        }
    }
}
