//! Reads an object: its loaded sections and line tables, symbols, and relocations. Every index and length is checked.

use crate::ObjectLinkError;
use object::LittleEndian;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, Rela, SectionHeader, Sym};

/// A section that is loaded, or holds line tables.
#[derive(Debug)]
pub(super) struct Section<'data> {
    /// Index in the object.
    pub(super) index: usize,
    pub(super) name: &'data [u8],
    pub(super) kind: u32,
    pub(super) flags: u64,
    pub(super) align: u64,
    pub(super) data: &'data [u8],
}

/// Where a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SymbolLocation {
    /// In the section of this index.
    Section(usize),
    /// The symbol is a number.
    Absolute,
    /// In no section of the object.
    Undefined,
}

/// A symbol.
#[derive(Debug)]
pub(super) struct Symbol<'data> {
    pub(super) name: &'data [u8],
    /// Kind and binding, as the file has them.
    pub(super) info: u8,
    pub(super) visibility: u8,
    pub(super) place: SymbolLocation,
    pub(super) value: u64,
    pub(super) size: u64,
}

/// A relocation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relocation {
    /// Index of the section that it changes.
    pub(super) section: usize,
    pub(super) offset: u64,
    pub(super) kind: u32,
    /// Index of the symbol.
    pub(super) symbol: usize,
    pub(super) addend: i64,
}

/// An object.
#[derive(Debug)]
pub(super) struct Object<'data> {
    /// The ABI and its version.
    pub(super) abi: [u8; 2],
    /// The GPU.
    pub(super) flags: u32,
    pub(super) sections: Vec<Section<'data>>,
    /// By index, the null symbol first.
    pub(super) symbols: Vec<Symbol<'data>>,
    pub(super) relocations: Vec<Relocation>,
}

impl Section<'_> {
    /// Whether loaders map it.
    pub(super) fn is_mapped(&self) -> bool {
        self.flags & elf::SHF_ALLOC.0 != 0
    }
}

impl Symbol<'_> {
    pub(super) fn binding(&self) -> u8 {
        self.info >> 4
    }

    pub(super) fn kind(&self) -> u8 {
        self.info & 0xf
    }

    /// Whether loaders can find it.
    pub(super) fn is_exported(&self) -> bool {
        let is_visible = [elf::STV_DEFAULT.0, elf::STV_PROTECTED.0].contains(&self.visibility);
        self.binding() != elf::STB_LOCAL.0 && is_visible && self.place != SymbolLocation::Undefined
    }
}

/// The maximum alignment of sections: no loader provides more.
pub(super) const PAGE: u64 = 4096;
/// No kernel is larger.
const SECTION_BYTES_MAX: usize = 256 << 20;
/// The maximum number of sections: the header of a file counts in 16 bits.
const SECTIONS_MAX: usize = 1000;

fn malformed(what: impl std::fmt::Display) -> ObjectLinkError {
    ObjectLinkError::Malformed(what.to_string())
}

fn unsupported(what: &str, name: &[u8]) -> ObjectLinkError {
    ObjectLinkError::Unsupported(format!("{what} `{}`", String::from_utf8_lossy(name)))
}

impl<'data> Object<'data> {
    pub(super) fn read(bytes: &'data [u8]) -> Result<Self, ObjectLinkError> {
        let header = FileHeader64::<LittleEndian>::parse(bytes).map_err(malformed)?;
        let endian = header.endian().map_err(malformed)?;
        if header.e_type(endian) != elf::ET_REL || header.e_machine(endian) != elf::EM_AMDGPU {
            return Err(malformed("not an object for an AMD GPU"));
        }
        let table = header.sections(endian, bytes).map_err(malformed)?;
        if table.len() > SECTIONS_MAX {
            return Err(malformed(format!("{} sections", table.len())));
        }
        let abi = [header.e_ident.os_abi.0, header.e_ident.abi_version];
        let flags = header.e_flags(endian).0;
        let mut object =
            Object { abi, flags, sections: Vec::new(), symbols: Vec::new(), relocations: Vec::new() };
        for (index, section) in table.iter().enumerate() {
            let name = table.section_name(endian, section).map_err(malformed)?;
            object.sections.extend(read_section(bytes, endian, (index, name), section)?);
        }
        let symbols = table.symbols(endian, bytes, elf::SHT_SYMTAB).map_err(malformed)?;
        for (index, symbol) in symbols.iter().enumerate() {
            let name = symbols.symbol_name(endian, symbol).map_err(malformed)?;
            let section = symbols.symbol_section(endian, symbol, object::SymbolIndex(index));
            let place = match section.map_err(malformed)? {
                Some(section) => SymbolLocation::Section(section.0),
                None if symbol.st_shndx(endian) == elf::SHN_ABS => SymbolLocation::Absolute,
                None if symbol.st_shndx(endian) == elf::SHN_UNDEF => SymbolLocation::Undefined,
                None => return Err(unsupported("the storage of", name)),
            };
            object.symbols.push(Symbol {
                name,
                info: symbol.st_info().0,
                visibility: symbol.st_visibility().0,
                place,
                value: symbol.st_value(endian),
                size: symbol.st_size(endian),
            });
        }
        for section in table.iter() {
            object.read_relocations(bytes, endian, section)?;
        }
        Ok(object)
    }

    fn read_relocations(
        &mut self,
        bytes: &'data [u8],
        endian: LittleEndian,
        section: &elf::SectionHeader64<LittleEndian>,
    ) -> Result<(), ObjectLinkError> {
        let changed = section.sh_info(endian) as usize;
        if [elf::SHT_REL, elf::SHT_RELR, elf::SHT_CREL].contains(&section.sh_type(endian)) {
            return Err(ObjectLinkError::Unsupported("relocations without addends".into()));
        }
        let Some((entries, _)) = section.rela(endian, bytes).map_err(malformed)? else { return Ok(()) };
        self.relocations.extend(entries.iter().map(|it| Relocation {
            section: changed,
            offset: it.r_offset(endian),
            kind: it.r_type(endian, false).0,
            symbol: it.symbol(endian, false).map_or(0, |it| it.0),
            addend: it.r_addend(endian),
        }));
        Ok(())
    }
}

/// A section, if it has content.
fn read_section<'data>(
    bytes: &'data [u8],
    endian: LittleEndian,
    (index, name): (usize, &'data [u8]),
    section: &elf::SectionHeader64<LittleEndian>,
) -> Result<Option<Section<'data>>, ObjectLinkError> {
    let (flags, kind) = (section.sh_flags(endian).0, section.sh_type(endian));
    let is_content = [elf::SHT_PROGBITS, elf::SHT_NOTE, elf::SHT_NOBITS].contains(&kind);
    if flags & elf::SHF_ALLOC.0 == 0 && (!is_content || section.sh_size(endian) == 0) {
        return Ok(None);
    }
    let is_written = flags & (elf::SHF_WRITE.0 | elf::SHF_TLS.0) != 0;
    if !is_content || is_written || kind == elf::SHT_NOBITS {
        return Err(unsupported("the section", name));
    }
    let (align, data) =
        (section.sh_addralign(endian).max(1), section.data(endian, bytes).map_err(malformed)?);
    if data.len() > SECTION_BYTES_MAX || !align.is_power_of_two() || align > PAGE {
        return Err(malformed(format!("section {index} of {} bytes aligned to {align}", data.len())));
    }
    // What it is made of does not matter any more once it is whole.
    let flags = flags & (elf::SHF_ALLOC.0 | elf::SHF_EXECINSTR.0);
    Ok(Some(Section { index, name, kind: kind.0, flags, align, data }))
}
