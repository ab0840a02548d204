//! The symbols that libraries bind to each other by, and the table for debuggers.

use super::super::ObjectError;
use super::Image;
use super::bytes::Reader;
use super::consts::*;
use super::header::{Machine, Section};
use super::strings::Strings;
use super::unwind::Functions;

const TABLE: &str = "`.dynsym`";

/// One dynamic symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol<'a> {
    pub(super) name: &'a [u8],
    pub(super) kind: u8,
    pub(super) bind: u8,
    pub(super) section: u16,
    pub(super) value: u64,
    other: u8,
    size: u64,
}

impl Symbol<'_> {
    pub(super) fn is_defined(&self) -> bool {
        self.section != 0
    }

    /// Another library can bind to it.
    pub(super) fn is_exported(&self) -> bool {
        // Visibility: default or protected.
        self.is_defined() && self.bind != STB_LOCAL && matches!(self.other & 3, 0 | 3)
    }
}

fn parse(entry: &[u8]) -> Option<(u32, Symbol<'static>)> {
    let mut r = Reader(entry);
    let (name_at, info, other, section) = (r.u32()?, r.u8()?, r.u8()?, r.u16()?);
    let (value, size) = (r.u64()?, r.u64()?);
    Some((name_at, Symbol { name: &[], kind: info & 15, bind: info >> 4, section, value, other, size }))
}

/// Reads the dynamic symbols and checks each against sections, functions and thread-local storage.
pub(super) fn check<'a>(
    image: &Image<'a>,
    strings: &mut Strings<'a>,
    functions: &Functions<'a>,
) -> Result<Vec<Symbol<'a>>, ObjectError> {
    let section = image.require(".dynsym")?;
    let (entries, _) = image.contents(section)?.as_chunks::<24>();
    let thread_local =
        image.segments.iter().find(|segment| segment.kind == PT_TLS).map_or(0, |tls| tls.mem_size);
    let mut symbols = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let wrong = |message: &str| ObjectError::entry(TABLE, index, message);
        let (name_at, symbol) = parse(entry).ok_or_else(|| wrong("is cut"))?;
        let name = strings.get(name_at.into()).ok_or_else(|| wrong("has a name outside of `.dynstr`"))?;
        let symbol = Symbol { name, ..symbol };
        if index == 0 {
            if entry.iter().any(|&byte| byte != 0) {
                return Err(wrong("is not all zero, as the first must be"));
            }
            symbols.push(symbol);
            continue;
        }
        if (symbol.bind == STB_LOCAL) != (index < section.info as usize) {
            return Err(wrong("is local behind the locals, or global before sh_info"));
        }
        let variant_calls = if image.header.machine == Machine::Aarch64 { 0x80 } else { 0 };
        if symbol.other & !(3 | variant_calls) != 0 {
            return Err(wrong("has unknown bits in st_other"));
        }
        if !matches!(symbol.bind, STB_LOCAL | STB_GLOBAL | STB_WEAK | STB_GNU_UNIQUE) {
            return Err(wrong("has an unknown binding"));
        }
        if symbol.bind == STB_LOCAL && symbol.kind != STT_SECTION && symbol.name.is_empty()
            || symbol.bind != STB_LOCAL && (symbol.name.is_empty() || symbol.kind == STT_SECTION)
        {
            return Err(wrong("has no name, or is a section that is not local"));
        }
        if symbol.is_defined() {
            check_defined(image, &symbol, thread_local, functions).map_err(wrong)?;
        } else {
            let kinds = matches!(symbol.kind, STT_NOTYPE | STT_OBJECT | STT_FUNC | STT_TLS | STT_GNU_IFUNC);
            // mold copies size and type from the library that it found the symbol in.
            if !kinds || symbol.value != 0 || symbol.bind == STB_GNU_UNIQUE || symbol.other & 3 != 0 {
                return Err(wrong("is undefined, but has a value or a kind only defined ones have"));
            }
        }
        symbols.push(symbol);
    }
    if section.info == 0 || section.info as usize > symbols.len() {
        return Err(ObjectError::header(
            section.field("sh_info"),
            "is not the index of the first global symbol",
        ));
    }
    check_debugger_symbols(image)?;
    Ok(symbols)
}

