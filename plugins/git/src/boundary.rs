//! Whether what git reads belongs to the workspace.
//!
//! Whoever wrote the workspace may have made it look like the working tree of a repository elsewhere, and git would
//! show that one's history: by a `.git` file or link, by `commondir`, by links in the git directory, by alternates.
//! What lies inside the workspace is therefore not believed about what lies outside; only what is outside is.

use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use stud_plugin_api::{Context, Error, Result, ResultExt};

/// Entries of a git directory that the tools' commands do not read; people link their hooks from anywhere.
const UNREAD: &[&str] = &["hooks", "modules", "lfs", "annex"];
/// Directories of a git directory that they read.
const READ: &[&str] = &["info", "logs", "objects", "refs", "reftable", "worktrees"];

/// Where git found the parts of a repository, all canonical.
#[derive(Debug)]
pub(crate) struct Place {
    /// The workspace.
    pub(crate) root: PathBuf,
    /// The working tree.
    pub(crate) tree: PathBuf,
    /// What belongs to this working tree alone: HEAD and the index.
    pub(crate) git_directory: PathBuf,
    /// What is shared by all working trees: objects, branches, configuration. Mostly the same directory.
    pub(crate) common: PathBuf,
}

impl Place {
    /// Refuses a repository that the workspace only claims to belong to. `core_worktree` asks for that setting.
    pub(crate) fn check(&self, ctx: &Context, core_worktree: impl FnOnce() -> Result<String>) -> Result<()> {
        let Place { root, tree, git_directory, common } = self;
        // `core.worktree` may point anywhere.
        if !root.starts_with(tree) {
            return Err(refusal(format!(
                "the working tree of this repository is `{}`, outside of the workspace: look at core.worktree in its configuration, or open that directory as the workspace",
                tree.display()
            )));
        }
        if git_directory.starts_with(root) {
            if !common.starts_with(root) {
                return Err(refusal(format!(
                    "the `commondir` of this repository leads to `{}`, outside of the workspace: open the repository there as the workspace",
                    common.display()
                )));
            }
            links(ctx, root, git_directory, true)?;
            return links(ctx, root, common, true);
        }
        if self.is_above() || self.is_linked_worktree() || self.is_submodule(core_worktree)? {
            return Ok(());
        }
        Err(refusal(format!(
            "`{}` leads to the repository `{}` outside of the workspace, which does not know the working tree `{}`: \
             open the real repository as the workspace (or run `git worktree repair` in it if this working tree was moved)",
            tree.join(".git").display(),
            git_directory.display(),
            tree.display()
        )))
    }

    /// Whether the workspace is a part of an ordinary repository.
    fn is_above(&self) -> bool {
        // The canonical path is that of the entry only when the entry is no link and no file.
        self.git_directory == self.tree.join(".git") && self.common == self.git_directory
    }

    /// Whether the repository has this working tree in its list of worktrees.
    fn is_linked_worktree(&self) -> bool {
        if self.git_directory.parent() != Some(&self.common.join("worktrees")) {
            return false;
        }
        // What it resolves to is no link, so a link to the file of another working tree is not taken for it.
        fs::read_to_string(self.git_directory.join("gitdir"))
            .and_then(|back| self.git_directory.join(back.trim_end_matches(['\r', '\n'])).canonicalize())
            .is_ok_and(|back| back == self.tree.join(".git"))
    }

    /// Whether the configuration of the repository, as that of every submodule, names this working tree.
    fn is_submodule(&self, core_worktree: impl FnOnce() -> Result<String>) -> Result<bool> {
        // A repository with its files spread over somebody's home names that too, but nothing there leads to it.
        let is_file = self.tree.join(".git").symlink_metadata().is_ok_and(|facts| facts.is_file());
        if !is_file || self.common != self.git_directory {
            return Ok(false);
        }
        let configured = core_worktree()?;
        Ok(!configured.is_empty()
            && self.git_directory.join(configured).canonicalize().is_ok_and(|named| named == self.tree))
    }

    /// Whether git may read objects from elsewhere, as `git count-objects` can tell.
    pub(crate) fn has_alternates(&self) -> bool {
        self.common.join("objects/info/alternates").symlink_metadata().is_ok()
    }

    /// Refuses object stores outside. `counted` is what `git count-objects -v` says: that is with the alternates of
    /// alternates, as git itself resolves them.
    pub(crate) fn check_alternates(&self, ctx: &Context, counted: &str) -> Result<()> {
        for alternate in counted.lines().filter_map(|line| line.strip_prefix("alternate: ")) {
            // A path with control characters is in quotes, and so is not found.
            let real = Path::new(alternate).canonicalize().ok();
            match real {
                Some(real) if real.starts_with(&self.root) => links(ctx, &self.root, &real, false)?,
                Some(real) if real.starts_with(&self.common) => {}
                _ => {
                    return Err(refusal(format!(
                        "this repository borrows objects from `{alternate}`, outside of the workspace, as `git clone --shared` \
                         and `--reference` make it: open that repository as the workspace, or copy the objects with \
                         `git repack -a -d` and remove `{}`",
                        self.common.join("objects/info/alternates").display()
                    )));
                }
            }
        }
        Ok(())
    }
}

/// Refuses links out of the workspace in a directory inside it. Costs a listing of every directory with objects.
fn links(ctx: &Context, root: &Path, start: &Path, is_git_directory: bool) -> Result<()> {
    let mut seen = HashSet::new();
    let mut todo = vec![start.to_owned()];
    while let Some(directory) = todo.pop() {
        ctx.check_cancelled()?;
        if !seen.insert(directory.clone()) {
            continue;
        }
        let is_top = is_git_directory && directory == start;
        let context = || format!("the git directory `{}`", directory.display());
        // Another git may be at work: what has gone by now is no longer of interest.
        let Some(entries) = there(fs::read_dir(&directory)).context(context())? else { continue };
        for entry in entries {
            let entry = entry.context(context())?;
            let Some(kind) = there(entry.file_type()).context(context())? else { continue };
            let listed = |names: &[&str]| names.iter().any(|name| entry.file_name() == *name);
            if is_top && listed(UNREAD) {
                continue;
            }
            if kind.is_symlink() {
                let Some(target) = there(entry.path().canonicalize()).context(context())? else { continue };
                if !target.starts_with(root) {
                    return Err(refusal(format!(
                        "`{}` is a link to `{}`, outside of the workspace: open the repository there as the workspace",
                        entry.path().display(),
                        target.display()
                    )));
                }
                if target.is_dir() {
                    todo.push(target);
                }
            } else if kind.is_dir() && (!is_top || listed(READ)) {
                todo.push(entry.path());
            }
        }
    }
    Ok(())
}

fn there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn refusal(message: String) -> Error {
    Error::permission_denied(message).code("path_escapes")
}
