use super::{Redactor, patterns};

/// Redacts output that comes in pieces: a secret that two pieces share is found as well. Holds back as many bytes as the
/// longest secret may have, or up to the last line that cannot be part of one.
#[derive(Debug, Clone)]
pub struct RedactStream {
    redactor: Redactor,
    held: Vec<u8>,
}

impl RedactStream {
    pub(super) fn new(redactor: Redactor) -> RedactStream {
        RedactStream { redactor, held: Vec::new() }
    }

    /// Takes the next piece; gives what is certain by now. Bytes that are no UTF-8 become replacement characters.
    pub fn push(&mut self, piece: &[u8]) -> String {
        self.held.extend_from_slice(piece);
        let window = patterns::LONGEST.max(self.redactor.longest());
        // Work on large pieces only, so that the cost stays in proportion to the length.
        if self.held.len() < 2 * window {
            return String::new();
        }
        let cut = self.held.len() - window;
        self.release(cut)
    }

    /// The end: everything that was held back.
    pub fn finish(mut self) -> String {
        let all = self.held.len();
        self.release(all)
    }

    /// Gives out the first `cut` bytes, less whatever a secret that reaches further begins with.
    fn release(&mut self, cut: usize) -> String {
        let all = cut >= self.held.len();
        // The places of characters have to stay the same, so what is no UTF-8 is replaced first.
        let text = match valid_prefix(&self.held, all) {
            (prefix, rest) => {
                let text = String::from_utf8_lossy(prefix).into_owned();
                let rest = rest.to_vec();
                self.held = rest;
                text
            }
        };
        let ranges = self.redactor.ranges(&text);
        let mut cut = if all { text.len() } else { cut.min(text.len()) };
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        // A secret across the cut is given out whole, when it ends well before the end; else it waits.
        if let Some(across) = ranges.iter().find(|range| range.start < cut && range.end > cut) {
            cut = across.start;
        }
        let (out, rest) = text.split_at_checked(cut).unwrap_or((&text, ""));
        let safe = if all { self.redactor.redact(out).into_owned() } else { apply(out, &ranges) };
        let mut held = rest.as_bytes().to_vec();
        held.append(&mut self.held);
        self.held = held;
        safe
    }
}

fn apply(text: &str, ranges: &[std::ops::Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for range in ranges.iter().filter(|range| range.end <= text.len()) {
        out.push_str(text.get(end..range.start).unwrap_or_default());
        out.push_str(super::REDACTED);
        end = range.end;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    out
}

/// Splits off a character that is not whole yet.
fn valid_prefix(bytes: &[u8], all: bool) -> (&[u8], &[u8]) {
    let incomplete = (1..=3.min(bytes.len())).find(|back| {
        let byte = bytes.get(bytes.len() - back).copied().unwrap_or_default();
        let needs = match byte {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            _ => 0,
        };
        needs > *back
    });
    let back = if all { 0 } else { incomplete.unwrap_or(0) };
    bytes.split_at(bytes.len() - back)
}
