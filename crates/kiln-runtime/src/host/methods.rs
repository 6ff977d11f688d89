//! Questions about methods.

use super::arguments::Arguments;
use super::reflection::named;
use crate::tables::{Method, MethodId, MethodMatch, MethodTableView, TableId};
use crate::{Run, Runtime, Value, exceptions};
use kiln_ir::{Instance, Lowered, LoweredStmt};
use kiln_types::Type;

fn signature(args: &Arguments<'_>) -> Run<Type> {
    args.rt.signature(args.value(0)?, args.ty(1)?)
}

fn matches(args: &Arguments<'_>, sig: Type) -> Vec<MethodMatch> {
    let world = args.rt.current_world();
    let view = args.rt.tables.view(crate::interp::running_view());
    args.rt.tables.find_matches_in(&view, sig, world, usize::MAX).map_or_else(Vec::new, |it| it.matches)
}

pub(super) fn hasmethod(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let callee = args.value(0)?.ty();
    let special =
        args.rt.callees.of_type(callee).is_some() || callee == args.heap().core().intrinsic_function;
    let found = special || matches(args, signature(args)?).iter().any(|it| it.fully_covers);
    Ok(args.heap().bool(found))
}

fn method_value(args: &Arguments<'_>, method: MethodId) -> Value {
    Value::inline(args.heap().core().method, method.index() as u64)
}

/// `methods_list(f[, types[, device]])`: all methods; those that calls may reach, or, for a device, those that take all such calls and
/// that only kernels see.
pub(super) fn methods_list(args: &Arguments<'_>) -> Run {
    args.expect(0, 3)?;
    let (heap, types) = (args.heap(), args.heap().types());
    if args.values.is_empty() {
        let (tables, world) = (&args.rt.tables, args.rt.current_world());
        let all = tables.methods_of_table(TableId::GLOBAL).into_iter();
        let now = all.filter(|&it| tables.method(it).worlds().contains(world));
        let found: Vec<Value> = now.map(|it| method_value(args, it)).collect();
        return Ok(heap.any_vector(&found));
    }
    let sig = if args.values.len() >= 2 {
        signature(args)?
    } else {
        let rest = types.vararg(heap.core().any, None);
        types.tuple(&[heap.dispatch_type(args.value(0)?), rest])
    };
    let found = if args.values.len() == 3 { overlays(args, sig) } else { matches(args, sig) };
    let found: Vec<Value> = found.iter().map(|it| method_value(args, it.method)).collect();
    Ok(heap.any_vector(&found))
}

fn overlays(args: &Arguments<'_>, sig: Type) -> Vec<MethodMatch> {
    let (tables, world) = (&args.rt.tables, args.rt.current_world());
    let seen = |it: TableId| tables.find_matches_in(&MethodTableView::stacked(&[it]), sig, world, usize::MAX);
    let overlays = tables.overlay_tables().filter_map(|it| Some((it, seen(it)?)));
    let own = overlays.flat_map(|(table, it)| {
        let own = move |it: &MethodMatch| it.fully_covers && tables.method(it.method).table == table;
        it.matches.into_iter().filter(own)
    });
    own.collect()
}

pub(super) fn method_info(args: &Arguments<'_>) -> Run {
    args.expect(1, 2)?;
    if args.values.len() == 1 {
        return describe(args);
    }
    match matches(args, signature(args)?).iter().find(|it| it.fully_covers) {
        Some(found) => Ok(method_value(args, found.method)),
        None => Err(args.error("no unique matching method found for the specified argument types")),
    }
}

/// The fields a `Method` shows.
const METHOD: &[&str] = &["name", "module", "sig", "file", "line", "nargs", "isva", "argnames", "keywords"];
/// The fields a `MethodInstance` shows.
const INSTANCE: &[&str] = &["def", "specTypes", "sparam_vals"];

fn describe(args: &Arguments<'_>) -> Run {
    let (heap, value) = (args.heap(), args.value(0)?);
    if value.ty() != heap.core().method {
        return Err(exceptions::type_error(heap, args.function.name(), heap.core().method, value));
    }
    let method = args.rt.tables.method(MethodId::from_index(value.bits() as usize));
    let fields: Vec<(&str, Value)> =
        METHOD.iter().map(|&name| (name, field_of_method(args.rt, &method, name))).collect();
    Ok(named(args, &fields))
}

