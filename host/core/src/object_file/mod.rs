//! Decides, from bytes alone, whether a file may be handed to the dynamic loader.
//!
//! A damaged library does not make the loader fail, it makes it end the process: a table that points past the end of
//! the file is a bus error, a relocation that points elsewhere is a jump into nowhere. So nothing reaches the loader
//! but what passed [`ObjectFile::check`]. Nothing of the file is executed, allocated by its own word, or trusted.
//!
//! # What is checked
//!
//! An ELF file says most things twice: in the program headers, in the section headers, in the dynamic table. The
//! linkers fill all three from one layout, and the check demands that they agree, that every number is one that a
//! linker writes (rust-lld, GNU ld, gold and mold were tried), and that everything the loader walks (dynamic table,
//! symbols, hash tables, versions, relocations, constructor arrays) stays inside what it describes. The rules are
//! in `elf.rs` and below, one table a file.
//!
//! # What a changed header can still hide in an ELF file
//!
//! These fields have no second copy in the file, differ between linkers, and have no effect on loading. The tests
//! change every bit of every header, hold the accepted ones against this list, and load each of them:
//!
//! - `sh_size` of a section that is followed by padding: longer by less than the padding, or shorter while the bytes
//!   given up are zero and fewer than the next section's alignment;
//! - `sh_addralign` of code and data sections: another power of two that also explains the section's place;
//! - `sh_entsize` of `.init_array` and `.fini_array` (0 or 8), of mergeable strings (0 or 1), and where there is neither
//!   `.got.plt` nor anything else to tell the linker, of `.got` and `.plt*`;
//! - `sh_flags`: the retain bit of constructor arrays and of sections with a name of their own, the merge and strings
//!   bits of debug information, and in files of gold, which mixes code and constants in one segment, the execute bit
//!   of a section with a name of its own (the contract's is looked at when it is read);
//! - in files of mold and of unknown linkers the `p_align` of `PT_GNU_STACK` (0 or 1), the entry sizes named above
//!   and the info bit of `.rela.plt`; in files of GNU ld and gold the byte of `e_ident` that tells System V from GNU.
//!
//! Of the 22,000 bits in the headers of a stripped plugin linked by rust-lld, 11 can be flipped unseen; GNU ld 11,
//! gold 13, mold 21.
//!
//! Code and data themselves are not headers: a changed instruction in a constructor is found by the digest, not here.
//! The same holds for a relocation that was changed to another place or another symbol that could stand there as well:
//! loading survives it, what the plugin then does with the wrong address is not for a loader's check to say.
//!
//! # PE and Mach-O
//!
//! Structure only: every header, section, directory and load command lies inside the file, sizes and alignments are
//! sane, imports, exports and relocations are walked. It was tried on hand-made files and on DLLs of mingw-w64, not on
//! Windows or macOS; those loaders check more themselves and return an error where glibc ends the process.

mod elf;
mod error;
mod macho;
mod pe;

// They build real libraries and hand them to glibc.
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

pub use error::ObjectError;

/// The container format of a shared library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Linux and other Unixes.
    Elf,
    /// Windows.
    Pe,
    /// macOS.
    MachO,
}

impl Format {
    /// `elf`, `pe` or `macho`: the same word as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Elf => "elf",
            Self::Pe => "pe",
            Self::MachO => "macho",
        }
    }

    /// The format that the loader of the running system takes.
    pub const fn of_this_machine() -> Self {
        if cfg!(windows) {
            Self::Pe
        } else if cfg!(target_vendor = "apple") {
            Self::MachO
        } else {
            Self::Elf
        }
    }
}

/// What one section is called in each format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionName {
    /// In ELF, of any length.
    pub elf: &'static str,
    /// In PE, at most eight bytes.
    pub pe: &'static str,
    /// In Mach-O: segment and section, at most sixteen bytes each.
    pub macho: (&'static str, &'static str),
}

/// A shared library whose bytes passed the check for its format.
///
/// Having one means that the loader can walk it without leaving it; it does not mean that it is for this machine
/// ([`ObjectFile::require_this_machine`]) nor that it is a plugin.
#[derive(Clone, Debug)]
pub struct ObjectFile<'a> {
    parsed: Parsed<'a>,
}

