//! What of the grammar is known here, and the parser behind its bounds.

use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

/// How often the parser may report progress before it is stopped; the worst accepted input seen needs a tenth.
const MAX_STEPS: usize = 50_000;

/// Kinds of nodes that hold commands and say nothing themselves.
pub(super) const STRUCTURE: &[&str] = &[
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
pub(super) const WORDS: &[&str] = &[
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
pub(super) const KEYWORDS: &[&str] = &[
    "!", "{", "}", "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "coproc", "in", "[[", "]]", "((", "))",
];

/// Whether something other than blanks stands between the children.
pub(super) fn gaps(node: Node<'_>, source: &str) -> bool {
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

/// Whether a substitution in backquotes holds escapes: the shell takes them away and reads the text once more.
pub(super) fn escapes_backquotes(node: Node<'_>, source: &str) -> bool {
    let text = source.get(node.byte_range()).unwrap_or("`\\`");
    text.starts_with('`') && ["\\`", "\\$", "\\\\", "\\\""].iter().any(|escape| text.contains(escape))
}

/// Whether `${…}` holds what the grammar reads otherwise than the shell: quotes within it are letters where it stands in
/// double quotes, and processes are not looked for.
pub(super) fn misreads_expansion(node: Node<'_>, source: &str) -> bool {
    let text = source.get(node.byte_range()).unwrap_or("<(");
    let within = |these: &[&str]| these.iter().any(|this| text.contains(this));
    node.kind() == "expansion" && (within(&["<(", ">("]) || (text.contains('\'') && within(&["`", "$("])))
}

/// Whether a piece of a word holds a backquote that is not escaped: in `${x:-…}` the grammar takes it for a letter.
pub(super) fn overlooks_backquotes(node: Node<'_>, source: &str) -> bool {
    let mut escaped = false;
    let letters = ["word", "regex", "extglob_pattern", "string_content"].contains(&node.kind());
    letters
        && source.get(node.byte_range()).unwrap_or("`").chars().any(|c| {
            let found = c == '`' && !escaped;
            escaped = c == '\\' && !escaped;
            found
        })
}

pub(super) fn parse(line: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut steps = 0;
    let mut progress = |_: &ParseState| {
        steps += 1;
        if steps > MAX_STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    // The grammar's scanner looks letters up in a table of 256 and reads beyond it for others, which ends the process:
    // it gets a letter of words that is in no name instead, of the same length, so that places stay the same.
    let ascii: Vec<u8> = line.bytes().map(|byte| if byte.is_ascii() { byte } else { b'.' }).collect();
    let bytes = ascii.as_slice();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}
