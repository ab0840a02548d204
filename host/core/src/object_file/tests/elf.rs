//! ELF files: what a whole one gives, what a cut one and one with a changed header get.

use std::collections::BTreeMap;

use super::super::{Format, ObjectError, ObjectFile, SectionName};
use super::build::{built, plugin};
use super::survive::{Changes, Fate, open_all};

const CONTRACT: SectionName =
    SectionName { elf: "stud_contract", pe: ".stud", macho: ("__DATA_CONST", "__stud_contract") };

#[test]
fn c3_the_contract_is_read_from_whole_libraries() {
    for bytes in [&built().stripped, &built().debug] {
        let file = ObjectFile::check(bytes).unwrap();
        assert_eq!(file.format(), Format::Elf);
        assert_eq!(file.architecture(), std::env::consts::ARCH);
        file.require_this_machine().unwrap();
        assert_eq!(file.section(&CONTRACT).unwrap(), [b'c'; 64]);
        assert_eq!(file.exports().unwrap(), ["stud_entry"]);
    }
}

#[test]
fn l4_a_library_without_a_contract_says_which_section_is_missing() {
    let file = ObjectFile::check(&built().stripped).unwrap();
    let error = file.section(&SectionName { elf: "stud_other", ..CONTRACT }).unwrap_err();
    assert_eq!(error.to_string(), "the section `stud_other` is missing");
    assert!(error.remedy().contains("export_plugin!"));
    let error = file.section(&SectionName { elf: ".data", ..CONTRACT }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the section `.data` is not read-only data that is loaded with the library"
    );
}

#[test]
fn l4_a_contract_that_can_be_written_is_refused() {
    let source = r#"
        #[used]
        #[unsafe(link_section = "stud_contract")]
        static CONTRACT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        #[unsafe(no_mangle)]
        pub extern "C" fn stud_entry() -> u64 { CONTRACT.load(std::sync::atomic::Ordering::SeqCst) }
    "#;
    let bytes = plugin("writable.so", source, &["-O", "-Cstrip=symbols"]);
    let error = ObjectFile::check(&bytes).unwrap().section(&CONTRACT).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the section `stud_contract` is not read-only data that is loaded with the library"
    );
}

#[test]
fn l4_other_processors_and_other_files_are_named() {
    let mut bytes = built().stripped.clone();
    for (at, value, text) in [
        (4, 1, "the file is a 32-bit ELF file, not a shared library"),
        (5, 2, "the file is a big-endian ELF file, not a shared library"),
        (16, 1, "the file is an ELF object file that was not linked, not a shared library"),
        (16, 2, "the file is an ELF program, not a shared library"),
        (18, 243, "the header field e_machine is 243, neither 62 (x86-64) nor 183 (AArch64)"),
    ] {
        let before = std::mem::replace(&mut bytes[at], value);
        assert_eq!(ObjectFile::check(&bytes).unwrap_err().to_string(), text);
        bytes[at] = before;
    }
    let opener = std::fs::read(&built().opener).unwrap();
    let error = ObjectFile::check(&opener).unwrap_err().to_string();
    assert!(error.starts_with("the file is an ELF program"), "{error}");
}

#[test]
fn x5_a_file_cut_anywhere_is_refused() {
    for bytes in [&built().stripped, &built().debug] {
        // Nearly all lengths end at once with the section headers out of reach; the last ones are dense.
        let dense = bytes.len() - 8_192..bytes.len();
        for len in (0..8_192).chain((8_192..bytes.len()).step_by(61)).chain(dense) {
            assert!(ObjectFile::check(&bytes[..len]).is_err(), "cut to {len} of {}", bytes.len());
        }
    }
}

