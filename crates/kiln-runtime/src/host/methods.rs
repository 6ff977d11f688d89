//! Questions about methods.

use super::arguments::Arguments;
use super::reflection::named;
use crate::eval::{code_value, generated};
use crate::heap::{arrays, numbers, params, svecs, text};
use crate::interp::{define, special};
use crate::tables::{Method, MethodId, MethodMatch, MethodTableView, TableId, World};
use crate::{Run, Runtime, Value, exceptions};
use kiln_ir::{Instance, Lowered, LoweredStmt};
use kiln_types::{Symbol, Type, datatype, definition, unionall};

fn signature(args: &Arguments<'_>) -> Run<Type> {
    special::signature(args.rt, args.value(0)?, args.ty(1)?)
}

fn matches(args: &Arguments<'_>, sig: Type, world: World) -> Vec<MethodMatch> {
    let view = args.rt.tables.calls.view(crate::interp::running_view());
    args.rt.tables.find_matches_in(&view, sig, world, usize::MAX).map_or_else(Vec::new, |it| it.matches)
}

pub(super) fn hasmethod(args: &Arguments<'_>) -> Run {
    args.expect(2, 3)?;
    let world = args.world(2)?;
    let callee = args.value(0)?.ty();
    let special =
        args.rt.callees.of_type(callee).is_some() || callee == args.heap().core().intrinsic_function;
    let found = special || matches(args, signature(args)?, world).iter().any(|it| it.fully_covers);
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
        let all = tables.methods.methods_of_table(TableId::GLOBAL).into_iter();
        let now = all.filter(|&it| tables.method(it).worlds().contains(world));
        let found: Vec<Value> = now.map(|it| method_value(args, it)).collect();
        return Ok(arrays::any_vector(heap, &found));
    }
    let sig = if args.values.len() >= 2 {
        signature(args)?
    } else {
        let rest = datatype::vararg(types, heap.core().any, None);
        datatype::tuple(types, &[heap.dispatch_type(args.value(0)?), rest])
    };
    let found = if args.values.len() == 3 {
        overlays(args, sig)
    } else {
        matches(args, sig, args.rt.current_world())
    };
    let found: Vec<Value> = found.iter().map(|it| method_value(args, it.method)).collect();
    Ok(arrays::any_vector(heap, &found))
}

fn overlays(args: &Arguments<'_>, sig: Type) -> Vec<MethodMatch> {
    let (tables, world) = (&args.rt.tables, args.rt.current_world());
    let seen = |it: TableId| tables.find_matches_in(&MethodTableView::stacked(&[it]), sig, world, usize::MAX);
    let overlays = tables.methods.overlay_tables().filter_map(|it| Some((it, seen(it)?)));
    let own = overlays.flat_map(|(table, it)| {
        let own = move |it: &MethodMatch| it.fully_covers && tables.method(it.method).table == table;
        it.matches.into_iter().filter(own)
    });
    own.collect()
}

pub(super) fn method_info(args: &Arguments<'_>) -> Run {
    args.expect(1, 3)?;
    let core = args.heap().core();
    if args.values.len() == 1 {
        return describe(args);
    }
    // A signature, whose first type is the function's, and a world; or a function, its argument types and a world.
    let whole = args.values.len() == 2 && args.value(1)?.ty() == core.uint64;
    let (sig, world) = if whole { (args.ty(0)?, args.world(1)?) } else { (signature(args)?, args.world(2)?) };
    match matches(args, sig, world).iter().find(|it| it.fully_covers) {
        Some(found) => Ok(method_value(args, found.method)),
        None => Err(args.error("no unique matching method found for the specified argument types")),
    }
}

