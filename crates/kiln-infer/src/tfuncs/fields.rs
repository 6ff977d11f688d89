//! Transfer functions of `getfield`, `setfield!` and their like.

use super::{Env, Outcome, PURE, READ, READ_OBJECT, WRITE_OBJECT};
use crate::lattice::{Lattice, const_field, field, join, join_types, meet_type};
use kiln_ir::Effects;
use kiln_runtime::builtins::{reflected_field, reflected_names};
use kiln_runtime::heap::{constants, fields};
use kiln_types::{
    ConstData, Type, TypeData, TypeNameKind, consts, datatype, layout, typevar, union, unionall,
};

/// Which field a constant names.
fn field_index(env: Env<'_>, ty: Type, name: &Lattice) -> Option<usize> {
    let types = env.types;
    if let Some(index) = name.as_int(types) {
        return usize::try_from(index.wrapping_sub(1)).ok();
    }
    match types.const_data(name.as_const()?) {
        ConstData::Symbol(it) => datatype::field_index(types, unionall::unwrap(types, ty), *it),
        ConstData::Bits { .. }
        | ConstData::Type(_)
        | ConstData::String(_)
        | ConstData::Module(_)
        | ConstData::Aggregate { .. }
        | ConstData::Object { .. } => None,
    }
}

fn kind(env: Env<'_>, ty: Type) -> Option<TypeNameKind> {
    let name = datatype::name_of(env.types, unionall::unwrap(env.types, ty))?;
    Some(env.types.type_name(name).def.kind)
}

/// Whether field `index` is set in every instance.
fn always_set(env: Env<'_>, ty: Type, index: usize) -> bool {
    let types = env.types;
    if datatype::name_of(types, ty).is_none() {
        return false;
    }
    !layout::may_be_undefined(types, ty, index)
        || datatype::field_types(types, ty).get(index).is_some_and(|&it| layout::is_bits(types, it))
}

fn is_const_field(env: Env<'_>, ty: Type, index: usize) -> bool {
    let types = env.types;
    if !datatype::is_mutable(types, ty) {
        return true;
    }
    let name = datatype::name_of(types, ty).map(|it| types.type_name(it));
    name.is_some_and(|it| it.def.const_fields.get(index).copied().unwrap_or(false))
}

/// Infers `getfield(x, f)`, with an optional order and bounds check.
pub(crate) fn get(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [object, name, flags @ ..] = args else { return Outcome::throws(env) };
    let mut found = get_checked(env, object, name);
    if !found.effects.nothrow && flags.iter().any(|it| it.as_bool(types) == Some(false)) {
        let is_tuple = object.exact_type(types).is_some_and(|it| datatype::is_tuple(types, it));
        found.effects.noub = false;
        found.effects.nothrow = is_tuple && name.widenconst(types) == types.core().int64;
    }
    found
}

fn get_checked(env: Env<'_>, object: &Lattice, name: &Lattice) -> Outcome {
    let types = env.types;
    if let Some(found) = reflected(env, object, name) {
        return found;
    }
    if let Some(found) = of_constant(env, object, name) {
        return found;
    }
    let parts = union::members(types, object.widenconst(types));
    if parts.len() > 1 {
        let all: Vec<Outcome> =
            parts.iter().map(|&it| get_one(env, &Lattice::normalize(types, it), name)).collect();
        let ty = all.iter().map(|it| it.ty.clone()).reduce(|a, b| join(types, &a, &b));
        let effects = all.iter().fold(Effects::TOTAL, |sum, it| sum.merge(it.effects));
        return Outcome::new(env, ty.unwrap_or_else(|| Lattice::any(types)), effects);
    }
    get_one(env, object, name)
}

