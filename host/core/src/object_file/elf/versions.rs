//! Symbol versions: which are defined here, which are wanted from whom, and which symbol has which.

use object::elf::hash;

use super::super::ObjectError;
use super::Image;
use super::bytes::from;
use super::consts::STB_LOCAL;
use super::dynamic::Dynamic;
use super::header::Section;
use super::strings::Strings;
use super::symbols::Symbol;

/// Who speaks of a version number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Nobody,
    Defined,
    Needed,
}

/// The numbers in use. Version numbers have 15 bits.
struct Versions(Vec<Origin>);

impl Versions {
    fn claim(&mut self, number: u16, origin: Origin) -> Result<(), &'static str> {
        let index = usize::from(number);
        if !(1..=0x7fff).contains(&index) {
            return Err("has an impossible version number");
        }
        if self.0.len() <= index {
            self.0.resize(index + 1, Origin::Nobody);
        }
        match self.0.get_mut(index) {
            Some(slot @ Origin::Nobody) => {
                *slot = origin;
                Ok(())
            }
            _ => Err("has a version number that is in use"),
        }
    }

    fn of(&self, number: u16) -> Origin {
        self.0.get(usize::from(number)).copied().unwrap_or(Origin::Nobody)
    }
}

/// Marks the parts of a section that were read, so that each is read once and none is left over.
struct Covered {
    words: Vec<bool>,
}

impl Covered {
    fn new(section: &Section<'_>, contents: &[u8]) -> Result<Self, &'static str> {
        if !section.size.is_multiple_of(4) {
            return Err("does not have the size of whole entries");
        }
        Ok(Self { words: vec![false; contents.len() / 4] })
    }

    fn mark(&mut self, at: u64, len: u64) -> Result<(), &'static str> {
        let words =
            usize::try_from(at / 4).ok().zip(usize::try_from(len / 4).ok()).filter(|_| at.is_multiple_of(4));
        let words = words.and_then(|(start, count)| self.words.get_mut(start..start.checked_add(count)?));
        let words = words.ok_or("points outside of itself")?;
        if words.iter().any(|&word| word) {
            return Err("has entries that overlap");
        }
        words.fill(true);
        Ok(())
    }

    fn finish(&self) -> Result<(), &'static str> {
        if self.words.iter().all(|&word| word) { Ok(()) } else { Err("has bytes that belong to no entry") }
    }
}

pub(super) fn check<'a>(
    image: &Image<'a>,
    strings: &mut Strings<'a>,
    dynamic: &Dynamic<'a>,
    symbols: &[Symbol<'a>],
) -> Result<(), ObjectError> {
    let mut versions = Versions(Vec::new());
    if let Some(section) = image.find(".gnu.version_d") {
        let contents = image.contents(section)?;
        read_definitions(section, contents, strings, &mut versions)
            .map_err(|message| ObjectError::table("`.gnu.version_d`", message))?;
    }
    if let Some(section) = image.find(".gnu.version_r") {
        let contents = image.contents(section)?;
        read_needs(section, contents, strings, dynamic, &mut versions)
            .map_err(|message| ObjectError::table("`.gnu.version_r`", message))?;
    }
    match image.find(".gnu.version") {
        Some(section) => check_numbers(image.contents(section)?, &versions, symbols),
        None if !versions.0.is_empty() => {
            Err(ObjectError::table("`.gnu.version`", "is missing, though there are versions"))
        }
        None => Ok(()),
    }
}

