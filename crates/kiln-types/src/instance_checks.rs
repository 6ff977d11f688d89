//! Conditions for making a type from a definition, and the normal form of its parameters.

use crate::{
    Const, ConstData, Type, TypeData, TypeError, TypeNameKind, Types, consts, datatype, name_entry, typevar,
    unionall,
};

/// Checks the parameters of a type and of its supertypes against their declared bounds, and the names of a
/// `NamedTuple`. Incomplete definitions are not checked.
pub(crate) fn check_instance(types: &Types, ty: Type) -> Result<(), TypeError> {
    let mut ty = unionall::unwrap(types, ty);
    while let TypeData::Data { name, params } = types.data(ty) {
        if params.is_empty() || ty == Types::ANY {
            return Ok(());
        }
        match name_entry::kind(types, *name) {
            TypeNameKind::NamedTuple => return check_named_tuple(types, params[0], params[1]),
            TypeNameKind::Tuple => return Ok(()),
            TypeNameKind::Abstract | TypeNameKind::Primitive { .. } | TypeNameKind::Struct { .. } => {}
        }
        let def = types.type_name(*name);
        let vars = &def.def.params;
        for (i, (&var, &given)) in vars.iter().zip(params).enumerate() {
            datatype::check_bounds(types, def.wrapper, var, given, &vars[..i], &params[..i])?;
        }
        if !def.has_supertype() {
            return Ok(());
        }
        ty = datatype::supertype(types, ty);
    }
    Ok(())
}

/// The elements of a type parameter that is a tuple of constants.
fn tuple_constant(types: &Types, param: Type) -> Option<&[Const]> {
    let TypeData::Value(constant) = types.data(param) else { return None };
    let constant = types.const_data(*constant);
    if let ConstData::Aggregate { ty, fields } = constant {
        return datatype::is_tuple(types, *ty).then_some(fields);
    }
    matches!(constant, ConstData::Bits { ty, .. } if *ty == datatype::tuple(types, &[])).then_some(&[])
}

fn check_named_tuple(types: &Types, names: Type, fields: Type) -> Result<(), TypeError> {
    let not_a = |part, expected, given| Err(TypeError::NotA { what: "NamedTuple", part, expected, given });
    if matches!(types.data(names), TypeData::Var { .. }) {
        return Ok(());
    }
    let Some(list) = tuple_constant(types, names) else {
        return not_a("names", types.core.tuple, names);
    };
    for (i, &name) in list.iter().enumerate() {
        let ConstData::Symbol(symbol) = types.const_data(name) else {
            return not_a("name", types.core.symbol, consts::to_param(types, name));
        };
        if list[..i].contains(&name) {
            let name = types.name(*symbol);
            let text = format!("duplicate field name in NamedTuple: \"{name}\" is not unique");
            return Err(TypeError::Malformed(text));
        }
    }
    let malformed = |text: &str| Err(TypeError::Malformed(text.to_owned()));
    if matches!(types.data(fields), TypeData::Bottom) && list.is_empty() {
        return malformed("NamedTuple without fields cannot have the field types Union{}");
    }
    let may_be_any =
        matches!(types.data(fields), TypeData::Var { .. } | TypeData::Bottom | TypeData::UnionAll { .. });
    if may_be_any || typevar::has_free_vars(types, fields) {
        return Ok(());
    }
    if !datatype::is_tuple(types, fields) {
        return malformed("NamedTuple field type must be a tuple datatype");
    }
    let elems = datatype::params(types, fields);
    let is_open = matches!(elems.last().map(|&it| types.data(it)), Some(TypeData::Vararg { .. }));
    if is_open || elems.len() != list.len() {
        return malformed("NamedTuple names and field types must have matching lengths");
    }
    Ok(())
}

