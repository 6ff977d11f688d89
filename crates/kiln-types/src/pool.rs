//! An append-only table that gives equal items one index, shared between threads.

use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};

const SHARDS: usize = 16;

/// Interned items. References live as long as the pool: nothing moves and nothing is removed.
///
/// Look-up goes by hash; items of one hash occupy consecutive slots of the probe sequence (`hash`, `hash + 1`,
/// ...), all in the shard the first one selects, so that a key is stored once, in `items`.
pub(crate) struct Pool<T> {
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
        Self { items: boxcar::Vec::new(), shards: std::array::from_fn(|_| RwLock::new(FxHashMap::default())) }
    }

    pub(crate) fn get(&self, index: usize) -> &T {
        &self.items[index]
    }

    /// Adds an item that equals no other.
    pub(crate) fn push(&self, item: T) -> usize {
        self.items.push(item)
    }

    /// How many items there are.
    pub(crate) fn len(&self) -> usize {
        self.items.count()
    }

    /// Makes room for `count` items, for [`Pool::restore`].
    pub(crate) fn reserve(&mut self, count: usize) {
        self.items.reserve(count);
        for shard in &mut self.shards {
            shard.get_mut().reserve(count / SHARDS * 9 / 8);
        }
    }

    /// Adds an item known to equal no other. With a hash it is found by `intern` afterwards.
    pub(crate) fn restore(&mut self, hash: Option<u64>, item: T) {
        let index = self.items.push(item);
        if let Some(hash) = hash {
            let shard = self.shards[(hash >> 32) as usize % SHARDS].get_mut();
            let mut slot = hash;
            while let std::collections::hash_map::Entry::Occupied(_) = shard.entry(slot) {
                slot = slot.wrapping_add(1);
            }
            shard.insert(slot, index as u32);
        }
    }

    /// The index of the item that `same` accepts among those of this hash, made by `make` if there is none.
    pub(crate) fn intern(&self, hash: u64, same: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> usize {
        let shard = &self.shards[(hash >> 32) as usize % SHARDS];
        if let Ok(found) = self.probe(&shard.read(), hash, &same) {
            return found;
        }
        // Made outside the lock: making an item may intern others.
        let item = make();
        let mut map = shard.write();
        match self.probe(&map, hash, &same) {
            Ok(found) => found,
            Err(slot) => {
                let index = self.items.push(item);
                map.insert(slot, index as u32);
                index
            }
        }
    }

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
