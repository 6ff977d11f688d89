//! Operands of intrinsics: their bits, and the errors when they have none.

use crate::heap::{Shape, bits};
use crate::{Heap, Run, Thrown, Value, exceptions};
use kiln_ir::Intrinsic;
use kiln_types::Type;

/// The bits of a primitive value, zero-extended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bits {
    /// A type of at most 8 bytes.
    Narrow(u64),
    /// A type of 16 bytes.
    Wide(u128),
}

/// A primitive operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) ty: Type,
    /// Width of the type in bits.
    pub(super) width: u32,
    pub(super) bits: Bits,
}

impl Operand {
    /// All bits, zero-extended.
    pub(super) fn wide(self) -> u128 {
        match self.bits {
            Bits::Narrow(bits) => u128::from(bits),
            Bits::Wide(bits) => bits,
        }
    }
}

/// The operand in a position that needs a primitive value; `role` names the position in the error.
#[inline]
pub(super) fn primitive(heap: &Heap, op: Intrinsic, role: &str, value: Value) -> Run<Operand> {
    match heap.shape(value.ty()) {
        Some(shape) if shape.primitive => operand(heap, op, shape, value),
        _ => Err(not_primitive(heap, op, role)),
    }
}

#[inline]
fn operand(heap: &Heap, op: Intrinsic, shape: &Shape, value: Value) -> Run<Operand> {
    let bits = if value.is_inline() {
        Bits::Narrow(value.bits())
    } else {
        match bits::wide(heap, value) {
            Some((bits, _)) => Bits::Wide(bits),
            None => return Err(unsupported_width(heap, op, 8 * shape.size)),
        }
    };
    Ok(Operand { ty: value.ty(), width: 8 * shape.size, bits })
}

/// Two operands of one type.
#[inline]
pub(super) fn pair(heap: &Heap, op: Intrinsic, a: Value, b: Value) -> Run<(Operand, Operand)> {
    let first = primitive(heap, op, "a", a)?;
    if a.ty() != b.ty() {
        let name = op.name();
        return Err(exceptions::error(heap, &format!("{name}: types of a and b must match")));
    }
    Ok((first, primitive(heap, op, "b", b)?))
}

/// The target type of a conversion, with its width in bits.
pub(super) fn target(heap: &Heap, op: Intrinsic, value: Value) -> Run<(Type, u32)> {
    let name = op.name();
    let Some(ty) = value.as_type(heap.core()).filter(|_| value.ty() == heap.core().data_type) else {
        return Err(exceptions::type_error(heap, name, heap.core().data_type, value));
    };
    match heap.shape(ty) {
        Some(shape) if shape.primitive => {
            if shape.size > 8 && shape.size != 16 {
                return Err(unsupported_width(heap, op, 8 * shape.size));
            }
            Ok((ty, 8 * shape.size))
        }
        _ => Err(exceptions::error(heap, &format!("{name}: target type not a leaf primitive type"))),
    }
}

/// A value of at most 64 bits; the bits above the type's width are dropped, all but one of a `Bool`.
#[inline]
pub(super) fn narrow(heap: &Heap, ty: Type, width: u32, bits: u64) -> Value {
    let mask = if ty == heap.core().bool { 1 } else { mask(width) };
    Value::inline(ty, bits & mask)
}

/// A value of any supported width; higher bits are dropped, all but one of a `Bool`.
pub(super) fn sized(heap: &Heap, ty: Type, width: u32, bits: u128) -> Value {
    if width <= 64 { narrow(heap, ty, width, bits as u64) } else { bits::from_wide(heap, ty, bits) }
}

/// The low `width` (1 to 64) bits.
#[inline]
pub(super) fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// Sign-extends the low `width` (1 to 64) bits.
#[inline]
pub(super) fn sign_extend(bits: u64, width: u32) -> i64 {
    ((bits << (64 - width)) as i64) >> (64 - width)
}

#[cold]
fn not_primitive(heap: &Heap, op: Intrinsic, role: &str) -> Box<Thrown> {
    exceptions::error(heap, &format!("{}: {role} is not a primitive type", op.name()))
}

#[cold]
pub(super) fn unsupported_width(heap: &Heap, op: Intrinsic, width: u32) -> Box<Thrown> {
    exceptions::error(heap, &format!("{}: values of {width} bits are not supported", op.name()))
}
