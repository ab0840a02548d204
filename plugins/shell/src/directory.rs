//! Where a command runs: in the workspace (spec W3).
//!
//! This keeps a model from working at the wrong place by mistake. It is no wall: a command may change its directory by itself.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use stud_plugin_api::{Error, Result};

/// A directory to run in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) directory: PathBuf,
    /// What is to be said when it is not the one that was asked for.
    pub(crate) note: Option<String>,
}

/// The directory that `asked` names, from `root` on; the root itself when it names one outside.
pub(crate) fn resolve(root: &Path, asked: Option<&str>) -> Result<Place> {
    let Some(asked) = asked.filter(|asked| !matches!(*asked, "" | ".")) else {
        return Ok(Place { directory: root.to_owned(), note: None });
    };
    let failed = |error: std::io::Error| {
        Error::new(format!(
            "cwd `{asked}` cannot be used: {error}; give a directory relative to the workspace's root"
        ))
        .code("bad_cwd")
    };
    let real_root = root.canonicalize().map_err(failed)?;
    let wanted = root.join(asked);
    match wanted.canonicalize() {
        Ok(real) if !real.starts_with(&real_root) => Ok(outside(root, asked)),
        Ok(real) if real.is_dir() => Ok(Place { directory: real, note: None }),
        Ok(_) => {
            Err(Error::new(format!("cwd `{asked}` is a file: give the directory that it is in"))
                .code("bad_cwd"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // What does not exist lies where the nearest directory above it does.
            let above = wanted.ancestors().find_map(|above| above.canonicalize().ok());
            if above.is_some_and(|above| !above.starts_with(&real_root)) {
                return Ok(outside(root, asked));
            }
            let message = format!(
                "there is no directory `{asked}` in the workspace: create it first, or leave out `cwd` to run in the root"
            );
            Err(Error::new(message).code("no_directory"))
        }
        Err(error) => Err(failed(error)),
    }
}

fn outside(root: &Path, asked: &str) -> Place {
    let note = format!(
        "[cwd `{asked}` is outside of the workspace: the command ran in the workspace's root instead]"
    );
    Place { directory: root.to_owned(), note: Some(note) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    #[cfg(unix)]
    fn w3_a_directory_outside_is_brought_back_to_the_root() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("root");
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::create_dir(outer.path().join("root-twin")).unwrap();
        std::os::unix::fs::symlink(outer.path(), root.join("out")).unwrap();
        std::os::unix::fs::symlink("src/deep", root.join("in")).unwrap();
        let absolute = root.join("src").to_str().unwrap().to_owned();
        let real = root.canonicalize().unwrap();
        for (asked, inside) in [
            ("src", "src"),
            ("./src/../src/deep", "src/deep"),
            ("in", "src/deep"),
            (absolute.as_str(), "src"),
        ] {
            let place = resolve(&root, Some(asked)).unwrap();
            assert_eq!(place, Place { directory: real.join(inside), note: None }, "{asked}");
        }
        for asked in
            ["..", "../root-twin", "/", "/tmp", "out", "out/root-twin", "src/../..", "../no/such", "/no/such"]
        {
            let place = resolve(&root, Some(asked)).unwrap();
            assert_eq!(place.directory, root, "{asked}");
            assert!(place.note.unwrap().contains(&format!("`{asked}` is outside")));
        }
        for asked in [None, Some(""), Some(".")] {
            assert_eq!(resolve(&root, asked).unwrap(), Place { directory: root.clone(), note: None });
        }
    }

    #[test]
    fn a_directory_that_is_none_is_an_error_that_names_it() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        for (asked, code, said) in [
            ("nope", "no_directory", "there is no directory `nope` in the workspace"),
            ("nope/deeper", "no_directory", "there is no directory `nope/deeper`"),
            ("file", "bad_cwd", "cwd `file` is a file"),
            ("a\0b", "bad_cwd", "cannot be used"),
        ] {
            let error = resolve(root.path(), Some(asked)).unwrap_err();
            assert_eq!(error.code_str(), code, "{asked:?}");
            assert!(error.message().contains(said), "{}", error.message());
        }
    }
}
