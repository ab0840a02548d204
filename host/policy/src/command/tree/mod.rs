//! Walks the grammar's tree and makes parts of it. What the walk does not know is hidden: a new kind of node can only tighten.

mod grammar;
mod heredoc;
mod redirects;
mod simple;

use super::wrapper::dangerous_variable;
use super::{Analysis, MAX_DEPTH, MAX_PARSED, MAX_PARTS, Part, Word};
use crate::Severity;
use grammar::{STRUCTURE, WORDS};
use redirects::Redirects;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// The most of each of these that are parsed: the grammar's time grows with the square of their number.
const MAX_COUNTS: &[(&str, usize)] = &[("|", 512), ("(", 512), ("<<", 64)];
/// How deep the nodes of one tree are followed.
const MAX_NODES_DEEP: usize = 80;

pub(super) struct Reader {
    found: Analysis,
    functions: BTreeSet<String>,
    /// Whether a shell that reads its input was seen.
    shell_reads: bool,
    /// Texts that such a shell may get.
    texts: Vec<(String, usize)>,
    /// Whether the line goes to a place where everything here is vital.
    at_vital_place: bool,
    /// Parts that would destroy everything in such a place.
    destroys_here: Vec<usize>,
}

impl Reader {
    pub(super) fn new() -> Reader {
        Reader {
            found: Analysis::default(),
            functions: BTreeSet::new(),
            shell_reads: false,
            texts: Vec::new(),
            at_vital_place: false,
            destroys_here: Vec::new(),
        }
    }

    fn hide(&mut self, why: &str) {
        self.found.hidden.get_or_insert_with(|| why.to_owned());
    }

    /// Reads a line, or one within another.
    pub(super) fn line(&mut self, line: &str, depth: usize) {
        if is_fork_bomb(line) {
            let why = "it starts itself without end";
            self.push(Part {
                severity: Severity::Critical,
                why: why.to_owned(),
                hidden: Some(why.to_owned()),
                ..empty(&[])
            });
        }
        if depth > MAX_DEPTH {
            return self.hide("commands stand in commands too deeply");
        }
        if line.len() > MAX_PARSED {
            return self.hide("the line is too long to be taken apart");
        }
        // Control characters are read in one way by the grammar, in another by the shell.
        if line.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
            return self.hide("there are control characters in the line");
        }
        if MAX_COUNTS.iter().any(|(what, most)| line.matches(what).count() > *most) {
            return self.hide("the line has too many commands to be taken apart");
        }
        // The shell joins the lines before it looks for a substitution, the grammar afterwards.
        if line.contains("$\\\n") {
            return self.hide("a line goes on in the middle of an expansion");
        }
        match grammar::parse(line) {
            None => self.hide("the line cannot be parsed"),
            Some(tree) => {
                let root = tree.root_node();
                if root.has_error() {
                    self.hide("the line is not valid for the shell");
                }
                self.visit(root, line, depth, 0);
            }
        }
    }

    /// The end: what only the whole line shows.
    pub(super) fn finish(mut self) -> Analysis {
        if self.shell_reads {
            for (text, depth) in std::mem::take(&mut self.texts) {
                self.line(&text, depth + 1);
            }
        }
        if self.at_vital_place {
            for index in &self.destroys_here {
                if let Some(part) = self.found.parts.get_mut(*index) {
                    part.severity = Severity::Critical;
                    part.why = "it deletes all that is in a vital directory".to_owned();
                }
            }
        }
        for part in &mut self.found.parts {
            if part.words.first().is_some_and(|name| self.functions.contains(name)) {
                part.safe = false;
                part.key = None;
                part.hidden = Some("its name is redefined in the same line".to_owned());
            }
        }
        self.found
    }

    fn push(&mut self, part: Part) {
        if self.found.parts.len() < MAX_PARTS {
            self.found.parts.push(part);
        } else {
            self.hide("the line has too many parts");
        }
    }

    fn children(&mut self, node: Node<'_>, source: &str, depth: usize, deep: usize) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.visit(child, source, depth, deep + 1);
        }
    }

    /// Hides a word in which the grammar overlooks what would run.
    fn overlooked(&mut self, word: Node<'_>, source: &str) {
        if grammar::overlooks_backquotes(word, source) || grammar::misreads_expansion(word, source) {
            self.hide("a substitution was not understood");
        }
    }

    fn visit(&mut self, node: Node<'_>, source: &str, depth: usize, deep: usize) {
        if deep > MAX_NODES_DEEP {
            return self.hide("the line is nested too deeply");
        }
        match node.kind() {
            "command" => self.command(node, source, Redirects::default(), (depth, deep)),
            "redirected_statement" => self.redirected(node, source, Redirects::default(), (depth, deep)),
            "declaration_command" | "unset_command" | "test_command" => {
                self.builtin(node, source, depth, deep)
            }
            "variable_assignment" => {
                self.assignment(node, source);
                self.children(node, source, depth, deep);
            }
            "function_definition" => self.function(node, source, depth, deep),
            "heredoc_redirect" | "herestring_redirect" | "file_redirect" => {
                let redirects = self.redirect(node, source, depth, deep);
                self.apply_to_nothing(&redirects, (depth, deep));
            }
            kind if STRUCTURE.contains(&kind) => {
                if kind == "command_substitution" && grammar::escapes_backquotes(node, source) {
                    self.hide("a substitution within backquotes is escaped");
                }
                if grammar::gaps(node, source) {
                    self.hide("part of the line was not understood");
                }
                self.children(node, source, depth, deep);
            }
            kind if WORDS.contains(&kind) => {
                self.overlooked(node, source);
                self.children(node, source, depth, deep);
            }
            _ => {
                self.hide("part of the line was not understood");
                self.children(node, source, depth, deep);
            }
        }
    }

    /// `export`, `declare`, `unset`, `[ … ]`.
    fn builtin(&mut self, node: Node<'_>, source: &str, depth: usize, deep: usize) {
        let text = source.get(node.byte_range()).unwrap_or_default();
        let words: Vec<Word> = text.split_ascii_whitespace().map(Word::plain).collect();
        let mut part = empty(&words);
        part.key = words.first().map(|word| word.text.clone()).filter(|name| crate::check_key(name).is_ok());
        // The inside of a test is evaluated: substitutions in array indices run, even quoted ones.
        part.safe =
            node.kind() == "test_command" && !text.contains(['$', '`']) && text.matches('[').count() <= 2;
        let mut cursor = node.walk();
        let assignments =
            node.named_children(&mut cursor).filter(|child| child.kind() == "variable_assignment");
        if assignments.into_iter().any(|child| dangerous_assignment(child, source))
            || declares_dangerously(&words)
        {
            part.key = None;
            part.hidden = Some("it sets a variable that changes what programs run".to_owned());
        }
        if node.kind() != "test_command" {
            part.severity = Severity::Medium;
            part.why = "it changes variables of the shell".to_owned();
        }
        self.push(part);
        self.children(node, source, depth, deep);
    }

    /// An assignment without a command stays in the shell.
    fn assignment(&mut self, node: Node<'_>, source: &str) {
        // Those inside of declarations and loops belong to them.
        if node
            .parent()
            .is_some_and(|parent| ["declaration_command", "c_style_for_statement"].contains(&parent.kind()))
        {
            return;
        }
        let text = source.get(node.byte_range()).unwrap_or_default();
        let mut part = empty(&[Word::plain(text)]);
        if dangerous_assignment(node, source) {
            part.hidden = Some("it sets a variable that changes what programs run".to_owned());
        }
        self.push(part);
    }

    fn function(&mut self, node: Node<'_>, source: &str, depth: usize, deep: usize) {
        let name = node
            .child_by_field_name("name")
            .and_then(|name| source.get(name.byte_range()))
            .unwrap_or_default();
        self.functions.insert(name.to_owned());
        self.children(node, source, depth, deep);
    }
}

