//! Tasks: each that has begun has a native thread, of which one runs at a time. The running one says who goes on.
//!
//! The library decides which task waits, for whom and in which order (`base/core/tasks.jl`); here is only the switch from one
//! stack to another. Task 0 is the code that entered the session from Rust.

use crate::heap::Value;
use crate::runtime::Runtime;
use crate::thrown::{Abort, Run, Thrown};
use parking_lot::{Condvar, Mutex};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::JoinHandle;

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// The native stack of a task grows as it is used; this is what it begins with.
const STACK_BYTES: usize = 1 << 20;

/// Whether a task may run, and how it learns.
#[derive(Debug, Default)]
struct Turn {
    is_now: Mutex<bool>,
    changed: Condvar,
}

impl Turn {
    fn give(&self) {
        *self.is_now.lock() = true;
        self.changed.notify_one();
    }
    fn wait(&self) {
        let mut is_now = self.is_now.lock();
        while !*is_now {
            self.changed.wait(&mut is_now);
        }
        *is_now = false;
    }
}

/// The tasks of one session.
#[derive(Debug)]
pub(crate) struct Tasks {
    runtime: OnceLock<Weak<Runtime>>,
    turns: boxcar::Vec<Turn>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Threads whose task has not ended: what their stacks refer to is not known to the collector.
    live: AtomicUsize,
    /// The exception that ended a task that has no caller: task 0 ends with it too.
    escaped: Mutex<Option<Box<Thrown>>>,
    is_ending: AtomicBool,
}

impl Default for Tasks {
    fn default() -> Self {
        let tasks = Self {
            runtime: OnceLock::new(),
            turns: boxcar::Vec::new(),
            threads: Mutex::default(),
            live: AtomicUsize::new(0),
            escaped: Mutex::new(None),
            is_ending: AtomicBool::new(false),
        };
        tasks.turns.push(Turn::default());
        tasks
    }
}

impl Tasks {
    /// Whether a task other than task 0 has begun and not ended.
    pub(crate) fn any_live(&self) -> bool {
        self.live.load(Ordering::Acquire) > 0
    }
}

impl Runtime {
    /// Lets tasks begin: their threads keep the session alive while they run.
    pub fn enable_tasks(self: &Arc<Self>) {
        let _ = self.tasks.runtime.set(Arc::downgrade(self));
    }

    /// Makes a task that calls `body()`, which returns the number of the task to go on with. It runs once it is switched to.
    pub(crate) fn start_task(&self, body: Value) -> Run<usize> {
        let runtime = self.tasks.runtime.get().and_then(Weak::upgrade);
        let Some(runtime) = runtime else { return Err(self.error("this session runs no tasks")) };
        let number = self.tasks.turns.push(Turn::default());
        let run = move || {
            CURRENT.set(number);
            runtime.tasks.turns[number].wait();
            let next = runtime.run_task(body);
            runtime.tasks.live.fetch_sub(1, Ordering::AcqRel);
            if !runtime.tasks.is_ending.load(Ordering::Acquire) {
                runtime.tasks.turns[next].give();
            }
        };
        self.tasks.live.fetch_add(1, Ordering::AcqRel);
        let thread = std::thread::Builder::new().name(format!("task {number}")).stack_size(STACK_BYTES);
        match thread.spawn(run) {
            Ok(thread) => {
                let mut threads = self.tasks.threads.lock();
                threads.retain(|it| !it.is_finished());
                threads.push(thread);
                Ok(number)
            }
            Err(error) => {
                self.tasks.live.fetch_sub(1, Ordering::AcqRel);
                Err(self.error(&format!("a task could not begin: {error}")))
            }
        }
    }

    /// Runs a task to its end; the number of the next.
    fn run_task(&self, body: Value) -> usize {
        if self.tasks.is_ending.load(Ordering::Acquire) {
            return 0;
        }
        let ended = match crate::bug::catch(|| self.call_latest(body, &[])) {
            Ok(ended) => ended,
            Err(bug) => Err(self.error(&bug.to_string())),
        };
        let next = ended.map(|it| it.as_int(self.types.core()).and_then(|it| usize::try_from(it).ok()));
        match next {
            Ok(next) => next.filter(|&it| self.tasks.turns.get(it).is_some()).unwrap_or(0),
            Err(thrown) => {
                *self.tasks.escaped.lock() = Some(thrown);
                0
            }
        }
    }

    /// Goes on with another task, until somebody goes on with this one.
    pub(crate) fn switch_task(&self, number: usize) -> Run<()> {
        let own = CURRENT.get();
        let Some(turn) = self.tasks.turns.get(number) else {
            return Err(self.error("there is no such task"));
        };
        if number == own {
            return Ok(());
        }
        turn.give();
        self.tasks.turns[own].wait();
        if self.tasks.is_ending.load(Ordering::Acquire) {
            return Err(Thrown::abort(Abort::Exit(0)));
        }
        match self.tasks.escaped.lock().take() {
            Some(thrown) if own == 0 => Err(thrown),
            Some(thrown) => {
                *self.tasks.escaped.lock() = Some(thrown);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Ends every task that waits, one after the other. No Julia code may run.
    pub fn end_tasks(&self) {
        self.tasks.is_ending.store(true, Ordering::Release);
        for (_, turn) in self.tasks.turns.iter().skip(1) {
            turn.give();
        }
        let threads = std::mem::take(&mut *self.tasks.threads.lock());
        for thread in threads {
            let _ = thread.join();
        }
    }
}
