//! Transfer functions of predicates on types and values, of tuples and of simple vectors.

use super::{Env, Outcome, PURE, bound_of, instance_type};
use crate::lattice::{Lattice, is_type, join, le, meet_type};
use kiln_ir::Effects;
use kiln_runtime::heap::{constants, svecs};
use kiln_types::{
    ConstData, Type, Types, consts, datatype, display, intersect, layout, typevar, union, unionall,
};

/// Returns the value of `a === b`, if it is known.
pub(crate) fn egal(env: Env<'_>, a: &Lattice, b: &Lattice) -> Option<bool> {
    let types = env.types;
    if let (Some(x), Some(y)) = (a.as_const(), b.as_const()) {
        return Some(x == y);
    }
    let (x, y) = (a.widenconst(types), b.widenconst(types));
    if x == types.core().any || y == types.core().any {
        return None;
    }
    (intersect::meet(types, x, y) == types.core().bottom).then_some(false)
}

/// Infers `a === b`.
pub(crate) fn is(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let [a, b] = args else { return Outcome::throws(env) };
    match egal(env, a, b) {
        Some(it) => Outcome::pure(env, Lattice::bool(env.types, it), true),
        None => Outcome::with_type(env, env.types.core().bool, Effects::TOTAL),
    }
}

/// Infers `typeof(x)`.
pub(crate) fn type_of(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [it] = args else { return Outcome::throws(env) };
    if let Some(ty) = it.exact_type(types) {
        return Outcome::pure(env, Lattice::Const(consts::of_type(types, ty)), true);
    }
    // A union of the types of the members, so that a call with the result is split.
    let all: Vec<Type> =
        union::members(types, it.widenconst(types)).into_iter().map(|ty| kinds_of(env, ty)).collect();
    Outcome::with_type(env, types.union(&all), Effects::TOTAL)
}

/// Returns the type of the types that instances of `ty` have.
fn kinds_of(env: Env<'_>, ty: Type) -> Type {
    let types = env.types;
    let core = types.core();
    if ty == core.type_ || ty == core.any || typevar::has_free_vars(types, ty) || bound_of(env, ty).is_some()
    {
        return core.data_type;
    }
    if datatype::is_concrete(types, ty) {
        return datatype::type_type(types, ty);
    }
    let var = typevar::new(types, types.symbol("T"), core.bottom, ty);
    unionall::new(types, var, datatype::type_type(types, var))
}

/// Infers `a <: b`.
pub(crate) fn is_subtype(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [a, b] = args else { return Outcome::throws(env) };
    let valid = |it: &Lattice| it.as_type(types).is_some() || bound_of(env, it.widenconst(types)).is_some();
    let nothrow = valid(a) && valid(b);
    let known = match (a.as_type(types), b.as_type(types)) {
        (Some(a), Some(b)) => Some(types.subtype(a, b)),
        (None, Some(b)) => {
            bound_of(env, a.widenconst(types)).filter(|&it| types.subtype(it, b)).map(|_| true)
        }
        (_, None) => None,
    };
    match known {
        Some(it) => Outcome::pure(env, Lattice::bool(types, it), true),
        None => Outcome::with_type(env, types.core().bool, Effects { nothrow, ..PURE }),
    }
}

/// Returns the value of `isa(it, ty)`, if it is known.
pub(crate) fn known_isa(env: Env<'_>, it: &Lattice, ty: Type) -> Option<bool> {
    let types = env.types;
    if le(types, it, &Lattice::Type(ty)) {
        return Some(true);
    }
    meet_type(types, it, ty).is_bottom(types).then_some(false)
}

/// Infers `isa(x, T)`.
pub(crate) fn isa(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [it, ty] = args else { return Outcome::throws(env) };
    let exact = ty.as_type(types).filter(|&ty| !typevar::has_free_vars(types, ty));
    match exact.and_then(|ty| known_isa(env, it, ty)) {
        Some(it) => Outcome::pure(env, Lattice::bool(types, it), true),
        None => Outcome::with_type(env, types.core().bool, Effects { nothrow: exact.is_some(), ..PURE }),
    }
}

/// Infers `typeassert(x, T)`.
pub(crate) fn type_assert(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [it, ty] = args else { return Outcome::throws(env) };
    let asserted = instance_type(env, ty);
    let it = it.clone().widenconditional(types);
    let nothrow = ty.as_type(types).is_some() && le(types, &it, &Lattice::Type(asserted));
    Outcome::pure(env, meet_type(types, &it, asserted), nothrow)
}

