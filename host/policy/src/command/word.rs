use tree_sitter::Node;

/// One word as the shell would see it, as far as that can be told without running anything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Word {
    /// The text after quotes and escapes; what is only known at run time is left out, but `$HOME` is written `~`.
    pub(crate) text: String,
    /// Whether a variable, a substitution or arithmetic stands in it.
    pub(crate) dynamic: bool,
    /// Whether an unquoted pattern stands in it.
    pub(crate) glob: bool,
    /// Whether braces that may expand stand in it.
    pub(crate) brace: bool,
}

impl Word {
    /// A word that stands for itself.
    pub(crate) fn plain(text: &str) -> Word {
        Word { text: text.to_owned(), ..Word::default() }
    }

    /// Whether the text is all there is to it.
    pub(crate) fn is_static(&self) -> bool {
        !self.dynamic && !self.glob && !self.brace
    }

    /// Whether it is an option, or may turn out to be one.
    pub(crate) fn is_option(&self) -> bool {
        self.text.len() > 1 && self.text.starts_with('-')
    }

    /// `NAME=value` or `NAME+=value`.
    pub(crate) fn assignment(&self) -> Option<(&str, &str)> {
        let (name, value) = self.text.split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name);
        let mut letters = name.chars();
        let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        (first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some((name, value))
    }

    /// Puts another word right behind this one.
    pub(crate) fn append(&mut self, other: &Word) {
        self.text.push_str(&other.text);
        self.dynamic |= other.dynamic;
        self.glob |= other.glob;
        self.brace |= other.brace;
    }
}

/// Reads a word of the tree; whatever is not understood makes it dynamic.
pub(crate) fn read(node: Node<'_>, source: &str) -> Word {
    let text = source.get(node.byte_range()).unwrap_or_default();
    let mut word = match node.kind() {
        "word"
        | "number"
        | "variable_name"
        | "special_variable_name"
        | "test_operator"
        | "file_descriptor" => bare(text),
        "command_name" => return node.child(0).map_or_else(|| bare(text), |child| read(child, source)),
        "raw_string" => Word::plain(text.trim_matches('\'')),
        "ansi_c_string" => ansi_c(text),
        "string" | "translated_string" => quoted(node, source),
        "concatenation" => concatenation(node, source),
        "simple_expansion" | "expansion" if ["$HOME", "${HOME}"].contains(&text) => {
            Word { dynamic: true, ..Word::plain("~") }
        }
        _ => Word { dynamic: true, ..Word::default() },
    };
    if node.has_error() {
        word.dynamic = true;
    }
    word
}

/// An unquoted word: escapes, patterns, braces.
fn bare(text: &str) -> Word {
    let mut word = Word::default();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(escaped) => word.text.push(escaped),
            },
            c => {
                word.glob |= matches!(c, '*' | '?' | '[' | '(' | ')');
                word.brace |= c == '{';
                word.dynamic |= matches!(c, '$' | '`');
                word.text.push(c);
            }
        }
    }
    // `{}` is what find and xargs replace; the shell leaves it alone.
    word.brace &=
        word.text != "{}" && (word.text.contains(',') || word.text.contains("..") || word.text == "{");
    word
}

fn concatenation(node: Node<'_>, source: &str) -> Word {
    let mut word = Word::default();
    let mut unquoted = String::new();
    let mut cursor = node.walk();
    let mut end = node.start_byte();
    for child in node.children(&mut cursor) {
        // A gap is something that the grammar swallowed, such as a line continuation.
        if source.get(end..child.start_byte()).is_some_and(|gap| !gap.replace("\\\n", "").is_empty()) {
            word.dynamic = true;
        }
        end = child.end_byte();
        if ["word", "brace_expression"].contains(&child.kind()) {
            unquoted.push_str(source.get(child.byte_range()).unwrap_or_default());
        }
        word.append(&read(child, source));
    }
    word.brace = unquoted.contains('{') && (unquoted.contains(',') || unquoted.contains(".."));
    word.glob |= unquoted.contains('[');
    word
}

/// A text in double quotes, with what the shell puts into it left out.
fn quoted(node: Node<'_>, source: &str) -> Word {
    let mut word = Word::default();
    let mut cursor = node.walk();
    let mut end = node.start_byte();
    for child in node.children(&mut cursor) {
        // Blanks between two expansions belong to no node.
        word.text.push_str(source.get(end..child.start_byte()).unwrap_or_default());
        end = child.end_byte();
        match child.kind() {
            "\"" => {}
            "string_content" => unescape(source.get(child.byte_range()).unwrap_or_default(), &mut word.text),
            "string" => word.append(&quoted(child, source)),
            // A lone dollar sign before the closing quote.
            "$" => word.text.push('$'),
            _ => {
                let inner = read(child, source);
                word.text.push_str(inner.text.trim_start_matches(' '));
                word.dynamic = true;
            }
        }
    }
    word
}

fn unescape(text: &str, out: &mut String) {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('\n') | None => {}
            Some(c @ ('$' | '`' | '"' | '\\')) => out.push(c),
            Some(c) => out.extend(['\\', c]),
        }
    }
}

/// `$'…'`: the escapes of C.
fn ansi_c(text: &str) -> Word {
    let inner = text.strip_prefix("$'").and_then(|rest| rest.strip_suffix('\'')).unwrap_or(text);
    let mut out: Vec<u8> = Vec::new();
    let mut chars = inner.chars().peekable();
    let mut buffer = [0; 4];
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
            continue;
        }
        let Some(kind) = chars.next() else { break };
        let (radix, most) = match kind {
            'x' => (16, 2),
            'u' => (16, 4),
            'U' => (16, 8),
            '0'..='7' => (8, 3),
            _ => (0, 0),
        };
        let simple = match kind {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            'c' => chars.next().map_or(0, |c| (c as u32 & 0x1f) as u8),
            _ => 0,
        };
        if radix == 0 {
            if simple != 0 {
                out.push(simple);
            } else {
                out.extend_from_slice(kind.encode_utf8(&mut buffer).as_bytes());
            }
            continue;
        }
        let mut value = if radix == 8 { kind.to_digit(8).unwrap_or_default() } else { 0 };
        for _ in usize::from(radix == 8)..most {
            let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
            chars.next();
            value = value.wrapping_mul(radix).wrapping_add(digit);
        }
        match (kind, char::from_u32(value)) {
            ('u' | 'U', Some(c)) => out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes()),
            _ => out.push((value & 0xff) as u8),
        }
    }
    // The shell ends such a text at the first zero byte.
    let end = out.iter().position(|byte| *byte == 0).unwrap_or(out.len());
    out.truncate(end);
    Word::plain(&String::from_utf8_lossy(&out))
}
