//! Simple commands, and what they run in turn.

use super::grammar::KEYWORDS;
use super::redirects::{Redirects, redirected};
use super::{Reader, dangerous_assignment, empty};
use crate::Severity;
use crate::command::wrapper::{self, Inner};
use crate::command::{MAX_DEPTH, Part, Word, base_name, judge, operands, paths, safe, word};
use tree_sitter::Node;

impl Reader {
    /// A simple command: assignments, words, redirections among them.
    pub(super) fn command(
        &mut self,
        node: Node<'_>,
        source: &str,
        mut redirects: Redirects,
        at: (usize, usize),
    ) {
        let mut words: Vec<Word> = Vec::new();
        // Where the last word ended: what follows without a blank belongs to it.
        let mut end = None;
        let mut dangerous = false;
        let mut assigned = false;
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "variable_assignment" => {
                    assigned = true;
                    dangerous |= dangerous_assignment(child, source);
                    self.children(child, source, at.0, at.1 + 1);
                }
                "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    let more = self.redirect(child, source, at.0, at.1);
                    redirects.targets.extend(more.targets);
                    redirects.writes.extend(more.writes);
                    redirects.texts.extend(more.texts);
                    words.extend(more.words);
                }
                "comment" => {}
                _ => {
                    // The dollar sign of a translated text is no node with a name.
                    let word = if child.is_named() {
                        word::read(child, source)
                    } else {
                        Word { dynamic: true, ..Word::default() }
                    };
                    match words.last_mut() {
                        Some(last) if end == Some(child.start_byte()) => last.append(&word),
                        _ => words.push(word),
                    }
                    end = Some(child.end_byte());
                    self.overlooked(child, source);
                    self.children(child, source, at.0, at.1 + 1);
                }
            }
        }
        words.append(&mut redirects.words);
        let index = self.found.parts.len();
        self.words(&words, &redirects, false, at.0);
        if assigned || dangerous {
            for part in self.found.parts.iter_mut().skip(index) {
                part.safe = false;
                if dangerous {
                    part.key = None;
                    part.hidden = Some("a variable before it changes what programs run".to_owned());
                }
            }
        }
    }

    /// A command as words: looked through where it runs another one.
    pub(super) fn words(
        &mut self,
        words: &[Word],
        redirects: &Redirects,
        more_arguments: bool,
        depth: usize,
    ) {
        if depth > MAX_DEPTH {
            return self.hide("commands stand in commands too deeply");
        }
        let Some(program) = words.first() else {
            return self.apply_to_nothing(redirects, (depth, 0));
        };
        let hides_name = !program.is_static() || program.text.is_empty();
        let keyword = KEYWORDS.contains(&program.text.as_str());
        if !hides_name && let Some(wrapped) = wrapper::look_through(words) {
            return self.wrapper(words, wrapped, redirects, more_arguments, depth);
        }
        let (severity, why) = judge::judge(words);
        let mut part = Part { severity, why: why.to_owned(), ..empty(words) };
        if hides_name || keyword {
            part.hidden = Some("which program runs is only known at run time".to_owned());
        } else if judge::hides_its_target(words, more_arguments) {
            part.hidden = Some("what it destroys is only known at run time".to_owned());
        } else {
            part.key = crate::check_key(&program.text).is_ok().then(|| program.text.clone());
            part.safe = safe::is_safe(words) && !more_arguments;
        }
        if runs_inline_code(words) {
            part.key = None;
        }
        let name = base_name(&program.text);
        if matches!(name, "cd" | "pushd") {
            let target = operands(words).next();
            self.at_vital_place |= target.is_none_or(|word| {
                paths::is_vital(word) || (word.dynamic && paths::normalise(&word.text) == ".")
            });
        }
        if matches!(name, "echo" | "printf") {
            self.texts.extend(words.iter().skip(1).map(|word| (word.text.clone(), depth)));
            self.texts.push((
                words.iter().skip(1).map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "),
                depth,
            ));
        }
        self.texts.extend(redirects.texts.iter().map(|text| (text.clone(), depth)));
        let destroys = part.severity == Severity::High && matches!(name, "rm" | "chmod" | "chown" | "find");
        if destroys && words.iter().skip(1).any(paths::is_everything_here) {
            self.destroys_here.push(self.found.parts.len());
        }
        self.push(redirected(part, redirects));
    }

    fn wrapper(
        &mut self,
        words: &[Word],
        wrapped: wrapper::Wrapped,
        redirects: &Redirects,
        more_arguments: bool,
        depth: usize,
    ) {
        let index = self.found.parts.len();
        self.shell_reads |= wrapped.reads_input;
        self.texts.extend(redirects.texts.iter().map(|text| (text.clone(), depth)));
        let wraps_nothing = wrapped.inner.is_empty();
        if wrapped.own.is_some() || wrapped.hidden.is_some() || wraps_nothing {
            let base = words.first().map_or("", |program| base_name(&program.text));
            let (severity, why) = judge::judge(words);
            let own = wrapped.own.filter(|(own, _)| *own > severity).unwrap_or((severity, why));
            let reading = if wrapped.reads_input && own.0 < Severity::High {
                (Severity::High, "a shell runs what it reads")
            } else {
                own
            };
            let mut part = Part {
                severity: reading.0,
                why: reading.1.to_owned(),
                hidden: wrapped.hidden.map(str::to_owned),
                ..empty(words)
            };
            // A search that runs a program keeps its own name; the program has a part of its own.
            if matches!(base, "find" | "fd" | "fdfind") && part.hidden.is_none() {
                part.key = words.first().map(|program| program.text.clone());
            }
            part.safe = part.hidden.is_none() && wraps_nothing && safe::is_safe(words);
            self.push(redirected(part, redirects));
        }
        for inner in wrapped.inner {
            match inner {
                Inner::Words(inner) => {
                    self.words(&inner, redirects, more_arguments || wrapped.more_arguments, depth + 1)
                }
                Inner::Line(line) => {
                    if !line.is_static() {
                        self.hide("a line for a shell is only known at run time");
                    }
                    self.line(&line.text, depth + 1);
                }
            }
        }
        if !redirects.writes.is_empty() {
            for part in self.found.parts.iter_mut().skip(index) {
                part.safe = false;
            }
        }
    }
}

/// `python -c CODE` and the like: the name tells less than nothing.
fn runs_inline_code(words: &[Word]) -> bool {
    let interpreters = [
        "python",
        "python2",
        "python3",
        "perl",
        "ruby",
        "node",
        "deno",
        "bun",
        "php",
        "lua",
        "awk",
        "gawk",
        "mawk",
        "osascript",
    ];
    let Some(program) = words.first() else { return false };
    let name = base_name(&program.text);
    let awk = name.ends_with("awk");
    let code = words.iter().skip(1).any(|word| {
        matches!(word.text.get(..2), Some("-c" | "-e" | "-E" | "-r" | "-p"))
            || word.text == "-"
            || word.text == "--eval"
    });
    interpreters.contains(&name) && (awk || code || words.len() == 1)
}
