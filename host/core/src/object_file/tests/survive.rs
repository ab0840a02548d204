//! Changed files that pass the check, opened in a child process: how many end it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::super::ObjectFile;
use super::build::{Random, built};

/// The changes to one copy: place and new byte.
pub(super) type Changes = Vec<(usize, u8)>;

/// What became of a copy when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Opened,
    RefusedByLoader,
    EndedTheProcess,
}

fn start(opener: &Path, library: &Path) -> Child {
    Command::new(opener)
        .arg(library)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Opens each changed copy in a child, which is started again whenever it died.
pub(super) fn open_all(library: &Path, changes: &[Changes]) -> Vec<Fate> {
    let mut fates = Vec::new();
    while fates.len() < changes.len() {
        let mut child = start(&built().opener, library);
        let (mut to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut answers = from.lines();
        for changes in &changes[fates.len()..] {
            let line: Vec<String> = changes.iter().map(|(at, byte)| format!("{at}:{byte}")).collect();
            let sent = writeln!(to, "{}", line.join(" "));
            let fate = match answers.next() {
                Some(Ok(answer)) if answer == "ok" => Fate::Opened,
                Some(Ok(_)) => Fate::RefusedByLoader,
                _ => Fate::EndedTheProcess,
            };
            fates.push(fate);
            if sent.is_err() || fate == Fate::EndedTheProcess {
                break;
            }
        }
        drop(to);
        child.kill().ok();
        child.wait().unwrap();
    }
    fates
}

/// Where the loader reads: everything but code and data.
const TABLES: &[&str] = &[
    ".note.gnu.build-id",
    ".dynsym",
    ".dynstr",
    ".gnu.hash",
    ".gnu.version",
    ".gnu.version_r",
    ".rela.dyn",
    ".rela.plt",
    ".init_array",
    ".fini_array",
    ".dynamic",
    ".eh_frame_hdr",
    ".shstrtab",
];

/// The byte ranges of header tables and of the sections in `TABLES`.
fn tables(bytes: &[u8]) -> Vec<(String, std::ops::Range<usize>)> {
    let number = |at: usize, len: usize| -> usize {
        let mut raw = [0; 8];
        raw[..len].copy_from_slice(&bytes[at..at + len]);
        u64::from_le_bytes(raw) as usize
    };
    let (sections_at, count) = (number(40, 8), number(60, 2));
    let names = sections_at + number(62, 2) * 64;
    let names = &bytes[number(names + 24, 8)..][..number(names + 32, 8)];
    let mut found = vec![
        ("file header".to_string(), 0..64),
        ("program headers".to_string(), 64..64 + 56 * number(56, 2)),
        ("section headers".to_string(), sections_at..sections_at + 64 * count),
    ];
    for header in (0..count).map(|index| sections_at + index * 64) {
        let name = names[number(header, 4)..].split(|&byte| byte == 0).next().unwrap();
        let name = String::from_utf8_lossy(name).into_owned();
        if TABLES.contains(&name.as_str()) {
            let start = number(header + 24, 8);
            found.push((name, start..start + number(header + 32, 8)));
        }
    }
    found
}

/// Changes one to three bytes, a bit or a whole byte each, in one of the ranges.
fn change(random: &mut Random, bytes: &[u8], range: &std::ops::Range<usize>) -> Changes {
    (0..1 + random.below(3))
        .map(|_| {
            let at = range.start + random.below(range.len());
            let byte = match random.below(4) {
                0 => (random.next() >> 32) as u8,
                1 => bytes[at].wrapping_add(8),
                _ => bytes[at] ^ 1 << random.below(8),
            };
            (at, byte)
        })
        .filter(|&(at, byte)| bytes[at] != byte)
        .collect()
}

/// The changed copies that pass the check, of `count` tried in each table.
fn passing(bytes: &[u8], count: usize, seed: u64) -> (usize, Vec<(String, Changes)>) {
    let mut random = Random::new(seed);
    let mut copy = bytes.to_vec();
    let mut passing = Vec::new();
    let mut tried = 0;
    for (name, range) in tables(bytes) {
        for _ in 0..count {
            let changes = change(&mut random, bytes, &range);
            if changes.is_empty() {
                continue;
            }
            changes.iter().for_each(|&(at, byte)| copy[at] = byte);
            tried += 1;
            if ObjectFile::check(&copy).is_ok() {
                passing.push((name.clone(), changes.clone()));
            }
            changes.iter().for_each(|&(at, _)| copy[at] = bytes[at]);
        }
    }
    (tried, passing)
}

#[test]
fn x5_no_changed_table_that_passes_ends_the_process() {
    let built = built();
    // More, with STUD_MUTATIONS and STUD_LIBRARY, when the checks are worked on.
    let library = std::env::var_os("STUD_LIBRARY").map_or(built.stripped_path.clone(), Into::into);
    let bytes = std::fs::read(&library).unwrap();
    let count = std::env::var("STUD_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(1_500);
    let (tried, passing) = passing(&bytes, count, 1);
    assert!(tried >= 10_000);
    let changes: Vec<Changes> = passing.iter().map(|(_, changes)| changes.clone()).collect();
    let fates = open_all(&library, &changes);
    let mut counts = std::collections::BTreeMap::new();
    for ((name, _), fate) in passing.iter().zip(&fates) {
        *counts.entry((name.as_str(), format!("{fate:?}"))).or_insert(0) += 1;
    }
    println!("{tried} tried, {} passed: {counts:#?}", passing.len());
    let ended: Vec<_> = passing
        .iter()
        .zip(&fates)
        .filter(|(_, fate)| **fate == Fate::EndedTheProcess)
        .map(|(case, _)| case)
        .collect();
    assert!(ended.is_empty(), "{} ended the process: {ended:?}", ended.len());
}
