//! Remembered answers to questions about two types.

use crate::Type;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;

const SHARDS: usize = 16;
/// Answers a shard keeps at most; further ones are found anew each time.
const MAX_ANSWERS: usize = 1 << 16;

#[derive(Debug)]
pub(crate) struct Memo<A> {
    shards: [RwLock<FxHashMap<(Type, Type), A>>; SHARDS],
}

impl<A: Copy> Memo<A> {
    pub(crate) fn new() -> Self {
        Self { shards: std::array::from_fn(|_| RwLock::new(FxHashMap::default())) }
    }

    fn shard(&self, a: Type, b: Type) -> &RwLock<FxHashMap<(Type, Type), A>> {
        &self.shards[(a.index() ^ (b.index() << 1)) % SHARDS]
    }

    pub(crate) fn get(&self, a: Type, b: Type) -> Option<A> {
        self.shard(a, b).read().get(&(a, b)).copied()
    }

    pub(crate) fn insert(&self, a: Type, b: Type, answer: A) {
        let mut shard = self.shard(a, b).write();
        if shard.len() < MAX_ANSWERS {
            shard.insert((a, b), answer);
        }
    }
}
