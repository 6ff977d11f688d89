//! MISSION C17: results stored for other processes hold no data of this one; objects that do, assembled by hand, are named.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln_link::{ObjectLinkError, lint};
use object::write::{Object, Relocation, SectionId, StandardSection, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationFlags, SectionKind, SymbolFlags, SymbolKind,
    SymbolScope, elf,
};

/// An object with 32 bytes of code and 32 of data that may be written.
struct Crafted {
    object: Object<'static>,
    text: SectionId,
    data: SectionId,
}

impl Crafted {
    fn new() -> Self {
        let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let (text, data) =
            (object.section_id(StandardSection::Text), object.section_id(StandardSection::Data));
        object.append_section_data(text, &[0xc3; 32], 16);
        object.append_section_data(data, &[0; 32], 8);
        Self { object, text, data }
    }

    fn symbol(&mut self, name: &str, section: SymbolSection, kind: SymbolKind, weak: bool) -> SymbolId {
        let scope =
            if section == SymbolSection::Undefined { SymbolScope::Unknown } else { SymbolScope::Compilation };
        let value = if section == SymbolSection::Absolute { 0x7f12_3456_7890 } else { 0 };
        let flags = SymbolFlags::None;
        self.object.add_symbol(Symbol {
            name: name.into(),
            value,
            size: 0,
            kind,
            scope,
            weak,
            section,
            flags,
        })
    }

    fn undefined(&mut self, name: &str) -> SymbolId {
        self.symbol(name, SymbolSection::Undefined, SymbolKind::Text, false)
    }

    fn section(&mut self, name: &str, kind: SectionKind, bytes: &[u8]) -> SectionId {
        let section = self.object.add_section(Vec::new(), name.into(), kind);
        self.object.append_section_data(section, bytes, 8);
        section
    }

    fn relocation(&mut self, section: SectionId, offset: u64, symbol: SymbolId, kind: elf::RelocationType) {
        let flags = RelocationFlags::Elf { r_type: kind };
        self.object.add_relocation(section, Relocation { offset, symbol, addend: 0, flags }).unwrap();
    }

    fn bytes(&self) -> Vec<u8> {
        self.object.write().unwrap()
    }

    /// Runs the lint with `g0` as the one listed symbol.
    fn lint(&self) -> Result<(), String> {
        lint(&self.bytes(), &|it| it == "g0").map_err(|it| it.to_string())
    }
}

/// Codegen emits calls and cells of listed symbols, addresses of its own sections in data, and a file's name.
#[test]
fn what_is_symbolic_may_be_kept() {
    let mut it = Crafted::new();
    let (text, data) = (it.text, it.data);
    let listed = it.undefined("g0");
    let own = it.symbol("table", SymbolSection::Section(data), SymbolKind::Data, false);
    it.relocation(text, 0, listed, elf::R_X86_64_REX_GOTPCRELX);
    it.relocation(text, 28, listed, elf::R_X86_64_PLT32);
    it.relocation(text, 8, listed, elf::R_X86_64_32);
    it.relocation(text, 12, own, elf::R_X86_64_PC32);
    it.relocation(data, 24, own, elf::R_X86_64_64);
    it.section(".debug_str", SectionKind::DebugString, b"kiln\0a/b\0/\0");
    assert_eq!(it.lint(), Ok(()));
}

/// No linker could resolve it: also if it is weak, or nothing refers to it.
#[test]
fn an_undefined_symbol_must_be_listed() {
    for (weak, referred) in [(false, true), (true, true), (false, false)] {
        let mut it = Crafted::new();
        let text = it.text;
        let symbol = it.symbol("jl_current_task", SymbolSection::Undefined, SymbolKind::Data, weak);
        if referred {
            it.relocation(text, 0, symbol, elf::R_X86_64_PC32);
        }
        assert_eq!(it.lint(), Err("undefined symbol `jl_current_task`".into()), "{weak} {referred}");
    }
}

