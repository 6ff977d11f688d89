//! Kernels: through the driver's `KernelHost`; and host functions that are compiled ahead.

use super::arguments::Arguments;
use crate::heap::{memory, numbers, text, tuples, uninterrupted};
use crate::interp::with_room;
use crate::services::{KernelDevice, KernelHost, LaunchShape};
use crate::tables::MethodMatch;
use crate::{Run, Runtime, exceptions};
use kiln_types::{Type, datatype};

/// Calls the host of kernels, which keeps values in lists of its own while it works.
fn with_host<T>(args: &Arguments<'_>, work: impl FnOnce(&dyn KernelHost) -> Run<T>) -> Run<T> {
    match args.rt.kernels.get() {
        Some(host) => uninterrupted(|| work(&**host)),
        None => Err(args.error("this session compiles no kernels")),
    }
}

pub(super) fn compile(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let handle = {
        let (f, tt, options) = (args.value(0)?, args.ty(1)?, args.value(2)?);
        with_host(args, |host| with_room(|| host.compile(args.rt, f, tt, options)))?
    };
    Ok(numbers::uint64(args.heap(), handle))
}

/// Three `Int`s.
fn triple(args: &Arguments<'_>, at: usize) -> Run<[i64; 3]> {
    let (heap, value) = (args.heap(), args.value(at)?);
    let values =
        if datatype::is_tuple(heap.types(), value.ty()) { tuples::values(heap, value) } else { Vec::new() };
    let ints: Vec<i64> = values.iter().filter_map(|it| it.as_int(heap.core())).collect();
    ints.try_into().map_err(|_| {
        let int = heap.core().int64;
        exceptions::type_error(heap, args.function.name(), datatype::tuple(heap.types(), &[int; 3]), value)
    })
}

pub(super) fn launch(args: &Arguments<'_>) -> Run {
    args.expect(4, usize::MAX)?;
    let handle = args.value(0)?;
    if handle.ty() != args.heap().core().uint64 {
        let expected = args.heap().core().uint64;
        return Err(exceptions::type_error(args.heap(), args.function.name(), expected, handle));
    }
    let size = shape(args)?;
    with_host(args, |it| it.launch(args.rt, handle.bits(), size, &args.values[4..]))?;
    Ok(args.heap().nothing())
}

/// The size of a launch. The shared memory of a group is a number of bytes, or with it in a tuple: 1 for a cooperative launch, and
/// the groups of a cluster in each dimension.
fn shape(args: &Arguments<'_>) -> Run<LaunchShape> {
    let (heap, value) = (args.heap(), args.value(3)?);
    let (groups, items) = (triple(args, 1)?, triple(args, 2)?);
    let alone =
        |shared_bytes| LaunchShape { groups, items, shared_bytes, is_cooperative: false, cluster: [1; 3] };
    if !datatype::is_tuple(heap.types(), value.ty()) {
        return args.int(3).map(alone);
    }
    let ints: Vec<i64> = tuples::values(heap, value).iter().filter_map(|it| it.as_int(heap.core())).collect();
    match ints[..] {
        [shared_bytes, cooperative, x, y, z] => {
            Ok(LaunchShape { is_cooperative: cooperative != 0, cluster: [x, y, z], ..alone(shared_bytes) })
        }
        _ => {
            let int = heap.core().int64;
            Err(exceptions::type_error(
                heap,
                args.function.name(),
                datatype::tuple(heap.types(), &[int; 5]),
                value,
            ))
        }
    }
}

pub(super) fn synchronize(args: &Arguments<'_>) -> Run {
    args.expect(0, 0)?;
    with_host(args, |it| it.synchronize(args.rt))?;
    Ok(args.heap().nothing())
}

/// Notes memory that kernels are not to access any more.
pub(super) fn free(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let memory = args.value(0)?;
    let is_memory = memory::element(args.heap(), memory.ty()).is_some();
    Ok(args.heap().bool(is_memory && with_host(args, |it| Ok(it.free(memory)))?))
}

/// Makes room on the device for memory without contents.
pub(super) fn reserve(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let memory = args.value(0)?;
    if memory::element(args.heap(), memory.ty()).is_some() && args.rt.kernels.get().is_some() {
        with_host(args, |it| {
            it.reserve(args.rt, memory);
            Ok(())
        })?;
    }
    Ok(args.heap().nothing())
}

