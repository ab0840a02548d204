use std::collections::VecDeque;

/// Which of its two outputs a program wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Stream {
    /// Its number for `Context::output_bytes`.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Stream::Stdout => 1,
            Stream::Stderr => 2,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        }
    }

    fn index(self) -> usize {
        usize::from(self.number() - 1)
    }
}

/// What a chunk is reckoned to cost besides its bytes, so that a million tiny writes are bounded as well.
const CHUNK_COST: usize = 64;
/// Chunks are dropped whole, so they are kept small against what is kept.
const MAX_CHUNK: usize = 64 * 1024;

/// Output kept in bounded memory: beginning and end of each stream, in order of arrival.
#[derive(Debug)]
pub(crate) struct Capture {
    sides: [Side; 2],
    arrivals: u64,
    last: Option<Stream>,
}

#[derive(Debug)]
struct Side {
    head: Vec<Chunk>,
    head_room: usize,
    tail: VecDeque<Chunk>,
    tail_cost: usize,
    tail_room: usize,
    max_chunk: usize,
    total: u64,
    dropped: u64,
    /// The first bytes of a character whose rest has not come yet.
    unfinished: Vec<u8>,
}

#[derive(Debug)]
struct Chunk {
    arrival: u64,
    bytes: Vec<u8>,
}

impl Capture {
    /// Keeps about so many bytes, half of them for each stream, and of these a quarter for its beginning.
    pub(crate) fn new(bytes: usize) -> Capture {
        Capture { sides: [Side::new(bytes / 2), Side::new(bytes / 2)], arrivals: 0, last: None }
    }

    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let side = &mut self.sides[stream.index()];
        side.total += bytes.len() as u64;
        // A character split between two reads must not be torn apart by what the other stream wrote meanwhile.
        let mut whole = std::mem::take(&mut side.unfinished);
        whole.extend_from_slice(bytes);
        side.unfinished = whole.split_off(whole.len() - unfinished_suffix(&whole));
        if whole.is_empty() {
            return;
        }
        if self.last != Some(stream) {
            self.arrivals += 1;
            self.last = Some(stream);
        }
        let arrival = self.arrivals;
        side.keep(arrival, &whole);
    }

    /// Bytes that the stream has written.
    pub(crate) fn total(&self, stream: Stream) -> u64 {
        self.sides[stream.index()].total
    }

    /// Bytes of both streams that were not kept.
    pub(crate) fn dropped(&self) -> u64 {
        self.sides.iter().map(|side| side.dropped).sum()
    }

    /// The text of these streams, in order of arrival.
    pub(crate) fn text(&self, streams: &[Stream]) -> String {
        let mut pieces: Vec<Piece<'_>> =
            streams.iter().flat_map(|stream| self.sides[stream.index()].pieces(*stream)).collect();
        // Stable: the pieces of one stream stay in their order.
        pieces.sort_by_key(|piece| piece.arrival);
        let mut text = String::new();
        // Bytes of one stream that follow each other are decoded together.
        let mut run: Vec<u8> = Vec::new();
        let mut current = None;
        for piece in pieces {
            if current != Some(piece.stream) || piece.dropped_before > 0 {
                flush(&mut text, &mut run);
                current = Some(piece.stream);
            }
            if piece.dropped_before > 0 {
                let line = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
                let name = piece.stream.name();
                text.push_str(&format!("{line}[… {} bytes of {name} not kept …]\n", piece.dropped_before));
            }
            run.extend_from_slice(piece.bytes);
        }
        flush(&mut text, &mut run);
        text
    }
}

fn flush(text: &mut String, run: &mut Vec<u8>) {
    text.push_str(&String::from_utf8_lossy(run));
    run.clear();
}

struct Piece<'a> {
    arrival: u64,
    stream: Stream,
    dropped_before: u64,
    bytes: &'a [u8],
}

