//! The thread that runs Julia code: one at a time for a heap. It allocates without a lock, and it collects.
//!
//! A session's Julia code runs in [`exclusive`]; work that makes values beside it (compiling, launching) in
//! [`shared`], while no Julia code runs. A task runs on a thread of its own, which takes the place of the one that
//! switched to it (`run_as_task`, `suspended`).
//!
//! # Roots
//! * Registers of the interpreter, in `Registers`: exact.
//! * Native stacks, of this thread and of those whose tasks wait: each word that is an address in an object keeps it.
//! * Values in memory of Rust's allocator are found by nothing. They must be in `Registers`, be
//!   [`Rooted`](crate::Rooted), or be used up before Julia code runs the next time.

use super::{Heap, Marker, Value};
use kiln_memory::StackRanges;
use kiln_memory::{AllocationCounts, Allocator, FreeRun, FreeRuns};
use parking_lot::{Mutex, RwLock};
use std::cell::{Cell, RefCell, UnsafeCell};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

thread_local! {
    /// Its address names a running thread.
    static HERE: u8 = const { 0 };
    /// The heap whose Julia code this thread runs, and its allocator.
    static CURRENT: Cell<(usize, *mut Allocator)> = const { Cell::new((0, std::ptr::null_mut())) };
    /// How much of the work in progress must not be interrupted by collections.
    static UNINTERRUPTED: Cell<u32> = const { Cell::new(0) };
    /// The registers of this thread's entries into Julia code, the innermost last.
    static REGISTERS: RefCell<Vec<RegistersAddress>> = const { RefCell::new(Vec::new()) };
    /// The [`ScannedWords`] of this thread.
    static WORDS: RefCell<Vec<WordsAddress>> = const { RefCell::new(Vec::new()) };
    /// Memory for registers.
    #[expect(clippy::vec_box, reason = "their addresses are listed")]
    static POOL: RefCell<Vec<Box<RegisterFile>>> = const { RefCell::new(Vec::new()) };
}

/// The number of this thread: no other that runs has it, and it is not 0.
fn this_thread() -> u64 {
    HERE.with(|it| std::ptr::from_ref(it).addr() as u64)
}

/// The lock of a heap: Julia code runs alone, other work concurrently.
#[derive(Debug, Default)]
pub(super) struct MutatorLock {
    gate: RwLock<()>,
    /// The thread that holds it whole; 0 for none.
    owner: AtomicU64,
    /// The allocator of the thread that runs Julia code.
    own: OwnAllocator,
    /// Its runs and counts, once it has allocated.
    own_counts: OnceLock<Arc<AllocationCounts>>,
    /// Runs without cells.
    no_runs: FreeRuns,
    /// The threads of tasks that wait.
    suspended: Mutex<Vec<Suspended>>,
    /// How many of them wait within work that must not be interrupted.
    suspended_uninterrupted: AtomicUsize,
}

#[derive(Debug, Default)]
struct OwnAllocator(UnsafeCell<Allocator>);

// SAFETY: only the thread that runs the heap's Julia code reaches it: through `CURRENT`, and in collections.
unsafe impl Sync for OwnAllocator {}

/// The roots of a waiting thread.
#[derive(Debug)]
struct Suspended {
    thread: u64,
    stacks: StackRanges,
    registers: Vec<RegistersAddress>,
    words: Vec<WordsAddress>,
    /// Other values.
    values: Vec<Value>,
}

#[derive(Clone, Copy, Debug)]
struct RegistersAddress(*const RegisterFile);

/// Registers at an address that stays.
#[derive(Debug, Default)]
struct RegisterFile {
    values: Vec<Value>,
}

// SAFETY: it is read by the thread that collects while the owner waits.
unsafe impl Send for RegistersAddress {}

#[derive(Clone, Copy, Debug)]
struct WordsAddress(*const u64, usize);

// SAFETY: as for `RegistersAddress`.
unsafe impl Send for WordsAddress {}

impl WordsAddress {
    /// Adds the words.
    ///
    /// # Safety
    /// The owner must be this thread, or wait.
    unsafe fn read(self, to: &mut Vec<u64>) {
        // SAFETY: the words are alive, by the caller's promise; compiled code may write them before and after.
        to.extend((0..self.1).map(|at| unsafe { self.0.add(at).read_volatile() }));
    }
}

/// Registers of the interpreter: values that a collection finds. They belong to the thread that made them.
#[derive(Debug)]
pub(crate) struct Registers {
    file: ManuallyDrop<Box<RegisterFile>>,
    not_send: PhantomData<*const ()>,
}

impl Registers {
    /// No registers, in memory that was used before.
    pub(crate) fn new() -> Self {
        let file = POOL.with_borrow_mut(Vec::pop).unwrap_or_default();
        REGISTERS.with_borrow_mut(|it| it.push(RegistersAddress(&raw const *file)));
        Self { file: ManuallyDrop::new(file), not_send: PhantomData }
    }
}

