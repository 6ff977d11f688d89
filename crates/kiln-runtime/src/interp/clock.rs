//! The time that is spent interpreting, for sessions that ask for it: not that in compiled code, in the compiler, in
//! collections and in launches.
//!
//! The clock of a thread runs from the outermost interpreted frame on. It is read where that begins and ends and where
//! work of another kind does, so a session that does not ask reads none.

use crate::services::HostIo;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

thread_local! {
    /// Since when the thread interprets, and the nanoseconds before that which are not noted yet.
    static CLOCK: Cell<(Option<u64>, u64)> = const { Cell::new((None, 0)) };
}

/// The time that a session has spent interpreting.
#[derive(Debug, Default)]
pub(crate) struct InterpreterTime {
    is_asked: AtomicBool,
    nanos: AtomicU64,
}

impl InterpreterTime {
    /// Measures from now on.
    pub(crate) fn ask(&self) {
        self.is_asked.store(true, Ordering::Relaxed);
    }

    /// Returns the nanoseconds so far.
    pub(crate) fn nanos(&self) -> u64 {
        self.nanos.load(Ordering::Relaxed)
    }

    /// The thread interprets until the result is dropped.
    #[inline]
    pub(super) fn interpreting<'a>(&'a self, io: &'a dyn HostIo) -> Option<Interpreting<'a>> {
        if !self.is_asked.load(Ordering::Relaxed) || CLOCK.get().0.is_some() {
            return None;
        }
        start(io);
        Some(Interpreting(self, io))
    }
}

/// See [`InterpreterTime::interpreting`].
pub(super) struct Interpreting<'a>(&'a InterpreterTime, &'a dyn HostIo);

impl Drop for Interpreting<'_> {
    fn drop(&mut self) {
        stop(self.1);
        let (_, nanos) = CLOCK.replace((None, 0));
        self.0.nanos.fetch_add(nanos, Ordering::Relaxed);
    }
}

fn start(io: &dyn HostIo) {
    let (_, before) = CLOCK.get();
    CLOCK.set((Some(io.now_ns()), before));
}

fn stop(io: &dyn HostIo) {
    if let (Some(since), before) = CLOCK.get() {
        CLOCK.set((None, before.saturating_add(io.now_ns().saturating_sub(since))));
    }
}

/// The thread does something else until the result is dropped.
#[inline]
pub(crate) fn not_interpreting(io: &dyn HostIo) -> Option<OtherWork<'_>> {
    CLOCK.get().0?;
    stop(io);
    Some(OtherWork(io))
}

/// See [`not_interpreting`].
pub(crate) struct OtherWork<'a>(&'a dyn HostIo);

impl Drop for OtherWork<'_> {
    fn drop(&mut self) {
        start(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that is one further each time it is read.
    struct Ticks(AtomicU64);

    impl HostIo for Ticks {
        fn now_ns(&self) -> u64 {
            self.0.fetch_add(1, Ordering::Relaxed)
        }
    }

    /// Time in other work, and without the question, does not count; time around it does.
    #[test]
    fn only_interpreting_counts() {
        let (time, io) = (InterpreterTime::default(), Ticks(AtomicU64::new(100)));
        drop(time.interpreting(&io));
        drop(not_interpreting(&io));
        assert!(time.nanos() == 0 && CLOCK.get().0.is_none());
        time.ask();
        let outer = time.interpreting(&io);
        assert!(outer.is_some() && time.interpreting(&io).is_none());
        {
            let _other = not_interpreting(&io); // one, from 100 to 101
            io.0.fetch_add(1000, Ordering::Relaxed);
            let inner = time.interpreting(&io);
            io.0.fetch_add(10, Ordering::Relaxed);
            drop(inner); // eleven more
            io.0.fetch_add(1000, Ordering::Relaxed);
        }
        io.0.fetch_add(100, Ordering::Relaxed);
        drop(outer);
        assert_eq!(time.nanos(), 1 + 11 + 101);
        assert!(not_interpreting(&io).is_none());
    }
}
