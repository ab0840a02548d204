//! Where a here-document ends. The grammar takes ends that the shell does not (indented, with something behind, put
//! together from quotes), and what would then run passes for a quoted text. So both have to agree about a plain one.

use std::ops::Range;
use tree_sitter::Node;

/// Whether a here-document is of the plain kind, ends for the grammar where it ends for the shell, and runs nothing that
/// the grammar does not show.
pub(super) fn is_plain(node: Node<'_>, source: &str) -> bool {
    shells_body(node, source).is_some_and(|(body, quoted)| {
        grammars_end(node, source) == Some(body.end)
            && (quoted || !runs_unseen(node, source, body))
            && !in_backquotes(node, source)
    })
}

/// Where its text stands for the shell, up to the name that ends it, and whether it is left as it is. `None` if it is
/// not plain.
fn shells_body(node: Node<'_>, source: &str) -> Option<(Range<usize>, bool)> {
    let rest = source.get(node.start_byte()..)?.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.strip_prefix("<<")?;
    let (rest, tabs) = rest.strip_prefix('-').map_or((rest, false), |rest| (rest, true));
    let (opening, below) = rest.split_once('\n')?;
    let (quoted, name, behind) = delimiter(opening.trim_start_matches([' ', '\t']))?;
    // What may go on in the next line, or be followed by another document, moves the place where this one begins.
    let even = |quote: char| behind.matches(quote).count().is_multiple_of(2);
    if behind.contains(['\\', '`', '(', ')']) || behind.contains("<<") || !even('"') || !even('\'') {
        return None;
    }
    let begin = source.len() - below.len();
    let mut at = begin;
    let mut continued = false;
    for line in below.split('\n') {
        let text = if tabs { line.trim_start_matches('\t') } else { line };
        if text == name {
            let end = at + line.len() - text.len();
            return (!continued).then_some((begin..end, quoted));
        }
        continued = !quoted && line.ends_with('\\');
        at += line.len() + 1;
    }
    None
}

/// Whether a delimiter is quoted, its name, and what stands behind it: `NAME`, `'NAME'` or `"NAME"`, nothing else.
fn delimiter(text: &str) -> Option<(bool, &str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let inner = quote.map_or(text, |quote| text.strip_prefix(quote).unwrap_or(text));
    let length = inner.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let (name, behind) = inner.split_at_checked(length).filter(|(name, _)| !name.is_empty())?;
    let behind = quote.map_or(Some(behind), |quote| behind.strip_prefix(quote))?;
    let apart = behind.is_empty() || behind.starts_with([' ', '\t', ';', '|', '&', '<', '>']);
    apart.then_some((quote.is_some(), name, behind))
}

fn grammars_end(node: Node<'_>, source: &str) -> Option<usize> {
    let mut cursor = node.walk();
    let end = node.named_children(&mut cursor).find(|child| child.kind() == "heredoc_end")?;
    let text = source.get(end.byte_range())?;
    Some(end.end_byte() - text.trim_start_matches([' ', '\t', '\n']).len())
}

/// The grammar overlooks backquotes in a here-document, and substitutions behind some escapes.
fn runs_unseen(node: Node<'_>, source: &str, body: Range<usize>) -> bool {
    let text = source.get(body.clone()).unwrap_or("`");
    let seen = |at: usize| {
        let begin = body.start + at;
        node.descendant_for_byte_range(begin, begin + 2).is_some_and(|found| found.kind().starts_with("$("))
    };
    text.contains('`')
        || ["${ ", "${|", "${\t", "${\n"].iter().any(|function| text.contains(function))
        || text.match_indices("$(").any(|(at, _)| !seen(at))
}

/// Backquotes end at the next one, even within a here-document.
fn in_backquotes(node: Node<'_>, source: &str) -> bool {
    std::iter::successors(node.parent(), Node::parent).any(|parent| {
        parent.kind() == "command_substitution"
            && source.get(parent.start_byte()..).is_none_or(|text| text.starts_with('`'))
    })
}