impl Drop for Registers {
    fn drop(&mut self) {
        // SAFETY: it is not used again.
        let mut file = unsafe { ManuallyDrop::take(&mut self.file) };
        let address = &raw const *file;
        REGISTERS.with_borrow_mut(|it| {
            if let Some(at) = it.iter().rposition(|it| it.0 == address) {
                it.remove(at);
            }
        });
        file.values.clear();
        POOL.with_borrow_mut(|it| it.push(file));
    }
}

/// Zeroed words that a collection reads like a stack: arguments of compiled code. They belong to the thread that made them.
#[derive(Debug)]
pub struct ScannedWords {
    words: Box<[u64]>,
    not_send: PhantomData<*const ()>,
}

impl ScannedWords {
    /// So many words.
    pub fn new(count: usize) -> Self {
        let words = vec![0; count].into_boxed_slice();
        WORDS.with_borrow_mut(|it| it.push(WordsAddress(words.as_ptr(), words.len())));
        Self { words, not_send: PhantomData }
    }

    /// Their bytes.
    pub fn bytes(&self) -> &[u8] {
        let (start, len) = (self.words.as_ptr().cast(), size_of_val(&*self.words));
        // SAFETY: words are bytes.
        unsafe { std::slice::from_raw_parts(start, len) }
    }

    /// Their bytes.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let (start, len) = (self.words.as_mut_ptr().cast(), size_of_val(&*self.words));
        // SAFETY: words are bytes, and any bytes are words.
        unsafe { std::slice::from_raw_parts_mut(start, len) }
    }
}

impl Drop for ScannedWords {
    fn drop(&mut self) {
        let address = self.words.as_ptr();
        WORDS.with_borrow_mut(|it| {
            if let Some(at) = it.iter().rposition(|it| it.0 == address) {
                it.remove(at);
            }
        });
    }
}

impl Deref for Registers {
    type Target = Vec<Value>;
    #[inline]
    fn deref(&self) -> &Vec<Value> {
        &self.file.values
    }
}

impl DerefMut for Registers {
    #[inline]
    fn deref_mut(&mut self) -> &mut Vec<Value> {
        &mut self.file.values
    }
}

/// The time that a thread holds the lock whole.
struct Owner<'a>(&'a AtomicU64);

impl Drop for Owner<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// Restores [`CURRENT`].
struct Previous((usize, *mut Allocator));

impl Drop for Previous {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// Runs `work`, in which this thread does not collect: it holds values where no collection would find them.
pub fn uninterrupted<T>(work: impl FnOnce() -> T) -> T {
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            UNINTERRUPTED.set(UNINTERRUPTED.get() - 1);
        }
    }
    UNINTERRUPTED.set(UNINTERRUPTED.get() + 1);
    let _end = End;
    work()
}

/// Whether this thread does such work.
pub(crate) fn is_uninterrupted() -> bool {
    UNINTERRUPTED.get() > 0
}

/// Runs `work`, which runs Julia code, while no other thread runs any or holds the lock with [`shared`]. A thread
/// that has the lock may take it again.
pub fn exclusive<T>(heap: &Heap, work: impl FnOnce() -> T) -> T {
    if is_owner(heap) {
        return work();
    }
    let _gate = heap.mutator.gate.write();
    heap.mutator.owner.store(this_thread(), Ordering::Relaxed);
    let _owner = Owner(&heap.mutator.owner);
    as_mutator(heap, work)
}

/// Runs `work` while no other thread runs Julia code.
pub fn shared<T>(heap: &Heap, work: impl FnOnce() -> T) -> T {
    if is_owner(heap) {
        return work();
    }
    let _gate = heap.mutator.gate.read_recursive();
    work()
}

fn is_owner(heap: &Heap) -> bool {
    heap.mutator.owner.load(Ordering::Relaxed) == this_thread() || is_mutator(heap)
}

fn address(heap: &Heap) -> usize {
    std::ptr::from_ref(heap).addr()
}

/// Whether this thread runs the heap's Julia code.
pub(crate) fn is_mutator(heap: &Heap) -> bool {
    CURRENT.get().0 == address(heap)
}

fn as_mutator<T>(heap: &Heap, work: impl FnOnce() -> T) -> T {
    let _previous = Previous(CURRENT.replace((address(heap), heap.mutator.own.0.get())));
    heap.mutator.own_counts.get_or_init(|| with_own(heap, |it| it.counts().clone()));
    kiln_memory::within_base(work)
}

/// Runs `work` on the thread of a task, which another thread of the heap's Julia code has switched to and waits for.
pub(crate) fn run_as_task<T>(heap: &Heap, work: impl FnOnce() -> T) -> T {
    as_mutator(heap, work)
}

