//! Allocators: the cells that a thread has to itself, by class, and the counts of its objects.
//!
//! An allocation takes the next cell of the run of its class: it compares, adds and stores the header. Compiled code does the same
//! with the two words of a [`FreeRun`]. It counts nothing: how many objects a run has given out is found by how far its
//! cursor has come.

use crate::cells::{CELLS, CLASSES, HEADER, class_of};
use crate::chunk::{BlockId, Run};
use crate::space::{HeapStats, LIVE, UNCOUNTED, header, set_header};
use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Cleared cells of one size, one after the other: an allocation takes the first. Without cells the two words are equal. The thread
/// of the allocator writes them; others read them to count.
#[repr(C)]
#[derive(Debug, Default)]
pub struct FreeRun {
    /// Address of the data of the next cell.
    pub cursor: AtomicU64,
    /// Where the data of the first cell would begin that does not belong to the run.
    pub end: AtomicU64,
}

// Compiled code addresses these fields.
const _: () =
    assert!(offset_of!(FreeRun, cursor) == 0 && offset_of!(FreeRun, end) == 8 && size_of::<FreeRun>() == 16);

/// The runs of each class, for an allocator and the code compiled for its thread.
#[repr(C)]
#[derive(Debug, Default)]
pub struct FreeRuns([FreeRun; CLASSES]);

impl FreeRuns {
    /// The address of the run of the first class, which those of the others follow.
    pub fn first(&self) -> *const FreeRun {
        self.0.as_ptr()
    }
}

/// The runs and the counts of an allocator: it alone changes them, every thread may read them.
#[derive(Debug, Default)]
pub struct AllocationCounts {
    runs: FreeRuns,
    /// Where the objects of each run begin that are not counted yet.
    counted_to: [AtomicU64; CLASSES],
    /// Bytes of all objects, since the last collection ended.
    bytes: AtomicU64,
    /// Bytes of counted objects. It may be below zero as long as the objects of the runs are missing in it; so may the next.
    counted_bytes: AtomicU64,
    /// The number of counted objects.
    counted: AtomicU64,
}

fn add(count: &AtomicU64, more: u64) {
    count.store(count.load(Relaxed).wrapping_add(more), Relaxed);
}

impl AllocationCounts {
    /// The runs.
    pub fn runs(&self) -> &FreeRuns {
        &self.runs
    }

    /// Counts an object that is no cell.
    fn count(&self, bytes: u64, flags: u32) {
        add(&self.bytes, bytes);
        if flags & UNCOUNTED == 0 {
            add(&self.counted_bytes, bytes);
            add(&self.counted, 1);
        }
    }

    /// Bytes of the cells of a class that were given out and are not counted yet.
    fn uncounted(&self, class: usize) -> u64 {
        self.runs.0[class].cursor.load(Relaxed).saturating_sub(self.counted_to[class].load(Relaxed))
    }

    /// Bytes and number of the objects that are not counted yet.
    fn all_uncounted(&self) -> (u64, u64) {
        (0..CLASSES)
            .map(|it| (it, self.uncounted(it)))
            .fold((0, 0), |(bytes, objects), (class, more)| (bytes + more, objects + more / CELLS[class]))
    }

    /// Counts the objects of the run of a class.
    fn settle(&self, class: usize) {
        let bytes = self.uncounted(class);
        self.counted_to[class].store(self.runs.0[class].cursor.load(Relaxed), Relaxed);
        add(&self.bytes, bytes);
        add(&self.counted_bytes, bytes);
        add(&self.counted, bytes / CELLS[class]);
    }

    /// Adds them to those of a heap.
    pub fn add_to(&self, stats: &mut HeapStats) {
        let (bytes, objects) = self.get();
        stats.live_bytes += self.bytes.load(Relaxed) + self.all_uncounted().0;
        stats.allocated_bytes = stats.allocated_bytes.wrapping_add(bytes);
        stats.allocations = stats.allocations.wrapping_add(objects);
    }

