//! The order of accesses: which segments come before the running item.
//!
//! Known to come first are the segments of earlier launches, the item's own, those of its group before the last barrier, and those
//! that it learned of: at a meeting of its warp, or by an atomic operation at a place where an item with a release, or with a fence
//! before, had left them. An item that reads such a place learns of them whether it has a fence behind or not.

use super::ranges::Ranges;
use super::segments::Segments;
use std::collections::HashMap;
use std::sync::Arc;

/// The state of an item of the running group.
#[derive(Clone, Debug)]
struct ItemClock {
    segment: u32,
    /// Others may know of its segment: its next access is of a new one.
    is_over: bool,
    known: Arc<Ranges>,
    /// The order of its last fence, which an atomic operation passes on.
    fence: Option<Arc<Ranges>>,
}

/// The order of the running launch. Groups run one after another.
#[derive(Debug)]
pub(super) struct Clocks {
    segments: Segments,
    launch_base: u32,
    group: i64,
    group_base: u32,
    /// The first segment behind the group's last barrier.
    epoch_base: u32,
    known: Arc<Ranges>,
    items: Vec<ItemClock>,
    /// The order that atomic operations have left, by address.
    left: HashMap<u64, Arc<Ranges>>,
}

impl Clocks {
    pub(super) fn new() -> Self {
        Self {
            segments: Segments::new(),
            launch_base: 1,
            group: 0,
            group_base: 1,
            epoch_base: 1,
            known: Arc::default(),
            items: Vec::new(),
            left: HashMap::new(),
        }
    }

    /// Begins a launch: earlier ones come first.
    pub(super) fn begin_launch(&mut self) {
        self.segments.forget();
        self.left.clear();
        self.launch_base = self.segments.next();
    }

    /// Begins a group. True if numbers start again, so that those in use mean nothing.
    pub(super) fn begin_group(&mut self, group: i64, items: u32) -> bool {
        let is_full = !self.segments.has_room(items);
        if is_full {
            self.segments.restart();
            self.left.clear();
            self.launch_base = self.segments.next();
        }
        let base = self.segments.add(group, 0, items);
        (self.group, self.group_base, self.epoch_base) = (group, base, base);
        self.known = Arc::default();
        let new = |segment| ItemClock { segment, is_over: false, known: self.known.clone(), fence: None };
        self.items.clear();
        self.items.extend((base..base + items).map(new));
        is_full
    }

    /// Returns the segment of an item.
    pub(super) fn segment(&mut self, item: usize) -> u32 {
        let it = &mut self.items[item];
        // Without a number the item stays in its segment: more passes for ordered than is.
        if it.is_over && self.segments.has_numbers(1) {
            let old = it.segment;
            Arc::make_mut(&mut it.known).insert(old, old + 1);
            it.segment = self.segments.add(self.group, item as u32, 1);
            it.is_over = false;
        }
        it.segment
    }

    /// Whether a segment comes before the running `item`, or is none. Memory `of_group` is another one for each group.
    #[inline]
    pub(super) fn is_before(&self, item: usize, segment: u32, of_group: bool) -> bool {
        segment < if of_group { self.group_base } else { self.launch_base }
            || (segment >= self.group_base && segment < self.epoch_base)
            || segment == self.items[item].segment
            || self.items[item].known.contains(segment)
    }

    /// Returns the group and the item of a segment of this launch.
    pub(super) fn owner(&self, segment: u32) -> Option<(i64, u32)> {
        self.segments.owner(segment)
    }

    /// Returns all that comes before the next access of an item.
    fn clock(&self, item: usize) -> Ranges {
        let it = &self.items[item];
        let mut all = (*it.known).clone();
        all.insert(self.group_base, self.epoch_base);
        all.insert(it.segment, it.segment + 1);
        all
    }

    /// Notes a fence that keeps earlier accesses before it.
    pub(super) fn fence(&mut self, item: usize) {
        let clock = Arc::new(self.clock(item));
        let it = &mut self.items[item];
        (it.fence, it.is_over) = (Some(clock), true);
    }

