//! Each program header against the sections it covers.

use super::super::ObjectError;
use super::Image;
use super::bytes::align_up;
use super::consts::*;
use super::header::{HEADER_SIZE, Machine, SEGMENT_SIZE, Section, Segment, must_be};

/// No plugin is near it; what is above is damage, and would only cost address space.
const MAX_IMAGE: u64 = 1 << 31;

pub(super) fn check(image: &Image<'_>) -> Result<(), ObjectError> {
    if image.segments.iter().any(|segment| segment.kind == PT_INTERP) {
        return Err(ObjectError::not_a_library("an ELF program (it names an interpreter)"));
    }
    check_entry(image)?;
    check_loads(image)?;
    let mut kinds: Vec<u32> = Vec::new();
    for segment in &image.segments {
        if !matches!(segment.kind, PT_LOAD | PT_NOTE) {
            if kinds.contains(&segment.kind) {
                return Err(ObjectError::header(segment.field("p_type"), "is there a second time"));
            }
            kinds.push(segment.kind);
        }
        match segment.kind {
            PT_LOAD => {}
            PT_PHDR => check_own_table(image, segment)?,
            PT_DYNAMIC => same_place(segment, image.require(".dynamic")?, R | W)?,
            PT_GNU_EH_FRAME => same_place(segment, image.require(".eh_frame_hdr")?, R)?,
            PT_GNU_PROPERTY => same_place(segment, image.require(".note.gnu.property")?, R)?,
            PT_GNU_SFRAME => same_place(segment, image.require(".sframe")?, R)?,
            PT_GNU_STACK => check_stack(segment)?,
            PT_GNU_RELRO => check_relro(image, segment)?,
            PT_TLS => check_tls(image, segment)?,
            PT_NOTE => check_note(image, segment)?,
            other => {
                return Err(ObjectError::header(
                    segment.field("p_type"),
                    format!("is {other:#x}, which is unknown"),
                ));
            }
        }
    }
    // What is missing: glibc gives a library without the stack header an executable stack.
    let has = |kind| kinds.contains(&kind);
    let missing = [
        (PT_DYNAMIC, "PT_DYNAMIC", true),
        (PT_GNU_STACK, "PT_GNU_STACK", true),
        (PT_TLS, "PT_TLS", image.allocated().any(|section| section.is(SHF_TLS))),
        (PT_GNU_EH_FRAME, "PT_GNU_EH_FRAME", image.find(".eh_frame_hdr").is_some()),
        (PT_GNU_PROPERTY, "PT_GNU_PROPERTY", image.find(".note.gnu.property").is_some()),
        (PT_GNU_RELRO, "PT_GNU_RELRO", image.find(".relro_padding").is_some()),
    ];
    for (kind, name, needed) in missing {
        if needed && !has(kind) {
            return Err(ObjectError::header("the program header table", format!("has no {name}")));
        }
    }
    for note in image.allocated().filter(|section| section.kind == SHT_NOTE) {
        let covers = |segment: &&Segment| segment.kind == PT_NOTE && holds(segment, note);
        if image.segments.iter().filter(covers).count() != 1 {
            return Err(ObjectError::header(
                note.field("sh_type"),
                "is a note that not exactly one PT_NOTE covers",
            ));
        }
    }
    Ok(())
}

fn holds(segment: &Segment, section: &Section<'_>) -> bool {
    segment.addr <= section.addr && section.end() <= segment.end()
}

/// lld writes 0, gold and mold the start of the code; nothing ever jumps there.
fn check_entry(image: &Image<'_>) -> Result<(), ObjectError> {
    let entry = image.header.entry;
    if entry == 0 || image.find(".text").is_some_and(|text| text.addr == entry) {
        return Ok(());
    }
    Err(ObjectError::header("e_entry", format!("is {entry:#x}, neither 0 nor the start of the code")))
}

