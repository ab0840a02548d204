//! Mach-O: thin dynamic libraries and bundles of macOS, 64 bits, x86-64 and AArch64.

use object::Endianness;
use object::macho::{self, MachHeader64, SegmentCommand64};
use object::read::macho::{
    LoadCommandData, LoadCommandVariant, MachHeader, Nlist, Section as _, Segment as _,
};

use super::ObjectError;

/// No plugin is near these; they bound the time a hostile file can cost.
const MAX_COMMANDS: u32 = 1_024;
const MAX_NAME: usize = 4_096;

const LITTLE: Endianness = Endianness::Little;
const WRITE: u32 = 2;
const EXECUTE: u32 = 4;

/// A library that passed every check.
#[derive(Clone, Debug)]
pub(super) struct Library<'a> {
    architecture: &'static str,
    sections: Vec<Section<'a>>,
    exports: Vec<&'a [u8]>,
}

#[derive(Clone, Copy, Debug)]
struct Section<'a> {
    segment: &'a [u8],
    name: &'a [u8],
    contents: &'a [u8],
    executable: bool,
}

/// What the walk over the load commands collects.
struct Walk<'a> {
    bytes: &'a [u8],
    /// Where the load commands end: contents come behind.
    headers_end: u64,
    page: u64,
    memory_end: u64,
    file_end: u64,
    sections: Vec<Section<'a>>,
    exports: Vec<&'a [u8]>,
}

impl<'a> Library<'a> {
    pub(super) fn check(bytes: &'a [u8]) -> Result<Self, ObjectError> {
        let damaged =
            |error: object::read::Error| ObjectError::header("the Mach-O header", format!("is bad: {error}"));
        let header = MachHeader64::<Endianness>::parse(bytes, 0).map_err(damaged)?;
        let (cpu, kind) = (header.cputype(LITTLE), header.cpusubtype(LITTLE));
        // The high byte of the subtype holds capabilities.
        let (architecture, page) = match (cpu, kind.0 & 0x00ff_ffff) {
            (macho::CPU_TYPE_X86_64, 3 | 8) => ("x86_64", 0x1000),
            (macho::CPU_TYPE_ARM64, 0..=2) => ("aarch64", 0x4000),
            _ => return Err(ObjectError::header("cputype", "is neither x86-64 nor AArch64")),
        };
        match header.filetype(LITTLE) {
            macho::MH_DYLIB | macho::MH_BUNDLE => {}
            macho::MH_EXECUTE => return Err(ObjectError::not_a_library("a macOS program")),
            macho::MH_OBJECT => {
                return Err(ObjectError::not_a_library("a Mach-O object file that was not linked"));
            }
            other => return Err(ObjectError::header("filetype", format!("is {}, not a library", other.0))),
        }
        let (count, size) = (header.ncmds(LITTLE), header.sizeofcmds(LITTLE));
        if count == 0 || count > MAX_COMMANDS {
            return Err(ObjectError::header("ncmds", format!("is {count}, not 1 to {MAX_COMMANDS}")));
        }
        if header.reserved.get(LITTLE) != 0 {
            return Err(ObjectError::header("reserved", "is set"));
        }
        let headers_end = 32 + u64::from(size);
        if headers_end > bytes.len() as u64 {
            return Err(ObjectError::truncated("the load commands", 32, size.into(), bytes));
        }
        let mut walk = Walk {
            bytes,
            headers_end,
            page,
            memory_end: 0,
            file_end: 0,
            sections: Vec::new(),
            exports: Vec::new(),
        };
        let mut commands = header.load_commands(LITTLE, bytes, 0).map_err(damaged)?;
        let mut walked = 0_u64;
        for index in 0..count {
            let bad =
                |message: &str| ObjectError::entry("the load commands", as_index(index.into()), message);
            let command = commands.next().map_err(|error| bad(&format!("is bad: {error}")))?;
            let command = command.ok_or_else(|| bad("is missing"))?;
            if !command.cmdsize().is_multiple_of(8) {
                return Err(bad("has a size that is not a multiple of 8"));
            }
            walked += u64::from(command.cmdsize());
            let variant = command.variant().map_err(|error| bad(&format!("is bad: {error}")))?;
            walk.command(&command, variant).map_err(|problem| match problem {
                Problem::Message(message) => bad(message),
                Problem::Error(error) => error,
            })?;
        }
        if walked != u64::from(size) {
            return Err(ObjectError::header("sizeofcmds", "is not the size of the load commands"));
        }
        if walk.file_end != bytes.len() as u64 {
            return Err(ObjectError::header("filesize", "of the last segment does not end with the file"));
        }
        Ok(Self { architecture, sections: walk.sections, exports: walk.exports })
    }

