//! Where objects lie: cells of a few sizes cut from blocks, and single allocations for large ones. Nothing
//! ever moves, so an address is an identity.
//!
//! Every object has a header of 8 bytes just before its data: the type's number and [flags](self). Data is
//! aligned to 16 bytes, the elements of a large `Memory` to 64.

use super::large::Large;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};

/// The cell holds an object.
pub(super) const LIVE: u32 = 1;
/// Reached in the running collection.
pub(super) const MARK: u32 = 2;
/// Never freed.
pub(super) const PERMANENT: u32 = 4;
/// The box of a value that registers hold inline; its data is one word.
pub(super) const INLINE: u32 = 8;
/// There is an `ObjectHandle` for it.
pub(super) const HANDLE: u32 = 16;
/// An immutable value that no object has referred to yet: compiled code holds it in registers, so it is not counted.
pub(super) const UNCOUNTED: u32 = 32;

const HEADER: u64 = 8;
/// Bytes of the first block of a class: most processes need few objects of most sizes.
const FIRST_BLOCK: u64 = 1 << 13;
/// The growth factor of blocks, up to [`BLOCK`].
const GROWTH: u64 = 4;
/// Bytes of a block at most.
const BLOCK: u64 = 1 << 18;
/// Header and data of one cell; more is a large object.
const CELLS: [u64; 22] = [
    16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1536, 2048,
];
const LARGEST: u64 = CELLS[CELLS.len() - 1];
/// From the start of a large allocation to its data: the elements of a `Memory`, 16 bytes on, are then
/// aligned to 64.
const LARGE_LEAD: u64 = 48;

/// Class of a cell of `16 * index` bytes.
const CLASS_OF: [u8; LARGEST as usize / 16 + 1] = {
    let mut table = [0; LARGEST as usize / 16 + 1];
    let mut class = 0;
    let mut index = 0;
    while index < table.len() {
        while CELLS[class] < 16 * index as u64 {
            class += 1;
        }
        table[index] = class as u8;
        index += 1;
    }
    table
};

/// Reads memory of the heap.
///
/// # Safety
/// `address` must be readable for a `T`, whose every bit pattern must be valid.
#[inline]
pub(super) unsafe fn load<T: Copy>(address: u64) -> T {
    // SAFETY: the caller's promise; no alignment is assumed.
    unsafe { std::ptr::with_exposed_provenance::<T>(address as usize).read_unaligned() }
}

/// Writes memory of the heap.
///
/// # Safety
/// `address` must be writable for a `T`.
#[inline]
pub(super) unsafe fn store<T: Copy>(address: u64, value: T) {
    // SAFETY: the caller's promise; no alignment is assumed.
    unsafe { std::ptr::with_exposed_provenance_mut::<T>(address as usize).write_unaligned(value) }
}

