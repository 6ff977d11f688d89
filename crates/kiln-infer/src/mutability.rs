//! Immutable values, and values without identity: the conditions of memory effects.

use crate::lattice::Lattice;
use kiln_types::{Const, ConstData, Type, TypeData, TypeNameKind, Types, datatype};

/// Deeper fields are taken for mutable.
const DEPTH_MAX: usize = 8;

/// Whether everything reachable from a constant is immutable.
pub(crate) fn is_mutation_free(types: &Types, constant: Const) -> bool {
    match types.const_data(constant) {
        ConstData::Bits { .. }
        | ConstData::Symbol(_)
        | ConstData::Type(_)
        | ConstData::String(_)
        | ConstData::Module(_) => true,
        ConstData::Aggregate { fields, .. } => fields.iter().all(|&it| is_mutation_free(types, it)),
        ConstData::Object { ty, .. } => is_mutation_free_type(types, *ty),
    }
}

/// Whether everything reachable from a value of this type is immutable.
pub(crate) fn is_mutation_free_type(types: &Types, ty: Type) -> bool {
    is_fixed(types, ty, DEPTH_MAX)
}

/// Whether values of the element with equal contents are identical (`===`): none contains a mutable object.
pub(crate) fn has_no_identity(types: &Types, it: &Lattice) -> bool {
    match it {
        Lattice::Const(it) => is_mutation_free(types, *it),
        Lattice::PartialStruct(it) => {
            let declared = datatype::field_types(types, it.ty).iter().skip(it.fields.len());
            it.fields.iter().all(|it| has_no_identity(types, it))
                && declared.into_iter().all(|&it| is_mutation_free_type(types, it))
                && !datatype::is_mutable(types, it.ty)
        }
        other => is_mutation_free_type(types, other.widenconst(types)),
    }
}

fn is_fixed(types: &Types, ty: Type, depth: usize) -> bool {
    let core = types.core();
    let plain = [
        core.bottom,
        core.string,
        core.symbol,
        core.simple_vector,
        core.data_type,
        core.type_,
        core.module,
        core.union_all,
        core.union_type,
    ];
    if plain.contains(&ty) || datatype::type_type_param(types, ty).is_some() {
        return true;
    }
    if depth == 0 {
        return false;
    }
    match types.data(ty) {
        TypeData::Union(members) => members.iter().all(|&it| is_fixed(types, it, depth)),
        TypeData::Vararg { elem, .. } => is_fixed(types, *elem, depth),
        TypeData::UnionAll { body, .. } => is_fixed(types, *body, depth),
        TypeData::Var { upper, .. } => is_fixed(types, *upper, depth - 1),
        TypeData::Data { name, .. } if datatype::name_of(types, core.generic_memory) == Some(*name) => false,
        TypeData::Data { name, .. } if datatype::name_of(types, core.generic_memory_ref) == Some(*name) => {
            false
        }
        TypeData::Data { name, params } => match types.type_name(*name).def.kind {
            TypeNameKind::Primitive { .. } => true,
            TypeNameKind::Tuple => params.iter().all(|&it| is_fixed(types, it, depth - 1)),
            TypeNameKind::NamedTuple => params.get(1).is_some_and(|&it| is_fixed(types, it, depth)),
            TypeNameKind::Struct { .. } if !datatype::is_mutable(types, ty) => {
                datatype::field_types(types, ty).iter().all(|&it| is_fixed(types, it, depth - 1))
            }
            TypeNameKind::Struct { .. } | TypeNameKind::Abstract => false,
        },
        TypeData::Bottom | TypeData::Value(_) => true,
    }
}
