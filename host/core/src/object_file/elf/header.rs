//! The file header and the two tables it points to, read and held against what linkers write.

use super::super::ObjectError;
use super::bytes::{Reader, range, string};
use super::consts::{EM_AARCH64, EM_X86_64, SHT_STRTAB};

/// A Rust plugin has about 30 sections and 11 segments; the caps keep hostile tables from costing time.
const MAX_SECTIONS: u16 = 512;
const MAX_SEGMENTS: u16 = 32;

pub(super) const HEADER_SIZE: u64 = 64;
pub(super) const SEGMENT_SIZE: u64 = 56;
pub(super) const SECTION_SIZE: u64 = 64;

/// The processors whose relocations are known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Machine {
    X86_64,
    Aarch64,
}

impl Machine {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::Aarch64 => "aarch64",
        }
    }
}

/// What is left to know of the file header once its fixed fields are checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileHeader {
    pub(super) machine: Machine,
    pub(super) entry: u64,
    pub(super) segments: u16,
    pub(super) sections_at: u64,
    pub(super) sections: u16,
    pub(super) names: u16,
}

/// One program header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) index: usize,
    pub(super) kind: u32,
    pub(super) flags: u32,
    pub(super) offset: u64,
    pub(super) addr: u64,
    pub(super) file_size: u64,
    pub(super) mem_size: u64,
    pub(super) align: u64,
}

/// One section header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section<'a> {
    pub(super) index: usize,
    pub(super) name: &'a str,
    pub(super) name_at: u32,
    pub(super) kind: u32,
    pub(super) flags: u64,
    pub(super) addr: u64,
    pub(super) offset: u64,
    pub(super) size: u64,
    pub(super) link: u32,
    pub(super) info: u32,
    pub(super) align: u64,
    pub(super) entry_size: u64,
}

impl Segment {
    pub(super) fn field(&self, name: &str) -> String {
        format!("{name} of program header {}", self.index)
    }

    /// First address after it in memory. The sum was checked when the header was read.
    pub(super) fn end(&self) -> u64 {
        self.addr.saturating_add(self.mem_size)
    }

    /// First address after the part that comes from the file.
    pub(super) fn file_end(&self) -> u64 {
        self.addr.saturating_add(self.file_size)
    }
}

impl Section<'_> {
    pub(super) fn field(&self, name: &str) -> String {
        format!("{name} of section {} (`{}`)", self.index, self.name)
    }

    /// First address after it in memory. The sum was checked when the header was read.
    pub(super) fn end(&self) -> u64 {
        self.addr.saturating_add(self.size)
    }

    pub(super) fn is(&self, flag: u64) -> bool {
        self.flags & flag == flag
    }

    pub(super) fn holds(&self, addr: u64, len: u64) -> bool {
        addr >= self.addr && addr.checked_add(len).is_some_and(|end| end <= self.end())
    }
}

/// `expected` is what a linker writes there.
pub(super) fn must_be<T: PartialEq + std::fmt::Display>(
    field: impl FnOnce() -> String,
    value: T,
    expected: T,
) -> Result<(), ObjectError> {
    if value == expected {
        return Ok(());
    }
    Err(ObjectError::header(field(), format!("is {value}, should be {expected}")))
}

pub(super) fn read_file_header(bytes: &[u8]) -> Result<FileHeader, ObjectError> {
    let raw = range(bytes, 0, HEADER_SIZE, || "the ELF header".into())?;
    let (ident, rest) = raw.split_at(16);
    match ident {
        [_, _, _, _, 2, 1, 1, _, 0, 0, 0, 0, 0, 0, 0, 0] => {}
        [_, _, _, _, 1, ..] => return Err(ObjectError::not_a_library("a 32-bit ELF file")),
        [_, _, _, _, 2, 2, ..] => return Err(ObjectError::not_a_library("a big-endian ELF file")),
        _ => return Err(ObjectError::header("e_ident", "is not that of a 64-bit little-endian ELF file")),
    }
    // 0 is System V; 3 is GNU, which GNU ld writes when it uses a GNU extension.
    if !matches!(ident.get(7), Some(0 | 3)) {
        return Err(ObjectError::header("e_ident[EI_OSABI]", "is neither System V nor GNU"));
    }
    let header = parse_file_header(rest)
        .ok_or_else(|| ObjectError::truncated("the ELF header", 0, HEADER_SIZE, bytes))?;
    header.check()
}

/// The fields after `e_ident`, in the file's order.
struct RawHeader {
    kind: u16,
    machine: u16,
    version: u32,
    entry: u64,
    segments_at: u64,
    sections_at: u64,
    flags: u32,
    size: u16,
    segment_size: u16,
    segments: u16,
    section_size: u16,
    sections: u16,
    names: u16,
}

fn parse_file_header(rest: &[u8]) -> Option<RawHeader> {
    let mut r = Reader(rest);
    Some(RawHeader {
        kind: r.u16()?,
        machine: r.u16()?,
        version: r.u32()?,
        entry: r.u64()?,
        segments_at: r.u64()?,
        sections_at: r.u64()?,
        flags: r.u32()?,
        size: r.u16()?,
        segment_size: r.u16()?,
        segments: r.u16()?,
        section_size: r.u16()?,
        sections: r.u16()?,
        names: r.u16()?,
    })
}

