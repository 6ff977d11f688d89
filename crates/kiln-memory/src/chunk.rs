//! Chunks: 4 MiB of memory, aligned, in blocks of 32 KiB. A block has cells of one size.
//!
//! A chunk begins with two bitmaps of one bit for 16 bytes: bit `n` stands for the cell whose data begin `16 * n` bytes
//! after the chunk. They take the place of the first two blocks.
//!
//! * *taken*: the cell was given to an allocator. It holds an object once its header is not zero. The bits of the other 16 bytes of
//!   the cell may be set too.
//! * *marked*: the running collection has reached the cell, or its object was made since the collection began. At its end
//!   the marked cells are the taken ones.
//!
//! A free cell is not in a list: an allocator takes the next run of cells that are not taken. So nothing is written to
//! the objects that a collection does not reach, and it does not visit them.

use crate::cells::{CELLS, HEADER};
use crate::space::load;
use std::ops::Range;
use std::ptr;

/// Bytes of a chunk, and its alignment.
pub(super) const CHUNK: u64 = 4 << 20;
/// Bytes of a block.
pub(super) const BLOCK: u64 = 32 << 10;
/// Blocks of a chunk, its bitmaps included.
const BLOCKS: usize = (CHUNK / BLOCK) as usize;
/// Blocks that the bitmaps take.
const RESERVED: usize = 2;
/// Bytes of a bitmap.
const BITMAP: u64 = CHUNK / 16 / 8;
/// Words of a bitmap that stand for one block.
const WORDS: usize = (BLOCK / 16 / 64) as usize;
/// The bytes of freed cells, under stress.
const POISON: u8 = 0xdb;
/// The class of a block without cells.
const FREE: u8 = u8::MAX;

const _: () = assert!(2 * BITMAP == RESERVED as u64 * BLOCK);

/// Which of the two bitmaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bitmap {
    Taken,
    Marked,
}

/// The word and the bit of a cell.
#[inline]
fn bit_of(bitmap: Bitmap, address: u64) -> (*mut u64, u64) {
    let index = address % CHUNK / 16;
    let start = address - address % CHUNK + if bitmap == Bitmap::Marked { BITMAP } else { 0 };
    (ptr::with_exposed_provenance_mut((start + index / 64 * 8) as usize), 1 << (index % 64))
}

/// Marks the cell with this address. Returns whether it was not marked.
///
/// # Safety
/// `address` must be the data of a cell of a chunk, and no other thread may mark or collect.
#[inline]
pub(super) unsafe fn mark(address: u64) -> bool {
    let (word, bit) = bit_of(Bitmap::Marked, address);
    // SAFETY: the bitmaps of the cell's chunk are mapped; the caller's promise.
    unsafe {
        let old = *word;
        *word = old | bit;
        old & bit == 0
    }
}

/// Whether the cell with this address is marked.
///
/// # Safety
/// As for [`mark`].
#[inline]
pub(super) unsafe fn is_marked(address: u64) -> bool {
    let (word, bit) = bit_of(Bitmap::Marked, address);
    // SAFETY: as in `mark`.
    unsafe { *word & bit != 0 }
}

/// The first bit that is set at or behind a bit.
fn next_set(words: &[u64; WORDS], from: u64) -> Option<u64> {
    let first = (from / 64) as usize;
    let mut mask = u64::MAX << (from % 64);
    words.iter().enumerate().skip(first).find_map(|(at, word)| {
        let rest = word & std::mem::replace(&mut mask, u64::MAX);
        (rest != 0).then(|| 64 * at as u64 + u64::from(rest.trailing_zeros()))
    })
}

/// Sets bits.
fn set(words: &mut [u64; WORDS], bits: Range<u64>) {
    for at in bits.start / 64..bits.end.div_ceil(64) {
        let (first, end) = (bits.start.max(64 * at), bits.end.min(64 * at + 64));
        words[at as usize] |= u64::MAX >> (64 - (end - first)) << (first % 64);
    }
}

/// A block of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockId {
    /// The chunk, as the space numbers it.
    pub(super) chunk: u32,
    /// The block in it.
    pub(super) block: u8,
}

/// Cells one after the other that an allocator has to itself: the data of the first, and where the data of the cell
/// after the last would begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    /// Data of the next cell.
    pub(super) cursor: u64,
    /// Where the next cell would be that does not belong to the run.
    pub(super) end: u64,
}

/// The room that a collection left in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occupancy {
    /// No object.
    Empty,
    /// Room for more objects.
    Partial(u8),
    /// Too little room to search for.
    Full,
}

/// The mapping of one chunk, and the classes of its blocks.
#[derive(Debug)]
pub(super) struct Chunk {
    start: u64,
    /// The class of each block.
    classes: [u8; BLOCKS],
    /// Whether the memory of a block is as the system gave it: zero.
    is_clean: [bool; BLOCKS],
    /// Whether a mark may be set.
    has_marks: bool,
}

