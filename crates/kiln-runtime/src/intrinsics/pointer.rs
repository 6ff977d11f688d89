//! Pointer intrinsics. They trust the program about addresses, as in Julia.

use super::operand::{primitive, sized};
use crate::heap::{MemoryOrder, RawAccess, boxes, fields, identity, pointers, tuples};
use crate::{Heap, Run, Thrown, Value, exceptions};
use kiln_ir::Intrinsic;
use kiln_types::{Type, datatype};

pub(super) fn call(heap: &Heap, op: Intrinsic, args: &[Value]) -> Run {
    use Intrinsic as I;
    match op {
        I::AddPtr | I::SubPtr => offset(heap, op, args[0], args[1]),
        I::Pointerref => {
            let (access, address) = element(heap, op, args[0], args[1], args[2])?;
            pointers::program_memory(heap)
                .load(access, address)
                .ok_or_else(|| exceptions::undef_ref_error(heap))
        }
        I::Pointerset => {
            let (access, address) = element(heap, op, args[0], args[2], args[3])?;
            check_stored(heap, op, access, args[1])?;
            pointers::program_memory(heap).store(access, address, args[1]);
            Ok(args[0])
        }
        I::AtomicFence => {
            if let Some(thrown) = exceptions::wrong_count(heap, op.name(), args.len(), 1, Some(2)) {
                return Err(thrown);
            }
            pointers::atomic_fence(memory_order(heap, op.name(), args[0], true, true)?);
            Ok(heap.nothing())
        }
        I::AtomicPointerref => {
            let cell = Cell::at(heap, op, args[0])?;
            memory_order(heap, op.name(), args[1], true, false)?;
            cell.load(heap)
        }
        I::AtomicPointerset => {
            check_stored(heap, op, access(heap, op, args[0])?, args[1])?;
            let cell = Cell::at(heap, op, args[0])?;
            memory_order(heap, op.name(), args[2], false, true)?;
            cell.swap(heap, args[1])?;
            Ok(args[0])
        }
        I::AtomicPointerswap => {
            check_stored(heap, op, access(heap, op, args[0])?, args[1])?;
            let cell = Cell::at(heap, op, args[0])?;
            memory_order(heap, op.name(), args[2], true, true)?;
            cell.swap(heap, args[1])
        }
        I::AtomicPointerreplace => {
            memory_order(heap, op.name(), args[3], true, true)?;
            memory_order(heap, op.name(), args[4], true, false)?;
            replace(heap, op, args[0], args[1], args[2])
        }
        other => Err(exceptions::error(heap, &format!("{} calls a function", other.name()))),
    }
}

/// Pointer arithmetic in bytes.
fn offset(heap: &Heap, op: Intrinsic, pointer: Value, by: Value) -> Run {
    let base = primitive(heap, op, "a", pointer)?;
    let by = primitive(heap, op, "b", by)?.wide();
    let moved =
        if op == Intrinsic::AddPtr { base.wide().wrapping_add(by) } else { base.wide().wrapping_sub(by) };
    Ok(sized(heap, base.ty, base.width, moved))
}

/// `T` of a `Ptr{T}` or `LLVMPtr{T}`.
fn pointee(heap: &Heap, op: Intrinsic, pointer: Value) -> Run<Type> {
    let (types, core) = (heap.types(), heap.core());
    let name = datatype::name_of(types, pointer.ty());
    let is_pointer = pointer.is_inline()
        && (name == datatype::name_of(types, core.ptr) || name == datatype::name_of(types, core.llvm_ptr));
    match datatype::params(types, pointer.ty()).first() {
        Some(&ty) if is_pointer => Ok(ty),
        _ => Err(exceptions::type_error(heap, op.name(), core.ptr, pointer)),
    }
}

fn access(heap: &Heap, op: Intrinsic, pointer: Value) -> Run<RawAccess> {
    let ty = pointee(heap, op, pointer)?;
    pointers::raw_access(heap, ty)
        .ok_or_else(|| exceptions::error(heap, &format!("{}: invalid pointer", op.name())))
}

