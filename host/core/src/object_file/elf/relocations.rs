//! What the loader writes into the library before the first instruction runs.

use super::super::ObjectError;
use super::Image;
use super::bytes::{Reader, range};
use super::consts::*;
use super::dynamic::Dynamic;
use super::header::{Machine, Section};
use super::slots::Slots;
use super::symbols::Symbol;
use super::unwind::Functions;

/// The kinds of relocations that a finished library has, whatever the processor calls them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Load address plus addend.
    Relative,
    /// What the function at load address plus addend returns.
    Indirect,
    /// Address of a symbol plus addend.
    Address,
    /// Address of a symbol, in the global offset table.
    Global,
    /// Address of a function, for the procedure linkage table.
    Jump,
    /// Number of the module with the thread-local symbol, its offset in there, or from the thread pointer.
    TlsModule,
    TlsOffset,
    TlsStatic,
    /// The pair of function and argument that finds a thread-local symbol.
    TlsDescriptor,
}

fn kind(number: u32, machine: Machine) -> Option<Kind> {
    Some(match (machine, number) {
        (Machine::X86_64, 1) | (Machine::Aarch64, 257) => Kind::Address,
        (Machine::X86_64, 6) | (Machine::Aarch64, 1025) => Kind::Global,
        (Machine::X86_64, 7) | (Machine::Aarch64, 1026) => Kind::Jump,
        (Machine::X86_64, 8) | (Machine::Aarch64, 1027) => Kind::Relative,
        (Machine::X86_64, 16) | (Machine::Aarch64, 1028) => Kind::TlsModule,
        (Machine::X86_64, 17) | (Machine::Aarch64, 1029) => Kind::TlsOffset,
        (Machine::X86_64, 18) | (Machine::Aarch64, 1030) => Kind::TlsStatic,
        (Machine::X86_64, 36) | (Machine::Aarch64, 1031) => Kind::TlsDescriptor,
        (Machine::X86_64, 37) | (Machine::Aarch64, 1032) => Kind::Indirect,
        _ => return None,
    })
}

/// What the tables of one symbol's address are for has one entry each: a second one is another symbol's, changed.
#[derive(Clone, Copy, Default)]
struct Bound {
    global: bool,
    jump: bool,
}

impl Bound {
    fn once(&mut self, kind: Kind) -> Result<(), &'static str> {
        let slot = match kind {
            Kind::Global => &mut self.global,
            Kind::Jump => &mut self.jump,
            _ => return Ok(()),
        };
        if std::mem::replace(slot, true) { Err("binds a symbol for the second time") } else { Ok(()) }
    }
}

/// Everything a relocation is held against.
pub(super) struct Relocations<'c, 'a> {
    pub(super) image: &'c Image<'a>,
    pub(super) symbols: &'c [Symbol<'a>],
    pub(super) functions: &'c Functions<'a>,
}

impl Relocations<'_, '_> {
    pub(super) fn check(&self, dynamic: &Dynamic<'_>) -> Result<(), ObjectError> {
        let mut slots = Slots::new(self.image);
        let mut relative = 0;
        for name in [".rela.dyn", ".rela.plt"] {
            if let Some(section) = self.image.find(name) {
                let count = self.check_table(name, self.image.contents(section)?, &mut slots)?;
                if name == ".rela.dyn" {
                    relative = count;
                }
            }
        }
        if dynamic.relative_count.is_some_and(|count| count != relative) {
            let message = format!("has a DT_RELACOUNT that is not {relative}");
            return Err(ObjectError::table("`.dynamic`", message));
        }
        if let Some(section) = self.image.find(".relr.dyn") {
            self.check_packed(self.image.contents(section)?, &mut slots)?;
        }
        slots.check_complete(self.image)
    }

    /// Returns how many relative ones stand at the front.
    fn check_table(&self, name: &str, contents: &[u8], slots: &mut Slots) -> Result<u64, ObjectError> {
        let (entries, _) = contents.as_chunks::<24>();
        let mut bound = vec![Bound::default(); self.symbols.len()];
        let mut relative = 0_u64;
        let mut previous = None;
        for (index, entry) in entries.iter().enumerate() {
            let wrong = |message: &str| ObjectError::entry(format!("`{name}`"), index, message);
            let mut r = Reader(entry);
            let (place, number, symbol, addend) = (r.u64(), r.u32(), r.u32(), r.u64());
            let (((place, number), symbol), addend) =
                place.zip(number).zip(symbol).zip(addend).ok_or_else(|| wrong("is cut"))?;
            let addend = addend.cast_signed();
            let kind = kind(number, self.image.header.machine)
                .ok_or_else(|| wrong("has a type that no linker writes into a library for this processor"))?;
            if kind == Kind::Relative {
                // Sorted and at the front, so that the loader can do them in one sweep.
                if relative != index as u64 || previous.is_some_and(|previous| previous >= place) {
                    return Err(wrong("is out of order"));
                }
                relative += 1;
                previous = Some(place);
            }
            self.check_one(kind, place, symbol, addend, slots).map_err(wrong)?;
            if let Some(bound) = usize::try_from(symbol).ok().and_then(|symbol| bound.get_mut(symbol)) {
                bound.once(kind).map_err(wrong)?;
            }
        }
        Ok(relative)
    }

