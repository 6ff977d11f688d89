//! The time spent on preparing methods to run: decoding bodies, inference, code generation.

use crate::heap::allocation;
use crate::interp::not_interpreting;
use crate::runtime::Runtime;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    static IS_TIMED: Cell<bool> = const { Cell::new(false) };
}

/// Nanoseconds since the session began.
#[derive(Debug, Default)]
pub(crate) struct Preparing {
    all: AtomicU64,
    again: AtomicU64,
}

impl Preparing {
    /// In all.
    pub(crate) fn nanos(&self) -> u64 {
        self.all.load(Ordering::Relaxed)
    }
    /// For calls that a definition had ended the earlier code of.
    pub(crate) fn nanos_again(&self) -> u64 {
        self.again.load(Ordering::Relaxed)
    }
}

impl Runtime {
    /// Runs work that prepares a method; `is_again` tells whether a definition ended its earlier preparation. Nested
    /// work counts once, and its allocations do not count as the program's.
    pub(crate) fn prepared_by<T>(&self, is_again: impl FnOnce() -> bool, work: impl FnOnce() -> T) -> T {
        struct Restore;
        impl Drop for Restore {
            fn drop(&mut self) {
                IS_TIMED.set(false);
            }
        }
        if IS_TIMED.replace(true) {
            return work();
        }
        let _restore = Restore;
        let _other = not_interpreting(&*self.io);
        let start = self.io.now_ns();
        let result = allocation::uncounted(&self.heap, work);
        let nanos = self.io.now_ns().saturating_sub(start).max(1);
        self.preparing.all.fetch_add(nanos, Ordering::Relaxed);
        if is_again() {
            self.preparing.again.fetch_add(nanos, Ordering::Relaxed);
        }
        result
    }
}