fn field_of_method(rt: &Runtime, method: &Method, name: &str) -> Value {
    let (heap, core) = (&rt.heap, rt.heap.core());
    let place = || rt.frontend.place(method.loc).unwrap_or_default();
    match name {
        "name" => Value::symbol(core, method.name),
        "module" => Value::module(core, method.module),
        "sig" => heap.type_value(method.sig),
        "file" => heap.symbol(&place().0),
        "line" => Value::inline(core.int32, u64::from(place().1)),
        "nargs" => Value::inline(core.int32, u64::from(method.nargs)),
        "argnames" => {
            let code = &method.code;
            let slots = code.slots.iter().take(method.nargs as usize);
            let names: Vec<Value> = slots.map(|it| Value::symbol(core, it.name)).collect();
            heap.svec(&names)
        }
        "keywords" => heap.svec(&keywords(rt, method)),
        _ => heap.bool(method.is_va),
    }
}

/// The names that a method of `kwcall` binds: its keywords. It takes any others as well (`rest...`, which is the last of
/// them) if it does not complain of them.
fn keywords(rt: &Runtime, method: &Method) -> Vec<Value> {
    let (core, types) = (rt.heap.core(), rt.heap.types());
    if method.name != types.symbol("kwcall") {
        return Vec::new();
    }
    let code = &method.code;
    let named = code.slots.iter().skip(method.nargs as usize).map(|it| types.name(it.name));
    let mut names: Vec<String> =
        named.filter(|it| !it.is_empty() && !it.contains('#')).map(str::to_owned).collect();
    let complaint = types.symbol("kwerr");
    let is_complaint = |it: &Lowered| matches!(it, Lowered::Global(_, name) if *name == complaint);
    let complains = code
        .stmts
        .iter()
        .any(|it| matches!(it, LoweredStmt::Call(operands) if operands.iter().any(is_complaint)));
    if let (false, Some(rest)) = (complains, names.last_mut()) {
        rest.push_str("...");
    }
    names.iter().map(|it| Value::symbol(core, types.symbol(it))).collect()
}

/// `getfield` of a `Method` or `MethodInstance`.
pub fn method_field(rt: &Runtime, object: Value, field: Value) -> Run {
    let (heap, core) = (&rt.heap, rt.heap.core());
    let names = if object.ty() == core.method { METHOD } else { INSTANCE };
    let Some(symbol) = field.as_symbol(core) else {
        return Err(exceptions::type_error(heap, "getfield", core.symbol, field));
    };
    let Some(&name) = names.iter().find(|it| **it == heap.types().name(symbol)) else {
        return Err(exceptions::field_error(heap, object.ty(), field));
    };
    if object.ty() == core.method {
        let method = rt.tables.method(MethodId::from_index(object.bits() as usize));
        return Ok(field_of_method(rt, &method, name));
    }
    let instance = rt.tables.instance_data(Instance::from_u32(object.bits() as u32));
    Ok(match name {
        "def" => Value::inline(core.method, instance.method.index() as u64),
        "specTypes" => heap.type_value(instance.spec_types),
        _ => {
            let params: Vec<Value> = instance.static_params.iter().map(|&it| heap.param_value(it)).collect();
            heap.svec(&params)
        }
    })
}

pub(super) fn return_type(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let sig = signature(args)?;
    let inferred = args.rt.compiler.get().and_then(|it| it.return_type(args.rt, sig));
    Ok(args.heap().type_value(inferred.unwrap_or(args.heap().core().any)))
}

/// `new_method_table(name, module)`; with `nothing`, while the library is loaded, the runtime's own table.
pub(super) fn new_method_table(args: &Arguments<'_>) -> Run {
    args.expect(1, 2)?;
    if args.values.len() == 2 {
        let table = args.rt.tables.add_table(args.symbol(0)?, args.module(1)?);
        return Ok(args.rt.method_table_value(table));
    }
    if args.rt.tables.sealed().is_some() {
        return Err(args.error("the runtime's own method table is private"));
    }
    Ok(args.rt.method_table_value(TableId::RUNTIME))
}
