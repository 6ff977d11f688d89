//! One entry of a store: a payload, its hash, and its cost.

use crate::key::ContentHash;
use std::time::Duration;

/// The contents of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The bytes.
    pub payload: Vec<u8>,
    /// Their hash; the key of a later stage may list it.
    pub content: ContentHash,
    /// The time it took to make them, which a hit saves. Kept in microseconds, at most 71 minutes.
    pub cost: Duration,
}

impl Entry {
    /// An entry of `payload`, which took `cost` to make.
    pub fn new(payload: Vec<u8>, cost: Duration) -> Entry {
        Entry { content: ContentHash::of(&payload), payload, cost }
    }
}
