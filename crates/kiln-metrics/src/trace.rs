//! Spans of work by thread, for traces.
//!
//! Spans of a thread are nested or disjoint: a span ends before its parent.

use parking_lot::Mutex;
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// Some work of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSpan {
    /// The kind of work: `infer`, `passes`, `launch`, ...
    pub stage: String,
    /// The subject, by its name for users; empty: that of the span around it.
    pub about: String,
    /// Nanoseconds from the start of the session.
    pub start: u64,
    /// Nanoseconds it took.
    pub nanos: u64,
}

/// The spans of a thread, in the order in which they ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadTrace {
    /// The thread's name; empty if it has none.
    pub name: String,
    /// Its spans.
    pub spans: Vec<TraceSpan>,
}

/// The spans of a session, from any thread.
#[derive(Debug)]
pub struct Trace {
    started: Instant,
    threads: Mutex<Vec<(ThreadId, ThreadTrace)>>,
}

impl Default for Trace {
    fn default() -> Self {
        Self::new()
    }
}

impl Trace {
    /// A trace that begins now.
    pub fn new() -> Self {
        Self { started: Instant::now(), threads: Mutex::default() }
    }

    /// Records this thread's last work.
    pub fn add(&self, stage: &str, about: String, start: Instant, took: Duration) {
        let start = nanos(start.saturating_duration_since(self.started));
        let span = TraceSpan { stage: stage.into(), about, start, nanos: nanos(took) };
        let thread = std::thread::current();
        let mut threads = self.threads.lock();
        match threads.iter_mut().find(|it| it.0 == thread.id()) {
            Some((_, known)) => known.spans.push(span),
            None => {
                let name = thread.name().unwrap_or_default().to_owned();
                threads.push((thread.id(), ThreadTrace { name, spans: vec![span] }));
            }
        }
    }

    /// Returns the spans of each thread so far, in the order in which the threads began.
    pub fn threads(&self) -> Vec<ThreadTrace> {
        self.threads.lock().iter().map(|it| it.1.clone()).collect()
    }
}

/// Returns the nanoseconds of a duration, at most `u64::MAX`.
pub fn nanos(it: Duration) -> u64 {
    u64::try_from(it.as_nanos()).unwrap_or(u64::MAX)
}
