//! Making `DataType`s and asking about them: application, tuples, fields, supertypes.

use crate::{
    Const, ConstData, Symbol, Type, TypeData, TypeError, TypeName, TypeNameKind, Types, consts, equality,
    instance_checks, name_entry, typevar, unionall,
};
use std::sync::atomic::Ordering;

/// Longest tuple that a constant length is expanded to.
const MAX_EXPANDED: i64 = 1 << 20;

/// Deepest nesting of constructors a parameter may have: everything that walks through types is recursive.
const MAX_NESTING: u32 = 1000;

impl Types {
    /// `wrapper{params...}`: fewer parameters than it has leave the rest as a `UnionAll`.
    pub fn apply(&self, wrapper: Type, params: &[Type]) -> Result<Type, TypeError> {
        if params.is_empty() && wrapper != self.core.tuple && wrapper != self.core.union_type {
            return Ok(wrapper);
        }
        if wrapper == self.core.tuple {
            return checked_tuple(self, params);
        }
        if wrapper == self.core.union_type {
            return Ok(self.union(params));
        }
        if let &TypeData::Vararg { elem, count } = self.data(wrapper) {
            return apply_vararg(self, wrapper, elem, count, params);
        }
        if !matches!(self.data(wrapper), TypeData::UnionAll { .. }) {
            return Err(TypeError::NotParametric(wrapper));
        }
        if let Some(known) = self.applications.get(wrapper, params) {
            return Ok(known);
        }
        let applied = instantiate(self, wrapper, params)?;
        // Of definitions that are not finished not everything is checked; variables are new each time.
        if !typevar::has_free_vars(self, applied) && self.unfinished.load(Ordering::Acquire) == 0 {
            self.applications.insert(wrapper, params, applied);
        }
        Ok(applied)
    }
}

fn instantiate(types: &Types, wrapper: Type, params: &[Type]) -> Result<Type, TypeError> {
    let (mut body, mut vars) = (wrapper, Vec::with_capacity(params.len()));
    for _ in params {
        let &TypeData::UnionAll { var, body: inner } = types.data(body) else {
            return Err(TypeError::TooManyParams { wrapper });
        };
        vars.push(var);
        body = inner;
    }
    for (i, (&var, &given)) in vars.iter().zip(params).enumerate() {
        check_param(types, given)?;
        check_bounds(types, wrapper, var, given, &vars[..i], &params[..i])?;
    }
    // The types that `Type{..}` names stay as they are, but for other spellings of a type without its parameters.
    let is_type = wrapper == types.core.type_;
    let normal = |&it: &Type| {
        as_wrapper(types, if is_type { it } else { instance_checks::without_idle_vars(types, it) })
    };
    let params: Vec<Type> = params.iter().map(normal).collect();
    let applied = unionall::substitute_all(types, body, &vars, &params);
    if applied == Types::BOTTOM && matches!(types.data(body), TypeData::Data { .. }) {
        let error = tuple_error(types, body, &vars, &params);
        return Err(error.unwrap_or(TypeError::InvalidParam(params[params.len() - 1])));
    }
    check_union_members(types, body, &vars, &params)?;
    instance_checks::check_instance(types, applied)?;
    Ok(applied)
}

/// A type that equals its definition without parameters, as that: `Array{<:Any}` is `Array`.
fn as_wrapper(types: &Types, ty: Type) -> Type {
    if !matches!(types.data(ty), TypeData::UnionAll { .. }) || typevar::has_free_vars(types, ty) {
        return ty;
    }
    let TypeData::Data { name, .. } = types.data(unionall::unwrap(types, ty)) else { return ty };
    let wrapper = types.type_name(*name).wrapper;
    if wrapper != ty && equality::are_equal(types, wrapper, ty) { wrapper } else { ty }
}

