//! `Array`s made and read from Rust.

use super::{Heap, Value, fields, memory, tuples};
use kiln_types::{Type, consts, datatype, display};

/// `Array{elem, 1}`.
pub fn vector_type(heap: &Heap, elem: Type) -> Type {
    let one = consts::to_param(&heap.types, consts::int(&heap.types, 1));
    memory::applied(heap, heap.core.array, &[elem, one])
}

/// A `Vector{elem}` of these values.
pub fn vector(heap: &Heap, elem: Type, values: &[Value]) -> Value {
    let memory = memory::new(heap, memory::memory_type(heap, elem), values.len());
    for (index, &value) in values.iter().enumerate() {
        memory::set(heap, memory, index, value);
    }
    vector_over(heap, elem, memory, values.len())
}

/// A `Vector{Any}` of these values.
pub fn any_vector(heap: &Heap, values: &[Value]) -> Value {
    vector(heap, heap.core.any, values)
}

/// A `Vector{UInt8}` of these bytes.
pub fn byte_vector(heap: &Heap, bytes: &[u8]) -> Value {
    let elem = heap.core.uint8;
    let memory = memory::new(heap, memory::memory_type(heap, elem), bytes.len());
    for (index, &byte) in bytes.iter().enumerate() {
        memory::set(heap, memory, index, Value::inline(elem, u64::from(byte)));
    }
    vector_over(heap, elem, memory, bytes.len())
}

fn vector_over(heap: &Heap, elem: Type, memory: Value, length: usize) -> Value {
    let reference = memory::new_ref(heap, memory::ref_type(heap, memory.ty()), memory, 0);
    let size = tuples::new(heap, &[heap.int(length as i64)]);
    fields::new_struct(heap, vector_type(heap, elem), &[reference, size])
}

/// Whether a value is an `Array`.
pub fn is_array(heap: &Heap, value: Value) -> bool {
    !value.is_inline()
        && datatype::name_of(&heap.types, value.ty()) == datatype::name_of(&heap.types, heap.core.array)
}

/// Number of elements of an `Array`.
pub fn len(heap: &Heap, array: Value) -> usize {
    let size = fields::get(heap, array, 1);
    let dims = size.map(|size| tuples::values(heap, size)).unwrap_or_default();
    dims.iter().map(|it| it.bits() as usize).product()
}

/// Element `index` (from 0, in memory order) of an `Array`; `None` when it is undefined.
pub fn get(heap: &Heap, array: Value, index: usize) -> Option<Value> {
    let (memory, at) = slot(heap, array, index);
    memory::get(heap, memory, at)
}

/// Sets element `index` (from 0, in memory order) of an `Array`; the value must fit the element type.
pub fn set(heap: &Heap, array: Value, index: usize, value: Value) {
    let (memory, at) = slot(heap, array, index);
    memory::set(heap, memory, at, value);
}

fn slot(heap: &Heap, array: Value, index: usize) -> (Value, usize) {
    assert!(is_array(heap, array), "{} as an array", display::of_type(&heap.types, array.ty()));
    let parts = fields::get(heap, array, 0).and_then(|it| memory::ref_parts(heap, it));
    match parts {
        Some(parts) => (parts.memory, (parts.index + index as i64) as usize),
        None => panic!("an array without memory"),
    }
}

/// The elements of an `Array`, which must all be defined.
pub fn values(heap: &Heap, array: Value) -> Vec<Value> {
    (0..len(heap, array)).filter_map(|index| get(heap, array, index)).collect()
}
