//! A line for the shell, taken apart with bash's grammar: every part that would run, what it would destroy, and
//! whether it is known to only read. What cannot be told is *hidden* and asks, whatever the mode.

mod judge;
mod paths;
mod safe;
mod tree;
mod word;
mod wrapper;

use crate::Severity;
use serde::Serialize;
use word::Word;

/// The longest line that is parsed, in bytes. Longer ones are hidden: they ask. (The grammar's worst inputs need time
/// that grows with the square of their length.)
pub const MAX_PARSED: usize = 64 * 1024;
/// How deep commands may stand in commands (`sh -c`, `eval`, substitutions) before they count as hidden.
pub const MAX_DEPTH: usize = 10;
/// The most parts of one line.
pub const MAX_PARTS: usize = 512;

/// One command of a line: a program with its words, after wrappers such as `env` and `timeout`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The words, without quotes; what is only known at run time is left out of them.
    pub words: Vec<String>,
    /// What an approval is remembered under (spec C9): the program. `None` where its name does not tell what runs.
    pub key: Option<String>,
    /// What it can destroy.
    pub severity: Severity,
    /// Whether it is known to only read, inside the workspace.
    pub safe: bool,
    /// Why it cannot be told what it does, where that is so.
    pub hidden: Option<String>,
    /// Why its severity is what it is; empty for none.
    pub why: String,
    /// Paths that its redirections name.
    pub redirects: Vec<String>,
    /// Whether a redirection writes outside the workspace, or to a place only known at run time.
    pub writes_outside: bool,
    #[serde(skip)]
    pub(crate) globs: Vec<String>,
}

impl Part {
    /// The words as one text: what patterns of rules are held against.
    #[must_use]
    pub fn text(&self) -> String {
        self.words.join(" ")
    }
}

/// All parts of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default)]
pub struct Analysis {
    /// In the order in which they stand, outer before inner.
    pub parts: Vec<Part>,
    /// Why the line as a whole cannot be read, where that is so.
    pub hidden: Option<String>,
}

impl Analysis {
    /// The worst of all parts.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.parts.iter().map(|part| part.severity).max().unwrap_or_default()
    }

    /// Whether every part is known to only read. A line without a part is not: nothing is known about it.
    #[must_use]
    pub fn safe(&self) -> bool {
        self.hidden.is_none() && !self.parts.is_empty() && self.parts.iter().all(|part| part.safe)
    }

    /// The first reason why it cannot be told what the line does.
    #[must_use]
    pub fn hidden(&self) -> Option<&str> {
        self.hidden.as_deref().or_else(|| self.parts.iter().find_map(|part| part.hidden.as_deref()))
    }

    /// The one key of all parts; `None` where they differ or one has none.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        let first = self.parts.first()?.key.as_deref()?;
        let same = self.hidden.is_none() && self.parts.iter().all(|part| part.key.as_deref() == Some(first));
        same.then_some(first)
    }
}

/// Takes a line apart. Never fails: what is not understood is said in the result.
#[must_use]
pub fn analyse(line: &str) -> Analysis {
    let mut reader = tree::Reader::new();
    reader.line(line, 0);
    reader.finish()
}

/// The last component of a program's name, without `.exe`.
fn base_name(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Whether one of a program's short options, alone or in a cluster, is this letter; long ones are given in full.
fn has_option(words: &[Word], short: &str, long: &[&str]) -> bool {
    words.iter().take_while(|word| word.text != "--").any(|word| {
        let text = word.text.as_str();
        match text.strip_prefix("--") {
            Some(_) => long.iter().any(|long| {
                let name = text.split('=').next().unwrap_or_default();
                // Long options may be cut short.
                name == *long || (name.len() > 3 && long.starts_with(name))
            }),
            None => text.strip_prefix('-').is_some_and(|cluster| cluster.contains(|c| short.contains(c))),
        }
    })
}

/// What follows the program that is no option.
fn operands(words: &[Word]) -> impl Iterator<Item = &Word> {
    let mut ended = false;
    words.iter().skip(1).filter(move |word| {
        let is_end = !ended && word.text == "--";
        ended |= is_end;
        !is_end && (ended || !word.is_option())
    })
}