fn empty(words: &[Word]) -> Part {
    Part {
        words: words.iter().map(|word| word.text.clone()).collect(),
        key: None,
        severity: Severity::None,
        safe: false,
        hidden: None,
        why: String::new(),
        redirects: Vec::new(),
        writes_outside: false,
        globs: words
            .iter()
            .skip(1)
            .filter(|word| word.glob || word.brace)
            .map(|word| word.text.clone())
            .collect(),
    }
}

/// `export "PATH=x"`: quotes hide an assignment from the grammar.
fn declares_dangerously(words: &[Word]) -> bool {
    words.iter().skip(1).any(|word| {
        let text = word.text.trim_start_matches(['"', '\'', '\\', '$']);
        text.split_once('=').is_some_and(|(name, _)| dangerous_variable(name))
    })
}

fn dangerous_assignment(node: Node<'_>, source: &str) -> bool {
    let text = source.get(node.byte_range()).unwrap_or_default();
    let name = text.split(['=', '+', '[']).next().unwrap_or_default();
    dangerous_variable(name)
}

/// `:(){ :|:& };:` under any name.
fn is_fork_bomb(line: &str) -> bool {
    let dense: String = line.chars().filter(|c| !c.is_whitespace()).take(4096).collect();
    dense.match_indices("(){").any(|(at, _)| {
        let name = dense
            .get(..at)
            .unwrap_or_default()
            .rsplit([';', '&', '|', '(', '{', '\'', '"'])
            .next()
            .unwrap_or_default();
        let name = name.strip_prefix("function").unwrap_or(name);
        let body = dense.get(at + 3..).unwrap_or_default();
        !name.is_empty()
            && (body.starts_with(&format!("{name}|{name}")) || body.starts_with(&format!("{name}&")))
    })
}
