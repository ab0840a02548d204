use super::{Redactor, merged, patterns, replace};

/// Redacts output that comes in pieces: a secret that two pieces share is found as well. Whole lines are given out at
/// once, unless a secret of several lines may be going on; of a line that does not end, as many bytes are held back as
/// the longest secret may have.
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
        let by_line = if self.redactor.lines { 0 } else { self.whole_lines() };
        // Without a line's end, work on large pieces only, so that the cost stays in proportion to the length.
        let by_length = if self.held.len() < 2 * window { 0 } else { self.held.len() - window };
        match by_line.max(by_length) {
            0 => String::new(),
            cut => self.release(cut),
        }
    }

    /// The end: everything that was held back.
    pub fn finish(self) -> String {
        self.redactor.redact(&String::from_utf8_lossy(&self.held)).into_owned()
    }

    /// Up to where the lines are whole and no private key is going on.
    fn whole_lines(&self) -> usize {
        let end = self.held.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines = self.held.get(..end).unwrap_or_default();
        let find = |what: &[u8]| lines.windows(what.len()).rposition(|window| window == what);
        match (find(b"-----BEGIN"), find(b"-----END")) {
            (Some(begin), None) => begin,
            (Some(begin), Some(end)) if begin > end => begin,
            _ => end,
        }
    }

    /// Gives out the first `cut` bytes, less what a match that reaches further begins with.
    fn release(&mut self, cut: usize) -> String {
        // A character at the cut stays whole.
        let continues = |at: usize| self.held.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
        let mut cut = (cut.saturating_sub(3)..=cut).rev().find(|at| !continues(*at)).unwrap_or(cut);
        // Everything held is looked at, for what reaches across the cut; places in bytes stay the same where it is UTF-8.
        let text: String = self.held.utf8_chunks().fold(String::new(), |mut text, chunk| {
            text.push_str(chunk.valid());
            // As long as what it stands for, so that places do not move.
            text.extend(chunk.invalid().iter().map(|_| STAND_IN));
            text
        });
        let found = self.redactor.find(&text);
        let mut reaching: Vec<_> = found.iter().map(|found| &found.whole).collect();
        reaching.sort_by_key(|whole| std::cmp::Reverse(whole.start));
        for whole in reaching {
            if whole.start < cut && whole.end > cut && self.held.len() < MAX_HELD {
                cut = whole.start;
            }
        }
        // A secret without end is cut: what came of it by now goes.
        let secrets = found.into_iter().map(|found| found.secret.start..found.secret.end.min(cut));
        let secrets = merged(secrets.filter(|secret| !secret.is_empty()).collect());
        let out = replace(text.get(..cut).unwrap_or_default(), secrets).replace(STAND_IN, "\u{fffd}");
        self.held.drain(..cut.min(self.held.len()));
        out
    }
}

/// The most that is held back for one match, in bytes.
const MAX_HELD: usize = 1 << 20;

/// One byte for each byte that is no UTF-8, until the places are no longer needed.
const STAND_IN: char = '\u{1a}';
