//! PE: DLLs of Windows, 64 bits, x86-64 and AArch64.

use object::LittleEndian as LE;
use object::pe::{
    self, IMAGE_DIRECTORY_ENTRY_BASERELOC, IMAGE_DIRECTORY_ENTRY_EXPORT, IMAGE_DIRECTORY_ENTRY_IMPORT,
    IMAGE_DIRECTORY_ENTRY_SECURITY,
};
use object::read::pe::{ImageOptionalHeader, PeFile64};

use super::ObjectError;

/// What the Windows loader itself accepts at most.
const MAX_SECTIONS: usize = 96;
/// No plugin is near these; they bound the time a hostile file can cost.
const MAX_LIBRARIES: usize = 1_024;
const MAX_NAMES: usize = 65_536;
const MAX_NAME: usize = 4_096;

const EXECUTE: u32 = 0x2000_0000;
const WRITE: u32 = 0x8000_0000;

/// A DLL that passed every check.
#[derive(Clone, Debug)]
pub(super) struct Library<'a> {
    bytes: &'a [u8],
    architecture: &'static str,
    sections: Vec<Section<'a>>,
    exports: Vec<&'a [u8]>,
}

#[derive(Clone, Copy, Debug)]
struct Section<'a> {
    name: &'a [u8],
    address: u32,
    /// End in memory, not rounded up.
    end: u32,
    contents: &'a [u8],
    flags: u32,
}

impl<'a> Library<'a> {
    pub(super) fn check(bytes: &'a [u8]) -> Result<Self, ObjectError> {
        let file = PeFile64::parse(bytes).map_err(|error| refuse_unparsed(bytes, &error.to_string()))?;
        let nt = file.nt_headers();
        let header = &nt.file_header;
        let flags = header.characteristics.get(LE).0;
        if flags & 0x2000 == 0 || flags & 2 == 0 {
            return Err(ObjectError::not_a_library("a Windows program, not marked as a DLL"));
        }
        let architecture = match header.machine.get(LE).0 {
            0x8664 => "x86_64",
            0xaa64 => "aarch64",
            other => {
                return Err(ObjectError::header(
                    "Machine",
                    format!("is {other:#x}, neither x86-64 nor AArch64"),
                ));
            }
        };
        let (table, count) =
            (u64::from(header.pointer_to_symbol_table.get(LE)), header.number_of_symbols.get(LE));
        let symbols = u64::from(count) * 18;
        if table.saturating_add(symbols) > bytes.len() as u64 {
            return Err(ObjectError::truncated("the symbol table", table, symbols, bytes));
        }
        if table != 0 {
            // The table of long names follows the symbols and begins with its own length.
            let names = bytes.get(as_index(table + symbols)..).and_then(<[u8]>::first_chunk::<4>);
            let len = names.map_or(4, |len| u64::from(u32::from_le_bytes(*len)));
            if names.is_none() || table + symbols + len > bytes.len() as u64 {
                return Err(ObjectError::truncated("the table of long names", table + symbols, len, bytes));
            }
        }
        let sections = read_sections(bytes, &file)?;
        let mut library = Self { bytes, architecture, sections, exports: Vec::new() };
        library.check_optional_header(&nt.optional_header)?;
        library.check_directories(&file)?;
        library.check_imports(&file)?;
        library.check_relocations(&file)?;
        library.exports = library.read_exports(&file)?;
        Ok(library)
    }

