use crate::engine::Search;
use crate::pattern::{Reading, matcher};
use crate::render::{Layout, render};
use crate::scope::Scope;
use stud_plugin_api::prelude::*;

fn key(arguments: &find_references) -> String {
    stud_plugin_api::approval::directory(&arguments.path)
}

/// Finds where an identifier is used: the whole word, case-sensitive, as text (comments and strings included). Groups
/// the lines by file. For parts of words and for patterns, use grep.
#[tool(
    side_effects = "read",
    category = "search",
    approval_key = key,
    examples({"identifier": "parse_config"}, {"identifier": "UserStore", "path": "src", "glob": "*.py"})
)]
pub fn find_references(
    ctx: &Context,
    /// The identifier, exactly as written in the code.
    #[arg(alias("symbol", "name"))]
    identifier: String,
    /// The directory or file to search, relative to the workspace root. Default: the root.
    #[arg(alias("file", "filePath", "directory"), default = ".")]
    path: String,
    /// Only files that match this glob, such as `*.rs`.
    glob: Option<String>,
    /// Lines to show at most. Default 200.
    #[arg(default = 200u32, min = 1, max = 2000)]
    max_results: u32,
) -> Result<String> {
    if identifier.trim() != identifier || identifier.contains(char::is_whitespace) {
        let message =
            format!("{identifier:?} is no identifier, it has white space: give one name, or use grep");
        return Err(Error::invalid(message).code("invalid_identifier"));
    }
    if !identifier.is_empty() && !identifier.chars().any(|c| c.is_alphanumeric() || c == '_') {
        let message = format!("`{identifier}` is no identifier: use grep with fixed_strings for signs");
        return Err(Error::invalid(message).code("invalid_identifier"));
    }
    let matcher = matcher(&identifier, Reading { fixed_strings: true, word: true, ..Reading::default() })?;
    let scope = Scope::new(ctx, &path)?;
    let search = Search {
        matcher,
        context: 0,
        hidden: false,
        globs: glob.as_deref().map(|glob| scope.filter(glob)).transpose()?,
        cap: max_results.clamp(1, 2000) as usize,
    };
    let matches = search.run(&scope)?;
    Ok(render(&scope, matches, Layout::Grouped, false))
}