    /// Notes that an item reads `address` by an atomic operation.
    pub(super) fn acquire(&mut self, item: usize, address: u64) {
        let Some(left) = self.left.get(&address) else { return };
        let known = &mut self.items[item].known;
        if !Arc::ptr_eq(known, left) {
            *known = if known.is_empty() { left.clone() } else { Arc::new(known.union(left)) };
        }
    }

    /// Notes that an item writes `address` by an atomic operation, which `releases` or not, and `keeps` the order that is left
    /// there or not.
    pub(super) fn release(&mut self, item: usize, address: u64, releases: bool, keeps: bool) {
        let given = if releases {
            let clock = Arc::new(self.clock(item));
            self.items[item].is_over = true;
            Some(clock)
        } else {
            self.items[item].fence.clone()
        };
        let before = self.left.get(&address).filter(|_| keeps);
        match (given, before) {
            (None, None) => _ = self.left.remove(&address),
            (None, Some(_)) => {}
            (Some(given), None) => _ = self.left.insert(address, given),
            (Some(given), Some(before)) => {
                let both = Arc::new(given.union(before));
                self.left.insert(address, both);
            }
        }
    }

    /// Notes a barrier of the group: all that an item knows, and did, comes before what follows for all of them. True if numbers
    /// start again, so that those in use mean nothing.
    pub(super) fn group_met(&mut self) -> bool {
        let mut known: Option<Arc<Ranges>> = None;
        let mut fence: Option<Arc<Ranges>> = None;
        for it in &self.items {
            if !Arc::ptr_eq(&it.known, &self.known) {
                known = Some(join(known, &it.known));
            }
            if let Some(own) = &it.fence {
                fence = Some(join(fence, own));
            }
        }
        if let Some(known) = known {
            self.known = Arc::new(self.known.union(&known));
        }
        let count = self.items.len() as u32;
        let is_full = !self.segments.has_room(count);
        if is_full {
            self.segments.restart();
            self.left.clear();
            (self.launch_base, self.group_base) = (self.segments.next(), self.segments.next());
            (self.known, fence) = (Arc::default(), None);
        }
        let base = self.segments.add(self.group, 0, count);
        self.epoch_base = base;
        for (at, it) in self.items.iter_mut().enumerate() {
            *it = ItemClock {
                segment: base + at as u32,
                is_over: false,
                known: self.known.clone(),
                fence: fence.clone(),
            };
        }
        is_full
    }

    /// Notes that the items of `mask`, counted from `first`, have met.
    pub(super) fn warp_met(&mut self, first: usize, mask: u64) {
        let lanes: Vec<usize> = (0..64).filter(|it| mask >> it & 1 == 1).collect();
        let Some(&last) = lanes.last() else { return };
        if lanes.len() == 1 {
            return;
        }
        let mut known: Option<Arc<Ranges>> = None;
        for &lane in &lanes {
            known = Some(join(known, &self.items[first + lane].known));
        }
        let mut known = known.map(|it| (*it).clone()).unwrap_or_default();
        for &lane in &lanes {
            let segment = self.items[first + lane].segment;
            known.insert(segment, segment + 1);
        }
        let known = Arc::new(known);
        let count = last as u32 + 1;
        let base =
            self.segments.has_numbers(count).then(|| self.segments.add(self.group, first as u32, count));
        for &lane in &lanes {
            let it = &mut self.items[first + lane];
            it.known = known.clone();
            if let Some(base) = base {
                (it.segment, it.is_over) = (base + lane as u32, false);
            }
        }
    }
}

fn join(all: Option<Arc<Ranges>>, more: &Arc<Ranges>) -> Arc<Ranges> {
    match all {
        None => more.clone(),
        Some(all) if Arc::ptr_eq(&all, more) || more.is_empty() => all,
        Some(all) if all.is_empty() => more.clone(),
        Some(all) => Arc::new(all.union(more)),
    }
}
