//! The time that is spent interpreting, for sessions that ask for it: not that in compiled code and host functions, in the compiler, in
//! the search for methods, in collections and in launches.
//!
//! The clock of a thread runs from the outermost interpreted frame on. It is read where that begins and ends and where
//! work of another kind does, so a session that does not ask reads none.

use crate::services::HostIo;
use kiln_ir::SourceLoc;
use kiln_types::Symbol;
use parking_lot::Mutex;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};

/// The name of a body and where it is written.
type BodyKey = (Symbol, SourceLoc);

/// How often a body was interpreted, and for how many nanoseconds, without the bodies that it called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyTime {
    /// The calls of it.
    pub calls: u64,
    /// The time in it alone.
    pub nanos: u64,
}

thread_local! {
    /// Since when the thread interprets, and the nanoseconds before that which are not noted yet.
    static CLOCK: Cell<(Option<u64>, u64)> = const { Cell::new((None, 0)) };
    /// The innermost interpreted body, and the times that are not noted yet; only for sessions that ask for them.
    static BODY: Cell<Option<BodyKey>> = const { Cell::new(None) };
    static TIMES: RefCell<BTreeMap<BodyKey, BodyTime>> = const { RefCell::new(BTreeMap::new()) };
}

/// The time that a session has spent interpreting.
#[derive(Debug, Default)]
pub(crate) struct InterpreterTime {
    /// One of the next constants.
    asked: AtomicU8,
    /// All of it, and that of each body.
    noted: Mutex<(u64, BTreeMap<BodyKey, BodyTime>)>,
}

/// The time is asked for.
const ALL: u8 = 1;
/// That of each body is, too.
const BODIES: u8 = 2;

impl InterpreterTime {
    /// Measures from now on.
    pub(crate) fn ask(&self) {
        self.asked.store(ALL, Ordering::Relaxed);
    }

    /// Measures each body from now on, which takes time itself.
    pub(crate) fn ask_for_bodies(&self) {
        self.asked.store(BODIES, Ordering::Relaxed);
    }

    /// Returns the times of bodies so far.
    pub(crate) fn bodies(&self) -> Vec<(BodyKey, BodyTime)> {
        self.noted.lock().1.iter().map(|(key, time)| (*key, *time)).collect()
    }

    /// The thread interprets this body until the result is dropped.
    #[inline]
    pub(super) fn in_body<'a>(&self, io: &'a dyn HostIo, body: BodyKey) -> Option<InBody<'a>> {
        if self.asked.load(Ordering::Relaxed) < BODIES {
            return None;
        }
        stop(io);
        let outer = BODY.replace(Some(body));
        TIMES.with_borrow_mut(|it| it.entry(body).or_default().calls += 1);
        start(io);
        Some(InBody { outer, io })
    }

    /// Returns the nanoseconds so far.
    pub(crate) fn nanos(&self) -> u64 {
        self.noted.lock().0
    }

    /// The thread interprets until the result is dropped.
    #[inline]
    pub(super) fn interpreting<'a>(&'a self, io: &'a dyn HostIo) -> Option<Interpreting<'a>> {
        if self.asked.load(Ordering::Relaxed) < ALL || CLOCK.get().0.is_some() {
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
        let mut noted = self.0.noted.lock();
        noted.0 += nanos;
        for (body, time) in TIMES.with_borrow_mut(std::mem::take) {
            let all = noted.1.entry(body).or_default();
            *all = BodyTime { calls: all.calls + time.calls, nanos: all.nanos + time.nanos };
        }
    }
}

/// See [`InterpreterTime::in_body`].
pub(super) struct InBody<'a> {
    outer: Option<BodyKey>,
    io: &'a dyn HostIo,
}

impl Drop for InBody<'_> {
    fn drop(&mut self) {
        stop(self.io);
        BODY.set(self.outer);
        start(self.io);
    }
}

fn start(io: &dyn HostIo) {
    let (_, before) = CLOCK.get();
    CLOCK.set((Some(io.now_ns()), before));
}

fn stop(io: &dyn HostIo) {
    if let (Some(since), before) = CLOCK.get() {
        let nanos = io.now_ns().saturating_sub(since);
        CLOCK.set((None, before.saturating_add(nanos)));
        if let Some(body) = BODY.get() {
            TIMES.with_borrow_mut(|it| it.entry(body).or_default().nanos += nanos);
        }
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
    use std::sync::atomic::AtomicU64;

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

    /// A body has the time between its calls, and not that of its calls.
    #[test]
    fn bodies_are_told_apart() {
        let (time, io) = (InterpreterTime::default(), Ticks(AtomicU64::new(100)));
        time.ask_for_bodies();
        let types = kiln_types::Types::new();
        let [f, g] = ["f", "g"].map(|it| (types.symbol(it), SourceLoc::NONE));
        let outermost = time.interpreting(&io);
        let outer = time.in_body(&io, f);
        io.0.fetch_add(10, Ordering::Relaxed);
        for _ in 0..2 {
            let _inner = time.in_body(&io, g);
            io.0.fetch_add(100, Ordering::Relaxed);
            let _other = not_interpreting(&io);
            io.0.fetch_add(1000, Ordering::Relaxed);
        }
        drop(outer);
        drop(outermost);
        let mut bodies = time.bodies();
        bodies.sort_by_key(|it| it.1.nanos);
        let told: Vec<_> = bodies.iter().map(|it| (it.0, it.1.calls)).collect();
        assert_eq!(told, [(f, 1), (g, 2)]);
        assert!(
            (10..20).contains(&bodies[0].1.nanos) && (200..220).contains(&bodies[1].1.nanos),
            "{bodies:?}"
        );
    }
}