    pub(super) fn architecture(&self) -> &'static str {
        self.architecture
    }

    pub(super) fn section(&self, (segment, name): (&str, &str)) -> Result<&'a [u8], ObjectError> {
        let wrong = |message: &str| Err(ObjectError::section(format!("{segment},{name}"), message));
        let is =
            |section: &&Section<'_>| section.segment == segment.as_bytes() && section.name == name.as_bytes();
        let mut found = self.sections.iter().filter(is);
        let Some(section) = found.next() else { return wrong("is missing") };
        if found.next().is_some() {
            return wrong("is there twice");
        }
        // Data that is constant after relocation has write permission in the file: `__DATA_CONST`.
        match section.contents {
            _ if section.executable => wrong("is code"),
            [] => wrong("is empty"),
            contents => Ok(contents),
        }
    }

    pub(super) fn exports(&self) -> Result<Vec<String>, ObjectError> {
        // As C and Rust spell them: the format puts an underscore before each.
        let plain =
            |name: &&'a [u8]| String::from_utf8_lossy(name.strip_prefix(b"_").unwrap_or(name)).into_owned();
        Ok(self.exports.iter().map(plain).collect())
    }
}

enum Problem {
    Message(&'static str),
    Error(ObjectError),
}

impl From<&'static str> for Problem {
    fn from(message: &'static str) -> Self {
        Self::Message(message)
    }
}

impl From<ObjectError> for Problem {
    fn from(error: ObjectError) -> Self {
        Self::Error(error)
    }
}

