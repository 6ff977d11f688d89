//! World ages: which one runs, calls and names in another, removal of methods, modules without a name of their own.

use super::arguments::Arguments;
use super::reflection::named;
use crate::eval::modules;
use crate::heap::numbers;
use crate::interp::call;
use crate::tables::{Binding, World};
use crate::{Run, Value, throw};

pub(super) fn running_world(args: &Arguments<'_>) -> Run {
    args.expect(0, 0)?;
    Ok(numbers::uint64(args.heap(), args.rt.current_world().number()))
}

pub(super) fn is_newest_world(args: &Arguments<'_>) -> Run {
    args.expect(0, 0)?;
    Ok(args.heap().bool(args.rt.current_world() == args.rt.tables.world()))
}

/// `call_in_world(world, f, args...)`. No code runs in a world that has not begun.
pub(super) fn call_in_world(args: &Arguments<'_>) -> Run {
    args.expect(2, usize::MAX)?;
    let world = args.world(0)?.min(args.rt.tables.world()).max(World::FIRST);
    let (callee, rest) = (args.value(1)?, &args.values[2..]);
    call::call_in_world(args.rt, callee, rest, world)
}

/// The meaning of a name in a world; `UndefVarError` if it has none.
pub(super) fn global_in_world(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let (module, name, world) = (args.module(0)?, args.symbol(1)?, args.world(2)?);
    let found = match args.rt.tables.bindings.binding(module, name, world).0 {
        Binding::Const(value) => Some(value),
        Binding::Global(cell, _) => cell.get(),
        Binding::Undefined | Binding::Ambiguous(..) => None,
    };
    found.ok_or_else(|| throw::undef_var(args.rt, name, crate::NameScope::Global(module)))
}

pub(super) fn delete_method(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let method = args.method(0)?;
    if !args.rt.tables.delete_method(method) {
        let name = args.rt.tables.method(method).name;
        let message = format!("Method of {} already disabled", args.rt.types.name(name));
        return Err(args.error(&message));
    }
    Ok(args.heap().nothing())
}

/// Ends the meaning of a name.
pub(super) fn delete_binding(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let found = args.rt.tables.delete_binding(args.module(0)?, args.symbol(1)?);
    Ok(args.heap().bool(found))
}

/// A module that nothing names, in `Main`.
pub(super) fn new_module(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let core = args.heap().core();
    let flag = |at: usize| args.value(at).map(|it| it.as_bool(core).unwrap_or(true));
    let module = modules::anonymous_module(args.rt, args.symbol(0)?, flag(1)?, flag(2)?)?;
    Ok(Value::module(core, module))
}

/// The meaning of a name in a module and a world, and since and until when.
pub(super) fn binding_info(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let (module, name, world) = (args.module(0)?, args.symbol(1)?, args.world(2)?);
    let (rt, heap) = (args.rt, args.heap());
    let core = heap.core();
    let found = rt.tables.bindings.resolve_binding(module, name, world);
    let (kind, ty) = match &found.binding {
        Binding::Undefined => ("undefined", None),
        Binding::Ambiguous(..) => ("ambiguous", None),
        Binding::Const(value) => ("constant", Some(heap.type_value(value.ty()))),
        Binding::Global(_, ty) => ("global", Some(heap.type_value(*ty))),
    };
    let (exported, public) = rt.tables.bindings.visibility(module, name);
    let declared = found.module == module && rt.tables.bindings.is_only_declared(module, name);
    let fields = [
        ("kind", heap.symbol(kind)),
        ("mod", Value::module(core, found.module)),
        ("name", Value::symbol(core, found.name)),
        ("type", ty.unwrap_or_else(|| heap.nothing())),
        ("imported", heap.bool(found.imported)),
        ("implicit", heap.bool(found.implicit)),
        ("shared", heap.bool(found.shared)),
        ("declared", heap.bool(declared)),
        ("exported", heap.bool(exported)),
        ("public", heap.bool(public)),
        ("min_world", numbers::uint64(heap, found.worlds.min.number())),
        ("max_world", numbers::uint64(heap, found.worlds.max.number())),
    ];
    Ok(named(args, &fields))
}
