//! Which linker wrote the file, and the harmless numbers by which that linker is known.
//!
//! Each linker has its own habits in fields that no loader reads. Where the rest of the file shows whose it is, those
//! fields are held against the habit, so that a change there is found as well. A linker that is not recognised is
//! held to nothing here.

use super::super::ObjectError;
use super::Image;
use super::consts::*;
use super::header::{Machine, Section};

/// The linkers that were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// GNU ld: its global offset table has entries of eight bytes.
    Bfd,
    /// gold: its unwind tables have the type of their own that the specification gives them.
    Gold,
    /// mold: sections of zeroes have the offset 0.
    Mold,
    /// rust-lld and lld: like mold a section that fills up to the page, but customary offsets.
    Lld,
    Unknown,
}

fn recognise(image: &Image<'_>) -> Style {
    let entry_size = |name| image.find(name).map(|section| section.entry_size);
    let mut zeroes =
        image.allocated().filter(|section| section.kind == SHT_NOBITS && section.size > 0).peekable();
    if image.sections.iter().any(|section| section.kind == SHT_X86_64_UNWIND) {
        Style::Gold
    } else if zeroes.peek().is_some() && zeroes.all(|section| section.offset == 0) {
        Style::Mold
    } else if image.find(".relro_padding").is_some() {
        Style::Lld
    } else if entry_size(".got") == Some(8) {
        Style::Bfd
    } else {
        Style::Unknown
    }
}

pub(super) fn check(image: &Image<'_>) -> Result<(), ObjectError> {
    let style = recognise(image);
    let entry_size = |name| image.find(name).map(|section| section.entry_size);
    for section in &image.sections {
        let wrong = |field| {
            let message = "is not what the linker of this file writes there";
            Err(ObjectError::header(section.field(field), message))
        };
        let size = section.entry_size;
        let customary = match section.name {
            ".plt" => match style {
                _ if image.header.machine != Machine::X86_64 => true,
                Style::Bfd | Style::Gold => size == 16,
                Style::Lld | Style::Mold => size == 0,
                Style::Unknown => true,
            },
            ".plt.got" => size == 0 || matches!(style, Style::Bfd | Style::Unknown),
            ".got" => (size == 8) == (style == Style::Bfd) || style == Style::Unknown,
            ".got.plt" => entry_size(".got").is_none_or(|got| got == size),
            ".comment" | ".debug_str" | ".debug_line_str" => {
                size == 1 || matches!(style, Style::Mold | Style::Unknown)
            }
            _ => mergeable_is_customary(section),
        };
        if !customary {
            return wrong("sh_entsize");
        }
        if section.name == ".rela.plt" && !section.is(SHF_INFO_LINK) && style != Style::Mold {
            return wrong("sh_flags");
        }
    }
    for stack in image.segments.iter().filter(|segment| segment.kind == PT_GNU_STACK) {
        let customary = match style {
            Style::Bfd | Style::Gold => stack.align == 16,
            Style::Mold => stack.align <= 1,
            Style::Lld => stack.align == 0,
            Style::Unknown => true,
        };
        if !customary {
            let message = "is not what the linker of this file writes there";
            return Err(ObjectError::header(stack.field("p_align"), message));
        }
    }
    if style == Style::Lld && image.bytes.get(7) != Some(&0) {
        return Err(ObjectError::header(
            "e_ident[EI_OSABI]",
            "is not what the linker of this file writes there",
        ));
    }
    Ok(())
}

/// Constants to be merged have a size, strings are of bytes or mixed with something else.
fn mergeable_is_customary(section: &Section<'_>) -> bool {
    let plain = section.kind == SHT_PROGBITS && section.flags & (SHF_WRITE | SHF_EXECINSTR) == 0;
    match (section.is(SHF_MERGE), section.is(SHF_STRINGS)) {
        (true, false) => section.entry_size != 0 || section.name == ".rodata.cst",
        (true, true) => section.entry_size <= 1,
        (false, _) => section.entry_size == 0 || !plain,
    }
}
