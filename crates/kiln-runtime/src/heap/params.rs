//! Type parameters as values, and values as type parameters.

use super::{Heap, Value, constants};
use kiln_types::{Type, TypeData, consts, datatype, layout};

/// Returns a type parameter as a value: a type, or the value in its place.
pub fn value_of_param(heap: &Heap, param: Type) -> Value {
    if let TypeData::Value(constant) = heap.types.data(param) {
        return constants::value_of(heap, *constant);
    }
    heap.type_value(param)
}

/// A value as a type parameter; `None` if it can not be one.
pub fn param_of_value(heap: &Heap, value: Value) -> Option<Type> {
    if let Some(ty) = value.as_type_like(&heap.core) {
        return Some(ty);
    }
    let permitted = value.ty() == heap.core.symbol
        || value.ty() == heap.core.module
        || layout::is_bits(&heap.types, value.ty())
        || datatype::is_tuple(&heap.types, value.ty());
    permitted.then(|| consts::to_param(&heap.types, constants::const_of(heap, value)))
}
