//! Where functions begin: the unwinder's sorted table, which is the only list of them that `strip` leaves.

use super::super::ObjectError;
use super::Image;
use super::bytes::{Reader, from, range};
use super::consts::SHF_EXECINSTR;
use super::header::Machine;

const TABLE: &str = "`.eh_frame_hdr`";

/// The starts of functions, for what the loader or the host will call.
pub(super) struct Functions<'a> {
    bytes: &'a [u8],
    header_at: u64,
    entries: &'a [[u8; 8]],
}

/// One row: where a function begins, and where its description is.
#[derive(Clone, Copy)]
struct Row {
    start: u64,
    described_at: u64,
}

impl<'a> Functions<'a> {
    pub(super) fn read(image: &Image<'a>) -> Result<Self, ObjectError> {
        let Some(section) = image.find(".eh_frame_hdr") else {
            return Ok(Self { bytes: image.bytes, header_at: 0, entries: &[] });
        };
        let frames = image.require(".eh_frame")?;
        let contents = image.contents(section)?;
        let bad = || ObjectError::table(TABLE, "does not begin with version 1 and the customary encodings");
        let mut r = Reader(contents);
        // Version 1; a relative pointer, a count, and a table relative to its own start, all of four bytes.
        if r.u32() != Some(0x3b03_1b01) {
            return Err(bad());
        }
        let (pointer, count) = r.i32().zip(r.u32()).ok_or_else(bad)?;
        if section.addr.saturating_add(4).checked_add_signed(pointer.into()) != Some(frames.addr) {
            return Err(ObjectError::table(TABLE, "does not point to `.eh_frame`"));
        }
        let (entries, rest) = r.0.as_chunks::<8>();
        if entries.len() as u64 != u64::from(count) || !rest.is_empty() {
            return Err(ObjectError::table(TABLE, "does not have as many entries as it says"));
        }
        let functions = Self { bytes: image.bytes, header_at: section.addr, entries };
        let mut previous = None;
        for (index, entry) in entries.iter().enumerate() {
            let row = functions.parse(entry).filter(|row| frames.holds(row.described_at, 16));
            let row = row.ok_or_else(|| ObjectError::entry(TABLE, index, "points outside of `.eh_frame`"))?;
            if previous.is_some_and(|previous| previous >= row.start) {
                return Err(ObjectError::entry(TABLE, index, "is not in ascending order"));
            }
            previous = Some(row.start);
        }
        Ok(functions)
    }

    fn parse(&self, entry: &[u8]) -> Option<Row> {
        let mut r = Reader(entry);
        let start = self.header_at.checked_add_signed(r.i32()?.into())?;
        let described_at = self.header_at.checked_add_signed(r.i32()?.into())?;
        Some(Row { start, described_at })
    }

    /// How many bytes the function of that row has, by its description.
    fn len(&self, row: Row, image: &Image<'_>) -> Option<u64> {
        let frames = image.find(".eh_frame")?;
        let at = frames.offset.checked_add(row.described_at.checked_sub(frames.addr)?)?;
        let mut r = from(self.bytes, at);
        let (_, _, start, len) = (r.u32()?, r.u32()?, r.i32()?, r.u32()?);
        // Other encodings of the start exist; then the length is not where it is looked for.
        let described = row.described_at.checked_add(8)?.checked_add_signed(start.into())?;
        (described == row.start).then_some(len.into())
    }

    /// The row whose function begins at or before `addr`.
    fn row_before(&self, addr: u64) -> Option<Row> {
        let starts_after = |entry: &[u8; 8]| self.parse(entry).is_some_and(|row| row.start > addr);
        let index = self.entries.partition_point(|entry| !starts_after(entry)).checked_sub(1)?;
        self.parse(self.entries.get(index)?)
    }

    /// `addr` lies inside a function, after its first byte.
    pub(super) fn is_inside(&self, addr: u64, image: &Image<'_>) -> bool {
        let Some(row) = self.row_before(addr) else { return false };
        row.start < addr && self.len(row, image).is_some_and(|len| addr.saturating_sub(row.start) < len)
    }

    /// `addr` is one where a function begins, as far as the file can tell.
    ///
    /// The start-up code of the C compiler has no descriptions; its functions are aligned, and follow padding or a
    /// return.
    pub(super) fn is_start(&self, addr: u64, image: &Image<'_>) -> bool {
        let Some(section) = image.section_at(addr, 1).filter(|section| section.is(SHF_EXECINSTR)) else {
            return false;
        };
        if self.row_before(addr).is_some_and(|row| row.start == addr) {
            return true;
        }
        if self.is_inside(addr, image) {
            return false;
        }
        let before =
            addr.checked_sub(section.addr).and_then(|at| section.offset.checked_add(at)?.checked_sub(4));
        let before = before.and_then(|at| range(self.bytes, at, 4, || TABLE.into()).ok());
        let first = addr == section.addr;
        match (image.header.machine, before) {
            // Padding, a return or a trap.
            (Machine::X86_64, Some([_, _, _, last])) => {
                addr.is_multiple_of(16) && (first || matches!(last, 0x00 | 0x90 | 0xc3 | 0xcc))
            }
            // A return, a no-op, an undefined instruction or a branch.
            (Machine::Aarch64, Some(&[a, b, c, d])) => {
                let code = u32::from_le_bytes([a, b, c, d]);
                let ends = matches!(code, 0xd65f_03c0 | 0xd503_201f | 0) || code >> 26 == 5;
                addr.is_multiple_of(4) && (first || ends)
            }
            _ => false,
        }
    }
}