fn check_defined(
    image: &Image<'_>,
    symbol: &Symbol<'_>,
    thread_local: u64,
    functions: &Functions<'_>,
) -> Result<(), &'static str> {
    if symbol.section == SHN_ABS {
        // The names of versions are such symbols.
        let plain = symbol.value == 0 && symbol.size == 0 && matches!(symbol.kind, STT_NOTYPE | STT_OBJECT);
        return if plain { Ok(()) } else { Err("is absolute and more than the name of a version") };
    }
    let section = image.sections.get(usize::from(symbol.section)).filter(|section| section.is(SHF_ALLOC));
    let section = section.ok_or("is defined in no section that is loaded")?;
    let size_fits = |end: u64| symbol.value.checked_add(symbol.size).is_some_and(|last| last <= end);
    match symbol.kind {
        STT_TLS if section.is(SHF_TLS) && size_fits(thread_local) => Ok(()),
        STT_TLS => Err("lies outside of the thread-local storage"),
        _ if section.is(SHF_TLS) && (symbol.kind != STT_NOTYPE || symbol.size != 0) => {
            Err("lies in thread-local storage without being thread-local")
        }
        // `_end` and its kin mark an edge, which may be rounded up behind their section.
        STT_NOTYPE
            if symbol.size == 0
                && image.loads().any(|load| (load.addr..=load.end()).contains(&symbol.value)) =>
        {
            Ok(())
        }
        STT_NOTYPE | STT_OBJECT | STT_FUNC | STT_SECTION
            if symbol.value < section.addr || !size_fits(section.end()) =>
        {
            Err("lies outside of its section")
        }
        STT_NOTYPE | STT_OBJECT | STT_SECTION => Ok(()),
        STT_FUNC if !section.is(SHF_EXECINSTR) => Err("is a function outside of the code"),
        STT_FUNC if functions.is_inside(symbol.value, image) => {
            Err("is a function that begins inside of another")
        }
        STT_FUNC => Ok(()),
        STT_GNU_IFUNC => Err("is an indirect function, which the loader would call while it binds"),
        _ => Err("has an unknown type"),
    }
}

/// The table that `strip` removes: nobody loads it, but it is a header table of the file like the others.
fn check_debugger_symbols(image: &Image<'_>) -> Result<(), ObjectError> {
    let Some(section) = image.find(".symtab") else { return Ok(()) };
    let names: &Section<'_> = image.require(".strtab")?;
    let names = image.contents(names)?;
    if names.last() != Some(&0) {
        return Err(ObjectError::table("`.strtab`", "does not end with a NUL"));
    }
    let (entries, _) = image.contents(section)?.as_chunks::<24>();
    for (index, entry) in entries.iter().enumerate() {
        let wrong = |message: &str| ObjectError::entry("`.symtab`", index, message);
        let (name_at, symbol) = parse(entry).ok_or_else(|| wrong("is cut"))?;
        if name_at as usize >= names.len() {
            return Err(wrong("has a name outside of `.strtab`"));
        }
        if (symbol.bind == STB_LOCAL) != (index < section.info as usize) {
            return Err(wrong("is local behind the locals, or global before sh_info"));
        }
        let special = symbol.section >= 0xff00 || symbol.kind == STT_FILE;
        if !special && usize::from(symbol.section) >= image.sections.len() {
            return Err(wrong("is defined in a section that does not exist"));
        }
    }
    if section.info == 0 || section.info as usize > entries.len() {
        return Err(ObjectError::header(
            section.field("sh_info"),
            "is not the index of the first global symbol",
        ));
    }
    Ok(())
}
