//! Renewals of compiled bodies that a definition ended: for which calls a body is asked whether it still holds.
//!
//! The answer takes as long as looking at all that the body depends on. While a package loads, definitions and calls of the
//! same functions take turns, and a body that is renewed for a call or two costs more than it saves: such a body waits for
//! more and more interpreted calls, up to those after which a new body is compiled.

use std::sync::atomic::{AtomicU32, Ordering};

/// Compiled calls that are worth a renewal.
const WORTH_CALLS: u32 = 32;
/// Renewals that may be of no use before calls are interpreted instead.
const PATIENCE: u32 = 2;

/// The renewals of one body. Threads may race: they count too little then.
#[derive(Debug, Default)]
pub(super) struct Renewals {
    /// Renewals in a row behind which few calls ran.
    useless: AtomicU32,
    /// Calls interpreted since a definition ended the body.
    waited: AtomicU32,
}

impl Renewals {
    /// Whether the last renewals were of no use.
    pub(super) fn are_useless(&self) -> bool {
        self.useless.load(Ordering::Relaxed) > PATIENCE
    }

    /// Whether an ended body is to be renewed for this call. `calls` counts on from `hot` while it runs compiled.
    pub(super) fn is_due(&self, calls: &AtomicU32, hot: u32) -> bool {
        let useless = self.useless.load(Ordering::Relaxed);
        let waited = self.waited.fetch_add(1, Ordering::Relaxed);
        if useless > PATIENCE && waited < 1u32.checked_shl(useless - PATIENCE).map_or(hot, |it| it.min(hot)) {
            return false;
        }
        self.waited.store(0, Ordering::Relaxed);
        let ran = calls.load(Ordering::Relaxed).saturating_sub(hot).saturating_sub(waited);
        self.useless.store(if ran < WORTH_CALLS { useless + 1 } else { 0 }, Ordering::Relaxed);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The calls, of so many, for which the body is renewed: a definition stands before each.
    fn renewed(renewals: &Renewals, calls: &AtomicU32, count: u32) -> Vec<u32> {
        let due = |_: &u32| {
            calls.fetch_add(1, Ordering::Relaxed);
            let due = renewals.is_due(calls, 100);
            if due {
                calls.store(101, Ordering::Relaxed);
            }
            due
        };
        (0..count).filter(due).collect()
    }

    #[test]
    fn a_body_that_each_call_finds_ended_is_renewed_less_and_less_often() {
        let (renewals, calls) = (Renewals::default(), AtomicU32::new(101));
        assert_eq!(renewed(&renewals, &calls, 40), [0, 1, 2, 5, 10, 19, 36]);
        assert!(renewals.are_useless());
    }

    #[test]
    fn the_wait_is_no_longer_than_for_a_new_body() {
        let (renewals, calls) = (Renewals::default(), AtomicU32::new(101));
        let all = renewed(&renewals, &calls, 5000);
        assert!(all.windows(2).all(|it| it[1] - it[0] <= 101), "{all:?}");
    }

    #[test]
    fn a_body_that_ran_often_is_renewed_at_once() {
        let (renewals, calls) = (Renewals::default(), AtomicU32::new(101));
        renewed(&renewals, &calls, 36);
        calls.store(101 + 200, Ordering::Relaxed);
        while !renewals.is_due(&calls, 100) {
            calls.fetch_add(1, Ordering::Relaxed);
        }
        assert!(!renewals.are_useless());
        assert_eq!(renewed(&renewals, &calls, 1), [0]);
    }
}
