//! X5, L4: changed libraries in a layer, through the real binary. The ten thousands stand beside the checks themselves,
//! in `host/core/src/object_file/tests`.

use std::fs;
use std::ops::Range;
use stud_e2e::{Layer, World, artefacts};

fn number(bytes: &[u8], at: usize, len: usize) -> usize {
    let mut raw = [0; 8];
    raw[..len].copy_from_slice(&bytes[at..at + len]);
    usize::from_le_bytes(raw)
}

/// The tables that a loader looks at first.
fn headers(bytes: &[u8]) -> [Range<usize>; 4] {
    let sections = number(bytes, 40, 8);
    let programs = number(bytes, 32, 8);
    let end = sections + 64 * number(bytes, 60, 2);
    [0..16, 16..64, programs..programs + 56 * number(bytes, 56, 2), sections..end]
}

/// The file ranges of the sections of type RELA.
fn relocations(bytes: &[u8]) -> Vec<Range<usize>> {
    let sections = number(bytes, 40, 8);
    let headers =
        (0..number(bytes, 60, 2)).map(|i| sections + 64 * i).filter(|at| number(bytes, at + 4, 4) == 4);
    headers
        .map(|at| number(bytes, at + 24, 8)..number(bytes, at + 24, 8) + number(bytes, at + 32, 8))
        .collect()
}

/// A library as a compiler for another processor would have laid it out: its machine, and relocations of that machine.
pub(crate) fn for_aarch64(mut bytes: Vec<u8>) -> Vec<u8> {
    const SAME: [(usize, u32); 6] = [(1, 257), (6, 1025), (7, 1026), (8, 1027), (16, 1028), (17, 1029)];
    bytes[18..20].copy_from_slice(&183_u16.to_le_bytes());
    for at in relocations(&bytes).into_iter().flat_map(|range| range.step_by(24)) {
        let kind = number(&bytes, at + 8, 4);
        let (_, other) =
            SAME.into_iter().find(|(ours, _)| *ours == kind).unwrap_or_else(|| panic!("relocation {kind}"));
        bytes[at + 8..at + 12].copy_from_slice(&other.to_le_bytes());
    }
    bytes
}

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

/// Copies with a bit or a byte changed, a few in each header and some anywhere.
fn mutated(whole: &[u8]) -> Vec<Vec<u8>> {
    let mut numbers = Numbers(0x5DEE_CE66_D1CE_4E5B);
    let mut ranges = headers(whole).to_vec();
    ranges.push(0..whole.len());
    let mut copies = Vec::new();
    for range in ranges {
        for _ in 0..10 {
            let mut copy = whole.to_vec();
            let at = range.start + numbers.below(range.len());
            copy[at] ^= if numbers.below(3) == 0 { 0xff } else { 1 << numbers.below(8) };
            copies.push(copy);
        }
    }
    copies
}

#[test]
fn l4_dozens_of_changed_copies_beside_good_plugins() {
    let whole = fs::read(artefacts().fixture("constructor")).unwrap();
    let copies = mutated(&whole);
    let world = World::with("hostile");
    let files: Vec<_> = copies
        .iter()
        .enumerate()
        .map(|(i, copy)| world.put_bytes(Layer::Global, &format!("changed{i}.so"), copy))
        .collect();
    let listing = world.listing();
    let mut refused = 0;
    for file in &files {
        let lines: Vec<_> = listing.iter().filter(|tool| tool["file"].as_str() == file.to_str()).collect();
        assert_eq!(lines.len(), 1, "{file:?}");
        refused += usize::from(lines[0]["status"] == "failed");
    }
    // Code and data have no second copy in the file to be held against; headers have.
    assert!(refused >= 30, "{refused} of {} were refused", files.len());
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
    world.others_work();
    let _ = world.stud(&["tools"]).exits(0);
}

#[test]
fn x5_a_changed_copy_that_passes_is_first_opened_in_another_process() {
    let whole = fs::read(artefacts().fixture("constructor")).unwrap();
    let world = World::new();
    let mut opened = 0;
    for copy in mutated(&whole).into_iter().skip(25) {
        world.put_bytes(Layer::Global, "changed.so", &copy);
        // It works or it is refused with an exit code of its own; a signal or any other end fails here.
        let result = world.call("canary", "{}");
        match result["error"]["class"].as_str() {
            None => {
                opened += 1;
                assert_eq!(result["content"][0]["text"], "alive");
            }
            Some(class) => assert_eq!(class, "not_found", "{result:#}"),
        }
    }
    assert!(opened > 0, "no copy was changed where it does not matter");
    world.others_work();
}
