//! ARCHITECTURE.md speaks of what is there: its paths exist and its names occur in the code.

use crate::code::{code_only, words};
use crate::files::{SourceFile, root, rust_sources};
use std::collections::BTreeSet;
use std::path::Path;

/// The longest that a stranger reads.
const MOST_LINES: usize = 250;

/// What the document can be held against.
struct Repository<'a> {
    exists: &'a dyn Fn(&str) -> bool,
    /// Every word of code.
    words: BTreeSet<String>,
    /// All of the text, for names of files at run time and of variables.
    text: String,
}

impl Repository<'_> {
    fn of<'a>(files: &[SourceFile], exists: &'a dyn Fn(&str) -> bool) -> Repository<'a> {
        let mut all = BTreeSet::new();
        let mut text = String::new();
        for file in files {
            all.extend(words(&code_only(&file.text)).map(|word| word.text.to_owned()));
            text.push_str(&file.text);
        }
        Repository { exists, words: all, text }
    }

    /// Why a name in backticks is none of this repository; nothing for what is no name, such as a command with arguments.
    fn problem(&self, name: &str) -> Option<String> {
        if name.contains(' ') || name.starts_with('~') || name.starts_with(".stud") || name.starts_with('-') {
            return None;
        }
        let missing = |what: &str| Some(format!("`{name}`: there is no such {what}"));
        let is_word = |part: &str| !part.is_empty() && part.chars().all(crate::code::is_word);
        let known = |part: &str| self.words.contains(part);
        if name.contains('/') {
            return if (self.exists)(name) { None } else { missing("path") };
        }
        if let Some(function) = name.strip_suffix("()").or_else(|| name.strip_suffix('!')) {
            return if function.split("::").all(known) { None } else { missing("function or macro") };
        }
        if name.split("::").all(is_word)
            && name.split("::").any(|part| part.starts_with(|c: char| c.is_uppercase()))
        {
            return if name.split("::").all(|part| known(part) || self.text.contains(part)) {
                None
            } else {
                missing("type")
            };
        }
        let is_file = name
            .rsplit_once('.')
            .is_some_and(|(_, ending)| ["rs", "toml", "json", "md", "txt", "so"].contains(&ending));
        if is_file && !(self.exists)(name) && !self.text.contains(name) {
            return missing("file, here or at run time");
        }
        None
    }
}

/// What stands between backticks, with the line; fenced blocks are pictures and are left out.
fn names(document: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (index, line) in document.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            found.extend(line.split('`').skip(1).step_by(2).map(|name| (index + 1, name)));
        }
    }
    found
}

fn outdated(document: &str, repository: &Repository<'_>) -> Vec<String> {
    let mut problems: Vec<String> = names(document)
        .into_iter()
        .filter_map(|(line, name)| Some(format!("ARCHITECTURE.md:{line}: {}", repository.problem(name)?)))
        .collect();
    let lines = document.lines().count();
    if lines > MOST_LINES {
        problems.push(format!("ARCHITECTURE.md has {lines} lines: more than {MOST_LINES} are not read"));
    }
    problems
}

#[test]
fn the_architecture_speaks_of_what_is_there() {
    let document = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let exists = |path: &str| root().join(path).exists();
    // This crate's own made-up names would vouch for themselves.
    let files: Vec<SourceFile> =
        rust_sources().into_iter().filter(|file| !file.path.starts_with("tests/repository/")).collect();
    assert!(names(&document).len() > 50, "the document names hardly anything");
    crate::assert_none(&outdated(&document, &Repository::of(&files, &exists)));
}

#[test]
fn a_name_that_is_gone_is_seen() {
    let exists = |path: &str| Path::new(path) == Path::new("host/core");
    let files = [SourceFile::of(
        "a.rs",
        "struct Known; // struct Gone\nfn known() { read(\"trust.toml\", \"STUD_HOME\") }",
    )];
    let repository = Repository::of(&files, &exists);
    let fine =
        "`host/core` `Known` `Known::known` `known()` `trust.toml` `STUD_HOME` `stud trust` `~/.stud` `word`";
    crate::assert_none(&outdated(fine, &repository));
    crate::assert_none(&outdated("```text\n`Nowhere`\n```\n", &repository));
    for gone in [
        "host/gone.rs",
        "Vanished",
        "Known::Vanished",
        "vanished()",
        "vanished!",
        "gone.toml",
        "VANISHED_VARIABLE",
    ] {
        crate::assert_one(
            &outdated(&format!("a\n`{gone}`"), &repository),
            &format!("ARCHITECTURE.md:2: `{gone}`"),
        );
    }
    crate::assert_one(&outdated(&"\n".repeat(251), &repository), "251 lines");
}