/// Something of streams and events.
pub(super) fn stream(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    with_host(args, |it| it.stream(args.rt, args.symbol(0)?, args.int(1)?, args.int(2)?))
}

/// Whether the device has memory of its own.
pub(super) fn own_memory(args: &Arguments<'_>) -> Run {
    args.expect(0, 0)?;
    // The session that a build freezes runs no kernels.
    let is_there = args.rt.kernels.get().is_some();
    let is_own = is_there && with_host(args, |it| Ok(it.has_own_memory()))?;
    Ok(args.heap().bool(is_own))
}

/// Describes the device that kernels run on.
pub(super) fn device(args: &Arguments<'_>) -> Run {
    args.expect(0, 0)?;
    let heap = args.heap();
    // The session that a build freezes makes arrays, and runs no kernels.
    let is_there = args.rt.kernels.get().is_some();
    let device = if is_there { with_host(args, |it| it.device(args.rt))? } else { KernelDevice::default() };
    let int = |it: u64| heap.int(i64::try_from(it).unwrap_or(i64::MAX));
    Ok(tuples::new(
        heap,
        &[
            text::string(heap, &device.name),
            text::string(heap, &device.target),
            int(device.items_max),
            int(device.compute_units),
            int(device.shared_bytes),
            int(device.memory_bytes),
            int(device.subgroup_items),
            int(device.shared_bytes_max),
        ],
    ))
}

/// Starts or stops recording the requested kernels.
pub(super) fn watch(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let begin = args.value(0)?;
    let Some(begin) = begin.as_bool(args.heap().core()) else {
        let expected = args.heap().core().bool;
        return Err(exceptions::type_error(args.heap(), args.function.name(), expected, begin));
    };
    with_host(args, |it| it.watch(args.rt, begin))
}

/// Returns a stage of a kernel.
pub(super) fn reflect(args: &Arguments<'_>) -> Run {
    args.expect(4, 4)?;
    let (stage, options) = (args.symbol(0)?, args.value(3)?);
    let (function, tt) = (args.ty(1)?, args.ty(2)?);
    with_host(args, |host| with_room(|| host.reflect(args.rt, stage, (function, tt), options)))
}

/// Whether a host function could be compiled ahead of its first call.
pub(super) fn precompile(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let (f, tt) = (args.value(0)?, args.ty(1)?);
    let types: Vec<_> = std::iter::once(args.heap().dispatch_type(f))
        .chain(datatype::params(args.heap().types(), tt).iter().copied())
        .collect();
    let tables = &args.rt.tables;
    let done = match (args.rt.compiler.get(), tables.dispatch(&types, tables.world())) {
        (Some(compiler), Ok(instance)) => with_room(|| compiler.precompile(args.rt, instance)),
        (_, Ok(_)) => true, // interpreted, on purpose
        (_, Err(_)) => false,
    };
    // Where some types are not concrete, a call may still have one method.
    let is_open = !datatype::is_dispatch_tuple(&args.rt.types, datatype::tuple(&args.rt.types, &types));
    Ok(args.heap().bool(done || is_open && precompile_widely(args.rt, &types)))
}

/// Infers the method that all calls with these argument types go to, some of them abstract, as far as it is
/// specialized. Returns whether there is one.
fn precompile_widely(rt: &Runtime, types: &[Type]) -> bool {
    let (tables, world) = (&rt.tables, rt.tables.world());
    let sig = datatype::tuple(&rt.types, types);
    let Some(found) = tables.find_matches(sig, world, 1) else { return false };
    let [only] = &found.matches[..] else { return false };
    if !only.fully_covers || found.ambiguous {
        return false;
    }
    let method = tables.method(only.method);
    let (spec_types, static_params) =
        tables.methods.specialize(&method, only.spec_types, &only.static_params);
    let wide = MethodMatch { method: only.method, spec_types, static_params, fully_covers: true };
    let inferred = rt.compiler.get().map(|it| with_room(|| it.inferred(rt, &wide, world)));
    inferred.is_none_or(|it| it.is_some())
}
