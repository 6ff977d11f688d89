//! Where objects lie: cells of [chunks](crate::chunk), and single allocations for large ones. Nothing ever moves, so an
//! address is an identity.
//!
//! Every object has a header of 8 bytes just before its data: the type's number and [flags](self). Data is
//! aligned to 16 bytes, the elements of a large `Memory` to 64.

use crate::allocator::Allocator;
use crate::cells::{CELLS, HEADER, class_of};
use crate::chunk::{self, BlockId, CHUNK, Chunk, Occupancy};
use crate::large::{Large, Room};
use rustc_hash::FxHashMap;
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

/// All chunks and large objects of one heap.
#[derive(Debug, Default)]
pub struct ObjectSpace {
    chunks: Vec<Option<Chunk>>,
    /// The index of a chunk by its address.
    by_address: FxHashMap<u64, u32>,
    /// Blocks of each class that have room, the fullest last.
    partial: [Vec<BlockId>; CELLS.len()],
    free: Vec<BlockId>,
    /// Memory to go on with for a moment when the system has no more.
    reserve: Option<Chunk>,
    /// The reserve is in use.
    is_exhausted: bool,
    /// The program has been told.
    was_told: bool,
    /// By the address of their data.
    large: BTreeMap<u64, Large>,
    room: Room,
    /// All objects have lain between these addresses.
    bounds: Bounds,
    /// Bytes that the last collection left.
    live_bytes: u64,
    /// Those of them that there were when it began.
    live_at_start: u64,
    /// Bytes given to allocators since it began.
    given_bytes: u64,
    /// Bytes of cells among them that were given since it ended.
    given_as_cells: u64,
    /// Bytes that may be given before the next collection ends.
    allowance: u64,
    /// Empty chunks, at most.
    empty_chunks: u64,
    /// Bytes given before the running collection began.
    given_at_start: u64,
    collections: u64,
    /// A collection runs: cells that are given out are marked.
    is_marking: bool,
}

impl ObjectSpace {
    /// Its part of the heap's counts: allocators add theirs.
    pub fn stats(&self) -> HeapStats {
        HeapStats { live_bytes: self.live_bytes, collections: self.collections, ..HeapStats::default() }
    }

    /// Bytes that the last collection found when it began and left, and bytes given to allocators since it began.
    pub fn growth(&self) -> (u64, u64) {
        (self.live_at_start, self.given_bytes)
    }

    /// A new object with zeroed data of `size` bytes; the address of its data. `None` when memory is exhausted.
    pub fn alloc(&mut self, by: &mut Allocator, ty: u32, flags: u32, size: u64) -> Option<u64> {
        let Some(class) = class_of(size) else { return self.alloc_large(by, ty, flags, size) };
        loop {
            if let Some(address) = by.alloc(class, ty, flags) {
                return Some(address);
            }
            self.refill(class, by)?;
        }
    }

