//! Numbers of the primitive types that every program starts with.

use super::{Heap, Value};
use kiln_types::{CoreTypes, Type};

/// More than the interner starts with.
pub(super) const CORE_TYPES: usize = 512;

pub(super) fn core_widths(core: &CoreTypes) -> [(Type, u8); 11] {
    [
        (core.int8, 8),
        (core.uint8, 8),
        (core.int16, 16),
        (core.uint16, 16),
        (core.int32, 32),
        (core.uint32, 32),
        (core.char, 32),
        (core.float32, 32),
        (core.int64, 64),
        (core.uint64, 64),
        (core.float64, 64),
    ]
}

/// Width in bits of a number type of `Core` of at most 64 bits; 0 for any other type. `Bool` is left out:
/// it has rules of its own.
#[inline]
pub(crate) fn width(heap: &Heap, ty: Type) -> u32 {
    heap.widths.get(ty.index()).map_or(0, |&it| u32::from(it))
}

/// A `UInt64`.
#[inline]
pub fn uint64(heap: &Heap, value: u64) -> Value {
    Value::inline(heap.core.uint64, value)
}

/// A `Float64`.
#[inline]
pub fn float64(heap: &Heap, value: f64) -> Value {
    Value::inline(heap.core.float64, value.to_bits())
}

/// A `Float32`.
#[inline]
pub fn float32(heap: &Heap, value: f32) -> Value {
    Value::inline(heap.core.float32, u64::from(value.to_bits()))
}