/// Infers a field of a constant: by content for an immutable struct, by its current value for a `const` field of a
/// heap object.
fn of_constant(env: Env<'_>, object: &Lattice, name: &Lattice) -> Option<Outcome> {
    let types = env.types;
    let constant = object.as_const()?;
    let ty = consts::type_of(types, constant);
    let index = field_index(env, ty, name)?;
    if index >= datatype::field_types(types, ty).len() {
        return Some(Outcome::throws(env));
    }
    if let Some(found) = const_field(types, constant, index) {
        return Some(Outcome::pure(env, Lattice::Const(found), true));
    }
    let looks = matches!(types.const_data(constant), ConstData::Object { .. });
    if looks && is_const_field(env, ty, index) {
        let heap = &env.rt.heap;
        let value = fields::get(heap, constants::value_of(heap, constant), index)?;
        return Some(Outcome::pure(env, Lattice::Const(constants::const_of(heap, value)), true));
    }
    None
}

/// Returns the position of a constant name, or number, among these names.
fn reflected_index(env: Env<'_>, names: &[&str], name: &Lattice) -> Option<usize> {
    let types = env.types;
    let index = match (name.as_int(types), name.as_const().map(|it| types.const_data(it))) {
        (Some(index), _) => usize::try_from(index.wrapping_sub(1)).ok(),
        (None, Some(ConstData::Symbol(it))) => names.iter().position(|name| *name == types.name(*it)),
        _ => None,
    };
    index.filter(|it| *it < names.len())
}

/// Infers a field of a type, a type variable or a type name, which is computed on access.
fn reflected(env: Env<'_>, object: &Lattice, name: &Lattice) -> Option<Outcome> {
    let (types, heap, core) = (env.types, &env.rt.heap, env.types.core());
    let of = object.exact_type(types)?;
    let names = reflected_names(heap, of)?;
    let unknown = |ty| Outcome::with_type(env, ty, PURE);
    if name.as_const().is_none() {
        return Some(unknown(core.any));
    }
    let Some(index) = reflected_index(env, names, name) else { return Some(Outcome::throws(env)) };
    let ty = match names[index] {
        // A number of this session; vectors are allocated on each access.
        "hash" => return Some(unknown(core.int64)),
        "parameters" | "types" | "names" => return Some(unknown(core.simple_vector)),
        "singletonname" => core.symbol,
        "module" => core.module,
        "n_uninitialized" => core.int32,
        "name" if of != core.data_type => core.symbol,
        name => {
            datatype::field_index(types, of, types.symbol(name)).map_or(core.any, |it| declared(env, of, it))
        }
    };
    let Some(constant) = object.as_const() else { return Some(unknown(ty)) };
    Some(match reflected_field(heap, constants::value_of(heap, constant), index) {
        Some(value) => Outcome::pure(env, Lattice::Const(constants::const_of(heap, value)), true),
        None => Outcome::throws(env),
    })
}

fn get_one(env: Env<'_>, object: &Lattice, name: &Lattice) -> Outcome {
    let types = env.types;
    let ty = object.widenconst(types);
    let exact = object.exact_type(types);
    let Some(of) = exact.or_else(|| is_struct(env, ty).then_some(ty)) else {
        let is_module = types.subtype(types.core().module, ty);
        return Outcome::with_type(env, types.core().any, if is_module { READ } else { READ_OBJECT });
    };
    if let Some(ty) = tail_element(env, of, name) {
        return Outcome::with_type(env, ty, PURE);
    }
    let count = datatype::field_types(types, unionall::unwrap(types, of)).len();
    let Some(index) = field_index(env, of, name) else {
        return get_unknown(env, object, of, name);
    };
    if index >= count {
        return Outcome::throws(env);
    }
    let known = if exact.is_some() { field(types, object, index) } else { None };
    let result = known.unwrap_or_else(|| Lattice::normalize(types, declared(env, of, index)));
    let constant = is_const_field(env, of, index);
    let set =
        always_set(env, of, index) || matches!(object, Lattice::PartialStruct(it) if it.fields.len() > index);
    let effects = Effects { nothrow: set, no_argument_reads: constant, ..PURE };
    Outcome::new(env, result, effects)
}

fn is_struct(env: Env<'_>, ty: Type) -> bool {
    let has_fields = matches!(
        kind(env, ty),
        Some(TypeNameKind::Struct { .. } | TypeNameKind::Tuple | TypeNameKind::NamedTuple)
    );
    has_fields && datatype::type_type_param(env.types, ty).is_none() && !has_open_fields(env, ty)
}

