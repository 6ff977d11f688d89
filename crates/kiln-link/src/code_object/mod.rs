//! Links objects for AMD GPUs into code objects: the shared objects that the vendor's drivers load.
//!
//! The object of a device link is closed: a kernel, its callees and constants, relocations of four kinds between
//! them, and line tables. Linking places its sections, applies the relocations, and writes the tables through which a
//! loader finds the kernel. The layout of loaded parts equals that of `ld.lld -shared`, to the byte, and tests
//! compare the two.
//!
//! # Deliberately absent
//! Several inputs, symbols of other files, writable data, and relocations for the loader, which device links do not
//! produce. Equal strings of line tables are not merged. An object with any of these is refused as
//! [`ObjectLinkError::Unsupported`], and left to the vendor's linker.

mod read;
mod write;

use crate::ObjectLinkError;
use read::{Object, SymbolLocation};

/// Links one LLVM object into a code object.
///
/// # Errors
/// When the bytes are not an object for such a GPU, contradict themselves, or need an unsupported feature.
pub fn code_object(object: &[u8]) -> Result<Vec<u8>, ObjectLinkError> {
    let object = Object::read(object)?;
    write::write(&object)
}

/// The change that a relocation makes to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Patch {
    value: u64,
    /// Of the field, in bytes.
    width: usize,
}

/// Kinds of relocations, as AMD's ABI numbers them.
mod kind {
    pub(super) const ABS64: u32 = 3;
    pub(super) const REL32: u32 = 4;
    pub(super) const REL64: u32 = 5;
    pub(super) const ABS32: u32 = 6;
    pub(super) const REL32_LO: u32 = 10;
    pub(super) const REL32_HI: u32 = 11;
}

/// Where a section of the object is.
#[derive(Clone, Copy, Debug)]
struct Placed {
    address: u64,
    /// Loaders place it where they like, which only distances survive.
    is_mapped: bool,
}

/// Returns the bytes that a relocation of the field at `offset` of a section puts there for a symbol at `symbol`.
fn patch(
    kind: u32,
    symbol: u64,
    addend: i64,
    (section, offset): (Placed, u64),
) -> Result<Patch, ObjectLinkError> {
    let target = symbol.wrapping_add_signed(addend);
    let distance = target.wrapping_sub(section.address.wrapping_add(offset));
    match kind {
        kind::ABS64 if !section.is_mapped => Ok(Patch { value: target, width: 8 }),
        kind::ABS32 if !section.is_mapped => match u32::try_from(target) {
            Ok(near) => Ok(Patch { value: near.into(), width: 4 }),
            Err(_) => Err(ObjectLinkError::OutOfRange(format!("{target:#x} in 32 bits"))),
        },
        kind::REL64 => Ok(Patch { value: distance, width: 8 }),
        kind::REL32_LO => Ok(Patch { value: distance & 0xffff_ffff, width: 4 }),
        kind::REL32_HI => Ok(Patch { value: distance >> 32, width: 4 }),
        kind::REL32 => match i32::try_from(distance.cast_signed()) {
            Ok(near) => Ok(Patch { value: u64::from(near.cast_unsigned()), width: 4 }),
            Err(_) => Err(ObjectLinkError::OutOfRange(format!("{distance:#x} in 32 bits"))),
        },
        _ => Err(ObjectLinkError::Unsupported(format!("relocations of kind {kind}"))),
    }
}

/// Applies all relocations to the sections' data. `placed` has the object's sections by their index there.
fn relocate(
    object: &Object<'_>,
    placed: &[Option<Placed>],
    data: &mut dyn FnMut(usize, usize, &[u8]) -> bool,
) -> Result<(), ObjectLinkError> {
    let place_of = |section: usize| placed.get(section).copied().flatten();
    for it in &object.relocations {
        let symbol = object.symbols.get(it.symbol);
        let symbol =
            symbol.ok_or_else(|| ObjectLinkError::Malformed("a relocation without a symbol".into()))?;
        let name = || String::from_utf8_lossy(symbol.name).into_owned();
        let target = match symbol.place {
            SymbolLocation::Section(section) => place_of(section),
            SymbolLocation::Absolute => {
                return Err(ObjectLinkError::Unsupported(format!("the address of `{}`", name())));
            }
            SymbolLocation::Undefined => return Err(ObjectLinkError::Undefined(name())),
        };
        let not_loaded =
            || ObjectLinkError::Unsupported(format!("a reference to `{}`, which is not loaded", name()));
        let (Some(target), Some(base)) = (target, place_of(it.section)) else { return Err(not_loaded()) };
        if base.is_mapped && !target.is_mapped {
            return Err(not_loaded());
        }
        let patch = patch(it.kind, target.address.wrapping_add(symbol.value), it.addend, (base, it.offset))?;
        let at = usize::try_from(it.offset).unwrap_or(usize::MAX);
        if !data(it.section, at, &patch.value.to_le_bytes()[..patch.width]) {
            let at = it.offset;
            return Err(ObjectLinkError::Malformed(format!("relocation at {at:#x} is outside its section")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MISSION G: a distance that does not fit its field is an error.
    #[test]
    fn distances_fit_their_fields() {
        let code = Placed { address: 0, is_mapped: true };
        let value =
            |kind, symbol, place| patch(kind, symbol, 4, (code, place)).map(|it| (it.value, it.width));
        assert_eq!(value(kind::REL32_LO, 0x1000, 0x2000), Ok((0xffff_f004, 4)));
        assert_eq!(value(kind::REL32_HI, 0x1000, 0x2000), Ok((0xffff_ffff, 4)));
        assert_eq!(value(kind::REL32_HI, 0x2000, 0x1000), Ok((0, 4)));
        assert_eq!(value(kind::REL64, 0x2000, 0x1000), Ok((0x1004, 8)));
        assert_eq!(value(kind::REL32, 0x1000, 0x2000), Ok((0xffff_f004, 4)));
        assert!(matches!(value(kind::REL32, 1 << 40, 0), Err(ObjectLinkError::OutOfRange(_))));
        assert!(
            matches!(value(9, 0, 0), Err(ObjectLinkError::Unsupported(_))),
            "an entry of an offset table"
        );
        assert!(matches!(value(kind::ABS64, 0, 0), Err(ObjectLinkError::Unsupported(_))), "code is anywhere");
        let lines = Placed { address: 0, is_mapped: false };
        assert_eq!(patch(kind::ABS64, 0x1000, 4, (lines, 8)), Ok(Patch { value: 0x1004, width: 8 }));
    }

    /// MISSION N9: files other than objects for such a GPU are refused.
    #[test]
    fn other_files_are_refused() {
        assert!(matches!(code_object(b""), Err(ObjectLinkError::Malformed(_))));
        assert!(matches!(code_object(&[0x7f; 200]), Err(ObjectLinkError::Malformed(_))));
    }
}
