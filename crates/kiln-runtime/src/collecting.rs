//! Collections of a session: its roots, its safepoints, and finalizers.
//!
//! The interpreter has a safepoint at each call and at each back edge. There, the thread that runs Julia code does the part of a
//! collection that is due. Values that are reachable from the session's tables, from [`Rooted`](crate::Rooted) handles, from
//! registers and from native stacks are kept.

use crate::heap::Marker;
use crate::interp::handled_values;
use crate::runtime::Runtime;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether finalizers run: they are not interrupted by others.
#[derive(Debug, Default)]
pub(crate) struct Finalizing(AtomicBool);

impl Runtime {
    /// Does the part of a collection that is due.
    #[inline]
    pub(crate) fn safepoint(&self) {
        if self.heap.wants_collection() {
            self.collect_at_safepoint();
        }
    }

    #[cold]
    #[inline(never)]
    fn collect_at_safepoint(&self) {
        if self.heap.may_collect() && self.heap.collect_part(|it| self.mark_roots(it)) {
            self.after_collection();
        }
    }

    /// Frees every object that nothing reaches. To be called by the thread that runs Julia code, or while none does. Does nothing
    /// within work that holds values where no collection finds them.
    pub fn collect(&self) {
        if self.heap.may_collect() || !crate::interp::is_running() && !self.tasks.any_live() {
            self.heap.collect(|it| self.mark_roots(it));
            self.after_collection();
        }
    }

    fn mark_roots(&self, marker: &mut Marker<'_>) {
        for value in self.tables.bindings.roots() {
            marker.mark(value);
        }
        let others = self.roots.values().into_iter().chain(handled_values());
        let others = others.chain(self.tasks.values()).chain(self.eval.unfinished_values());
        others.for_each(|it| marker.mark(it));
        for address in self.kernels.get().map_or_else(Vec::new, |it| it.in_use()) {
            marker.mark_word(address);
        }
        if self.heap.is_mutator() {
            self.heap.mark_threads(marker);
        }
    }

    fn after_collection(&self) {
        self.kernels.get().inspect(|it| it.after_collection(self));
        self.run_ready_finalizers();
    }

    /// Runs the finalizers of unreached objects, unless some run already.
    fn run_ready_finalizers(&self) {
        if !self.heap.is_mutator() || !self.heap.has_ready_finalizers() {
            return;
        }
        if let Some(run) = self.base_global("run_ready_finalizers")
            && !self.finalizing.0.swap(true, Ordering::AcqRel)
        {
            // Each reports its own exception.
            let ended = self.call_latest(run, &[]);
            self.finalizing.0.store(false, Ordering::Release);
            drop(ended);
        }
    }
}