fn read_definitions(
    section: &Section<'_>,
    contents: &[u8],
    strings: &mut Strings<'_>,
    versions: &mut Versions,
) -> Result<(), &'static str> {
    let mut covered = Covered::new(section, contents)?;
    let mut at = 0_u64;
    for number in 1..=section.info {
        covered.mark(at, 20)?;
        let mut r = from(contents, at);
        let head = (r.u16(), r.u16(), r.u16(), r.u16());
        let (Some(1), Some(flags), Some(index), Some(names)) = head else {
            return Err("has an unknown format");
        };
        let rest = r.u32().zip(r.u32()).zip(r.u32());
        let ((expected, names_at), next) = rest.ok_or("is cut")?;
        // The first is the library itself; a version can be weak.
        if flags & !2 != u16::from(number == 1) || (index == 1) != (number == 1) {
            return Err("does not begin with the library itself");
        }
        versions.claim(index, Origin::Defined)?;
        let mut name_at = at.saturating_add(names_at.into());
        for name_number in 1..=names {
            covered.mark(name_at, 8)?;
            let mut r = from(contents, name_at);
            let (name, step) = r.u32().zip(r.u32()).ok_or("is cut")?;
            let name = strings.get(name.into()).ok_or("has a name outside of `.dynstr`")?;
            if name_number == 1 && hash(name) != expected {
                return Err("has a hash that is not that of its name");
            }
            check_step(step, name_number == names)?;
            name_at = name_at.saturating_add(step.into());
        }
        check_step(next, number == section.info)?;
        at = at.saturating_add(next.into());
    }
    covered.finish()
}

fn read_needs(
    section: &Section<'_>,
    contents: &[u8],
    strings: &mut Strings<'_>,
    dynamic: &Dynamic<'_>,
    versions: &mut Versions,
) -> Result<(), &'static str> {
    let mut covered = Covered::new(section, contents)?;
    let mut at = 0_u64;
    for number in 1..=section.info {
        covered.mark(at, 16)?;
        let mut r = from(contents, at);
        let (Some(1), Some(wanted)) = (r.u16(), r.u16()) else { return Err("has an unknown format") };
        let ((file, wanted_at), next) = r.u32().zip(r.u32()).zip(r.u32()).ok_or("is cut")?;
        let file = strings.get(file.into()).ok_or("has a name outside of `.dynstr`")?;
        if !dynamic.needed.contains(&file) {
            return Err("wants versions from a library that is not asked for");
        }
        let mut wanted_at = at.saturating_add(wanted_at.into());
        for wanted_number in 1..=wanted {
            covered.mark(wanted_at, 16)?;
            let mut r = from(contents, wanted_at);
            let head = r.u32().zip(r.u16()).zip(r.u16()).ok_or("is cut")?;
            let (((expected, flags), index), (name, step)) = (head, r.u32().zip(r.u32()).ok_or("is cut")?);
            let name = strings.get(name.into()).ok_or("has a name outside of `.dynstr`")?;
            if hash(name) != expected {
                return Err("has a hash that is not that of its name");
            }
            if flags & !2 != 0 || index < 2 {
                return Err("has unknown flags or a reserved number");
            }
            versions.claim(index, Origin::Needed)?;
            check_step(step, wanted_number == wanted)?;
            wanted_at = wanted_at.saturating_add(step.into());
        }
        check_step(next, number == section.info)?;
        at = at.saturating_add(next.into());
    }
    covered.finish()
}

/// The distance to the next entry is 0 at the last one, and only there.
fn check_step(step: u32, last: bool) -> Result<(), &'static str> {
    if (step == 0) == last { Ok(()) } else { Err("ends before or after its last entry") }
}

fn check_numbers(contents: &[u8], versions: &Versions, symbols: &[Symbol<'_>]) -> Result<(), ObjectError> {
    const TABLE: &str = "`.gnu.version`";
    let (numbers, left) = contents.as_chunks::<2>();
    if numbers.len() != symbols.len() || !left.is_empty() {
        return Err(ObjectError::table(TABLE, "does not have an entry for each symbol"));
    }
    for (index, (number, symbol)) in numbers.iter().zip(symbols).enumerate() {
        let number = u16::from_le_bytes(*number);
        let (hidden, number) = (number & 0x8000 != 0, number & 0x7fff);
        let fits = match (number, symbol.is_defined()) {
            (0 | 1, _) => !hidden && (number == 0 || index != 0),
            (_, true) => symbol.bind != STB_LOCAL && versions.of(number) == Origin::Defined,
            (_, false) => !hidden && index != 0 && versions.of(number) == Origin::Needed,
        };
        if !fits {
            return Err(ObjectError::entry(
                TABLE,
                index,
                "is not the number of a version its symbol can have",
            ));
        }
    }
    Ok(())
}