    fn alloc_large(&mut self, by: &mut Allocator, ty: u32, flags: u32, size: u64) -> Option<u64> {
        let bytes = size.checked_add(LARGE_LEAD)?;
        self.given_bytes += bytes;
        // Empty chunks are for bytes that are not given yet.
        let left = self.allowance.saturating_sub(self.given_bytes) / CHUNK;
        if self.empty_chunks > left {
            self.release_chunks(left);
        }
        let Some(large) = self.new_large(bytes).or_else(|| self.without_empty_chunks(bytes)) else {
            self.given_bytes -= bytes;
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
        self.release_chunks(0);
        self.new_large(bytes)
    }

    fn new_large(&mut self, bytes: u64) -> Option<Large> {
        if self.room.is_left(bytes) { Large::new(bytes) } else { None }
    }

    /// Gives an allocator another run.
    #[cold]
    fn refill(&mut self, class: usize, to: &mut Allocator) -> Option<()> {
        loop {
            if let Some((id, from)) = to.next(class) {
                let chunk = self.chunks[id.chunk as usize].as_mut()?;
                if let Some((run, next)) = chunk.take_run(id.block, from, self.is_marking) {
                    self.given_bytes += run.end - run.cursor;
                    self.given_as_cells += run.end - run.cursor;
                    to.set_run(class, run);
                    to.set_next(class, Some((id, next)));
                    return Some(());
                }
            }
            let id = match self.partial[class].pop() {
                Some(id) => id,
                None => self.free_block(class)?,
            };
            to.set_next(class, Some((id, 0)));
        }
    }

    /// A block without objects, for a class.
    fn free_block(&mut self, class: usize) -> Option<BlockId> {
        if self.free.is_empty() {
            let chunk = self.new_chunk()?;
            let vacant = self.chunks.iter().position(Option::is_none);
            let index = vacant.unwrap_or(self.chunks.len());
            self.by_address.insert(chunk.start() / CHUNK, index as u32);
            self.bounds.include(chunk.start(), chunk.start() + CHUNK);
            let slot = Some(chunk);
            match vacant {
                Some(index) => self.chunks[index] = slot,
                None => self.chunks.push(slot),
            }
            // The first is taken first.
            self.free.extend(Chunk::blocks().rev().map(|block| BlockId { chunk: index as u32, block }));
        }
        let id = self.free.pop()?;
        self.chunks[id.chunk as usize].as_mut()?.claim(id.block, class);
        Some(id)
    }

    fn new_chunk(&mut self) -> Option<Chunk> {
        if let Some(chunk) = Chunk::map() {
            if self.reserve.is_none() {
                self.reserve = Chunk::map();
            }
            return Some(chunk);
        }
        self.is_exhausted = true;
        self.reserve.take()
    }

    /// Whether the system has no memory and there is no reserve.
    pub fn is_exhausted(&mut self) -> bool {
        if self.is_exhausted {
            self.reserve = self.reserve.take().or_else(Chunk::map);
            self.is_exhausted = self.reserve.is_none();
            self.was_told &= self.is_exhausted;
        }
        self.is_exhausted
    }

    /// Whether the program was told of it.
    pub fn was_told(&self) -> bool {
        self.was_told
    }

    /// Whether that is so and the program was not told yet.
    pub fn tells_exhaustion(&mut self) -> bool {
        self.is_exhausted() && !std::mem::replace(&mut self.was_told, true)
    }

    /// The object that this address is in: the address of its data, and their length, up to which it may be filled.
    pub fn extent(&self, address: u64) -> Option<(u64, u64)> {
        // Most words of stacks are no addresses of objects.
        if address < self.bounds.low || address >= self.bounds.high {
            return None;
        }
        if let Some(index) = self.by_address.get(&(address / CHUNK)) {
            return self.chunks[*index as usize].as_ref()?.cell_at(address);
        }
        let (data, large) = self.large.range(..=address).next_back()?;
        (address < large.start + large.bytes).then_some((*data, large.bytes - LARGE_LEAD))
    }

    /// Begins a collection: nothing is marked but what the allocators have to themselves and have not used.
    pub fn begin_marking(&mut self, allocators: &mut [&mut Allocator]) {
        self.is_marking = true;
        self.given_at_start = self.given_bytes;
        self.chunks.iter_mut().flatten().for_each(Chunk::clear_marks);
        for allocator in allocators {
            for (class, cell) in CELLS.iter().enumerate() {
                let run = allocator.run(class);
                if run.cursor < run.end
                    && let Some(index) = self.by_address.get(&(run.cursor / CHUNK))
                    && let Some(chunk) = self.chunks[*index as usize].as_mut()
                {
                    chunk.mark_run(run, *cell);
                }
            }
        }
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
            self.chunks.iter_mut().flatten().for_each(Chunk::poison_unmarked);
        }
        self.is_marking = false;
        self.collections += 1;
        let mut live = 0;
        self.partial.iter_mut().for_each(Vec::clear);
        for (index, slot) in self.chunks.iter_mut().enumerate() {
            let Some(chunk) = slot else { continue };
            let partial = &mut self.partial;
            chunk.keep_marked(|block, occupancy, bytes| {
                live += bytes;
                if let Occupancy::Partial(class) = occupancy {
                    partial[usize::from(class)].push(BlockId { chunk: index as u32, block });
                }
            });
        }
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
        // What was made meanwhile is garbage for the most part: it counts as growth.
        self.given_bytes = self.given_bytes.saturating_sub(self.given_at_start);
        self.live_bytes = live;
        self.live_at_start = live.saturating_sub(self.given_bytes);
        // As many cells are likely to be given before the next collection ends.
        self.allowance = allowance(self.live_at_start);
        let wanted = std::mem::take(&mut self.given_as_cells);
        self.release_chunks((wanted.min(self.allowance) / CHUNK).max(1));
    }

    /// Gives empty chunks back to the system, but so many: the next objects need them.
    fn release_chunks(&mut self, kept: u64) {
        self.free.clear();
        self.empty_chunks = kept;
        let mut left = kept;
        for (index, slot) in self.chunks.iter_mut().enumerate() {
            let Some(chunk) = slot else { continue };
            if chunk.is_free() {
                if left == 0 {
                    self.by_address.remove(&(chunk.start() / CHUNK));
                    *slot = None;
                    continue;
                }
                left -= 1;
            }
            self.free.extend(chunk.free_blocks().map(|block| BlockId { chunk: index as u32, block }));
        }
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
            let chunks = space.chunks.iter().flatten().count();
            assert!(chunks <= 5, "{chunks} chunks in round {round}");
            collect(&mut space, &mut own, &[]);
            assert_eq!(live(&space, &own), 0);
            assert!(space.chunks.iter().flatten().count() <= 2);
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
