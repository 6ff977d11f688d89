//! The arithmetic of x86-64 relocations.

use crate::ObjectLinkError;
use crate::sections::Relocation;
use object::elf;

/// The addresses a relocation may mention.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    /// S: the symbol.
    pub symbol: u64,
    /// P: the field.
    pub place: u64,
    /// A jump to the symbol, near the field.
    pub stub: u64,
    /// A cell that holds the symbol's address, near the field.
    pub got: u64,
}

/// The value to write and its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub bits: u64,
    /// Bytes.
    pub width: usize,
    pub needs_stub: bool,
    pub needs_got: bool,
}

pub(crate) fn value(relocation: &Relocation, patch: &Patch) -> Result<Field, ObjectLinkError> {
    let addend = relocation.addend;
    let target = patch.symbol.wrapping_add_signed(addend);
    let plain = |bits: u64, width: usize| Field { bits, width, needs_stub: false, needs_got: false };
    let kind = elf::RelocationType(relocation.kind);
    match kind {
        elf::R_X86_64_NONE => Ok(plain(0, 0)),
        elf::R_X86_64_64 => Ok(plain(target, 8)),
        elf::R_X86_64_PC64 => Ok(plain(target.wrapping_sub(patch.place), 8)),
        elf::R_X86_64_PC32 => Ok(plain(displacement(target, patch.place)?, 4)),
        elf::R_X86_64_PLT32 => match displacement(target, patch.place) {
            Ok(bits) => Ok(plain(bits, 4)),
            Err(_) => {
                let bits = displacement(patch.stub.wrapping_add_signed(addend), patch.place)?;
                Ok(Field { bits, width: 4, needs_stub: true, needs_got: false })
            }
        },
        elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX => {
            let bits = displacement(patch.got.wrapping_add_signed(addend), patch.place)?;
            Ok(Field { bits, width: 4, needs_stub: false, needs_got: true })
        }
        elf::R_X86_64_32 => match u32::try_from(target) {
            Ok(bits) => Ok(plain(u64::from(bits), 4)),
            Err(_) => Err(ObjectLinkError::OutOfRange(format!("{target:#x} does not fit 32 bits"))),
        },
        elf::R_X86_64_32S => match i32::try_from(target as i64) {
            Ok(bits) => Ok(plain(bits as u32 as u64, 4)),
            Err(_) => Err(ObjectLinkError::OutOfRange(format!("{target:#x} does not fit 32 signed bits"))),
        },
        other => Err(ObjectLinkError::Unsupported(format!("relocation type {}", other.0))),
    }
}

fn displacement(target: u64, place: u64) -> Result<u64, ObjectLinkError> {
    let distance = target.wrapping_sub(place) as i64;
    match i32::try_from(distance) {
        Ok(it) => Ok(it as u32 as u64),
        Err(_) => Err(ObjectLinkError::OutOfRange(format!("{target:#x} is too far from {place:#x}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch() -> Patch {
        Patch { symbol: 0x7f00_0000_0000, place: 0x1000, stub: 0x2000, got: 0x3000 }
    }

    fn relocation(kind: elf::RelocationType, addend: i64) -> Relocation {
        Relocation { section: 1, offset: 0, kind: kind.0, symbol: 1, addend }
    }

    #[test]
    fn a_far_call_goes_through_its_stub() {
        let field = value(&relocation(elf::R_X86_64_PLT32, -4), &patch()).unwrap();
        assert!(field.needs_stub);
        assert_eq!(field.bits, 0x2000 - 4 - 0x1000);
    }

    #[test]
    fn a_near_call_is_direct() {
        let near = Patch { symbol: 0x1800, ..patch() };
        let field = value(&relocation(elf::R_X86_64_PLT32, -4), &near).unwrap();
        assert!(!field.needs_stub);
        assert_eq!(field.bits, 0x7fc);
    }

    #[test]
    fn far_data_is_an_error_and_not_a_truncated_address() {
        assert!(matches!(
            value(&relocation(elf::R_X86_64_PC32, 0), &patch()),
            Err(ObjectLinkError::OutOfRange(_))
        ));
        assert!(matches!(
            value(&relocation(elf::R_X86_64_32S, 0), &patch()),
            Err(ObjectLinkError::OutOfRange(_))
        ));
    }

    #[test]
    fn an_indirect_address_goes_through_its_cell() {
        let field = value(&relocation(elf::R_X86_64_REX_GOTPCRELX, -4), &patch()).unwrap();
        assert!(field.needs_got);
        assert_eq!(field.bits, 0x3000 - 4 - 0x1000);
    }

    #[test]
    fn an_unknown_relocation_is_refused() {
        let unknown = elf::RelocationType(250);
        assert!(matches!(value(&relocation(unknown, 0), &patch()), Err(ObjectLinkError::Unsupported(_))));
    }
}
