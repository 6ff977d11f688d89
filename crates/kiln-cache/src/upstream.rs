//! A store beyond the directory: it is asked for keys that are not in the directory, and told which results were put.
//! The shared caches of `kiln-remote` implement it.

use crate::entry::Entry;
use crate::key::{Key, KeyId};
use std::fmt;
use std::time::Duration;

/// A store of other processes or machines behind a [`Store`](crate::Store), which keeps copies of the entries it gives.
pub trait Upstream: fmt::Debug + Send + Sync {
    /// Returns the entry under `key`, checked. The wait for it is bounded over all calls together.
    fn fetch(&self, key: &Key) -> Option<Entry>;

    /// A result was put under `key` that did not come from here.
    fn made(&self, key: KeyId);

    /// An entry of the directories was used.
    fn used(&self, key: KeyId);

    /// The session ends: the entries that were put are on disk, from where they may be sent. Returns within a bounded time.
    fn close(&self);

    /// Returns the counts so far.
    fn stats(&self) -> UpstreamStats;
}

/// The counts of a session with an [`Upstream`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpstreamStats {
    /// Entries that it gave.
    pub hits: u64,
    /// Keys that it did not have.
    pub misses: u64,
    /// Entries that were not used: damaged, of another key, or without a trusted signature.
    pub rejected: u64,
    /// Bytes of the payloads it gave.
    pub bytes: u64,
    /// Results that it was told to take.
    pub offered: u64,
    /// The time for which lookups waited.
    pub waited: Duration,
    /// The reason why it is not asked any more.
    pub problem: Option<String>,
}
