//! Remembered answers to questions about types.

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

/// A wrapper and the parameters it is applied to: the number counts them, the remaining elements are arbitrary.
type Application = (usize, [Type; 1 + Applications::PARAMS_MAX]);

/// Successful applications of wrappers, and the types they made.
#[derive(Debug, Default)]
pub(crate) struct Applications {
    shards: [RwLock<FxHashMap<Application, Type>>; SHARDS],
}

impl Applications {
    /// Applications with more parameters are not remembered.
    const PARAMS_MAX: usize = 3;

    fn key(wrapper: Type, params: &[Type]) -> Option<Application> {
        let mut key = [wrapper; 1 + Self::PARAMS_MAX];
        key.get_mut(1..1 + params.len())?.copy_from_slice(params);
        Some((params.len(), key))
    }

    fn shard(&self, (_, [wrapper, first, ..]): &Application) -> &RwLock<FxHashMap<Application, Type>> {
        &self.shards[(wrapper.index() ^ (first.index() << 1)) % SHARDS]
    }

    pub(crate) fn get(&self, wrapper: Type, params: &[Type]) -> Option<Type> {
        let key = Self::key(wrapper, params)?;
        self.shard(&key).read().get(&key).copied()
    }

    pub(crate) fn insert(&self, wrapper: Type, params: &[Type], made: Type) {
        let Some(key) = Self::key(wrapper, params) else { return };
        let mut shard = self.shard(&key).write();
        if shard.len() < MAX_ANSWERS {
            shard.insert(key, made);
        }
    }
}
