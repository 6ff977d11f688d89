//! `memorynew` and the `memoryref` family. Every access is checked against the memory's length, also when the
//! program says it need not be: only pointer intrinsics can leave it.

use super::{bool_argument, int_argument, symbol_argument};
use crate::heap::{MemoryOrder, RefParts};
use crate::intrinsics::memory_order;
use crate::{Heap, Run, Value, exceptions};

/// `memorynew(Memory{T}, n)`.
pub(super) fn memorynew(heap: &Heap, ty: Value, length: Value) -> Run {
    let memory_ty = ty.as_type(heap.core()).filter(|&it| heap.element(it).is_some());
    let Some(memory_ty) = memory_ty else {
        return Err(exceptions::type_error(heap, "memorynew", heap.core().generic_memory, ty));
    };
    let length = int_argument(heap, "memorynew", length)?;
    if length < 0 {
        let message = "invalid GenericMemory size: the number of elements is either negative or too large for \
                       system address width";
        return Err(exceptions::argument_error(heap, message));
    }
    if !heap.memory_fits(memory_ty, length) || length > 1 << 48 {
        let message = "invalid GenericMemory size: too large for system address width";
        return Err(exceptions::argument_error(heap, message));
    }
    Ok(heap.new_memory(memory_ty, length as usize))
}

/// `memoryrefnew(memory)`, `memoryrefnew(memory_or_ref, i, [boundscheck])`.
pub(super) fn memoryrefnew(heap: &Heap, args: &[Value]) -> Run {
    let whole = heap.element(args[0].ty()).is_some();
    if args.len() == 1 {
        if !whole {
            return Err(exceptions::type_error(heap, "memoryrefnew", heap.core().generic_memory, args[0]));
        }
        return Ok(heap.new_ref(heap.ref_type(args[0].ty()), args[0], 0));
    }
    let i = int_argument(heap, "memoryrefnew", args[1])?;
    let check = match args.get(2) {
        Some(&it) => bool_argument(heap, "memoryrefnew", it)?,
        None => true,
    };
    let (ty, base) = if whole {
        (heap.ref_type(args[0].ty()), RefParts { memory: args[0], index: 0 })
    } else {
        (args[0].ty(), reference(heap, "memoryrefnew", args[0])?)
    };
    let index = base.index.wrapping_add(i.wrapping_sub(1));
    if check && !inside(heap, base.memory, index) {
        return Err(exceptions::bounds_error(heap, args[0], args[1]));
    }
    Ok(heap.new_ref(ty, base.memory, index))
}

fn reference(heap: &Heap, function: &str, value: Value) -> Run<RefParts> {
    let is_ref = !value.is_inline()
        && heap.types().name_of(value.ty()) == heap.types().name_of(heap.core().generic_memory_ref);
    match heap.ref_parts(value) {
        Some(parts) if is_ref => Ok(parts),
        _ => Err(exceptions::type_error(heap, function, heap.core().generic_memory_ref, value)),
    }
}

fn inside(heap: &Heap, memory: Value, index: i64) -> bool {
    usize::try_from(index).is_ok_and(|it| it < heap.memory_len(memory))
}

/// `memoryrefoffset(ref)::Int`, from 1.
pub(super) fn memoryrefoffset(heap: &Heap, value: Value) -> Run {
    let parts = reference(heap, "memoryrefoffset", value)?;
    Ok(heap.int(parts.index.wrapping_add(1)))
}

/// Checks the order against the memory's kind (`:not_atomic` or `:atomic`).
fn check_order(heap: &Heap, function: &str, parts: RefParts, order: Value, writes: bool) -> Run<()> {
    symbol_argument(heap, function, order)?;
    let order = memory_order(heap, function, order, !writes, writes)?;
    let kind = heap.types().params(parts.memory.ty()).first().map(|&it| heap.param_value(it));
    let atomic =
        kind.and_then(|it| it.as_symbol(heap.core())).is_some_and(|it| heap.types().name(it) == "atomic");
    if atomic == (order == MemoryOrder::NotAtomic) {
        let (kind, how) = if atomic { ("atomic", "non-atomically") } else { ("non-atomic", "atomically") };
        let done = if writes { "written" } else { "accessed" };
        let message = format!("{function}: {kind} memory cannot be {done} {how}");
        return Err(exceptions::concurrency_error(heap, &message));
    }
    Ok(())
}

/// The place a reference points at, which must lie in its memory.
fn place(heap: &Heap, value: Value, parts: RefParts) -> Run<usize> {
    if heap.memory_len(parts.memory) == 0 {
        return Err(exceptions::bounds_error(heap, parts.memory, heap.int(1)));
    }
    if !inside(heap, parts.memory, parts.index) {
        return Err(exceptions::bounds_error(heap, value, heap.int(1)));
    }
    Ok(parts.index as usize)
}

/// `memoryrefget(ref, order, boundscheck)`.
pub(super) fn memoryrefget(heap: &Heap, args: &[Value]) -> Run {
    let parts = reference(heap, "memoryrefget", args[0])?;
    check_order(heap, "memoryrefget", parts, args[1], false)?;
    bool_argument(heap, "memoryrefget", args[2])?;
    let index = place(heap, args[0], parts)?;
    heap.memory_get(parts.memory, index).ok_or_else(|| exceptions::undef_ref_error(heap))
}

/// `memoryrefset!(ref, value, order, boundscheck)`: the value.
pub(super) fn memoryrefset(heap: &Heap, args: &[Value]) -> Run {
    let parts = reference(heap, "memoryrefset!", args[0])?;
    check_order(heap, "memoryrefset!", parts, args[2], true)?;
    bool_argument(heap, "memoryrefset!", args[3])?;
    let index = place(heap, args[0], parts)?;
    let elem = heap.element(parts.memory.ty()).map_or(heap.core().any, |it| it.ty);
    if !heap.isa(args[1], elem) {
        return Err(exceptions::type_error(heap, "memoryrefset!", elem, args[1]));
    }
    heap.memory_set(parts.memory, index, args[1]);
    Ok(args[1])
}

/// `memoryref_isassigned(ref, order, boundscheck)::Bool`.
pub(super) fn memoryref_isassigned(heap: &Heap, args: &[Value]) -> Run {
    let parts = reference(heap, "memoryref_isassigned", args[0])?;
    check_order(heap, "memoryref_isassigned", parts, args[1], false)?;
    bool_argument(heap, "memoryref_isassigned", args[2])?;
    let assigned = inside(heap, parts.memory, parts.index)
        && heap.memory_is_assigned(parts.memory, parts.index as usize);
    Ok(heap.bool(assigned))
}
