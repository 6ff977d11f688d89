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

impl Runtime {
    /// Does the part of a collection that is due.
    ///
    /// # Errors
    /// Fails with an `OutOfMemoryError` where the system has no more memory and none was freed.
    #[inline]
    pub fn safepoint(&self) -> Run<()> {
        if self.heap.collection.is_wanted() { self.collect_at_safepoint() } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn collect_at_safepoint(&self) -> Run<()> {
        if !mutator::may_collect(&self.heap) {
            return Ok(());
        }
        if allocation::is_exhausted(&self.heap) {
            self.collect();
            if allocation::tells_exhaustion(&self.heap) {
                return Err(exceptions::out_of_memory_error(&self.heap));
            }
        } else if self.pause(|| collect::part(&self.heap, |it| self.mark_roots(it))) {
            self.run_ready_finalizers();
        }
        Ok(())
    }

    /// Ends the running collection before a large memory is made for which the heap would exceed its limits.
    #[inline]
    pub fn make_room(&self, memory_ty: Type, length: i64) {
        if length > 0
            && let Some(bytes) = memory::size(&self.heap, memory_ty, length).filter(|it| *it >= LARGE)
        {
            self.make_room_for(bytes);
        }
    }

    #[cold]
    fn make_room_for(&self, bytes: u64) {
        if mutator::may_collect(&self.heap) && collect::is_full_for(&self.heap, bytes) {
            self.pause(|| {
                collect::make_room(&self.heap, bytes, |it| self.mark_roots(it));
                true
            });
            self.run_ready_finalizers();
        }
    }

    /// Calls `make`, and once more after a collection where memory is exhausted.
    pub(crate) fn with_memory(&self, make: impl Fn() -> Run) -> Run {
        let is_exhausted = |it: &Run| {
            let thrown = it.as_ref().err().filter(|it| it.abort.is_none());
            thrown.is_some_and(|it| it.exception.ty() == self.types.core().out_of_memory_error)
        };
        let made = make();
        if is_exhausted(&made) && mutator::may_collect(&self.heap) {
            self.collect();
            return make();
        }
        made
    }

    /// Does a part of a collection, and whether one ended; notes the time.
    fn pause(&self, part: impl FnOnce() -> bool) -> bool {
        let _other = not_interpreting(&*self.io);
        let start = self.io.now_ns();
        let has_ended = part();
        if has_ended {
            self.kernels.get().inspect(|it| it.after_collection(self));
        }
        self.collecting.pauses.add(self.io.now_ns().saturating_sub(start));
        has_ended
    }

    /// The pauses of collections so far.
    pub fn pauses(&self) -> &Pauses {
        &self.collecting.pauses
    }

    /// Frees every object that nothing reaches. Waits for other threads that run Julia code, compile or launch. Does nothing within
    /// work that holds values where no collection finds them.
    pub fn collect(&self) {
        // A generator runs while its thread only shares the heap, and must not wait for it.
        if is_uninterrupted() {
            return;
        }
        mutator::exclusive(&self.heap, || {
            if mutator::may_collect(&self.heap) {
                self.pause(|| {
                    collect::whole(&self.heap, |it| self.mark_roots(it));
                    true
                });
                self.run_ready_finalizers();
            }
        });
    }

    fn mark_roots(&self, marker: &mut Marker<'_>) {
        let (values, objects) = self.tables.bindings.roots();
        values.into_iter().for_each(|it| marker.mark(it));
        marker.mark_words(objects);
        let others = self.roots.values().into_iter().chain(handled_values());
        let others = others.chain(self.tasks.values()).chain(self.eval.unfinished_values());
        others.for_each(|it| marker.mark(it));
        marker.mark_words(self.kernels.get().map_or_else(Vec::new, |it| it.in_use()));
        mutator::mark_threads(&self.heap, marker);
    }

    /// Runs the finalizers of unreached objects, unless some run already.
    fn run_ready_finalizers(&self) {
        if !finalizers::has_ready(&self.heap) {
            return;
        }
        if let Some(run) = self.base_global("run_ready_finalizers")
            && !self.collecting.finalizing.swap(true, Ordering::AcqRel)
        {
            // Each reports its own exception.
            let ended = self.call_latest(run, &[]);
            self.collecting.finalizing.store(false, Ordering::Release);
            drop(ended);
        }
    }
}