    fn check_optional_header(&self, header: &pe::ImageOptionalHeader64) -> Result<(), ObjectError> {
        let wrong = |field: &str, message: &str| Err(ObjectError::header(field, message));
        let (page, sector) = (header.section_alignment(), header.file_alignment());
        if !page.is_power_of_two()
            || !(512..=0x1_0000).contains(&sector)
            || !sector.is_power_of_two()
            || page < sector
        {
            return wrong("SectionAlignment", "and FileAlignment are not powers of two in order");
        }
        if !header.image_base().is_multiple_of(0x1_0000) {
            return wrong("ImageBase", "is not a multiple of 64 KiB");
        }
        if header.win32_version_value.get(LE) != 0 || header.loader_flags.get(LE) != 0 {
            return wrong("Win32VersionValue", "or LoaderFlags is set, though both are reserved");
        }
        let entry = header.address_of_entry_point();
        if entry != 0 && self.at(entry).is_none_or(|(section, _)| section.flags & EXECUTE == 0) {
            return wrong("AddressOfEntryPoint", "is not in the code");
        }
        let first = self.sections.first().map_or(0, |section| section.address);
        let headers = header.size_of_headers();
        if headers > first || u64::from(headers) > self.bytes.len() as u64 || !headers.is_multiple_of(sector)
        {
            return wrong("SizeOfHeaders", "is not the size of what comes before the first section");
        }
        let mut next = first;
        for section in &self.sections {
            if section.address != next || !section.address.is_multiple_of(page) {
                return wrong("VirtualAddress", "of a section does not follow the section before it");
            }
            let Some(end) = section.end.checked_next_multiple_of(page) else {
                return wrong("VirtualSize", "of a section is not a size that fits");
            };
            next = end;
        }
        if header.size_of_image() != next {
            return wrong("SizeOfImage", "is not the end of the last section");
        }
        Ok(())
    }

    fn check_directories(&self, file: &PeFile64<'a>) -> Result<(), ObjectError> {
        for (index, directory) in file.data_directories().enumerate() {
            let (address, size) = directory.address_range();
            let outside =
                || ObjectError::header(format!("DataDirectory[{index}]"), "lies outside of the sections");
            if index == 15 && (address, size) != (0, 0) {
                return Err(ObjectError::header("DataDirectory[15]", "is set, though it is reserved"));
            }
            if index == IMAGE_DIRECTORY_ENTRY_SECURITY {
                // The one that gives a place in the file: signatures are not loaded.
                let end = u64::from(address) + u64::from(size);
                if end > self.bytes.len() as u64 {
                    return Err(ObjectError::truncated(
                        "the signature",
                        address.into(),
                        size.into(),
                        self.bytes,
                    ));
                }
            } else if (address, size) != (0, 0) {
                let (section, _) = self.at(address).ok_or_else(outside)?;
                // The global pointer has no size.
                if address.checked_add(size).is_none_or(|end| end > section.end) {
                    return Err(outside());
                }
            }
        }
        Ok(())
    }

    /// The section an address lies in, and its contents from there on.
    fn at(&self, address: u32) -> Option<(&Section<'a>, &'a [u8])> {
        let section =
            self.sections.iter().find(|section| (section.address..section.end).contains(&address))?;
        let offset = address.checked_sub(section.address)?;
        Some((section, section.contents.get(as_index(offset.into())..).unwrap_or_default()))
    }

