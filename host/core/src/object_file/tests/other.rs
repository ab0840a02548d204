//! PE and Mach-O on files put together by hand, and bytes of no format at all.

use super::super::{Format, ObjectFile, SectionName};
use super::build::Random;

const CONTRACT: SectionName =
    SectionName { elf: "stud_contract", pe: ".stud", macho: ("__DATA_CONST", "__stud_contract") };

/// Writes numbers at places of a file that grows as needed.
struct File(Vec<u8>);

impl File {
    fn put(&mut self, at: usize, bytes: &[u8]) -> &mut Self {
        self.0.resize(self.0.len().max(at + bytes.len()), 0);
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    fn u16(&mut self, at: usize, value: u16) -> &mut Self {
        self.put(at, &value.to_le_bytes())
    }

    fn u32(&mut self, at: usize, value: u32) -> &mut Self {
        self.put(at, &value.to_le_bytes())
    }

    fn u64(&mut self, at: usize, value: u64) -> &mut Self {
        self.put(at, &value.to_le_bytes())
    }
}

const PE: usize = 0x40;
const OPTIONAL: usize = PE + 24;
const PE_SECTIONS: usize = OPTIONAL + 240;

/// A DLL with code, a contract, and one exported name.
fn dll() -> Vec<u8> {
    let mut file = File(Vec::new());
    file.put(0, b"MZ").u32(0x3c, PE as u32).put(PE, b"PE\0\0");
    file.u16(PE + 4, 0x8664).u16(PE + 6, 3).u16(PE + 20, 240).u16(PE + 22, 0x2022);
    file.u16(OPTIONAL, 0x20b).u32(OPTIONAL + 16, 0x1000).u64(OPTIONAL + 24, 0x1_8000_0000);
    file.u32(OPTIONAL + 32, 0x1000)
        .u32(OPTIONAL + 36, 0x200)
        .u32(OPTIONAL + 56, 0x4000)
        .u32(OPTIONAL + 60, 0x400);
    file.u32(OPTIONAL + 108, 16).u32(OPTIONAL + 112, 0x3000).u32(OPTIONAL + 116, 0x60);
    for (index, (name, flags, size)) in
        [(&b".text"[..], 0x6000_0020, 0x10), (b".stud", 0x4000_0040, 0x40), (b".edata", 0x4000_0040, 0x60)]
            .into_iter()
            .enumerate()
    {
        let at = PE_SECTIONS + index * 40;
        let number = index as u32;
        file.put(at, name).u32(at + 8, size).u32(at + 12, 0x1000 * (number + 1));
        file.u32(at + 16, 0x200).u32(at + 20, 0x400 + 0x200 * number).u32(at + 36, flags);
    }
    file.put(0x400, &[0xc3]).put(0x600, &[b'c'; 64]);
    let exports = 0x800;
    file.u32(exports + 12, 0x3040).u32(exports + 16, 1).u32(exports + 20, 1).u32(exports + 24, 1);
    file.u32(exports + 28, 0x3028).u32(exports + 32, 0x302c).u32(exports + 36, 0x3030);
    file.u32(exports + 0x28, 0x1000).u32(exports + 0x2c, 0x3050).u16(exports + 0x30, 0);
    file.put(exports + 0x40, b"plugin.dll\0").put(exports + 0x50, b"stud_entry\0").put(0x9ff, &[0]);
    file.0
}

/// A dynamic library with code, a contract, and one exported name.
fn dylib() -> Vec<u8> {
    let mut file = File(Vec::new());
    file.u32(0, 0xfeed_facf).u32(4, 0x0100_000c).u32(12, 6).u32(16, 4);
    let mut at = 32;
    for (segment, section, offset, protection) in [
        (&b"__TEXT"[..], Some(&b"__text"[..]), 0_u64, 5),
        (b"__DATA_CONST", Some(b"__stud_contract"), 0x4000, 3),
        (b"__LINKEDIT", None, 0x8000, 1),
    ] {
        let sections = u32::from(section.is_some());
        let len = if section.is_some() { 0x4000 } else { 0x30 };
        file.u32(at, 0x19).u32(at + 4, 72 + 80 * sections).put(at + 8, segment);
        file.u64(at + 24, offset).u64(at + 32, 0x4000).u64(at + 40, offset).u64(at + 48, len);
        file.u32(at + 56, protection).u32(at + 60, protection).u32(at + 64, sections);
        at += 72;
        if let Some(section) = section {
            let start = offset + if offset == 0 { 0x1000 } else { 0 };
            file.put(at, section).put(at + 16, segment).u64(at + 32, start).u64(at + 40, 0x40);
            file.u32(at + 48, start as u32).u32(at + 64, if offset == 0 { 0x8000_0400 } else { 0 });
            at += 80;
        }
    }
    file.u32(at, 2)
        .u32(at + 4, 24)
        .u32(at + 8, 0x8000)
        .u32(at + 12, 1)
        .u32(at + 16, 0x8010)
        .u32(at + 20, 0x20);
    file.u32(20, at as u32 + 24 - 32);
    file.u32(0x8000, 1)
        .put(0x8004, &[0x0f, 1])
        .u64(0x8008, 0x1000)
        .put(0x8011, b"_stud_entry\0")
        .put(0x802f, &[0]);
    file.put(0x4000, &[b'c'; 64]);
    file.0
}

#[test]
fn c3_the_contract_is_read_from_whole_dlls_and_dylibs() {
    for (bytes, format, architecture) in [(dll(), Format::Pe, "x86_64"), (dylib(), Format::MachO, "aarch64")]
    {
        let file = ObjectFile::check(&bytes).unwrap();
        assert_eq!((file.format(), file.architecture()), (format, architecture));
        assert_eq!(file.section(&CONTRACT).unwrap(), [b'c'; 64]);
        assert_eq!(file.exports().unwrap(), ["stud_entry"]);
        let other = SectionName { pe: ".other", macho: ("__DATA", "__other"), ..CONTRACT };
        let error = file.section(&other).unwrap_err().to_string();
        assert!(error.ends_with("is missing"), "{error}");
    }
}

#[test]
fn l4_a_library_for_another_system_names_both() {
    let bytes = dll();
    let error = ObjectFile::check(&bytes).unwrap().require_this_machine().unwrap_err();
    let needed = format!("elf {}", std::env::consts::ARCH);
    assert_eq!(error.to_string(), format!("the library is built for pe x86_64, this host needs {needed}"));
    assert_eq!(error.remedy(), format!("build the plugin for {needed}"));
}

#[test]
fn x5_a_dll_or_dylib_cut_anywhere_is_refused() {
    for bytes in [dll(), dylib()] {
        for len in 0..bytes.len() {
            assert!(ObjectFile::check(&bytes[..len]).is_err(), "cut to {len} of {}", bytes.len());
        }
    }
}

#[test]
fn x5_a_dll_with_a_damaged_header_says_what_is_wrong() {
    for (at, bytes, text) in [
        (PE + 22, &[0x22, 0][..], "the file is a Windows program, not marked as a DLL, not a shared library"),
        (PE + 4, &[0x4c, 1], "the header field Machine is 0x14c, neither x86-64 nor AArch64"),
        (OPTIONAL + 58, &[1], "the header field SizeOfImage is not the end of the last section"),
        (OPTIONAL + 114, &[9], "the header field DataDirectory[0] lies outside of the sections"),
        (
            PE_SECTIONS + 39,
            &[0xe0],
            "the header field Characteristics of section `.text` allows both writing and executing",
        ),
        (
            PE_SECTIONS + 62,
            &[1],
            "the file ends too early: section `.stud` takes 512 bytes from offset 67072, the file has 2560",
        ),
        (0x800 + 0x2f, &[1], "the export directory has a name outside of the sections"),
    ] {
        let mut file = File(dll());
        file.put(at, bytes);
        assert_eq!(ObjectFile::check(&file.0).unwrap_err().to_string(), text);
    }
}

#[test]
fn x5_a_dylib_with_a_damaged_header_says_what_is_wrong() {
    for (at, bytes, text) in [
        (12, &[2][..], "the file is a macOS program, not a shared library"),
        (4, &[7], "the header field cputype is neither x86-64 nor AArch64"),
        (20, &[0x98], "the header field sizeofcmds is not the size of the load commands"),
        (32 + 60, &[7], "entry 0 of the load commands allows both writing and executing"),
        (
            32 + 50,
            &[1],
            "the file ends too early: a segment takes 81920 bytes from offset 0, the file has 32816",
        ),
        (
            32 + 152 + 40,
            &[1],
            "entry 1 of the load commands does not follow the segment before it in the file",
        ),
    ] {
        let mut file = File(dylib());
        file.put(at, bytes);
        assert_eq!(ObjectFile::check(&file.0).unwrap_err().to_string(), text);
    }
}

#[test]
fn l4_what_is_no_library_is_named() {
    for (bytes, text) in [
        (&b""[..], "the file is empty, not a shared library"),
        (b"#!/bin/sh\n", "the file is a script, not a shared library"),
        (b"!<arch>\n", "the file is a static library (an archive), not a shared library"),
        (b"\0\0\0\0\0", "the file is made of zero bytes only, not a shared library"),
        (b"hello", "the file is unknown (it begins with 68 65 6c 6c), not a shared library"),
        (
            b"\xca\xfe\xba\xbe\0\0\0\x02",
            "the file is a fat Mach-O file with several architectures (take one out with `lipo -thin`), not a shared library",
        ),
    ] {
        assert_eq!(ObjectFile::check(bytes).unwrap_err().to_string(), text);
    }
}

#[test]
fn x5_no_bytes_whatever_end_the_check() {
    let mut random = Random::new(7);
    let starts = [super::build::built().stripped.clone(), dll(), dylib()];
    let (mut passed, mut tried) = (0, 0);
    for (start, rounds) in starts.iter().zip([6_000, 6_000, 6_000]) {
        let mut copy = start.clone();
        for _ in 0..rounds {
            let mut changed = Vec::new();
            for _ in 0..1 + random.below(8) {
                // Half of the changes go into the first and last parts, where the headers are.
                let near = random.below(4_096.min(start.len()));
                let at = match random.below(4) {
                    0 => near,
                    1 => start.len() - 1 - near,
                    _ => random.below(start.len()),
                };
                copy[at] = (random.next() >> 40) as u8;
                changed.push(at);
            }
            tried += 1;
            if let Ok(file) = ObjectFile::check(&copy) {
                passed += 1;
                file.section(&CONTRACT).ok();
                file.exports().ok();
            }
            changed.into_iter().for_each(|at| copy[at] = start[at]);
        }
    }
    println!("{passed} of {tried} passed");
    // Most places are in code and padding, which no header speaks of.
    assert!(tried >= 10_000 && passed > 0);
}
