//! Finalizers: functions that are called with an object once nothing reaches it, or by `finalize`.
//!
//! A function is kept as long as its object is; it may refer to the object, which does not keep that alive. A finalizer whose
//! object is unreached becomes ready at the end of the collection, with the object and all that it reaches still there, and
//! runs at the next safepoint.

use super::{Heap, Value, boxes};
use kiln_memory as space;

/// An object, and a function to be called with it.
#[derive(Clone, Copy, Debug)]
struct Finalizer {
    object: u64,
    function: u64,
}

/// The finalizers of a heap.
#[derive(Debug, Default)]
pub(super) struct Finalizers {
    /// Those of objects that were reachable, the last added last.
    waiting: Vec<Finalizer>,
    /// Those to be run.
    ready: Vec<Finalizer>,
}

impl Finalizers {
    /// The addresses of the objects and functions that are ready.
    pub(super) fn ready_addresses(&self) -> Vec<u64> {
        self.ready.iter().flat_map(|it| [it.object, it.function]).collect()
    }

    /// The addresses of the objects that have one.
    pub(super) fn objects(&self) -> impl Iterator<Item = u64> {
        self.waiting.iter().chain(&self.ready).map(|it| it.object)
    }

    /// Makes the finalizers of unmarked objects ready. Returns the objects to keep for all of them.
    pub(super) fn separate_unreached(&mut self) -> Vec<u64> {
        // SAFETY: only objects have finalizers, and their entries go before they do.
        let is_unreached = |it: &mut Finalizer| unsafe { !space::is_marked(it.object) };
        self.ready.extend(self.waiting.extract_if(.., is_unreached));
        let functions = self.waiting.iter().map(|it| it.function);
        functions.chain(self.ready_addresses()).collect()
    }
}

/// Adds a finalizer of a mutable object.
pub(crate) fn add(heap: &Heap, object: Value, function: Value) {
    assert!(!object.is_inline(), "a finalizer of a value without an address");
    let finalizer = Finalizer { object: object.bits(), function: boxes::box_value(heap, function) };
    heap.finalizers.lock().waiting.push(finalizer);
}

/// Takes the finalizers of an object, the last added first.
pub(crate) fn take(heap: &Heap, object: Value) -> Vec<Value> {
    let mut all = heap.finalizers.lock();
    let is_its = |it: &mut Finalizer| !object.is_inline() && it.object == object.bits();
    let mut taken: Vec<Finalizer> = all.waiting.extract_if(.., is_its).collect();
    taken.extend(all.ready.extract_if(.., is_its));
    keep_taken(heap, &taken);
    // SAFETY: functions are kept as long as their entries.
    taken.iter().rev().map(|it| unsafe { boxes::value_at(it.function) }).collect()
}

/// Takes the next finalizer that is ready, or any with `all`: the object and the function.
pub(crate) fn next(heap: &Heap, all: bool) -> Option<(Value, Value)> {
    let mut finalizers = heap.finalizers.lock();
    let mut next = finalizers.ready.pop();
    if all && next.is_none() {
        next = finalizers.waiting.pop();
    }
    keep_taken(heap, next.as_slice());
    // SAFETY: objects and functions are kept as long as their entries.
    next.map(|it| unsafe { (boxes::value_at(it.object), boxes::value_at(it.function)) })
}

/// A collection that runs has not reached objects that only a finalizer refers to.
fn keep_taken(heap: &Heap, taken: &[Finalizer]) {
    if heap.collection.is_marking() {
        taken.iter().flat_map(|it| [it.object, it.function]).for_each(|it| heap.collection.keep(it));
    }
}

/// Whether a finalizer is ready to be run.
pub(crate) fn has_ready(heap: &Heap) -> bool {
    !heap.finalizers.lock().ready.is_empty()
}
