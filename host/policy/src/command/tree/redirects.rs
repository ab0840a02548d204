//! Redirections and here-documents: where a command's output goes, and what it gets to read.

use super::grammar::WORDS;
use super::{MAX_NODES_DEEP, Reader, empty, heredoc};
use crate::command::{MAX_DEPTH, Part, Word, judge, paths, word};
use tree_sitter::Node;

/// What redirections do to a command.
#[derive(Default, Clone)]
pub(super) struct Redirects {
    pub(super) targets: Vec<Word>,
    pub(super) writes: Vec<Word>,
    /// Words of the command that stand behind a redirection.
    pub(super) words: Vec<Word>,
    /// Texts that the command gets as its input.
    pub(super) texts: Vec<String>,
}

impl Reader {
    pub(super) fn redirected(
        &mut self,
        node: Node<'_>,
        source: &str,
        mut redirects: Redirects,
        at: (usize, usize),
    ) {
        let body = node.child_by_field_name("body");
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if Some(child) != body {
                let more = self.redirect(child, source, at.0, at.1);
                redirects.targets.extend(more.targets);
                redirects.writes.extend(more.writes);
                redirects.words.extend(more.words);
                redirects.texts.extend(more.texts);
            }
        }
        match body {
            Some(body) if body.kind() == "command" => self.command(body, source, redirects, (at.0, at.1 + 1)),
            Some(body) if body.kind() == "redirected_statement" && at.1 < MAX_NODES_DEEP => {
                self.redirected(body, source, redirects, (at.0, at.1 + 1));
            }
            Some(body) => {
                if !redirects.words.is_empty() {
                    self.hide("words stand behind a redirection of several commands");
                }
                let index = self.found.parts.len();
                self.visit(body, source, at.0, at.1 + 1);
                self.texts.extend(redirects.texts.iter().map(|text| (text.clone(), at.0)));
                let inner = self.found.parts.split_off(index.min(self.found.parts.len()));
                self.found.parts.extend(inner.into_iter().map(|part| redirected(part, &redirects)));
            }
            None => {
                let words = std::mem::take(&mut redirects.words);
                self.words(&words, &redirects, false, at.0);
            }
        }
    }

    /// One redirection. The commands that the grammar puts inside of it are read here.
    pub(super) fn redirect(&mut self, node: Node<'_>, source: &str, depth: usize, deep: usize) -> Redirects {
        let mut redirects = Redirects::default();
        let text = source.get(node.byte_range()).unwrap_or_default();
        if node.kind() == "heredoc_redirect" {
            if !heredoc::is_plain(node, source) {
                self.hide("it is not certain where a here-document ends");
            }
            let mut cursor = node.walk();
            for child in node.named_children(&mut cursor) {
                match child.kind() {
                    "heredoc_body" | "heredoc_start" | "heredoc_end" | "file_descriptor" => {
                        self.children(child, source, depth, deep + 1)
                    }
                    "file_redirect" | "herestring_redirect" => {
                        let more = self.redirect(child, source, depth, deep + 1);
                        redirects.targets.extend(more.targets);
                        redirects.writes.extend(more.writes);
                        redirects.words.extend(more.words);
                    }
                    kind if WORDS.contains(&kind) => {
                        redirects.words.push(word::read(child, source));
                        self.overlooked(child, source);
                        self.children(child, source, depth, deep + 1);
                    }
                    _ => self.visit(child, source, depth, deep + 1),
                }
            }
            redirects.texts.push(text.split_once('\n').map_or("", |(_, body)| body).to_owned());
            return redirects;
        }
        let mut words = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| child.kind() != "file_descriptor") {
            words.push(word::read(child, source));
            self.visit(child, source, depth, deep + 1);
        }
        let mut words = words.into_iter();
        let Some(target) = words.next() else { return redirects };
        redirects.words.extend(words);
        if node.kind() == "herestring_redirect" {
            redirects.texts.push(target.text);
            return redirects;
        }
        let stream = target.is_static()
            && text.contains('&')
            && target.text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit());
        if !stream {
            // `>` into a process is judged as the process.
            let into_process =
                node.named_child(0).is_some_and(|child| child.kind() == "process_substitution");
            if text.contains('>') && target.text != "/dev/null" && !into_process {
                redirects.writes.push(target.clone());
            }
            redirects.targets.push(target);
        }
        redirects
    }

    /// Redirections without a command: `> file` empties the file.
    pub(super) fn apply_to_nothing(&mut self, redirects: &Redirects, at: (usize, usize)) {
        if !redirects.words.is_empty() && at.0 < MAX_DEPTH {
            let words = redirects.words.clone();
            let rest = Redirects { words: Vec::new(), ..redirects.clone() };
            return self.words(&words, &rest, false, at.0 + 1);
        }
        if !redirects.targets.is_empty() || !redirects.texts.is_empty() {
            let part = redirected(empty(&[]), redirects);
            self.push(part);
        }
        self.texts.extend(redirects.texts.iter().map(|text| (text.clone(), at.0)));
    }
}

/// The part with what its redirections do.
pub(super) fn redirected(mut part: Part, redirects: &Redirects) -> Part {
    for target in &redirects.writes {
        let (severity, why) = judge::redirect(target);
        if severity > part.severity {
            (part.severity, part.why) = (severity, why.to_owned());
        }
        part.safe = false;
        part.writes_outside |= !target.is_static() || paths::leads_outside(&target.text);
    }
    for target in &redirects.targets {
        part.safe &= target.is_static() && !paths::leads_outside(&target.text);
        part.redirects.push(target.text.clone());
    }
    part
}