fn apply_vararg(
    types: &Types,
    wrapper: Type,
    elem: Type,
    count: Option<Type>,
    params: &[Type],
) -> Result<Type, TypeError> {
    let (elem, count) = match (params, count) {
        (&[one], None) if elem == Types::ANY => (one, None),
        (&[count], None) => (elem, Some(count)),
        (&[elem, count], None) => (elem, Some(count)),
        _ => return Err(TypeError::TooManyParams { wrapper }),
    };
    check_vararg(types, elem, count)?;
    Ok(vararg(types, instance_checks::without_idle_vars(types, elem), count))
}

/// The length has to be a variable or an `Int` that is not negative, and nothing holds values of `Union{}`.
fn check_vararg(types: &Types, elem: Type, count: Option<Type>) -> Result<(), TypeError> {
    let Some(count) = count else { return Ok(()) };
    let TypeData::Value(constant) = types.data(count) else {
        let is_var = matches!(types.data(count), TypeData::Var { .. });
        return if is_var { Ok(()) } else { Err(not_a("Vararg", "count", types.core.int64, count)) };
    };
    match consts::as_int(types, *constant) {
        None => Err(not_a("Vararg", "count", types.core.int64, count)),
        Some(len) if len < 0 => Err(TypeError::Malformed(format!("Vararg length is negative: {len}"))),
        Some(len) if len > 0 && elem == Types::BOTTOM => Err(bottom_field()),
        Some(_) => Ok(()),
    }
}

/// Why a tuple type that was written as `body` does not exist.
fn tuple_error(types: &Types, body: Type, vars: &[Type], params: &[Type]) -> Option<TypeError> {
    let last = is_tuple(types, body).then(|| self::params(types, body).last().copied())??;
    let &TypeData::Vararg { elem, count } = types.data(last) else { return None };
    let with = |it: Type| unionall::substitute_all(types, it, vars, params);
    check_vararg(types, with(elem), count.map(with)).err()
}

fn not_a(what: &'static str, part: &'static str, expected: Type, given: Type) -> TypeError {
    TypeError::NotA { what, part, expected, given }
}

/// The members of a union have to be types: `P{1}` of `P{T} = Union{T, Int}` has one that is not.
fn check_union_members(types: &Types, body: Type, vars: &[Type], params: &[Type]) -> Result<(), TypeError> {
    let TypeData::Union(members) = types.data(body) else { return Ok(()) };
    for (&var, &given) in vars.iter().zip(params) {
        if members.contains(&var) && matches!(types.data(given), TypeData::Value(_)) {
            return Err(not_a("Union", "", types.core.type_, given));
        }
    }
    Ok(())
}

fn check_param(types: &Types, param: Type) -> Result<(), TypeError> {
    if types.entry(param).facts.nesting > MAX_NESTING {
        return Err(TypeError::TooDeep);
    }
    let valid = match types.data(param) {
        TypeData::Vararg { .. } => false,
        TypeData::Value(constant) => is_param_const(types, types.const_data(*constant)),
        TypeData::Bottom
        | TypeData::Data { .. }
        | TypeData::Union(_)
        | TypeData::UnionAll { .. }
        | TypeData::Var { .. } => true,
    };
    if valid { Ok(()) } else { Err(TypeError::InvalidParam(param)) }
}

fn is_param_const(types: &Types, data: &ConstData) -> bool {
    match data {
        ConstData::Bits { .. } | ConstData::Symbol(_) | ConstData::Type(_) | ConstData::Module(_) => true,
        ConstData::Aggregate { fields, .. } => {
            fields.iter().all(|&field| is_param_const(types, types.const_data(field)))
        }
        ConstData::String(_) | ConstData::Object { .. } => false,
    }
}

