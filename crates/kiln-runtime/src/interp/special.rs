//! The builtins that call back into the interpreter or look at the world; the others are in
//! [`builtins`](crate::builtins).

use super::decode::CallSite;
use super::frames::FrameGuard;
use super::task::{self, Machine};
use super::{call, deferred, globals};
use crate::eval::generated;
use crate::heap::{MemoryOrder, Registers, Value, arrays, fields, svecs, tuples};
use crate::intrinsics::memory_order;
use crate::runtime::Runtime;
use crate::tables::World;
use crate::thrown::{Run, Thrown};
use crate::{collecting, runtime, throw};
use kiln_ir::Builtin;
use kiln_types::{Module, Symbol, Type, datatype, subtype, unionall};

/// Arguments of one call at most: more do not fit on a stack.
const ARGUMENTS_MAX: usize = 1 << 22;

/// Calls a builtin with the arguments pushed after `top`.
pub(super) fn call_builtin(rt: &Runtime, machine: &mut Machine, top: usize, builtin: Builtin) -> Run {
    let core = rt.types.core();
    let count = machine.stack.len() - top - 1;
    let arg = |machine: &Machine, at: usize| machine.stack[top + 1 + at];
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others, and wrong counts, are told apart there")]
    match builtin {
        Builtin::Throw if count == 1 => Err(Thrown::new(arg(machine, 0))),
        Builtin::ApplyIterate if count >= 2 => apply_iterate(rt, machine, top),
        Builtin::Invokelatest if count >= 1 => {
            machine.stack.remove(top);
            in_world(machine, rt.tables.world(), |machine| call_fresh(rt, machine, top))
        }
        Builtin::Invoke if count >= 2 => invoke(rt, machine, top),
        Builtin::Deferred if count >= 1 => deferred::make(rt, &machine.stack[top + 1..], machine.world),
        Builtin::DeferredCall if count >= 2 => deferred::call(rt, &machine.stack[top + 1..]),
        Builtin::Applicable if count >= 1 => {
            let found = is_applicable(rt, &machine.stack[top + 1..], machine.world);
            Ok(rt.heap.bool(found))
        }
        Builtin::Getfield if count >= 2 && arg(machine, 0).ty() == core.module => {
            let (module, name) = module_and_name(rt, &machine.stack[top + 1..], "getfield")?;
            globals::get(rt, module, name)
        }
        Builtin::Getfield if count >= 2 && is_method(rt, arg(machine, 0)) => {
            crate::host::method_field(rt, arg(machine, 0), arg(machine, 1))
        }
        Builtin::Getglobal if count >= 2 => {
            if count >= 3 {
                check_binding_order(rt, "getglobal", "read", arg(machine, 2), false)?;
            }
            let (module, name) = module_and_name(rt, &machine.stack[top + 1..], "getglobal")?;
            globals::get(rt, module, name)
        }
        Builtin::Setglobal if count >= 3 => call_setglobal(rt, &machine.stack[top + 1..]),
        Builtin::Isdefinedglobal if count >= 2 => {
            let (module, name) = module_and_name(rt, &machine.stack[top + 1..], "isdefinedglobal")?;
            let own = count >= 3 && arg(machine, 2).as_bool(rt.types.core()) == Some(false);
            let found = !own || globals::is_own_binding(rt, module, name);
            Ok(rt.heap.bool(found && globals::is_defined(rt, module, name)))
        }
        Builtin::Isdefined if count >= 2 && arg(machine, 0).ty() == core.module => {
            let (module, name) = module_and_name(rt, &machine.stack[top + 1..], "isdefined")?;
            if count >= 3 {
                check_binding_order(rt, "isdefined", "accessed", arg(machine, 2), false)?;
            }
            Ok(rt.heap.bool(globals::is_defined(rt, module, name)))
        }
        Builtin::Isdefined if count >= 2 && is_method(rt, arg(machine, 0)) => {
            let found = crate::host::method_field(rt, arg(machine, 0), arg(machine, 1));
            Ok(rt.heap.bool(found.is_ok()))
        }
        Builtin::Modifyfield if count >= 4 => modify_field(rt, &machine.stack[top + 1..]),
        Builtin::Memorynew => {
            if let (true, Some(ty)) = (count >= 2, arg(machine, 0).as_type(core)) {
                collecting::make_room(rt, ty, arg(machine, 1).as_int(core).unwrap_or(0));
            }
            collecting::with_memory(rt, || {
                crate::builtins::call(&rt.heap, builtin, &machine.stack[top + 1..])
            })
        }
        _ => {
            let done = crate::builtins::call(&rt.heap, builtin, &machine.stack[top + 1..]);
            runtime::after_async_errors(rt, done)
        }
    }
}

/// Gives a global a value. An assignment converts; a call that names an order does not.
fn call_setglobal(rt: &Runtime, args: &[Value]) -> Run {
    let (module, name) = module_and_name(rt, args, "setglobal!")?;
    let value = args[2];
    let Some(&order) = args.get(3) else {
        globals::check_declared(rt, module, name)?;
        globals::set(rt, module, name, value)?;
        return Ok(value);
    };
    check_binding_order(rt, "setglobal!", "written", order, true)?;
    globals::check_declared(rt, module, name)?;
    globals::set_global_exactly(rt, module, name, value)?;
    Ok(value)
}

