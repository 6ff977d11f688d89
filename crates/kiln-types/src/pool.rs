//! An append-only table that gives equal items one index, shared between threads.

use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};

const SHARDS: usize = 16;

/// Interned items. References live as long as the pool: items never move and are never removed.
///
/// Look-up is by hash; items with equal hashes occupy consecutive slots of the probe sequence (`hash`, `hash + 1`,
/// ...), all in the shard of the first one, so that a key is stored once, in `items`.
pub(crate) struct Pool<T> {
    /// The number of the first item: those before it are in an image.
    first: usize,
    items: boxcar::Vec<T>,
    shards: [RwLock<FxHashMap<u64, u32>>; SHARDS],
}

impl<T> std::fmt::Debug for Pool<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("len", &self.items.count()).finish()
    }
}

impl<T> Pool<T> {
    pub(crate) fn new() -> Self {
        Self {
            first: 0,
            items: boxcar::Vec::new(),
            shards: std::array::from_fn(|_| RwLock::new(FxHashMap::default())),
        }
    }

    /// Numbers items from `first` on. There may be none yet.
    pub(crate) fn begin_at(&mut self, first: usize) {
        self.first = first;
    }

    pub(crate) fn get(&self, index: usize) -> &T {
        &self.items[index - self.first]
    }

    /// Adds an item that equals no other.
    pub(crate) fn push(&self, item: T) -> usize {
        self.first + self.items.push(item)
    }

    /// Returns the number of items, including those of an image.
    pub(crate) fn len(&self) -> usize {
        self.first + self.items.count()
    }

    /// Returns the index of the item with this hash that `same` accepts, adding the result of `make` if there is
    /// none.
    pub(crate) fn intern(&self, hash: u64, same: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> usize {
        let shard = &self.shards[(hash >> 32) as usize % SHARDS];
        if let Ok(found) = self.probe(&shard.read(), hash, &same) {
            return self.first + found;
        }
        // Made outside the lock: making an item may intern others.
        let item = make();
        let mut map = shard.write();
        match self.probe(&map, hash, &same) {
            Ok(found) => self.first + found,
            Err(slot) => {
                let index = self.items.push(item);
                map.insert(slot, index as u32);
                self.first + index
            }
        }
    }

    /// The place in `items`, or the slot to fill.
    fn probe(&self, map: &FxHashMap<u64, u32>, hash: u64, same: &impl Fn(&T) -> bool) -> Result<usize, u64> {
        let mut slot = hash;
        while let Some(&index) = map.get(&slot) {
            if same(&self.items[index as usize]) {
                return Ok(index as usize);
            }
            slot = slot.wrapping_add(1);
        }
        Err(slot)
    }
}

/// The hash that pools are probed with.
pub(crate) fn pool_hash(item: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    item.hash(&mut hasher);
    hasher.finish()
}