impl RawHeader {
    fn check(&self) -> Result<FileHeader, ObjectError> {
        match self.kind {
            3 => {}
            1 => return Err(ObjectError::not_a_library("an ELF object file that was not linked")),
            2 => return Err(ObjectError::not_a_library("an ELF program")),
            4 => return Err(ObjectError::not_a_library("an ELF core dump")),
            other => {
                return Err(ObjectError::header(
                    "e_type",
                    format!("is {other}, should be 3 (shared object)"),
                ));
            }
        }
        let machine = match self.machine {
            EM_X86_64 => Machine::X86_64,
            EM_AARCH64 => Machine::Aarch64,
            other => {
                let message = format!("is {other}, neither 62 (x86-64) nor 183 (AArch64)");
                return Err(ObjectError::header("e_machine", message));
            }
        };
        let fixed = [
            ("e_version", u64::from(self.version), 1),
            ("e_phoff", self.segments_at, HEADER_SIZE),
            ("e_flags", u64::from(self.flags), 0),
            ("e_ehsize", u64::from(self.size), HEADER_SIZE),
            ("e_phentsize", u64::from(self.segment_size), SEGMENT_SIZE),
            ("e_shentsize", u64::from(self.section_size), SECTION_SIZE),
        ];
        for (name, value, expected) in fixed {
            must_be(|| name.into(), value, expected)?;
        }
        if self.segments == 0 || self.segments > MAX_SEGMENTS {
            return Err(ObjectError::header(
                "e_phnum",
                format!("is {}, not 1 to {MAX_SEGMENTS}", self.segments),
            ));
        }
        if self.sections < 2 || self.sections > MAX_SECTIONS {
            return Err(ObjectError::header(
                "e_shnum",
                format!("is {}, not 2 to {MAX_SECTIONS}", self.sections),
            ));
        }
        if !self.sections_at.is_multiple_of(8) {
            return Err(ObjectError::header("e_shoff", "is not a multiple of 8"));
        }
        if self.names == 0 || self.names >= self.sections {
            return Err(ObjectError::header(
                "e_shstrndx",
                format!("is {}, not the index of a section", self.names),
            ));
        }
        let &Self { entry, segments, sections_at, sections, names, .. } = self;
        Ok(FileHeader { machine, entry, segments, sections_at, sections, names })
    }
}

pub(super) fn read_segments(bytes: &[u8], header: &FileHeader) -> Result<Vec<Segment>, ObjectError> {
    let len = u64::from(header.segments) * SEGMENT_SIZE;
    let table = range(bytes, HEADER_SIZE, len, || "the program header table".into())?;
    let (entries, _) = table.as_chunks::<{ SEGMENT_SIZE as usize }>();
    let mut segments = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let what = || format!("program header {index}");
        let (segment, physical) = parse_segment(index, entry)
            .ok_or_else(|| ObjectError::truncated(what(), HEADER_SIZE, len, bytes))?;
        must_be(|| segment.field("p_paddr"), physical, segment.addr)?;
        range(bytes, segment.offset, segment.file_size, || format!("the segment of program header {index}"))?;
        if segment.addr.checked_add(segment.mem_size).is_none() || segment.file_size > segment.mem_size {
            return Err(ObjectError::header(segment.field("p_memsz"), "is not a size that fits"));
        }
        segments.push(segment);
    }
    Ok(segments)
}

fn parse_segment(index: usize, entry: &[u8]) -> Option<(Segment, u64)> {
    let mut r = Reader(entry);
    let (kind, flags, offset, addr, physical) = (r.u32()?, r.u32()?, r.u64()?, r.u64()?, r.u64()?);
    let (file_size, mem_size, align) = (r.u64()?, r.u64()?, r.u64()?);
    Some((Segment { index, kind, flags, offset, addr, file_size, mem_size, align }, physical))
}

pub(super) fn read_sections<'a>(
    bytes: &'a [u8],
    header: &FileHeader,
) -> Result<(Vec<Section<'a>>, &'a [u8]), ObjectError> {
    let len = u64::from(header.sections) * SECTION_SIZE;
    let table = range(bytes, header.sections_at, len, || "the section header table".into())?;
    let (entries, _) = table.as_chunks::<{ SECTION_SIZE as usize }>();
    let parse = |index: usize, entry: &[u8]| {
        parse_section(index, entry).ok_or_else(|| {
            ObjectError::truncated(format!("section header {index}"), header.sections_at, len, bytes)
        })
    };

    let mut names: &[u8] = &[];
    if let Some(entry) = entries.get(usize::from(header.names)) {
        let section = parse(usize::from(header.names), entry)?;
        if section.kind != SHT_STRTAB {
            return Err(ObjectError::header("e_shstrndx", "does not point to a string table"));
        }
        names = range(bytes, section.offset, section.size, || "the table of section names".into())?;
    }

    let mut sections = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let mut section = parse(index, entry)?;
        section.name = string(names, section.name_at)
            .and_then(|name| std::str::from_utf8(name).ok())
            .filter(|name| name.bytes().all(|byte| byte.is_ascii_graphic()))
            .ok_or_else(|| {
                ObjectError::header(section.field("sh_name"), "is not the offset of a printable name")
            })?;
        if section.addr.checked_add(section.size).is_none() {
            return Err(ObjectError::header(section.field("sh_size"), "is not a size that fits"));
        }
        sections.push(section);
    }
    if entries.first().is_none_or(|entry| entry.iter().any(|&byte| byte != 0)) {
        return Err(ObjectError::header("section header 0", "is not all zero"));
    }
    Ok((sections, names))
}

fn parse_section<'a>(index: usize, entry: &[u8]) -> Option<Section<'a>> {
    let mut r = Reader(entry);
    let (name_at, kind, flags) = (r.u32()?, r.u32()?, r.u64()?);
    let (addr, offset, size) = (r.u64()?, r.u64()?, r.u64()?);
    let (link, info, align, entry_size) = (r.u32()?, r.u32()?, r.u64()?, r.u64()?);
    Some(Section { index, name: "", name_at, kind, flags, addr, offset, size, link, info, align, entry_size })
}