/// Throws unless a global may be read, or written, in this order.
fn check_binding_order(rt: &Runtime, function: &str, done: &str, order: Value, stores: bool) -> Run<()> {
    if memory_order(&rt.heap, function, order, !stores, stores)? != MemoryOrder::NotAtomic {
        return Ok(());
    }
    let message = format!("{function}: module binding cannot be {done} non-atomically");
    Err(crate::exceptions::concurrency_error(&rt.heap, &message))
}

fn is_method(rt: &Runtime, value: Value) -> bool {
    let core = rt.types.core();
    [core.method, core.method_instance, core.code_instance].contains(&value.ty())
}

/// Calls the function at `top`, without a call site.
fn call_fresh(rt: &Runtime, machine: &mut Machine, top: usize) -> Run {
    rt.call_pushed(machine, top, &CallSite::default())
}

fn in_world(machine: &mut Machine, world: World, work: impl FnOnce(&mut Machine) -> Run) -> Run {
    let outer = machine.world;
    machine.world = world;
    machine.inbounds = false;
    task::set_world(world);
    let result = work(machine);
    machine.world = outer;
    task::set_world(outer);
    result
}

fn module_and_name(rt: &Runtime, args: &[Value], function: &str) -> Run<(Module, Symbol)> {
    let core = rt.types.core();
    let module =
        args[0].as_module(core).ok_or_else(|| throw::type_error(rt, function, "", core.module, args[0]))?;
    let name =
        args[1].as_symbol(core).ok_or_else(|| throw::type_error(rt, function, "", core.symbol, args[1]))?;
    Ok((module, name))
}

/// `_apply_iterate(iterate, f, args...)`: `f` with the elements of every argument.
fn apply_iterate(rt: &Runtime, machine: &mut Machine, top: usize) -> Run {
    let iterate = machine.stack[top + 1];
    let mut args = Registers::new();
    args.extend_from_slice(&machine.stack[top + 3..]);
    machine.stack[top] = machine.stack[top + 2];
    machine.stack.truncate(top + 1);
    for &arg in args.iter() {
        push_elements(rt, machine, iterate, arg)?;
        if machine.stack.len() - top > ARGUMENTS_MAX {
            return Err(throw::stack_overflow(rt));
        }
    }
    call_fresh(rt, machine, top)
}

fn push_elements(rt: &Runtime, machine: &mut Machine, iterate: Value, arg: Value) -> Run<()> {
    let core = rt.types.core();
    if datatype::is_tuple(&rt.types, arg.ty()) || datatype::is_named_tuple(&rt.types, arg.ty()) {
        for at in 0..fields::count(&rt.heap, arg) {
            machine.stack.extend(fields::get(&rt.heap, arg, at));
        }
        return Ok(());
    }
    if arg.ty() == core.simple_vector {
        machine.stack.extend(svecs::values(&rt.heap, arg));
        return Ok(());
    }
    if arrays::is_array(&rt.heap, arg) {
        for at in 0..arrays::len(&rt.heap, arg) {
            match arrays::get(&rt.heap, arg, at) {
                Some(value) => machine.stack.push(value),
                None => return Err(throw::exception(rt, core.undef_ref_error, &[])),
            }
        }
        return Ok(());
    }
    push_iterated(rt, machine, iterate, arg)
}

fn push_iterated(rt: &Runtime, machine: &mut Machine, iterate: Value, arg: Value) -> Run<()> {
    let core = rt.types.core();
    let mut next = rt.call(iterate, &[arg])?;
    while !next.is_nothing(core) {
        let value = iterated(rt, next, 0)?;
        let state = iterated(rt, next, 1)?;
        machine.stack.push(value);
        next = rt.call(iterate, &[arg, state])?;
    }
    Ok(())
}

/// Returns a part of the result of `iterate`: the element or the state.
fn iterated(rt: &Runtime, next: Value, at: usize) -> Run {
    if at >= fields::count(&rt.heap, next) {
        return Err(throw::bounds_error(rt, next, rt.heap.int(at as i64 + 1)));
    }
    let part = fields::get(&rt.heap, next, at);
    part.ok_or_else(|| throw::exception(rt, rt.types.core().undef_ref_error, &[]))
}

