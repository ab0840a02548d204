//! Secrets are taken out of every copy of a text (spec D9): known values, and what looks like a secret.

mod patterns;
mod stream;

pub use stream::RedactStream;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use patterns::Found;
use std::borrow::Cow;
use std::ops::Range;

/// What stands in a secret's place.
pub const REDACTED: &str = "[redacted]";
/// Known values that are shorter, in bytes, are left alone: they occur in innocent texts.
pub const MIN_SECRET: usize = 6;

/// Takes secrets out of texts. Making one costs milliseconds once in a process and little after that; a text costs
/// one pass for the known values and one for each pattern whose fixed part occurs in it.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    known: Option<AhoCorasick>,
    longest: usize,
    /// Whether a known value has several lines.
    lines: bool,
}

impl Redactor {
    /// One that knows these values, in clear and in the usual encodings, besides the patterns.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Redactor {
        let mut known: Vec<String> = Vec::new();
        for value in values.into_iter().map(str::trim).filter(|value| value.len() >= MIN_SECRET) {
            known.extend([value.to_owned(), percent(value), json_escaped(value)]);
            known.extend(base64(value.as_bytes()));
        }
        known.sort();
        known.dedup();
        let longest = known.iter().map(String::len).max().unwrap_or(0);
        // Leftmost-longest: of two secrets that begin alike, the longer one goes.
        let built = AhoCorasickBuilder::new().match_kind(MatchKind::LeftmostLongest).build(&known);
        let lines = known.iter().any(|value| value.contains('\n'));
        Redactor { known: built.ok().filter(|_| !known.is_empty()), longest, lines }
    }

    /// The text without secrets; borrowed when there are none.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let secrets = self.find(text).into_iter().map(|found| found.secret).collect();
        replace(text, merged(secrets))
    }

    /// A form for output that comes in pieces.
    #[must_use]
    pub fn stream(&self) -> RedactStream {
        RedactStream::new(self.clone())
    }

    fn find(&self, text: &str) -> Vec<Found> {
        let known = self.known.iter().flat_map(|known| known.find_iter(text)).map(|found| found.range());
        let known = known.map(|range| Found { whole: range.clone(), secret: range });
        known.chain(patterns::find(text)).collect()
    }

    /// The length of the longest known value.
    fn longest(&self) -> usize {
        self.longest
    }
}

/// In order, and apart from each other.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// The text with something else in place of these ranges; those beyond its end are left out.
fn replace(text: &str, ranges: Vec<Range<usize>>) -> Cow<'_, str> {
    let mut out = String::new();
    let mut end = 0;
    for range in ranges.into_iter().filter(|range| range.end <= text.len()) {
        out.push_str(text.get(end..range.start).unwrap_or_default());
        out.push_str(REDACTED);
        end = range.end;
    }
    if end == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(end..).unwrap_or_default());
    Cow::Owned(out)
}

/// Whether a text holds what looks like a secret.
pub(crate) fn looks_secret(text: &str) -> bool {
    !patterns::find(text).is_empty()
}

fn percent(value: &str) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn json_escaped(value: &str) -> String {
    let mut out = String::new();
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out
}

/// The middle of the value's Base64 at each of its three alignments: what it reads whatever stands before and behind it.
fn base64(value: &[u8]) -> Vec<String> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |bits: u8| LETTERS.get(usize::from(bits & 63)).map_or('A', |letter| char::from(*letter));
    (0..3usize)
        .map(|skipped| {
            let aligned = value.get((3 - skipped) % 3..).unwrap_or_default();
            let whole = aligned.as_chunks::<3>().0;
            whole
                .iter()
                .flat_map(|[a, b, c]| {
                    [letter(a >> 2), letter(a << 4 | b >> 4), letter(b << 2 | c >> 6), letter(*c)]
                })
                .collect()
        })
        .filter(|text: &String| text.len() >= 12)
        .collect()
}
