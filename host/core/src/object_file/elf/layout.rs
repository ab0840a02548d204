//! How the parts of the file lie behind each other: no overlap, no gap that alignment does not explain, no byte at
//! the end that belongs to nothing.

use super::super::ObjectError;
use super::bytes::{align_up, range};
use super::consts::*;
use super::header::{HEADER_SIZE, SECTION_SIZE, SEGMENT_SIZE, Section, Segment};
use super::{Image, known};

/// Something that occupies bytes of the file.
struct Part<'a> {
    start: u64,
    end: u64,
    align: u64,
    section: Option<&'a Section<'a>>,
}

impl Part<'_> {
    fn name(&self) -> String {
        match self.section {
            Some(section) => format!("sh_offset of section {} (`{}`)", section.index, section.name),
            None => "e_shoff".into(),
        }
    }
}

/// Every name is used once, and every string of the table of names is the name of a section.
pub(super) fn check_names(image: &Image<'_>, names: &[u8]) -> Result<(), ObjectError> {
    let mut by_name: Vec<&Section<'_>> = image.sections.iter().skip(1).collect();
    by_name.sort_unstable_by_key(|section| section.name);
    for pair in by_name.windows(2) {
        if let [first, second] = pair
            && first.name == second.name
        {
            return Err(ObjectError::header(second.field("sh_name"), "is that of another section as well"));
        }
    }

    let mut starts: Vec<u32> = image.sections.iter().map(|section| section.name_at).collect();
    starts.sort_unstable();
    let mut at = 0_u32;
    for name in names.split_inclusive(|&byte| byte == 0) {
        if starts.binary_search(&at).is_err() {
            return Err(ObjectError::table(
                "the table of section names",
                format!("has a name at {at} nobody uses"),
            ));
        }
        at = at.saturating_add(u32::try_from(name.len()).unwrap_or(u32::MAX));
    }
    if names.first() != Some(&0) || names.last() != Some(&0) {
        return Err(ObjectError::table("the table of section names", "does not begin and end with a NUL"));
    }

    // Linkers let `.plt` be the tail of `.rela.plt`; anything else in the middle of a name is a shifted offset.
    for section in image.sections.iter().skip(1) {
        let before = usize::try_from(section.name_at).ok().and_then(|at| names.get(at.checked_sub(1)?));
        if before != Some(&0) && !known::is_known(section.name) {
            return Err(ObjectError::header(section.field("sh_name"), "points into the middle of a name"));
        }
    }
    Ok(())
}

/// The parts of the file, one after the other.
pub(super) fn check_file(image: &Image<'_>) -> Result<(), ObjectError> {
    let len = image.bytes.len() as u64;
    let table_len = u64::from(image.header.sections) * SECTION_SIZE;
    let mut parts = vec![Part {
        start: image.header.sections_at,
        end: image.header.sections_at.saturating_add(table_len),
        align: 8,
        section: None,
    }];
    for section in image.sections.iter().skip(1).filter(|section| section.kind != SHT_NOBITS) {
        range(image.bytes, section.offset, section.size, || {
            format!("section {} (`{}`)", section.index, section.name)
        })?;
        parts.push(Part {
            start: section.offset,
            end: section.offset.saturating_add(section.size),
            align: section.align,
            section: Some(section),
        });
    }
    parts.sort_by_key(|part| (part.start, part.end));

    let mut end = HEADER_SIZE + u64::from(image.header.segments) * SEGMENT_SIZE;
    let mut after_code = false;
    for part in &parts {
        if part.start < end {
            return Err(ObjectError::header(part.name(), "makes it overlap what comes before it"));
        }
        // Allocated sections are held against their addresses instead: `check_memory`.
        let in_memory = part.section.is_some_and(|section| section.is(SHF_ALLOC));
        if !in_memory && align_up(end, part.align) != Some(part.start) {
            return Err(ObjectError::header(part.name(), "leaves a gap before it"));
        }
        let gap = range(image.bytes, end, part.start.saturating_sub(end), || part.name())?;
        let filler = |byte: &u8| *byte == 0 || (after_code && *byte == 0xcc);
        if !gap.iter().all(filler) {
            return Err(ObjectError::header(part.name(), "leaves bytes before it that belong to nothing"));
        }
        end = part.end.max(end);
        after_code = part.section.is_some_and(|section| section.is(SHF_EXECINSTR));
    }
    if end != len {
        return Err(ObjectError::header(
            "e_shoff",
            format!("leaves {} bytes at the end", len.saturating_sub(end)),
        ));
    }
    Ok(())
}

