//! Why a file may not be handed to the loader.

use std::fmt;

/// Why a file was refused before the dynamic loader saw it.
///
/// The text of each case is one sentence that says what is wrong and where in the file; [`ObjectError::remedy`]
/// says what to do about it. The path of the file is not part of it, because the check sees only bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObjectError {
    /// The bytes are something else than a thin shared library of one of the three formats.
    NotALibrary {
        /// What the file appears to be, as a noun phrase: "an empty file", "an ELF program".
        found: String,
    },
    /// Something reaches beyond the end of the file: it was cut, or is still being written.
    Truncated {
        /// The part that is not whole: "the section header table", "section `.text`".
        what: String,
        /// Where that part begins, in bytes from the start of the file.
        offset: u64,
        /// How many bytes it has to have.
        need: u64,
        /// How many bytes the file has.
        len: u64,
    },
    /// A field of a header has a value that no linker writes, or two fields contradict each other.
    Header {
        /// The field, by its name in the format's specification, with the table entry it belongs to.
        field: String,
        /// What is wrong with it.
        message: String,
    },
    /// An entry of a table that the loader reads (dynamic table, symbols, relocations, ...) is wrong.
    Table {
        /// The table, by section name or directory name.
        table: String,
        /// The entry, counted from 0; `None` when it is about the table as a whole.
        entry: Option<u64>,
        /// What is wrong with it.
        message: String,
    },
    /// A sound library for another system or processor.
    WrongTarget {
        /// What the file is built for: "elf aarch64".
        found: String,
        /// What the running host needs: "elf x86_64".
        needed: String,
    },
    /// The section asked for is missing, there twice, compressed or empty.
    Section {
        /// Its name in this format.
        name: String,
        /// What is wrong with it.
        message: String,
    },
}

impl ObjectError {
    /// What the operator or the author can do about it, as one sentence without a full stop.
    pub fn remedy(&self) -> String {
        match self {
            Self::NotALibrary { .. } => {
                "put a shared library there, built with `crate-type = [\"cdylib\"]`, or remove the file"
                    .into()
            }
            Self::Truncated { .. } => {
                "copy the file again and let the copy finish, or build the plugin again".into()
            }
            Self::Header { .. } | Self::Table { .. } => {
                "build the plugin again with the linker of its Rust toolchain and copy it whole, \
                 without a tool that rewrites libraries"
                    .into()
            }
            Self::WrongTarget { needed, .. } => format!("build the plugin for {needed}"),
            Self::Section { name, .. } => format!(
                "build the plugin with stud-plugin-api and its `export_plugin!`, which writes the section `{name}`"
            ),
        }
    }

    pub(super) fn not_a_library(found: impl Into<String>) -> Self {
        Self::NotALibrary { found: found.into() }
    }

    pub(super) fn truncated(what: impl Into<String>, offset: u64, need: u64, bytes: &[u8]) -> Self {
        Self::Truncated { what: what.into(), offset, need, len: bytes.len() as u64 }
    }

    pub(super) fn header(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Header { field: field.into(), message: message.into() }
    }

    pub(super) fn table(table: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Table { table: table.into(), entry: None, message: message.into() }
    }

    pub(super) fn entry(table: impl Into<String>, entry: usize, message: impl Into<String>) -> Self {
        Self::Table { table: table.into(), entry: Some(entry as u64), message: message.into() }
    }

    pub(super) fn section(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Section { name: name.into(), message: message.into() }
    }
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotALibrary { found } => write!(f, "the file is {found}, not a shared library"),
            Self::Truncated { what, offset, need, len } => write!(
                f,
                "the file ends too early: {what} takes {need} bytes from offset {offset}, the file has {len}"
            ),
            Self::Header { field, message } => write!(f, "the header field {field} {message}"),
            Self::Table { table, entry: Some(entry), message } => {
                write!(f, "entry {entry} of {table} {message}")
            }
            Self::Table { table, entry: None, message } => write!(f, "{table} {message}"),
            Self::WrongTarget { found, needed } => {
                write!(f, "the library is built for {found}, this host needs {needed}")
            }
            Self::Section { name, message } => write!(f, "the section `{name}` {message}"),
        }
    }
}

impl std::error::Error for ObjectError {}
