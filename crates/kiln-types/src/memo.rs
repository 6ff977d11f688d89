//! Remembered answers to yes-or-no questions about two types.

use crate::Type;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;

const SHARDS: usize = 16;
/// Answers a shard keeps at most; further ones are found anew each time.
const MAX_ANSWERS: usize = 1 << 16;

#[derive(Debug)]
pub(crate) struct Memo {
    shards: [RwLock<FxHashMap<(Type, Type), bool>>; SHARDS],
}

impl Memo {
    pub(crate) fn new() -> Self {
        Self { shards: std::array::from_fn(|_| RwLock::new(FxHashMap::default())) }
    }

    fn shard(&self, a: Type, b: Type) -> &RwLock<FxHashMap<(Type, Type), bool>> {
        &self.shards[(a.index() ^ (b.index() << 1)) % SHARDS]
    }

    pub(crate) fn get(&self, a: Type, b: Type) -> Option<bool> {
        self.shard(a, b).read().get(&(a, b)).copied()
    }

    pub(crate) fn insert(&self, a: Type, b: Type, answer: bool) {
        let mut shard = self.shard(a, b).write();
        if shard.len() < MAX_ANSWERS {
            shard.insert((a, b), answer);
        }
    }
}
