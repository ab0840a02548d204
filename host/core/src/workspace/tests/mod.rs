//! Tests of the workspace file service, by what they are about. Each runs in a directory of its own, next to a canary
//! directory outside that must be the same afterwards.

mod escapes;
mod paths;
mod reading;
mod writing;

#[cfg(target_os = "linux")]
mod full_disk;
#[cfg(unix)]
mod properties;
#[cfg(target_os = "linux")]
mod races;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;

use super::*;

/// What must never be read.
const SECRET: &str = "SECRET OF THE OUTSIDE";

/// `base/root`, opened; `base/outside` with a secret file and a secret directory.
struct Fixture {
    base: TempDir,
    root: PathBuf,
    outside: PathBuf,
    workspace: Workspace,
    before: BTreeMap<PathBuf, Seen>,
}

#[derive(Debug, PartialEq, Eq)]
struct Seen {
    modified: SystemTime,
    readonly: bool,
    content: Option<Vec<u8>>,
}

impl Fixture {
    fn new() -> Fixture {
        let base = tempfile::tempdir().unwrap();
        let base_path = base.path().canonicalize().unwrap();
        let (root, outside) = (base_path.join("root"), base_path.join("outside"));
        fs::create_dir_all(outside.join("dir")).unwrap();
        fs::write(outside.join("secret"), SECRET).unwrap();
        fs::write(outside.join("dir/file"), SECRET).unwrap();
        fs::create_dir(&root).unwrap();
        let workspace = Workspace::open(&root).unwrap();
        let before = snapshot(&outside);
        Fixture { base, root, outside, workspace, before }
    }

    fn file(&self, path: &str, content: &str) -> &Self {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    #[cfg(unix)]
    fn link(&self, path: &str, target: impl AsRef<Path>) -> &Self {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    fn content(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    fn outside_str(&self) -> &str {
        self.outside.to_str().unwrap()
    }

    #[track_caller]
    fn check_canary(&self) {
        assert_eq!(snapshot(&self.outside), self.before, "something outside the workspace was touched");
    }

    /// No temporary file anywhere.
    #[track_caller]
    fn check_no_leftovers(&self) {
        for path in snapshot(&self.root).keys() {
            assert!(
                !path.to_string_lossy().contains(super::atomic::TEMPORARY_PREFIX),
                "{path:?} was left behind"
            );
        }
    }
}

fn snapshot(dir: &Path) -> BTreeMap<PathBuf, Seen> {
    let mut all = BTreeMap::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(path) = todo.pop() {
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if metadata.is_dir() {
            todo.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        let seen = Seen {
            modified: metadata.modified().unwrap(),
            readonly: metadata.permissions().readonly(),
            content: metadata.is_file().then(|| fs::read(&path).unwrap()),
        };
        all.insert(path, seen);
    }
    all
}

/// The code of the error, or "ok".
fn code<T>(result: Result<T, WorkspaceError>) -> &'static str {
    result.err().map_or("ok", |error| error.code())
}
