//! The table of names that the dynamic table, the symbols and the versions point into.

use super::super::ObjectError;
use super::bytes::string;

/// The dynamic string table, and which of its strings somebody points to.
///
/// Linkers put nothing into it that is not used, so a string nobody points to shows that an offset was changed: the
/// strongest check there is for the name of an undefined symbol.
pub(super) struct Strings<'a> {
    bytes: &'a [u8],
    used: Vec<u32>,
}

impl<'a> Strings<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, ObjectError> {
        if bytes.first() != Some(&0) || bytes.last() != Some(&0) {
            return Err(ObjectError::table("`.dynstr`", "does not begin and end with a NUL"));
        }
        Ok(Self { bytes, used: vec![0] })
    }

    /// The string at `at`; `None` outside of the table.
    pub(super) fn get(&mut self, at: u64) -> Option<&'a [u8]> {
        let at = u32::try_from(at).ok()?;
        let found = string(self.bytes, at)?;
        self.used.push(at);
        Some(found)
    }

    /// To be called when everything that has names was read.
    pub(super) fn check_all_used(mut self) -> Result<(), ObjectError> {
        self.used.sort_unstable();
        self.used.dedup();
        let mut at = 0_u32;
        for string in self.bytes.split_inclusive(|&byte| byte == 0) {
            // The run path may be left over: installers take it out and leave its text, or zeroes.
            let left_over = string.len() == 1 || string.contains(&b'/');
            if !left_over && self.used.binary_search(&at).is_err() {
                return Err(ObjectError::table("`.dynstr`", format!("has a string at {at} nobody uses")));
            }
            at = at.saturating_add(u32::try_from(string.len()).unwrap_or(u32::MAX));
        }
        Ok(())
    }
}
