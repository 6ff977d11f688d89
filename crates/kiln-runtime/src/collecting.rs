//! Collections of a session: its roots, its safepoints, and finalizers.
//!
//! The interpreter has a safepoint at each call and at each back edge. There, the thread that runs Julia code does the part of a
//! collection that is due. Values that are reachable from the session's tables, from [`Rooted`](crate::Rooted) handles, from
//! registers and from native stacks are kept.

use crate::exceptions;
use crate::heap::{Marker, allocation, collect, finalizers, is_uninterrupted, memory, mutator};
use crate::interp::{handled_values, not_interpreting};
use crate::pauses::Pauses;
use crate::runtime::Runtime;
use crate::thrown::Run;
use kiln_types::Type;
use std::sync::atomic::{AtomicBool, Ordering};

/// Smaller memories are made wherever the heap stands.
const LARGE: u64 = 1 << 20;

/// The state of a session's collections.
#[derive(Debug, Default)]
pub(crate) struct Collecting {
    /// Whether finalizers run: they are not interrupted by others.
    finalizing: AtomicBool,
    pauses: Pauses,
}

/// Does the part of a collection that is due.
///
/// # Errors
/// Fails with an `OutOfMemoryError` where the system has no more memory and none was freed.
#[inline]
pub fn safepoint(rt: &Runtime) -> Run<()> {
    if rt.heap.collection.is_wanted() { collect_at_safepoint(rt) } else { Ok(()) }
}

#[cold]
#[inline(never)]
fn collect_at_safepoint(rt: &Runtime) -> Run<()> {
    if !mutator::may_collect(&rt.heap) {
        return Ok(());
    }
    if allocation::is_exhausted(&rt.heap) {
        collect(rt);
        if allocation::tells_exhaustion(&rt.heap) {
            return Err(exceptions::out_of_memory_error(&rt.heap));
        }
    } else if pause(rt, || collect::part(&rt.heap, |it| mark_roots(rt, it))) {
        run_ready_finalizers(rt);
    }
    Ok(())
}

/// Ends the running collection before a large memory is made for which the heap would exceed its limits.
#[inline]
pub fn make_room(rt: &Runtime, memory_ty: Type, length: i64) {
    if length > 0
        && let Some(bytes) = memory::size(&rt.heap, memory_ty, length).filter(|it| *it >= LARGE)
    {
        make_room_for(rt, bytes);
    }
}

#[cold]
fn make_room_for(rt: &Runtime, bytes: u64) {
    if mutator::may_collect(&rt.heap) && collect::is_full_for(&rt.heap, bytes) {
        pause(rt, || {
            collect::make_room(&rt.heap, bytes, |it| mark_roots(rt, it));
            true
        });
        run_ready_finalizers(rt);
    }
}

/// Calls `make`, and once more after a collection where memory is exhausted.
pub(crate) fn with_memory(rt: &Runtime, make: impl Fn() -> Run) -> Run {
    let is_exhausted = |it: &Run| {
        let thrown = it.as_ref().err().filter(|it| it.abort.is_none());
        thrown.is_some_and(|it| it.exception.ty() == rt.types.core().out_of_memory_error)
    };
    let made = make();
    if is_exhausted(&made) && mutator::may_collect(&rt.heap) {
        collect(rt);
        return make();
    }
    made
}

/// Does a part of a collection, and whether one ended; notes the time.
fn pause(rt: &Runtime, part: impl FnOnce() -> bool) -> bool {
    let _other = not_interpreting(&*rt.io);
    let start = rt.io.now_ns();
    let has_ended = part();
    if has_ended {
        rt.kernels.get().inspect(|it| it.after_collection(rt));
    }
    rt.collecting.pauses.add(rt.io.now_ns().saturating_sub(start));
    has_ended
}

/// The pauses of collections so far.
pub fn pauses(rt: &Runtime) -> &Pauses {
    &rt.collecting.pauses
}

/// Frees every object that nothing reaches. Waits for other threads that run Julia code, compile or launch. Does nothing within
/// work that holds values where no collection finds them.
pub fn collect(rt: &Runtime) {
    // A generator runs while its thread only shares the heap, and must not wait for it.
    if is_uninterrupted() {
        return;
    }
    mutator::exclusive(&rt.heap, || {
        if mutator::may_collect(&rt.heap) {
            pause(rt, || {
                collect::whole(&rt.heap, |it| mark_roots(rt, it));
                true
            });
            run_ready_finalizers(rt);
        }
    });
}

fn mark_roots(rt: &Runtime, marker: &mut Marker<'_>) {
    let (values, objects) = rt.tables.bindings.roots();
    values.into_iter().for_each(|it| marker.mark(it));
    marker.mark_words(objects);
    let others = rt.roots.values().into_iter().chain(handled_values());
    let others = others.chain(rt.tasks.values()).chain(rt.eval.unfinished_values());
    others.for_each(|it| marker.mark(it));
    marker.mark_words(rt.kernels.get().map_or_else(Vec::new, |it| it.in_use()));
    mutator::mark_threads(&rt.heap, marker);
}

/// Runs the finalizers of unreached objects, unless some run already.
fn run_ready_finalizers(rt: &Runtime) {
    if !finalizers::has_ready(&rt.heap) {
        return;
    }
    if let Some(run) = rt.base_global("run_ready_finalizers")
        && !rt.collecting.finalizing.swap(true, Ordering::AcqRel)
    {
        // Each reports its own exception.
        let ended = rt.call_latest(run, &[]);
        rt.collecting.finalizing.store(false, Ordering::Release);
        drop(ended);
    }
}
