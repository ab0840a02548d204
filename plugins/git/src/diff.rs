use crate::arguments;
use crate::repository::Repository;
use stud_plugin_api::prelude::*;

/// Shows changes in the workspace's git repository as a unified diff.
///
/// Without arguments: what is not staged yet. With `staged`: what would be committed. With `from`: the working tree
/// against that revision; with `from` and `to`: one revision against another. Untracked files are not part of it.
#[tool(
    side_effects = "read",
    category = "git",
    examples({}, {"staged": true}, {"from": "main", "to": "HEAD", "stat": true}, {"path": "src/main.rs"})
)]
pub fn git_diff(
    ctx: &Context,
    /// Show staged changes instead of unstaged ones.
    #[arg(default, alias("cached"))]
    staged: bool,
    /// Only this file or directory, relative to the workspace's root.
    #[arg(alias("file", "filePath"))]
    path: Option<String>,
    /// Revision to compare from, or a range such as `main...HEAD`.
    #[arg(alias("rev", "base"))]
    from: Option<String>,
    /// Revision to compare to; the working tree without it.
    to: Option<String>,
    /// Only the names of the files and how many lines changed.
    #[arg(default)]
    stat: bool,
) -> Result<String> {
    let mut options = safe_options();
    if stat {
        options.push("--stat=100".to_owned());
    }
    if staged {
        options.push("--cached".to_owned());
    }
    options.push("--end-of-options".to_owned());
    match (&from, &to) {
        (None, Some(_)) => {
            return Err(Error::invalid("`to` needs `from`: give both revisions, or `from` alone"));
        }
        (Some(_), Some(_)) if staged => {
            return Err(Error::invalid(
                "`staged` compares the index with one revision: leave out `to` or `staged`",
            ));
        }
        (Some(from), Some(_)) if from.contains("..") => {
            return Err(Error::invalid("`from` is a range already: leave out `to`"));
        }
        _ => {}
    }
    for (name, revision) in [("from", &from), ("to", &to)] {
        if let Some(revision) = revision {
            options.push(arguments::revision(name, revision)?.to_owned());
        }
    }
    let repository = Repository::open(ctx)?;
    let text = repository.read("diff", &options, path.as_deref())?;
    Ok(if text.is_empty() { "[no differences]".to_owned() } else { text })
}

/// The options with which comparing files runs nothing and looks into no submodule.
pub(crate) fn safe_options() -> Vec<String> {
    ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "--submodule=short"]
        .map(str::to_owned)
        .to_vec()
}
