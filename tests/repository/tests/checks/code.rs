//! Just enough of Rust's lexer to tell code from comments and literals.

/// The text with comments and literals blanked out: same lines, so that a place found in it can be named.
pub(crate) fn code_only(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let after_word = at > 0 && is_word(chars[at - 1]);
        let length = skipped(&chars[at..], after_word);
        for c in &chars[at..at + length] {
            out.push(if *c == '\n' { '\n' } else { ' ' });
        }
        at += length;
        if length == 0 {
            out.push(chars[at]);
            at += 1;
        }
    }
    out
}

/// How many characters at the beginning are a comment or a literal.
fn skipped(rest: &[char], after_word: bool) -> usize {
    match rest {
        ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => block_comment(rest),
        ['"', ..] => string(rest),
        // `b'x'` and `c"x"` are handled from their quote on; a lifetime has no closing quote.
        ['\'', '\\', _, tail @ ..] => tail.iter().position(|c| *c == '\'').map_or(0, |end| end + 4),
        ['\'', _, '\'', ..] => 3,
        ['r' | 'b' | 'c', ..] if !after_word => raw_string(rest),
        _ => 0,
    }
}

fn block_comment(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match &rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] if depth == 1 => return at + 2,
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    rest.len()
}

fn string(rest: &[char]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// `r"…"`, `br#"…"#` and the like; none of it when the word is only a word.
fn raw_string(rest: &[char]) -> usize {
    let start = if rest[0] == 'r' { 1 } else { 2 };
    if rest.get(start - 1) != Some(&'r') {
        return 0;
    }
    let hashes = rest[start..].iter().take_while(|c| **c == '#').count();
    if rest.get(start + hashes) != Some(&'"') {
        return 0;
    }
    let body = start + hashes + 1;
    let closes = |at: &usize| {
        rest[*at] == '"' && rest[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
    };
    (body..rest.len()).find(closes).map_or(rest.len(), |at| at + 1 + hashes)
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A word of code, where it stands, and what comes behind it on its line.
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) line: usize,
    pub(crate) behind: &'a str,
}

impl Word<'_> {
    /// Whether it is the name of a macro that is called.
    pub(crate) fn is_macro(&self) -> bool {
        self.behind.starts_with('!') && !self.behind.starts_with("!=")
    }
}

/// The words of a text that [`code_only`] made, in order.
pub(crate) fn words(code: &str) -> impl Iterator<Item = Word<'_>> {
    code.lines().enumerate().flat_map(|(index, line)| {
        let parts = line.split(|c: char| !is_word(c)).filter(|part| !part.is_empty());
        parts.map(move |text| {
            // Both slices lie in the same line.
            let end = text.as_ptr().addr() - line.as_ptr().addr() + text.len();
            Word { text, line: index + 1, behind: &line[end..] }
        })
    })
}

#[test]
fn literals_and_comments_are_no_code() {
    let text = r##"
let a = "unsafe \" unsafe"; // unsafe
let b = r#"unsafe " unsafe"#; /* unsafe /* unsafe */ unsafe */
let c = 'u'; let d = '\''; let e = '"'; let f: &'static str = b"unsafe"; let g = '\u{22}';
end!(a != b);
"##;
    let code = code_only(text);
    assert_eq!(code.lines().count(), text.lines().count());
    let found: Vec<&str> = words(&code).map(|word| word.text).collect();
    let expected = "let a let b let c let d let e let f static str b let g end a b";
    assert_eq!(found.join(" "), expected);
    assert_eq!(
        words(&code).filter(Word::is_macro).map(|word| (word.text, word.line)).collect::<Vec<_>>(),
        [("end", 5)]
    );
}