/// No address below this is ever mapped, so such addresses can be rejected.
const FIRST_PAGE: u64 = 4096;

/// The address of element `index` (from 1).
fn element(heap: &Heap, op: Intrinsic, pointer: Value, index: Value, align: Value) -> Run<(RawAccess, u64)> {
    let access = access(heap, op, pointer)?;
    let index = int(heap, op, index)?;
    int(heap, op, align)?;
    let (stride, size) = match access {
        RawAccess::Object => (8, 8),
        RawAccess::Bytes { stride, size, .. } => (i64::from(stride), size),
    };
    let offset = index.wrapping_sub(1).wrapping_mul(stride);
    let address = pointer.bits().wrapping_add(offset as u64);
    if address < FIRST_PAGE && size > 0 {
        return Err(exceptions::error(heap, &format!("{}: the pointer is null", op.name())));
    }
    Ok((access, address))
}

fn int(heap: &Heap, op: Intrinsic, value: Value) -> Run<i64> {
    value.as_int(heap.core()).ok_or_else(|| exceptions::type_error(heap, op.name(), heap.core().int64, value))
}

fn check_stored(heap: &Heap, op: Intrinsic, access: RawAccess, value: Value) -> Run<()> {
    match access {
        RawAccess::Bytes { ty, .. } if ty != value.ty() => Err(match op {
            Intrinsic::Pointerset => {
                exceptions::error(heap, &format!("{}: type mismatch in assign", op.name()))
            }
            _ => exceptions::type_error(heap, op.name(), ty, value),
        }),
        RawAccess::Bytes { .. } | RawAccess::Object => Ok(()),
    }
}

/// The memory of an atomic pointer intrinsic: one machine word.
#[derive(Clone, Copy, Debug)]
struct Cell {
    access: RawAccess,
    address: u64,
    size: u32,
}

impl Cell {
    fn at(heap: &Heap, op: Intrinsic, pointer: Value) -> Run<Self> {
        let access = access(heap, op, pointer)?;
        let size = match access {
            RawAccess::Object => 8,
            RawAccess::Bytes { size, ty, .. } => {
                let inline = heap.shape(ty).is_some_and(|it| it.is_bits);
                if !inline || !matches!(size, 0 | 1 | 2 | 4 | 8) {
                    return Err(invalid(heap, op));
                }
                size
            }
        };
        if size > 0 && (pointer.bits() < FIRST_PAGE || !pointer.bits().is_multiple_of(u64::from(size))) {
            return Err(invalid(heap, op));
        }
        Ok(Self { access, address: pointer.bits(), size })
    }

    fn value(self, heap: &Heap, word: u64) -> Run {
        match self.access {
            RawAccess::Bytes { ty, .. } => Ok(Value::inline(ty, word)),
            RawAccess::Object => {
                pointers::program_memory(heap).object(word).ok_or_else(|| exceptions::undef_ref_error(heap))
            }
        }
    }

    fn word(self, heap: &Heap, value: Value) -> u64 {
        match self.access {
            RawAccess::Bytes { .. } => value.bits(),
            RawAccess::Object => boxes::box_value(heap, value),
        }
    }

    fn load(self, heap: &Heap) -> Run {
        let word = if self.size == 0 {
            0
        } else {
            pointers::program_memory(heap).atomic_load(self.address, self.size)
        };
        self.value(heap, word)
    }

    fn swap(self, heap: &Heap, value: Value) -> Run {
        if self.size == 0 {
            return Ok(value);
        }
        let old = pointers::program_memory(heap).atomic_swap(self.address, self.size, self.word(heap, value));
        self.value(heap, old)
    }