    fn name_at(&self, address: u32) -> Option<&'a [u8]> {
        let (_, contents) = self.at(address)?;
        let contents = contents.get(..contents.len().min(MAX_NAME))?;
        contents.get(..contents.iter().position(|&byte| byte == 0)?).filter(|name| !name.is_empty())
    }

    fn check_imports(&self, file: &PeFile64<'a>) -> Result<(), ObjectError> {
        let bad = |message: &str| ObjectError::table("the import directory", message);
        let Some(directory) = file.data_directory(IMAGE_DIRECTORY_ENTRY_IMPORT) else { return Ok(()) };
        if directory.address_range() == (0, 0) {
            return Ok(());
        }
        let (_, contents) =
            self.at(directory.address_range().0).ok_or_else(|| bad("lies outside of the sections"))?;
        let (descriptors, _) = contents.as_chunks::<20>();
        let mut names = 0;
        for (index, descriptor) in descriptors.iter().enumerate() {
            let wrong = |message: &str| ObjectError::entry("the import directory", index, message);
            let (numbers, _) = descriptor.as_chunks::<4>();
            let number = |at: usize| numbers.get(at).map_or(0, |number| u32::from_le_bytes(*number));
            let (lookup, library, thunks) = (number(0), number(3), number(4));
            if (lookup, library, thunks) == (0, 0, 0) {
                return Ok(());
            }
            if index >= MAX_LIBRARIES || self.name_at(library).is_none() {
                return Err(wrong("has no library name"));
            }
            let list = if lookup == 0 { thunks } else { lookup };
            let (_, list) = self.at(list).ok_or_else(|| wrong("has its list outside of the sections"))?;
            self.at(thunks).ok_or_else(|| wrong("has its addresses outside of the sections"))?;
            let mut ended = false;
            for thunk in list.as_chunks::<8>().0 {
                let thunk = u64::from_le_bytes(*thunk);
                names += 1;
                ended = thunk == 0;
                if ended || names > MAX_NAMES {
                    break;
                }
                // The highest bit says that the rest is a number, not the address of a name.
                let named = u32::try_from(thunk).ok().and_then(|at| self.name_at(at.checked_add(2)?));
                if thunk >> 63 == 0 && named.is_none() {
                    return Err(wrong("wants a symbol without a name"));
                }
            }
            if !ended {
                return Err(wrong("has a list without an end"));
            }
        }
        Err(bad("has no end"))
    }

    fn check_relocations(&self, file: &PeFile64<'a>) -> Result<(), ObjectError> {
        let bad = |message: &str| ObjectError::table("the relocation directory", message);
        let Some(directory) = file.data_directory(IMAGE_DIRECTORY_ENTRY_BASERELOC) else { return Ok(()) };
        let (address, size) = directory.address_range();
        let Some((_, contents)) = self.at(address) else { return Ok(()) };
        let mut rest = contents.get(..as_index(size.into())).ok_or_else(|| bad("is cut"))?;
        while let Some((head, _)) = rest.split_first_chunk::<8>() {
            let [a, b, c, d, e, f, g, h] = *head;
            let (page, size) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
            let block =
                rest.get(8..as_index(size.into())).ok_or_else(|| bad("has a block of an impossible size"))?;
            for entry in block.as_chunks::<2>().0 {
                let entry = u16::from_le_bytes(*entry);
                let place = page.checked_add(u32::from(entry & 0xfff));
                // 0 is padding, 10 an address of eight bytes.
                let fits = place.is_some_and(|place| self.at(place).is_some());
                if entry >> 12 != 0 && (entry >> 12 != 10 || !fits) {
                    return Err(bad("has an entry that is not an address inside the library"));
                }
            }
            rest = rest.get(as_index(size.into())..).unwrap_or_default();
        }
        if rest.is_empty() { Ok(()) } else { Err(bad("ends in the middle of a block")) }
    }

    fn read_exports(&self, file: &PeFile64<'a>) -> Result<Vec<&'a [u8]>, ObjectError> {
        let bad = |message: &str| ObjectError::table("the export directory", message);
        let directory = file.data_directory(IMAGE_DIRECTORY_ENTRY_EXPORT);
        if directory.is_none_or(|directory| directory.address_range() == (0, 0)) {
            return Ok(Vec::new());
        }
        let table = file.export_table().map_err(|error| bad(&format!("is damaged: {error}")))?;
        let table = table.ok_or_else(|| bad("is damaged"))?;
        if table.name_pointers().len() > MAX_NAMES {
            return Err(bad("has more names than any library"));
        }
        let inside = |address: u32| address == 0 || self.at(address).is_some();
        if !table.addresses().iter().all(|address| inside(address.get(LE))) {
            return Err(bad("has an address outside of the sections"));
        }
        let mut names = Vec::with_capacity(table.name_pointers().len());
        for (pointer, index) in table.name_iter() {
            table.address_by_index(index).map_err(|_| bad("has a name without an address"))?;
            names.push(self.name_at(pointer).ok_or_else(|| bad("has a name outside of the sections"))?);
        }
        Ok(names)
    }

    pub(super) fn architecture(&self) -> &'static str {
        self.architecture
    }

    pub(super) fn section(&self, name: &str) -> Result<&'a [u8], ObjectError> {
        let wrong = |message: &str| Err(ObjectError::section(name, message));
        let mut found = self.sections.iter().filter(|section| section.name == name.as_bytes());
        let Some(section) = found.next() else { return wrong("is missing") };
        if found.next().is_some() {
            return wrong("is there twice");
        }
        if section.flags & (WRITE | EXECUTE) != 0 {
            return wrong("is not read-only data");
        }
        // The file rounds contents up; what counts is the size in memory.
        let size = as_index(u64::from(section.end.saturating_sub(section.address)));
        match section.contents.get(..size) {
            Some([]) | None => wrong("is empty or cut"),
            Some(contents) => Ok(contents),
        }
    }

    pub(super) fn exports(&self) -> Result<Vec<String>, ObjectError> {
        Ok(self.exports.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }
}

