use crate::engine::Search;
use crate::pattern::{Reading, matcher};
use crate::render::{Layout, render};
use crate::scope::Scope;
use stud_plugin_api::prelude::*;

fn key(arguments: &grep) -> String {
    stud_plugin_api::approval::directory(&arguments.path)
}

/// Searches the content of files for a regular expression, line by line, and returns `path:line:text` sorted by path.
/// Files that git ignores, hidden and binary files are left out. The last line counts all matches.
#[tool(
    side_effects = "read",
    category = "search",
    other_names("search_workspace"),
    approval_key = key,
    examples(
        {"pattern": "fn\\s+main"},
        {"pattern": "TODO(", "fixed_strings": true, "path": "src", "glob": "*.{ts,tsx}", "context": 2}
    )
)]
#[allow(clippy::too_many_arguments, reason = "they are what the model may say, each by its name")]
pub fn grep(
    ctx: &Context,
    /// The regular expression (Rust syntax: no look-around, no back-references).
    #[arg(alias("query", "regex"))]
    pattern: String,
    /// The directory or file to search, relative to the workspace root. Default: the root.
    #[arg(alias("file", "filePath", "directory"), default = ".")]
    path: String,
    /// Only files that match this glob, such as `*.rs` or `src/**/*.ts`; with `!` in front, only others.
    #[arg(alias("include"))]
    glob: Option<String>,
    /// Take the pattern as plain text instead of a regular expression.
    #[arg(default)]
    fixed_strings: bool,
    /// Take upper and lower case as the same.
    #[arg(alias("ignore_case"), default)]
    case_insensitive: bool,
    /// Take upper and lower case as the same unless the pattern has an upper-case letter.
    #[arg(default)]
    smart_case: bool,
    /// Lines to show before and after each match. Default 0.
    #[arg(default, max = 50)]
    context: u32,
    /// Also search hidden files and directories (but not `.git`).
    #[arg(default)]
    hidden: bool,
    /// Matching lines to show at most. Default 100.
    #[arg(default = 100u32, min = 1, max = 2000)]
    max_results: u32,
) -> Result<String> {
    let reading = Reading { case_insensitive, smart_case, fixed_strings, word: false };
    let matcher = matcher(&pattern, reading)?;
    let scope = Scope::new(ctx, &path)?;
    let search = Search {
        matcher,
        context: context.min(50) as usize,
        hidden,
        globs: glob.as_deref().map(|glob| scope.filter(glob)).transpose()?,
        cap: max_results.clamp(1, 2000) as usize,
    };
    let matches = search.run(&scope)?;
    Ok(render(&scope, matches, Layout::Flat, context > 0))
}