pub(crate) fn check_bounds(
    types: &Types,
    wrapper: Type,
    var: Type,
    given: Type,
    vars: &[Type],
    params: &[Type],
) -> Result<(), TypeError> {
    let &TypeData::Var { name, lower, upper, .. } = types.data(var) else { return Ok(()) };
    if (lower, upper) == (Types::BOTTOM, Types::ANY) || typevar::has_free_vars(types, given) {
        return Ok(());
    }
    let lower = unionall::substitute_all(types, lower, vars, params);
    let upper = unionall::substitute_all(types, upper, vars, params);
    let is_value = matches!(types.data(given), TypeData::Value(_));
    let above = typevar::has_free_vars(types, lower) || lower == Types::BOTTOM || types.subtype(lower, given);
    let below = upper == Types::ANY || typevar::has_free_vars(types, upper) || types.subtype(given, upper);
    if above && below && (!is_value || (lower, upper) == (Types::BOTTOM, Types::ANY)) {
        Ok(())
    } else {
        // The message has the bounds as the other parameters make them.
        let var = typevar::new(types, name, lower, upper);
        Err(TypeError::OutOfBounds { wrapper, var, given })
    }
}

fn checked_tuple(types: &Types, elems: &[Type]) -> Result<Type, TypeError> {
    for (i, &elem) in elems.iter().enumerate() {
        if types.entry(elem).facts.nesting > MAX_NESTING {
            return Err(TypeError::TooDeep);
        }
        let valid = match types.data(elem) {
            TypeData::Vararg { count: None, .. } => i + 1 == elems.len(),
            TypeData::Vararg { elem, count: Some(count) } => {
                check_vararg(types, *elem, Some(*count))?;
                i + 1 == elems.len() || !matches!(types.data(*count), TypeData::Var { .. })
            }
            TypeData::Bottom
            | TypeData::Value(_)
            | TypeData::Data { .. }
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. } => true,
        };
        if !valid {
            return Err(TypeError::InvalidParam(elem));
        }
    }
    let elems: Vec<Type> = elems.iter().map(|&it| instance_checks::without_idle_vars(types, it)).collect();
    Ok(tuple(types, &elems))
}

/// `Tuple{elems...}`; only the last may be a `Vararg`. A `Vararg` with a constant length is written out;
/// with an impossible one the result is `Union{}`.
pub fn tuple(types: &Types, elems: &[Type]) -> Type {
    let mut params = Vec::with_capacity(elems.len());
    for &elem in elems {
        let &TypeData::Vararg { elem: ty, count } = types.data(elem) else {
            params.push(elem);
            continue;
        };
        let Some(count) = count else {
            // Nothing is of type `Union{}`: no more elements.
            if ty != Types::BOTTOM {
                params.push(elem);
            }
            continue;
        };
        match types.data(count) {
            TypeData::Var { .. } => params.push(elem),
            TypeData::Value(constant) => match consts::as_int(types, *constant) {
                Some(n @ 0..=MAX_EXPANDED) => params.extend(std::iter::repeat_n(ty, n as usize)),
                _ => return Types::BOTTOM,
            },
            TypeData::Bottom
            | TypeData::Data { .. }
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Vararg { .. } => return Types::BOTTOM,
        }
    }
    types.intern(TypeData::Data { name: TypeName::TUPLE, params: params.into() })
}

/// `NamedTuple{names, fields}`.
pub fn named_tuple(types: &Types, names: &[Symbol], fields: Type) -> Type {
    let symbols: Vec<_> = names.iter().map(|&it| consts::symbol(types, it)).collect();
    let ty = tuple(types, &vec![types.core.symbol; names.len()]);
    let names = consts::to_param(types, types.constant(ConstData::Aggregate { ty, fields: symbols.into() }));
    types.intern(TypeData::Data { name: TypeName::NAMED_TUPLE, params: [names, fields].into() })
}

/// `Vararg{elem, count}`.
pub fn vararg(types: &Types, elem: Type, count: Option<Type>) -> Type {
    types.intern(TypeData::Vararg { elem, count })
}

/// `Type{T}`.
pub fn type_type(types: &Types, ty: Type) -> Type {
    types.intern(TypeData::Data { name: TypeName::TYPE, params: [ty].into() })
}

