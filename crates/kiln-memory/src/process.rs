//! The allocator of the `kiln` command: allocations of the thread that runs programs are adjacent.
//!
//! Starting a process and compiling a kernel allocate many small objects and free few of them before the end. A
//! general allocator costs as much as the work itself, and its memory comes from the system page by page. Here an
//! allocation bumps a pointer in one range, or reuses the last freed block of the same size. The range starts with
//! small pages that the system makes all at once, enough for an empty program; huge pages follow, one page fault instead of
//! hundreds each. A long process continues on small pages, which the system has cleared and in the processor's cache.
//!
//! # Invariants
//! * The range belongs to one thread, set by [`ProcessAllocator::adopt`]. Other threads allocate from the system;
//!   blocks of the range that they free wait in a list for the owner.
//! * Bytes of the range above `next` have never been handed out, so they are zero.
//!
//! # Deliberately absent
//! Returning memory to the system: the range is bounded, and large allocations come from the system anyway.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Address space of the range: pages are committed on first touch. Allocations that do not fit come from the system.
const RANGE: usize = 1 << 30;
/// The part of the range that every process uses: to clear a huge page takes ten times as long.
const FIRST: usize = 384 << 10;
/// A page that the processor translates at once.
const HUGE_PAGE: usize = 2 << 20;
/// The part of the range in huge pages.
const HUGE: usize = 2 * HUGE_PAGE;
/// More comes from the system.
const LARGEST: usize = 32 << 10;
/// The alignment of every allocation; sizes are multiples of it.
const GRAIN: usize = 16;
/// Sizes up to this are classes of their own; above, there are four classes from each power of two to the next.
const FINE: usize = 256;
const CLASSES: usize = class_of(LARGEST) + 1;

/// The class of a size of at least 1 byte.
const fn class_of(size: usize) -> usize {
    if size <= FINE {
        return (size - 1) / GRAIN;
    }
    // Size `2^power + quarters * 2^(power - 2)`, rounded up.
    let power = (size - 1).ilog2();
    let quarters = ((size - 1) >> (power - 2)) & 3;
    FINE / GRAIN + (power - FINE.ilog2()) as usize * 4 + quarters
}

/// The bytes that allocations of a class take.
const fn bytes_of(class: usize) -> usize {
    if class < FINE / GRAIN {
        return (class + 1) * GRAIN;
    }
    let (power, quarters) = ((class - FINE / GRAIN) / 4 + FINE.ilog2() as usize, (class - FINE / GRAIN) % 4);
    (1 << power) + (quarters + 1) * (1 << (power - 2))
}

const BYTES: [usize; CLASSES] = {
    let mut table = [0; CLASSES];
    let mut class = 0;
    while class < CLASSES {
        table[class] = bytes_of(class);
        class += 1;
    }
    table
};

/// The global allocator of a program that adopts its main thread.
#[derive(Debug)]
pub struct ProcessAllocator;

/// The owner's state of the range.
struct Own {
    /// Where bytes begin that were never handed out; 0 in threads that do not own the range.
    next: Cell<usize>,
    end: Cell<usize>,
    /// The free blocks of each class; the first word of each is the next one.
    free: [Cell<*mut u8>; CLASSES],
}

thread_local! {
    static OWN: Own = const {
        Own { next: Cell::new(0), end: Cell::new(0), free: [const { Cell::new(ptr::null_mut()) }; CLASSES] }
    };
}

/// Start of the range; `usize::MAX - RANGE` if there is none, so that no address is in it.
static START: AtomicUsize = AtomicUsize::new(usize::MAX - RANGE);
/// The blocks that other threads freed: the first word is the next one, the second the class.
static FREED_ELSEWHERE: AtomicPtr<[usize; 2]> = AtomicPtr::new(ptr::null_mut());

fn in_range(address: *mut u8) -> bool {
    address.addr().wrapping_sub(START.load(Ordering::Relaxed)) < RANGE
}

/// The class that serves a layout, if the range may.
#[inline]
fn class(layout: &Layout) -> Option<usize> {
    (layout.align() <= GRAIN && layout.size() <= LARGEST && layout.size() != 0)
        .then(|| class_of(layout.size()))
}

