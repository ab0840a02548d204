//! Library files made wrong in one place, with everything else as it was.

use serde_json::Value;
use stud_contract::section;

/// The first bytes of a contract's section, up to the length.
const MAGIC: &[u8] = b"STUDCT\x01\n";
const HEADER: usize = 16;

/// Rewrites the embedded contract of a library in place: length and checksum are right again, the rest of the file stays.
///
/// # Panics
/// The file has no contract, or the new one does not fit where the old one was.
pub fn patch_contract(library: &mut [u8], change: impl FnOnce(&mut Value)) {
    let mut contract = serde_json::from_slice(section::decode(&library[at(library)..]).unwrap()).unwrap();
    change(&mut contract);
    patch_contract_json(library, &contract.to_string());
}

/// The same with any text in place of the contract, shorter ones filled up with blanks.
///
/// # Panics
/// As [`patch_contract`].
pub fn patch_contract_json(library: &mut [u8], json: &str) {
    let at = at(library);
    let room = section::decode(&library[at..]).unwrap().len();
    assert!(json.len() <= room, "the contract has {room} bytes, the new one needs {}", json.len());
    let mut json = json.as_bytes().to_vec();
    json.resize(room, b' ');
    let section = section::encode_runtime(&json);
    library[at..at + HEADER + room].copy_from_slice(&section);
}

/// Where the contract's section begins: code of the kit may hold its magic bytes too, but no contract behind them.
fn at(library: &[u8]) -> usize {
    let places =
        library.windows(MAGIC.len()).enumerate().filter(|(_, bytes)| *bytes == MAGIC).map(|(at, _)| at);
    places.into_iter().find(|at| section::read(&library[*at..]).is_ok()).expect("the library has a contract")
}

/// Gives the contract's section another name of the same length, so that there is none.
///
/// # Panics
/// There is no such name in the file.
pub fn rename_section(library: &mut [u8]) {
    let name = b"\0stud_contract\0";
    let at = library.windows(name.len()).rposition(|bytes| bytes == name).expect("the section has a name");
    library[at + 1..at + name.len() - 1].copy_from_slice(b"stud_contracT");
}
