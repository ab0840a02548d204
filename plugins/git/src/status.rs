use crate::repository::Repository;
use std::path::Path;
use stud_plugin_api::prelude::*;

/// Files in the git directory that stand for something begun and not finished.
const UNFINISHED: &[(&str, &str)] = &[
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase or `git am`"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisect"),
];

/// Shows the branch and the changed, staged and untracked files of the workspace's git repository.
///
/// The first line is the branch and how far it is ahead or behind. Then one line for each file: the first letter is the
/// staged change, the second the unstaged one (M modified, A added, D deleted, R renamed, U conflict, ?? untracked).
#[tool(side_effects = "read", category = "git", examples({}))]
pub fn git_status(ctx: &Context) -> Result<String> {
    let repository = Repository::open(ctx)?;
    let options =
        ["--short", "--branch", "--untracked-files=normal", "--ignore-submodules=dirty", "--no-column"];
    let text = repository.read("status", &options.map(str::to_owned), None)?;
    let mut lines = vec![text];
    if !lines[0].contains('\n') {
        lines.push("nothing to commit, working tree clean".to_owned());
    }
    lines.extend(unfinished(repository.git_directory()));
    Ok(lines.join("\n"))
}

fn unfinished(git_directory: &Path) -> impl Iterator<Item = String> {
    UNFINISHED
        .iter()
        .filter(|(file, _)| git_directory.join(file).exists())
        .map(|(_, what)| format!("[{what} is in progress]"))
}
