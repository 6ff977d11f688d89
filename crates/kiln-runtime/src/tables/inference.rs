//! The lock and the counts of inference.

use parking_lot::{ReentrantMutex, ReentrantMutexGuard};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The lock and the counts of inference in a session.
#[derive(Debug)]
pub struct Inference {
    /// Held by the thread that infers.
    lock: ReentrantMutex<()>,
    /// The number of inferred bodies.
    inferred: AtomicU64,
    /// The number of results that were revived after they had ended.
    revived: AtomicU64,
    /// Results of other sessions are no longer taken.
    is_own_only: AtomicBool,
}

impl Inference {
    /// Nothing has been inferred yet.
    pub(super) fn new() -> Self {
        Self {
            lock: ReentrantMutex::new(()),
            inferred: AtomicU64::new(0),
            revived: AtomicU64::new(0),
            is_own_only: AtomicBool::new(false),
        }
    }

    /// Locks inference: one thread infers at a time, so that two threads that request the same result get one; within
    /// it, a thread may infer recursively. Looking up results needs no lock.
    pub fn lock(&self) -> ReentrantMutexGuard<'_, ()> {
        self.lock.lock()
    }

    /// Notes that one more body was inferred.
    pub fn note_inferred(&self) {
        self.inferred.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that one more result was revived.
    pub(super) fn note_revived(&self) {
        self.revived.fetch_add(1, Ordering::Relaxed);
    }

    /// Has the session infer everything itself from now on. Returns whether it did so before.
    pub(super) fn take_no_more(&self) -> bool {
        self.is_own_only.swap(true, Ordering::AcqRel)
    }

    /// Whether the session infers everything itself: see `tables/withdraw.rs`.
    pub fn is_own_only(&self) -> bool {
        self.is_own_only.load(Ordering::Acquire)
    }

    /// Returns the number of bodies inferred in this session.
    pub fn inferred(&self) -> u64 {
        self.inferred.load(Ordering::Relaxed)
    }

    /// Returns the number of revived results.
    pub fn revived(&self) -> u64 {
        self.revived.load(Ordering::Relaxed)
    }
}
