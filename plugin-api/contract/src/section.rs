//! The form of the section that carries the embedded contract: magic, length, checksum, JSON.
//!
//! Written at compile time by the author's macro (hence the `const fn`s), read by the host from the file's bytes.

use crate::EmbeddedContract;
use std::fmt;

/// The section's name in an ELF file.
pub const ELF: &str = "stud_contract";
/// The section's name in a PE file, which has room for eight characters.
pub const PE: &str = ".studct";
/// Segment and section in a Mach-O file.
pub const MACH_O: (&str, &str) = ("__DATA", "__stud_contract");

const MAGIC: [u8; 8] = *b"STUDCT\x01\n";
const HEADER: usize = MAGIC.len() + 4 + 4;

/// How many bytes [`encode`] needs for these parts of JSON.
#[must_use]
pub const fn encoded_len(parts: &[&str]) -> usize {
    let mut len = HEADER;
    let mut i = 0;
    while i < parts.len() {
        len += parts[i].len();
        i += 1;
    }
    len
}

/// The section's bytes for the JSON that the parts make up; `N` is [`encoded_len`] of them.
#[must_use]
pub const fn encode<const N: usize>(parts: &[&str]) -> [u8; N] {
    let mut out = [0u8; N];
    let mut at = HEADER;
    let mut part = 0;
    while part < parts.len() {
        let bytes = parts[part].as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            out[at] = bytes[i];
            at += 1;
            i += 1;
        }
        part += 1;
    }
    let checksum = crc32(&out, HEADER).to_le_bytes();
    let length = ((N - HEADER) as u32).to_le_bytes();
    let mut i = 0;
    while i < MAGIC.len() {
        out[i] = MAGIC[i];
        i += 1;
    }
    let mut i = 0;
    while i < 4 {
        out[MAGIC.len() + i] = length[i];
        out[MAGIC.len() + 4 + i] = checksum[i];
        i += 1;
    }
    out
}

/// The same at run time, for tests that make contracts.
#[must_use]
pub fn encode_runtime(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER + json.len());
    out.extend(MAGIC);
    // A contract of 4 GiB is not one that could be read back.
    out.extend(u32::try_from(json.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend(crc32(json, 0).to_le_bytes());
    out.extend(json);
    out
}

/// Why a section is no contract.
#[derive(Debug)]
#[non_exhaustive]
pub enum SectionError {
    /// It does not start with the magic bytes.
    Magic,
    /// It is shorter than it says.
    Length {
        /// What it says.
        stated: usize,
        /// What is there.
        found: usize,
    },
    /// Its bytes were changed.
    Checksum,
    /// Its JSON is not a contract.
    Shape(serde_json::Error),
}

impl fmt::Display for SectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SectionError::Magic => f.write_str("the contract section does not start with stud's magic bytes"),
            SectionError::Length { stated, found } => {
                write!(f, "the contract section says {stated} bytes and holds {found}")
            }
            SectionError::Checksum => {
                f.write_str("the contract section was changed after it was written: its checksum differs")
            }
            SectionError::Shape(error) => write!(f, "the contract section holds no valid contract: {error}"),
        }
    }
}

impl std::error::Error for SectionError {}

/// The JSON in a section's bytes. Padding that a linker added behind it is ignored.
///
/// # Errors
/// The bytes are not what [`encode`] writes.
pub fn decode(bytes: &[u8]) -> Result<&[u8], SectionError> {
    let (magic, rest) = bytes.split_at_checked(MAGIC.len()).ok_or(SectionError::Magic)?;
    if magic != MAGIC {
        return Err(SectionError::Magic);
    }
    let short = |found| SectionError::Length { stated: HEADER, found };
    let (length, rest) = rest.split_first_chunk::<4>().ok_or(short(bytes.len()))?;
    let (checksum, rest) = rest.split_first_chunk::<4>().ok_or(short(bytes.len()))?;
    let stated = u32::from_le_bytes(*length) as usize;
    let json = rest.get(..stated).ok_or(SectionError::Length { stated, found: rest.len() })?;
    if crc32(json, 0) != u32::from_le_bytes(*checksum) {
        return Err(SectionError::Checksum);
    }
    Ok(json)
}

/// The contract in a section's bytes.
///
/// # Errors
/// The bytes are not what [`encode`] writes, or their JSON is no contract.
pub fn read(bytes: &[u8]) -> Result<EmbeddedContract, SectionError> {
    serde_json::from_slice(decode(bytes)?).map_err(SectionError::Shape)
}

/// CRC-32 (IEEE 802.3) of the bytes from `start` on. Bit by bit: it runs at compile time, and over a few kilobytes.
const fn crc32(bytes: &[u8], start: usize) -> u32 {
    let mut crc = u32::MAX;
    let mut i = start;
    while i < bytes.len() {
        crc ^= bytes[i] as u32;
        let mut bit = 0;
        while bit < 8 {
            let low = crc & 1;
            crc >>= 1;
            if low == 1 {
                crc ^= 0xEDB8_8320;
            }
            bit += 1;
        }
        i += 1;
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: &[&str] = &["{\"a\":", "1}"];
    const BYTES: [u8; encoded_len(PARTS)] = encode(PARTS);

    #[test]
    fn the_checksum_is_the_common_one() {
        assert_eq!(crc32(b"123456789", 0), 0xCBF4_3926);
    }

    #[test]
    fn both_encoders_write_the_same() {
        assert_eq!(encode_runtime(PARTS.concat().as_bytes()), BYTES);
    }

    #[test]
    fn c3_what_is_written_is_read_back_with_padding() {
        assert_eq!(decode(&BYTES).unwrap(), b"{\"a\":1}");
        let mut padded = BYTES.to_vec();
        padded.extend([0; 9]);
        assert_eq!(decode(&padded).unwrap(), b"{\"a\":1}");
    }

    #[test]
    fn c3_a_section_changed_anywhere_or_cut_is_refused() {
        for bit in 0..BYTES.len() * 8 {
            let mut bad = BYTES;
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&bad).is_err(), "bit {bit}");
        }
        for len in 0..BYTES.len() {
            assert!(decode(&BYTES[..len]).is_err(), "cut at {len}");
        }
    }
}
