//! Strings.

use super::{Heap, Value, allocation};
use kiln_memory as space;
use kiln_types::display;

/// A new `String` of any bytes.
pub fn from_bytes(heap: &Heap, text: &[u8]) -> Value {
    let string = allocation::alloc(heap, heap.core.string, 8 + text.len() as u64 + 1);
    // SAFETY: a fresh object of `8 + len + 1` bytes, the last one zero.
    unsafe {
        space::store(string.bits(), text.len() as u64);
        space::copy(text.as_ptr().expose_provenance() as u64, string.bits() + 8, text.len());
    }
    string
}

/// A new `String`.
pub fn string(heap: &Heap, text: &str) -> Value {
    from_bytes(heap, text.as_bytes())
}

/// The bytes of a `String`. They must not be written (through `pointer(s)`) while the slice is in use.
pub fn bytes(heap: &Heap, string: Value) -> &[u8] {
    assert!(string.ty() == heap.core.string, "a {} as a string", display::of_type(&heap.types, string.ty()));
    // SAFETY: a string object starts with its length, its bytes follow.
    unsafe {
        let len = space::load::<u64>(string.bits());
        space::bytes(string.bits() + 8, len as usize)
    }
}

/// The bytes, if the value is a `String`.
pub fn as_bytes(heap: &Heap, value: Value) -> Option<&[u8]> {
    (value.ty() == heap.core.string).then(|| bytes(heap, value))
}

/// The text of a `String` or the name of a `Symbol`, invalid UTF-8 replaced.
pub fn read(heap: &Heap, value: Value) -> Option<String> {
    if let Some(symbol) = value.as_symbol(&heap.core) {
        return Some(heap.types.name(symbol).to_owned());
    }
    as_bytes(heap, value).map(|it| String::from_utf8_lossy(it).into_owned())
}

/// Address of a string's first byte; a NUL follows the last one.
pub fn pointer(heap: &Heap, string: Value) -> u64 {
    bytes(heap, string);
    string.bits() + 8
}
