//! The numbers of the ELF specification, taken from `object` as plain integers so that they can be patterns.

use object::elf;

pub(super) const EM_X86_64: u16 = elf::EM_X86_64.0;
pub(super) const EM_AARCH64: u16 = elf::EM_AARCH64.0;

pub(super) const PT_LOAD: u32 = elf::PT_LOAD.0;
pub(super) const PT_DYNAMIC: u32 = elf::PT_DYNAMIC.0;
pub(super) const PT_INTERP: u32 = elf::PT_INTERP.0;
pub(super) const PT_NOTE: u32 = elf::PT_NOTE.0;
pub(super) const PT_PHDR: u32 = elf::PT_PHDR.0;
pub(super) const PT_TLS: u32 = elf::PT_TLS.0;
pub(super) const PT_GNU_EH_FRAME: u32 = elf::PT_GNU_EH_FRAME.0;
pub(super) const PT_GNU_STACK: u32 = elf::PT_GNU_STACK.0;
pub(super) const PT_GNU_RELRO: u32 = elf::PT_GNU_RELRO.0;
pub(super) const PT_GNU_PROPERTY: u32 = elf::PT_GNU_PROPERTY.0;
pub(super) const PT_GNU_SFRAME: u32 = elf::PT_GNU_SFRAME.0;

pub(super) const X: u32 = 1;
pub(super) const W: u32 = 2;
pub(super) const R: u32 = 4;

pub(super) const SHT_PROGBITS: u32 = elf::SHT_PROGBITS.0;
pub(super) const SHT_SYMTAB: u32 = elf::SHT_SYMTAB.0;
pub(super) const SHT_STRTAB: u32 = elf::SHT_STRTAB.0;
pub(super) const SHT_RELA: u32 = elf::SHT_RELA.0;
pub(super) const SHT_HASH: u32 = elf::SHT_HASH.0;
pub(super) const SHT_DYNAMIC: u32 = elf::SHT_DYNAMIC.0;
pub(super) const SHT_NOTE: u32 = elf::SHT_NOTE.0;
pub(super) const SHT_NOBITS: u32 = elf::SHT_NOBITS.0;
pub(super) const SHT_DYNSYM: u32 = elf::SHT_DYNSYM.0;
pub(super) const SHT_INIT_ARRAY: u32 = elf::SHT_INIT_ARRAY.0;
pub(super) const SHT_FINI_ARRAY: u32 = elf::SHT_FINI_ARRAY.0;
pub(super) const SHT_RELR: u32 = elf::SHT_RELR.0;
pub(super) const SHT_GNU_SFRAME: u32 = 0x6fff_fff4;
pub(super) const SHT_GNU_HASH: u32 = elf::SHT_GNU_HASH.0;
pub(super) const SHT_GNU_VERDEF: u32 = elf::SHT_GNU_VERDEF.0;
pub(super) const SHT_GNU_VERNEED: u32 = elf::SHT_GNU_VERNEED.0;
pub(super) const SHT_GNU_VERSYM: u32 = elf::SHT_GNU_VERSYM.0;
pub(super) const SHT_X86_64_UNWIND: u32 = elf::SHT_X86_64_UNWIND.0;

pub(super) const SHF_WRITE: u64 = elf::SHF_WRITE.0;
pub(super) const SHF_ALLOC: u64 = elf::SHF_ALLOC.0;
pub(super) const SHF_EXECINSTR: u64 = elf::SHF_EXECINSTR.0;
pub(super) const SHF_MERGE: u64 = elf::SHF_MERGE.0;
pub(super) const SHF_STRINGS: u64 = elf::SHF_STRINGS.0;
pub(super) const SHF_INFO_LINK: u64 = elf::SHF_INFO_LINK.0;
pub(super) const SHF_TLS: u64 = elf::SHF_TLS.0;
pub(super) const SHF_COMPRESSED: u64 = elf::SHF_COMPRESSED.0;
/// Keeps a section from the linker's garbage collection: no meaning in a finished library.
pub(super) const SHF_GNU_RETAIN: u64 = elf::SHF_GNU_RETAIN.0;
/// x86-64's mark for sections of the large code model.
pub(super) const SHF_LARGE: u64 = 0x1000_0000;

pub(super) const STT_NOTYPE: u8 = elf::STT_NOTYPE.0;
pub(super) const STT_OBJECT: u8 = elf::STT_OBJECT.0;
pub(super) const STT_FUNC: u8 = elf::STT_FUNC.0;
pub(super) const STT_SECTION: u8 = elf::STT_SECTION.0;
pub(super) const STT_FILE: u8 = elf::STT_FILE.0;
pub(super) const STT_TLS: u8 = elf::STT_TLS.0;
pub(super) const STT_GNU_IFUNC: u8 = elf::STT_GNU_IFUNC.0;
pub(super) const STB_LOCAL: u8 = elf::STB_LOCAL.0;
pub(super) const STB_GLOBAL: u8 = elf::STB_GLOBAL.0;
pub(super) const STB_WEAK: u8 = elf::STB_WEAK.0;
pub(super) const STB_GNU_UNIQUE: u8 = elf::STB_GNU_UNIQUE.0;
pub(super) const SHN_ABS: u16 = elf::SHN_ABS.0;
