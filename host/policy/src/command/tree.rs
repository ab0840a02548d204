//! Walks the grammar's tree and makes parts of it. What the walk does not know is hidden: a new kind of node can only tighten.

use super::wrapper::{self, Inner};
use super::{Analysis, MAX_DEPTH, MAX_PARSED, MAX_PARTS, Part, Word, base_name, judge, paths, safe, word};
use crate::Severity;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

/// The most of each of these that are parsed: the grammar's time grows with the square of their number.
const MAX_COUNTS: &[(&str, usize)] = &[("|", 512), ("(", 512), ("<<", 64)];
/// How often the parser may report progress before it is stopped; the worst accepted input seen needs a tenth.
const MAX_STEPS: usize = 50_000;
/// How deep the nodes of one tree are followed.
const MAX_NODES_DEEP: usize = 200;

/// Kinds of nodes that hold commands and say nothing themselves.
const STRUCTURE: &[&str] = &[
    "program",
    "list",
    "pipeline",
    "subshell",
    "compound_statement",
    "if_statement",
    "elif_clause",
    "else_clause",
    "for_statement",
    "c_style_for_statement",
    "while_statement",
    "case_statement",
    "case_item",
    "do_group",
    "negated_command",
    "command_substitution",
    "process_substitution",
    "variable_assignments",
];
/// Kinds of nodes that are words or parts of words: only the substitutions in them matter.
const WORDS: &[&str] = &[
    "word",
    "number",
    "string",
    "string_content",
    "raw_string",
    "ansi_c_string",
    "translated_string",
    "concatenation",
    "simple_expansion",
    "expansion",
    "arithmetic_expansion",
    "brace_expression",
    "variable_name",
    "special_variable_name",
    "subscript",
    "array",
    "binary_expression",
    "unary_expression",
    "postfix_expression",
    "ternary_expression",
    "parenthesized_expression",
    "test_operator",
    "regex",
    "extglob_pattern",
    "heredoc_body",
    "heredoc_content",
    "heredoc_start",
    "heredoc_end",
    "file_descriptor",
    "comment",
    "command_name",
];
/// Words of the grammar: as a program's name they mean that the line was not understood.
const KEYWORDS: &[&str] = &[
    "!", "{", "}", "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "coproc", "in", "[[", "]]", "((", "))",
];

/// What redirections do to a command.
#[derive(Default, Clone)]
struct Redirects {
    targets: Vec<Word>,
    writes: Vec<Word>,
    /// Words of the command that stand behind a redirection.
    words: Vec<Word>,
    /// Texts that the command gets as its input.
    texts: Vec<String>,
}

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
        match parse(line) {
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
                if gaps(node, source) {
                    self.hide("part of the line was not understood");
                }
                self.children(node, source, depth, deep);
            }
            kind if WORDS.contains(&kind) => self.children(node, source, depth, deep),
            _ => {
                self.hide("part of the line was not understood");
                self.children(node, source, depth, deep);
            }
        }
    }

    /// A simple command: assignments, words, redirections among them.
    fn command(&mut self, node: Node<'_>, source: &str, mut redirects: Redirects, at: (usize, usize)) {
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
                    let word = if child.is_named() { word::read(child, source) } else { Word { dynamic: true, ..Word::default() } };
                    match words.last_mut() {
                        Some(last) if end == Some(child.start_byte()) => last.append(&word),
                        _ => words.push(word),
                    }
                    end = Some(child.end_byte());
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
    fn words(&mut self, words: &[Word], redirects: &Redirects, more_arguments: bool, depth: usize) {
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
            let target = super::operands(words).next();
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

    /// `export`, `declare`, `unset`, `[ … ]`.
    fn builtin(&mut self, node: Node<'_>, source: &str, depth: usize, deep: usize) {
        let text = source.get(node.byte_range()).unwrap_or_default();
        let words: Vec<Word> = text.split_ascii_whitespace().map(Word::plain).collect();
        let mut part = empty(&words);
        part.key = words.first().map(|word| word.text.clone()).filter(|name| crate::check_key(name).is_ok());
        // The inside of a test is evaluated: substitutions in array indices run, even quoted ones.
        part.safe = node.kind() == "test_command" && !text.contains(['$', '`']) && text.matches('[').count() <= 2;
        let mut cursor = node.walk();
        let assignments = node.named_children(&mut cursor).filter(|child| child.kind() == "variable_assignment");
        if assignments.into_iter().any(|child| dangerous_assignment(child, source)) || declares_dangerously(&words) {
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

    fn redirected(&mut self, node: Node<'_>, source: &str, mut redirects: Redirects, at: (usize, usize)) {
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
    fn redirect(&mut self, node: Node<'_>, source: &str, depth: usize, deep: usize) -> Redirects {
        let mut redirects = Redirects::default();
        let text = source.get(node.byte_range()).unwrap_or_default();
        if node.kind() == "heredoc_redirect" {
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
                    kind if WORDS.contains(&kind) => redirects.words.push(word::read(child, source)),
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
    fn apply_to_nothing(&mut self, redirects: &Redirects, at: (usize, usize)) {
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

/// The part with what its redirections do.
fn redirected(mut part: Part, redirects: &Redirects) -> Part {
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

/// `export "PATH=x"`: quotes hide an assignment from the grammar.
fn declares_dangerously(words: &[Word]) -> bool {
    words.iter().skip(1).any(|word| {
        let text = word.text.trim_start_matches(['"', '\'', '\\', '$']);
        text.split_once('=').is_some_and(|(name, _)| wrapper::dangerous_variable(name))
    })
}

fn dangerous_assignment(node: Node<'_>, source: &str) -> bool {
    let text = source.get(node.byte_range()).unwrap_or_default();
    let name = text.split(['=', '+', '[']).next().unwrap_or_default();
    wrapper::dangerous_variable(name)
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

/// Whether something other than blanks stands between the children.
fn gaps(node: Node<'_>, source: &str) -> bool {
    let mut cursor = node.walk();
    let mut end = node.start_byte();
    for child in node.children(&mut cursor) {
        let gap = source.get(end..child.start_byte()).unwrap_or("?");
        if !gap.replace("\\\n", "").trim_matches([' ', '\t', '\n']).is_empty() {
            return true;
        }
        end = child.end_byte();
    }
    false
}

fn parse(line: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut steps = 0;
    let mut progress = |_: &ParseState| {
        steps += 1;
        if steps > MAX_STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = line.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}
