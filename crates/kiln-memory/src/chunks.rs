//! The chunks of a heap: which of their blocks have room, which are empty, and a reserve for when the system has no more memory.

use crate::allocator::Allocator;
use crate::cells::CELLS;
use crate::chunk::{BlockId, CHUNK, Chunk, Occupancy};
use rustc_hash::FxHashMap;

/// A chunk to go on with for a moment when the system has no more memory.
#[derive(Debug, Default)]
pub(crate) struct Reserve {
    chunk: Option<Chunk>,
    /// It is in use.
    is_used: bool,
    /// The program has been told.
    was_told: bool,
}

impl Reserve {
    fn new_chunk(&mut self) -> Option<Chunk> {
        if let Some(chunk) = Chunk::map() {
            if self.chunk.is_none() {
                self.chunk = Chunk::map();
            }
            return Some(chunk);
        }
        self.is_used = true;
        self.chunk.take()
    }

    /// Whether the system has no memory and there is no reserve.
    pub(crate) fn is_exhausted(&mut self) -> bool {
        if self.is_used {
            self.chunk = self.chunk.take().or_else(Chunk::map);
            self.is_used = self.chunk.is_none();
            self.was_told &= self.is_used;
        }
        self.is_used
    }

    /// Whether the program was told of it.
    pub(crate) fn was_told(&self) -> bool {
        self.was_told
    }

    /// Whether that is so and the program was not told yet.
    pub(crate) fn tells_exhaustion(&mut self) -> bool {
        self.is_exhausted() && !std::mem::replace(&mut self.was_told, true)
    }
}

/// All chunks of one heap.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    all: Vec<Option<Chunk>>,
    /// The index of a chunk by its address.
    by_address: FxHashMap<u64, u32>,
    /// Blocks of each class that have room, the fullest last.
    partial: [Vec<BlockId>; CELLS.len()],
    free: Vec<BlockId>,
    /// Empty chunks, at most.
    empty: u64,
    pub(crate) reserve: Reserve,
}

impl Chunks {
    /// Gives an allocator another run, with its cells marked if `marks`. Returns its bytes; `added` is told of the address of each
    /// new chunk.
    pub(crate) fn refill(
        &mut self,
        class: usize,
        to: &mut Allocator,
        marks: bool,
        mut added: impl FnMut(u64),
    ) -> Option<u64> {
        loop {
            if let Some((id, from)) = to.next(class) {
                let chunk = self.all[id.chunk as usize].as_mut()?;
                if let Some((run, next)) = chunk.take_run(id.block, from, marks) {
                    let bytes = run.end - run.cursor;
                    to.set_run(class, run);
                    to.set_next(class, Some((id, next)));
                    return Some(bytes);
                }
            }
            let id = match self.partial[class].pop() {
                Some(id) => id,
                None => self.free_block(class, &mut added)?,
            };
            to.set_next(class, Some((id, 0)));
        }
    }

    /// A block without objects, for a class.
    fn free_block(&mut self, class: usize, added: &mut impl FnMut(u64)) -> Option<BlockId> {
        if self.free.is_empty() {
            let chunk = self.reserve.new_chunk()?;
            if !self.all.is_empty() {
                // A heap of one chunk may stay small.
                chunk.use_huge_pages();
            }
            let vacant = self.all.iter().position(Option::is_none);
            let index = vacant.unwrap_or(self.all.len());
            self.by_address.insert(chunk.start() / CHUNK, index as u32);
            added(chunk.start());
            let slot = Some(chunk);
            match vacant {
                Some(index) => self.all[index] = slot,
                None => self.all.push(slot),
            }
            // The first is taken first.
            self.free.extend(Chunk::blocks().rev().map(|block| BlockId { chunk: index as u32, block }));
        }
        let id = self.free.pop()?;
        self.all[id.chunk as usize].as_mut()?.claim(id.block, class);
        Some(id)
    }

    /// The chunk that an address is in.
    pub(crate) fn at(&self, address: u64) -> Option<&Chunk> {
        self.all[*self.by_address.get(&(address / CHUNK))? as usize].as_ref()
    }

    /// Marks nothing but what the allocators have to themselves and have not used.
    pub(crate) fn begin_marking(&mut self, allocators: &mut [&mut Allocator]) {
        self.all.iter_mut().flatten().for_each(Chunk::clear_marks);
        for allocator in allocators {
            for (class, cell) in CELLS.iter().enumerate() {
                let run = allocator.run(class);
                if run.cursor < run.end
                    && let Some(index) = self.by_address.get(&(run.cursor / CHUNK))
                    && let Some(chunk) = self.all[*index as usize].as_mut()
                {
                    chunk.mark_run(run, *cell);
                }
            }
        }
    }

    /// Overwrites every object that is not marked.
    pub(crate) fn poison_unmarked(&mut self) {
        self.all.iter_mut().flatten().for_each(Chunk::poison_unmarked);
    }

    /// Frees every object that is not marked. Returns the bytes of the others.
    pub(crate) fn keep_marked(&mut self) -> u64 {
        let mut live = 0;
        self.partial.iter_mut().for_each(Vec::clear);
        for (index, slot) in self.all.iter_mut().enumerate() {
            let Some(chunk) = slot else { continue };
            let partial = &mut self.partial;
            chunk.keep_marked(|block, occupancy, bytes| {
                live += bytes;
                if let Occupancy::Partial(class) = occupancy {
                    partial[usize::from(class)].push(BlockId { chunk: index as u32, block });
                }
            });
        }
        live
    }

    /// Gives empty chunks back to the system, but so many: the next objects need them.
    pub(crate) fn release_empty(&mut self, kept: u64) {
        self.free.clear();
        self.empty = kept;
        let mut left = kept;
        for (index, slot) in self.all.iter_mut().enumerate() {
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

    /// As [`release_empty`](Self::release_empty), if there may be more than so many.
    pub(crate) fn limit_empty(&mut self, kept: u64) {
        if self.empty > kept {
            self.release_empty(kept);
        }
    }

    /// Returns the number of chunks.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.all.iter().flatten().count()
    }
}