fn check_loads(image: &Image<'_>) -> Result<(), ObjectError> {
    let aligns: &[u64] = match image.header.machine {
        Machine::X86_64 => &[0x1000, 0x4000, 0x1_0000, 0x20_0000],
        Machine::Aarch64 => &[0x1000, 0x4000, 0x1_0000],
    };
    let mut previous: Option<&Segment> = None;
    for load in image.loads() {
        let wrong = |field: &str, message: &str| Err(ObjectError::header(load.field(field), message));
        if !aligns.contains(&load.align) || previous.is_some_and(|previous| previous.align != load.align) {
            return wrong("p_align", "is not the page size that linkers use for this processor");
        }
        if !matches!(load.flags, R | 5 | 6) {
            return wrong("p_flags", "is none of: read, read and execute, read and write");
        }
        if load.addr % load.align != load.offset % load.align {
            return wrong("p_vaddr", "is not congruent to its offset");
        }
        if load.mem_size != load.file_size && load.flags & W == 0 {
            return wrong("p_memsz", "is larger than its contents, though it cannot be written");
        }
        if load.mem_size == 0 || load.end() > MAX_IMAGE {
            return wrong("p_memsz", "is zero, or larger than any library");
        }
        match previous {
            None if load.offset != 0 || load.addr != 0 => {
                return wrong("p_offset", "is not 0, though it is the first to be loaded");
            }
            None => {}
            Some(previous) => {
                // Two segments on one page: the later one would hide the end of the earlier.
                let page = |addr: u64| addr - addr % load.align;
                if load.offset < previous.offset.saturating_add(previous.file_size)
                    || align_up(previous.end(), load.align).is_none_or(|end| page(load.addr) < end)
                {
                    return wrong("p_vaddr", "overlaps the segment before it");
                }
                let first = image
                    .allocated()
                    .filter(|section| holds(load, section))
                    .map(|section| section.addr)
                    .min();
                if first != Some(load.addr) {
                    return wrong("p_vaddr", "is not where its first section begins");
                }
            }
        }
        let kinds = image
            .allocated()
            .filter(|section| holds(load, section))
            .fold(0, |kinds, section| kinds | section.flags & (SHF_EXECINSTR | SHF_WRITE));
        let expected =
            R | if kinds & SHF_WRITE != 0 { W } else { 0 } | if kinds & SHF_EXECINSTR != 0 { X } else { 0 };
        must_be(|| load.field("p_flags"), load.flags, expected)?;
        previous = Some(load);
    }
    match previous {
        Some(_) => Ok(()),
        None => Err(ObjectError::header("the program header table", "has no PT_LOAD")),
    }
}

fn check_own_table(image: &Image<'_>, segment: &Segment) -> Result<(), ObjectError> {
    let len = u64::from(image.header.segments) * SEGMENT_SIZE;
    check_numbers(segment, R, [HEADER_SIZE, HEADER_SIZE, len, len, 8])
}

/// `expected`: offset, address, size in the file, size in memory, alignment.
fn check_numbers(segment: &Segment, flags: u32, expected: [u64; 5]) -> Result<(), ObjectError> {
    let found = [segment.offset, segment.addr, segment.file_size, segment.mem_size, segment.align];
    let names = ["p_offset", "p_vaddr", "p_filesz", "p_memsz", "p_align"];
    for ((name, found), expected) in names.iter().zip(found).zip(expected) {
        must_be(|| segment.field(name), found, expected)?;
    }
    must_be(|| segment.field("p_flags"), segment.flags, flags)
}

fn same_place(segment: &Segment, section: &Section<'_>, flags: u32) -> Result<(), ObjectError> {
    check_numbers(segment, flags, [section.offset, section.addr, section.size, section.size, section.align])
}

fn check_stack(segment: &Segment) -> Result<(), ObjectError> {
    if segment.flags & X != 0 {
        return Err(ObjectError::header(segment.field("p_flags"), "asks for an executable stack"));
    }
    // lld, mold and GNU ld differ in the alignment, which has no meaning here.
    let align = if matches!(segment.align, 1 | 16) { segment.align } else { 0 };
    check_numbers(segment, R | W, [0, 0, 0, 0, align])
}

