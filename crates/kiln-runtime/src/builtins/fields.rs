//! Fields by name or index: `getfield`, `setfield!` and their relatives.

use super::{bool_argument, reflect, symbol_argument};
use crate::heap::{MemoryOrder, fields, identity, params};
use crate::intrinsics::memory_order;
use crate::{Heap, Run, Thrown, Value, exceptions};
use kiln_types::{Type, TypeData, Types, datatype, unionall};

/// Returns the index (from 0) of the field that a name or a number (from 1) selects.
fn field_index(heap: &Heap, function: &str, object: Value, field: Value) -> Run<usize> {
    let count = reflect::field_count(heap, object);
    if let Some(i) = field.as_int(heap.core()) {
        return match usize::try_from(i.wrapping_sub(1)) {
            Ok(index) if index < count => Ok(index),
            _ => Err(exceptions::bounds_error(heap, object, field)),
        };
    }
    if field.as_symbol(heap.core()).is_none() {
        let expected = heap.types().union(&[heap.core().int64, heap.core().symbol]);
        return Err(exceptions::type_error(heap, function, expected, field));
    }
    let name = symbol_argument(heap, function, field)?;
    let found = match reflect::names(heap, object) {
        Some(names) => names.iter().position(|it| *it == heap.types().name(name)),
        None => datatype::field_index(heap.types(), object.ty(), name),
    };
    found.filter(|&it| it < count).ok_or_else(|| exceptions::field_error(heap, object.ty(), field))
}

fn is_atomic(heap: &Heap, object: Value, index: usize) -> bool {
    heap.shape(object.ty()).and_then(|it| it.fields.get(index)).is_some_and(|it| it.atomic)
}

fn load(heap: &Heap, object: Value, index: usize) -> Option<Value> {
    if reflect::names(heap, object).is_some() {
        reflect::field(heap, object, index)
    } else {
        fields::get(heap, object, index)
    }
}

/// `getfield(object, field, [order], [boundscheck])`. Bounds are always checked.
pub(super) fn getfield(heap: &Heap, args: &[Value]) -> Run {
    let mut order = None;
    match args.len() {
        4 => {
            order = Some(memory_order(heap, "getfield", args[2], true, false)?);
            bool_argument(heap, "getfield", args[3])?;
        }
        3 if args[2].as_bool(heap.core()).is_none() => {
            order = Some(memory_order(heap, "getfield", args[2], true, false)?);
        }
        _ => {}
    }
    let (object, field) = (args[0], args[1]);
    let index = field_index(heap, "getfield", object, field)?;
    if let Some(order) = order {
        check_read_order(heap, "getfield", is_atomic(heap, object, index), order)?;
    }
    load(heap, object, index).ok_or_else(|| exceptions::undef_ref_error(heap))
}

fn check_read_order(heap: &Heap, function: &str, atomic: bool, order: MemoryOrder) -> Run<()> {
    let plain = order == MemoryOrder::NotAtomic;
    if atomic == plain {
        let kind = if atomic { "atomic" } else { "non-atomic" };
        let how = if atomic { "non-atomically" } else { "atomically" };
        let message = format!("{function}: {kind} field cannot be accessed {how}");
        return Err(exceptions::concurrency_error(heap, &message));
    }
    Ok(())
}

fn check_write_order(heap: &Heap, function: &str, atomic: bool, order: MemoryOrder) -> Run<()> {
    let plain = order == MemoryOrder::NotAtomic;
    if atomic == plain {
        let kind = if atomic { "atomic" } else { "non-atomic" };
        let how = if atomic { "non-atomically" } else { "atomically" };
        let message = format!("{function}: {kind} field cannot be written {how}");
        return Err(exceptions::concurrency_error(heap, &message));
    }
    Ok(())
}

fn type_label(heap: &Heap, ty: Type) -> String {
    let types = heap.types();
    datatype::name_of(types, ty)
        .map(|it| types.name(types.type_name(it).def.name).to_owned())
        .unwrap_or_default()
}

/// A field about to be written: it exists, is not constant and may be accessed in this order.
fn writable(heap: &Heap, function: &str, object: Value, field: Value, order: MemoryOrder) -> Run<usize> {
    if object.ty() == heap.core().module {
        return Err(exceptions::error(heap, "cannot assign variables in other modules"));
    }
    let label = || type_label(heap, object.ty());
    let reflected = reflect::names(heap, object);
    let mutable = heap.shape(object.ty()).is_some_and(|it| it.mutable);
    if !mutable && (reflected.is_none() || object.ty() == heap.core().union_type) {
        let message = format!("{function}: immutable struct of type {} cannot be changed", label());
        return Err(exceptions::error(heap, &message));
    }
    let index = field_index(heap, function, object, field)?;
    let constant = match reflected {
        Some(_) => true,
        None => heap.shape(object.ty()).is_some_and(|it| it.fields[index].constant),
    };
    if constant {
        let name = match reflected {
            Some(names) => names[index].to_owned(),
            None => heap.types().name(datatype::field_names(heap.types(), object.ty())[index]).to_owned(),
        };
        let message = format!("{function}: const field .{name} of type {} cannot be changed", label());
        return Err(exceptions::error(heap, &message));
    }
    check_write_order(heap, function, is_atomic(heap, object, index), order)?;
    Ok(index)
}

