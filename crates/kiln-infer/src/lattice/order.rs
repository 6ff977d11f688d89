//! The partial order of the lattice, and meets with types.

use super::{Lattice, field};
use kiln_types::{Type, Types, consts, datatype, intersect};

/// Whether `a ⊑ b`: every value of `a` is one of `b`, and `a` holds at least the information of `b`.
pub fn le(types: &Types, a: &Lattice, b: &Lattice) -> bool {
    if a == b || a.is_bottom(types) {
        return true;
    }
    match (a, b) {
        (Lattice::Conditional(x), Lattice::Conditional(y))
        | (Lattice::InterConditional(x), Lattice::InterConditional(y)) => {
            x.slot == y.slot && x.def == y.def && le(types, &x.then, &y.then) && le(types, &x.other, &y.other)
        }
        (_, Lattice::Conditional(_) | Lattice::InterConditional(_)) => false,
        (_, Lattice::Const(_)) => a.as_bool(types).is_some() && b.as_bool(types) == a.as_bool(types),
        (_, Lattice::PartialStruct(y)) => {
            a.exact_type(types) == Some(y.ty)
                && !datatype::is_mutable(types, y.ty)
                && y.fields
                    .iter()
                    .enumerate()
                    .all(|(n, it)| field(types, a, n).is_some_and(|known| le(types, &known, it)))
        }
        (Lattice::Const(it), Lattice::Type(ty)) => consts::isa(types, *it, *ty),
        (_, Lattice::Type(ty)) => types.subtype(a.widenconst(types), *ty),
    }
}

/// Returns the meet of `a` with the type `ty`.
pub fn meet_type(types: &Types, a: &Lattice, ty: Type) -> Lattice {
    match a {
        Lattice::Const(it) if consts::isa(types, *it, ty) => a.clone(),
        Lattice::Const(_) => Lattice::bottom(types),
        Lattice::Type(own) if types.subtype(*own, ty) => a.clone(),
        Lattice::Type(own) if types.subtype(ty, *own) => Lattice::normalize(types, ty),
        Lattice::Type(own) => Lattice::normalize(types, intersect::meet(types, *own, ty)),
        Lattice::PartialStruct(it) => {
            if types.subtype(it.ty, ty) {
                a.clone()
            } else {
                Lattice::bottom(types)
            }
        }
        Lattice::Conditional(_) | Lattice::InterConditional(_) => {
            if types.subtype(types.core().bool, ty) {
                a.clone()
            } else {
                Lattice::bottom(types)
            }
        }
    }
}