impl Side {
    fn new(bytes: usize) -> Side {
        let head_room = bytes / 4;
        let tail_room = bytes - head_room;
        Side {
            head: Vec::new(),
            head_room,
            tail: VecDeque::new(),
            tail_cost: 0,
            tail_room,
            max_chunk: (tail_room / 8).clamp(1, MAX_CHUNK),
            total: 0,
            dropped: 0,
            unfinished: Vec::new(),
        }
    }

    fn keep(&mut self, arrival: u64, mut bytes: &[u8]) {
        if self.tail.is_empty() && self.dropped == 0 {
            let continues = self.head.last().is_some_and(|chunk| chunk.arrival == arrival);
            let room = if continues { self.head_room } else { self.head_room.saturating_sub(CHUNK_COST) };
            let (first, rest) = bytes.split_at(whole_characters(bytes, room));
            if !first.is_empty() {
                self.head_room -= first.len() + if continues { 0 } else { CHUNK_COST };
                append(&mut self.head, arrival, first);
            }
            bytes = rest;
            if !rest.is_empty() {
                self.head_room = 0;
            }
        }
        while !bytes.is_empty() {
            let open = self.tail.back().filter(|chunk| chunk.arrival == arrival);
            let room = open.map_or(0, |chunk| self.max_chunk.saturating_sub(chunk.bytes.len()));
            let (new, room) = if room == 0 { (true, self.max_chunk) } else { (false, room) };
            let (piece, rest) = bytes.split_at(room.min(bytes.len()));
            match self.tail.back_mut().filter(|_| !new) {
                Some(chunk) => chunk.bytes.extend_from_slice(piece),
                None => {
                    self.tail.push_back(Chunk { arrival, bytes: piece.to_vec() });
                    self.tail_cost += CHUNK_COST;
                }
            }
            self.tail_cost += piece.len();
            bytes = rest;
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        while self.tail_cost > self.tail_room && self.tail.len() > 1 {
            let Some(chunk) = self.tail.pop_front() else { return };
            self.tail_cost -= chunk.bytes.len() + CHUNK_COST;
            self.dropped += chunk.bytes.len() as u64;
            // What is left begins with a whole character.
            if let Some(next) = self.tail.front_mut() {
                let torn = next.bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
                next.bytes.drain(..torn);
                self.tail_cost -= torn;
                self.dropped += torn as u64;
            }
        }
    }

    fn pieces(&self, stream: Stream) -> impl Iterator<Item = Piece<'_>> {
        let head = self.head.iter().map(move |chunk| (0, chunk));
        let mut dropped = self.dropped;
        let tail = self.tail.iter().map(move |chunk| (std::mem::take(&mut dropped), chunk));
        let kept = head.chain(tail).map(move |(dropped_before, chunk)| Piece {
            arrival: chunk.arrival,
            stream,
            dropped_before,
            bytes: &chunk.bytes,
        });
        let rest = Piece { arrival: u64::MAX, stream, dropped_before: 0, bytes: &self.unfinished };
        kept.chain((!self.unfinished.is_empty()).then_some(rest))
    }
}

fn append(chunks: &mut Vec<Chunk>, arrival: u64, bytes: &[u8]) {
    match chunks.last_mut().filter(|chunk| chunk.arrival == arrival) {
        Some(chunk) => chunk.bytes.extend_from_slice(bytes),
        None => chunks.push(Chunk { arrival, bytes: bytes.to_vec() }),
    }
}

/// How many of the first `room` bytes can be taken without tearing a character apart.
fn whole_characters(bytes: &[u8], room: usize) -> usize {
    if room >= bytes.len() {
        return bytes.len();
    }
    room - unfinished_suffix(&bytes[..room])
}

/// How many bytes at the end begin a UTF-8 character that goes on.
fn unfinished_suffix(bytes: &[u8]) -> usize {
    for length in 1..=bytes.len().min(3) {
        let needs = match bytes[bytes.len() - length] {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            0x80..=0xBF => continue,
            _ => return 0,
        };
        return if needs > length { length } else { 0 };
    }
    0
}

#[cfg(test)]
#[path = "capture_tests.rs"]
mod tests;
