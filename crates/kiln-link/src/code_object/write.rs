//! Writes a code object: sections in the order in which loaders map them, the tables of exported symbols, headers,
//! and line tables.
//!
//! Three segments are mapped: read-only data (notes, tables, constants), code, and the dynamic table, in a writable
//! page because loaders expect that. A byte of the file is mapped at its offset plus one page per preceding segment,
//! so that no page belongs to two segments.

use super::read::{Object, PAGE, Symbol, SymbolLocation};
use super::{Placed, relocate};
use crate::ObjectLinkError;
use object::elf;

/// Sizes that the format fixes, in bytes.
const IDENTITY: usize = 16;
const HEADER: u64 = 64;
const PROGRAM_HEADER: u64 = 56;
const SECTION_HEADER: u64 = 64;
const SYMBOL: usize = 24;
const DYNAMIC: usize = 16;

/// A section of the file.
#[derive(Default)]
struct Section {
    name: Vec<u8>,
    kind: u32,
    flags: u64,
    address: u64,
    offset: u64,
    /// In memory, if that is more than the file has of it.
    padding: u64,
    link: u32,
    info: u32,
    align: u64,
    entry_bytes: u64,
    data: Vec<u8>,
}

impl Section {
    fn new(name: &str, kind: elf::SectionType, flags: u64, align: u64) -> Self {
        Section { name: name.into(), kind: kind.0, flags, align, ..Section::default() }
    }

    fn size(&self) -> u64 {
        self.data.len() as u64 + self.padding
    }

    fn is_mapped(&self) -> bool {
        self.flags & elf::SHF_ALLOC.0 != 0
    }
}

/// Strings, each ending in NUL, and the empty one.
struct Strings(Vec<u8>);

impl Strings {
    fn new() -> Self {
        Self(vec![0])
    }

    /// Adds a string; where it is.
    fn add(&mut self, text: &[u8]) -> u32 {
        let at = self.0.len() as u32;
        self.0.extend_from_slice(text);
        self.0.push(0);
        at
    }
}

/// The sections, in order, and where some of them are in it.
struct Layout {
    sections: Vec<Section>,
    dynsym: usize,
    dynstr: usize,
    gnu_hash: usize,
    hash: usize,
    dynamic: usize,
    /// The output section of each section of the object.
    taken: Vec<Option<usize>>,
}

/// Links and writes an object.
pub(super) fn write(object: &Object<'_>) -> Result<Vec<u8>, ObjectLinkError> {
    let exported: Vec<&Symbol<'_>> = object.symbols.iter().filter(|it| it.is_exported()).collect();
    let mut layout = sections(object, &exported);
    let headers = HEADER + program_headers(&layout).len() as u64 * PROGRAM_HEADER;
    let end = place(&mut layout, headers);
    let end = add_unmapped(object, &mut layout, end);
    relocate_sections(object, &mut layout)?;
    let names: Vec<u32> = string_places(&exported);
    let table = exported.iter().zip(names).map(|(it, name)| entry(&layout, it, name));
    layout.sections[layout.dynsym].data = null_and(table);
    layout.sections[layout.dynamic].data = dynamic(&layout);
    add_tables(object, &mut layout, end);
    Ok(file(object, &layout))
}

