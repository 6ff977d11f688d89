//! Tasks: each started, unfinished task has a native thread, and one of them runs at a time. The running task selects
//! the next. The thread of a finished task waits for another task; the number of threads is limited, since a process
//! can have only so many.
//!
//! The library decides which task waits, for which one, and in which order (`base/core/tasks.jl`); this file only
//! switches between stacks. Task 0 is the code that entered the session from Rust.

use crate::heap::{Value, mutator};
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

/// Returns the number of the thread whose task runs; 0 in code that entered the session from Rust.
pub(crate) fn running() -> usize {
    CURRENT.get()
}

/// The initial size of the native stack of a task, which grows on use.
const STACK_BYTES: usize = 512 << 10;

/// Tasks that have begun and not ended: beyond it a task waits until another has ended. Four times as many exceed the memory
/// mappings that Linux gives a process.
const LIVE_MAX: usize = 4096;

/// Growths of the native stack, by the number of live tasks up to which they are made so large: all together leave room in the
/// addresses that a process may have.
const GROWTHS: [(usize, usize); 2] = [(16, 64 << 20), (512, 4 << 20)];
/// The growth where more tasks are live.
const LEAST_GROWTH: usize = 1 << 20;

/// Returns the size of a new segment of native stack for the running task.
pub fn segment_bytes(rt: &Runtime) -> usize {
    let live = if running() == 0 { 0 } else { rt.tasks.live.load(Ordering::Relaxed) };
    GROWTHS.iter().find(|it| live <= it.0).map_or(LEAST_GROWTH, |it| it.1)
}

/// Whether the task of a thread may run, and how it learns.
#[derive(Debug, Default)]
struct Turn {
    is_now: Mutex<bool>,
    changed: Condvar,
    /// The task's code until it begins.
    body: Mutex<Option<Value>>,
}

impl Turn {
    fn hand_over(&self) {
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
    /// Numbers of threads that have no task.
    idle: Mutex<Vec<usize>>,
    /// Threads with unfinished tasks.
    live: AtomicUsize,
    /// The exception that ended a task that has no caller: task 0 ends with it too.
    escaped: Mutex<Option<Box<Thrown>>>,
    is_ending: AtomicBool,
}

/// Whether a task other than the first has begun and not ended.
pub fn any_live(rt: &Runtime) -> bool {
    rt.tasks.any_live()
}

impl Default for Tasks {
    fn default() -> Self {
        let tasks = Self {
            runtime: OnceLock::new(),
            turns: boxcar::Vec::new(),
            threads: Mutex::default(),
            idle: Mutex::default(),
            live: AtomicUsize::new(0),
            escaped: Mutex::new(None),
            is_ending: AtomicBool::new(false),
        };
        tasks.turns.push(Turn::default());
        tasks
    }
}

impl Tasks {
    /// Values that tasks wait to be run with, or ended with.
    pub(crate) fn values(&self) -> Vec<Value> {
        let bodies = self.turns.iter().filter_map(|it| *it.1.body.lock());
        bodies.chain(self.escaped.lock().iter().map(|it| it.exception)).collect()
    }

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
}

/// Makes a task that calls `body()`, which returns the number of the task to go on with. It runs once it is switched to.
/// `None` while so many tasks are live that it has to wait for the end of one.
pub(crate) fn start(rt: &Runtime, body: Value) -> Run<Option<usize>> {
    let tasks = &rt.tasks;
    let runtime = tasks.runtime.get().and_then(Weak::upgrade);
    let Some(runtime) = runtime else { return Err(rt.error("this session runs no tasks")) };
    if tasks.live.load(Ordering::Acquire) >= LIVE_MAX {
        return Ok(None);
    }
    let idle = tasks.idle.lock().pop();
    let number = match idle {
        Some(number) => number,
        None => {
            let number = tasks.turns.push(Turn::default());
            let thread = std::thread::Builder::new().name(format!("task {number}")).stack_size(STACK_BYTES);
            // Where the system has no thread to give, one may be free later.
            match thread.spawn(move || run_all(&runtime, number)) {
                Ok(thread) => tasks.threads.lock().push(thread),
                Err(_) if tasks.any_live() => return Ok(None),
                Err(error) => return Err(rt.error(&format!("a task could not begin: {error}"))),
            }
            number
        }
    };
    *tasks.turns[number].body.lock() = Some(body);
    tasks.live.fetch_add(1, Ordering::AcqRel);
    Ok(Some(number))
}

/// Runs one task after another on this thread, until the session ends.
fn run_all(rt: &Runtime, number: usize) {
    CURRENT.set(number);
    let tasks = &rt.tasks;
    let turn = &tasks.turns[number];
    loop {
        turn.wait();
        let body = turn.body.lock().take();
        if tasks.is_ending.load(Ordering::Acquire) {
            return;
        }
        let next = body.map_or(0, |it| mutator::run_as_task(&rt.heap, || run(rt, it)));
        tasks.live.fetch_sub(1, Ordering::AcqRel);
        if tasks.is_ending.load(Ordering::Acquire) {
            return;
        }
        tasks.idle.lock().push(number);
        tasks.turns[next].hand_over();
    }
}

/// Runs a task to its end; the number of the next.
fn run(rt: &Runtime, body: Value) -> usize {
    let ended = match crate::bug::catch(|| rt.call_latest(body, &[])) {
        Ok(ended) => ended,
        Err(bug) => Err(rt.error(&bug.to_string())),
    };
    let next = ended.map(|it| it.as_int(rt.types.core()).and_then(|it| usize::try_from(it).ok()));
    match next {
        Ok(next) => next.filter(|&it| rt.tasks.turns.get(it).is_some()).unwrap_or(0),
        Err(thrown) => {
            *rt.tasks.escaped.lock() = Some(thrown);
            0
        }
    }
}

/// Switches to another task, until one switches back.
pub(crate) fn switch(rt: &Runtime, number: usize) -> Run<()> {
    let own = CURRENT.get();
    let Some(turn) = rt.tasks.turns.get(number) else {
        return Err(rt.error("there is no such task"));
    };
    if number == own {
        return Ok(());
    }
    let values = crate::interp::handled_values();
    mutator::suspended(&rt.heap, values, || turn.hand_over(), || rt.tasks.turns[own].wait());
    if rt.tasks.is_ending.load(Ordering::Acquire) {
        return Err(Thrown::abort(Abort::Exit(0)));
    }
    match rt.tasks.escaped.lock().take() {
        Some(thrown) if own == 0 => Err(thrown),
        Some(thrown) => {
            *rt.tasks.escaped.lock() = Some(thrown);
            Ok(())
        }
        None => Ok(()),
    }
}

/// Ends every task that waits, one after the other. No Julia code may run.
pub fn end(rt: &Runtime) {
    rt.tasks.is_ending.store(true, Ordering::Release);
    for (_, turn) in rt.tasks.turns.iter().skip(1) {
        turn.hand_over();
    }
    let threads = std::mem::take(&mut *rt.tasks.threads.lock());
    for thread in threads {
        let _ = thread.join();
    }
}