/// Copies `len` bytes; the ranges may overlap.
///
/// # Safety
/// `from` must be readable and `to` writable for `len` bytes.
#[inline]
pub(super) unsafe fn copy(from: u64, to: u64, len: usize) {
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
pub(super) unsafe fn bytes<'a>(address: u64, len: usize) -> &'a [u8] {
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
pub(super) unsafe fn header(address: u64) -> (u32, u32) {
    // SAFETY: the header lies just before the data.
    let word = unsafe { load::<u64>(address - HEADER) };
    (word as u32, (word >> 32) as u32)
}

/// Sets the header.
///
/// # Safety
/// `address` must be the data of an object or cell of a heap.
#[inline]
pub(super) unsafe fn set_header(address: u64, ty: u32, flags: u32) {
    // SAFETY: the header lies just before the data.
    unsafe { store::<u64>(address - HEADER, u64::from(ty) | (u64::from(flags) << 32)) }
}

#[derive(Clone, Copy, Debug)]
struct Block {
    start: u64,
    bytes: u64,
}

impl Block {
    fn end(self) -> u64 {
        self.start + self.bytes
    }
}

#[derive(Debug, Default)]
struct Class {
    /// The first free cell; the first word of a free cell is the next one.
    free: u64,
    /// Data of the next cell never used.
    bump: u64,
    /// Where the block ends.
    end: u64,
    blocks: Vec<Block>,
}

impl Class {
    #[cold]
    fn grow(&mut self) {
        let bytes = self.blocks.last().map_or(FIRST_BLOCK, |it| (it.bytes * GROWTH).min(BLOCK));
        let layout = block_layout(bytes);
        let block = Block { start: allocate(layout).unwrap_or_else(|| handle_alloc_error(layout)), bytes };
        self.blocks.push(block);
        self.bump = block.start + 2 * HEADER;
        self.end = block.end();
    }
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

/// All cells and large objects of one heap.
#[derive(Debug, Default)]
pub(super) struct Space {
    classes: [Class; CELLS.len()],
    large: Vec<Large>,
    pub(super) stats: HeapStats,
    /// Bytes behind the elements of memories that belong to nothing.
    pub(super) red_zone: u64,
}

impl Space {
    /// A new object with zeroed data of `size` bytes; the address of its data.
    #[inline]
    pub(super) fn alloc(&mut self, ty: u32, flags: u32, size: u64) -> u64 {
        match self.try_alloc(ty, flags, size) {
            Some(address) => address,
            None => panic!("out of memory: an object of {size} bytes"),
        }
    }

    /// As [`Self::alloc`]; `None` when memory for a large object is exhausted.
    #[inline]
    pub(super) fn try_alloc(&mut self, ty: u32, flags: u32, size: u64) -> Option<u64> {
        let need = size + HEADER;
        let (address, bytes) = if need <= LARGEST {
            let class = usize::from(CLASS_OF[need.div_ceil(16) as usize]);
            (self.cell(class), CELLS[class])
        } else {
            self.large(size)?
        };
        self.stats.live_bytes += bytes;
        if flags & UNCOUNTED == 0 {
            self.stats.allocated_bytes += bytes;
            self.stats.allocations += 1;
        }
        // SAFETY: a fresh cell or large object of this space.
        unsafe { set_header(address, ty, flags | LIVE) };
        Some(address)
    }

    /// Counts an object that was allocated uncounted, with data of `size` bytes.
    ///
    /// # Safety
    /// `address` must be the data of a live object of this space.
    pub(super) unsafe fn count(&mut self, address: u64, size: u64) {
        let need = size + HEADER;
        let class = CLASS_OF.get(need.div_ceil(16) as usize);
        self.stats.allocated_bytes += class.map_or(need, |it| CELLS[usize::from(*it)]);
        self.stats.allocations += 1;
        // SAFETY: the caller's promise.
        unsafe {
            let (ty, flags) = header(address);
            set_header(address, ty, flags & !UNCOUNTED);
        }
    }

    #[inline]
    fn cell(&mut self, index: usize) -> u64 {
        let class = &mut self.classes[index];
        if class.free != 0 {
            let address = class.free;
            // SAFETY: free cells hold the next free cell in their first word and are as large as the class says.
            unsafe {
                class.free = load(address);
                std::ptr::with_exposed_provenance_mut::<u8>(address as usize)
                    .write_bytes(0, (CELLS[index] - HEADER) as usize);
            }
            return address;
        }
        if class.bump + CELLS[index] - HEADER > class.end {
            class.grow();
        }
        let address = class.bump;
        class.bump += CELLS[index];
        address
    }

    fn large(&mut self, size: u64) -> Option<(u64, u64)> {
        let large = Large::new(size + LARGE_LEAD)?;
        let found = (large.start + LARGE_LEAD, large.bytes);
        self.large.push(large);
        Some(found)
    }

    /// The data of the cell or large object that this address is in: its address and length.
    pub(super) fn extent(&self, address: u64) -> Option<(u64, u64)> {
        let large =
            self.large.iter().find(|it| (it.start + LARGE_LEAD..it.start + it.bytes).contains(&address));
        if let Some(large) = large {
            return Some((large.start + LARGE_LEAD, large.bytes - LARGE_LEAD));
        }
        self.classes.iter().zip(CELLS).find_map(|(class, cell)| {
            let holds = |it: &&Block| (it.start + 2 * HEADER..it.end()).contains(&address);
            let block = class.blocks.iter().find(holds)?;
            let first = block.start + 2 * HEADER;
            let data = first + (address - first) / cell * cell;
            let is_data = address < data + cell - HEADER && data + cell - HEADER <= block.end();
            is_data.then_some((data, cell - HEADER))
        })
    }

    /// Frees every object that is neither marked nor permanent, and clears the marks.
    pub(super) fn sweep(&mut self) {
        self.stats.collections += 1;
        for (index, class) in self.classes.iter_mut().enumerate() {
            let last = class.blocks.len().wrapping_sub(1);
            for (number, &block) in class.blocks.iter().enumerate() {
                let full = block.end() + HEADER - CELLS[index] + 1;
                let end = if number == last { class.bump } else { full };
                let mut address = block.start + 2 * HEADER;
                while address < end {
                    // SAFETY: a cell of this block below the bump pointer.
                    let (ty, flags) = unsafe { header(address) };
                    if flags & LIVE != 0 {
                        if flags & (MARK | PERMANENT) == 0 {
                            // SAFETY: as above; nothing reaches the object any more.
                            unsafe {
                                set_header(address, 0, 0);
                                store(address, class.free);
                            }
                            class.free = address;
                            self.stats.live_bytes -= CELLS[index];
                        } else {
                            // SAFETY: as above.
                            unsafe { set_header(address, ty, flags & !MARK) };
                        }
                    }
                    address += CELLS[index];
                }
            }
        }
        let stats = &mut self.stats;
        self.large.retain(|it| {
            // SAFETY: large objects are live until they are removed here.
            let (ty, flags) = unsafe { header(it.start + LARGE_LEAD) };
            if flags & (MARK | PERMANENT) == 0 {
                stats.live_bytes -= it.bytes;
                return false;
            }
            // SAFETY: as above.
            unsafe { set_header(it.start + LARGE_LEAD, ty, flags & !MARK) };
            true
        });
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        for class in &self.classes {
            for &block in &class.blocks {
                release(block.start, block_layout(block.bytes));
            }
        }
    }
}

/// Aligned to 16 only, so that the system need not clear freshly mapped pages.
const fn block_layout(bytes: u64) -> Layout {
    match Layout::from_size_align(bytes as usize, 16) {
        Ok(layout) => layout,
        Err(_) => unreachable!(),
    }
}

fn allocate(layout: Layout) -> Option<u64> {
    // SAFETY: the layout has a size above zero.
    let start = unsafe { alloc_zeroed(layout) };
    (!start.is_null()).then(|| start.expose_provenance() as u64)
}

fn release(start: u64, layout: Layout) {
    // SAFETY: `start` came from `allocate` with the same layout and is released once.
    unsafe { dealloc(std::ptr::with_exposed_provenance_mut(start as usize), layout) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each request gets a cell at least as large, aligned to 16, and no two overlap.
    #[test]
    fn objects_are_aligned_and_disjoint() {
        let mut space = Space::default();
        let mut seen = Vec::new();
        for size in (0..6000).step_by(7) {
            let address = space.alloc(1, 0, size);
            assert_eq!(address % 16, 0);
            seen.push((address - HEADER, address + size));
        }
        seen.sort_unstable();
        assert!(seen.windows(2).all(|pair| pair[0].1 <= pair[1].0));
    }

    /// An address in an object is in the object's extent; addresses of headers and foreign addresses have none.
    #[test]
    fn extents_hold_their_objects() {
        let mut space = Space::default();
        for size in [1u64, 8, 24, 500, 2040, 2041, 100_000, 3 << 20] {
            let address = space.alloc(1, 0, size);
            for at in [address, address + size - 1] {
                let (first, bytes) = space.extent(at).unwrap();
                assert!(first == address && bytes >= size, "{size} bytes");
            }
            assert!(space.extent(address - HEADER).is_none_or(|it| it.0 != address));
        }
        assert_eq!(space.extent(8), None);
    }

    /// Unmarked objects are freed, handed out again, and zero when they are.
    #[test]
    fn sweeping_frees_the_unmarked() {
        let mut space = Space::default();
        let kept = space.alloc(1, MARK, 24);
        let freed = space.alloc(1, 0, 24);
        let large = space.alloc(1, 0, 1 << 20);
        // SAFETY: both are live objects of at least 24 bytes.
        unsafe {
            store(freed, u64::MAX);
            store(freed + 16, u64::MAX);
        }
        assert_ne!(large, 0);
        space.sweep();
        assert_eq!(space.stats.live_bytes, 32);
        assert_eq!(space.alloc(2, 0, 20), freed);
        // SAFETY: `freed` is a live object again, of 24 bytes.
        assert_eq!(unsafe { (load::<u64>(freed), load::<u64>(freed + 16)) }, (0, 0));
        // SAFETY: it was marked.
        assert_eq!(unsafe { header(kept) }, (1, LIVE));
    }

    /// A block that is full is followed by another, and both are swept to their last cell.
    #[test]
    fn many_blocks_are_swept_to_the_end() {
        let mut space = Space::default();
        for _ in 0..10_000 {
            space.alloc(1, 0, 40);
        }
        space.sweep();
        assert_eq!(space.stats.live_bytes, 0);
        let blocks = space.classes[usize::from(CLASS_OF[3])].blocks.len();
        for _ in 0..10_000 {
            space.alloc(1, 0, 40);
        }
        assert_eq!(space.classes[usize::from(CLASS_OF[3])].blocks.len(), blocks);
    }
}