/// Where each name is in the table of exported ones.
fn string_places(exported: &[&Symbol<'_>]) -> Vec<u32> {
    let mut strings = Strings::new();
    exported.iter().map(|it| strings.add(it.name)).collect()
}

/// Lists the mapped sections without their places; symbols and the dynamic table have their sizes.
fn sections(object: &Object<'_>, exported: &[&Symbol<'_>]) -> Layout {
    let alloc = elf::SHF_ALLOC.0;
    let mut all = vec![Section::default()];
    let mut taken = vec![None; object.sections.iter().map(|it| it.index + 1).max().unwrap_or(0)];
    let mut take = |all: &mut Vec<Section>, wanted: &dyn Fn(bool, bool) -> bool| {
        for it in &object.sections {
            let is_code = it.flags & elf::SHF_EXECINSTR.0 != 0;
            if !it.is_mapped() || it.data.is_empty() || !wanted(it.kind == elf::SHT_NOTE.0, is_code) {
                continue;
            }
            taken[it.index] = Some(all.len());
            let (kind, flags, align) = (elf::SectionType(it.kind), it.flags, it.align);
            let (name, data) = (it.name.to_vec(), it.data.to_vec());
            all.push(Section { name, data, ..Section::new("", kind, flags, align) });
        }
    };
    take(&mut all, &|is_note, _| is_note);
    let dynsym = all.len();
    let [gnu_hash, hash, dynstr] = [1, 2, 3].map(|it| dynsym + it);
    let (link, entry_bytes) = (dynstr as u32, SYMBOL as u64);
    let data = vec![0; (1 + exported.len()) * SYMBOL];
    let symbols = Section::new(".dynsym", elf::SHT_DYNSYM, alloc, 8);
    all.push(Section { link, info: 1, entry_bytes, data, ..symbols });
    let link = dynsym as u32;
    let quick = Section::new(".gnu.hash", elf::SHT_GNU_HASH, alloc, 8);
    all.push(Section { link, data: gnu_hash_table(exported), ..quick });
    let plain = Section::new(".hash", elf::SHT_HASH, alloc, 4);
    all.push(Section { link, entry_bytes: 4, data: hash_table(exported), ..plain });
    let mut strings = Strings::new();
    for it in exported {
        strings.add(it.name);
    }
    all.push(Section { data: strings.0, ..Section::new(".dynstr", elf::SHT_STRTAB, alloc, 1) });
    take(&mut all, &|is_note, is_code| !is_note && !is_code);
    take(&mut all, &|is_note, is_code| !is_note && is_code);
    let (dynamic, written) = (all.len(), alloc | elf::SHF_WRITE.0);
    let (link, entry_bytes, data) = (dynstr as u32, DYNAMIC as u64, vec![0; DYNAMIC * DYNAMIC_ENTRIES]);
    let tables = Section::new(".dynamic", elf::SHT_DYNAMIC, written, 8);
    all.push(Section { link, entry_bytes, data, ..tables });
    all.push(Section::new(".relro_padding", elf::SHT_NOBITS, written, 1));
    Layout { sections: all, dynsym, dynstr, gnu_hash, hash, dynamic, taken }
}

