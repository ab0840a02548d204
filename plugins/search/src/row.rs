//! One line of a result, cut to a length that a model can use.

/// Characters shown of one line.
const MAX_LINE: usize = 300;
/// Of them, how many stand in front of the match when the line is cut.
const BEFORE_MATCH: usize = 100;

/// A line that matched, or one beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) line: u64,
    pub(crate) is_match: bool,
    pub(crate) text: String,
}

impl Row {
    /// `found` is where the match begins in the line, in bytes.
    pub(crate) fn new(line: u64, found: Option<usize>, bytes: &[u8]) -> Row {
        Row { line, is_match: found.is_some(), text: cut(bytes, found.unwrap_or(0)) }
    }
}

fn cut(bytes: &[u8], start: usize) -> String {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    // No line of fewer bytes has more characters.
    if bytes.len() <= MAX_LINE {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    // A window of bytes that surely holds the characters wanted: no need to decode a line of megabytes.
    let start = start.min(bytes.len());
    let from = start.saturating_sub(4 * BEFORE_MATCH);
    let to = (start + 4 * MAX_LINE).min(bytes.len());
    let before = String::from_utf8_lossy(tail(&bytes[from..start]));
    let after = String::from_utf8_lossy(head(&bytes[start..to], to == bytes.len()));
    let skipped = before.chars().count().saturating_sub(BEFORE_MATCH);
    let shown_before: String = before.chars().skip(skipped).collect();
    let room = MAX_LINE - shown_before.chars().count();
    let shown_after: String = after.chars().take(room).collect();
    let cut_before = if from > 0 || skipped > 0 { "…" } else { "" };
    let cut_after = if to < bytes.len() || shown_after.len() < after.len() { "…" } else { "" };
    format!("{cut_before}{shown_before}{shown_after}{cut_after}")
}

/// Without the rest of a character that was cut through at the front.
fn tail(bytes: &[u8]) -> &[u8] {
    let rest = bytes.iter().take(3).take_while(|&&byte| byte & 0b1100_0000 == 0b1000_0000).count();
    &bytes[rest..]
}

/// Without the beginning of a character that was cut through at the end.
fn head(bytes: &[u8], whole: bool) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if !whole && error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b_short_lines_stay_whole_without_their_break() {
        assert_eq!(cut(b"abc\r\n", 1), "abc");
        assert_eq!(cut(b"abc", 1), "abc");
        assert_eq!(cut(b"", 0), "");
        assert_eq!(cut("ä".repeat(150).as_bytes(), 0), "ä".repeat(150));
        assert_eq!(cut(b"caf\xE9", 0), "caf\u{FFFD}");
    }

    #[test]
    fn b_long_lines_are_cut_around_the_match() {
        let line = format!("{}HIT{}", "a".repeat(5000), "b".repeat(5000));
        let text = cut(line.as_bytes(), 5000);
        assert_eq!(text, format!("…{}HIT{}…", "a".repeat(100), "b".repeat(197)));
        let line = format!("HIT{}", "ö".repeat(5000));
        assert_eq!(cut(line.as_bytes(), 0), format!("HIT{}…", "ö".repeat(297)));
        let line = format!("{}HIT", "€".repeat(5000));
        assert_eq!(cut(line.as_bytes(), 15_000), format!("…{}HIT", "€".repeat(100)));
        let line = "x".repeat(10_000);
        assert_eq!(cut(line.as_bytes(), 10), format!("{}…", "x".repeat(300)));
        assert_eq!(cut(line.as_bytes(), 0), format!("{}…", "x".repeat(300)));
    }
}