/// Whether named tuples of this type may have any fields: their names or their types are unknown.
fn has_open_fields(env: Env<'_>, ty: Type) -> bool {
    let types = env.types;
    let inner = unionall::unwrap(types, ty);
    if !datatype::is_named_tuple(types, inner) {
        return false;
    }
    let is_vararg = |it: &Type| matches!(types.data(*it), TypeData::Vararg { .. });
    match datatype::params(types, inner) {
        [names, fields] => {
            let has_names = matches!(types.data(*names), TypeData::Value(_));
            !has_names
                || !datatype::is_tuple(types, *fields)
                || datatype::params(types, *fields).last().is_some_and(is_vararg)
        }
        _ => true,
    }
}

/// Returns the element type of a tuple of unknown length.
fn tail_element(env: Env<'_>, ty: Type, name: &Lattice) -> Option<Type> {
    let types = env.types;
    let inner = unionall::unwrap(types, ty);
    if !datatype::is_tuple(types, inner) {
        return None;
    }
    let params = datatype::params(types, inner);
    let TypeData::Vararg { elem, .. } = types.data(*params.last()?) else { return None };
    let fixed = &params[..params.len() - 1];
    let found = match name.as_int(types).and_then(|it| usize::try_from(it - 1).ok()) {
        Some(index) => Some(fixed.get(index).copied().unwrap_or(*elem)),
        None => fixed.iter().copied().chain([*elem]).reduce(|a, b| join_types(types, a, b)),
    };
    found.map(|it| bound_again(env, it, ty))
}

/// Binds the variables of `ty` in a part of it again; `Any` if some remain free.
fn bound_again(env: Env<'_>, part: Type, ty: Type) -> Type {
    let wrapped = unionall::rewrap(env.types, part, ty);
    if typevar::has_free_vars(env.types, wrapped) { env.types.core().any } else { wrapped }
}

/// Returns the declared type of a field, with its free variables bound again.
fn declared(env: Env<'_>, ty: Type, index: usize) -> Type {
    let types = env.types;
    let inner = unionall::unwrap(types, ty);
    let field = datatype::field_types(types, inner).get(index).copied().unwrap_or(types.core().any);
    bound_again(env, field, ty)
}

/// Infers a field of unknown name: any of them.
fn get_unknown(env: Env<'_>, object: &Lattice, of: Type, name: &Lattice) -> Outcome {
    let types = env.types;
    let core = types.core();
    let symbol_or_int = types.union(&[core.symbol, core.int64]);
    // Globals, and fields of runtime objects that are computed on access.
    if [core.module, core.method, core.method_instance].contains(&of) {
        return Outcome::with_type(env, core.any, READ);
    }
    if meet_type(types, name, symbol_or_int).is_bottom(types) || name.as_const().is_some() {
        return Outcome::throws(env); // A constant that names no field, too.
    }
    let count = datatype::field_types(types, unionall::unwrap(types, of)).len();
    let all = (0..count).map(|n| match object.exact_type(types) {
        Some(_) => field(types, object, n).unwrap_or_else(|| Lattice::any(types)),
        None => Lattice::normalize(types, declared(env, of, n)),
    });
    let ty = all.reduce(|a, b| join(types, &a, &b)).unwrap_or_else(|| Lattice::bottom(types));
    let mutable = datatype::is_mutable(types, unionall::unwrap(types, of));
    Outcome::new(env, ty, if mutable { READ_OBJECT } else { PURE })
}

/// Infers `setfield!(x, f, v)`.
pub(crate) fn set(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [object, name, value, ..] = args else { return Outcome::throws(env) };
    let ty = object.widenconst(types);
    let value = value.clone().widenconditional(types);
    let Some(index) = object.exact_type(types).and_then(|_| field_index(env, ty, name)) else {
        return Outcome::new(env, value, WRITE_OBJECT);
    };
    let Some(&declared) = datatype::field_types(types, ty).get(index) else { return Outcome::throws(env) };
    if !datatype::is_mutable(types, ty) || is_const_field(env, ty, index) {
        return Outcome::throws(env);
    }
    let nothrow = types.subtype(value.widenconst(types), declared);
    Outcome::new(env, meet_type(types, &value, declared), Effects { nothrow, ..WRITE_OBJECT })
}