/// Returns the instances of a method that have been called or inferred for their types alone; with a signature and
/// static parameters, the instance for these.
pub(super) fn method_instances(args: &Arguments<'_>) -> Run {
    args.expect(1, 3)?;
    let method = args.method(0)?;
    let rt = args.rt;
    if args.values.len() == 3 {
        let params = args.value(2)?;
        if params.ty() != args.heap().core().simple_vector {
            let expected = args.heap().core().simple_vector;
            return Err(exceptions::type_error(args.heap(), args.function.name(), expected, params));
        }
        let params = svecs::values(args.heap(), params);
        let params: Vec<Type> =
            params.into_iter().filter_map(|it| params::param_of_value(args.heap(), it)).collect();
        let instance = rt.tables.instance(method, args.ty(1)?, &params);
        return Ok(Value::inline(args.heap().core().method_instance, u64::from(instance.as_u32())));
    }
    super::invalidations::infer_called(rt);
    let known = rt.tables.methods.instances_of(method);
    let plain = known.into_iter().filter(|&it| rt.tables.instance_data(it).known_args.is_empty());
    let core = args.heap().core();
    let values: Vec<Value> =
        plain.map(|it| Value::inline(core.method_instance, u64::from(it.as_u32()))).collect();
    Ok(arrays::any_vector(args.heap(), &values))
}

/// The lowered body of a method, or of one of its instances.
pub(super) fn lowered_code(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let (rt, value) = (args.rt, args.value(0)?);
    if value.ty() == args.heap().core().method_instance {
        let code = generated::instance_body(rt, Instance::from_u32(value.bits() as u32))?;
        return code_value::lowered_value(rt, &code);
    }
    // The body that runs where no generator does, if there is one.
    let method = rt.tables.method(args.method(0)?);
    let generated = method.code.meta.generated;
    let fallback = method.code.bodies.last().filter(|_| generated);
    code_value::lowered_value(rt, fallback.unwrap_or(&method.code))
}

/// The fields a `Method` shows.
const METHOD: &[&str] = &[
    "name",
    "module",
    "sig",
    "file",
    "line",
    "nargs",
    "isva",
    "argnames",
    "keywords",
    "primary_world",
    "nospecialize",
    "called",
    "slot_syms",
    "specializations",
    "nkw",
    "is_for_opaque_closure",
    "is_generated",
];
/// The fields a `MethodInstance` shows.
const INSTANCE: &[&str] = &["def", "specTypes", "sparam_vals", "cache"];

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
        "name" => Value::symbol(core, callee_name(rt, method)),
        "module" => Value::module(core, method.module),
        "sig" => heap.type_value(method.sig),
        "file" => heap.symbol(&place().0),
        "line" => Value::inline(core.int32, u64::from(place().1)),
        "nargs" => Value::inline(core.int32, u64::from(method.nargs)),
        "argnames" => {
            let code = &method.code;
            let slots = code.slots.iter().take(method.nargs as usize);
            let names: Vec<Value> = slots.map(|it| Value::symbol(core, it.name)).collect();
            svecs::new(heap, &names)
        }
        "keywords" => svecs::new(heap, &keywords(rt, method)),
        "nkw" => Value::inline(core.int32, body_keywords(rt, method)),
        "primary_world" => numbers::uint64(heap, method.worlds().min.number()),
        "nospecialize" => Value::inline(core.int32, u64::from(method.code.meta.nospecialize >> 1)),
        "called" => Value::inline(core.int32, u64::from(called_arguments(rt, method))),
        "slot_syms" => {
            let names = method.code.slots.iter().map(|it| rt.types.name(it.name));
            let text: String = names.flat_map(|it| [it, "\0"]).collect();
            text::string(heap, &text)
        }
        "specializations" => specializations(rt, method),
        "is_for_opaque_closure" => heap.bool(false),
        "is_generated" => heap.bool(method.code.meta.generated),
        _ => heap.bool(method.is_va),
    }
}

/// A bit for each argument, the function itself not counted, that the body calls.
fn called_arguments(rt: &Runtime, method: &Method) -> u32 {
    let passes_on = |it: &Lowered| matches!(it, Lowered::Global(_, name) if matches!(rt.types.name(*name), "kwcall" | "_apply_iterate"));
    let mut called = 0;
    for stmt in &method.code.stmts {
        let LoweredStmt::Call(operands) = stmt else { continue };
        let callee = operands.first().filter(|it| !passes_on(it)).or(operands.get(2));
        if let Some(&Lowered::Slot(slot)) = callee
            && (1..method.nargs.min(33)).contains(&slot)
        {
            called |= 1 << (slot - 1);
        }
    }
    called
}

