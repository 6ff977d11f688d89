//! Reading an object: which sections are loaded, where its symbols are, which relocations it has.

use crate::ObjectLinkError;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, Rela, SectionHeader, Sym};
use object::{LittleEndian, SectionIndex};

/// The permitted uses of a loaded section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Execute,
    Read,
    Write,
}

/// A section that occupies memory.
#[derive(Debug)]
pub(crate) struct Section<'data> {
    /// Index in the object.
    pub index: usize,
    pub access: Access,
    pub align: usize,
    pub size: usize,
    /// Empty for zero-filled sections.
    pub data: &'data [u8],
}

/// Where a symbol is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SymbolPlace {
    /// At this offset of a section.
    Section { index: usize, offset: u64 },
    /// A number.
    Absolute(u64),
    /// The symbol is defined elsewhere, by the caller.
    Undefined { weak: bool },
}

/// One symbol.
#[derive(Debug)]
pub(crate) struct Symbol {
    pub name: String,
    pub place: SymbolPlace,
    pub exported: bool,
}

/// One relocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    /// Section patched.
    pub section: usize,
    pub offset: u64,
    pub kind: u32,
    pub symbol: usize,
    pub addend: i64,
}

/// An object, read and checked.
#[derive(Debug)]
pub(crate) struct Object<'data> {
    pub sections: Vec<Section<'data>>,
    pub symbols: Vec<Symbol>,
    pub relocations: Vec<Relocation>,
}

/// A section or symbol no honest unit has: stop before allocating absurd amounts.
const SECTION_BYTES_MAX: u64 = 256 << 20;

/// Sections of code, or of addresses of code, that a loader runs.
const CONSTRUCTORS: [&[u8]; 6] = [b".init", b".fini", b".ctors", b".dtors", b".init_array", b".fini_array"];

/// Tables of relocations that x86-64 does not use: to pass over them would leave fields as they are.
const OTHER_RELOCATIONS: [elf::SectionType; 3] = [elf::SHT_REL, elf::SHT_RELR, elf::SHT_CREL];

/// Whether a section is called that, or that and a dot and more.
fn has_prefix(name: &[u8], prefix: &[u8]) -> bool {
    name.strip_prefix(prefix).is_some_and(|it| it.is_empty() || it[0] == b'.')
}

/// Returns the strings of an object that are not loaded but stay in it, section by section: debug information, and
/// names of symbols.
pub(crate) fn unloaded_strings(bytes: &[u8]) -> Result<Vec<&[u8]>, ObjectLinkError> {
    let header = FileHeader64::<LittleEndian>::parse(bytes).map_err(malformed)?;
    let endian = header.endian().map_err(malformed)?;
    let table = header.sections(endian, bytes).map_err(malformed)?;
    let mut all = Vec::new();
    for section in table.iter() {
        let (flags, kind) = (section.sh_flags(endian).0, section.sh_type(endian));
        let is_strings = kind == elf::SHT_STRTAB || flags & elf::SHF_STRINGS.0 != 0;
        if is_strings && flags & elf::SHF_ALLOC.0 == 0 {
            all.push(section.data(endian, bytes).map_err(malformed)?);
        }
    }
    Ok(all)
}

fn malformed(what: impl std::fmt::Display) -> ObjectLinkError {
    ObjectLinkError::Malformed(what.to_string())
}

