//! Where objects lie: cells of [chunks](crate::chunk), and single allocations for large ones. Nothing ever moves, so an
//! address is an identity.
//!
//! Every object has a header of 8 bytes just before its data: the type's number and [flags](self). Data is
//! aligned to 16 bytes, the elements of a large `Memory` to 64.

use crate::allocator::Allocator;
use crate::cells::{HEADER, class_of};
use crate::chunk::{self, CHUNK};
use crate::chunks::Chunks;
use crate::large::{Large, Room};
use std::collections::BTreeMap;

/// Set in every header, so that none is zero.
pub const LIVE: u32 = 1;
/// A large object that the running collection has reached, or that was made since it began.
const MARK: u32 = 2;
/// A table keeps it for ever.
pub const PERMANENT: u32 = 4;
/// The box of a value that registers hold inline; its data is one word.
pub const INLINE: u32 = 8;
/// There is an `ObjectHandle` for it.
pub const HANDLE: u32 = 16;
/// An immutable value that no object has referred to yet: compiled code holds it in registers, so it is not counted.
pub const UNCOUNTED: u32 = 32;
/// It is no cell of a chunk.
const LARGE: u32 = 64;

/// From the start of a large allocation to its data: the elements of a `Memory`, 16 bytes on, are then
/// aligned to 256, as copies of them on devices are, too.
const LARGE_LEAD: u64 = 240;

/// Reads memory of the heap.
///
/// # Safety
/// `address` must be readable for a `T`, whose every bit pattern must be valid.
#[inline]
pub unsafe fn load<T: Copy>(address: u64) -> T {
    // SAFETY: the caller's promise; no alignment is assumed.
    unsafe { std::ptr::with_exposed_provenance::<T>(address as usize).read_unaligned() }
}

/// Writes memory of the heap.
///
/// # Safety
/// `address` must be writable for a `T`.
#[inline]
pub unsafe fn store<T: Copy>(address: u64, value: T) {
    // SAFETY: the caller's promise; no alignment is assumed.
    unsafe { std::ptr::with_exposed_provenance_mut::<T>(address as usize).write_unaligned(value) }
}

/// Copies `len` bytes; the ranges may overlap.
///
/// # Safety
/// `from` must be readable and `to` writable for `len` bytes.
#[inline]
pub unsafe fn copy(from: u64, to: u64, len: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        std::ptr::copy(
            std::ptr::with_exposed_provenance::<u8>(from as usize),
            std::ptr::with_exposed_provenance_mut::<u8>(to as usize),
            len,
        );
    }
}

/// Returns the bytes at an address.
///
/// # Safety
/// `len` bytes must be readable, and stay unchanged while the slice lives.
#[inline]
pub unsafe fn bytes<'a>(address: u64, len: usize) -> &'a [u8] {
    if len == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance::<u8>(address as usize), len) }
}

/// The type number and the flags of an object.
///
/// # Safety
/// `address` must be the data of an object or cell of a heap.
#[inline]
pub unsafe fn header(address: u64) -> (u32, u32) {
    // SAFETY: the header lies just before the data.
    let word = unsafe { load::<u64>(address - HEADER) };
    (word as u32, (word >> 32) as u32)
}

/// Sets the header.
///
/// # Safety
/// `address` must be the data of an object or cell of a heap.
#[inline]
pub unsafe fn set_header(address: u64, ty: u32, flags: u32) {
    // SAFETY: the header lies just before the data.
    unsafe { store::<u64>(address - HEADER, u64::from(ty) | (u64::from(flags) << 32)) }
}

/// The allocations of a heap. They are those that compiled code makes too: an immutable value counts when an object first refers
/// to it, since the interpreter alone has it in the heap before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeapStats {
    /// Bytes of objects not freed yet, headers included.
    pub live_bytes: u64,
    /// Bytes of the objects counted.
    pub allocated_bytes: u64,
    /// The number of counted objects.
    pub allocations: u64,
    /// Collections run.
    pub collections: u64,
}