impl ProcessAllocator {
    /// Makes this thread the owner of the range. Only the first call in a process does anything; without address space
    /// for the range neither.
    pub fn adopt() {
        static ADOPTED: AtomicUsize = AtomicUsize::new(0);
        if ADOPTED.swap(1, Ordering::Relaxed) != 0 {
            return;
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a fresh mapping at an address the system chooses.
        let given = unsafe { libc::mmap(ptr::null_mut(), RANGE + HUGE_PAGE, protection, flags, -1, 0) };
        if given == libc::MAP_FAILED {
            return;
        }
        let huge = (given.expose_provenance() + FIRST).next_multiple_of(HUGE_PAGE);
        let start = huge - FIRST;
        // SAFETY: inside the mapping; advice changes no contents, and that it is not followed changes nothing.
        unsafe {
            libc::madvise(ptr::with_exposed_provenance_mut(start), FIRST, libc::MADV_POPULATE_WRITE);
            libc::madvise(ptr::with_exposed_provenance_mut(huge), HUGE, libc::MADV_HUGEPAGE);
        }
        START.store(start, Ordering::Relaxed);
        OWN.with(|it| {
            it.next.set(start);
            it.end.set(start + RANGE);
        });
    }
}

impl Own {
    /// Room for a class, and whether it is zero. Null if the range is not this thread's, or is used up.
    #[inline]
    fn take(&self, class: usize) -> (*mut u8, bool) {
        let first = self.free[class].get();
        if !first.is_null() {
            // SAFETY: the list holds free allocations of at least 16 bytes of the range.
            self.free[class].set(unsafe { first.cast::<*mut u8>().read() });
            return (first, false);
        }
        self.take_new(class)
    }

    fn take_new(&self, class: usize) -> (*mut u8, bool) {
        let (next, bytes) = (self.next.get(), BYTES[class]);
        if next == 0 {
            return (ptr::null_mut(), false);
        }
        if !FREED_ELSEWHERE.load(Ordering::Relaxed).is_null() {
            self.reclaim_remote_frees();
            if !self.free[class].get().is_null() {
                return self.take(class);
            }
        }
        if self.end.get() - next < bytes {
            return (ptr::null_mut(), false);
        }
        self.next.set(next + bytes);
        (ptr::with_exposed_provenance_mut(next), true)
    }

    #[inline]
    fn put(&self, address: *mut u8, class: usize) {
        // SAFETY: an allocation of the range without an owner, of at least 16 bytes.
        unsafe { address.cast::<*mut u8>().write(self.free[class].get()) };
        self.free[class].set(address);
    }

    /// Reclaims the blocks that other threads have freed.
    #[cold]
    fn reclaim_remote_frees(&self) {
        let mut at = FREED_ELSEWHERE.swap(ptr::null_mut(), Ordering::Acquire);
        while !at.is_null() {
            // SAFETY: `free_elsewhere` wrote both words, and the list is this thread's now.
            let [next, class] = unsafe { at.read() };
            self.put(at.cast(), class);
            at = ptr::with_exposed_provenance_mut(next);
        }
    }
}

/// Leaves an allocation of the range to its owner.
#[cold]
fn free_elsewhere(address: *mut u8, class: usize) {
    let node = address.cast::<[usize; 2]>();
    let mut first = FREED_ELSEWHERE.load(Ordering::Relaxed);
    loop {
        // SAFETY: an allocation without an owner, of at least 16 bytes and aligned to 16.
        unsafe { node.write([first.expose_provenance(), class]) };
        match FREED_ELSEWHERE.compare_exchange_weak(first, node, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return,
            Err(now) => first = now,
        }
    }
}

// SAFETY: what is handed out is either the system's, or bytes of the range without another owner, as many as the class of
// the layout says and so aligned; what is taken back is told apart by its address, which no system allocation shares.
unsafe impl GlobalAlloc for ProcessAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some(class) = class(&layout) {
            let (address, _) = OWN.with(|it| it.take(class));
            if !address.is_null() {
                return address;
            }
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if let Some(class) = class(&layout) {
            let (address, zero) = OWN.with(|it| it.take(class));
            if !address.is_null() {
                if !zero {
                    // SAFETY: at least as many bytes were handed out just now.
                    unsafe { address.write_bytes(0, layout.size()) };
                }
                return address;
            }
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        if !in_range(address) {
            // SAFETY: not of the range, so the system's; the caller's promise.
            return unsafe { System.dealloc(address, layout) };
        }
        let class = class_of(layout.size());
        OWN.with(
            |it| if it.next.get() == 0 { free_elsewhere(address, class) } else { it.put(address, class) },
        );
    }