/// A parameter without variables that say nothing: `Tuple{T} where T` is `Tuple{Any}`.
pub(crate) fn without_idle_vars(types: &Types, ty: Type) -> Type {
    match types.data(ty) {
        TypeData::Union(members) => {
            let normal: Vec<Type> = members.iter().map(|&it| without_idle_vars(types, it)).collect();
            if normal[..] == members[..] { ty } else { types.union(&normal) }
        }
        &TypeData::UnionAll { var, body } => {
            let normal = without_idle_vars(types, body);
            let ty = if normal == body { ty } else { unionall::new(types, var, normal) };
            let (&TypeData::UnionAll { var, body }, &TypeData::Var { lower, upper, .. }) =
                (types.data(ty), types.data(var))
            else {
                return ty;
            };
            if lower == upper {
                return types.apply(ty, &[upper]).unwrap_or(ty);
            }
            if let Some(open) = without_idle_length(types, body, var) {
                return open;
            }
            if is_idle(types, body, var, upper, false, &mut 0) {
                return unionall::substitute(types, body, var, upper);
            }
            ty
        }
        TypeData::Bottom
        | TypeData::Data { .. }
        | TypeData::Var { .. }
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => ty,
    }
}

/// Returns `Tuple{P..., Vararg{T, N}}` with any length, if nothing else refers to `N`.
fn without_idle_length(types: &Types, body: Type, var: Type) -> Option<Type> {
    let (&last, fixed) =
        datatype::is_tuple(types, body).then(|| datatype::params(types, body).split_last())??;
    let &TypeData::Vararg { elem, count } = types.data(last) else { return None };
    let is_empty = elem == Types::BOTTOM;
    if is_empty
        || count != Some(var)
        || typevar::occurs(types, var, elem)
        || fixed.iter().any(|&it| typevar::occurs(types, var, it))
    {
        return None;
    }
    Some(datatype::tuple(types, &[fixed, &[datatype::vararg(types, elem, None)]].concat()))
}

/// Whether this type is the only one equal to it: it has no free variable, and no `UnionAll` inside it constrains
/// a variable beyond its definition.
pub fn has_one_form(types: &Types, ty: Type) -> bool {
    let of = |it: &Type| has_one_form(types, *it);
    match types.data(ty) {
        TypeData::Data { params, .. } => params.iter().all(of),
        TypeData::Union(members) => members.iter().all(of),
        TypeData::UnionAll { .. } => {
            datatype::name_of(types, ty).is_some_and(|it| types.type_name(it).wrapper == ty)
        }
        TypeData::Vararg { elem, count } => of(elem) && count.as_ref().is_none_or(of),
        TypeData::Bottom | TypeData::Value(_) => true,
        TypeData::Var { .. } => false,
    }
}

/// Whether a variable may be replaced by its upper bound: it occurs in covariant position alone, and once, or its bound
/// is concrete.
fn is_idle(types: &Types, ty: Type, var: Type, upper: Type, invariant: bool, count: &mut u32) -> bool {
    if ty == var {
        *count += 1;
        return !invariant && (*count <= 1 || datatype::is_concrete(types, upper));
    }
    if !typevar::occurs(types, var, ty) {
        return true;
    }
    match types.data(ty) {
        TypeData::Data { params, .. } => {
            let invariant = invariant || !datatype::is_tuple(types, ty);
            params.iter().all(|&it| is_idle(types, it, var, upper, invariant, count))
        }
        TypeData::Union(members) => {
            members.iter().all(|&it| is_idle(types, it, var, upper, invariant, count))
        }
        TypeData::UnionAll { var: inner, body } => {
            let TypeData::Var { lower, upper: bound, .. } = types.data(*inner) else {
                unreachable!("a UnionAll binds a variable")
            };
            [lower, bound].iter().all(|&&it| is_idle(types, it, var, upper, invariant, count))
                && is_idle(types, *body, var, upper, invariant, count)
        }
        TypeData::Vararg { elem, count: length } => {
            *length != Some(var)
                && is_idle(types, *elem, var, upper, invariant || !datatype::is_concrete(types, upper), count)
        }
        TypeData::Bottom | TypeData::Var { .. } | TypeData::Value(_) => true,
    }
}
