//! The types that types themselves have.

use super::Heap;
use kiln_types::{Type, TypeData, consts};

/// `typeof` of a type: `DataType`, `Union`, `UnionAll`, `Core.TypeofBottom`, `TypeVar` or
/// `Core.TypeofVararg`.
pub fn kind_of(heap: &Heap, ty: Type) -> Type {
    match heap.types.data(ty) {
        TypeData::Bottom => heap.core.typeof_bottom,
        TypeData::Data { .. } => heap.core.data_type,
        TypeData::Union(_) => heap.core.union_type,
        TypeData::UnionAll { .. } => heap.core.union_all,
        TypeData::Var { .. } => heap.core.type_var,
        TypeData::Vararg { .. } => heap.core.typeof_vararg,
        TypeData::Value(constant) => consts::type_of(&heap.types, *constant),
    }
}