    /// The old value, and whether `expected` was there and has been replaced.
    fn replace(self, heap: &Heap, expected: Value, desired: Value) -> Run<(Value, bool)> {
        loop {
            let old = self.load(heap)?;
            if !identity::egal(heap, old, expected) {
                return Ok((old, false));
            }
            if self.size == 0 {
                return Ok((old, true));
            }
            let seen = match self.access {
                RawAccess::Bytes { .. } => old.bits(),
                RawAccess::Object => pointers::program_memory(heap).atomic_load(self.address, self.size),
            };
            let new = self.word(heap, desired);
            if pointers::program_memory(heap).atomic_replace(self.address, self.size, seen, new).1 {
                return Ok((old, true));
            }
        }
    }
}

fn invalid(heap: &Heap, op: Intrinsic) -> Box<Thrown> {
    exceptions::error(heap, &format!("{}: invalid pointer for atomic operation", op.name()))
}

fn replace(heap: &Heap, op: Intrinsic, pointer: Value, expected: Value, desired: Value) -> Run {
    check_stored(heap, op, access(heap, op, pointer)?, desired)?;
    let cell = Cell::at(heap, op, pointer)?;
    let (old, success) = cell.replace(heap, expected, desired)?;
    let names = [heap.types().symbol("old"), heap.types().symbol("success")];
    if matches!(cell.access, RawAccess::Object) {
        // The field is declared `Any`, whatever was found there.
        let types = datatype::tuple(heap.types(), &[heap.core().any, heap.core().bool]);
        let ty = datatype::named_tuple(heap.types(), &names, types);
        return Ok(fields::new_struct(heap, ty, &[old, heap.bool(success)]));
    }
    Ok(tuples::named(heap, &names, &[old, heap.bool(success)]))
}

/// Calls `op(old, x)` for an atomic modification.
pub type Modify<'a> = dyn FnMut(Value, Value) -> Run + 'a;

/// `atomic_pointermodify(pointer, op, x, order)`: `modify` gets the old value and `x` and gives the new one;
/// it may be called more than once. The result is old and new, and the type of the place.
pub fn atomic_pointermodify(
    heap: &Heap,
    args: &[Value],
    modify: &mut Modify<'_>,
) -> Run<(Value, Value, Type)> {
    let op = Intrinsic::AtomicPointermodify;
    if let Some(thrown) = exceptions::wrong_count(heap, op.name(), args.len(), 4, Some(4)) {
        return Err(thrown);
    }
    let cell = Cell::at(heap, op, args[0])?;
    memory_order(heap, op.name(), args[3], true, true)?;
    loop {
        let old = cell.load(heap)?;
        let new = modify(old, args[2])?;
        check_stored(heap, op, cell.access, new)?;
        if cell.replace(heap, old, new)?.1 {
            let declared = match cell.access {
                RawAccess::Bytes { ty, .. } => ty,
                RawAccess::Object => heap.core().any,
            };
            return Ok((old, new, declared));
        }
    }
}

/// Returns the memory order of a symbol; `loads` and `stores` describe the operation.
pub fn memory_order(
    heap: &Heap,
    function: &str,
    order: Value,
    loads: bool,
    stores: bool,
) -> Run<MemoryOrder> {
    let Some(symbol) = order.as_symbol(heap.core()) else {
        return Err(exceptions::type_error(heap, function, heap.core().symbol, order));
    };
    match heap.types().name(symbol) {
        "not_atomic" => Ok(MemoryOrder::NotAtomic),
        "unordered" if loads != stores => Ok(MemoryOrder::Unordered),
        "monotonic" => Ok(MemoryOrder::Monotonic),
        "acquire" if loads => Ok(MemoryOrder::Acquire),
        "release" if stores => Ok(MemoryOrder::Release),
        "acquire_release" if loads && stores => Ok(MemoryOrder::AcquireRelease),
        "sequentially_consistent" => Ok(MemoryOrder::SequentiallyConsistent),
        _ => Err(exceptions::concurrency_error(heap, "invalid atomic ordering")),
    }
}