/// Infers `swapfield!(x, f, v)`: the old value.
pub(crate) fn swap(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let [object, name, _value, ..] = args else { return Outcome::throws(env) };
    let old = get_one(env, object, name);
    Outcome::new(env, old.ty, WRITE_OBJECT)
}

/// Infers `fieldtype(T, f)`.
pub(crate) fn field_type(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [object, name, ..] = args else { return Outcome::throws(env) };
    let core = types.core();
    let parts = union::members(types, object.widenconst(types));
    if parts.len() > 1 {
        let all = parts.iter().map(|&it| field_type(env, &[Lattice::normalize(types, it), name.clone()]));
        let joined =
            all.reduce(|a, b| Outcome { ty: join(types, &a.ty, &b.ty), effects: a.effects.merge(b.effects) });
        return joined.unwrap_or_else(|| Outcome::throws(env));
    }
    // A field type of a partially known type may be a variable.
    let unknown = || Outcome::with_type(env, types.union(&[core.type_, core.type_var]), PURE);
    let Some(ty) = object.as_type(types) else { return unknown() };
    if !is_struct(env, ty) {
        let is_whole = datatype::is_concrete(types, ty) && !datatype::is_tuple(types, ty);
        return if is_whole { Outcome::throws(env) } else { unknown() };
    }
    if name.as_const().is_none() {
        let mut all = datatype::field_types(types, unionall::unwrap(types, ty)).iter().copied();
        let first = all.next();
        return match first {
            Some(it) if all.all(|other| other == it) && !typevar::has_free_vars(types, it) => {
                Outcome::with_type(env, datatype::type_type(types, it), PURE)
            }
            _ => unknown(),
        };
    }
    if let Some(elem) = tail_element(env, ty, name) {
        return Outcome::pure(env, Lattice::Const(consts::of_type(types, elem)), true);
    }
    match field_index(env, ty, name) {
        Some(index) if index < datatype::field_types(types, unionall::unwrap(types, ty)).len() => {
            Outcome::pure(env, Lattice::Const(consts::of_type(types, declared(env, ty, index))), true)
        }
        _ => Outcome::throws(env),
    }
}

/// Infers `isdefined(x, f)`.
pub(crate) fn is_defined(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let [object, name, ..] = args else { return Outcome::throws(env) };
    let unknown = Outcome::with_type(env, types.core().bool, READ_OBJECT);
    let exact = object.exact_type(types).filter(|&it| it != types.core().module && name.as_const().is_some());
    let Some(ty) = exact else { return unknown };
    if let Some(names) = reflected_names(&env.rt.heap, ty) {
        let Some(index) = reflected_index(env, names, name) else {
            return Outcome::pure(env, Lattice::bool(types, false), true);
        };
        let Some(constant) = object.as_const() else { return unknown };
        let heap = &env.rt.heap;
        let is_set = reflected_field(heap, constants::value_of(heap, constant), index).is_some();
        return Outcome::pure(env, Lattice::bool(types, is_set), true);
    }
    match field_index(env, ty, name) {
        Some(index) if index < datatype::field_types(types, ty).len() => {
            if let Some(ConstData::Aggregate { fields, .. }) =
                object.as_const().map(|it| types.const_data(it))
            {
                return Outcome::pure(env, Lattice::bool(types, fields.len() > index), true);
            }
            let known = matches!(object, Lattice::PartialStruct(it) if it.fields.len() > index);
            if known || always_set(env, ty, index) {
                Outcome::pure(env, Lattice::bool(types, true), true)
            } else {
                unknown
            }
        }
        _ => Outcome::pure(env, Lattice::bool(types, false), true),
    }
}