impl<'a> Walk<'a> {
    fn range(&self, what: &str, offset: u64, len: u64) -> Result<&'a [u8], ObjectError> {
        let end = offset.checked_add(len).map(as_index);
        end.and_then(|end| self.bytes.get(as_index(offset)..end))
            .ok_or_else(|| ObjectError::truncated(what, offset, len, self.bytes))
    }

    fn command(
        &mut self,
        command: &LoadCommandData<'a, Endianness>,
        variant: LoadCommandVariant<'a, Endianness>,
    ) -> Result<(), Problem> {
        use LoadCommandVariant as Command;
        match variant {
            Command::Segment64(segment, sections) => self.segment(segment, sections)?,
            Command::Symtab(table) => self.symbols(table)?,
            Command::Dysymtab(table) => {
                let tables = [
                    (table.tocoff.get(LITTLE), table.ntoc.get(LITTLE), 8),
                    (table.modtaboff.get(LITTLE), table.nmodtab.get(LITTLE), 56),
                    (table.extrefsymoff.get(LITTLE), table.nextrefsyms.get(LITTLE), 4),
                    (table.indirectsymoff.get(LITTLE), table.nindirectsyms.get(LITTLE), 4),
                    (table.extreloff.get(LITTLE), table.nextrel.get(LITTLE), 8),
                    (table.locreloff.get(LITTLE), table.nlocrel.get(LITTLE), 8),
                ];
                for (offset, count, size) in tables {
                    self.range("the dynamic symbol table", offset.into(), u64::from(count) * size)?;
                }
            }
            Command::DyldInfo(info) => {
                let tables = [
                    (info.rebase_off.get(LITTLE), info.rebase_size.get(LITTLE)),
                    (info.bind_off.get(LITTLE), info.bind_size.get(LITTLE)),
                    (info.weak_bind_off.get(LITTLE), info.weak_bind_size.get(LITTLE)),
                    (info.lazy_bind_off.get(LITTLE), info.lazy_bind_size.get(LITTLE)),
                    (info.export_off.get(LITTLE), info.export_size.get(LITTLE)),
                ];
                for (offset, size) in tables {
                    self.range("the tables for the loader", offset.into(), size.into())?;
                }
            }
            Command::LinkeditData(data) => {
                self.range(
                    "the data of a load command",
                    data.dataoff.get(LITTLE).into(),
                    data.datasize.get(LITTLE).into(),
                )?;
            }
            Command::Dylib(library) | Command::IdDylib(library) => {
                match command.string(LITTLE, library.dylib.name) {
                    Ok(name) if !name.is_empty() => {}
                    _ => return Err("names no library".into()),
                }
            }
            Command::Rpath(path) => {
                command.string(LITTLE, path.path).map_err(|_| "has no path")?;
            }
            Command::EntryPoint(_) | Command::Thread(..) | Command::LoadDylinker(_) => {
                return Err("belongs to a program, not to a library".into());
            }
            // Commands the loader must understand have the highest bit; what is unknown here is refused.
            Command::Other if command.cmd().0 >> 31 == 1 => {
                return Err("is unknown, and says it is required".into());
            }
            _ => {}
        }
        Ok(())
    }

    fn segment(&mut self, segment: &'a SegmentCommand64<Endianness>, table: &'a [u8]) -> Result<(), Problem> {
        let (address, size) = (segment.vmaddr(LITTLE), segment.vmsize(LITTLE));
        let (offset, len) = segment.file_range(LITTLE);
        self.range("a segment", offset, len)?;
        let end = address.checked_add(size).ok_or("has a size that does not fit")?;
        if address < self.memory_end || len > size || !address.is_multiple_of(self.page) {
            return Err("has an address or a size that overlaps or is not aligned".into());
        }
        if len > 0
            && (offset != self.file_end.next_multiple_of(self.page) || !offset.is_multiple_of(self.page))
        {
            return Err("does not follow the segment before it in the file".into());
        }
        let allowed = segment.initprot(LITTLE).0;
        if allowed & !7 != 0 || allowed & (WRITE | EXECUTE) == WRITE | EXECUTE {
            return Err("allows both writing and executing".into());
        }
        self.memory_end = end;
        if len > 0 {
            self.file_end = offset.saturating_add(len);
        }
        for section in segment.sections(LITTLE, table).map_err(|_| "has a cut list of sections")? {
            let start = section.addr(LITTLE);
            let section_end =
                start.checked_add(section.size(LITTLE)).ok_or("has a section that does not fit")?;
            let align = section.align(LITTLE);
            if start < address || section_end > end || align > 15 || !start.is_multiple_of(1 << align) {
                return Err("has a section outside of it, or not aligned".into());
            }
            if section.segment_name() != segment.name() {
                return Err("has a section of another segment".into());
            }
            if section.nreloc(LITTLE) != 0 {
                return Err("has a section with relocations of its own, as only object files do".into());
            }
            let mut contents: &[u8] = &[];
            if let Some((at, len)) = section.file_range(LITTLE, section.offset(LITTLE).into()) {
                let expected = offset.saturating_add(start.saturating_sub(address));
                if len > 0 && (at != expected || at < self.headers_end) {
                    return Err("has a section whose contents are elsewhere".into());
                }
                contents = self.range("a section", at, len)?;
            }
            let executable = allowed & EXECUTE != 0 && section.flags(LITTLE).0 & 0x8000_0400 != 0;
            self.sections.push(Section {
                segment: segment.name(),
                name: section.name(),
                contents,
                executable,
            });
        }
        Ok(())
    }

    fn symbols(&mut self, table: &'a macho::SymtabCommand<Endianness>) -> Result<(), Problem> {
        let names = self.range(
            "the symbol names",
            table.stroff.get(LITTLE).into(),
            table.strsize.get(LITTLE).into(),
        )?;
        self.range("the symbols", table.symoff.get(LITTLE).into(), u64::from(table.nsyms.get(LITTLE)) * 16)?;
        let symbols = table
            .symbols::<MachHeader64<Endianness>, _>(LITTLE, self.bytes)
            .map_err(|_| "has a symbol table that cannot be read")?;
        for symbol in symbols.iter() {
            let at = as_index(symbol.n_strx(LITTLE).into());
            let rest =
                names.get(at..).filter(|rest| !rest.is_empty()).ok_or("has a symbol without a name")?;
            let exported = !symbol.is_stab() && symbol.is_definition() && symbol.n_type().0 & 0x11 == 1;
            if exported {
                let name = rest.get(..rest.len().min(MAX_NAME)).unwrap_or(rest);
                let len =
                    name.iter().position(|&byte| byte == 0).ok_or("has a symbol whose name does not end")?;
                self.exports.push(name.get(..len).unwrap_or_default());
            }
        }
        Ok(())
    }
}

/// Saturates, so that what does not fit is outside of every slice.
fn as_index(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
