//! Objects and archives for the system's linker, of code that was compiled ahead of time.
//!
//! An object from the code generator has one global symbol, its entry. [`library_object`] makes the entry local and adds a
//! constant that names it, the descriptor (`kiln_unit::KernelDescriptor`): the only symbol that programs see. So libraries do
//! not clash, whatever is in them.

use crate::ObjectLinkError;
use kiln_unit::{DESCRIPTOR_DESCRIPTION, DESCRIPTOR_ENTRY, DescriptorFacts};
use object::build::elf::{Builder, Relocation, SectionData, SectionId, SymbolId};
use object::elf;

/// A kernel or a function of a library.
#[derive(Clone, Copy, Debug)]
pub struct LibraryEntry<'a> {
    /// The symbol of its descriptor.
    pub symbol: &'a str,
    /// The object that the code generator made.
    pub object: &'a [u8],
    /// The symbol of the entry in it.
    pub entry: &'a str,
    /// The numbers of the descriptor.
    pub facts: DescriptorFacts,
    /// The bytes of the description.
    pub description: &'a [u8],
}

/// Returns the object with a descriptor, whose symbol alone is global, of those that are defined.
///
/// # Errors
/// When the object is malformed, or does not define its entry.
pub fn library_object(entry: &LibraryEntry<'_>) -> Result<Vec<u8>, ObjectLinkError> {
    let malformed = |it: object::build::Error| ObjectLinkError::Malformed(it.to_string());
    let mut builder = Builder::read64(entry.object).map_err(malformed)?;
    if (builder.header.e_type, builder.header.e_machine) != (elf::ET_REL, elf::EM_X86_64) {
        return Err(ObjectLinkError::Malformed("not an x86-64 relocatable object".into()));
    }
    name_sections_apart(&mut builder);
    let found = hide_symbols(&mut builder, entry);
    let code = found.ok_or_else(|| ObjectLinkError::Undefined(entry.entry.to_owned()))?;
    let text = add_section(&mut builder, ".rodata.kiln", elf::SHF_ALLOC, 1, entry.description.to_vec());
    let facts = entry.facts.to_bytes(entry.description.len() as u64).to_vec();
    let data = add_section(&mut builder, ".data.rel.ro.kiln", elf::SHF_ALLOC | elf::SHF_WRITE, 8, facts);
    let description = builder.symbols.add();
    description.section = Some(text);
    description.set_st_info(elf::STB_LOCAL, elf::STT_SECTION);
    let description = description.id();
    add_addresses(&mut builder, data, &[(DESCRIPTOR_ENTRY, code), (DESCRIPTOR_DESCRIPTION, description)])?;
    let descriptor = builder.symbols.add();
    descriptor.name = entry.symbol.as_bytes().into();
    descriptor.section = Some(data);
    descriptor.st_size = kiln_unit::DESCRIPTOR_BYTES as u64;
    descriptor.set_st_info(elf::STB_GLOBAL, elf::STT_OBJECT);
    let mut out = Vec::new();
    builder.write(&mut out).map_err(malformed)?;
    Ok(out)
}

/// Adds a table for the names of sections, where an object has one table for these and for symbols, as LLVM makes it.
fn name_sections_apart(builder: &mut Builder<'_>) {
    if builder.sections.iter().any(|it| matches!(it.data, SectionData::SectionString)) {
        return;
    }
    let table = builder.sections.add();
    table.name = ".shstrtab".into();
    table.sh_type = elf::SHT_STRTAB;
    table.sh_addralign = 1;
    table.data = SectionData::SectionString;
}

/// Makes all defined symbols local; returns that of the entry. It has another name then: the descriptor takes the name.
fn hide_symbols<'a>(builder: &mut Builder<'a>, entry: &LibraryEntry<'a>) -> Option<SymbolId> {
    let mut found = None;
    for symbol in &mut builder.symbols {
        if symbol.section.is_none() || symbol.st_bind() == elf::STB_LOCAL {
            continue;
        }
        if symbol.name.as_slice() == entry.entry.as_bytes() {
            found = Some(symbol.id());
            symbol.name = format!("{}.entry", entry.symbol).into_bytes().into();
        }
        let kind = symbol.st_type();
        symbol.set_st_info(elf::STB_LOCAL, kind);
        symbol.st_other = elf::SymbolOther(0);
    }
    found
}