/// What must not stay writable after relocation, and what must stay so: a changed size would end the process later.
fn check_relro(image: &Image<'_>, segment: &Segment) -> Result<(), ObjectError> {
    let wrong = |field: &str, message: &str| Err(ObjectError::header(segment.field(field), message));
    let customary = match (segment.flags, segment.align) {
        (R, 1) => true,
        (flags, align) => flags == R | W && matches!(align, 4 | 8 | 16 | 32 | 64),
    };
    if !customary {
        return wrong("p_flags", "and its p_align are not a pair that linkers write");
    }
    let Some(load) = image.loads().find(|load| load.flags & W != 0 && load.addr == segment.addr) else {
        return wrong("p_vaddr", "is not where a writable segment begins");
    };
    must_be(|| segment.field("p_offset"), segment.offset, load.offset)?;
    if segment.end() > load.end() && align_up(load.end(), load.align).is_none_or(|end| segment.end() > end) {
        return wrong("p_memsz", "reaches beyond its segment");
    }
    let in_file = load.file_end().min(segment.end()).saturating_sub(segment.addr);
    must_be(|| segment.field("p_filesz"), segment.file_size, in_file)?;

    let mut edge = segment.end() == load.end();
    for section in image.allocated().filter(|section| holds(load, section)) {
        edge |= section.addr == segment.end();
        let protected = match section.name {
            ".tdata" | ".init_array" | ".fini_array" | ".ctors" | ".dtors" | ".jcr" | ".data.rel.ro"
            | ".bss.rel.ro" | ".dynamic" | ".relro_padding" => true,
            ".data" | ".bss" | ".tm_clone_table" | ".ldata" | ".lbss" => false,
            // Bound at once they are protected, bound lazily only the three reserved slots are.
            ".got" | ".got.plt" => {
                edge |= section.addr.saturating_add(24) == segment.end();
                continue;
            }
            _ => continue,
        };
        let inside = section.end() <= segment.end();
        let outside = section.addr >= segment.end();
        if !(if protected { inside } else { outside }) {
            return wrong("p_memsz", &format!("draws its line on the wrong side of `{}`", section.name));
        }
    }
    if !edge && !segment.end().is_multiple_of(0x1000) {
        return wrong("p_memsz", "ends neither at a section nor at a page");
    }
    Ok(())
}

fn check_tls(image: &Image<'_>, segment: &Segment) -> Result<(), ObjectError> {
    let thread_local = || image.allocated().filter(|section| section.is(SHF_TLS));
    let with_contents = || thread_local().filter(|section| section.kind != SHT_NOBITS);
    let Some(first) = thread_local().min_by_key(|section| section.addr) else {
        return Err(ObjectError::header(
            segment.field("p_type"),
            "is PT_TLS, but no section is thread-local",
        ));
    };
    let end = thread_local().map(Section::end).max().unwrap_or(first.addr);
    let file_end = with_contents().map(Section::end).max().unwrap_or(first.addr);
    let align = thread_local().map(|section| section.align).max().unwrap_or(1);
    // Thread-local zeroes take no memory here, so that only this says where they are.
    for zeroes in thread_local().filter(|section| section.kind == SHT_NOBITS && section.index != first.index)
    {
        let expected = align_up(file_end, zeroes.align).unwrap_or(file_end);
        must_be(|| zeroes.field("sh_addr"), zeroes.addr, expected)?;
    }
    let size = end.saturating_sub(first.addr);
    let rounded = align_up(size, align).filter(|&rounded| rounded == segment.mem_size);
    // From the address, because mold leaves the offset of zeroes at 0.
    let offset = image
        .loads()
        .find(|load| holds(load, first) || (load.addr <= first.addr && first.addr <= load.end()))
        .map_or(first.offset, |load| load.offset.saturating_add(first.addr.saturating_sub(load.addr)));
    let file_size = file_end.saturating_sub(first.addr);
    check_numbers(segment, R, [offset, first.addr, file_size, rounded.unwrap_or(size), align])
}

fn check_note(image: &Image<'_>, segment: &Segment) -> Result<(), ObjectError> {
    let notes = || image.allocated().filter(|section| holds(segment, section) && section.size > 0);
    let Some(first) = notes().min_by_key(|section| section.addr) else {
        return Err(ObjectError::header(segment.field("p_vaddr"), "covers no section"));
    };
    if notes().any(|section| section.kind != SHT_NOTE) {
        return Err(ObjectError::header(segment.field("p_vaddr"), "covers more than notes"));
    }
    let end = notes().map(Section::end).max().unwrap_or(first.addr);
    let align = notes().map(|section| section.align).max().unwrap_or(4);
    let size = end.saturating_sub(first.addr);
    check_numbers(segment, R, [first.offset, first.addr, size, size, align])?;
    check_note_entries(image, first, size, align)
}

/// The loader walks the notes when it looks for the kernel and the processor features a library asks for.
fn check_note_entries(
    image: &Image<'_>,
    first: &Section<'_>,
    size: u64,
    align: u64,
) -> Result<(), ObjectError> {
    let bad = || ObjectError::table(format!("`{}`", first.name), "is not a row of whole notes");
    let mut at = 0_u64;
    while at < size {
        let mut note = super::bytes::from(image.bytes, first.offset.saturating_add(at));
        let (name_size, content_size) = note.u32().zip(note.u32()).ok_or_else(bad)?;
        let name_end = at + 12 + u64::from(name_size);
        let content_end = align_up(name_end, align).ok_or_else(bad)? + u64::from(content_size);
        at = align_up(content_end, align).ok_or_else(bad)?;
        if content_end > size {
            return Err(bad());
        }
    }
    Ok(())
}
