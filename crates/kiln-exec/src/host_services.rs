//! The services that compiled host code calls, for one call of a host function.

use crate::host_statement::HostCall;
use crate::trusted::{CallContext, heap_memory};
use kiln_launch::{CpuFunction, Failure};
use kiln_runtime::heap::{boxes, compiled, identity, integer_boxes, marking, mutator};
use kiln_runtime::interp::run;
use kiln_runtime::tables::newest_world_place;
use kiln_types::Type;
use kiln_unit::{HostTable, LaunchContext};
use std::sync::atomic::Ordering;

/// Calls a host function with a block of the values it takes, and has `call` do what it leaves to the host.
pub(crate) fn call_function(
    function: &CpuFunction,
    args: &[u8],
    result: &mut [u8],
    call: &HostCall<'_>,
) -> Result<(), Failure> {
    let (newest_world, world) = (newest_world_place(&call.rt.tables), call.rt.current_world().number());
    let table = HostTable {
        run,
        allocate,
        allocate_memory,
        box_value,
        record_old,
        marking: marking::flag(&call.rt.heap),
        newest_world,
        world,
        catch,
        exception,
        pop_exceptions,
        handled: run::handled_count_address(),
        egal,
        device_copies: call.rt.heap.coherence.device_copies_flag(),
        free_runs: mutator::free_runs(&call.rt.heap).cast(),
        integer_boxes: integer_boxes(&call.rt.heap),
        record_call,
    };
    let services = Services { table, call };
    // SAFETY: the caller packed the values as the function's `LinkInfo` lays them out; they are live. The table is the first
    // field of what its functions expect.
    unsafe { function.call(args, result, (&raw const services).cast()) }
}

/// The services of one call.
#[repr(C)]
struct Services<'c, 'a> {
    table: HostTable,
    call: &'c HostCall<'a>,
}

/// Returns the state of the host for the running call.
///
/// # Safety
/// `ctx` is a context that [`call_function`] gave to compiled code, which has not returned yet.
unsafe fn host_call<'c, 'a>(ctx: *mut LaunchContext) -> &'c HostCall<'a> {
    // SAFETY: the caller's promise; `host` is the table of a `Services`, of which it is the first field.
    unsafe { (*(*ctx).host.cast::<Services<'c, 'a>>()).call }
}

/// `HostTable::run`.
unsafe extern "C" fn run(ctx: *mut LaunchContext, site: u32, operands: *const u8, result: *mut u8) -> u32 {
    // SAFETY: compiled code passes its own context.
    let call = unsafe { host_call(ctx) };
    let done = call.statement(site).is_some_and(|statement| {
        let (operand_bytes, result_bytes) = statement.bytes();
        // SAFETY: code generation lays out the operands as the site says, and makes room for any result of the function. The context
        // is of the function that has the statement run, which goes on afterwards; it runs, so it has not failed.
        let (operands, result, context) = unsafe {
            (
                std::slice::from_raw_parts(operands, operand_bytes),
                std::slice::from_raw_parts_mut(result, result_bytes),
                CallContext::new(ctx),
            )
        };
        call.run(statement, context, operands, result)
    });
    if done {
        return 0;
    }
    // SAFETY: compiled code passes its own context.
    unsafe { claim(ctx, site) };
    site
}

/// Has the record say that the code at a site has failed.
///
/// # Safety
/// `ctx` must be the context of a running call.
#[cold]
unsafe fn claim(ctx: *mut LaunchContext, site: u32) {
    // SAFETY: the context of a call has a record, which outlives the call.
    let record = unsafe { &(*(*ctx).record).site };
    let _ = record.compare_exchange(0, site, Ordering::AcqRel, Ordering::Relaxed);
}

