//! The bytes of values.

use super::{FieldSlot, Heap, ObjectForm, Shape, Value, allocation};
use kiln_memory as space;
use kiln_types::{Type, display};

/// Loads the value of type `shape` at `address`. Padding is dropped.
///
/// # Safety
/// `address` must be readable for `shape.size` bytes, and pointers inside must be null or live objects.
#[inline]
pub(super) unsafe fn load_value(heap: &Heap, shape: &Shape, address: u64) -> Value {
    debug_assert!(matches!(shape.form, ObjectForm::Inline | ObjectForm::Struct));
    if shape.form == ObjectForm::Inline {
        // SAFETY: the caller's promise.
        let bits = unsafe { load_word(address, shape.size) };
        let bits = if shape.ty == heap.core.bool { bits & 1 } else { bits };
        return Value::inline(shape.ty, if shape.plain { bits } else { canonical(heap, shape, bits) });
    }
    let value = allocation::alloc_value(heap, shape.ty, u64::from(shape.size));
    // SAFETY: the caller's promise, and a fresh object of the type's size.
    unsafe { space::copy(address, value.bits(), shape.size as usize) };
    value
}

/// Writes the bytes of a value, padding included.
///
/// # Safety
/// `address` must be writable for `shape.size` bytes; `value` must be of the type `shape` describes.
#[inline]
pub(super) unsafe fn store_value(shape: &Shape, address: u64, value: Value) {
    debug_assert_eq!(shape.ty, value.ty());
    if value.is_inline() {
        // SAFETY: the caller's promise.
        unsafe { store_word(address, shape.size, value.bits()) };
    } else {
        // SAFETY: the caller's promise; the object has the size its type says.
        unsafe { space::copy(value.bits(), address, shape.size as usize) };
    }
}

/// `bits` with padding, and the unused bytes of unions, made zero.
fn canonical(heap: &Heap, shape: &Shape, bits: u64) -> u64 {
    let from = bits.to_le_bytes();
    let mut to = [0; 8];
    copy_meaningful(heap, shape, &from, &mut to);
    u64::from_le_bytes(to)
}

/// Copies the bytes of a pointer-free value that mean something.
pub(super) fn copy_meaningful(heap: &Heap, shape: &Shape, from: &[u8], to: &mut [u8]) {
    if shape.plain || shape.fields.is_empty() {
        to[..shape.size as usize].copy_from_slice(&from[..shape.size as usize]);
        return;
    }
    for field in &shape.fields {
        let (start, end) = (field.offset as usize, (field.offset + field.size) as usize);
        match &field.slot {
            &FieldSlot::Inline(ty) => {
                copy_meaningful(heap, heap.concrete(ty), &from[start..end], &mut to[start..end]);
            }
            FieldSlot::Pointer => to[start..end].copy_from_slice(&from[start..end]),
            FieldSlot::Union(members) => {
                let selector = from[end - 1];
                to[end - 1] = selector;
                if let Some(&member) = members.get(usize::from(selector)) {
                    let member = heap.concrete(member);
                    copy_meaningful(heap, member, &from[start..end], &mut to[start..end]);
                }
            }
        }
    }
}

/// Whether values of an immutable type have no padding.
pub fn is_plain(heap: &Heap, ty: Type) -> bool {
    let shape = heap.concrete(ty);
    shape.plain || shape.fields.is_empty()
}

/// Copies the bytes of a value of an immutable type, but for its padding.
pub fn copy_unpadded(heap: &Heap, ty: Type, from: &[u8], to: &mut [u8]) {
    let shape = heap.concrete(ty);
    assert!(
        matches!(shape.form, ObjectForm::Inline | ObjectForm::Struct),
        "bytes of a value of type {}",
        display::of_type(&heap.types, ty)
    );
    copy_meaningful(heap, shape, from, to);
}

/// The bytes of an isbits value, in Julia's layout, padding zero.
pub fn of(heap: &Heap, value: Value) -> Box<[u8]> {
    let mut to = vec![0; heap.shape_of(value).size as usize].into_boxed_slice();
    copy(heap, value, &mut to);
    to
}

/// Writes them to the beginning of `to`, which is zero.
pub fn copy(heap: &Heap, value: Value, to: &mut [u8]) {
    assert!(
        copy_if_bits(heap, value, to),
        "bytes of a value of type {}",
        display::of_type(&heap.types, value.ty())
    );
}

/// Writes the bytes of an isbits value like [`copy_bits`](copy). Returns false, and writes nothing, if it
/// is no such value.
pub fn copy_if_bits(heap: &Heap, value: Value, to: &mut [u8]) -> bool {
    let shape = heap.shape_of(value);
    if !shape.is_bits {
        return false;
    }
    let to = &mut to[..shape.size as usize];
    if value.is_inline() {
        to.copy_from_slice(&value.bits().to_le_bytes()[..shape.size as usize]);
    } else {
        // SAFETY: the object has the size its type says, and is immutable.
        let from = unsafe { space::bytes(value.bits(), shape.size as usize) };
        copy_meaningful(heap, shape, from, to);
    }
    true
}