/// `invoke(f, Tuple{...}, args...)` or `invoke(f, method, args...)`.
fn invoke(rt: &Runtime, machine: &mut Machine, top: usize) -> Run {
    let core = rt.types.core();
    let callee = machine.stack[top + 1];
    let which = machine.stack[top + 2];
    let world = machine.world;
    machine.stack.drain(top..=top + 2);
    machine.stack.insert(top, callee);
    let mut declared = None;
    let id = if which.ty() == core.method {
        crate::tables::MethodId::from_index(which.bits() as usize)
    } else if which.ty() == core.code_instance {
        let instance = rt.tables.instance_data(crate::host::invoked(rt, which)?);
        declared = Some(instance.spec_types);
        instance.method
    } else {
        let Some(given) = which.as_type(core) else {
            return Err(throw::type_error(rt, "invoke", "", core.type_, which));
        };
        if is_special(rt, callee) {
            check_invoked(rt, given, &machine.stack[top + 1..])?;
            return call_fresh(rt, machine, top);
        }
        let sig = signature(rt, callee, given)?;
        declared = Some(sig);
        let view = rt.tables.calls.view(machine.view);
        match rt.tables.methods.find_covering(&view, sig, world) {
            Some(found) => found.method,
            None => return Err(throw::no_invoked_method(rt, callee, which)),
        }
    };
    let method = rt.tables.method(id);
    let keys: Vec<_> = machine.stack[top..].iter().map(|&it| call::arg_key(rt, it)).collect();
    let actual = rt.tables.calls.keys_tuple(&keys);
    // Arguments of the types that were given; those of the method may be wider.
    let wanted = declared.unwrap_or(method.sig);
    if !rt.types.subtype(actual, wanted) {
        let given = tuples::new(&rt.heap, &machine.stack[top..]);
        return Err(throw::type_error(rt, "invoke: argument type error", "", wanted, given));
    }
    let Some(params) = subtype::matching(&rt.types, actual, method.sig) else {
        return Err(throw::type_error(rt, "invoke: argument type error", "", method.sig, callee));
    };
    let body = generated::method_body(rt, &method, actual, &params)?;
    let params = call::param_values(rt, &params);
    let _frame = FrameGuard::other(&body.code, Some(id));
    call::run_prepared(rt, machine, top, &body, &params, call::checks_bounds(rt))
}

/// Throws unless the arguments are those that the types given to `invoke` of a builtin allow.
fn check_invoked(rt: &Runtime, given: Type, args: &[Value]) -> Run<()> {
    let keys: Vec<_> = args.iter().map(|&it| call::arg_key(rt, it)).collect();
    let actual = rt.tables.calls.keys_tuple(&keys);
    if !datatype::is_tuple(&rt.types, unionall::unwrap(&rt.types, given)) {
        return Err(throw::type_error(rt, "invoke", "", rt.types.core().tuple, rt.heap.type_value(given)));
    }
    if rt.types.subtype(actual, given) {
        return Ok(());
    }
    let args = tuples::new(&rt.heap, args);
    if rt.heap.isa(args, given) {
        return Ok(());
    }
    Err(throw::type_error(rt, "invoke: argument type error", "", given, args))
}

/// Whether a value is called without methods.
fn is_special(rt: &Runtime, callee: Value) -> bool {
    callee.ty() == rt.types.core().intrinsic_function || rt.callees.of_type(callee.ty()).is_some()
}

/// The signature of a call of `callee` with arguments of the tuple type `args`.
pub fn signature(rt: &Runtime, callee: Value, args: Type) -> Run<Type> {
    let body = unionall::unwrap(&rt.types, args);
    if !datatype::is_tuple(&rt.types, body) {
        let core = rt.types.core();
        return Err(throw::type_error(rt, "signature", "", core.tuple, rt.heap.type_value(args)));
    }
    let mut elems = vec![rt.heap.dispatch_type(callee)];
    elems.extend_from_slice(datatype::params(&rt.types, body));
    Ok(unionall::rewrap(&rt.types, datatype::tuple(&rt.types, &elems), args))
}

/// Whether a call has a method in `world`.
pub(super) fn is_applicable(rt: &Runtime, call: &[Value], world: World) -> bool {
    let callee = call[0].ty();
    callee == rt.types.core().intrinsic_function
        || rt.callees.of_type(callee).is_some()
        || call::find_entry(rt, call, world).is_ok()
}

/// `modifyfield!(x, field, op, value[, order])`: returns `old => new`.
fn modify_field(rt: &Runtime, args: &[Value]) -> Run {
    let mut modify = |old, new| rt.call(args[2], &[old, new]);
    let (old, new, ty) = crate::builtins::modify_field(&rt.heap, args, &mut modify)?;
    pair(rt, old, new, ty)
}

/// `atomic_pointermodify(pointer, op, x, order)`.
pub(super) fn atomic_pointermodify(rt: &Runtime, args: &[Value]) -> Run {
    let op = args.get(1).copied().unwrap_or_else(|| rt.heap.nothing());
    let mut modify = |old, new| rt.call(op, &[old, new]);
    let (old, new, ty) = crate::intrinsics::atomic_pointermodify(&rt.heap, args, &mut modify)?;
    pair(rt, old, new, ty)
}

/// `old => new`, of the type `Pair{ty, ty}` that boot code defines.
pub(super) fn pair(rt: &Runtime, old: Value, new: Value, ty: Type) -> Run {
    let pair = rt.base_global("Pair").and_then(|it| it.as_type(rt.types.core()));
    let Some(pair) = pair else { return Ok(tuples::new(&rt.heap, &[old, new])) };
    let made = rt.types.apply(pair, &[ty, ty]);
    made.map(|ty| fields::new_struct(&rt.heap, ty, &[old, new])).map_err(|_| rt.error("Pair can not be made"))
}
