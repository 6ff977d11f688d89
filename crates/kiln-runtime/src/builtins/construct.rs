//! `new`: the checks before a struct is made.

use crate::heap::{ObjectForm, fields, tuples};
use crate::{Heap, Run, Value, exceptions};
use kiln_types::datatype;

/// `new(T, values...)`: `T` must be a concrete struct type, enough fields given, each of its declared type.
pub fn new_struct(heap: &Heap, ty: Value, values: &[Value]) -> Run {
    let concrete = ty.as_type(heap.core()).and_then(|it| heap.shape(it));
    let shape = match concrete {
        Some(shape) if matches!(shape.form, ObjectForm::Struct | ObjectForm::Inline) && !shape.primitive => {
            shape
        }
        _ => return Err(exceptions::type_error(heap, "new", heap.core().data_type, ty)),
    };
    if values.len() > shape.fields.len() || values.len() < shape.fields_required as usize {
        return Err(exceptions::error(heap, "invalid struct allocation"));
    }
    for (field, &value) in shape.fields.iter().zip(values) {
        if !heap.isa(value, field.ty) {
            return Err(exceptions::type_error(heap, "new", field.ty, value));
        }
    }
    if !shape.is_bits && shape.form == ObjectForm::Inline {
        return Err(exceptions::type_error(heap, "new", heap.core().data_type, ty));
    }
    Ok(fields::new_struct(heap, shape.ty, values))
}

/// `new(T, tuple...)`.
pub fn splat_new(heap: &Heap, ty: Value, tuple: Value) -> Run {
    if !datatype::is_tuple(heap.types(), tuple.ty()) {
        return Err(exceptions::type_error(heap, "new", heap.core().tuple, tuple));
    }
    new_struct(heap, ty, &tuples::values(heap, tuple))
}
