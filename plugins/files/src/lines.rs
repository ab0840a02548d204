//! Lines of a file of any size, in memory of a fixed size.

use std::io::{self, BufRead, BufReader, Read};

/// How much is read at once. Big enough that the calls into the system cost nothing beside the scan.
const BLOCK: usize = 128 * 1024;

/// A file as lines. A line ends at `\n`; the last one may lack it.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    /// Bytes consumed so far.
    position: u64,
}

/// How far [`Lines::skip`] came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// Lines passed; a last line without a line break counts.
    pub(crate) lines: u64,
    /// The file ended before there were enough of them.
    pub(crate) at_end: bool,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(file: R) -> Lines<R> {
        Lines { reader: BufReader::with_capacity(BLOCK, file), position: 0 }
    }

    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// The beginning of what comes next, without consuming it; empty at the end.
    pub(crate) fn peek(&mut self) -> io::Result<&[u8]> {
        loop {
            // The borrow of a returned buffer cannot leave the loop, so it is asked for again.
            match self.reader.fill_buf() {
                Ok(_) => return Ok(self.reader.buffer()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn consume(&mut self, bytes: usize) {
        self.reader.consume(bytes);
        self.position += bytes as u64;
    }

    /// Passes `count` lines, or as many as there are within `max_bytes`. `go_on` is asked once per block.
    pub(crate) fn skip<E: From<io::Error>>(
        &mut self,
        count: u64,
        max_bytes: u64,
        mut go_on: impl FnMut() -> Result<(), E>,
    ) -> Result<Skipped, E> {
        let end = self.position.saturating_add(max_bytes);
        let mut lines = 0;
        let mut inside_line = false;
        while lines < count {
            go_on()?;
            let block = self.peek()?;
            if block.is_empty() {
                return Ok(Skipped { lines: lines + u64::from(inside_line), at_end: true });
            }
            if self.position >= end {
                let block_lines = u64::from(inside_line);
                return Ok(Skipped { lines: lines + block_lines, at_end: false });
            }
            let block = self.reader.buffer();
            let (length, breaks) = up_to_break(block, count - lines);
            inside_line = block[length - 1] != b'\n';
            lines += breaks;
            self.consume(length);
        }
        Ok(Skipped { lines, at_end: false })
    }

    /// Reads one line into `line` without its `\n`, but no more than `keep` bytes of it; says how long it really is,
    /// line break not counted. None at the end.
    pub(crate) fn next<E: From<io::Error>>(
        &mut self,
        line: &mut Vec<u8>,
        keep: usize,
        mut go_on: impl FnMut() -> Result<(), E>,
    ) -> Result<Option<u64>, E> {
        line.clear();
        let mut length = 0u64;
        let mut last = 0u8;
        loop {
            let block = self.peek()?;
            if block.is_empty() {
                return Ok((length > 0).then_some(length));
            }
            let end = find_break(block);
            let part = &block[..end.unwrap_or(block.len())];
            line.extend_from_slice(&part[..part.len().min(keep - line.len())]);
            last = part.last().copied().unwrap_or(last);
            length += part.len() as u64;
            let consumed = part.len() + usize::from(end.is_some());
            self.consume(consumed);
            if end.is_some() {
                // A line that was cut still has to be known as one that ends in `\r\n`.
                if last == b'\r' && length > line.len() as u64 {
                    line.push(b'\r');
                }
                return Ok(Some(length));
            }
            go_on()?;
        }
    }
}

/// Where the first line break is. The standard library's own search is written for the processor, and is reached
/// through a reader over the slice.
fn find_break(block: &[u8]) -> Option<usize> {
    // Reading from memory does not fail.
    let passed = { block }.skip_until(b'\n').unwrap_or(0);
    let last = passed.checked_sub(1)?;
    (block[last] == b'\n').then_some(last)
}

/// Where the `wanted`th line break of the block ends, or the block itself; and how many breaks that takes in.
fn up_to_break(block: &[u8], wanted: u64) -> (usize, u64) {
    let (mut length, mut breaks) = (0, 0);
    while breaks < wanted {
        let Some(at) = find_break(&block[length..]) else { return (block.len(), breaks) };
        length += at + 1;
        breaks += 1;
    }
    (length, breaks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8], keep: usize) -> Vec<(Vec<u8>, u64)> {
        let mut lines = Lines::new(text);
        let mut line = Vec::new();
        let mut out = Vec::new();
        while let Some(length) = lines.next::<io::Error>(&mut line, keep, || Ok(())).unwrap() {
            out.push((line.clone(), length));
        }
        assert_eq!(lines.position(), text.len() as u64);
        out
    }

    #[test]
    fn lines_are_split_and_cut() {
        let own = |lines: &[(&str, u64)]| -> Vec<(Vec<u8>, u64)> {
            lines.iter().map(|(text, length)| (text.as_bytes().to_vec(), *length)).collect()
        };
        assert_eq!(all(b"", 9), own(&[]));
        assert_eq!(all(b"a", 9), own(&[("a", 1)]));
        assert_eq!(all(b"a\n", 9), own(&[("a", 1)]));
        assert_eq!(all(b"a\n\nb", 9), own(&[("a", 1), ("", 0), ("b", 1)]));
        assert_eq!(all(b"abcdef\ng", 3), own(&[("abc", 6), ("g", 1)]));
        assert_eq!(all(b"abcdef\r\ng", 3), own(&[("abc\r", 7), ("g", 1)]));
        let long = vec![b'x'; 3 * BLOCK];
        assert_eq!(all(&long, 2), own(&[("xx", 3 * BLOCK as u64)]));
    }

    #[test]
    fn skipping_counts_a_last_line_without_a_break() {
        for (text, count, lines, at_end, position) in [
            ("", 1, 0, true, 0),
            ("a\nb\nc", 2, 2, false, 4),
            ("a\nb\nc", 3, 3, true, 5),
            ("a\nb\nc\n", 3, 3, false, 6),
            ("a\nb\nc\n", 4, 3, true, 6),
            ("a\nb\nc", 0, 0, false, 0),
        ] {
            let mut reader = Lines::new(text.as_bytes());
            let skipped = reader.skip::<io::Error>(count, u64::MAX, || Ok(())).unwrap();
            assert_eq!(skipped, Skipped { lines, at_end }, "{text:?} {count}");
            assert_eq!(reader.position(), position, "{text:?} {count}");
        }
        let text = "ab\n".repeat(BLOCK);
        let mut reader = Lines::new(text.as_bytes());
        let skipped = reader.skip::<io::Error>(u64::MAX, u64::MAX, || Ok(())).unwrap();
        assert_eq!(skipped, Skipped { lines: BLOCK as u64, at_end: true });
        let mut reader = Lines::new(text.as_bytes());
        assert!(!reader.skip::<io::Error>(u64::MAX, 10, || Ok(())).unwrap().at_end);
        assert_eq!(reader.position(), BLOCK as u64);
    }
}
