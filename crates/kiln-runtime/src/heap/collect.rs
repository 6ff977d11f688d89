//! Collections: marking in slices beside the program, then freeing what is not marked.
//!
//! A collection keeps what was reachable when it began, and what was made since. While it marks, code that overwrites a
//! reference in an object passes the old one to `Collection::keep_overwritten`, so that no object can be moved behind the marker's
//! back. Roots are read once, at the beginning; a new object is marked from the start.
//!
//! Julia code runs on one thread at a time ([`super::mutator`]). That thread collects, at its safepoints.

use super::allocation::SharedSpace;
use super::marking::{CollectionPolicy, Collector, GROWTH_MIN, Marker, STEP};
use super::{Heap, boxes, constants, mutator};
use kiln_memory as space;
use std::sync::atomic::Ordering;

/// Bytes of a large object that take longer to be written than an object or word to be visited.
const CHEAP: u64 = 256;

/// Sets when collections begin.
pub fn set_policy(heap: &Heap, policy: CollectionPolicy) {
    *heap.collection.policy.lock() = policy;
    heap.collection.is_stressed.store(policy.stress > 0, Ordering::Relaxed);
    plan(heap);
    if policy.stress > 0 {
        heap.collection.wants.store(true, Ordering::Relaxed);
    }
}

/// Decides at how many allocated bytes the next part of a collection is due.
fn plan(heap: &Heap) {
    let (live, given) = heap.space.lock().space.growth();
    let allowance = heap.collection.allowance(live);
    let due =
        if heap.collection.is_marking() { given + STEP } else { allowance - (allowance / 2).min(live / 2) };
    heap.collection.due_at.store(due, Ordering::Relaxed);
}

/// Does the part of a collection that is due. Returns whether a collection ended. `roots` are asked for if one begins.
///
/// Must be called by the thread that runs Julia code, alone; `roots` gives every object that is referred to by other
/// places than objects.
pub(crate) fn part(heap: &Heap, roots: impl FnOnce(&mut Marker<'_>)) -> bool {
    let CollectionPolicy { stress, is_off, .. } = *heap.collection.policy.lock();
    if is_off && !heap.collection.is_marking() {
        return false;
    }
    if stress > 0 {
        let mut state = heap.collection.running.lock();
        state.safepoints += 1;
        let is_due = state.safepoints.is_multiple_of(stress);
        drop(state);
        let given = heap.space.lock().space.growth().1;
        let is_full = given >= heap.collection.due_at.load(Ordering::Relaxed);
        if is_due || is_full {
            whole(heap, roots);
        }
        return is_due || is_full;
    }
    heap.collection.wants.store(false, Ordering::Relaxed);
    let (live, given) = heap.space.lock().space.growth();
    if !heap.collection.is_marking() {
        begin(heap, roots);
    }
    let (due, allowance) = (heap.collection.due_at.load(Ordering::Relaxed), heap.collection.allowance(live));
    let is_done = {
        let mut state = heap.collection.running.lock();
        let units = state.units(given, due, allowance);
        state.run(heap, units)
    };
    if is_done {
        finish(heap);
    }
    plan(heap);
    is_done
}

/// Whether a collection has to end before an object of so many bytes is made, for the heap to stay within its limits. One that
/// takes much less time than the object needs always does: what was live at the last one may be none now.
pub(crate) fn is_full_for(heap: &Heap, bytes: u64) -> bool {
    let (live, given) = heap.space.lock().space.growth();
    let is_cheap = heap.collection.running.lock().visited_last <= bytes / CHEAP;
    let limit = heap.collection.allowance(live);
    let is_full = if is_cheap {
        (live + given).saturating_add(bytes) > limit.min(GROWTH_MIN)
    } else {
        // Nothing is gained by a collection where little was allocated since the last one.
        given >= bytes / 4 && given.saturating_add(bytes) > limit
    };
    is_full && !heap.collection.policy.lock().is_off
}

/// Ends the running collection, and runs another if there is not enough room then for an object of so many bytes. `roots` as for
/// [`collect`](whole).
pub(crate) fn make_room(heap: &Heap, bytes: u64, roots: impl FnOnce(&mut Marker<'_>)) {
    if heap.collection.is_marking() {
        heap.collection.running.lock().run(heap, u64::MAX);
        finish(heap);
        plan(heap);
    }
    if is_full_for(heap, bytes) {
        whole(heap, roots);
    }
}

/// Frees every object that is unreachable from `roots`, from constants, and from objects read from an image. Must be
/// called by the thread that runs Julia code, alone; unreached values must not be used afterwards.
pub fn whole(heap: &Heap, roots: impl FnOnce(&mut Marker<'_>)) {
    if heap.collection.is_marking() {
        // What this collection keeps may have died since it began.
        heap.collection.running.lock().run(heap, u64::MAX);
        finish(heap);
    }
    begin(heap, roots);
    heap.collection.running.lock().run(heap, u64::MAX);
    finish(heap);
    plan(heap);
}

fn begin(heap: &Heap, roots: impl FnOnce(&mut Marker<'_>)) {
    let mut shared = heap.space.lock();
    let SharedSpace { space, others } = &mut *shared;
    mutator::with_own(heap, |own| space.begin_marking(&mut [others, own]));
    drop(shared);
    heap.collection.is_marking.store(true, Ordering::Relaxed);
    let mut marker = Marker { heap, state: heap.collection.running.lock() };
    marker.state.visited = 0;
    let kept = constants::permanent_addresses(heap);
    let ready = heap.finalizers.lock().ready_addresses();
    kept.into_iter().chain(ready).for_each(|it| marker.state.push(it));
    roots(&mut marker);
}

fn finish(heap: &Heap) {
    let mut state = heap.collection.running.lock();
    // A finalizer sees an object that no weak reference names any more.
    clear_weak(heap, &mut state);
    let kept = heap.finalizers.lock().separate_unreached();
    kept.into_iter().for_each(|it| state.push(it));
    state.run(heap, u64::MAX);
    clear_weak(heap, &mut state);
    state.visited_last = state.visited;
    let poisons = heap.collection.policy.lock().stress > 0;
    let mut shared = heap.space.lock();
    let SharedSpace { space, others } = &mut *shared;
    let allowance = |live| heap.collection.allowance(live);
    mutator::with_own(heap, |own| space.free_unmarked(&mut [others, own], allowance, poisons));
    drop(shared);
    heap.collection.is_marking.store(false, Ordering::Relaxed);
}

/// Clears the weak references that were reached and whose objects were not.
fn clear_weak(heap: &Heap, state: &mut Collector) {
    let nothing = boxes::box_value(heap, heap.nothing());
    for reference in state.weak.drain(..) {
        // SAFETY: a weak reference is an object with one field, which holds an object.
        unsafe {
            let target: u64 = space::load(reference);
            if target != 0 && !space::is_marked(target) {
                space::store(reference, nothing);
            }
        }
    }
}