/// The table that loaders look names up in, of one bucket: no kernel exports more than a few names.
fn hash_table(exported: &[&Symbol<'_>]) -> Vec<u8> {
    let count = exported.len() as u32 + 1;
    let mut buckets = vec![0; count as usize];
    let mut chains = vec![0; count as usize];
    for (at, symbol) in exported.iter().enumerate() {
        let bucket = (elf::hash(symbol.name) % count) as usize;
        chains[at + 1] = buckets[bucket];
        buckets[bucket] = at as u32 + 1;
    }
    words([count, count].into_iter().chain(buckets).chain(chains))
}

/// The hash table for loaders that know the faster format.
fn gnu_hash_table(exported: &[&Symbol<'_>]) -> Vec<u8> {
    /// The value that common linkers choose.
    const SHIFT: u32 = 26;
    let hashes: Vec<u32> = exported.iter().map(|it| elf::gnu_hash(it.name)).collect();
    let bloom = hashes.iter().fold(0_u64, |bloom, it| bloom | 1 << (it % 64) | 1 << ((it >> SHIFT) % 64));
    let first = u32::from(!hashes.is_empty());
    let mut out = words([1, 1, 1, SHIFT]);
    out.extend(bloom.to_le_bytes());
    let last = hashes.len().wrapping_sub(1);
    let chain = hashes.iter().enumerate().map(|(at, it)| (it & !1) | u32::from(at == last));
    out.extend(words(std::iter::once(first).chain(chain)));
    out
}

fn words(all: impl IntoIterator<Item = u32>) -> Vec<u8> {
    all.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Assigns offsets and addresses to everything; returns the end of the mapped part in the file.
fn place(layout: &mut Layout, headers: u64) -> u64 {
    let (mut offset, mut pages, mut segment) = (headers, 0, access(elf::SHF_ALLOC.0));
    for it in layout.sections.iter_mut().skip(1) {
        if access(it.flags) != segment {
            (segment, pages) = (access(it.flags), pages + PAGE);
        }
        offset = offset.next_multiple_of(it.align);
        (it.offset, it.address) = (offset, offset + pages);
        offset += it.data.len() as u64;
    }
    // The rest of the last page is unused: what protects the page protects it whole.
    if let Some(last) = layout.sections.last_mut() {
        last.padding = last.address.next_multiple_of(PAGE) - last.address;
    }
    offset
}

/// Adds the unmapped sections of the object, each at address 0; returns their end in the file.
fn add_unmapped(object: &Object<'_>, layout: &mut Layout, end: u64) -> u64 {
    let mut offset = end;
    for it in object.sections.iter().filter(|it| !it.is_mapped()) {
        offset = offset.next_multiple_of(it.align);
        layout.taken[it.index] = Some(layout.sections.len());
        let (name, data) = (it.name.to_vec(), it.data.to_vec());
        let section = Section::new("", elf::SectionType(it.kind), it.flags, it.align);
        layout.sections.push(Section { name, data, offset, ..section });
        offset += it.data.len() as u64;
    }
    offset
}

/// Returns the access of a mapped section.
fn access(flags: u64) -> u64 {
    flags & (elf::SHF_WRITE.0 | elf::SHF_EXECINSTR.0)
}

fn relocate_sections(object: &Object<'_>, layout: &mut Layout) -> Result<(), ObjectLinkError> {
    let place = |it: &Option<usize>| {
        let section = &layout.sections[(*it)?];
        Some(Placed { address: section.address, is_mapped: section.is_mapped() })
    };
    let placed: Vec<Option<Placed>> = layout.taken.iter().map(place).collect();
    relocate(object, &placed, &mut |section, at, bytes| {
        let Some(section) = layout.taken.get(section).copied().flatten() else { return false };
        let data = &mut layout.sections[section].data;
        let field = at.checked_add(bytes.len()).and_then(|end| data.get_mut(at..end));
        field.map(|it| it.copy_from_slice(bytes)).is_some()
    })
}

/// A symbol of the file, whose name is at `name` of its string table.
fn entry(layout: &Layout, symbol: &Symbol<'_>, name: u32) -> [u8; SYMBOL] {
    let section = match symbol.place {
        SymbolLocation::Section(section) => layout.taken.get(section).copied().flatten(),
        SymbolLocation::Absolute | SymbolLocation::Undefined => None,
    };
    let (index, base) = match (section, symbol.place) {
        (Some(section), _) => (section as u16, layout.sections[section].address),
        (None, SymbolLocation::Absolute | SymbolLocation::Section(_)) => (elf::SHN_ABS.0, 0),
        (None, SymbolLocation::Undefined) => (elf::SHN_UNDEF.0, 0),
    };
    let is_local = symbol.binding() == elf::STB_LOCAL.0 || !symbol.is_exported();
    let info = if is_local { symbol.kind() } else { symbol.info };
    let (value, size) = (base.wrapping_add(symbol.value), symbol.size);
    let mut out = [0; SYMBOL];
    out[..4].copy_from_slice(&name.to_le_bytes());
    out[4..6].copy_from_slice(&[info, symbol.visibility]);
    out[6..8].copy_from_slice(&index.to_le_bytes());
    out[8..16].copy_from_slice(&value.to_le_bytes());
    out[16..].copy_from_slice(&size.to_le_bytes());
    out
}

/// A symbol table: the first entry stands for no symbol.
fn null_and(symbols: impl Iterator<Item = [u8; SYMBOL]>) -> Vec<u8> {
    std::iter::once([0; SYMBOL]).chain(symbols).flatten().collect()
}

/// Entries of the dynamic table, including the terminator.
const DYNAMIC_ENTRIES: usize = 7;

/// Where loaders find the tables.
fn dynamic(layout: &Layout) -> Vec<u8> {
    let at = |section: usize| layout.sections[section].address;
    let entries: [(elf::DynamicTag, u64); DYNAMIC_ENTRIES] = [
        (elf::DT_SYMTAB, at(layout.dynsym)),
        (elf::DT_SYMENT, SYMBOL as u64),
        (elf::DT_STRTAB, at(layout.dynstr)),
        (elf::DT_STRSZ, layout.sections[layout.dynstr].size()),
        (elf::DT_GNU_HASH, at(layout.gnu_hash)),
        (elf::DT_HASH, at(layout.hash)),
        (elf::DT_NULL, 0),
    ];
    entries.into_iter().flat_map(|(tag, value)| [tag.0.to_le_bytes(), value.to_le_bytes()].concat()).collect()
}

/// Adds unmapped tables: all symbols, for people and their tools, and the names of sections.
fn add_tables(object: &Object<'_>, layout: &mut Layout, end: u64) {
    let named = || {
        let all =
            object.symbols.iter().filter(|it| !it.name.is_empty() && it.place != SymbolLocation::Undefined);
        all.filter(|it| it.kind() != elf::STT_SECTION.0)
    };
    let mut strings = Strings::new();
    let mut table = Vec::new();
    for is_exported in [false, true] {
        for symbol in named().filter(|it| it.is_exported() == is_exported) {
            let name = strings.add(symbol.name);
            table.push(entry(layout, symbol, name));
        }
    }
    let locals = 1 + named().filter(|it| !it.is_exported()).count() as u32;
    let first = layout.sections.len();
    let symbols = Section::new(".symtab", elf::SHT_SYMTAB, 0, 8);
    let (link, entry_bytes, data) = (first as u32 + 2, SYMBOL as u64, null_and(table.into_iter()));
    layout.sections.push(Section { link, info: locals, entry_bytes, data, ..symbols });
    layout.sections.push(Section::new(".shstrtab", elf::SHT_STRTAB, 0, 1));
    layout.sections.push(Section { data: strings.0, ..Section::new(".strtab", elf::SHT_STRTAB, 0, 1) });
    layout.sections[first + 1].data = section_names(layout).0.0;
    let mut offset = end;
    for it in &mut layout.sections[first..] {
        it.offset = offset.next_multiple_of(it.align);
        offset = it.offset + it.data.len() as u64;
    }
}

/// The names of all sections, and where each is.
fn section_names(layout: &Layout) -> (Strings, Vec<u32>) {
    let mut strings = Strings::new();
    let places = layout.sections.iter().map(|it| if it.name.is_empty() { 0 } else { strings.add(&it.name) });
    let places = places.collect();
    (strings, places)
}

/// A segment: a range of sections, by kind and how it is mapped.
struct Segment {
    kind: elf::ProgramType,
    flags: elf::ProgramFlags,
    offset: u64,
    address: u64,
    file_bytes: u64,
    memory_bytes: u64,
    align: u64,
}

/// Returns the segments that a loader maps, and those that it looks for.
fn program_headers(layout: &Layout) -> Vec<Segment> {
    let (read, write, execute) = (elf::PF_R, elf::PF_R | elf::PF_W, elf::PF_R | elf::PF_X);
    let (of_code, of_tables) = (access(elf::SHF_EXECINSTR.0), access(elf::SHF_WRITE.0));
    let over = |kind, flags, align, wanted: &dyn Fn(&Section) -> bool| {
        let mut all = layout.sections.iter().skip(1).filter(|it| it.is_mapped() && wanted(it));
        let first = all.next()?;
        let last = all.next_back().unwrap_or(first);
        let (offset, address) = (first.offset, first.address);
        let file_bytes = last.offset + last.data.len() as u64 - offset;
        let memory_bytes = last.address + last.size() - address;
        Some(Segment { kind, flags, offset, address, file_bytes, memory_bytes, align })
    };
    let mapped = |flags, access_wanted| {
        over(elf::PT_LOAD, flags, PAGE, &|it: &Section| access(it.flags) == access_wanted)
    };
    // The first also maps the headers.
    let from_start = |it: Segment| {
        let (file_bytes, memory_bytes) = (it.offset + it.file_bytes, it.offset + it.memory_bytes);
        Segment { offset: 0, address: 0, file_bytes, memory_bytes, ..it }
    };
    let stack = Segment {
        kind: elf::PT_GNU_STACK,
        flags: write,
        offset: 0,
        address: 0,
        file_bytes: 0,
        memory_bytes: 0,
        align: 0,
    };
    let all = [
        mapped(read, 0).map(from_start),
        mapped(execute, of_code),
        mapped(write, of_tables),
        over(elf::PT_DYNAMIC, write, 8, &|it| it.kind == elf::SHT_DYNAMIC.0),
        over(elf::PT_GNU_RELRO, read, 1, &|it| access(it.flags) == of_tables),
        Some(stack),
        over(elf::PT_NOTE, read, 4, &|it| it.kind == elf::SHT_NOTE.0),
    ];
    let all: Vec<Segment> = all.into_iter().flatten().collect();
    let bytes = (1 + all.len()) as u64 * PROGRAM_HEADER;
    let (kind, offset) = (elf::PT_PHDR, HEADER);
    let own = Segment {
        kind,
        flags: read,
        offset,
        address: offset,
        file_bytes: bytes,
        memory_bytes: bytes,
        align: 8,
    };
    std::iter::once(own).chain(all).collect()
}

/// The bytes of all of it.
fn file(object: &Object<'_>, layout: &Layout) -> Vec<u8> {
    let (segments, (_, names)) = (program_headers(layout), section_names(layout));
    let last = layout.sections.last().map_or(0, |it| it.offset + it.data.len() as u64);
    let table = last.next_multiple_of(8);
    let mut out = Vec::with_capacity((table + SECTION_HEADER * layout.sections.len() as u64) as usize);
    let halves = |out: &mut Vec<u8>, all: &[u16]| all.iter().for_each(|it| out.extend(it.to_le_bytes()));
    let longs = |out: &mut Vec<u8>, all: &[u64]| all.iter().for_each(|it| out.extend(it.to_le_bytes()));
    out.extend(elf::ELFMAG);
    out.extend([elf::ELFCLASS64.0, elf::ELFDATA2LSB.0, elf::EV_CURRENT.0]);
    out.extend(object.abi);
    out.resize(IDENTITY, 0);
    halves(&mut out, &[elf::ET_DYN.0, elf::EM_AMDGPU.0]);
    out.extend(words([elf::EV_CURRENT.0.into()]));
    longs(&mut out, &[0, HEADER, table]);
    out.extend(words([object.flags]));
    halves(&mut out, &[HEADER as u16, PROGRAM_HEADER as u16, segments.len() as u16]);
    let (count, section_names) = (layout.sections.len() as u16, layout.sections.len() as u16 - 2);
    halves(&mut out, &[SECTION_HEADER as u16, count, section_names]);
    for it in segments {
        out.extend(words([it.kind.0, it.flags.0]));
        longs(&mut out, &[it.offset, it.address, it.address, it.file_bytes, it.memory_bytes, it.align]);
    }
    for it in &layout.sections {
        out.resize((it.offset as usize).max(out.len()), 0);
        out.extend(&it.data);
    }
    out.resize(table as usize, 0);
    for (it, name) in layout.sections.iter().zip(names) {
        out.extend(words([name, it.kind]));
        let address = if it.is_mapped() { it.address } else { 0 };
        longs(&mut out, &[it.flags, address, it.offset, it.size()]);
        out.extend(words([it.link, it.info]));
        longs(&mut out, &[it.align, it.entry_bytes]);
    }
    out
}