fn read_sections<'a>(bytes: &'a [u8], file: &PeFile64<'a>) -> Result<Vec<Section<'a>>, ObjectError> {
    let table = file.section_table();
    if table.is_empty() || table.len() > MAX_SECTIONS {
        return Err(ObjectError::header(
            "NumberOfSections",
            format!("is {}, not 1 to {MAX_SECTIONS}", table.len()),
        ));
    }
    let sector = file.nt_headers().optional_header.file_alignment().max(1);
    let mut sections = Vec::with_capacity(table.len());
    let mut file_end = u64::from(file.nt_headers().optional_header.size_of_headers());
    for header in table.iter() {
        let name = header.raw_name();
        let shown = String::from_utf8_lossy(name).into_owned();
        let field = |field: &str| format!("{field} of section `{shown}`");
        let (address, size) = (header.virtual_address.get(LE), header.virtual_size.get(LE));
        let (offset, len) = (header.pointer_to_raw_data.get(LE), header.size_of_raw_data.get(LE));
        let flags = header.characteristics.get(LE).0;
        let end = address.checked_add(size).filter(|_| size > 0);
        let end = end.ok_or_else(|| ObjectError::header(field("VirtualSize"), "is not a size that fits"))?;
        let mut contents: &[u8] = &[];
        if len > 0 {
            let range = as_index(offset.into())..as_index(u64::from(offset) + u64::from(len));
            contents = bytes.get(range).ok_or_else(|| {
                ObjectError::truncated(format!("section `{shown}`"), offset.into(), len.into(), bytes)
            })?;
            if u64::from(offset) < file_end || !offset.is_multiple_of(sector) || !len.is_multiple_of(sector) {
                return Err(ObjectError::header(field("PointerToRawData"), "overlaps, or is not aligned"));
            }
            file_end = u64::from(offset) + u64::from(len);
        }
        if flags & WRITE != 0 && flags & EXECUTE != 0 {
            return Err(ObjectError::header(field("Characteristics"), "allows both writing and executing"));
        }
        sections.push(Section { name, address, end, contents, flags });
    }
    Ok(sections)
}

/// Says what a file that begins like a Windows program is, when it cannot be read as a 64-bit one.
fn refuse_unparsed(bytes: &[u8], error: &str) -> ObjectError {
    match object::FileKind::parse(bytes) {
        Ok(object::FileKind::Pe32) => ObjectError::not_a_library("a 32-bit Windows file"),
        _ if bytes.len() < 0x200 => ObjectError::truncated("the PE header", 0, 0x200, bytes),
        _ => ObjectError::header("the PE header", format!("cannot be read: {error}")),
    }
}

/// Saturates, so that what does not fit is outside of every slice.
fn as_index(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
