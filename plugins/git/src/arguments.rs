//! Checks of what the model gives.

use std::path::{Component, Path};
use stud_plugin_api::{Error, Result};

/// A path relative to the workspace's root, without leaving it.
pub(crate) fn path(root: &Path, path: &str) -> Result<String> {
    if path.is_empty() || path.contains('\0') {
        return Err(Error::invalid(
            "`path` is empty or contains a NUL byte: give a path relative to the workspace's root",
        ));
    }
    let escapes = || {
        Error::permission_denied(format!(
            "Path escapes workspace boundary: `{path}`; give a path relative to the workspace's root"
        ))
        .code("path_escapes")
    };
    let mut parts: Vec<&str> = Vec::new();
    let relative = if Path::new(path).is_absolute() {
        Path::new(path).strip_prefix(root).map_err(|_| escapes())?
    } else {
        Path::new(path)
    };
    for component in relative.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str().ok_or_else(escapes)?),
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop().ok_or_else(escapes)?;
            }
            Component::RootDir | Component::Prefix(_) => return Err(escapes()),
        }
    }
    Ok(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// A revision or range that cannot be taken for an option, nor for a file.
pub(crate) fn revision<'a>(argument: &str, revision: &'a str) -> Result<&'a str> {
    let wrong = |why: &str| {
        Error::invalid(format!(
            "`{argument}`: `{}` {why}: give a branch, a tag, a commit or a range such as `main..HEAD`",
            revision.escape_debug()
        ))
    };
    if revision.trim().is_empty() {
        return Err(wrong("is empty"));
    }
    if revision.starts_with('-') {
        return Err(wrong("begins with `-`, which is an option"));
    }
    if revision.chars().any(char::is_control) {
        return Err(wrong("contains control characters"));
    }
    if revision.contains(':') {
        return Err(wrong("names a file (use `path` for that)"));
    }
    Ok(revision)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn w1_paths_stay_in_the_workspace() {
        let root = Path::new("/w/root");
        for (given, taken) in [
            ("a.txt", "a.txt"),
            ("./src//x.rs", "src/x.rs"),
            ("src/../a", "a"),
            (".", "."),
            ("src/..", "."),
            ("/w/root/src", "src"),
            ("-rf", "-rf"),
            (":(top)x", ":(top)x"),
            ("漢 字", "漢 字"),
        ] {
            assert_eq!(path(root, given).unwrap(), taken, "{given}");
        }
        for given in ["..", "../x", "src/../../x", "/etc/passwd", "/w/root/../x", "/w/rooted", "/"] {
            let error = path(root, given).unwrap_err();
            assert_eq!(error.code_str(), "path_escapes", "{given}");
            assert!(error.message().starts_with("Path escapes workspace boundary"));
        }
        for given in ["", "a\0b"] {
            assert_eq!(path(root, given).unwrap_err().code_str(), "invalid_arguments");
        }
    }

    #[test]
    fn revisions_are_no_options_and_no_files() {
        for good in ["HEAD", "HEAD~3", "main..dev", "a...b", "HEAD@{2 days ago}", "^main", "větev"] {
            assert_eq!(revision("rev", good).unwrap(), good);
        }
        for bad in ["", " ", "-p", "--output=/tmp/x", "--exec=x", "HEAD:secret", "a\nb", "a\0b"] {
            let error = revision("rev", bad).unwrap_err();
            assert!(error.message().starts_with("`rev`: `"), "{}", error.message());
        }
    }
}