/// The declared supertype with the parameters substituted; of a union, a variable or `Union{}`: `Any`.
pub fn supertype(types: &Types, ty: Type) -> Type {
    match types.data(ty) {
        TypeData::Data { name, params } => {
            if let Some(&known) = types.entry(ty).supertype.get() {
                return known;
            }
            let def = types.type_name(*name);
            let general = def.supertype();
            let supertype = unionall::substitute_all(types, general, &def.def.params, params);
            if def.has_supertype() {
                let _ = types.entry(ty).supertype.set(supertype);
            }
            supertype
        }
        TypeData::UnionAll { .. } => {
            unionall::rewrap(types, supertype(types, unionall::unwrap(types, ty)), ty)
        }
        TypeData::Bottom
        | TypeData::Union(_)
        | TypeData::Var { .. }
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => Types::ANY,
    }
}

/// The parameters of a `DataType`; none for anything else.
pub fn params(types: &Types, ty: Type) -> &[Type] {
    match types.data(ty) {
        TypeData::Data { params, .. } => params,
        TypeData::Bottom
        | TypeData::Union(_)
        | TypeData::UnionAll { .. }
        | TypeData::Var { .. }
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => &[],
    }
}

/// Field types of a `DataType` with its parameters substituted; a tuple's are its elements.
pub fn field_types(types: &Types, ty: Type) -> &[Type] {
    let TypeData::Data { name, params } = types.data(ty) else { return &[] };
    match name_entry::kind(types, *name) {
        TypeNameKind::Tuple => params,
        TypeNameKind::NamedTuple => field_types(types, params[1]),
        TypeNameKind::Abstract | TypeNameKind::Primitive { .. } => &[],
        TypeNameKind::Struct { .. } => {
            if let Some(known) = types.entry(ty).fields.get() {
                return known;
            }
            let def = types.type_name(*name);
            let Some(general) = def.field_types() else { return &[] };
            if params.is_empty() {
                return general;
            }
            let vars = &def.def.params;
            let fields =
                general.iter().map(|&it| unionall::substitute_all(types, it, vars, params)).collect();
            types.entry(ty).fields.get_or_init(|| fields)
        }
    }
}

/// Field names of a struct or named tuple; a tuple's fields have none.
pub fn field_names(types: &Types, ty: Type) -> &[Symbol] {
    let ty = unionall::unwrap(types, ty);
    let TypeData::Data { name, params } = types.data(ty) else { return &[] };
    if name_entry::kind(types, *name) != TypeNameKind::NamedTuple {
        return &types.type_name(*name).def.field_names;
    }
    let TypeData::Value(names) = types.data(params[0]) else { return &[] };
    types.entry(ty).field_names.get_or_init(|| {
        let ConstData::Aggregate { fields, .. } = types.const_data(*names) else { return Box::default() };
        let symbol = |it: &Const| {
            if let ConstData::Symbol(name) = types.const_data(*it) { Some(*name) } else { None }
        };
        fields.iter().filter_map(symbol).collect()
    })
}

/// Returns the index of the field with this name.
pub fn field_index(types: &Types, ty: Type, field: Symbol) -> Option<usize> {
    field_names(types, ty).iter().position(|&it| it == field)
}

/// Whether a value can have exactly this type.
pub fn is_concrete(types: &Types, ty: Type) -> bool {
    types.entry(ty).facts.concrete
}

fn kind_of(types: &Types, ty: Type) -> Option<TypeNameKind> {
    match types.data(ty) {
        TypeData::Data { name, .. } => Some(name_entry::kind(types, *name)),
        TypeData::Bottom
        | TypeData::Union(_)
        | TypeData::UnionAll { .. }
        | TypeData::Var { .. }
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => None,
    }
}

/// Whether a type is declared with `abstract type`.
pub fn is_abstract(types: &Types, ty: Type) -> bool {
    kind_of(types, unionall::unwrap(types, ty)) == Some(TypeNameKind::Abstract)
}