/// A range of addresses that only grows.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: u64,
    high: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { low: u64::MAX, high: 0 }
    }
}

impl Bounds {
    fn include(&mut self, low: u64, high: u64) {
        *self = Self { low: self.low.min(low), high: self.high.max(high) };
    }
}

/// The bytes that objects take, and those that were given to allocators since.
#[derive(Debug, Default)]
struct Growth {
    /// Bytes that the last collection left.
    live: u64,
    /// Those of them that there were when it began.
    live_at_start: u64,
    /// Bytes given to allocators since it began.
    given: u64,
    /// Bytes of cells among them that were given since it ended.
    given_as_cells: u64,
    /// Bytes given before the running collection began.
    given_at_start: u64,
    /// Bytes that may be given before the next collection ends.
    allowance: u64,
}

/// All chunks and large objects of one heap.
#[derive(Debug, Default)]
pub struct ObjectSpace {
    chunks: Chunks,
    /// By the address of their data.
    large: BTreeMap<u64, Large>,
    room: Room,
    /// All objects have lain between these addresses.
    bounds: Bounds,
    growth: Growth,
    collections: u64,
    /// A collection runs: cells that are given out are marked.
    is_marking: bool,
}

impl ObjectSpace {
    /// Its part of the heap's counts: allocators add theirs.
    pub fn stats(&self) -> HeapStats {
        HeapStats { live_bytes: self.growth.live, collections: self.collections, ..HeapStats::default() }
    }

    /// Bytes that the last collection found when it began and left, and bytes given to allocators since it began.
    pub fn growth(&self) -> (u64, u64) {
        (self.growth.live_at_start, self.growth.given)
    }

    /// A new object with zeroed data of `size` bytes; the address of its data. `None` when memory is exhausted.
    pub fn alloc(&mut self, by: &mut Allocator, ty: u32, flags: u32, size: u64) -> Option<u64> {
        let Some(class) = class_of(size) else { return self.alloc_large(by, ty, flags, size) };
        loop {
            if let Some(address) = by.alloc(class, ty, flags) {
                return Some(address);
            }
            let bounds = &mut self.bounds;
            let bytes = self
                .chunks
                .refill(class, by, self.is_marking, |start| bounds.include(start, start + CHUNK))?;
            self.growth.given += bytes;
            self.growth.given_as_cells += bytes;
        }
    }

    fn alloc_large(&mut self, by: &mut Allocator, ty: u32, flags: u32, size: u64) -> Option<u64> {
        let bytes = size.checked_add(LARGE_LEAD)?;
        self.growth.given += bytes;
        // Empty chunks are for bytes that are not given yet.
        self.chunks.limit_empty(self.growth.allowance.saturating_sub(self.growth.given) / CHUNK);
        let Some(large) = self.room.allocate(bytes).or_else(|| self.without_empty_chunks(bytes)) else {
            self.growth.given -= bytes;
            return None;
        };
        let address = large.start + LARGE_LEAD;
        by.count_large(large.bytes, flags);
        self.bounds.include(large.start, large.start + large.bytes);
        self.large.insert(address, large);
        let mark = if self.is_marking { MARK } else { 0 };
        // SAFETY: a fresh large object.
        unsafe { set_header(address, ty, flags | LIVE | LARGE | mark) };
        Some(address)
    }

    /// A large allocation in the place of empty chunks.
    #[cold]
    fn without_empty_chunks(&mut self, bytes: u64) -> Option<Large> {
        self.chunks.release_empty(0);
        self.room.allocate(bytes)
    }

    /// Whether the system has no memory and there is no reserve.
    pub fn is_exhausted(&mut self) -> bool {
        self.chunks.reserve.is_exhausted()
    }

    /// Whether the program was told of it.
    pub fn was_told(&self) -> bool {
        self.chunks.reserve.was_told()
    }