/// The allocated sections of each `PT_LOAD`, one after the other in memory.
pub(super) fn check_memory(image: &Image<'_>) -> Result<(), ObjectError> {
    for section in image.sections.iter().skip(1).filter(|section| !section.is(SHF_ALLOC)) {
        if section.addr != 0 {
            return Err(ObjectError::header(section.field("sh_addr"), "is set, though it is not loaded"));
        }
    }
    let relro_end =
        image.segments.iter().find(|segment| segment.kind == PT_GNU_RELRO).map(|relro| relro.end());

    let mut sections: Vec<&Section<'_>> = image.allocated().collect();
    sections.sort_by_key(|section| (section.addr, !is_thread_zeroes(section), section.end(), section.index));
    let mut sections = sections.into_iter().peekable();
    for (number, load) in image.loads().enumerate() {
        let mut end = load.addr;
        if number == 0 {
            end += HEADER_SIZE + u64::from(image.header.segments) * SEGMENT_SIZE;
        }
        let mut file_end = end;
        let mut shared_align = 1;
        while let Some(section) =
            sections.next_if(|section| section.addr <= load.end() && section.end() <= load.end())
        {
            let wrong = |field: &str, message: &str| Err(ObjectError::header(section.field(field), message));
            let tls_zeroes = is_thread_zeroes(section);
            let in_order = align_up(end, section.align.max(shared_align)) == Some(section.addr);
            // GNU ld moves what follows the read-only-after-relocation part up to where that part ends on a page.
            let at_relro_end =
                relro_end.is_some_and(|relro| end <= relro && relro <= section.end().saturating_add(24));
            if !tls_zeroes && (section.addr < end || !(in_order || at_relro_end)) {
                return wrong("sh_addr", "does not follow what comes before it in memory");
            }
            if section.kind != SHT_NOBITS {
                if section.offset.checked_sub(load.offset) != section.addr.checked_sub(load.addr)
                    || section.end() > load.file_end()
                {
                    return wrong("sh_offset", "is not where its segment loads it from");
                }
                file_end = section.end();
            } else if !tls_zeroes && section.addr < load.file_end() {
                return wrong("sh_type", "claims zeroes where its segment has contents");
            } else if !nobits_offset_is_customary(section, load) {
                return wrong("sh_offset", "is not one that linkers give to a section without contents");
            }
            let writable = load.flags & W != 0;
            let executable = load.flags & X != 0;
            if section.is(SHF_WRITE) != writable || (section.is(SHF_EXECINSTR) && !executable) {
                return wrong("sh_flags", "does not fit the flags of its segment");
            }
            // Thread-local zeroes take no memory here, but what follows them may keep their alignment.
            if tls_zeroes {
                shared_align = section.align;
            } else {
                end = section.end();
                shared_align = 1;
            }
        }
        if end != load.end() {
            return Err(ObjectError::header(
                load.field("p_memsz"),
                "does not end where its last section ends",
            ));
        }
        if file_end != load.file_end() {
            return Err(ObjectError::header(
                load.field("p_filesz"),
                "does not end where its last contents end",
            ));
        }
    }
    match sections.next() {
        Some(section) => {
            Err(ObjectError::header(section.field("sh_addr"), "is in no segment that is loaded"))
        }
        None => Ok(()),
    }
}

/// mold writes 0, the others the place where contents would be, or the end of the segment's contents.
fn nobits_offset_is_customary(section: &Section<'_>, load: &Segment) -> bool {
    let place = load.offset.saturating_add(section.addr.saturating_sub(load.addr));
    // GNU ld does not round the offset of thread-local zeroes up to their alignment.
    let slack = if section.is(SHF_TLS) { section.align } else { 1 };
    let at_place = place.checked_sub(section.offset).is_some_and(|distance| distance < slack);
    section.offset == 0 || at_place || section.offset == load.offset.saturating_add(load.file_size)
}

fn is_thread_zeroes(section: &Section<'_>) -> bool {
    section.kind == SHT_NOBITS && section.is(SHF_TLS)
}