#[derive(Clone, Debug)]
enum Parsed<'a> {
    Elf(elf::Library<'a>),
    Pe(pe::Library<'a>),
    MachO(macho::Library<'a>),
}

impl<'a> ObjectFile<'a> {
    /// Checks the bytes of a whole file. They should begin at an address that is a multiple of eight, as those of a
    /// `Vec` or a mapping do; a PE or Mach-O file elsewhere is refused.
    ///
    /// Costs well under a millisecond for a plugin of some megabytes: only headers and loader tables are read, each
    /// once, and memory is taken by the number of entries that are really there.
    ///
    /// # Errors
    /// The first thing found wrong, see [`ObjectError`].
    pub fn check(bytes: &'a [u8]) -> Result<ObjectFile<'a>, ObjectError> {
        let parsed = match bytes {
            [] => return Err(ObjectError::not_a_library("empty")),
            [0x7f, b'E', b'L', b'F', ..] => Parsed::Elf(elf::Library::check(bytes)?),
            [b'M', b'Z', ..] => Parsed::Pe(pe::Library::check(bytes)?),
            [0xcf, 0xfa, 0xed, 0xfe, ..] => Parsed::MachO(macho::Library::check(bytes)?),
            _ => return Err(ObjectError::not_a_library(look_closer(bytes))),
        };
        Ok(Self { parsed })
    }

    /// The container format.
    pub fn format(&self) -> Format {
        match self.parsed {
            Parsed::Elf(_) => Format::Elf,
            Parsed::Pe(_) => Format::Pe,
            Parsed::MachO(_) => Format::MachO,
        }
    }

    /// The processor it is built for, in the words of [`std::env::consts::ARCH`].
    pub fn architecture(&self) -> &'static str {
        match &self.parsed {
            Parsed::Elf(library) => library.architecture(),
            Parsed::Pe(library) => library.architecture(),
            Parsed::MachO(library) => library.architecture(),
        }
    }

    /// Format and processor are those of the running host.
    ///
    /// # Errors
    /// [`ObjectError::WrongTarget`], naming both.
    pub fn require_this_machine(&self) -> Result<(), ObjectError> {
        let (format, arch) = (Format::of_this_machine(), std::env::consts::ARCH);
        if self.format() == format && self.architecture() == arch {
            return Ok(());
        }
        Err(ObjectError::WrongTarget {
            found: format!("{} {}", self.format().as_str(), self.architecture()),
            needed: format!("{} {arch}", format.as_str()),
        })
    }

    /// The contents of the section with that name.
    ///
    /// # Errors
    /// [`ObjectError::Section`] when it is missing, there more than once, compressed, writable or executable, not
    /// part of the loaded image, or empty.
    pub fn section(&self, name: &SectionName) -> Result<&'a [u8], ObjectError> {
        match &self.parsed {
            Parsed::Elf(library) => library.section(name.elf),
            Parsed::Pe(library) => library.section(name.pe),
            Parsed::MachO(library) => library.section(name.macho),
        }
    }

    /// The names that other libraries can bind to, sorted, each once. Names that are not UTF-8 are shown lossily.
    ///
    /// # Errors
    /// [`ObjectError::Table`] when the table of exports cannot be walked.
    pub fn exports(&self) -> Result<Vec<String>, ObjectError> {
        let mut names = match &self.parsed {
            Parsed::Elf(library) => library.exports()?,
            Parsed::Pe(library) => library.exports()?,
            Parsed::MachO(library) => library.exports()?,
        };
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }
}

/// Names what people put in place of a library by mistake.
fn look_closer(bytes: &[u8]) -> String {
    match bytes {
        [0xca, 0xfe, 0xba, 0xbe | 0xbf, ..] | [0xbe | 0xbf, 0xba, 0xfe, 0xca, ..] => {
            "a fat Mach-O file with several architectures (take one out with `lipo -thin`)".into()
        }
        [0xce, 0xfa, 0xed, 0xfe, ..] | [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..] => {
            "a Mach-O file that is 32-bit or big-endian".into()
        }
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => "a static library (an archive)".into(),
        [b'#', b'!', ..] => "a script".into(),
        [0, b'a', b's', b'm', ..] => "a WebAssembly module".into(),
        _ if bytes.iter().all(|&byte| byte == 0) => "made of zero bytes only".into(),
        _ => {
            let magic: Vec<String> = bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            format!("unknown (it begins with {})", magic.join(" "))
        }
    }
}