impl Chunk {
    /// Maps a chunk. `None` when the system has no memory.
    pub(super) fn map() -> Option<Self> {
        let (protection, flags) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
        );
        let len = 2 * CHUNK as usize;
        // SAFETY: a fresh mapping at an address that the system chooses.
        let given = unsafe { libc::mmap(ptr::null_mut(), len, protection, flags, -1, 0) };
        if given == libc::MAP_FAILED {
            return None;
        }
        let first = given.expose_provenance() as u64;
        let start = first.next_multiple_of(CHUNK);
        let unmap = |from: u64, to: u64| {
            if to > from {
                // SAFETY: a part of the mapping outside of the chunk.
                unsafe {
                    libc::munmap(ptr::with_exposed_provenance_mut(from as usize), (to - from) as usize)
                };
            }
        };
        unmap(first, start);
        unmap(start + CHUNK, first + len as u64);
        Some(Self { start, classes: [FREE; BLOCKS], is_clean: [true; BLOCKS], has_marks: false })
    }

    /// Asks the system for pages so large that the chunk has few of them: it touches them all soon.
    pub(super) fn use_huge_pages(&self) {
        let start = ptr::with_exposed_provenance_mut(self.start as usize);
        // SAFETY: the mapping of this chunk; advice changes no contents, and that it is not followed changes nothing.
        unsafe { libc::madvise(start, CHUNK as usize, libc::MADV_HUGEPAGE) };
    }

    /// The first byte.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// The blocks that cells can be in.
    pub(super) fn blocks() -> std::ops::Range<u8> {
        RESERVED as u8..BLOCKS as u8
    }

    /// Uses a free block for cells of a class.
    pub(super) fn claim(&mut self, block: u8, class: usize) {
        debug_assert_eq!(self.classes[usize::from(block)], FREE);
        self.classes[usize::from(block)] = class as u8;
    }

    /// Data of the first cell of a block.
    fn first(&self, block: u8) -> u64 {
        self.start + u64::from(block) * BLOCK + 2 * HEADER
    }

    fn words(&mut self, bitmap: Bitmap, block: u8) -> &mut [u64; WORDS] {
        let (word, _) = bit_of(bitmap, self.start + u64::from(block) * BLOCK);
        // SAFETY: the words of the bitmap of this chunk that stand for this block.
        unsafe { &mut *word.cast::<[u64; WORDS]>() }
    }

    /// Takes the next run of free cells at or behind `from`, an index of a cell, and clears it. Returns it and the
    /// index behind it.
    pub(super) fn take_run(&mut self, block: u8, from: u32, marks: bool) -> Option<(Run, u32)> {
        let cell = CELLS[usize::from(self.classes[usize::from(block)])];
        let count = ((BLOCK - HEADER) / cell) as u32;
        let first = self.first(block);
        let (begin, end) = {
            let taken = self.words(Bitmap::Taken, block);
            // The first cell's data are 16 bytes behind the block.
            let bit = |index: u32| 1 + u64::from(index) * (cell / 16);
            let is_free = |index: &u32| taken[(bit(*index) / 64) as usize] >> (bit(*index) % 64) & 1 == 0;
            let begin = (from..count).find(is_free)?;
            // Each bit that is set is of a cell that is taken: of its data, or of a part of it.
            let stop = next_set(taken, bit(begin));
            let end = stop.map_or(count, |it| ((it - 1) / (cell / 16)) as u32);
            set(taken, bit(begin)..bit(end));
            (begin, end)
        };
        let run = Run { cursor: first + u64::from(begin) * cell, end: first + u64::from(end) * cell };
        if marks {
            self.mark_run(run, cell);
        }
        // Of a clean block all cells are one run.
        if !std::mem::replace(&mut self.is_clean[usize::from(block)], false) {
            let start = ptr::with_exposed_provenance_mut::<u8>((run.cursor - HEADER) as usize);
            // SAFETY: the cells of the run, which hold no objects.
            unsafe { start.write_bytes(0, (run.end - run.cursor) as usize) };
        }
        Some((run, end))
    }

    /// Marks the cells of a run: their objects are made while a collection runs, which has to keep them.
    pub(super) fn mark_run(&mut self, run: Run, cell: u64) {
        self.has_marks = true;
        let mut address = run.cursor;
        while address < run.end {
            // SAFETY: a cell of this chunk; the space's lock is held.
            unsafe { mark(address) };
            address += cell;
        }
    }

    /// Clears the marks: a collection begins.
    pub(super) fn clear_marks(&mut self) {
        if std::mem::replace(&mut self.has_marks, true) {
            for block in Self::blocks() {
                *self.words(Bitmap::Marked, block) = [0; WORDS];
            }
        }
    }

    /// Ends a collection: the marked cells are the taken ones. Calls `each` with every block that has a class, its room, and the
    /// bytes of its objects.
    pub(super) fn keep_marked(&mut self, mut each: impl FnMut(u8, Occupancy, u64)) {
        for block in Self::blocks() {
            let class = self.classes[usize::from(block)];
            if class == FREE {
                continue;
            }
            let marked = *self.words(Bitmap::Marked, block);
            *self.words(Bitmap::Taken, block) = marked;
            let cell = CELLS[usize::from(class)];
            let live: u64 = marked.iter().map(|it| u64::from(it.count_ones())).sum();
            let count = (BLOCK - HEADER) / cell;
            let occupancy = if live == 0 {
                self.classes[usize::from(block)] = FREE;
                Occupancy::Empty
            } else if count - live <= count / 32 {
                Occupancy::Full
            } else {
                Occupancy::Partial(class)
            };
            each(block, occupancy, live * cell);
        }
    }

    /// Overwrites the objects that are not marked.
    pub(super) fn poison_unmarked(&mut self) {
        for block in Self::blocks() {
            let class = self.classes[usize::from(block)];
            let Some(cell) = CELLS.get(usize::from(class)) else { continue };
            for index in 0..(BLOCK - HEADER) / cell {
                let data = self.first(block) + index * cell;
                // SAFETY: a cell of this chunk, which holds no object that anything reaches.
                unsafe {
                    if !is_marked(data) {
                        let start = ptr::with_exposed_provenance_mut::<u8>((data - HEADER) as usize);
                        start.write_bytes(POISON, *cell as usize);
                    }
                }
            }
        }
    }

    /// The blocks without a class, the last first: the first is taken first.
    pub(super) fn free_blocks(&self) -> impl Iterator<Item = u8> {
        Self::blocks().rev().filter(|it| self.classes[usize::from(*it)] == FREE)
    }

    /// Whether no block has a class.
    pub(super) fn is_free(&self) -> bool {
        self.classes.iter().all(|it| *it == FREE)
    }

    /// The object or free cell of an allocator that this address is in: the address of its data, and their length.
    pub(super) fn cell_at(&self, address: u64) -> Option<(u64, u64)> {
        let block = ((address - self.start) / BLOCK) as usize;
        let class = *self.classes.get(block)?;
        if class == FREE || block < RESERVED {
            return None;
        }
        let cell = CELLS[usize::from(class)];
        let first = self.first(block as u8);
        // A cell begins with its header.
        let index = (address + HEADER).checked_sub(first)? / cell;
        if index >= (BLOCK - HEADER) / cell {
            return None;
        }
        let data = first + index * cell;
        let (word, bit) = bit_of(Bitmap::Taken, data);
        // SAFETY: the bitmap of this chunk, and the header of a cell.
        let holds = unsafe { *word & bit != 0 && load::<u64>(data - HEADER) != 0 };
        holds.then_some((data, cell - HEADER))
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: the whole mapping; nothing reaches its objects any more.
        unsafe { libc::munmap(ptr::with_exposed_provenance_mut(self.start as usize), CHUNK as usize) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of every class are what is free between the cells that are kept, cleared, whether a collection runs or not.
    #[test]
    fn runs_are_the_free_cells() {
        for (class, &cell) in CELLS.iter().enumerate() {
            let mut chunk = Chunk::map().unwrap();
            let block = Chunk::blocks().start;
            chunk.claim(block, class);
            let count = ((BLOCK - HEADER) / cell) as u32;
            let first = chunk.first(block);
            let at = |index: u32| first + u64::from(index) * cell;
            let whole = Run { cursor: at(0), end: at(count) };
            assert_eq!(chunk.take_run(block, 0, false), Some((whole, count)));
            assert_eq!(chunk.take_run(block, 0, false), None);
            let kept: Vec<u32> = (0..count).filter(|it| it % 3 == 1 || (20..70).contains(it)).collect();
            for marks in [false, true] {
                chunk.clear_marks();
                for &index in &kept {
                    // SAFETY: a cell of the chunk.
                    unsafe { mark(at(index)) };
                }
                chunk.keep_marked(|_, _, bytes| assert_eq!(bytes, kept.len() as u64 * cell));
                let (mut from, mut free) = (0, Vec::new());
                while let Some((run, next)) = chunk.take_run(block, from, marks) {
                    free.extend(
                        (run.cursor..run.end).step_by(cell as usize).map(|it| ((it - first) / cell) as u32),
                    );
                    from = next;
                }
                let expected: Vec<u32> = (0..count).filter(|it| !kept.contains(it)).collect();
                assert_eq!(free, expected, "cells of {cell} bytes");
                // SAFETY: cells of the chunk.
                assert!(!marks || free.iter().all(|it| unsafe { is_marked(at(*it)) }));
            }
        }
    }
}
