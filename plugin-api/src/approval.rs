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

/// For search tools: the directory itself, written without `.` and `..` components; `.` is the root.
///
/// `..` is taken out by its text, so that `src/../secret` is not remembered, or matched by a pattern, as something in
/// `src`. One that leads above the root stays: the host refuses such a path anyway.
#[must_use]
pub fn directory(path: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::CurDir => {}
            Component::RootDir => parts.push(String::new()),
            Component::ParentDir => match parts.last().map(String::as_str) {
                None | Some("..") => parts.push("..".to_owned()),
                // Above `/` is `/`.
                Some("") => {}
                Some(_) => {
                    parts.pop();
                }
            },
            other => parts.push(other.as_os_str().to_string_lossy().into_owned()),
        }
    }
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
            ("src/../secret/a", "secret"),
            ("src/../a", "."),
            ("a/../../b/c", "../b"),
            ("../../c", "../.."),
            ("/../a", "/"),
            ("/a/../../b", "/"),
        ] {
            assert_eq!(parent_directory(path), key, "{path}");
        }
    }
}