fn add_section<'a>(
    builder: &mut Builder<'a>,
    name: &'a str,
    flags: elf::SectionFlags,
    align: u64,
    bytes: Vec<u8>,
) -> SectionId {
    let section = builder.sections.add();
    section.name = name.into();
    section.sh_type = elf::SHT_PROGBITS;
    section.sh_flags = flags;
    section.sh_addralign = align;
    section.data = SectionData::Data(bytes.into());
    section.id()
}

/// Adds relocations of addresses in a section.
fn add_addresses(
    builder: &mut Builder<'_>,
    section: SectionId,
    addresses: &[(usize, SymbolId)],
) -> Result<(), ObjectLinkError> {
    let table = builder.sections.iter().find(|it| matches!(it.data, SectionData::Symbol)).map(|it| it.id());
    let table = table.ok_or_else(|| ObjectLinkError::Malformed("an object without symbols".into()))?;
    let relocation = |(offset, symbol): &(usize, SymbolId)| Relocation {
        r_offset: *offset as u64,
        symbol: Some(*symbol),
        r_type: elf::R_X86_64_64,
        r_addend: 0,
    };
    let relocations = builder.sections.add();
    relocations.name = ".rela.data.rel.ro.kiln".into();
    relocations.sh_type = elf::SHT_RELA;
    relocations.sh_flags = elf::SHF_INFO_LINK;
    relocations.sh_link_section = Some(table);
    relocations.sh_info_section = Some(section);
    relocations.sh_addralign = 8;
    relocations.sh_entsize = size_of::<elf::Rela64<object::LittleEndian>>() as u64;
    relocations.data = SectionData::Relocation(addresses.iter().map(relocation).collect());
    Ok(())
}

/// Bytes of the header of a member of an archive.
const HEADER_BYTES: usize = 60;

/// Returns an archive of objects, with the index that linkers want: each member has a name, its bytes, and the symbols that
/// it defines. Equal members make equal archives: there are no dates and no owners.
pub fn archive(members: &[(String, Vec<u8>, Vec<String>)]) -> Vec<u8> {
    let names: Vec<u8> = members.iter().flat_map(|it| format!("{}/\n", it.0).into_bytes()).collect();
    let symbols: Vec<&String> = members.iter().flat_map(|it| &it.2).collect();
    let index_bytes = 4 + 4 * symbols.len() + symbols.iter().map(|it| it.len() + 1).sum::<usize>();
    let mut offset = 8 + HEADER_BYTES + even(index_bytes) + HEADER_BYTES + even(names.len());
    let mut index = (symbols.len() as u32).to_be_bytes().to_vec();
    for (_, bytes, symbols) in members {
        symbols.iter().for_each(|_| index.extend((offset as u32).to_be_bytes()));
        offset += HEADER_BYTES + even(bytes.len());
    }
    symbols.iter().for_each(|it| index.extend(it.bytes().chain([0])));
    let mut out = b"!<arch>\n".to_vec();
    add_member(&mut out, "/", &index);
    add_member(&mut out, "//", &names);
    let mut at = 0;
    for (name, bytes, _) in members {
        add_member(&mut out, &format!("/{at}"), bytes);
        at += name.len() + 2;
    }
    out
}

/// Members begin at even offsets.
fn even(bytes: usize) -> usize {
    bytes.next_multiple_of(2)
}

