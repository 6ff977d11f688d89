//! Tuples and named tuples.

use super::{Heap, Value, fields};
use kiln_types::{Symbol, Type, datatype};

/// Longest tuple whose type is remembered.
pub(super) const SHORT: usize = 4;

/// `(values...,)`.
pub fn new(heap: &Heap, values: &[Value]) -> Value {
    fields::new_struct(heap, type_of(heap, values), values)
}

/// The type of `(values...,)`. Short ones are remembered: interning a type costs more than making a tuple.
fn type_of(heap: &Heap, values: &[Value]) -> Type {
    let intern = || datatype::tuple(&heap.types, &values.iter().map(|it| it.ty()).collect::<Vec<_>>());
    if values.len() > SHORT {
        return intern();
    }
    let mut key = [u32::MAX; SHORT];
    for (slot, value) in key.iter_mut().zip(values) {
        *slot = value.ty().index() as u32;
    }
    if let Some(&known) = heap.tuple_types.read().get(&key) {
        return known;
    }
    let ty = intern();
    heap.tuple_types.write().insert(key, ty);
    ty
}

/// The fields of a tuple, named tuple or struct, up to the first undefined one.
pub fn values(heap: &Heap, tuple: Value) -> Vec<Value> {
    (0..fields::count(heap, tuple)).map_while(|index| fields::get(heap, tuple, index)).collect()
}

/// A named tuple.
pub fn named(heap: &Heap, names: &[Symbol], values: &[Value]) -> Value {
    let elems: Vec<Type> = values.iter().map(|it| it.ty()).collect();
    let types = datatype::tuple(&heap.types, &elems);
    fields::new_struct(heap, datatype::named_tuple(&heap.types, names, types), values)
}