/// A pointer of this process, as an absolute symbol, or as what is added to no symbol.
#[test]
fn an_absolute_pointer_is_found() {
    let mut it = Crafted::new();
    let data = it.data;
    let symbol = it.symbol("heap", SymbolSection::Absolute, SymbolKind::Data, false);
    it.relocation(data, 8, symbol, elf::R_X86_64_64);
    assert_eq!(it.lint(), Err("unsupported in an object: the absolute address 0x7f1234567890".into()));
    // Against the symbol that stands for none: its number is made 0 in the table of relocations.
    let mut it = Crafted::new();
    let listed = it.undefined("g0");
    it.relocation(it.data, 8, listed, elf::R_X86_64_64);
    let mut bytes = it.bytes();
    let info = u64::from(elf::R_X86_64_64.0).to_le_bytes();
    let is_entry =
        |at: &usize| bytes[*at..].starts_with(&8u64.to_le_bytes()) && bytes[at + 8..].starts_with(&info[..4]);
    let at = (0..bytes.len() - 24).find(|at| is_entry(at) && bytes[at + 12] == 1).unwrap();
    bytes[at + 12] = 0;
    bytes[at + 16..at + 24].copy_from_slice(&0x7f00_dead_0000u64.to_le_bytes());
    let found = lint(&bytes, &|it| it == "g0");
    assert_eq!(found, Err(ObjectLinkError::Unsupported("the absolute address 0x7f00dead0000".into())));
}

/// Code that would only run below 4 GiB.
#[test]
fn an_address_in_32_bits_is_found() {
    for kind in [elf::R_X86_64_32, elf::R_X86_64_32S] {
        let mut it = Crafted::new();
        let (text, data) = (it.text, it.data);
        let own = it.symbol("table", SymbolSection::Section(data), SymbolKind::Data, false);
        it.relocation(text, 4, own, kind);
        assert_eq!(it.lint(), Err("unsupported in an object: an address of `table` in 32 bits".into()));
    }
}

/// Only what the linker applies, where it can.
#[test]
fn relocations_are_of_a_list() {
    for kind in
        [elf::R_X86_64_GOTTPOFF, elf::R_X86_64_COPY, elf::R_X86_64_IRELATIVE, elf::RelocationType(250)]
    {
        let mut it = Crafted::new();
        let text = it.text;
        let listed = it.undefined("g0");
        it.relocation(text, 0, listed, kind);
        assert_eq!(it.lint(), Err(format!("unsupported in an object: relocation type {}", kind.0)));
    }
    let mut it = Crafted::new();
    let text = it.text;
    let listed = it.undefined("g0");
    it.relocation(text, 29, listed, elf::R_X86_64_PC32);
    assert_eq!(it.lint(), Err("malformed object: relocation at 0x1d is outside its section".into()));
}

/// Where a thread's variables are is known to one process.
#[test]
fn thread_local_storage_is_found() {
    let mut section = Crafted::new();
    section.section(".tdata", SectionKind::Tls, &[1; 8]);
    let mut symbol = Crafted::new();
    symbol.symbol("g0", SymbolSection::Undefined, SymbolKind::Tls, false);
    for it in [section, symbol] {
        assert_eq!(it.lint(), Err("unsupported in an object: thread-local storage".into()));
    }
}

/// They would never run.
#[test]
fn constructors_are_found() {
    let arrays = [elf::SHT_INIT_ARRAY, elf::SHT_FINI_ARRAY, elf::SHT_PREINIT_ARRAY].map(|it| (".array", it));
    let named = [".init_array.100", ".ctors", ".init"].map(|it| (it, elf::SHT_PROGBITS));
    for (name, sh_type) in arrays.into_iter().chain(named) {
        let mut it = Crafted::new();
        let section = it.section(name, SectionKind::Data, &[0; 8]);
        let sh_flags = elf::SHF_ALLOC | elf::SHF_WRITE;
        it.object.section_mut(section).flags = object::SectionFlags::Elf { sh_type, sh_flags };
        assert_eq!(it.lint(), Err("unsupported in an object: constructors".into()), "{name}");
    }
    let mut it = Crafted::new();
    it.section(".initial", SectionKind::Data, &[0; 8]);
    assert_eq!(it.lint(), Ok(()));
}

/// A path is of one machine, and says who made the object.
#[test]
fn paths_are_found() {
    let mut debug = Crafted::new();
    debug.section(".debug_line_str", SectionKind::DebugString, b"kernel.jl\0/home/someone/kernel.jl\0");
    let mut name = Crafted::new();
    let text = name.text;
    name.symbol("/home/someone/kernel.jl", SymbolSection::Section(text), SymbolKind::Text, false);
    for it in [debug, name] {
        assert_eq!(it.lint(), Err("unsupported in an object: the path `/home/someone/kernel.jl`".into()));
    }
}