    /// Whether that is so and the program was not told yet.
    pub fn tells_exhaustion(&mut self) -> bool {
        self.chunks.reserve.tells_exhaustion()
    }

    /// The object that this address is in: the address of its data, and their length, up to which it may be filled.
    pub fn extent(&self, address: u64) -> Option<(u64, u64)> {
        // Most words of stacks are no addresses of objects.
        if address < self.bounds.low || address >= self.bounds.high {
            return None;
        }
        if let Some(chunk) = self.chunks.at(address) {
            return chunk.cell_at(address);
        }
        let (data, large) = self.large.range(..=address).next_back()?;
        (address < large.start + large.bytes).then_some((*data, large.bytes - LARGE_LEAD))
    }

    /// Begins a collection: nothing is marked but what the allocators have to themselves and have not used.
    pub fn begin_marking(&mut self, allocators: &mut [&mut Allocator]) {
        self.is_marking = true;
        self.growth.given_at_start = self.growth.given;
        self.chunks.begin_marking(allocators);
    }

    /// Ends a collection: frees every object that is not marked. With `poisons` their memory is overwritten, so that tests notice
    /// when one is used.
    /// `allowance` says how many bytes may be given before the next collection ends, when so many are live.
    pub fn free_unmarked(
        &mut self,
        allocators: &mut [&mut Allocator],
        allowance: impl FnOnce(u64) -> u64,
        poisons: bool,
    ) {
        if poisons {
            self.chunks.poison_unmarked();
        }
        self.is_marking = false;
        self.collections += 1;
        let mut live = self.chunks.keep_marked();
        for allocator in allocators {
            // Cells that were not used are marked, but are no objects.
            live -= allocator.after_collection().min(live);
        }
        self.large.retain(|address, it| {
            // SAFETY: large objects are live until they are removed here.
            let (ty, flags) = unsafe { header(*address) };
            if flags & MARK == 0 {
                return false;
            }
            // SAFETY: as above.
            unsafe { set_header(*address, ty, flags & !MARK) };
            live += it.bytes;
            true
        });
        let growth = &mut self.growth;
        // What was made meanwhile is garbage for the most part: it counts as growth.
        growth.given = growth.given.saturating_sub(growth.given_at_start);
        growth.live = live;
        growth.live_at_start = live.saturating_sub(growth.given);
        // As many cells are likely to be given before the next collection ends.
        growth.allowance = allowance(growth.live_at_start);
        let wanted = std::mem::take(&mut growth.given_as_cells);
        self.chunks.release_empty((wanted.min(growth.allowance) / CHUNK).max(1));
    }
}

/// Marks an object. Returns whether it was not marked.
///
/// # Safety
/// `address` must be the data of an object, and no other thread may mark, collect or write its header.
#[inline]
pub unsafe fn mark(address: u64) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let (ty, flags) = header(address);
        if flags & LARGE == 0 {
            return chunk::mark(address);
        }
        set_header(address, ty, flags | MARK);
        flags & MARK == 0
    }
}

/// Whether an object is marked.
///
/// # Safety
/// As for [`mark`].
pub unsafe fn is_marked(address: u64) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let (_, flags) = header(address);
        if flags & LARGE == 0 { chunk::is_marked(address) } else { flags & MARK != 0 }
    }
}