#[test]
fn x5_a_cut_file_is_told_where_it_ends() {
    let bytes = &built().stripped;
    let error = ObjectFile::check(&bytes[..bytes.len() - 1]).unwrap_err();
    assert!(matches!(error, ObjectError::Truncated { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.starts_with("the file ends too early: the section header table takes 2"), "{text}");
    assert!(text.ends_with(&format!("the file has {}", bytes.len() - 1)), "{text}");
    assert!(error.remedy().starts_with("copy the file again"));
}

#[test]
fn x5_bytes_added_or_zeroed_at_the_end_are_refused() {
    let bytes = &built().stripped;
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(ObjectFile::check(&longer).is_err());
    // What a copy into a file of the final size looks like half way.
    for written in [0, 4_096, bytes.len() / 2, bytes.len() - 4_096, bytes.len() - 64] {
        let mut partly = bytes.clone();
        partly[written..].fill(0);
        assert!(ObjectFile::check(&partly).is_err(), "written to {written}");
    }
}

/// Names the field of a header table that a byte belongs to; `None` behind the tables.
fn field(bytes: &[u8], at: usize) -> String {
    const SEGMENT: [(&str, usize); 8] = [
        ("p_type", 4),
        ("p_flags", 8),
        ("p_offset", 16),
        ("p_vaddr", 24),
        ("p_paddr", 32),
        ("p_filesz", 40),
        ("p_memsz", 48),
        ("p_align", 56),
    ];
    const SECTION: [(&str, usize); 10] = [
        ("sh_name", 4),
        ("sh_type", 8),
        ("sh_flags", 16),
        ("sh_addr", 24),
        ("sh_offset", 32),
        ("sh_size", 40),
        ("sh_link", 44),
        ("sh_info", 48),
        ("sh_addralign", 56),
        ("sh_entsize", 64),
    ];
    let sections_at = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    let (fields, inside) = match at {
        0..64 => return format!("e_{at}"),
        _ if at < sections_at => (&SEGMENT[..], (at - 64) % 56),
        _ => (&SECTION[..], (at - sections_at) % 64),
    };
    fields.iter().find(|(_, end)| inside < *end).unwrap().0.to_string()
}

/// The places of header bytes.
fn header_bytes(bytes: &[u8]) -> impl Iterator<Item = usize> + use<> {
    let sections_at = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    let segments = u16::from_le_bytes([bytes[56], bytes[57]]) as usize;
    let len = bytes.len();
    (0..64 + 56 * segments).chain(sections_at..len)
}

/// Tries each change to one byte and returns those that pass.
fn pass(bytes: &[u8], changed: impl Fn(usize, u8) -> Vec<u8>) -> Vec<(usize, u8)> {
    let mut copy = bytes.to_vec();
    let mut found = Vec::new();
    for at in header_bytes(bytes) {
        for byte in changed(at, bytes[at]) {
            copy[at] = byte;
            if byte != bytes[at] && ObjectFile::check(&copy).is_ok() {
                found.push((at, byte));
            }
        }
        copy[at] = bytes[at];
    }
    found
}

/// The fields that the module's documentation lists as those a change can hide in.
const HIDEOUTS: &[&str] = &["sh_size", "sh_addralign", "sh_entsize", "sh_flags", "p_align", "e_7"];

fn assert_harmless(bytes: &[u8], path: &std::path::Path, passing: &[(usize, u8)]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (at, _) in passing {
        *counts.entry(field(bytes, *at)).or_default() += 1;
    }
    println!("{} changed headers passed: {counts:?}", passing.len());
    let unlisted: Vec<_> = counts.keys().filter(|field| !HIDEOUTS.contains(&field.as_str())).collect();
    assert!(unlisted.is_empty(), "changes to {unlisted:?} pass");
    let changes: Vec<Changes> = passing.iter().map(|change| vec![*change]).collect();
    let fates = open_all(path, &changes);
    assert!(fates.iter().all(|fate| *fate == Fate::Opened), "{fates:?}");
}

#[test]
fn x5_any_bit_of_any_header_changed_is_refused_or_harmless() {
    let built = built();
    let bits = |_, byte: u8| (0..8).map(|bit| byte ^ 1 << bit).collect();
    let passing = pass(&built.stripped, bits);
    assert!(passing.len() < 100, "{} flipped bits pass", passing.len());
    assert_harmless(&built.stripped, &built.stripped_path, &passing);
}

#[test]
fn x5_any_byte_of_any_header_changed_is_refused_or_harmless() {
    let built = built();
    let others = |at: usize, byte: u8| {
        let shifted =
            [1, 2, 4, 7, 8, 15, 16, 32, 63, 100].iter().map(|step| byte.wrapping_add(step + at as u8 % 2));
        shifted.chain([0, 0xff]).collect()
    };
    assert_harmless(&built.stripped, &built.stripped_path, &pass(&built.stripped, others));
}
