use crate::collect::Paths;
use crate::render::{one_line, plural};
use crate::scope::{Scope, bad_glob};
use globset::{GlobBuilder, GlobMatcher};
use stud_plugin_api::prelude::*;

fn key(arguments: &search_files) -> String {
    stud_plugin_api::approval::directory(&arguments.path)
}

/// Finds files by name with a glob and returns their paths, sorted. A pattern without a slash (`*.rs`) matches names
/// in any directory; one with a slash (`src/**/*.rs`) matches paths below `path`. Files that git ignores are left out.
#[tool(
    side_effects = "read",
    category = "search",
    approval_key = key,
    examples({"pattern": "*.rs"}, {"pattern": "**/test_*.py", "path": "backend"})
)]
pub fn search_files(
    ctx: &Context,
    /// The glob: `*` within a name, `**` across directories, `?`, `[ab]`, `{a,b}`.
    #[arg(alias("glob", "query"))]
    pattern: String,
    /// The directory to search, relative to the workspace root. Default: the root.
    #[arg(alias("file", "filePath", "directory"), default = ".")]
    path: String,
    /// Also find hidden files and those in hidden directories (but not in `.git`).
    #[arg(default)]
    hidden: bool,
    /// Paths to return at most. Default 200.
    #[arg(default = 200u32, min = 1, max = 5000)]
    max_results: u32,
) -> Result<String> {
    let glob = Glob::new(&pattern)?;
    let scope = Scope::new(ctx, &path)?;
    if scope.is_file {
        let message = format!("`{path}` is a file: name the directory to search, or read the file");
        return Err(Error::invalid(message).code("not_a_directory"));
    }
    let paths = Paths::new(max_results.clamp(1, 5000) as usize);
    scope.walk(hidden, None, || {
        |entry| {
            if !glob.matches(&scope, entry) {
                return;
            }
            match scope.relative(entry.path()) {
                Some(path) => paths.add(path),
                None => scope.note_unreadable(),
            }
        }
    });
    ctx.check_cancelled()?;
    let (found, total) = paths.finish();
    ctx.metadata("total", total);
    ctx.metadata("shown", found.len());
    ctx.metadata("complete", !scope.incomplete());
    let mut out: String = found.iter().map(|path| one_line(path) + "\n").collect();
    out.push_str(&note(&scope, &pattern, found.len() as u64, total));
    Ok(out)
}

fn note(scope: &Scope<'_>, pattern: &str, shown: u64, total: u64) -> String {
    let at_least = if scope.incomplete() { "at least " } else { "" };
    let place = if scope.path == "." { "the workspace".to_owned() } else { format!("`{}`", scope.path) };
    let mut note = match total {
        0 if !pattern.contains(['*', '?', '[', '{']) => {
            format!("no file in {place} is called `{pattern}`; for a part of a name write `*{pattern}*`")
        }
        0 => format!("no file in {place} matches `{pattern}`"),
        _ if shown < total => {
            let files = plural(total, "file", "files");
            format!("{shown} of {at_least}{files} shown: narrow the pattern, or raise max_results")
        }
        _ => format!("{at_least}{}", plural(total, "file", "files")),
    };
    if scope.incomplete() {
        note.push_str("; stopped before the end, because the time was nearly up: search a smaller directory");
    }
    if scope.unreadable() > 0 {
        let places = plural(scope.unreadable(), "place", "places");
        note.push_str(&format!("; {places} could not be read or have names that are not UTF-8"));
    }
    format!("[{note}]\n")
}

/// A pattern for names, or for paths.
struct Glob {
    matcher: GlobMatcher,
    whole_path: bool,
}

impl Glob {
    fn new(pattern: &str) -> Result<Glob> {
        if pattern.is_empty() {
            return Err(Error::invalid("the pattern is empty: say which names to find, such as `*.rs`")
                .code("invalid_glob"));
        }
        if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
            return Err(bad_glob(pattern, "patterns are relative to `path` and cannot lead out of it"));
        }
        let relative = pattern.trim_start_matches("./");
        let glob = GlobBuilder::new(relative).literal_separator(true).build();
        let glob = glob.map_err(|error| bad_glob(pattern, &error.kind().to_string()))?;
        Ok(Glob { matcher: glob.compile_matcher(), whole_path: relative.contains('/') })
    }

    fn matches(&self, scope: &Scope<'_>, entry: &ignore::DirEntry) -> bool {
        if self.whole_path {
            scope.below(entry.path()).is_some_and(|path| self.matcher.is_match(path))
        } else {
            self.matcher.is_match(entry.file_name())
        }
    }
}