/// Whether a type is declared with `mutable struct`, or behaves so (`String`, `Symbol`).
pub fn is_mutable(types: &Types, ty: Type) -> bool {
    kind_of(types, unionall::unwrap(types, ty)) == Some(TypeNameKind::Struct { mutable: true })
}

/// Whether a type is declared with `primitive type`.
pub fn is_primitive(types: &Types, ty: Type) -> bool {
    matches!(kind_of(types, unionall::unwrap(types, ty)), Some(TypeNameKind::Primitive { .. }))
}

/// Whether a type is the type of a type: `DataType`, `UnionAll`, `Union` or `Core.TypeofBottom`.
pub fn is_kind(types: &Types, ty: Type) -> bool {
    let core = &types.core;
    [core.data_type, core.union_all, core.union_type, core.typeof_bottom].contains(&ty)
}

/// The ancestor of a `DataType` (itself included) that is an instance of `name`.
pub(crate) fn ancestor(types: &Types, ty: Type, name: TypeName) -> Option<Type> {
    let mut ty = ty;
    while let TypeData::Data { name: own, .. } = types.data(ty) {
        if *own == name {
            return Some(ty);
        }
        if ty == Types::ANY {
            break;
        }
        ty = supertype(types, ty);
    }
    None
}

/// Whether some ancestor of a `DataType` is an instance of `name`.
pub(crate) fn inherits(types: &Types, ty: Type, name: TypeName) -> bool {
    let mut ty = ty;
    let mut is_own = true;
    while let TypeData::Data { name: own, .. } = types.data(ty) {
        if *own == name {
            return true;
        }
        // The definitions on the way up are not read for a type that nothing inherits from.
        if ty == Types::ANY || is_own && name_entry::kind(types, name) != TypeNameKind::Abstract {
            return false;
        }
        is_own = false;
        ty = types.type_name(*own).supertype();
    }
    false
}

/// Whether a type is a `Tuple` type.
pub fn is_tuple(types: &Types, ty: Type) -> bool {
    kind_of(types, ty) == Some(TypeNameKind::Tuple)
}

/// Whether a type is a `NamedTuple` type.
pub fn is_named_tuple(types: &Types, ty: Type) -> bool {
    kind_of(types, ty) == Some(TypeNameKind::NamedTuple)
}

/// Returns `T` for `Type{T}` without free variables.
pub fn type_type_param(types: &Types, ty: Type) -> Option<Type> {
    match types.data(ty) {
        TypeData::Data { name, params } if *name == TypeName::TYPE => {
            Some(params[0]).filter(|&it| !typevar::has_free_vars(types, it))
        }
        TypeData::Data { .. }
        | TypeData::Bottom
        | TypeData::Union(_)
        | TypeData::UnionAll { .. }
        | TypeData::Var { .. }
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => None,
    }
}

/// Whether a type is a tuple of concrete types and `Type{..}`s: a signature that dispatch can cache.
pub fn is_dispatch_tuple(types: &Types, ty: Type) -> bool {
    is_tuple(types, ty)
        && params(types, ty).iter().all(|&it| {
            let kind =
                it == types.core.data_type || it == types.core.union_all || it == types.core.union_type;
            (is_concrete(types, it) && !kind) || type_type_param(types, it).is_some()
        })
}

fn bottom_field() -> TypeError {
    TypeError::Malformed("Tuple field type cannot be Union{}".to_owned())
}

/// Returns the definition of a `DataType`, or of the type inside a `UnionAll`.
pub fn name_of(types: &Types, ty: Type) -> Option<TypeName> {
    match types.data(unionall::unwrap(types, ty)) {
        TypeData::Data { name, .. } => Some(*name),
        TypeData::Bottom
        | TypeData::Union(_)
        | TypeData::UnionAll { .. }
        | TypeData::Var { .. }
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => None,
    }
}
