//! Types made by programs: `T{params...}`, `TypeVar`, `UnionAll`.

use super::symbol_argument;
use crate::heap::params;
use crate::{Heap, Run, Value, exceptions};
use kiln_types::{Type, TypeData, TypeError, datatype, layout, typevar, unionall};

/// `apply_type(wrapper, params...)`, that is `wrapper{params...}`.
pub fn apply_type(heap: &Heap, wrapper: Value, params: &[Value]) -> Run {
    let (types, core) = (heap.types(), heap.core());
    let Some(ty) = wrapper.as_type_like(core) else {
        return Err(exceptions::type_error(heap, "Type{...} expression", core.union_all, wrapper));
    };
    let mut ids = Vec::with_capacity(params.len());
    for &param in params {
        ids.push(parameter(heap, ty, param)?);
    }
    if wrapper.ty() == core.data_type && ty != core.union_type && ty != core.tuple && !params.is_empty() {
        return Err(exceptions::type_error(heap, "Type{...} expression", core.union_all, wrapper));
    }
    match types.apply(ty, &ids) {
        Ok(applied) => Ok(heap.type_value(applied)),
        Err(error) => Err(apply_error(heap, wrapper, error)),
    }
}

/// A parameter's id; only types and type variables may be members of a union.
fn parameter(heap: &Heap, wrapper: Type, value: Value) -> Run<Type> {
    let core = heap.core();
    if wrapper == core.union_type {
        let member =
            value.as_type(core).or_else(|| value.as_type_like(core).filter(|_| value.ty() == core.type_var));
        return member.ok_or_else(|| exceptions::type_error(heap, "Union", core.type_, value));
    }
    params::param_of_value(heap, value).ok_or_else(|| invalid_parameter(heap, value))
}

fn invalid_parameter(heap: &Heap, value: Value) -> Box<crate::Thrown> {
    let core = heap.core();
    let expected = if heap.isa(value, core.number) { core.int64 } else { core.type_ };
    exceptions::type_error_in(heap, "Type", "parameter", heap.type_value(expected), value)
}

fn apply_error(heap: &Heap, wrapper: Value, error: TypeError) -> Box<crate::Thrown> {
    let types = heap.types();
    let name_of = |ty: Type| {
        datatype::name_of(types, ty)
            .map(|it| types.name(types.type_name(it).def.name).to_owned())
            .unwrap_or_default()
    };
    match error {
        TypeError::TooManyParams { wrapper } => {
            exceptions::error(heap, &format!("too many parameters for type {}", name_of(wrapper)))
        }
        TypeError::OutOfBounds { wrapper, var, given } => {
            let mut variable = "";
            if let kiln_types::TypeData::Var { name, .. } = types.data(var) {
                variable = types.name(*name);
            }
            let (expected, got) = (heap.type_value(var), params::value_of_param(heap, given));
            exceptions::type_error_in(heap, &name_of(wrapper), variable, expected, got)
        }
        TypeError::NotParametric(_) => {
            exceptions::type_error(heap, "Type{...} expression", heap.core().union_all, wrapper)
        }
        TypeError::NotA { what, part, expected, given } => exceptions::type_error_in(
            heap,
            what,
            part,
            heap.type_value(expected),
            params::value_of_param(heap, given),
        ),
        TypeError::Malformed(message) => exceptions::error(heap, &message),
        // Julia walks through such a type until there is no stack left.
        TypeError::TooDeep => exceptions::stack_overflow_error(heap),
        TypeError::InvalidParam(given) => {
            let value = params::value_of_param(heap, given);
            // Bits may be a parameter, but not any number of them.
            match layout::is_bits(types, value.ty()) {
                true => exceptions::stack_overflow_error(heap),
                false => invalid_parameter(heap, value),
            }
        }
    }
}

/// `_typevar(name, lower, upper)`.
pub(super) fn typevar(heap: &Heap, args: &[Value]) -> Run {
    let name = symbol_argument(heap, "TypeVar", args[0])?;
    let bound = |value: Value, which: &str| {
        let core = heap.core();
        let found = value.as_type_like(core).filter(|_| value.ty() != core.typeof_vararg);
        found.ok_or_else(|| {
            exceptions::type_error_in(heap, "TypeVar", which, heap.type_value(core.type_), value)
        })
    };
    let (lower, upper) = (bound(args[1], "lower bound")?, bound(args[2], "upper bound")?);
    Ok(heap.type_value(typevar::new(heap.types(), name, lower, upper)))
}

/// `_unionall(var, body)`: `body where var`.
pub(super) fn unionall(heap: &Heap, var: Value, body: Value) -> Run {
    let core = heap.core();
    let Some(id) = var.as_type_like(core).filter(|_| var.ty() == core.type_var) else {
        return Err(exceptions::type_error(heap, "UnionAll", core.type_var, var));
    };
    let Some(inner) = body.as_type_like(core) else {
        return Err(exceptions::type_error(heap, "UnionAll", core.type_, body));
    };
    if let TypeData::Vararg { elem, count } = *heap.types().data(inner) {
        return vararg_where(heap, id, (inner, elem, count));
    }
    Ok(heap.type_value(unionall::new(heap.types(), id, inner)))
}

/// `Vararg{elem, count} where var`, which Julia still takes: a length that is bound is any length.
fn vararg_where(heap: &Heap, var: Type, (whole, elem, count): (Type, Type, Option<Type>)) -> Run {
    let types = heap.types();
    let of_length = count.is_some_and(|it| typevar::occurs(types, var, it));
    let made = match (typevar::occurs(types, var, elem), of_length) {
        (true, true) => {
            let message = "Wrapping `Vararg` directly in UnionAll is disallowed if the typevar occurs in both `T` and `N`";
            return Err(exceptions::error(heap, message));
        }
        (true, false) => datatype::vararg(types, unionall::new(types, var, elem), count),
        (false, true) => datatype::vararg(types, elem, None),
        (false, false) => whole,
    };
    Ok(heap.type_value(made))
}