/// The isbits value of these bytes.
pub fn from_bits(heap: &Heap, ty: Type, bytes: &[u8]) -> Value {
    let shape = heap.concrete(ty);
    assert!(
        shape.is_bits && bytes.len() == shape.size as usize,
        "bytes of {}",
        display::of_type(&heap.types, ty)
    );
    // SAFETY: the slice has the size of the type, which holds no pointers.
    unsafe { load_value(heap, shape, bytes.as_ptr().expose_provenance() as u64) }
}

/// The bytes of a value that is held inline or as a struct, in Julia's layout, with the addresses of the objects
/// that its fields are.
pub fn data_of(heap: &Heap, value: Value) -> Box<[u8]> {
    let mut to = vec![0; heap.shape_of(value).size as usize].into_boxed_slice();
    copy_data(heap, value, &mut to);
    to
}

/// Writes them to the beginning of `to`.
pub fn copy_data(heap: &Heap, value: Value, to: &mut [u8]) {
    let shape = heap.shape_of(value);
    assert!(
        matches!(shape.form, ObjectForm::Inline | ObjectForm::Struct),
        "bytes of a value of type {}",
        display::of_type(&heap.types, value.ty())
    );
    let to = &mut to[..shape.size as usize];
    if value.is_inline() {
        to.copy_from_slice(&value.bits().to_le_bytes()[..shape.size as usize]);
    } else {
        // SAFETY: the object has the size its type says.
        to.copy_from_slice(unsafe { space::bytes(value.bits(), shape.size as usize) });
    }
}

/// The immutable value of these bytes. Compiled code vouches for the addresses in them.
pub fn from_data(heap: &Heap, ty: Type, bytes: &[u8]) -> Value {
    if ty == heap.core.int64
        && let Ok(word) = bytes.try_into()
    {
        return heap.int(i64::from_ne_bytes(word));
    }
    let shape = heap.concrete(ty);
    assert!(bytes.len() == shape.size as usize, "bytes of {}", display::of_type(&heap.types, ty));
    // SAFETY: the slice has the size of the type; addresses come from compiled code, which has them from objects.
    unsafe { load_value(heap, shape, bytes.as_ptr().expose_provenance() as u64) }
}

/// The value of a primitive type of up to 16 bytes (others: `None`), zero-extended, with its size in bytes.
#[inline]
pub fn wide(heap: &Heap, value: Value) -> Option<(u128, u32)> {
    let shape = heap.shape_of(value);
    if value.is_inline() {
        return shape.is_bits.then_some((u128::from(value.bits()), shape.size));
    }
    if !shape.is_bits || shape.size != 16 {
        return None;
    }
    // SAFETY: an object of 16 bytes without pointers.
    Some((unsafe { space::load(value.bits()) }, 16))
}

/// The inverse of [`wide`]: bits beyond the size of the type are dropped.
#[inline]
pub fn from_wide(heap: &Heap, ty: Type, bits: u128) -> Value {
    let shape = heap.concrete(ty);
    assert!(
        shape.is_bits && shape.size <= 16,
        "{} is no type of 16 bytes",
        display::of_type(&heap.types, ty)
    );
    if shape.form == ObjectForm::Inline {
        let mask = if shape.size == 8 { u64::MAX } else { (1 << (8 * shape.size)) - 1 };
        return Value::inline(ty, bits as u64 & mask);
    }
    let value = allocation::alloc_value(heap, ty, u64::from(shape.size));
    // SAFETY: a fresh object of `size` bytes, of which at most 16 are written.
    unsafe { space::copy((&raw const bits).expose_provenance() as u64, value.bits(), shape.size as usize) };
    value
}

/// The first `size` (at most 8) bytes as a word.
///
/// # Safety
/// `address` must be readable for `size` bytes.
#[inline]
pub(super) unsafe fn load_word(address: u64, size: u32) -> u64 {
    // SAFETY: the caller's promise; the last arm copies into a word of 8 bytes.
    unsafe {
        match size {
            0 => 0,
            1 => u64::from(space::load::<u8>(address)),
            2 => u64::from(space::load::<u16>(address)),
            4 => u64::from(space::load::<u32>(address)),
            8 => space::load::<u64>(address),
            _ => {
                let mut word = 0u64;
                let to = (&raw mut word).expose_provenance() as u64;
                space::copy(address, to, size.min(8) as usize);
                word
            }
        }
    }
}

/// Writes the first `size` (at most 8) bytes of a word.
///
/// # Safety
/// `address` must be writable for `size` bytes.
#[inline]
pub(super) unsafe fn store_word(address: u64, size: u32, word: u64) {
    // SAFETY: the caller's promise; the last arm copies from a word of 8 bytes.
    unsafe {
        match size {
            0 => {}
            1 => space::store(address, word as u8),
            2 => space::store(address, word as u16),
            4 => space::store(address, word as u32),
            8 => space::store(address, word),
            _ => space::copy((&raw const word).expose_provenance() as u64, address, size.min(8) as usize),
        }
    }
}