    /// Bytes and number of counted objects.
    pub fn get(&self) -> (u64, u64) {
        let (bytes, objects) = self.all_uncounted();
        (
            self.counted_bytes.load(Relaxed).wrapping_add(bytes),
            self.counted.load(Relaxed).wrapping_add(objects),
        )
    }

    /// Sets them.
    pub fn set(&self, (bytes, objects): (u64, u64)) {
        let (more_bytes, more_objects) = self.all_uncounted();
        self.counted_bytes.store(bytes.wrapping_sub(more_bytes), Relaxed);
        self.counted.store(objects.wrapping_sub(more_objects), Relaxed);
    }
}

/// The cells that one allocator has to itself, and counts of its objects.
#[derive(Debug, Default)]
pub struct Allocator {
    counts: Arc<AllocationCounts>,
    /// The block that the next run of each class may be taken from, and the cell to search on at.
    next: [Option<(BlockId, u32)>; CLASSES],
}

impl Allocator {
    /// A new object with zeroed data, from the run of its class; `None` when that is used up.
    #[inline]
    pub fn alloc(&mut self, class: usize, ty: u32, flags: u32) -> Option<u64> {
        let FreeRun { cursor, end } = &self.counts.runs.0[class];
        let address = cursor.load(Relaxed);
        if address >= end.load(Relaxed) {
            return None;
        }
        cursor.store(address + CELLS[class], Relaxed);
        if flags & UNCOUNTED != 0 {
            add(&self.counts.counted_bytes, CELLS[class].wrapping_neg());
            add(&self.counts.counted, 1u64.wrapping_neg());
        }
        // SAFETY: a cell that this allocator has to itself.
        unsafe { set_header(address, ty, flags | LIVE) };
        Some(address)
    }

    /// Counts an object that was allocated uncounted, with data of `size` bytes.
    ///
    /// # Safety
    /// `address` must be the data of a live object.
    pub unsafe fn count_late(&mut self, address: u64, size: u64) {
        add(&self.counts.counted_bytes, class_of(size).map_or(size + HEADER, |it| CELLS[it]));
        add(&self.counts.counted, 1);
        // SAFETY: the caller's promise.
        unsafe {
            let (ty, flags) = header(address);
            set_header(address, ty, flags & !UNCOUNTED);
        }
    }

    /// Its runs and counts.
    pub fn counts(&self) -> &Arc<AllocationCounts> {
        &self.counts
    }

    /// Counts an object that is no cell.
    pub(super) fn count_large(&mut self, bytes: u64, flags: u32) {
        self.counts.count(bytes, flags);
    }

    /// The cells of a class that it has not used.
    pub(super) fn run(&self, class: usize) -> Run {
        let FreeRun { cursor, end } = &self.counts.runs.0[class];
        Run { cursor: cursor.load(Relaxed), end: end.load(Relaxed) }
    }

    /// Gives it another run of a class, whose last one is used up.
    pub(super) fn set_run(&mut self, class: usize, run: Run) {
        self.counts.settle(class);
        let FreeRun { cursor, end } = &self.counts.runs.0[class];
        cursor.store(run.cursor, Relaxed);
        end.store(run.end, Relaxed);
        self.counts.counted_to[class].store(run.cursor, Relaxed);
    }

    /// The block that the next run of a class may be taken from, and the cell to search on at.
    pub(super) fn next(&self, class: usize) -> Option<(BlockId, u32)> {
        self.next[class]
    }

    /// Sets it.
    pub(super) fn set_next(&mut self, class: usize, next: Option<(BlockId, u32)>) {
        self.next[class] = next;
    }

    /// A collection has ended: searches all blocks again, and counts the bytes of objects from zero on. Returns the bytes that it
    /// has to itself and has not used.
    pub(super) fn after_collection(&mut self) -> u64 {
        self.next = [None; CLASSES];
        (0..CLASSES).for_each(|it| self.counts.settle(it));
        self.counts.bytes.store(0, Relaxed);
        (0..CLASSES).map(|it| self.run(it)).map(|it| it.end - it.cursor).sum()
    }
}
