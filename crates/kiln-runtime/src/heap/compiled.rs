//! Objects that compiled host code makes: it names types by number, and refers to every value of an object by an address.

use super::{Heap, Value, allocation, bits, boxes, memory};
use kiln_memory as space;
use kiln_types::Type;

/// Allocates an object of a type with `bytes` bytes of zeroed data; returns the address of its data. `None` when memory is
/// exhausted.
#[inline]
pub fn allocate_object(heap: &Heap, ty: Type, bytes: u64) -> Option<u64> {
    allocation::try_alloc(heap, ty, 0, bytes)
}

/// Allocates a memory, zeroed; returns its address. `None` where `memorynew` throws.
pub fn allocate_memory(heap: &Heap, memory_ty: Type, length: i64) -> Option<u64> {
    let fits = memory::fits(heap, memory_ty, length);
    let length = usize::try_from(length).ok().filter(|_| fits)?;
    memory::try_new(heap, memory_ty, length).map(Value::bits)
}

/// Returns the address of the object of an immutable value, given by its bytes. Compiled code vouches for the addresses
/// in them.
pub fn box_data(heap: &Heap, ty: Type, bytes: &[u8]) -> u64 {
    if ty == heap.core.int64
        && let Some(word) = bytes.first_chunk()
    {
        return boxes::box_value(heap, Value::inline(ty, u64::from_ne_bytes(*word)));
    }
    boxes::box_stored(heap, bits::from_data(heap, ty, bytes))
}

/// Has the running collection keep what a reference refers to that compiled code overwrites next.
///
/// # Safety
/// A reference to an object, or null, must lie at the address.
pub unsafe fn keep_overwritten_at(heap: &Heap, address: u64) {
    // SAFETY: the caller's promise.
    heap.collection.keep(unsafe { space::load(address) });
}

/// Returns the address of the object of a constant's value, which lives for ever: compiled code has it as a number.
pub fn permanent_object(heap: &Heap, value: Value) -> u64 {
    if value.is_inline() {
        return heap.boxes.of(heap, value);
    }
    value.bits()
}

/// Returns the bytes of an immutable value of a type; `None` unless values of the type are held so.
pub fn data_bytes(heap: &Heap, ty: Type) -> Option<usize> {
    heap.shape(ty).map(|it| it.size as usize)
}

/// The boxes of small `Int`s, which compiled code reads: their addresses, from that of `-SHARED_INTEGER_MAX` on. A null one has not been
/// asked for.
pub fn integer_boxes(heap: &Heap) -> *const u64 {
    heap.boxes.integers()
}
