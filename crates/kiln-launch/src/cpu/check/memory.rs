//! The memory that the items of a launch may access, as far as it is known, and what surrounds it.

use super::finding::MemorySpace;
use kiln_unit::{DECLARED_CONSTANT, DECLARED_PRIVATE, DECLARED_SHARED, DECLARED_WRITTEN};
use std::collections::BTreeMap;

/// Bytes around shared and private memory that belong to nothing.
pub(crate) const RED_ZONE: u64 = 64;

/// An array of the host that a launch reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostArray {
    /// The address of its first element.
    pub start: u64,
    /// The bytes of its elements.
    pub bytes: u64,
    /// The memory that it was allocated with: all of it that is no element belongs to nothing. First byte, and first byte behind.
    pub around: (u64, u64),
    /// The program has freed it.
    pub is_freed: bool,
}

/// Declared memory that an address is in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) start: u64,
    pub(super) space: MemorySpace,
    /// The site of the declaration; 0 for dynamic shared memory.
    pub(super) site: u32,
}

/// Why an access is not to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    OutOfBounds,
    Freed,
    /// The array was declared constant at this site.
    Constant(u32),
}

/// A range of bytes that an item declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    bytes: u64,
    site: u32,
    /// The group and the item, of private memory.
    owner: (i64, usize),
}

impl Block {
    fn holds(&self, start: u64, address: u64, bytes: u64) -> bool {
        address >= start && address.saturating_add(bytes) <= start + self.bytes
    }
}

/// The memory of a launch. Ranges are a first byte and how many.
#[derive(Debug, Default)]
pub(super) struct Memory {
    shared: (u64, u64),
    dynamic: (u64, u64),
    /// Blocks of shared memory, by first byte.
    blocks: BTreeMap<u64, Block>,
    private: BTreeMap<u64, Block>,
    /// Arrays of the host by first byte of what they were allocated with.
    arrays: Vec<HostArray>,
    /// Constant arrays by first byte.
    constants: Vec<(u64, Block)>,
    /// Where accesses of a site were right last: first byte, and first byte behind.
    right: Vec<(u64, u64)>,
}

/// The sites, by their last digits, for which it is kept where accesses are right.
const RIGHT: usize = 64;

fn holds((start, size): (u64, u64), address: u64) -> bool {
    address.wrapping_sub(start) < size
}

/// Returns the block that an address is in, or that ends or begins within the red zone beside it.
fn near(blocks: &BTreeMap<u64, Block>, address: u64, zone: u64) -> Option<(u64, Block)> {
    let before = blocks.range(..=address).next_back().map(|it| (*it.0, *it.1));
    let before = before.filter(|(start, it)| address < start + it.bytes + zone);
    before.or_else(|| {
        let after = blocks.range(address..).next().map(|it| (*it.0, *it.1));
        after.filter(|it| it.0 - address <= zone)
    })
}

impl Memory {
    /// Begins a launch: groups have this static and dynamic shared memory, and items reach these arrays.
    pub(super) fn begin_launch(&mut self, shared: (u64, u64), dynamic: (u64, u64), arrays: &[HostArray]) {
        *self = Self { shared, dynamic, arrays: arrays.to_vec(), ..Self::default() };
        self.arrays.sort_by_key(|it| it.around);
    }

    pub(super) fn begin_group(&mut self) {
        self.forget_right();
        self.private.clear();
        self.constants.clear();
    }

    fn forget_right(&mut self) {
        self.right.clear();
        self.right.resize(RIGHT, (u64::MAX, 0));
    }

    /// Returns the memory that is unwritten when a group begins.
    pub(super) fn group_memory(&self) -> [(u64, u64); 2] {
        [self.shared, self.dynamic]
    }

    /// Whether an address is in memory that each group has its own of.
    #[inline]
    pub(super) fn is_of_group(&self, address: u64) -> bool {
        holds(self.shared, address) || holds(self.dynamic, address)
    }

    /// Whether an address is in private memory, which no other item accesses.
    #[inline]
    pub(super) fn is_private(&self, address: u64) -> bool {
        !self.private.is_empty() && near(&self.private, address, 0).is_some()
    }

    /// Notes memory of an item; true if it is new to the item, so that it is not written.
    pub(super) fn declare(
        &mut self,
        (address, bytes): (u64, u64),
        (kind, site): (u32, u32),
        owner: (i64, usize),
    ) -> bool {
        let block = Block { bytes, site, owner };
        match kind {
            DECLARED_SHARED | DECLARED_WRITTEN => _ = self.blocks.insert(address, block),
            DECLARED_CONSTANT => {
                let is_known = |it: &(u64, Block)| (it.0, it.1.bytes) == (address, block.bytes);
                if !self.constants.iter().any(is_known) {
                    self.constants.push((address, block));
                    self.forget_right();
                }
            }
            DECLARED_PRIVATE => {
                if self.private.get(&address) == Some(&block) {
                    return false;
                }
                self.forget_right();
                // The stack had other blocks there.
                let end = address + bytes;
                while let Some((start, old)) = near(&self.private, end.saturating_sub(1), 0) {
                    if start + old.bytes <= address {
                        break;
                    }
                    self.private.remove(&start);
                }
                self.private.retain(|start, _| !(address..end).contains(start));
                self.private.insert(address, block);
                return true;
            }
            _ => {}
        }
        false
    }

    /// Returns the declared memory that an address is in.
    pub(super) fn place(&self, address: u64) -> Option<Place> {
        if holds(self.shared, address) {
            let (start, block) = near(&self.blocks, address, RED_ZONE)?;
            return Some(Place { start, space: MemorySpace::Shared, site: block.site });
        }
        if holds(self.dynamic, address) {
            return Some(Place { start: self.dynamic.0, space: MemorySpace::Dynamic, site: 0 });
        }
        let (start, block) = near(&self.private, address, RED_ZONE / 2)?;
        Some(Place { start, space: MemorySpace::Private, site: block.site })
    }

