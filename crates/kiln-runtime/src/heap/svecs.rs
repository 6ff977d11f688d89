//! `SimpleVector`s.

use super::{Heap, Value, allocation, boxes};
use kiln_memory::{self as space, PERMANENT};
use kiln_types::display;
use std::sync::atomic::Ordering;

/// A `SimpleVector`. The empty one is made once.
pub fn new(heap: &Heap, values: &[Value]) -> Value {
    if values.is_empty() {
        return empty(heap);
    }
    let vector = allocation::alloc(heap, heap.core.simple_vector, 8 + 8 * values.len() as u64);
    // SAFETY: a fresh object of `8 + 8 * len` bytes.
    unsafe {
        space::store(vector.bits(), values.len() as u64);
        for (index, &value) in values.iter().enumerate() {
            space::store(vector.bits() + 8 + 8 * index as u64, boxes::box_stored(heap, value));
        }
    }
    vector
}

fn empty(heap: &Heap) -> Value {
    let ty = heap.core.simple_vector;
    let known = heap.empty_svec.load(Ordering::Acquire);
    if known != 0 {
        return Value::object(ty, known);
    }
    // A second one that another thread makes meanwhile does no harm: all empty ones are identical.
    let address = allocation::alloc_or_panic(heap, ty, PERMANENT, 8);
    heap.empty_svec.store(address, Ordering::Release);
    Value::object(ty, address)
}

/// Length of a `SimpleVector`.
pub fn len(heap: &Heap, vector: Value) -> usize {
    assert!(vector.ty() == heap.core.simple_vector, "{} as svec", display::of_type(&heap.types, vector.ty()));
    // SAFETY: a simple vector starts with its length.
    unsafe { space::load::<u64>(vector.bits()) as usize }
}

/// Element `index` (from 0); `None` when it is undefined.
pub fn get(heap: &Heap, vector: Value, index: usize) -> Option<Value> {
    let len = len(heap, vector);
    assert!(index < len, "element {index} of a svec of {len}");
    // SAFETY: the index was checked; elements are null or objects.
    unsafe {
        match space::load::<u64>(vector.bits() + 8 + 8 * index as u64) {
            0 => None,
            object => Some(boxes::value_at(object)),
        }
    }
}

/// The elements of a `SimpleVector`, which must all be defined.
pub fn values(heap: &Heap, vector: Value) -> Vec<Value> {
    (0..len(heap, vector)).filter_map(|index| get(heap, vector, index)).collect()
}
