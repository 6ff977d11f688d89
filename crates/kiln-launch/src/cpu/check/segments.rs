//! Segments: the parts of an item's run between two points at which others may come to know of it.
//!
//! The numbers of segments rise as the items run, through all launches of a session. Those of the running launch are known by
//! group and item.

/// A block of consecutive segments, one for each of consecutive items.
#[derive(Clone, Copy, Debug)]
struct Block {
    base: u32,
    count: u32,
    group: i64,
    first_item: u32,
}

/// The segments of the running launch.
#[derive(Debug)]
pub(super) struct Segments {
    blocks: Vec<Block>,
    next: u32,
}

/// Numbers start here: 0 stands for no segment.
const FIRST: u32 = 1;

impl Segments {
    pub(super) fn new() -> Self {
        Self { blocks: Vec::new(), next: FIRST }
    }

    /// The number of the next segment.
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// Whether numbers need not start again before so many more segments. Half of all are left for those that an epoch adds.
    pub(super) fn has_room(&self, count: u32) -> bool {
        self.next.checked_add(count).is_some_and(|it| it < u32::MAX / 2)
    }

    /// Whether so many more segments have numbers at all.
    pub(super) fn has_numbers(&self, count: u32) -> bool {
        self.next.checked_add(count).is_some()
    }

    /// Forgets all, and starts again from the first number.
    pub(super) fn restart(&mut self) {
        *self = Self::new();
    }

    /// Forgets whose the segments so far are.
    pub(super) fn forget(&mut self) {
        self.blocks.clear();
    }

    /// Adds a segment for each of `count` items from `first_item` on; returns the number of the first.
    pub(super) fn add(&mut self, group: i64, first_item: u32, count: u32) -> u32 {
        let base = self.next;
        self.next += count;
        self.blocks.push(Block { base, count, group, first_item });
        base
    }

    /// Returns the group and the item of a segment of this launch.
    pub(super) fn owner(&self, segment: u32) -> Option<(i64, u32)> {
        let at = self.blocks.partition_point(|it| it.base <= segment).checked_sub(1)?;
        let block = self.blocks[at];
        let item = segment - block.base;
        (item < block.count).then_some((block.group, block.first_item + item))
    }
}
