//! Keys under which approvals are remembered, for the families of tools that share a habit.
//!
//! A key is deterministic, non-empty, without control characters, at most 1,024 bytes, and holds no secret.

use std::path::{Component, Path};

/// For file tools: the parent directory, relative to the workspace's root; `.` is the root.
#[must_use]
pub fn parent_directory(path: &str) -> String {
    match Path::new(path).parent() {
        Some(parent) => directory(&parent.to_string_lossy()),
        None => ".".to_owned(),
    }
}

/// For search tools: the directory itself, written without `.` components; `.` is the root.
#[must_use]
pub fn directory(path: &str) -> String {
    let parts: Vec<String> = Path::new(path)
        .components()
        .filter_map(|component| match component {
            Component::CurDir => None,
            Component::RootDir => Some(String::new()),
            other => Some(other.as_os_str().to_string_lossy().into_owned()),
        })
        .collect();
    match parts.as_slice() {
        [] => ".".to_owned(),
        [root] if root.is_empty() => "/".to_owned(),
        parts => parts.join("/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c9_file_tools_are_keyed_by_the_parent_directory() {
        for (path, key) in [
            ("a.txt", "."),
            ("./a.txt", "."),
            ("src/x/a.rs", "src/x"),
            ("./src//a.rs", "src"),
            ("/a/b", "/a"),
        ] {
            assert_eq!(parent_directory(path), key, "{path}");
        }
    }
}
