//! Identity of objects, allocation counters, modules.

use super::arguments::Arguments;
use super::text::pointer;
use crate::eval::quote;
use crate::heap::{FieldSlot, allocation, arrays, boxes, identity, memory, numbers};
use crate::tables::Binding;
use crate::{Run, Value, exceptions, runtime};
use kiln_types::{Module, Symbol, datatype, hash, layout, module};

pub(super) fn object_id(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    Ok(numbers::uint64(args.heap(), identity::object_id(args.heap(), args.value(0)?)))
}

pub(super) fn type_hash(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let hash = hash::of_type(args.heap().types(), args.ty(0)?);
    Ok(numbers::uint64(args.heap(), (hash ^ (hash >> 64)) as u64))
}

pub(super) fn pointer_from_objref(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let address = boxes::box_value(args.heap(), args.value(0)?);
    pointer(args, args.heap().core().nothing, address)
}

/// Julia's `jl_genericmemory_copyto`.
pub(super) fn genericmemory_copyto(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let heap = args.heap();
    let part = |at: usize| {
        let value = args.value(at)?;
        let wrong = || exceptions::type_error(heap, args.function.name(), heap.core().memory_ref, value);
        memory::ref_parts(heap, value).ok_or_else(wrong)
    };
    let (to, from, count) = (part(0)?, part(1)?, args.int(2)?);
    if to.memory.ty() != from.memory.ty() {
        return Err(args.error("genericmemory_copyto: the memories are of different types"));
    }
    let last = |at: i64| at.checked_add(count - 1).unwrap_or(i64::MAX);
    if count > 0 {
        let held = [to, from].iter().all(|it| it.holds(it.index) && it.holds(last(it.index)));
        if !held {
            return Err(args.error("genericmemory_copyto: elements outside the memory"));
        }
        memory::copy(heap, from.memory, from.index as usize, to.memory, to.index as usize, count as usize);
    }
    runtime::after_async_errors(args.rt, Ok(heap.nothing()))
}

/// `wrap_memory(M, p, n)`: a memory over the `n` elements at `p`, which lie in an object of the heap.
pub(super) fn wrap_memory(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let heap = args.heap();
    let (ty, pointer, count) = (args.ty(0)?, args.value(1)?, args.int(2)?);
    let refused = |message: &str| Err(exceptions::argument_error(heap, message));
    let element = memory::element(heap, ty).filter(|it| matches!(it.slot, FieldSlot::Inline(_)));
    let Some(element) = element else {
        return refused("unsafe_wrap: elements must be plain bits");
    };
    let layout = layout::of(heap.types(), element.ty);
    let align = u64::from(layout.map_or(1, |it| it.align).max(1));
    let address = pointer.bits();
    if address % align != 0 {
        return refused(&format!(
            "unsafe_wrap: pointer {address:#x} is not properly aligned to {align} bytes"
        ));
    }
    let Ok(length) = usize::try_from(count) else {
        return refused("unsafe_wrap: the length must not be negative");
    };
    let bytes = (length as u64).checked_mul(u64::from(element.stride));
    let end = bytes.and_then(|it| address.checked_add(it));
    let holds = allocation::extent_of(heap, address)
        .is_some_and(|(start, size)| end.is_some_and(|it| it <= start + size));
    if length > 0 && !holds {
        return refused("unsafe_wrap: the elements lie in no object of this program");
    }
    Ok(memory::wrap(heap, ty, address, length))
}

pub(super) fn copy_ast(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    Ok(quote::copy_ast(args.rt, args.value(0)?))
}

pub(super) fn allocated(args: &Arguments<'_>) -> Run {
    args.expect(0, 1)?;
    let stats = allocation::stats(args.heap());
    let which = if args.values.is_empty() { "bytes" } else { args.heap().types().name(args.symbol(0)?) };
    let count = match which {
        "count" => stats.allocations,
        "live" => stats.live_bytes,
        _ => stats.allocated_bytes,
    };
    Ok(args.heap().int(count as i64))
}

pub(super) fn module_of(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let (heap, value) = (args.heap(), args.value(0)?);
    if value.as_module(heap.core()).is_some() {
        return Ok(value);
    }
    let ty = value.as_type(heap.core()).unwrap_or(value.ty());
    match datatype::name_of(heap.types(), ty) {
        Some(name) => Ok(Value::module(heap.core(), heap.types().type_name(name).def.module)),
        None => Err(exceptions::type_error(heap, args.function.name(), heap.core().data_type, value)),
    }
}

pub(super) fn module_parent(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let parent = module::parent(args.heap().types(), args.module(0)?);
    Ok(Value::module(args.heap().core(), parent))
}

pub(super) fn module_name(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let name = module::name(args.heap().types(), args.module(0)?);
    Ok(Value::symbol(args.heap().core(), name))
}

/// `module_names(m, all, imported, usings)`: the result of Julia's `names`.
pub(super) fn module_names(args: &Arguments<'_>) -> Run {
    args.expect(1, 4)?;
    let (heap, tables) = (args.heap(), &args.rt.tables);
    let (types, module) = (heap.types(), args.module(0)?);
    let flag = |at: usize| args.values.get(at).and_then(|it| it.as_bool(heap.core())).unwrap_or(false);
    let (all, imported, usings) = (flag(1), flag(2), flag(3));
    let world = args.rt.current_world();
    let is_main = module == Module::MAIN;
    let is_listed = |&name: &Symbol| {
        let text = types.name(name);
        if !all && text.starts_with('#') {
            return false;
        }
        let found = tables.bindings.resolve_binding(module, name, world);
        let is_own = found.module == module && found.name == name;
        tables.bindings.visibility(module, name).1
            || match (is_own, found.imported) {
                (true, _) => all || is_main && !matches!(text, "eval" | "include"),
                (false, true) => imported,
                (false, false) => usings,
            }
    };
    let mut names: Vec<Symbol> = tables.bindings.names(module).into_iter().filter(is_listed).collect();
    names.extend(tables.bindings.public_names(module));
    if all {
        names.extend(tables.bindings.function_type_names(module, world));
    }
    if usings {
        for used in tables.bindings.usings(module) {
            let exported = tables.bindings.public_names(used);
            names.extend(exported.into_iter().filter(|&it| tables.bindings.visibility(used, it).0));
        }
    }
    names.sort_by_key(|&it| types.name(it));
    names.dedup();
    let values: Vec<Value> = names.into_iter().map(|it| Value::symbol(heap.core(), it)).collect();
    Ok(arrays::vector(heap, heap.core().symbol, &values))
}

pub(super) fn isconst(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let world = args.rt.current_world();
    let (binding, _) = args.rt.tables.bindings.binding(args.module(0)?, args.symbol(1)?, world);
    Ok(args.heap().bool(matches!(binding, Binding::Const(_))))
}

pub(super) fn world_counter(args: &Arguments<'_>) -> Run {
    args.expect(0, 0)?;
    Ok(numbers::uint64(args.heap(), args.rt.tables.world().number()))
}