/// Hands over to another thread, which runs the heap's Julia code until `wait` returns. Collections keep `values` meanwhile.
pub(crate) fn suspended<T>(
    heap: &Heap,
    values: Vec<Value>,
    hand_over: impl FnOnce(),
    wait: impl FnOnce() -> T,
) -> T {
    if !is_mutator(heap) {
        hand_over();
        return wait();
    }
    kiln_memory::with_visible_stacks(|stacks| {
        let thread = this_thread();
        let (registers, words) = (REGISTERS.with_borrow(Clone::clone), WORDS.with_borrow(Clone::clone));
        let own = Suspended { thread, stacks: stacks.clone(), registers, words, values };
        heap.mutator.suspended.lock().push(own);
        let uninterrupted = usize::from(UNINTERRUPTED.get() > 0);
        let waiting = &heap.mutator.suspended_uninterrupted;
        waiting.fetch_add(uninterrupted, Ordering::AcqRel);
        hand_over();
        let result = wait();
        waiting.fetch_sub(uninterrupted, Ordering::AcqRel);
        heap.mutator.suspended.lock().retain(|it| it.thread != thread);
        result
    })
}

/// Whether this thread may collect now.
pub(crate) fn may_collect(heap: &Heap) -> bool {
    UNINTERRUPTED.get() == 0
        && is_mutator(heap)
        && heap.mutator.suspended_uninterrupted.load(Ordering::Acquire) == 0
        && kiln_memory::is_known()
}

/// Uses the allocator of the thread that runs Julia code, if this is it. `work` must not allocate.
#[inline]
pub(super) fn with_own_if_mutator<T>(heap: &Heap, work: impl FnOnce(&mut Allocator) -> T) -> Option<T> {
    let (current, own) = CURRENT.get();
    // SAFETY: this thread alone runs the heap's Julia code, and the reference ends before the next is made.
    (current == address(heap)).then(|| work(unsafe { &mut *own }))
}

/// Uses the allocator of the thread that runs Julia code: in its collections, and before there is such a thread. `work` must
/// not allocate.
pub(super) fn with_own<T>(heap: &Heap, work: impl FnOnce(&mut Allocator) -> T) -> T {
    // SAFETY: that thread calls collections, or while there is none, by the caller's promise.
    work(unsafe { &mut *heap.mutator.own.0.get() })
}

/// The counts of the allocator of the thread that runs Julia code.
pub(super) fn own_counts(heap: &Heap) -> Arc<AllocationCounts> {
    heap.mutator.own_counts.get().cloned().unwrap_or_default()
}

/// The first of the runs that code compiled for this thread takes cells from, one for each class. They have no cells on a thread
/// that does not run the heap's Julia code, and none under stress, where each allocation is a safepoint.
pub fn free_runs(heap: &Heap) -> *const FreeRun {
    let own = heap.mutator.own_counts.get().filter(|_| is_mutator(heap) && !heap.collection.is_stressed());
    own.map_or(&heap.mutator.no_runs, |it| it.runs()).first()
}

/// Marks the objects in registers and on native stacks.
pub(crate) fn mark_threads(heap: &Heap, marker: &mut Marker<'_>) {
    kiln_memory::with_visible_stacks(|own| {
        let registers = REGISTERS.with_borrow(Clone::clone);
        let mut words = Vec::new();
        let mut mark = |stacks: &StackRanges, registers: &[RegistersAddress], scanned: &[WordsAddress]| {
            for it in registers {
                // SAFETY: the registers of this thread, or of one that waits, are alive and are not written.
                for value in unsafe { &*it.0 }.values.iter() {
                    // A pointer in a register keeps the object that it points to.
                    if value.is_inline() { words.push(value.bits()) } else { marker.mark(*value) }
                }
            }
            stacks.words(&mut words);
            // SAFETY: as above.
            scanned.iter().for_each(|it| unsafe { it.read(&mut words) });
        };
        mark(own, &registers, &WORDS.with_borrow(Clone::clone));
        let suspended = heap.mutator.suspended.lock();
        suspended.iter().for_each(|it| mark(&it.stacks, &it.registers, &it.words));
        suspended.iter().flat_map(|it| &it.values).for_each(|it| marker.mark(*it));
        marker.mark_words(words);
    });
}

#[cfg(test)]
mod tests {
    use super::{exclusive, shared};
    use crate::heap::Heap;
    use kiln_types::Types;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The holder takes it again in either way; others see it free afterwards, also after a panic.
    #[test]
    fn a_thread_may_take_it_again() {
        let heap = Heap::new(Arc::new(Types::new()));
        assert_eq!(exclusive(&heap, || shared(&heap, || exclusive(&heap, || 3))), 3);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            exclusive(&heap, || panic!("a bug"));
        }));
        assert!(panicked.is_err());
        std::thread::scope(|scope| _ = scope.spawn(|| exclusive(&heap, || ())));
    }

    /// One thread at a time is inside whole, and none beside it.
    #[test]
    fn it_excludes_other_threads() {
        let (heap, inside) = (Heap::new(Arc::new(Types::new())), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (heap, inside) = (&heap, &inside);
                scope.spawn(move || {
                    for _ in 0..1000 {
                        if thread < 2 {
                            exclusive(heap, || {
                                assert_eq!(inside.swap(100, Ordering::SeqCst), 0);
                                inside.store(0, Ordering::SeqCst);
                            });
                        } else {
                            shared(heap, || {
                                assert!(inside.fetch_add(1, Ordering::SeqCst) < 100);
                                inside.fetch_sub(1, Ordering::SeqCst);
                            });
                        }
                    }
                });
            }
        });
    }
}
