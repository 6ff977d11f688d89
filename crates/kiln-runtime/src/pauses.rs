//! The pauses of collections: how many, and how long.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Buckets from each power of two to the next.
const PARTS: u32 = 4;
/// More nanoseconds than a pause has need no bucket of their own.
const BUCKETS: usize = 48 * PARTS as usize;

/// The pauses of a session so far.
#[derive(Debug)]
pub struct Pauses {
    buckets: [AtomicU64; BUCKETS],
    total: AtomicU64,
    longest: AtomicU64,
}

impl Default for Pauses {
    fn default() -> Self {
        Self {
            buckets: [const { AtomicU64::new(0) }; BUCKETS],
            total: AtomicU64::new(0),
            longest: AtomicU64::new(0),
        }
    }
}

/// The bucket of a duration in nanoseconds.
fn bucket(nanos: u64) -> usize {
    let nanos = nanos.max(u64::from(PARTS));
    let power = nanos.ilog2();
    let part = (nanos >> (power - PARTS.ilog2())) & u64::from(PARTS - 1);
    ((power * PARTS) as usize + part as usize).min(BUCKETS - 1)
}

/// Where a bucket ends.
fn end(bucket: usize) -> u64 {
    let (power, part) = (bucket as u32 / PARTS, bucket as u64 % u64::from(PARTS));
    (u64::from(PARTS) + part + 1) << power.saturating_sub(PARTS.ilog2())
}

impl Pauses {
    /// Adds a pause.
    pub(crate) fn add(&self, nanos: u64) {
        self.buckets[bucket(nanos)].fetch_add(1, Relaxed);
        self.total.fetch_add(nanos, Relaxed);
        self.longest.fetch_max(nanos, Relaxed);
    }

    /// Returns how many there were.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|it| it.load(Relaxed)).sum()
    }

    /// Returns the nanoseconds of all together.
    pub fn total(&self) -> u64 {
        self.total.load(Relaxed)
    }

    /// Returns the nanoseconds of the longest.
    pub fn longest(&self) -> u64 {
        self.longest.load(Relaxed)
    }

    /// Returns the nanoseconds that at least `percent` of the pauses do not exceed, rounded up by at most a quarter.
    pub fn percentile(&self, percent: u64) -> u64 {
        let wanted = (self.count() * percent).div_ceil(100);
        let mut seen = 0;
        for (at, count) in self.buckets.iter().enumerate() {
            seen += count.load(Relaxed);
            if seen >= wanted && seen > 0 {
                return end(at).min(self.longest());
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Percentiles are as exact as promised.
    #[test]
    fn percentiles_are_close() {
        let pauses = Pauses::default();
        assert_eq!(pauses.percentile(50), 0);
        (1..=1000).for_each(|it| pauses.add(it * 1000));
        for percent in [1, 50, 99] {
            let exact = percent * 10_000;
            assert!((exact..=exact * 5 / 4).contains(&pauses.percentile(percent)), "{percent}");
        }
        assert_eq!((pauses.count(), pauses.percentile(100)), (1000, 1_000_000));
        pauses.add(u64::MAX);
        assert_eq!(pauses.longest(), u64::MAX);
    }
}
