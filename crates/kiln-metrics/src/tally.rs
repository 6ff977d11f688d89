//! Counters of a session, by compilation: concurrent compilations of several threads are counted separately.

use crate::counts::{Counts, Timings};
use crate::trace::{ThreadTrace, Trace, nanos};
use kiln_unit::StageTime;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// Counts of a session, and of everything being compiled in it, added to from any thread; its trace, if it has one.
#[derive(Debug, Default)]
pub struct Counters {
    all: Counts,
    /// The compilations in progress on each thread, the innermost last.
    threads: Mutex<FxHashMap<ThreadId, Vec<Arc<Counts>>>>,
    trace: Option<Trace>,
}

impl Deref for Counters {
    type Target = Counts;

    fn deref(&self) -> &Counts {
        &self.all
    }
}

/// The counts of a thread's compilations: for threads that do parts of them.
#[derive(Clone, Debug, Default)]
pub struct Tallies(Vec<Arc<Counts>>);

/// The counts of one compilation that is done in parts.
#[derive(Clone, Debug, Default)]
pub struct Tally(Arc<Counts>);

impl Tally {
    /// Returns the counts so far.
    pub fn now(&self) -> Timings {
        self.0.now()
    }

    /// Returns the tallies of a thread that does a part of this compilation and no other.
    pub fn tallies(&self) -> Tallies {
        Tallies(vec![self.0.clone()])
    }
}

/// Ends the count of a thread's compilation when dropped, also by a panic.
struct Entered<'a> {
    counters: &'a Counters,
    before: usize,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let (id, mut threads) = (std::thread::current().id(), self.counters.threads.lock());
        if let Some(tallies) = threads.get_mut(&id) {
            tallies.truncate(self.before);
            if tallies.is_empty() {
                threads.remove(&id);
            }
        }
    }
}

impl Counters {
    /// Returns the counters of a new session.
    pub fn new(traced: bool) -> Self {
        Self { trace: traced.then(Trace::new), ..Self::default() }
    }

    /// Returns the timeline of each thread; empty if the session is not traced.
    pub fn trace(&self) -> Vec<ThreadTrace> {
        self.trace.as_ref().map(Trace::threads).unwrap_or_default()
    }

    /// Adds `more` to a counter.
    pub fn add(&self, counter: impl Fn(&Counts) -> &AtomicU64, more: u64) {
        counter(&self.all).fetch_add(more, Ordering::Relaxed);
        if let Some(tallies) = self.threads.lock().get(&std::thread::current().id()) {
            tallies.iter().for_each(|it| _ = counter(it).fetch_add(more, Ordering::Relaxed));
        }
    }

    /// Adds one to a counter.
    pub fn count(&self, counter: impl Fn(&Counts) -> &AtomicU64) {
        self.add(counter, 1);
    }

    /// Runs `work`, adds its time to a counter and records a span of `stage`, with the subject from `about`.
    pub fn timed<T>(
        &self,
        counter: impl Fn(&Counts) -> &AtomicU64,
        stage: &str,
        about: impl FnOnce() -> String,
        work: impl FnOnce() -> T,
    ) -> T {
        let start = Instant::now();
        let result = work();
        let took = start.elapsed();
        self.add(counter, nanos(took));
        self.span(stage, about, start, took);
        result
    }

    /// Records a span of this thread's last work, if the session is traced.
    pub fn span(&self, stage: &str, about: impl FnOnce() -> String, start: Instant, took: Duration) {
        if let Some(trace) = &self.trace {
            trace.add(stage, about(), start, took);
        }
    }

    /// Adds the code generator's own times, from a reply.
    pub fn add_stages(&self, times: &[StageTime]) {
        let total = times.iter().map(|it| it.nanos).sum();
        let mut start = Instant::now().checked_sub(Duration::from_nanos(total));
        for it in times {
            if let Some(start) = &mut start {
                let took = Duration::from_nanos(it.nanos);
                self.span(&it.stage, String::new, *start, took);
                *start += took;
            }
            match &*it.stage {
                "read" => self.add(|it| &it.read_ns, it.nanos),
                "emit" => self.add(|it| &it.emit_ns, it.nanos),
                "keep" => self.add(|it| &it.keep_ns, it.nanos),
                "ask" => self.add(|it| &it.ask_ns, it.nanos),
                "passes" => self.add(|it| &it.passes_ns, it.nanos),
                "machine" => self.add(|it| &it.machine_ns, it.nanos),
                "link" => self.add(|it| &it.link_ns, it.nanos),
                _ => {} // the verifier's, in builds for development
            }
        }
    }

    /// Runs `work`; also returns the counts of this work alone.
    pub fn tallied<T>(&self, work: impl FnOnce() -> T) -> (T, Timings) {
        let tally = Tally::default();
        let result = self.on_behalf_of(&tally.tallies(), work);
        (result, tally.now())
    }

    /// Returns the compilations of this thread.
    pub fn tallies(&self) -> Tallies {
        Tallies(self.threads.lock().get(&std::thread::current().id()).cloned().unwrap_or_default())
    }

    /// Runs `work` as a part of another thread's compilation: it counts there, too.
    pub fn on_behalf_of<T>(&self, tallies: &Tallies, work: impl FnOnce() -> T) -> T {
        let before = {
            let mut threads = self.threads.lock();
            let mine = threads.entry(std::thread::current().id()).or_default();
            mine.extend(tallies.0.iter().cloned());
            mine.len() - tallies.0.len()
        };
        let _entered = Entered { counters: self, before };
        work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    /// MISSION X3: two threads compile at once, a third does a part of the second's work: each has its own numbers.
    #[test]
    fn what_is_compiled_at_once_is_told_apart() {
        let (counters, barrier) = (Counters::new(true), Barrier::new(2));
        let stage = |it: &str| {
            barrier.wait();
            counters.timed(
                |it| &it.link_ns,
                it,
                String::new,
                || std::thread::sleep(Duration::from_millis(1)),
            );
            barrier.wait();
            counters.count(|it| &it.compiles);
        };
        let spent: Vec<Timings> = std::thread::scope(|scope| {
            let one = scope.spawn(|| counters.tallied(|| stage("one")).1);
            let two = scope.spawn(|| {
                let work = || {
                    stage("two");
                    let (inner, spent) = counters.tallied(|| counters.add(|it| &it.compiles, 10));
                    assert_eq!(((), spent.compiles), (inner, 10));
                    let mine = counters.tallies();
                    std::thread::scope(|scope| {
                        scope.spawn(|| counters.on_behalf_of(&mine, || counters.add(|it| &it.compiles, 100)));
                    });
                };
                counters.tallied(work).1
            });
            [one, two].into_iter().map(|it| it.join().unwrap()).collect()
        });
        assert_eq!(spent.iter().map(|it| it.compiles).collect::<Vec<_>>(), [1, 111]);
        assert!(spent.iter().all(|it| it.link_ns >= 1_000_000));
        assert_eq!((counters.now().compiles, counters.tallies().0.len()), (112, 0));
        let stages = |it: &ThreadTrace| it.spans.iter().map(|it| it.stage.clone()).collect::<Vec<_>>();
        let mut traced: Vec<_> = counters.trace().iter().map(stages).collect();
        traced.sort();
        assert_eq!(traced, [["one"], ["two"]]);
    }

    /// A panic is caught where the work was asked for, and the next work has a count of its own.
    #[test]
    fn a_panic_ends_a_count() {
        let counters = Counters::default();
        let panics = || counters.tallied(|| panic!("on purpose")).0;
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
        assert!(counters.tallies().0.is_empty() && counters.trace().is_empty());
    }
}
