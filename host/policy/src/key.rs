use std::fmt;

/// The longest approval key, in bytes (spec C8).
pub const MAX_KEY: usize = 1024;

/// Why an answer cannot be remembered under a key (spec C8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyProblem {
    /// It is empty.
    Empty,
    /// It is longer than [`MAX_KEY`].
    TooLong,
    /// It holds control characters.
    Control,
    /// It holds what looks like a secret.
    Secret,
}

impl fmt::Display for KeyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyProblem::Empty => f.write_str("the approval key is empty"),
            KeyProblem::TooLong => write!(f, "the approval key is longer than {MAX_KEY} bytes"),
            KeyProblem::Control => f.write_str("the approval key holds control characters"),
            KeyProblem::Secret => f.write_str("the approval key holds what looks like a secret"),
        }
    }
}

impl std::error::Error for KeyProblem {}

/// Whether an answer may be remembered under this key.
///
/// # Errors
/// Which of the rules it breaks.
pub fn check_key(key: &str) -> Result<(), KeyProblem> {
    if key.is_empty() {
        Err(KeyProblem::Empty)
    } else if key.len() > MAX_KEY {
        Err(KeyProblem::TooLong)
    } else if key.chars().any(char::is_control) {
        Err(KeyProblem::Control)
    } else if crate::redact::looks_secret(key) {
        Err(KeyProblem::Secret)
    } else {
        Ok(())
    }
}

/// The default key of a file tool (spec C9): the parent directory of a path relative to the root; `.` is the root.
#[must_use]
pub fn parent_directory_key(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.pop();
    let joined = parts.join("/");
    match (path.starts_with('/'), joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}
