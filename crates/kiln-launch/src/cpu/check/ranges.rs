//! Sets of segments, as ranges of their numbers.
//!
//! A set stands for the accesses that are known to come first. It may hold more than it was given, never less: too many ranges
//! are joined from the lowest on, so that old accesses pass for ordered.

/// The most ranges of a set.
const RANGES_MAX: usize = 64;

/// A set of numbers: ranges without their ends, in order, apart from each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        let after = self.0.partition_point(|it| it.0 <= number);
        after > 0 && number < self.0[after - 1].1
    }

    /// Adds the numbers of `from..to`.
    pub(super) fn insert(&mut self, from: u32, to: u32) {
        if from >= to {
            return;
        }
        match self.0.last_mut() {
            None => self.0.push((from, to)),
            Some(last) if from >= last.0 => {
                // New numbers are the highest.
                if from <= last.1 {
                    last.1 = last.1.max(to);
                } else {
                    self.0.push((from, to));
                }
            }
            Some(_) => *self = self.union(&Self(vec![(from, to)])),
        }
        self.limit();
    }

    /// Returns the numbers of both.
    pub(super) fn union(&self, other: &Self) -> Self {
        let mut all: Vec<(u32, u32)> = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x.0 <= y.0 => a.next(),
                (_, Some(_)) => b.next(),
                (Some(_), None) => a.next(),
                (None, None) => break,
            };
            let Some(&(from, to)) = next else { break };
            match all.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => all.push((from, to)),
            }
        }
        let mut all = Self(all);
        all.limit();
        all
    }

    /// Joins the lower half of too many ranges.
    fn limit(&mut self) {
        if self.0.len() > RANGES_MAX {
            let joined = self.0.len() - RANGES_MAX / 2;
            self.0[joined].0 = self.0[0].0;
            self.0.drain(..joined);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_joined_and_kept_apart() {
        let mut it = Ranges::default();
        it.insert(5, 7);
        it.insert(7, 9);
        it.insert(20, 21);
        it.insert(1, 2);
        assert_eq!(it, Ranges(vec![(1, 2), (5, 9), (20, 21)]));
        assert!(it.contains(8) && !it.contains(9) && it.contains(1) && !it.contains(0) && it.contains(20));
        let other = Ranges(vec![(2, 5), (30, 31)]);
        assert_eq!(it.union(&other), Ranges(vec![(1, 9), (20, 21), (30, 31)]));
    }

    /// A set that was limited holds all that it was given, and the latest numbers exactly.
    #[test]
    fn a_limited_set_loses_nothing() {
        let mut it = Ranges::default();
        for n in 0..1000 {
            it.insert(3 * n, 3 * n + 1);
        }
        assert!(it.0.len() <= RANGES_MAX && (0..1000).all(|n| it.contains(3 * n)));
        assert!(!it.contains(3 * 999 - 1) && it.contains(1));
    }
}