fn add_member(out: &mut Vec<u8>, name: &str, bytes: &[u8]) {
    let mode = if ["/", "//"].contains(&name) { 0 } else { 644 };
    out.extend(format!("{name:<16}{:<12}{:<6}{:<6}{mode:<8}{:<10}`\n", 0, 0, 0, bytes.len()).bytes());
    out.extend_from_slice(bytes);
    out.resize(even(out.len()), b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::read::archive::ArchiveFile;
    use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};

    /// An object with one function `entry` that calls `memset`.
    fn compiled() -> Vec<u8> {
        use object::write::{Object, Relocation, StandardSection, Symbol, SymbolSection};
        let mut object =
            Object::new(object::BinaryFormat::Elf, object::Architecture::X86_64, object::Endianness::Little);
        let text = object.section_id(StandardSection::Text);
        object.append_section_data(text, &[0xe8, 0, 0, 0, 0, 0xc3], 16);
        let symbol = |name: &str, section, size| Symbol {
            name: name.into(),
            value: 0,
            size,
            kind: object::SymbolKind::Text,
            scope: object::SymbolScope::Dynamic,
            weak: false,
            section,
            flags: object::SymbolFlags::None,
        };
        object.add_symbol(symbol("entry", SymbolSection::Section(text), 6));
        let callee = object.add_symbol(symbol("memset", SymbolSection::Undefined, 0));
        let flags = object::RelocationFlags::Elf { r_type: elf::R_X86_64_PLT32 };
        object
            .add_relocation(text, Relocation { offset: 1, symbol: callee, addend: -4, flags })
            .expect("a place");
        object.write().expect("an object")
    }

    fn example(object: &[u8]) -> Result<Vec<u8>, ObjectLinkError> {
        let facts = DescriptorFacts { kind: 1, args_bytes: 24, ..DescriptorFacts::default() };
        library_object(&LibraryEntry { symbol: "saxpy", object, entry: "entry", facts, description: b"text" })
    }

    /// The descriptor is the one global definition, and names code and description.
    #[test]
    fn the_descriptor_is_what_programs_see() {
        let made = example(&compiled()).expect("an object");
        let file = object::File::parse(&*made).expect("an object");
        let global = |it: &object::Symbol<'_, '_>| it.is_definition() && it.is_global();
        let globals: Vec<_> =
            file.symbols().filter(global).map(|it| it.name().expect("a name").to_owned()).collect();
        assert_eq!(globals, ["saxpy"]);
        assert!(file.symbols().any(|it| it.is_undefined() && it.name() == Ok("memset")));
        let data = file.section_by_name(".data.rel.ro.kiln").expect("the descriptor");
        assert_eq!(data.data().expect("bytes").len(), kiln_unit::DESCRIPTOR_BYTES);
        let places: Vec<u64> = data.relocations().map(|it| it.0).collect();
        assert_eq!(places, [DESCRIPTOR_ENTRY as u64, DESCRIPTOR_DESCRIPTION as u64]);
        let (_, first) = data.relocations().next().expect("the entry");
        let RelocationTarget::Symbol(code) = first.target() else { panic!("a symbol") };
        assert_eq!(file.symbol_by_index(code).expect("a symbol").name(), Ok("saxpy.entry"));
        assert_eq!(example(&compiled()), Ok(made), "equal inputs make equal objects");
    }

    /// Damaged objects are refused, or make some object: none of them panics.
    #[test]
    fn damaged_objects_are_refused() {
        let whole = compiled();
        for len in 0..whole.len() {
            drop(example(&whole[..len]));
        }
        for at in 0..whole.len() {
            for flip in [0xff, 1, 0x80] {
                let mut damaged = whole.clone();
                damaged[at] ^= flip;
                drop(example(&damaged));
            }
        }
    }

    /// A linker finds members by their symbols.
    #[test]
    fn an_archive_has_an_index() {
        let members = ["a_rather_long_name.o", "b.o"]
            .map(|it| (it.to_owned(), vec![7u8; it.len()], vec![format!("of_{it}")]));
        let bytes = archive(&members);
        let file = ArchiveFile::parse(&*bytes).expect("an archive");
        let names: Vec<String> = file
            .members()
            .map(|it| String::from_utf8_lossy(it.expect("a member").name()).into_owned())
            .collect();
        assert_eq!(names, ["a_rather_long_name.o", "b.o"]);
        let symbols = file.symbols().expect("an index").expect("an index");
        for (symbol, (name, data, defined)) in symbols.zip(&members) {
            let symbol = symbol.expect("a symbol");
            assert_eq!(symbol.name(), defined[0].as_bytes());
            let member = file.member(symbol.offset()).expect("a member");
            assert_eq!((member.name(), member.data(&*bytes).expect("bytes")), (name.as_bytes(), &data[..]));
        }
    }
}
