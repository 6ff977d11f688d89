//! The transfer function of `Core.apply_type`, and the types that type-valued arguments stand for.

use super::{Env, Outcome, PURE};
use crate::lattice::{Lattice, is_type, type_depth};
use kiln_types::{ConstData, Type, TypeData, consts, datatype, typevar, unionall};

/// Partially known types that nest deeper are all the same.
const DEPTH_MAX: usize = 10;

/// Returns an upper bound of the instances of `arg`, which is a type: `T` for the constant `T` and for `Type{<:T}`.
pub(crate) fn instance_type(env: Env<'_>, arg: &Lattice) -> Type {
    let types = env.types;
    if let Some(ty) = arg.as_type(types) {
        return if is_type(types, ty) && !typevar::has_free_vars(types, ty) { ty } else { types.core().any };
    }
    bound_of(env, arg.widenconst(types)).unwrap_or(types.core().any)
}

/// Returns `T` of `Type{<:T}` and of the forms `Type{X} where X`; `None` for anything else.
pub(crate) fn bound_of(env: Env<'_>, ty: Type) -> Option<Type> {
    let types = env.types;
    if let Some(param) = datatype::type_type_param(types, ty)
        && !typevar::has_free_vars(types, param)
    {
        return is_type(types, param).then_some(param);
    }
    match types.data(ty) {
        TypeData::UnionAll { var, body } => {
            if *body == datatype::type_type(types, *var)
                && let TypeData::Var { upper, .. } = types.data(*var)
            {
                return (!typevar::has_free_vars(types, *upper)).then_some(*upper);
            }
            let inner = unionall::unwrap(types, ty);
            let param = *datatype::params(types, inner).first()?;
            (datatype::name_of(types, inner) == datatype::name_of(types, types.core().type_)
                && is_type(types, param))
            .then(|| unionall::rewrap(types, param, ty))
        }
        TypeData::Union(members) => {
            let bounds: Option<Vec<Type>> = members.iter().map(|&it| bound_of(env, it)).collect();
            Some(types.union(&bounds?))
        }
        TypeData::Bottom
        | TypeData::Data { .. }
        | TypeData::Var { .. }
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => None,
    }
}

/// Infers `apply_type(head, params...)`.
pub(crate) fn apply(env: Env<'_>, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let Some((head, rest)) = args.split_first() else { return Outcome::throws(env) };
    let unknown = || Outcome::with_type(env, types.core().type_, PURE);
    let Some(head) = type_like(env, head) else { return unknown() };
    if let Some(params) = rest.iter().map(|it| as_param(env, it)).collect::<Option<Vec<Type>>>() {
        return match construct(env, head, &params) {
            Some(ty) => Outcome::pure(env, Lattice::Const(consts::of_type(types, ty)), true),
            None => Outcome::throws(env),
        };
    }
    match bounded(env, head, rest) {
        Some(ty) => Outcome::with_type(env, ty, PURE),
        None => unknown(),
    }
}

/// Returns the constant as a type, a variable or a `Vararg`.
fn type_like(env: Env<'_>, arg: &Lattice) -> Option<Type> {
    match env.types.const_data(arg.as_const()?) {
        ConstData::Type(ty) => Some(*ty),
        ConstData::Bits { .. }
        | ConstData::Symbol(_)
        | ConstData::String(_)
        | ConstData::Module(_)
        | ConstData::Aggregate { .. }
        | ConstData::Object { .. } => None,
    }
}

/// Returns the constant as a type parameter.
fn as_param(env: Env<'_>, arg: &Lattice) -> Option<Type> {
    let constant = arg.as_const()?;
    match env.types.const_data(constant) {
        ConstData::String(_) | ConstData::Object { .. } => None,
        ConstData::Bits { .. }
        | ConstData::Symbol(_)
        | ConstData::Type(_)
        | ConstData::Module(_)
        | ConstData::Aggregate { .. } => Some(consts::to_param(env.types, constant)),
    }
}

fn construct(env: Env<'_>, head: Type, params: &[Type]) -> Option<Type> {
    let types = env.types;
    let core = types.core();
    if head == core.union_type {
        let valid = |it: &Type| !matches!(types.data(*it), TypeData::Value(_) | TypeData::Vararg { .. });
        return params.iter().all(valid).then(|| types.union(params));
    }
    if matches!(types.data(head), TypeData::Vararg { .. }) {
        return match params {
            [elem] => Some(datatype::vararg(types, *elem, None)),
            [elem, count] => Some(datatype::vararg(types, *elem, Some(*count))),
            _ => None,
        };
    }
    if head == core.tuple {
        return Some(datatype::tuple(types, params));
    }
    types.apply(head, params).ok()
}

/// Returns `Type{Head{P, X}} where X`, with variables for the unknown parameters.
fn bounded(env: Env<'_>, head: Type, params: &[Lattice]) -> Option<Type> {
    let types = env.types;
    let core = types.core();
    if head == core.union_type {
        return None; // a union of unions of what is not known grows with every call
    }
    let mut vars = Vec::new();
    let mut known = Vec::new();
    for (n, param) in params.iter().enumerate() {
        if let Some(it) = as_param(env, param) {
            known.push(it);
            continue;
        }
        let upper = bound_of(env, param.widenconst(types)).unwrap_or(core.any);
        // Messages show the variable by the declared name of the parameter.
        let name = declared_name(env, head, n).unwrap_or_else(|| types.symbol(&format!("T{}", n + 1)));
        let var = typevar::new(types, name, core.bottom, upper);
        vars.push(var);
        known.push(var);
    }
    let mut ty = datatype::type_type(types, construct(env, head, &known)?);
    for &var in vars.iter().rev() {
        ty = unionall::new(types, var, ty);
    }
    (type_depth(types, ty) <= DEPTH_MAX).then_some(ty)
}

/// Returns the name of parameter `n` (from 0) of a type that is not applied yet.
fn declared_name(env: Env<'_>, head: Type, n: usize) -> Option<kiln_types::Symbol> {
    let types = env.types;
    let mut ty = head;
    for _ in 0..n {
        let TypeData::UnionAll { body, .. } = types.data(ty) else { return None };
        ty = *body;
    }
    let TypeData::UnionAll { var, .. } = types.data(ty) else { return None };
    match types.data(*var) {
        TypeData::Var { name, .. } => Some(*name),
        _ => None, // the parameter of a `UnionAll` is a variable
    }
}