/// Returns the tuple of these elements. A type as a value has its kind (`DataType`) as its element type.
pub(crate) fn tuple_of(types: &Types, args: &[Lattice]) -> Lattice {
    let elems: Vec<Type> = args
        .iter()
        .map(|it| match it.as_type(types) {
            Some(ty) if is_type(types, ty) => consts::type_of(types, consts::of_type(types, ty)),
            _ => it.widenconst(types),
        })
        .collect();
    let ty = datatype::tuple(types, &elems);
    if datatype::is_concrete(types, ty) {
        return Lattice::partial_struct(types, ty, args.to_vec());
    }
    Lattice::normalize(types, ty)
}

/// Infers `nfields(x)`.
pub(crate) fn field_count(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [it] = args else { return Outcome::throws(env) };
    match it.exact_type(types).filter(|_| it.as_type(types).is_none()) {
        Some(ty) => {
            let count = datatype::field_types(types, ty).len() as i64;
            Outcome::pure(env, Lattice::Const(consts::int(types, count)), true)
        }
        None => Outcome::with_type(env, types.core().int64, Effects::TOTAL),
    }
}

/// Infers `Core.sizeof(x)`.
pub(crate) fn size_of(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [it] = args else { return Outcome::throws(env) };
    let core = types.core();
    let opaque = |ty| {
        ty == core.string
            || ty == core.symbol
            || ty == core.simple_vector
            || datatype::name_of(types, ty) == datatype::name_of(types, core.generic_memory)
    };
    // Of a type that is not known here it is that type's own size, and not that of the object which stands for it.
    let of = it.as_type(types).or_else(|| it.exact_type(types).filter(|ty| !datatype::is_kind(types, *ty)));
    match of
        .filter(|&ty| datatype::is_concrete(types, ty) && !opaque(ty))
        .and_then(|it| layout::of(types, it))
    {
        Some(layout) => Outcome::pure(env, Lattice::Const(consts::int(types, i64::from(layout.size))), true),
        None => Outcome::with_type(env, core.int64, PURE),
    }
}

/// Returns the elements of a constant `svec`.
pub(crate) fn svec_elements(env: Env<'_>, it: &Lattice) -> Option<Vec<Lattice>> {
    let constant = it.as_const()?;
    if let ConstData::Object { ty, .. } = env.types.const_data(constant)
        && *ty == env.types.core().simple_vector
    {
        let heap = &env.rt.heap;
        let values = svecs::values(heap, constants::value_of(heap, constant));
        return Some(values.into_iter().map(|it| Lattice::Const(constants::const_of(heap, it))).collect());
    }
    None
}

/// Infers `Core._svec_len(v)`.
pub(crate) fn svec_len(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let [it] = args else { return Outcome::throws(env) };
    match svec_elements(env, it) {
        Some(all) => Outcome::pure(env, Lattice::Const(consts::int(env.types, all.len() as i64)), true),
        None => Outcome::with_type(env, env.types.core().int64, PURE),
    }
}

/// Infers `Core._svec_ref(v, i)`.
pub(crate) fn svec_ref(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let [it, index] = args else { return Outcome::throws(env) };
    if let (Some(all), Some(index)) = (svec_elements(env, it), index.as_int(env.types)) {
        return match usize::try_from(index - 1).ok().and_then(|it| all.get(it)) {
            Some(it) => Outcome::pure(env, it.clone(), true),
            None => Outcome::throws(env),
        };
    }
    Outcome::with_type(env, env.types.core().any, PURE)
}

/// Infers `ifelse(c, a, b)`.
pub(crate) fn if_else(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [cond, a, b] = args else { return Outcome::throws(env) };
    if meet_type(types, cond, types.core().bool).is_bottom(types) {
        return Outcome::throws(env);
    }
    let nothrow = cond.widenconst(types) == types.core().bool;
    let ty = match cond.as_bool(types) {
        Some(true) => a.clone(),
        Some(false) => b.clone(),
        None => join(types, &a.clone().widenconditional(types), &b.clone().widenconditional(types)),
    };
    Outcome::pure(env, ty, nothrow)
}

/// Infers `compilerbarrier(setting, x)`: `:type` hides the type, `:const` the value and `:conditional` the
/// refinement.
pub(crate) fn barrier(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [setting, it] = args else { return Outcome::throws(env) };
    let setting = setting.as_const().map(|it| display::of_const(types, it));
    let ty = match setting.as_deref() {
        Some(":const") => Lattice::Type(it.widenconst(types)),
        Some(":conditional") => it.clone().widenconditional(types),
        _ => Lattice::any(types),
    };
    // Folding the call would reveal the hidden information.
    let consistent = setting.as_deref() == Some(":conditional");
    Outcome::new(env, ty, Effects { consistent, ..Effects::TOTAL })
}
