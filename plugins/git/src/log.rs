use crate::repository::Repository;
use crate::{arguments, diff};
use stud_plugin_api::prelude::*;

/// Lists the commits of the workspace's git repository, newest first: hash, date, author, subject and refs.
#[tool(
    side_effects = "read",
    category = "git",
    examples({}, {"limit": 5, "path": "src"}, {"rev": "main..HEAD", "stat": true}, {"since": "2 weeks ago"})
)]
pub fn git_log(
    ctx: &Context,
    /// How many commits at most.
    #[arg(default = 20u32, min = 1, max = 1000)]
    limit: u32,
    /// Only commits that changed this file or directory, relative to the workspace's root.
    #[arg(alias("file", "filePath"))]
    path: Option<String>,
    /// Branch, tag, commit or range such as `main..HEAD`. HEAD without it.
    #[arg(alias("revision", "branch"))]
    rev: Option<String>,
    /// Only commits after this date: `2026-01-31`, `2 weeks ago`.
    since: Option<String>,
    /// Also list the changed files of each commit.
    #[arg(default)]
    stat: bool,
) -> Result<String> {
    let mut options = diff::safe_options();
    options.extend(
        [
            "--no-show-signature",
            "--no-notes",
            "--no-mailmap",
            "--no-decorate",
            "--date=format:%Y-%m-%d %H:%M",
        ]
        .map(str::to_owned),
    );
    options.push("--format=%h  %ad  %an  %s%d".to_owned());
    options.push(format!("--max-count={limit}"));
    if let Some(since) = since {
        options.push(format!("--since={}", since.replace(char::is_control, " ")));
    }
    if stat {
        options.push("--stat=100".to_owned());
    }
    options.push("--end-of-options".to_owned());
    if let Some(rev) = &rev {
        options.push(arguments::revision("rev", rev)?.to_owned());
    }
    let repository = Repository::open(ctx)?;
    match repository.read("log", &options, path.as_deref()) {
        Ok(text) if text.is_empty() => Ok("[no commits]".to_owned()),
        // A repository without a commit is nothing wrong.
        Err(error) if error.message().contains("does not have any commits yet") => {
            Ok("[no commits yet]".to_owned())
        }
        other => other,
    }
}
