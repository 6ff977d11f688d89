//! The time that is spent interpreting, for sessions that ask for it: not that in compiled code, in the compiler, in
//! collections and in launches.
//!
//! The clock of a thread runs from the outermost interpreted frame on. It is read where that begins and ends and where
//! work of another kind does, so a session that does not ask reads none.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

thread_local! {
    /// Since when the thread interprets, and the nanoseconds before that which are not noted yet.
    static CLOCK: Cell<(Option<Instant>, u64)> = const { Cell::new((None, 0)) };
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
    pub(super) fn interpreting(&self) -> Option<Interpreting<'_>> {
        if !self.is_asked.load(Ordering::Relaxed) || CLOCK.get().0.is_some() {
            return None;
        }
        let (_, before) = CLOCK.get();
        CLOCK.set((Some(Instant::now()), before));
        Some(Interpreting(self))
    }
}

/// See [`InterpreterTime::interpreting`].
pub(super) struct Interpreting<'a>(&'a InterpreterTime);

impl Drop for Interpreting<'_> {
    fn drop(&mut self) {
        stop();
        let (_, nanos) = CLOCK.replace((None, 0));
        self.0.nanos.fetch_add(nanos, Ordering::Relaxed);
    }
}

/// Stops the clock. Whether it ran.
fn stop() -> bool {
    let (since, before) = CLOCK.get();
    let Some(since) = since else { return false };
    let took = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
    CLOCK.set((None, before.saturating_add(took)));
    true
}

/// The thread does something else until the result is dropped.
#[inline]
pub(crate) fn not_interpreting() -> Option<OtherWork> {
    (CLOCK.get().0.is_some() && stop()).then(|| OtherWork)
}

/// See [`not_interpreting`].
pub(crate) struct OtherWork;

impl Drop for OtherWork {
    fn drop(&mut self) {
        let (_, before) = CLOCK.get();
        CLOCK.set((Some(Instant::now()), before));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Time in other work, and without the question, does not count; time around it does.
    #[test]
    fn only_interpreting_counts() {
        let time = InterpreterTime::default();
        drop(time.interpreting());
        drop(not_interpreting());
        assert!(time.nanos() == 0 && CLOCK.get().0.is_none());
        time.ask();
        let outer = time.interpreting();
        assert!(outer.is_some() && time.interpreting().is_none());
        let start = Instant::now();
        {
            let _other = not_interpreting();
            let _inner = time.interpreting();
        }
        {
            let _other = not_interpreting();
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(outer);
        let whole = start.elapsed().as_nanos() as u64;
        assert!(time.nanos() > 0 && time.nanos() < whole - 19_000_000);
        assert!(not_interpreting().is_none());
    }
}