    /// Returns what speaks against an access of a site.
    #[inline]
    pub(super) fn fault(&mut self, address: u64, bytes: u64, writes: bool, site: u32) -> Option<Fault> {
        let slot = site as usize % RIGHT;
        if let Some((from, to)) = self.right.get(slot)
            && *from <= address
            && address.saturating_add(bytes) <= *to
        {
            return None;
        }
        match self.find_fault(address, bytes, writes) {
            Ok(range) => {
                if let (Some(slot), Some(range)) = (self.right.get_mut(slot), range) {
                    *slot = range;
                }
                None
            }
            Err(fault) => Some(fault),
        }
    }

    /// Returns the range that an access may be anywhere in, if it is known.
    fn find_fault(&self, address: u64, bytes: u64, writes: bool) -> Result<Option<(u64, u64)>, Fault> {
        let all = |start: u64, it: &Block| Some((start, start + it.bytes));
        let (start, size) = self.shared;
        if holds((start, size + RED_ZONE), address) && size > 0 {
            let block = near(&self.blocks, address, 0);
            let block = block.filter(|(start, it)| it.holds(*start, address, bytes));
            return block.map(|(start, it)| all(start, &it)).ok_or(Fault::OutOfBounds);
        }
        let (start, size) = self.dynamic;
        if holds((start, size + RED_ZONE), address) && size > 0 {
            let inside = address.saturating_add(bytes) <= start + size;
            return if inside { Ok(Some((start, start + size))) } else { Err(Fault::OutOfBounds) };
        }
        if let Some((start, block)) = near(&self.private, address, RED_ZONE / 2) {
            let inside = block.holds(start, address, bytes);
            return if inside { Ok(all(start, &block)) } else { Err(Fault::OutOfBounds) };
        }
        let touches =
            |it: &&(u64, Block)| address < it.0 + it.1.bytes && it.0 < address.saturating_add(bytes);
        if writes && let Some((_, block)) = self.constants.iter().find(touches) {
            return Err(Fault::Constant(block.site));
        }
        let after = self.arrays.partition_point(|it| it.around.0 <= address);
        let array = self.arrays[..after].last().filter(|it| address < it.around.1);
        let Some(array) = array else { return Ok(None) };
        if array.is_freed {
            return Err(Fault::Freed);
        }
        let end = array.start + array.bytes;
        let inside = address >= array.start && address.saturating_add(bytes) <= end;
        // A site reads and writes, or one of them: what is right for the one is for the other, unless arrays are constant.
        let range = self.constants.is_empty().then_some((array.start, end));
        if inside { Ok(range) } else { Err(Fault::OutOfBounds) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        let mut it = Memory::default();
        let array = HostArray { start: 0x1010, bytes: 40, around: (0x1000, 0x1078), is_freed: false };
        let freed = HostArray { start: 0x2010, bytes: 40, around: (0x2000, 0x2078), is_freed: true };
        it.begin_launch((0x3000, 256), (0x4000, 16), &[freed, array]);
        it.declare((0x3000, 64), (DECLARED_SHARED, 5), (0, 0));
        it
    }

    #[test]
    fn accesses_beside_memory_are_faults() {
        let mut it = memory();
        it.begin_group();
        assert_eq!(it.fault(0x1010, 8, true, 1), None);
        assert_eq!(it.fault(0x1034, 4, false, 1), None);
        assert_eq!(it.fault(0x1034, 8, false, 1), Some(Fault::OutOfBounds));
        assert_eq!(it.fault(0x1008, 8, false, 1), Some(Fault::OutOfBounds));
        assert_eq!(it.fault(0x2010, 8, false, 1), Some(Fault::Freed));
        assert_eq!(it.fault(0x303c, 4, true, 1), None);
        assert_eq!(it.fault(0x3040, 4, true, 1), Some(Fault::OutOfBounds));
        assert_eq!(it.fault(0x400c, 4, true, 1), None);
        assert_eq!(it.fault(0x4010, 4, true, 1), Some(Fault::OutOfBounds));
        assert_eq!(it.fault(0x9000, 4, true, 1), None); // of others
        it.declare((0x1010, 40), (DECLARED_CONSTANT, 9), (0, 0));
        assert_eq!(it.fault(0x1010, 4, true, 1), Some(Fault::Constant(9)));
        it.declare((0x1018, 8), (DECLARED_CONSTANT, 10), (0, 0)); // a part of the array is constant, too
        assert_eq!(it.fault(0x1030, 4, true, 1), Some(Fault::Constant(9)));
        assert_eq!(it.fault(0x1010, 4, false, 1), None);
    }

    /// Private memory is new to each item, and takes the place of what the stack had there.
    #[test]
    fn private_memory_replaces_what_it_overlaps() {
        let mut it = memory();
        assert!(it.declare((0x8000, 32), (DECLARED_PRIVATE, 3), (0, 0)));
        assert!(!it.declare((0x8000, 32), (DECLARED_PRIVATE, 3), (0, 0)));
        assert!(it.declare((0x8000, 32), (DECLARED_PRIVATE, 3), (0, 1)));
        assert!(it.declare((0x7ff0, 32), (DECLARED_PRIVATE, 4), (0, 1)));
        assert_eq!(it.private.len(), 1);
        assert!(it.is_private(0x8008) && !it.is_private(0x8010));
        assert_eq!(it.place(0x8000).map(|it| it.site), Some(4));
    }
}
