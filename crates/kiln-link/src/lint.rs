//! Whether an object may outlive the process that made it, and leave the machine.

use crate::ObjectLinkError;
use crate::relocate::{self, Patch};
use crate::sections::{Object, Relocation, SymbolPlace, unloaded_strings};
use object::elf;

/// Finds dependencies of an object on one process or one machine:
///
/// - undefined symbols unknown to `is_listed`, which no linker could resolve elsewhere, referenced or not;
/// - absolute addresses, and addresses of its own that have to be below 4 GiB;
/// - relocations that the linker does not apply, or that lie outside their target;
/// - thread-local storage, constructors, and functions that are selected at load time;
/// - absolute paths among unloaded strings: names and debug information.
///
/// # Errors
/// The first such dependency.
pub fn lint(bytes: &[u8], is_listed: &dyn Fn(&str) -> bool) -> Result<(), ObjectLinkError> {
    let object = Object::read(bytes)?;
    // The first symbol stands for none.
    for symbol in object.symbols.iter().skip(1) {
        if matches!(symbol.place, SymbolPlace::Undefined { .. }) && !is_listed(&symbol.name) {
            return Err(ObjectLinkError::Undefined(symbol.name.clone()));
        }
    }
    for relocation in &object.relocations {
        check(&object, relocation)?;
    }
    match unloaded_strings(bytes)?.into_iter().find_map(path_in) {
        Some(path) => Err(ObjectLinkError::Unsupported(format!("the path `{path}`"))),
        None => Ok(()),
    }
}

fn check(object: &Object<'_>, relocation: &Relocation) -> Result<(), ObjectLinkError> {
    let Some(symbol) = object.symbols.get(relocation.symbol) else {
        return Err(ObjectLinkError::Malformed("relocation against a symbol that is not there".into()));
    };
    let kind = elf::RelocationType(relocation.kind);
    let absolute = |it: i64| Err(ObjectLinkError::Unsupported(format!("the absolute address {it:#x}")));
    match symbol.place {
        _ if kind == elf::R_X86_64_NONE => {}
        _ if relocation.symbol == 0 => return absolute(relocation.addend),
        SymbolPlace::Absolute(value) => return absolute(value.cast_signed()),
        SymbolPlace::Section { .. } if [elf::R_X86_64_32, elf::R_X86_64_32S].contains(&kind) => {
            return Err(ObjectLinkError::Unsupported(format!("an address of `{}` in 32 bits", symbol.name)));
        }
        SymbolPlace::Undefined { .. } | SymbolPlace::Section { .. } => {}
    }
    // Whether there is such a relocation at all, not what it comes to.
    let anywhere = Patch { symbol: 0, place: 0, stub: 0, got: 0 };
    let plain = Relocation { addend: 0, ..*relocation };
    let width = relocate::value(&plain, &anywhere)?.width as u64;
    let section = object.sections.iter().find(|it| it.index == relocation.section);
    let bytes = section.map_or(0, |it| it.data.len() as u64);
    if relocation.offset.checked_add(width).is_none_or(|end| end > bytes) {
        let at = relocation.offset;
        return Err(ObjectLinkError::Malformed(format!("relocation at {at:#x} is outside its section")));
    }
    Ok(())
}

/// An absolute path among strings that end in NUL.
fn path_in(strings: &[u8]) -> Option<String> {
    let mut all = strings.split(|it| *it == 0);
    let path = all.find(|it| {
        it.starts_with(b"/") && it[1..].contains(&b'/') && it.iter().all(|c| c.is_ascii_graphic())
    })?;
    Some(String::from_utf8_lossy(path).into_owned())
}
