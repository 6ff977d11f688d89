//! Entries that were put and are not written yet: a queue bounded in bytes, from any thread to the writer's.

use crate::entry::Entry;
use crate::key::Key;
use crate::lease::Lease;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One put.
pub(crate) struct Job {
    pub(crate) key: Key,
    pub(crate) entry: Arc<Entry>,
    /// The entry replaces the one under its key.
    pub(crate) replaces: bool,
    /// Given up when the entry is written.
    pub(crate) lease: Option<Lease>,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    bytes: usize,
    /// The writer has taken jobs that it has not finished.
    busy: bool,
    closing: bool,
    stopped: bool,
}

/// The queue.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    work: Condvar,
    done: Condvar,
}

/// The writer's next step.
pub(crate) enum Next {
    Write(Vec<Job>),
    /// Nothing waits: time for maintenance.
    Idle,
    Stop,
}

impl Queue {
    /// Adds a put; false if the queue is full or closed. A put alone in the queue is never too large.
    pub(crate) fn push(&self, job: Job, bytes: usize, bytes_max: usize) -> bool {
        let mut state = self.state.lock();
        let full = state.bytes + bytes > bytes_max && !state.jobs.is_empty();
        if full || state.closing || state.stopped {
            return false;
        }
        state.bytes += bytes;
        state.jobs.push_back(job);
        drop(state);
        self.work.notify_one();
        true
    }

    /// Returns everything queued; waits for it, unless `idle` reports that the writer has other work.
    pub(crate) fn next(&self, idle: bool) -> Next {
        let mut state = self.state.lock();
        state.busy = false;
        if state.jobs.is_empty() {
            self.done.notify_all();
        }
        loop {
            if !state.jobs.is_empty() {
                state.busy = true;
                state.bytes = 0;
                return Next::Write(state.jobs.drain(..).collect());
            }
            if state.closing {
                return Next::Stop;
            }
            if idle {
                return Next::Idle;
            }
            self.work.wait(&mut state);
        }
    }

    /// Something waits to be written, or the store is being dropped: maintenance gives way.
    pub(crate) fn is_urgent(&self) -> bool {
        let state = self.state.lock();
        state.closing || !state.jobs.is_empty()
    }

    /// The store is being dropped.
    pub(crate) fn is_closing(&self) -> bool {
        self.state.lock().closing
    }

    /// Discards the queue; returns its length.
    pub(crate) fn discard(&self) -> u64 {
        let mut state = self.state.lock();
        state.bytes = 0;
        let dropped = state.jobs.len() as u64;
        state.jobs.clear();
        dropped
    }

    /// Waits until nothing is queued or being written; false if that takes longer than `timeout`.
    pub(crate) fn wait_empty(&self, timeout: Duration) -> bool {
        self.wait(timeout, |it| it.jobs.is_empty() && !it.busy)
    }

    /// Lets the writer finish and stop; false if that takes longer than `timeout`.
    pub(crate) fn close(&self, timeout: Duration) -> bool {
        self.state.lock().closing = true;
        self.work.notify_one();
        self.wait(timeout, |it| it.stopped)
    }

    /// The writer is gone.
    pub(crate) fn stopped(&self) {
        let mut state = self.state.lock();
        state.stopped = true;
        state.busy = false;
        // With their leases.
        state.jobs.clear();
        drop(state);
        self.done.notify_all();
    }

    fn wait(&self, timeout: Duration, until: impl Fn(&State) -> bool) -> bool {
        let deadline = Instant::now() + timeout;
        let mut state = self.state.lock();
        while !until(&state) {
            if self.done.wait_until(&mut state, deadline).timed_out() {
                return until(&state);
            }
        }
        true
    }
}
