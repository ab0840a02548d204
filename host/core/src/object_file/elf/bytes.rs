//! Reading little-endian numbers and tables out of bytes that may lie.

use super::super::ObjectError;

/// Reads fields in order; `None` past the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.take().map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn i32(&mut self) -> Option<i32> {
        self.take().map(i32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

/// The bytes from `at` on; empty past the end.
pub(super) fn from(bytes: &[u8], at: u64) -> Reader<'_> {
    Reader(usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default())
}

/// `len` bytes at `offset`, or the error that names `what`.
pub(super) fn range(
    bytes: &[u8],
    offset: u64,
    len: u64,
    what: impl FnOnce() -> String,
) -> Result<&[u8], ObjectError> {
    let slice = || {
        let start = usize::try_from(offset).ok()?;
        let end = usize::try_from(offset.checked_add(len)?).ok()?;
        bytes.get(start..end)
    };
    slice().ok_or_else(|| ObjectError::truncated(what(), offset, len, bytes))
}

/// Longer than any mangled name that is exported. Without a limit, many names that all begin in one endless string
/// would cost the square of the file's size.
const MAX_NAME: usize = 16_384;

/// The string that begins at `at` and ends before the next NUL.
pub(super) fn string(table: &[u8], at: u32) -> Option<&[u8]> {
    let rest = table.get(usize::try_from(at).ok()?..)?;
    let rest = rest.get(..rest.len().min(MAX_NAME))?;
    rest.get(..rest.iter().position(|&byte| byte == 0)?)
}

/// `value` rounded up to a multiple of `align`, a power of two; `None` on overflow.
pub(super) fn align_up(value: u64, align: u64) -> Option<u64> {
    let mask = align.max(1).checked_sub(1)?;
    Some(value.checked_add(mask)? & !mask)
}