    fn check_one(
        &self,
        kind: Kind,
        place: u64,
        symbol: u32,
        addend: i64,
        slots: &mut Slots,
    ) -> Result<(), &'static str> {
        let symbol = match usize::try_from(symbol) {
            Ok(0) => None,
            Ok(index) => Some(self.symbols.get(index).ok_or("has a symbol that does not exist")?),
            Err(_) => return Err("has a symbol that does not exist"),
        };
        let len = if kind == Kind::TlsDescriptor { 16 } else { 8 };
        let section = slots.take(self.image, place, len)?;
        let in_table = section.name.starts_with(".got") && place.is_multiple_of(8);
        let address = u64::try_from(addend).ok().filter(|&address| address <= self.image.end());
        let (takes_symbol, needs_symbol, needs_table) = match kind {
            Kind::Relative | Kind::Indirect => (false, false, false),
            Kind::Address => (true, true, false),
            Kind::Global | Kind::Jump => (true, true, true),
            Kind::TlsModule | Kind::TlsStatic | Kind::TlsDescriptor => (true, false, true),
            Kind::TlsOffset => (true, true, true),
        };
        if (symbol.is_some() && !takes_symbol) || (symbol.is_none() && needs_symbol) {
            return Err("has a symbol its type does not take, or none where it takes one");
        }
        if needs_table && !in_table {
            return Err("writes outside of the global offset table");
        }
        let of_threads =
            matches!(kind, Kind::TlsModule | Kind::TlsOffset | Kind::TlsStatic | Kind::TlsDescriptor);
        if symbol.is_some_and(|symbol| (symbol.kind == STT_TLS) != of_threads) {
            return Err("does not fit the type of its symbol");
        }
        match kind {
            Kind::Relative => {
                let address = address.ok_or("points outside of the library")?;
                self.check_array(section, address)
            }
            Kind::Indirect => match address {
                Some(address) if self.functions.is_start(address, self.image) => Ok(()),
                _ => Err("calls an address where no function begins"),
            },
            Kind::Address => {
                let value = symbol.filter(|symbol| symbol.is_defined()).map(|symbol| symbol.value);
                let target = value.map(|value| value.checked_add_signed(addend));
                match target {
                    Some(None) => Err("points outside of the library"),
                    Some(Some(target)) if target > self.image.end() => Err("points outside of the library"),
                    Some(Some(target)) => self.check_array(section, target),
                    // Bound to another library: how large its object is stands there.
                    None if i32::try_from(addend).is_err() => Err("has an addend larger than any object"),
                    None => self.check_array(section, 0),
                }
            }
            Kind::Global | Kind::Jump | Kind::TlsModule if addend != 0 => {
                Err("has an addend its type does not take")
            }
            Kind::Global | Kind::Jump | Kind::TlsModule => Ok(()),
            Kind::TlsOffset | Kind::TlsStatic | Kind::TlsDescriptor => {
                let size = self
                    .image
                    .segments
                    .iter()
                    .find(|segment| segment.kind == PT_TLS)
                    .map_or(0, |tls| tls.mem_size);
                let fits = u64::try_from(addend).is_ok_and(|addend| addend <= size);
                if fits { Ok(()) } else { Err("points outside of the thread-local storage") }
            }
        }
    }

    /// The loader calls what the arrays of constructors and destructors point to.
    fn check_array(&self, section: &Section<'_>, target: u64) -> Result<(), &'static str> {
        let array = matches!(section.kind, SHT_INIT_ARRAY | SHT_FINI_ARRAY);
        if array && !self.functions.is_start(target, self.image) {
            return Err("is a constructor or destructor where no function begins");
        }
        Ok(())
    }

    /// Relative relocations as addresses and bit maps; what is to be added to stands in the place itself.
    fn check_packed(&self, contents: &[u8], slots: &mut Slots) -> Result<(), ObjectError> {
        let (entries, _) = contents.as_chunks::<8>();
        let mut next: Option<u64> = None;
        for (index, entry) in entries.iter().enumerate() {
            let wrong = |message: &str| ObjectError::entry("`.relr.dyn`", index, message);
            let entry = u64::from_le_bytes(*entry);
            if entry & 1 == 0 {
                if next.is_some_and(|next| entry < next) {
                    return Err(wrong("is out of order"));
                }
                self.check_packed_one(entry, slots).map_err(wrong)?;
                next = entry.checked_add(8);
                continue;
            }
            let start = next.ok_or_else(|| wrong("is a bit map without an address before it"))?;
            if entry == 1 {
                return Err(wrong("is an empty bit map"));
            }
            for bit in (0..63).filter(|bit| entry >> (bit + 1) & 1 == 1) {
                let place = start.saturating_add(bit * 8);
                self.check_packed_one(place, slots).map_err(wrong)?;
            }
            next = start.checked_add(63 * 8);
        }
        Ok(())
    }

    fn check_packed_one(&self, place: u64, slots: &mut Slots) -> Result<(), &'static str> {
        if !place.is_multiple_of(8) {
            return Err("writes to an odd address");
        }
        let section = slots.take(self.image, place, 8)?;
        let at = section.offset.saturating_add(place.saturating_sub(section.addr));
        let target =
            range(self.image.bytes, at, 8, || section.name.into()).ok().and_then(|value| Reader(value).u64());
        match target.filter(|&target| target <= self.image.end()) {
            Some(target) => self.check_array(section, target),
            None => Err("points outside of the library"),
        }
    }
}
