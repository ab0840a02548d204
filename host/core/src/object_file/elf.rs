//! ELF: 64 bits, little-endian, x86-64 and AArch64.
//!
//! The order of the checks is the order of trust: first the tables of the file, then that they agree with each other,
//! then what the loader reads through them. Each later check may rely on the earlier ones.

mod bytes;
mod consts;
mod dynamic;
mod hash;
mod header;
mod known;
mod layout;
mod relocations;
mod segments;
mod slots;
mod strings;
mod style;
mod symbols;
mod unwind;
mod versions;

use super::ObjectError;
use consts::{PT_LOAD, SHF_ALLOC, SHF_COMPRESSED, SHF_GNU_RETAIN, SHT_NOBITS, SHT_PROGBITS};
use header::{FileHeader, Section, Segment};
use strings::Strings;

/// The tables of a file, as far as they were checked.
#[derive(Clone, Debug)]
struct Image<'a> {
    bytes: &'a [u8],
    header: FileHeader,
    segments: Vec<Segment>,
    sections: Vec<Section<'a>>,
    /// Indexes of the allocated sections that have a size, by address.
    by_address: Vec<usize>,
}

/// An ELF shared library that passed every check.
#[derive(Clone, Debug)]
pub(super) struct Library<'a> {
    image: Image<'a>,
    exports: Vec<&'a [u8]>,
}

impl<'a> Library<'a> {
    pub(super) fn check(bytes: &'a [u8]) -> Result<Self, ObjectError> {
        let header = header::read_file_header(bytes)?;
        let segments = header::read_segments(bytes, &header)?;
        let (sections, names) = header::read_sections(bytes, &header)?;
        let image = Image::new(bytes, header, segments, sections);

        layout::check_names(&image, names)?;
        for section in image.sections.iter().skip(1) {
            let contents = if section.is(SHF_COMPRESSED) { image.contents(section)? } else { &[] };
            known::check_customs(section, &image.sections, header.machine, contents)?;
        }
        if image.sections.get(usize::from(header.names)).is_none_or(|section| section.name != ".shstrtab") {
            return Err(ObjectError::header("e_shstrndx", "does not point to `.shstrtab`"));
        }
        layout::check_file(&image)?;
        layout::check_memory(&image)?;
        segments::check(&image)?;
        style::check(&image)?;

        let mut strings = Strings::new(image.contents(image.require(".dynstr")?)?)?;
        let dynamic = dynamic::check(&image, &mut strings)?;
        let functions = unwind::Functions::read(&image)?;
        let symbols = symbols::check(&image, &mut strings, &functions)?;
        hash::check(&image, &symbols)?;
        versions::check(&image, &mut strings, &dynamic, &symbols)?;
        strings.check_all_used()?;
        relocations::Relocations { image: &image, symbols: &symbols, functions: &functions }
            .check(&dynamic)?;

        let exports =
            symbols.iter().filter(|symbol| symbol.is_exported()).map(|symbol| symbol.name).collect();
        Ok(Self { image, exports })
    }

    pub(super) fn architecture(&self) -> &'static str {
        self.image.header.machine.as_str()
    }

    pub(super) fn section(&self, name: &str) -> Result<&'a [u8], ObjectError> {
        // That no name is there twice was checked.
        let section = self.image.find(name).ok_or_else(|| ObjectError::section(name, "is missing"))?;
        if section.is(SHF_COMPRESSED) {
            return Err(ObjectError::section(name, "is compressed"));
        }
        if section.kind != SHT_PROGBITS || section.flags & !SHF_GNU_RETAIN != SHF_ALLOC {
            return Err(ObjectError::section(name, "is not read-only data that is loaded with the library"));
        }
        if section.size == 0 {
            return Err(ObjectError::section(name, "is empty"));
        }
        self.image.contents(section)
    }

    pub(super) fn exports(&self) -> Result<Vec<String>, ObjectError> {
        Ok(self.exports.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }
}

impl<'a> Image<'a> {
    fn new(bytes: &'a [u8], header: FileHeader, segments: Vec<Segment>, sections: Vec<Section<'a>>) -> Self {
        let mut by_address: Vec<usize> = Vec::new();
        let mut image = Self { bytes, header, segments, sections, by_address: Vec::new() };
        // Thread-local zeroes share their addresses with what follows them.
        let takes_memory = |section: &&Section<'_>| {
            section.size > 0 && !(section.is(consts::SHF_TLS) && section.kind == SHT_NOBITS)
        };
        by_address.extend(image.allocated().filter(takes_memory).map(|section| section.index));
        by_address.sort_unstable_by_key(|&index| image.sections.get(index).map_or(0, |section| section.addr));
        image.by_address = by_address;
        image
    }

    fn find(&self, name: &str) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| section.name == name)
    }

    fn require(&self, name: &str) -> Result<&Section<'a>, ObjectError> {
        self.find(name).ok_or_else(|| {
            ObjectError::header("the section header table", format!("has no section `{name}`"))
        })
    }

    fn contents(&self, section: &Section<'_>) -> Result<&'a [u8], ObjectError> {
        bytes::range(self.bytes, section.offset, section.size, || {
            format!("section {} (`{}`)", section.index, section.name)
        })
    }

    fn allocated(&self) -> impl Iterator<Item = &Section<'a>> {
        self.sections.iter().skip(1).filter(|section| section.is(SHF_ALLOC))
    }

    fn loads(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter().filter(|segment| segment.kind == PT_LOAD)
    }

    /// The allocated section that holds `len` bytes at `addr`.
    fn section_at(&self, addr: u64, len: u64) -> Option<&Section<'a>> {
        let begins_after =
            |&index: &usize| self.sections.get(index).is_some_and(|section| section.addr > addr);
        let position = self.by_address.partition_point(|index| !begins_after(index)).checked_sub(1)?;
        self.sections.get(*self.by_address.get(position)?).filter(|section| section.holds(addr, len))
    }

    /// First address behind everything that is loaded.
    fn end(&self) -> u64 {
        self.loads().map(Segment::end).max().unwrap_or(0)
    }
}