/// Has the processor fetch an object's header and the beginning of its data.
#[inline]
pub fn prefetch(address: u64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, for any address.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::with_exposed_provenance(address.wrapping_sub(HEADER) as usize));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Reads a word of a stack, which may be one that a sanitizer says holds nothing.
///
/// # Safety
/// `address` must be readable, and aligned to 8 bytes.
#[inline]
pub(crate) unsafe fn load_unchecked(address: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's promise.
    unsafe {
        let word;
        core::arch::asm!("mov {0}, [{1}]", out(reg) word, in(reg) address, options(nostack, preserves_flags, readonly));
        word
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: the caller's promise.
    unsafe {
        load(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(space: &mut ObjectSpace, own: &mut Allocator, kept: &[u64]) {
        space.begin_marking(&mut [own]);
        for it in kept {
            // SAFETY: live objects of this space.
            unsafe { mark(*it) };
        }
        space.free_unmarked(&mut [own], |_| 0, false);
    }

    fn live(space: &ObjectSpace, own: &Allocator) -> u64 {
        let mut stats = space.stats();
        own.counts().add_to(&mut stats);
        stats.live_bytes
    }

    /// What is not marked is freed, handed out again, and zero when it is.
    #[test]
    fn the_unmarked_are_freed() {
        let (mut space, mut own) = (ObjectSpace::default(), Allocator::default());
        let all: Vec<u64> = (0..2 * BLOCK_CELLS).map(|_| space.alloc(&mut own, 1, 0, 24).unwrap()).collect();
        let large = space.alloc(&mut own, 1, 0, 1 << 20).unwrap();
        for it in &all {
            // SAFETY: a live object of 24 bytes.
            unsafe { (store(*it, u64::MAX), store(*it + 16, u64::MAX)) };
        }
        assert_eq!(space.extent(large + 77), Some((large, 1 << 20)));
        let (kept, freed): (Vec<u64>, Vec<u64>) = all.iter().partition(|it| *it % 3 == 0);
        assert_eq!(space.extent(freed[7] + 20), Some((freed[7], 24)));
        collect(&mut space, &mut own, &kept);
        assert_eq!(live(&space, &own), 32 * kept.len() as u64);
        assert!(freed.iter().all(|it| space.extent(*it).is_none()));
        assert_eq!(space.extent(large), None);
        assert!(kept.iter().all(|it| space.extent(*it + 23) == Some((*it, 24))));
        let again: Vec<u64> =
            (0..4 * BLOCK_CELLS).map(|_| space.alloc(&mut own, 2, 0, 20).unwrap()).collect();
        assert!(freed.iter().filter(|it| again.contains(it)).count() > freed.len() / 2);
        for it in again {
            // SAFETY: a live object of 24 bytes.
            assert_eq!(unsafe { (load::<u64>(it), load::<u64>(it + 16)) }, (0, 0));
        }
        // SAFETY: it was marked.
        assert_eq!(unsafe { header(kept[0]) }, (1, LIVE));
    }

    const BLOCK_CELLS: u64 = crate::chunk::BLOCK / 32;

    /// Memory does not grow while nothing is kept, and empty chunks go back to the system.
    #[test]
    fn memory_is_used_again() {
        let (mut space, mut own) = (ObjectSpace::default(), Allocator::default());
        for round in 0..4 {
            for _ in 0..300_000 {
                space.alloc(&mut own, 1, 0, 40).unwrap();
            }
            let chunks = space.chunks.count();
            assert!(chunks <= 5, "{chunks} chunks in round {round}");
            collect(&mut space, &mut own, &[]);
            assert_eq!(live(&space, &own), 0);
            assert!(space.chunks.count() <= 2);
        }
    }

    /// An object that is made while a collection runs is kept by it, whether its cells were given out before or not.
    #[test]
    fn what_is_made_meanwhile_is_kept() {
        for before in [0, 1, 500, BLOCK_CELLS - 2] {
            let (mut space, mut own) = (ObjectSpace::default(), Allocator::default());
            let old: Vec<u64> = (0..before).map(|_| space.alloc(&mut own, 1, 0, 24).unwrap()).collect();
            space.begin_marking(&mut [&mut own]);
            let new: Vec<u64> = (0..BLOCK_CELLS).map(|_| space.alloc(&mut own, 1, 0, 24).unwrap()).collect();
            let large = space.alloc(&mut own, 1, 0, 5000).unwrap();
            space.free_unmarked(&mut [&mut own], |_| 0, true);
            assert!(old.iter().all(|it| space.extent(*it).is_none()));
            assert!(new.iter().all(|it| space.extent(*it) == Some((*it, 24))));
            assert!(space.extent(large).is_some());
        }
    }
}
