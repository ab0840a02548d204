//! The dynamic table: every tag known, every address that of the section it speaks of.

use super::super::ObjectError;
use super::Image;
use super::bytes::Reader;
use super::consts::*;
use super::header::{Machine, Section};
use super::strings::Strings;

const TABLE: &str = "`.dynamic`";

/// What a tag's value has to be.
enum Rule {
    /// The offset of a name.
    Name,
    /// The address of one of these sections.
    Address(&'static [&'static str]),
    /// The size of that section.
    Size(&'static str),
    /// `sh_info` of that section: its number of entries.
    Count(&'static str),
    /// Just this number.
    Number(u64),
    /// No bits but these.
    Bits(u64),
    /// Somewhere inside that section.
    Inside(&'static str),
    /// Checked against the relocations.
    RelativeCount,
}

const NEEDED: u64 = 1;
const FLAGS: u64 = 30;
const FLAGS_1: u64 = 0x6fff_fffb;
const BIND_NOW: u64 = 24;
const RELATIVE_COUNT: u64 = 0x6fff_fff9;

fn rule(tag: u64, machine: Machine) -> Option<Rule> {
    Some(match tag {
        NEEDED | 14 | 15 | 29 => Rule::Name,
        2 => Rule::Size(".rela.plt"),
        3 => Rule::Address(&[".got.plt", ".got"]),
        4 => Rule::Address(&[".hash"]),
        5 => Rule::Address(&[".dynstr"]),
        6 => Rule::Address(&[".dynsym"]),
        7 => Rule::Address(&[".rela.dyn"]),
        8 => Rule::Size(".rela.dyn"),
        9 | 11 => Rule::Number(24),
        10 => Rule::Size(".dynstr"),
        12 => Rule::Address(&[".init"]),
        13 => Rule::Address(&[".fini"]),
        16 | BIND_NOW => Rule::Number(0),
        20 => Rule::Number(7),
        23 => Rule::Address(&[".rela.plt"]),
        25 => Rule::Address(&[".init_array"]),
        26 => Rule::Address(&[".fini_array"]),
        27 => Rule::Size(".init_array"),
        28 => Rule::Size(".fini_array"),
        // $ORIGIN, symbolic, bind now, static TLS; not the bit for relocations in the code.
        FLAGS => Rule::Bits(0x1b),
        35 => Rule::Size(".relr.dyn"),
        36 => Rule::Address(&[".relr.dyn"]),
        37 => Rule::Number(8),
        0x6fff_fef5 => Rule::Address(&[".gnu.hash"]),
        0x6fff_fef6 => Rule::Inside(".plt"),
        0x6fff_fef7 => Rule::Inside(".got"),
        0x6fff_fff0 => Rule::Address(&[".gnu.version"]),
        RELATIVE_COUNT => Rule::RelativeCount,
        // Now, no delete, $ORIGIN.
        FLAGS_1 => Rule::Bits(0x89),
        0x6fff_fffc => Rule::Address(&[".gnu.version_d"]),
        0x6fff_fffd => Rule::Count(".gnu.version_d"),
        0x6fff_fffe => Rule::Address(&[".gnu.version_r"]),
        0x6fff_ffff => Rule::Count(".gnu.version_r"),
        0x7000_0001 | 0x7000_0003 | 0x7000_0005 if machine == Machine::Aarch64 => Rule::Number(0),
        _ => return None,
    })
}

/// The tags without which the loader would not read a section that is there.
const ANNOUNCED: &[(&str, &[u64])] = &[
    (".dynstr", &[5, 10]),
    (".dynsym", &[6, 11]),
    (".hash", &[4]),
    (".gnu.hash", &[0x6fff_fef5]),
    (".rela.dyn", &[7, 8, 9]),
    (".rela.plt", &[2, 20, 23]),
    (".relr.dyn", &[35, 36, 37]),
    (".init", &[12]),
    (".fini", &[13]),
    (".init_array", &[25, 27]),
    (".fini_array", &[26, 28]),
    (".gnu.version", &[0x6fff_fff0]),
    (".gnu.version_d", &[0x6fff_fffc, 0x6fff_fffd]),
    (".gnu.version_r", &[0x6fff_fffe, 0x6fff_ffff]),
];

/// What the other checks need from the table.
pub(super) struct Dynamic<'a> {
    /// The libraries it asks for.
    pub(super) needed: Vec<&'a [u8]>,
    /// How many relocations stand at the front that only add the load address.
    pub(super) relative_count: Option<u64>,
}

pub(super) fn check<'a>(image: &Image<'a>, strings: &mut Strings<'a>) -> Result<Dynamic<'a>, ObjectError> {
    let section = image.require(".dynamic")?;
    let (entries, _) = image.contents(section)?.as_chunks::<16>();
    let mut seen: Vec<(u64, u64)> = Vec::new();
    let mut result = Dynamic { needed: Vec::new(), relative_count: None };
    let mut ended = false;
    for (index, entry) in entries.iter().enumerate() {
        let wrong = |message: String| ObjectError::entry(TABLE, index, message);
        let mut r = Reader(entry);
        let (tag, value) = r.u64().zip(r.u64()).ok_or_else(|| wrong("is cut".into()))?;
        if ended || tag == 0 {
            // Linkers leave room behind the end. The value there is not zero where CMake took a run path out.
            if tag != 0 {
                return Err(wrong("follows the end of the table".into()));
            }
            ended = true;
            continue;
        }
        if tag == 22 {
            return Err(wrong("is DT_TEXTREL: the code would have to be made writable".into()));
        }
        if tag == 21 || (tag == FLAGS_1 && value & 0x0800_0000 != 0) {
            return Err(ObjectError::not_a_library("an ELF program (its dynamic table says so)"));
        }
        let rule =
            rule(tag, image.header.machine).ok_or_else(|| wrong(format!("has the unknown tag {tag:#x}")))?;
        if tag != NEEDED && seen.iter().any(|&(known, _)| known == tag) {
            return Err(wrong(format!("has the tag {tag:#x} for the second time")));
        }
        if let Rule::Name = rule {
            let name = strings.get(value).filter(|name| is_name(name));
            let name = name.ok_or_else(|| wrong(format!("has {value:#x}, not the offset of a name")))?;
            if tag == NEEDED {
                if result.needed.contains(&name) {
                    return Err(wrong("asks for a library a second time".into()));
                }
                result.needed.push(name);
            }
        }
        if let Rule::RelativeCount = rule {
            result.relative_count = Some(value);
        }
        if !holds(&rule, value, image) {
            return Err(wrong(format!(
                "has the tag {tag:#x} with {value:#x}, which contradicts the section headers"
            )));
        }
        seen.push((tag, value));
    }
    if !ended {
        return Err(ObjectError::table(TABLE, "does not end with DT_NULL"));
    }
    check_complete(image, &seen)?;
    Ok(result)
}

fn holds(rule: &Rule, value: u64, image: &Image<'_>) -> bool {
    let is = |name: &str, test: &dyn Fn(&Section<'_>) -> bool| image.find(name).is_some_and(test);
    match *rule {
        Rule::Name | Rule::RelativeCount => true,
        // The first that exists: `.got` stands for `.got.plt` only where there is none.
        Rule::Address(names) => names
            .iter()
            .find_map(|name| image.find(name))
            .is_some_and(|section| section.addr == value && section.is(SHF_ALLOC)),
        Rule::Size(name) => is(name, &|section| section.size == value),
        Rule::Count(name) => is(name, &|section| u64::from(section.info) == value),
        Rule::Inside(name) => is(name, &|section| section.holds(value, 8) && value.is_multiple_of(8)),
        Rule::Number(number) => value == number,
        Rule::Bits(bits) => value & !bits == 0 && value != 0,
    }
}

fn check_complete(image: &Image<'_>, seen: &[(u64, u64)]) -> Result<(), ObjectError> {
    let value = |tag: u64| seen.iter().find(|&&(known, _)| known == tag).map(|&(_, value)| value);
    for (name, tags) in ANNOUNCED {
        let there = image.find(name).is_some_and(|section| section.size > 0);
        if let Some(tag) = tags.iter().find(|&&tag| there && value(tag).is_none()) {
            return Err(ObjectError::table(
                TABLE,
                format!("does not have the tag {tag:#x}, though `{name}` is there"),
            ));
        }
    }
    if image.find(".gnu.hash").is_none() && image.find(".hash").is_none() {
        return Err(ObjectError::table(TABLE, "names no hash table, so that no symbol could be found"));
    }
    // Linkers say it twice, and the loader believes either.
    let at_once = value(BIND_NOW).is_some() || value(FLAGS).is_some_and(|flags| flags & 8 != 0);
    let at_once_1 = value(FLAGS_1).is_some_and(|flags| flags & 1 != 0);
    if at_once != at_once_1 {
        return Err(ObjectError::table(TABLE, "contradicts itself on binding at once"));
    }
    Ok(())
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| (0x20..0x7f).contains(byte) || *byte >= 0x80)
}