/// The number of keywords that a method takes which holds the body of one with keywords: the arguments before the function.
fn body_keywords(rt: &Runtime, method: &Method) -> u64 {
    let slots = &method.code.slots;
    let is = |at: usize, name: &str| slots.get(at).is_some_and(|it| rt.types.name(it.name) == name);
    let function = (1..method.nargs as usize).find(|&at| is(at, "#self#"));
    function.filter(|_| is(0, "#body#")).map_or(0, |it| it as u64 - 1)
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

/// `getfield` of a `Method`, a `MethodInstance` or a `CodeInstance`.
pub fn method_field(rt: &Runtime, object: Value, field: Value) -> Run {
    let (heap, core) = (&rt.heap, rt.heap.core());
    if object.ty() == core.code_instance {
        return super::code_instances::field(rt, object, field);
    }
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
        "cache" => {
            let newest = super::code_instances::newest(rt, instance.instance);
            return newest.ok_or_else(|| exceptions::undef_ref_error(heap));
        }
        _ => {
            let params: Vec<Value> =
                instance.static_params.iter().map(|&it| params::value_of_param(heap, it)).collect();
            svecs::new(heap, &params)
        }
    })
}

/// `new_method_table(name, module)`; with `nothing`, while the library is loaded, the runtime's own table.
pub(super) fn new_method_table(args: &Arguments<'_>) -> Run {
    args.expect(1, 2)?;
    if args.values.len() == 2 {
        let table = args.rt.tables.methods.add_table(args.symbol(0)?, args.module(1)?);
        return Ok(define::method_table_value(args.rt, table));
    }
    if args.rt.tables.sealed().is_some() {
        return Err(args.error("the runtime's own method table is private"));
    }
    Ok(define::method_table_value(args.rt, TableId::RUNTIME))
}

/// Whether lowering made this method of `kwcall`.
fn sorts_keywords(rt: &Runtime, method: &Method) -> bool {
    method.code.slots.first().is_some_and(|it| rt.types.name(it.name) == "#kwcall#")
}

/// The name of a method's function, by its type where the definition names only that.
fn callee_name(rt: &Runtime, method: &Method) -> Symbol {
    let types = &rt.types;
    let callee = datatype::params(types, unionall::unwrap(types, method.sig)).first().copied();
    let name = callee
        .filter(|&it| definition::singleton(types, it).is_some())
        .and_then(|it| datatype::name_of(types, it));
    // A method that takes keywords apart for a function is called as that function is.
    if name.is_some_and(|it| types.name(types.type_name(it).def.name) == "kwcall")
        && sorts_keywords(rt, method)
    {
        let params = datatype::params(types, unionall::unwrap(types, method.sig));
        let function = params.get(2).and_then(|&it| datatype::name_of(types, it));
        let name = function.map(|it| types.type_name(it).def.name);
        return name.unwrap_or(method.name);
    }
    let name = name.map(|it| types.type_name(it).def.name);
    name.filter(|&it| !types.name(it).starts_with('#')).unwrap_or(method.name)
}

/// Returns the only instance of a method, or a vector of several, in Julia's form.
fn specializations(rt: &Runtime, method: &Method) -> Value {
    let core = rt.heap.core();
    super::invalidations::infer_called(rt);
    let known = rt.tables.methods.instances_of(method.id);
    let plain = known.into_iter().filter(|&it| rt.tables.instance_data(it).known_args.is_empty());
    let values: Vec<Value> =
        plain.map(|it| Value::inline(core.method_instance, u64::from(it.as_u32()))).collect();
    match values[..] {
        [one] => one,
        _ => svecs::new(&rt.heap, &values),
    }
}