fn order_or_plain(heap: &Heap, function: &str, arg: Option<&Value>, loads: bool) -> Run<MemoryOrder> {
    arg.map_or(Ok(MemoryOrder::NotAtomic), |&it| memory_order(heap, function, it, loads, true))
}

fn declared_type(heap: &Heap, object: Value, index: usize) -> Type {
    heap.shape(object.ty()).map_or(heap.core().any, |it| it.fields[index].ty)
}

fn check_fits(heap: &Heap, function: &str, object: Value, index: usize, value: Value) -> Run<()> {
    let declared = declared_type(heap, object, index);
    if heap.isa(value, declared) {
        return Ok(());
    }
    Err(exceptions::type_error(heap, function, declared, value))
}

/// `setfield!(object, field, value, [order])`.
pub(super) fn setfield(heap: &Heap, args: &[Value]) -> Run {
    let order = order_or_plain(heap, "setfield!", args.get(3), false)?;
    let index = writable(heap, "setfield!", args[0], args[1], order)?;
    check_fits(heap, "setfield!", args[0], index, args[2])?;
    fields::set(heap, args[0], index, args[2]);
    Ok(args[2])
}

fn undefined(heap: &Heap) -> Box<Thrown> {
    exceptions::undef_ref_error(heap)
}

/// `swapfield!(object, field, value, [order])`: the old value.
pub(super) fn swapfield(heap: &Heap, args: &[Value]) -> Run {
    let order = order_or_plain(heap, "swapfield!", args.get(3), true)?;
    let index = writable(heap, "swapfield!", args[0], args[1], order)?;
    check_fits(heap, "swapfield!", args[0], index, args[2])?;
    let old = fields::get(heap, args[0], index);
    fields::set(heap, args[0], index, args[2]);
    old.ok_or_else(|| undefined(heap))
}

/// `replacefield!(object, field, expected, desired, [success_order, [fail_order]])`: `(; old, success)`.
pub fn replace_field(heap: &Heap, args: &[Value]) -> Run {
    let function = "replacefield!";
    let order = order_or_plain(heap, function, args.get(4), true)?;
    let failure = match args.get(5) {
        Some(&it) => memory_order(heap, function, it, true, false)?,
        None => order,
    };
    if failure > order {
        return Err(exceptions::concurrency_error(heap, "invalid atomic ordering"));
    }
    let index = writable(heap, function, args[0], args[1], order)?;
    check_read_order(heap, function, is_atomic(heap, args[0], index), failure)?;
    check_fits(heap, function, args[0], index, args[3])?;
    let old = fields::get(heap, args[0], index).ok_or_else(|| undefined(heap))?;
    let success = identity::egal(heap, old, args[2]);
    if success {
        fields::set(heap, args[0], index, args[3]);
    }
    let declared = declared_type(heap, args[0], index);
    let names = [heap.types().symbol("old"), heap.types().symbol("success")];
    let ty = datatype::named_tuple(
        heap.types(),
        &names,
        datatype::tuple(heap.types(), &[declared, heap.core().bool]),
    );
    Ok(fields::new_struct(heap, ty, &[old, heap.bool(success)]))
}

/// `modifyfield!(object, field, op, x, [order])`: `modify(old, x)` returns the new value. The result is the old
/// value, the new value (Julia makes a `Pair` of them), and the declared type of the field.
pub fn modify_field(
    heap: &Heap,
    args: &[Value],
    modify: &mut dyn FnMut(Value, Value) -> Run,
) -> Run<(Value, Value, Type)> {
    let function = "modifyfield!";
    super::check_count(heap, kiln_ir::Builtin::Modifyfield, args.len())?;
    let order = order_or_plain(heap, function, args.get(4), true)?;
    let index = writable(heap, function, args[0], args[1], order)?;
    let old = fields::get(heap, args[0], index).ok_or_else(|| undefined(heap))?;
    let new = modify(old, args[3])?;
    check_fits(heap, function, args[0], index, new)?;
    fields::set(heap, args[0], index, new);
    Ok((old, new, declared_type(heap, args[0], index)))
}