    #[inline]
    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !in_range(address) {
            // SAFETY: not of the range, so the system's; the caller's promise.
            return unsafe { System.realloc(address, layout, size) };
        }
        if size <= LARGEST && class_of(size) == class_of(layout.size()) {
            return address;
        }
        // SAFETY: the size is not zero and, rounded up to the alignment, no overflow: the caller's promise.
        let room = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !room.is_null() {
            // SAFETY: both are as large as what is copied, and apart; the old one is freed once.
            unsafe {
                ptr::copy_nonoverlapping(address, room, layout.size().min(size));
                self.dealloc(address, layout);
            }
        }
        room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every size has a class that is large enough, aligned, and not much larger than it.
    #[test]
    fn classes_hold_their_sizes() {
        for size in 1..=LARGEST {
            let bytes = BYTES[class_of(size)];
            assert!(bytes >= size && bytes.is_multiple_of(GRAIN), "{size} bytes in {bytes}");
            assert!(bytes < size + GRAIN || bytes * 4 <= size * 5 + 4, "{size} bytes in {bytes}");
            assert!(size == 1 || class_of(size - 1) <= class_of(size));
        }
        assert_eq!(BYTES[CLASSES - 1], LARGEST);
    }

    /// Blocks that one thread allocates and others free come back to it; a block reused and asked for as zero is zero, and
    /// growing keeps the contents. Sizes and lifetimes are those of a random program.
    #[test]
    fn allocations_are_apart_and_keep_their_contents() {
        ProcessAllocator::adopt();
        let allocator = ProcessAllocator;
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        let mut held: Vec<(usize, Layout, u8)> = Vec::new();
        let check = |&(at, layout, mark): &(usize, Layout, u8)| {
            // SAFETY: allocated below with this layout, every byte written.
            let bytes =
                unsafe { std::slice::from_raw_parts(ptr::with_exposed_provenance::<u8>(at), layout.size()) };
            assert!(bytes.iter().all(|it| *it == mark), "the contents changed");
        };
        for round in 0..20_000 {
            let size = if random(10) == 0 { 1 + random(80_000) } else { 1 + random(600) };
            let mark = round as u8;
            let layout = Layout::from_size_align(size, 1 << random(5)).unwrap();
            // SAFETY: the layouts are of some size; what is freed is forgotten.
            unsafe {
                match random(4) {
                    0 if !held.is_empty() => {
                        let one = held.swap_remove(random(held.len()));
                        check(&one);
                        let free =
                            move || ProcessAllocator.dealloc(ptr::with_exposed_provenance_mut(one.0), one.1);
                        if round % 64 == 0 { std::thread::spawn(free).join().unwrap() } else { free() }
                    }
                    1 if !held.is_empty() => {
                        let (at, old, before) = held.swap_remove(random(held.len()));
                        let moved = allocator.realloc(ptr::with_exposed_provenance_mut(at), old, size);
                        let kept = std::slice::from_raw_parts(moved, size.min(old.size()));
                        assert!(kept.iter().all(|it| *it == before), "growing lost contents");
                        moved.write_bytes(mark, size);
                        let layout = Layout::from_size_align(size, old.align()).unwrap();
                        held.push((moved.expose_provenance(), layout, mark));
                    }
                    zeroed => {
                        let room = if zeroed == 2 {
                            allocator.alloc_zeroed(layout)
                        } else {
                            allocator.alloc(layout)
                        };
                        assert!(room.addr().is_multiple_of(layout.align()));
                        let bytes = std::slice::from_raw_parts_mut(room, size);
                        assert!(zeroed != 2 || bytes.iter().all(|it| *it == 0), "{size} bytes are not zero");
                        bytes.fill(mark);
                        held.push((room.expose_provenance(), layout, mark));
                    }
                }
            }
        }
        held.iter().for_each(check);
        held.sort_unstable_by_key(|it| it.0);
        assert!(held.windows(2).all(|pair| pair[0].0 + pair[0].1.size() <= pair[1].0));
    }
}
