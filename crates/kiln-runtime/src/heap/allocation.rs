//! Allocation: by the thread that runs Julia code without a lock, by others from the space that they share.

use super::{Heap, Value, mutator};
use kiln_memory::{Allocator, HeapStats, ObjectSpace, UNCOUNTED, class_of};
use kiln_types::Type;

/// The space, and the allocator of the threads that do not run Julia code.
#[derive(Debug, Default)]
pub(super) struct SharedSpace {
    pub(super) space: ObjectSpace,
    pub(super) others: Allocator,
}

/// Returns the allocations so far.
pub fn stats(heap: &Heap) -> HeapStats {
    let shared = heap.space.lock();
    let mut stats = shared.space.stats();
    shared.others.counts().add_to(&mut stats);
    mutator::own_counts(heap).add_to(&mut stats);
    stats
}

/// Runs work whose allocations do not count as the program's. Concurrent allocations of other threads are not
/// counted either.
pub fn uncounted<T>(heap: &Heap, work: impl FnOnce() -> T) -> T {
    let counts = || (heap.space.lock().others.counts().get(), mutator::own_counts(heap).get());
    let before = counts();
    let result = work();
    heap.space.lock().others.counts().set(before.0);
    mutator::own_counts(heap).set(before.1);
    result
}

/// A new object, its data zero.
#[inline]
pub(super) fn alloc(heap: &Heap, ty: Type, size: u64) -> Value {
    Value::object(ty, alloc_or_panic(heap, ty, 0, size))
}

/// As [`alloc`], for a value of an immutable type.
#[inline]
pub(super) fn alloc_value(heap: &Heap, ty: Type, size: u64) -> Value {
    Value::object(ty, alloc_or_panic(heap, ty, UNCOUNTED, size))
}

#[inline]
pub(super) fn alloc_or_panic(heap: &Heap, ty: Type, flags: u32, size: u64) -> u64 {
    match try_alloc(heap, ty, flags, size) {
        Some(address) => address,
        None => panic!("out of memory: an object of {size} bytes"),
    }
}

/// The address of a new object, its data zero; `None` when memory is exhausted.
#[inline]
pub(super) fn try_alloc(heap: &Heap, ty: Type, flags: u32, size: u64) -> Option<u64> {
    if let Some(class) = class_of(size)
        && let Some(Some(address)) =
            mutator::with_own_if_mutator(heap, |own| own.alloc(class, ty.index() as u32, flags))
    {
        return Some(address);
    }
    alloc_slowly(heap, ty.index() as u32, flags, size)
}

#[cold]
fn alloc_slowly(heap: &Heap, ty: u32, flags: u32, size: u64) -> Option<u64> {
    let mut shared = heap.space.lock();
    let SharedSpace { space, others } = &mut *shared;
    let address = match mutator::with_own_if_mutator(heap, |own| space.alloc(own, ty, flags, size)) {
        Some(address) => address,
        None => space.alloc(others, ty, flags, size),
    };
    let (given, is_exhausted) = (space.growth().1, space.is_exhausted() && !space.was_told());
    drop(shared);
    heap.collection.after_growth(if is_exhausted { u64::MAX } else { given });
    address
}

/// The bytes of the heap's object that this address is in: the first's address, and how many. `None` for an address
/// of no object.
pub fn extent_of(heap: &Heap, address: u64) -> Option<(u64, u64)> {
    heap.space.lock().space.extent(address)
}

/// Whether the system has no more memory for objects, and the reserve is in use.
pub(crate) fn is_exhausted(heap: &Heap) -> bool {
    heap.space.lock().space.is_exhausted()
}

/// Whether that is so and the program was not told yet.
pub(crate) fn tells_exhaustion(heap: &Heap) -> bool {
    heap.space.lock().space.tells_exhaustion()
}
