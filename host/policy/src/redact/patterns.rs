use regex::bytes::{Regex, RegexSet, RegexSetBuilder};
use std::ops::Range;
use std::sync::LazyLock;

/// What secrets look like. Over bytes, and ending at ASCII characters only, so that no character is cut in two. The group `s` is the secret where the pattern holds more than that.
const PATTERNS: &[&str] = &[
    // Keys whose beginning says what they are.
    r"(?-u:\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16})",
    r"(?-u:\bgh[pousr]_[A-Za-z0-9]{20,})",
    r"(?-u:\bgithub_pat_[A-Za-z0-9_]{20,})",
    r"(?-u:\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{16,})",
    r"(?-u:\bxox[abeoprs]-[A-Za-z0-9-]{10,})",
    r"(?-u:\bxapp-[0-9]-[A-Za-z0-9-]{10,})",
    r"(?-u:hooks\.slack\.com/services/(?<s>[A-Za-z0-9/]{20,}))",
    r"(?-u:\bsk-(?:ant-|proj-|svcacct-)?[A-Za-z0-9_-]{20,})",
    r"(?-u:\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,})",
    r"(?-u:\bAIza[A-Za-z0-9_-]{35})",
    r"(?-u:\bya29\.[A-Za-z0-9_-]{20,})",
    r"(?-u:\bnpm_[A-Za-z0-9]{36})",
    r"(?-u:\bpypi-[A-Za-z0-9_-]{40,})",
    r"(?-u:\bhf_[A-Za-z0-9]{30,})",
    r"(?-u:\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64})",
    r"(?-u:\bdop_v1_[a-f0-9]{64})",
    // Tokens in three parts.
    r"(?-u:\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)",
    // Private keys, also cut off or with escaped line ends.
    r"(?-u:-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=:, \t\r\n\\.]|-[A-Za-z])*(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?)",
    // Headers.
    r#"(?i-u:\b(?:proxy-)?authorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?(?:bearer|basic|token|digest|apikey)?[ \t]{0,8}(?<s>[^\s"',]{6,}))"#,
    r"(?i-u:\bbearer[ \t]{1,8}(?<s>[A-Za-z0-9._~+/=-]{16,}))",
    r#"(?i-u:\b(?:set-)?cookie["']?[ \t]{0,8}:[ \t]{0,8}(?<s>[^\r\n"']{6,}))"#,
    // Names that say so, with a value.
    r#"(?i-u:[a-z0-9_.-]{0,64}(?:passwd|password|passphrase|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|client[_-]?secret|auth[_-]?key)[a-z0-9_.-]{0,32}\\?["']?[ \t]{0,8}(?:=|:|=>|:=)[ \t]{0,8}(?:\\?"(?<s1>[^"\r\n\\]{4,})|\\?'(?<s2>[^'\r\n\\]{4,})|(?<s>[^\s"'`,;&|<>(){}\[\]$\\]{6,})))"#,
    r"(?i-u:--?(?:password|passwd|token|secret|api-key)[ \t]{1,4}(?<s>[^\s-][^\s]{5,}))",
    // Addresses with a password in them.
    r"(?i-u:\b[a-z][a-z0-9+.-]{1,30}://[^\s/:@]*:(?<s>[^\s/@]+)@)",
    r"(?i-u:\bhttps?://(?<s>[^\s/:@]{16,})@)",
];

struct Patterns {
    set: RegexSet,
    each: Vec<Regex>,
}

static COMPILED: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let each: Result<Vec<Regex>, _> = PATTERNS.iter().map(|pattern| Regex::new(pattern)).collect();
    let set = RegexSetBuilder::new(PATTERNS).size_limit(64 << 20).build();
    Some(Patterns { set: set.ok()?, each: each.ok()? })
});

/// Secrets longer than this, in bytes, are not expected in a line that does not end.
pub(super) const LONGEST: usize = 16 * 1024;

/// A match: all of it, and the secret in it.
pub(super) struct Found {
    pub(super) whole: Range<usize>,
    pub(super) secret: Range<usize>,
}

/// Where secrets may stand. If the patterns could not be compiled, everything is one.
pub(super) fn find(text: &str) -> Vec<Found> {
    let Some(patterns) = COMPILED.as_ref() else {
        let all = Found { whole: 0..text.len(), secret: 0..text.len() };
        return std::iter::once(all).filter(|found| !found.whole.is_empty()).collect();
    };
    let mut found = Vec::new();
    for regex in
        patterns.set.matches(text.as_bytes()).into_iter().filter_map(|index| patterns.each.get(index))
    {
        for captures in regex.captures_iter(text.as_bytes()) {
            let named = ["s", "s1", "s2"].into_iter().find_map(|name| captures.name(name));
            if let Some(whole) = captures.get(0) {
                found.push(Found { whole: whole.range(), secret: named.unwrap_or(whole).range() });
            }
        }
    }
    found
}