/// `isdefined(object, field, [order])`. Of a module it is the interpreter's to answer.
pub(super) fn isdefined(heap: &Heap, args: &[Value]) -> Run {
    let order = match args.get(2) {
        Some(&it) => Some(memory_order(heap, "isdefined", it, true, false)?),
        None => None,
    };
    let (object, field) = (args[0], args[1]);
    if field.as_int(heap.core()).is_none() {
        symbol_argument(heap, "isdefined", field)?;
    }
    let Ok(index) = field_index(heap, "isdefined", object, field) else {
        if order.is_some() {
            let message = "isdefined: atomic ordering cannot be specified for nonexistent field";
            return Err(exceptions::concurrency_error(heap, message));
        }
        return Ok(heap.bool(false));
    };
    if let Some(order) = order {
        check_read_order(heap, "isdefined", is_atomic(heap, object, index), order)?;
    }
    Ok(heap.bool(load(heap, object, index).is_some()))
}

/// `fieldtype(T, field, [boundscheck])`.
pub(super) fn fieldtype(heap: &Heap, args: &[Value]) -> Run {
    if let Some(&check) = args.get(2) {
        bool_argument(heap, "fieldtype", check)?;
    }
    let Some(ty) = args[0].as_type_like(heap.core()) else {
        return Err(exceptions::type_error(heap, "fieldtype", heap.core().data_type, args[0]));
    };
    let found = field_type_of(heap, ty, args[1], true)?;
    Ok(params::value_of_param(heap, found))
}

/// The type of a field; `Union{}` instead of an exception where `throws` is false.
fn field_type_of(heap: &Heap, ty: Type, field: Value, throws: bool) -> Run<Type> {
    let types = heap.types();
    match types.data(ty) {
        &TypeData::UnionAll { var, body } => {
            let inner = field_type_of(heap, body, field, throws)?;
            Ok(unionall::new(types, var, inner))
        }
        TypeData::Union(members) => {
            let mut found = Vec::with_capacity(members.len());
            for &member in members {
                found.push(field_type_of(heap, member, field, false)?);
            }
            let bottom = heap.core().bottom;
            if throws && found.iter().all(|&it| it == bottom) {
                for &member in members {
                    field_type_of(heap, member, field, true)?;
                }
            }
            Ok(types.union(&found))
        }
        TypeData::Data { .. } => data_field_type(heap, ty, field, throws),
        TypeData::Bottom | TypeData::Var { .. } | TypeData::Vararg { .. } | TypeData::Value(_) => {
            Err(exceptions::type_error(heap, "fieldtype", heap.core().data_type, heap.type_value(ty)))
        }
    }
}

fn data_field_type(heap: &Heap, ty: Type, field: Value, throws: bool) -> Run<Type> {
    let (types, core) = (heap.types(), heap.core());
    let index = match field.as_int(core) {
        Some(i) => usize::try_from(i.wrapping_sub(1)).ok(),
        None => {
            let name = symbol_argument(heap, "fieldtype", field)?;
            match datatype::field_index(types, ty, name) {
                Some(index) => Some(index),
                None if has_open_names(types, ty) => Some(0),
                None if throws => return Err(exceptions::field_error(heap, ty, field)),
                None => return Ok(core.bottom),
            }
        }
    };
    let found = match index {
        Some(index) if datatype::is_named_tuple(types, ty) => named_tuple_field_type(types, ty, index),
        Some(index) if datatype::is_tuple(types, ty) => element_type(types, ty, index),
        Some(index) => datatype::field_types(types, ty).get(index).copied(),
        None => None,
    };
    match found {
        Some(found) => Ok(found),
        None if throws => Err(exceptions::bounds_error(heap, heap.type_value(ty), field)),
        None => Ok(core.bottom),
    }
}

/// The type of an element of a tuple type, which may be open.
fn element_type(types: &Types, tuple: Type, index: usize) -> Option<Type> {
    let elements = datatype::params(types, tuple);
    match elements.last().map(|&it| types.data(it)) {
        Some(TypeData::Vararg { elem, .. }) if index + 1 >= elements.len() => Some(*elem),
        _ => elements.get(index).copied(),
    }
}

/// Returns the type of a field of a named tuple type. If names or types are open, the result is the bound of the
/// types.
fn named_tuple_field_type(types: &Types, ty: Type, index: usize) -> Option<Type> {
    let [names, mut elements] = *datatype::params(types, ty) else { return None };
    if matches!(types.data(names), TypeData::Value(_)) && index >= datatype::field_names(types, ty).len() {
        return None;
    }
    while let TypeData::Var { upper, .. } = types.data(elements) {
        elements = *upper;
    }
    if [types.core().any, types.core().bottom].contains(&elements) {
        return Some(elements);
    }
    let found = element_type(types, unionall::unwrap(types, elements), index)?;
    Some(unionall::rewrap(types, found, elements))
}

fn has_open_names(types: &Types, ty: Type) -> bool {
    datatype::is_named_tuple(types, ty)
        && !matches!(datatype::params(types, ty), [names, _] if matches!(types.data(*names), TypeData::Value(_)))
}
