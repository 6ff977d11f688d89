//! Transfer functions of `Memory` and `MemoryRef`.

use super::{ALLOC, Env, Outcome, PURE, READ_OBJECT, WRITE_OBJECT, instance_type};
use crate::lattice::{Lattice, meet_type};
use kiln_ir::Effects;
use kiln_types::{Type, TypeData, datatype, layout, typevar};

/// Infers `memorynew(Memory{T}, n)`.
pub(crate) fn new(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let [ty, _length] = args else { return Outcome::throws(env) };
    let made = instance_type(env, ty);
    // Bits are uninitialized; addresses are null at first.
    let consistent =
        datatype::is_concrete(env.types, made) && !layout::is_bits(env.types, element(env, made));
    Outcome::with_type(env, made, Effects { consistent, ..ALLOC })
}

/// Infers `memoryrefnew(mem)`, `memoryrefnew(ref, i)` and `memoryrefnew(ref, i, boundscheck)`.
pub(crate) fn new_ref(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let Some(first) = args.first() else { return Outcome::throws(env) };
    let ty = first.widenconst(types);
    let core = types.core();
    let made = match types.data(ty) {
        TypeData::Data { name, params } if Some(*name) == datatype::name_of(types, core.generic_memory) => {
            types.apply(core.generic_memory_ref, params).unwrap_or(core.any)
        }
        TypeData::Data { .. } => ty,
        TypeData::Bottom
        | TypeData::Union(_)
        | TypeData::UnionAll { .. }
        | TypeData::Var { .. }
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => core.any,
    };
    let unchecked = args.get(2).and_then(|it| it.as_bool(types)) == Some(false);
    let nothrow = datatype::is_concrete(types, made) && (args.len() == 1 || unchecked);
    Outcome::with_type(env, made, Effects { nothrow, noub: !unchecked, ..PURE })
}

/// Returns the element type of a memory or reference type.
pub(crate) fn element(env: Env<'_>, ty: Type) -> Type {
    let types = env.types;
    match datatype::params(types, ty) {
        [_kind, elem, _space] if !typevar::has_free_vars(types, *elem) => *elem,
        _ => types.core().any,
    }
}

/// Infers `memoryrefget(ref, order, boundscheck)`.
pub(crate) fn get(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [reference, _order, check] = args else { return Outcome::throws(env) };
    let elem = element(env, reference.widenconst(types));
    let unchecked = check.as_bool(types) == Some(false);
    let nothrow = unchecked
        && layout::is_bits(types, elem)
        && datatype::is_concrete(types, reference.widenconst(types));
    Outcome::with_type(env, elem, Effects { nothrow, noub: !unchecked, ..READ_OBJECT })
}

/// Infers `memoryrefset!(ref, value, order, boundscheck)`.
pub(crate) fn set(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [reference, value, _order, check] = args else { return Outcome::throws(env) };
    let elem = element(env, reference.widenconst(types));
    let kept = meet_type(types, &value.clone().widenconditional(types), elem);
    let unchecked = check.as_bool(types) == Some(false);
    let fits = types.subtype(value.widenconst(types), elem)
        && datatype::is_concrete(types, reference.widenconst(types));
    Outcome::new(env, kept, Effects { nothrow: unchecked && fits, noub: !unchecked, ..WRITE_OBJECT })
}
