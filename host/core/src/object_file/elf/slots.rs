//! The places that relocations write to: each once, and none of those left out that must have one.

use super::super::ObjectError;
use super::Image;
use super::consts::*;
use super::header::Section;

/// One bit for each byte that a writable segment takes from the file: an eighth of the file at most.
pub(super) struct Slots {
    maps: Vec<Map>,
    /// Index of the section that the last relocation wrote to. They come sorted, so it is mostly the next one's too.
    last: usize,
}

struct Map {
    start: u64,
    end: u64,
    bits: Vec<u8>,
}

impl Map {
    /// Sets the bits of `len` bytes at `addr`; false when one was set before, or lies outside.
    fn set(&mut self, addr: u64, len: u64) -> bool {
        let at = addr.saturating_sub(self.start);
        let Some(first) = usize::try_from(at / 8).ok() else { return false };
        // Eight or sixteen bytes that need not be aligned touch up to three bytes of the map.
        let mask = ((1_u32 << len) - 1) << (at % 8);
        let touched = mask.to_le_bytes();
        for (offset, bits) in touched.iter().enumerate().filter(|(_, bits)| **bits != 0) {
            match self.bits.get_mut(first + offset) {
                Some(byte) if *byte & bits == 0 => *byte |= bits,
                _ => return false,
            }
        }
        true
    }

    fn is_set(&self, addr: u64) -> bool {
        let at = addr.saturating_sub(self.start);
        let byte = usize::try_from(at / 8).ok().and_then(|index| self.bits.get(index));
        byte.is_some_and(|byte| byte >> (at % 8) & 1 == 1)
    }
}

impl Slots {
    pub(super) fn new(image: &Image<'_>) -> Self {
        let maps = image
            .loads()
            .filter(|load| load.flags & W != 0)
            .map(|load| {
                let len = usize::try_from(load.file_size / 8).unwrap_or_default();
                Map { start: load.addr, end: load.file_end(), bits: vec![0; len + 1] }
            })
            .collect();
        Self { maps, last: 0 }
    }

    /// Takes the place for one relocation and returns the section it is in.
    pub(super) fn take<'i, 'a>(
        &mut self,
        image: &'i Image<'a>,
        addr: u64,
        len: u64,
    ) -> Result<&'i Section<'a>, &'static str> {
        let fits = |section: &&Section<'_>| section.is(SHF_WRITE | SHF_ALLOC) && section.holds(addr, len);
        let section = image
            .sections
            .get(self.last)
            .filter(fits)
            .or_else(|| image.section_at(addr, len).filter(fits))
            .ok_or("writes outside of the writable sections")?;
        self.last = section.index;
        if !matches!(section.kind, SHT_PROGBITS | SHT_INIT_ARRAY | SHT_FINI_ARRAY) {
            return Err("writes to a section that is not data");
        }
        let end = addr.saturating_add(len);
        let map = self.maps.iter_mut().find(|map| map.start <= addr && end <= map.end);
        match map.map(|map| map.set(addr, len)) {
            Some(true) => Ok(section),
            Some(false) => Err("writes where another one does"),
            None => Err("writes where the segment has no contents"),
        }
    }

    fn is_taken(&self, addr: u64) -> bool {
        self.maps.iter().any(|map| map.start <= addr && addr < map.end && map.is_set(addr))
    }

    /// To be called after the last relocation: what the loader calls or jumps through was relocated.
    pub(super) fn check_complete(&self, image: &Image<'_>) -> Result<(), ObjectError> {
        for section in &image.sections {
            let skipped = match section.name {
                ".init_array" | ".fini_array" => 0,
                // Reserved for the loader.
                ".got.plt" => 3,
                _ => continue,
            };
            for number in skipped..section.size / 8 {
                if !self.is_taken(section.addr.saturating_add(number * 8)) {
                    let index = usize::try_from(number).unwrap_or(usize::MAX);
                    let table = format!("`{}`", section.name);
                    return Err(ObjectError::entry(table, index, "is an address that no relocation adjusts"));
                }
            }
        }
        Ok(())
    }
}