/// Returns a new object, or null after claiming the record: memory is exhausted.
///
/// # Safety
/// As for [`claim`].
unsafe fn object_or_failure(ctx: *mut LaunchContext, object: Option<u64>, site: u32) -> *mut u8 {
    if object.is_none() {
        // SAFETY: the caller's promise.
        unsafe { claim(ctx, site) };
    }
    std::ptr::with_exposed_provenance_mut(object.unwrap_or(0) as usize)
}

/// `HostTable::allocate`.
unsafe extern "C" fn allocate(ctx: *mut LaunchContext, ty: u32, bytes: u64, site: u32) -> *mut u8 {
    // SAFETY: compiled code passes its own context.
    unsafe {
        let object =
            host_call(ctx).make(|heap| compiled::allocate_object(heap, Type::from_index(ty as usize), bytes));
        object_or_failure(ctx, object, site)
    }
}

/// `HostTable::allocate_memory`.
unsafe extern "C" fn allocate_memory(ctx: *mut LaunchContext, ty: u32, length: i64) -> *mut u8 {
    // SAFETY: compiled code passes its own context.
    let call = unsafe { host_call(ctx) };
    let memory = call.make_memory(Type::from_index(ty as usize), length);
    std::ptr::with_exposed_provenance_mut(memory.unwrap_or(0) as usize)
}

/// `HostTable::box_value`.
unsafe extern "C" fn box_value(ctx: *mut LaunchContext, ty: u32, data: *const u8, site: u32) -> *mut u8 {
    let ty = Type::from_index(ty as usize);
    // SAFETY: compiled code passes its own context, and the bytes of a value of the type.
    unsafe {
        let object = host_call(ctx).make(|heap| {
            let count = compiled::data_bytes(heap, ty).unwrap_or(0);
            Some(compiled::box_data(heap, ty, std::slice::from_raw_parts(data, count)))
        });
        object_or_failure(ctx, object, site)
    }
}

/// `HostTable::record_old`.
unsafe extern "C" fn record_old(ctx: *mut LaunchContext, place: *const u8) {
    // SAFETY: compiled code passes its own context, and the address of a reference in an object.
    unsafe { compiled::keep_overwritten_at(&host_call(ctx).rt.heap, place.expose_provenance() as u64) }
}

/// `HostTable::record_call`.
unsafe extern "C" fn record_call(ctx: *mut LaunchContext, site: u32) {
    // SAFETY: compiled code passes its own context.
    unsafe { host_call(ctx) }.record_call(site);
}

/// `HostTable::catch`.
unsafe extern "C" fn catch(ctx: *mut LaunchContext) -> u32 {
    // SAFETY: compiled code passes its own context, whose record outlives the call. While the exception is made the record keeps
    // the operands, which may be objects that nothing else refers to.
    let (call, record) = unsafe { (host_call(ctx), &mut *(*ctx).record) };
    match Failure::of_record(record) {
        Some(failure) if !call.catch(&failure) => failure.site,
        _ => {
            record.clear();
            0
        }
    }
}

/// `HostTable::exception`.
unsafe extern "C" fn exception(ctx: *mut LaunchContext) -> *mut u8 {
    // SAFETY: compiled code passes its own context.
    let rt = unsafe { host_call(ctx) }.rt;
    std::ptr::with_exposed_provenance_mut(boxes::box_value(&rt.heap, run::handled_value(rt)) as usize)
}

/// `HostTable::pop_exceptions`.
unsafe extern "C" fn pop_exceptions(_: *mut LaunchContext, count: u32) {
    run::pop_exceptions(count);
}

/// `HostTable::egal`.
unsafe extern "C" fn egal(ctx: *mut LaunchContext, a: *const u8, b: *const u8) -> u32 {
    // SAFETY: compiled code passes its own context, and the addresses of two objects.
    let heap = unsafe { &host_call(ctx).rt.heap };
    let object = |it: *const u8| heap_memory(heap).object(it.expose_provenance() as u64);
    let same = object(a).zip(object(b)).is_some_and(|(a, b)| identity::egal(heap, a, b));
    u32::from(same)
}