impl<'data> Object<'data> {
    pub(crate) fn read(bytes: &'data [u8]) -> Result<Self, ObjectLinkError> {
        let header = FileHeader64::<LittleEndian>::parse(bytes).map_err(malformed)?;
        let endian = header.endian().map_err(malformed)?;
        if header.e_type(endian) != elf::ET_REL || header.e_machine(endian) != elf::EM_X86_64 {
            return Err(malformed("not an x86-64 relocatable object"));
        }
        let table = header.sections(endian, bytes).map_err(malformed)?;
        let mut object = Object { sections: Vec::new(), symbols: Vec::new(), relocations: Vec::new() };
        for (index, section) in table.iter().enumerate() {
            let name = table.section_name(endian, section).unwrap_or_default();
            object.read_section(bytes, endian, (index, name), section)?;
        }
        let symbols = table.symbols(endian, bytes, elf::SHT_SYMTAB).map_err(malformed)?;
        for (index, symbol) in symbols.iter().enumerate() {
            let name = symbols.symbol_name(endian, symbol).unwrap_or_default();
            let section =
                symbols.symbol_section(endian, symbol, object::SymbolIndex(index)).map_err(malformed)?;
            object.symbols.push(read_symbol(endian, symbol, name, section)?);
        }
        for section in table.iter() {
            let target = section.sh_info(endian) as usize;
            if !object.sections.iter().any(|it| it.index == target) {
                continue; // debug information and notes are not loaded
            }
            if OTHER_RELOCATIONS.contains(&section.sh_type(endian)) {
                return Err(ObjectLinkError::Unsupported("relocations without addends".into()));
            }
            let Some((entries, _)) = section.rela(endian, bytes).map_err(malformed)? else { continue };
            for entry in entries {
                object.relocations.push(Relocation {
                    section: target,
                    offset: entry.r_offset(endian),
                    kind: entry.r_type(endian, false).0,
                    symbol: entry.symbol(endian, false).map_or(0, |it| it.0),
                    addend: entry.r_addend(endian),
                });
            }
        }
        Ok(object)
    }

    fn read_section(
        &mut self,
        bytes: &'data [u8],
        endian: LittleEndian,
        (index, name): (usize, &[u8]),
        section: &elf::SectionHeader64<LittleEndian>,
    ) -> Result<(), ObjectLinkError> {
        let flags = section.sh_flags(endian).0;
        let size = section.sh_size(endian);
        let kind = section.sh_type(endian);
        let allocated = flags & elf::SHF_ALLOC.0 != 0;
        if !allocated || size == 0 || kind == elf::SHT_X86_64_UNWIND || kind == elf::SHT_NOTE {
            return Ok(());
        }
        if flags & elf::SHF_TLS.0 != 0 {
            return Err(ObjectLinkError::Unsupported("thread-local storage".into()));
        }
        let arrays = [elf::SHT_INIT_ARRAY, elf::SHT_FINI_ARRAY, elf::SHT_PREINIT_ARRAY];
        if arrays.contains(&kind) || CONSTRUCTORS.iter().any(|it| has_prefix(name, it)) {
            return Err(ObjectLinkError::Unsupported("constructors".into()));
        }
        let align = section.sh_addralign(endian).max(1);
        if size > SECTION_BYTES_MAX || !align.is_power_of_two() || align > 4096 {
            return Err(malformed(format!("section {index} of {size} bytes aligned to {align}")));
        }
        let data =
            if kind == elf::SHT_NOBITS { &[][..] } else { section.data(endian, bytes).map_err(malformed)? };
        let access = if flags & elf::SHF_EXECINSTR.0 != 0 {
            Access::Execute
        } else if flags & elf::SHF_WRITE.0 != 0 {
            Access::Write
        } else {
            Access::Read
        };
        self.sections.push(Section { index, access, align: align as usize, size: size as usize, data });
        Ok(())
    }
}

fn read_symbol(
    endian: LittleEndian,
    symbol: &elf::Sym64<LittleEndian>,
    name: &[u8],
    section: Option<SectionIndex>,
) -> Result<Symbol, ObjectLinkError> {
    let value = symbol.st_value(endian);
    match symbol.st_type() {
        elf::STT_TLS => return Err(ObjectLinkError::Unsupported("thread-local storage".into())),
        elf::STT_GNU_IFUNC => {
            return Err(ObjectLinkError::Unsupported("functions that are chosen when loaded".into()));
        }
        _ => {} // data and code
    }
    let weak = symbol.st_bind() == elf::STB_WEAK;
    let place = match section {
        Some(index) => SymbolPlace::Section { index: index.0, offset: value },
        None if symbol.st_shndx(endian) == elf::SHN_ABS => SymbolPlace::Absolute(value),
        None if symbol.st_shndx(endian) == elf::SHN_COMMON => {
            return Err(ObjectLinkError::Unsupported("common symbols".into()));
        }
        None => SymbolPlace::Undefined { weak },
    };
    let exported = symbol.st_bind() != elf::STB_LOCAL && section.is_some();
    Ok(Symbol { name: String::from_utf8_lossy(name).into_owned(), place, exported })
}
