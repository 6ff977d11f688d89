//! Code generation in the background: one thread takes units whose code is to be generated while the program goes on.
//!
//! Inference, optimization and keys need the session's types and methods, so the thread that runs the program does that, and makes a
//! [`Generation`] of each unit. The background thread turns it into code and stores that, and touches nothing of the session.
//! A unit needs the traits of those it calls, so the program's thread asks for the next ones when their callees are done.

use crate::env::{CompileEnv, Compiler};
use crate::error::CompileError;
use crate::generate::{LookedUp, error_of, look_up_unit};
use crate::generation::{Generated, Generation, Ungenerated};
use crate::unit::{BoundUnit, UnitSource};
use crate::unit_target::UnitTarget;
use kiln_metrics::{Tallies, nanos};
use kiln_runtime::bug::{Bug, catch};
use kiln_runtime::tables::CodeInstance;
use kiln_unit::EntryKind;
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Stack of the thread: LLVM nests as deeply as functions do. Address space only until touched.
const STACK_BYTES: usize = 64 << 20;

/// The background thread of a session. It starts with the first unit, and ends with [`Background::settle`] or this value.
pub struct Background {
    compiler: Arc<Compiler>,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    progressed: Condvar,
    /// How many jobs are done, or given up.
    done: AtomicU64,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Arc<BackgroundJob>>,
    /// The thread ends.
    ends: bool,
}

/// A unit that the thread generates the code of.
pub struct BackgroundJob {
    generation: Generation,
    /// The compilation that it is a part of.
    tallies: Tallies,
    /// Until the unit takes it.
    outcome: Mutex<Option<Outcome>>,
    is_done: AtomicBool,
}

/// How a job ended.
enum Outcome {
    Done(Box<Result<Generated, Ungenerated>>),
    /// It was given up before it began.
    Dropped,
}

/// The units of a code instance whose code is being generated, by what they are compiled for and the kind of their entry.
#[derive(Debug, Default)]
struct UnitsInMaking(Mutex<FxHashMap<(u32, EntryKind), UnitInMaking>>);

/// A unit whose code is being generated.
#[derive(Debug)]
struct UnitInMaking {
    source: UnitSource,
    job: Arc<BackgroundJob>,
}

/// Why there is no unit.
#[derive(Clone)]
pub(crate) enum Unmade {
    Failed(CompileError),
    /// Its code, or that of a unit it calls, is being generated.
    InMaking,
}

impl fmt::Debug for BackgroundJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackgroundJob").field("is_done", &self.is_done()).finish_non_exhaustive()
    }
}

impl BackgroundJob {
    /// Whether its code is there, or will never be.
    pub fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }

    fn end(&self, outcome: Outcome) {
        *self.outcome.lock() = Some(outcome);
        self.is_done.store(true, Ordering::Release);
    }

    /// Generates the code; `beside` the program, which does not wait for it.
    fn run(&self, compiler: &Compiler, beside: bool) {
        let start = Instant::now();
        let counters = &compiler.counters;
        let work = || {
            let made = catch(|| self.generation.run(compiler));
            if beside {
                counters.add(|it| &it.background_ns, nanos(start.elapsed()));
            }
            made
        };
        let made = counters.on_behalf_of(&self.tallies, work);
        let bug = |it: Bug| Ungenerated::Unasked(CompileError::bug(&it.message));
        self.end(Outcome::Done(Box::new(made.map_err(bug).flatten())));
    }
}

impl Shared {
    /// Takes jobs until the thread ends.
    fn work(&self, compiler: &Compiler) {
        loop {
            let job = {
                let mut state = self.state.lock();
                loop {
                    if state.ends {
                        return;
                    }
                    if let Some(job) = state.queue.pop_front() {
                        break job;
                    }
                    self.changed.wait(&mut state);
                }
            };
            job.run(compiler, true);
            self.count_done();
        }
    }

    fn count_done(&self) {
        // Under the lock, so that no waiter misses it.
        let _state = self.state.lock();
        self.done.fetch_add(1, Ordering::Release);
        self.progressed.notify_all();
    }
}

impl fmt::Debug for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Background").field("done", &self.done()).finish_non_exhaustive()
    }
}

impl Background {
    /// The background of a session whose thread has not started.
    pub fn new(compiler: Arc<Compiler>) -> Self {
        Self { compiler, shared: Arc::default(), thread: Mutex::default() }
    }

    /// How many units have been done so far: as long as this stays, nothing is new.
    #[inline]
    pub fn done(&self) -> u64 {
        self.shared.done.load(Ordering::Acquire)
    }

    /// Waits until more than `done` units have been done, for at most so long. Whether they have.
    pub fn wait(&self, done: u64, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        let mut state = self.shared.state.lock();
        while self.done() == done {
            if self.shared.progressed.wait_until(&mut state, end).timed_out() {
                return self.done() != done;
            }
        }
        true
    }

    /// Waits for jobs. This thread takes some of those that have not begun.
    pub fn finish(&self, awaited: &[Arc<BackgroundJob>]) {
        loop {
            let done = self.done();
            if awaited.iter().all(|it| it.is_done()) {
                return;
            }
            let next = self.shared.state.lock().queue.pop_front();
            match next {
                Some(job) => {
                    job.run(&self.compiler, false);
                    self.shared.count_done();
                }
                None => _ = self.wait(done, Duration::from_secs(1)),
            }
        }
    }

    /// Waits for the unit that LLVM is working at, which cannot be interrupted, and gives up those that have not begun: they
    /// can be asked for again. Afterwards no thread is in LLVM.
    pub fn settle(&self) {
        let mut thread = self.thread.lock();
        let Some(running) = thread.take() else { return };
        let given_up = {
            let mut state = self.shared.state.lock();
            state.ends = true;
            std::mem::take(&mut state.queue)
        };
        self.shared.changed.notify_all();
        // The thread's panics are caught.
        let _ = running.join();
        for job in given_up {
            job.end(Outcome::Dropped);
            self.shared.count_done();
        }
        self.shared.state.lock().ends = false;
    }

    /// Has the code of a unit generated. Without another thread this one does it at once.
    fn ask(&self, generation: Generation) -> Arc<BackgroundJob> {
        let tallies = self.compiler.counters.tallies();
        let job = Arc::new(BackgroundJob {
            generation,
            tallies,
            outcome: Mutex::default(),
            is_done: AtomicBool::new(false),
        });
        let mut thread = self.thread.lock();
        if thread.is_none() {
            let (shared, compiler) = (self.shared.clone(), self.compiler.clone());
            let new = Builder::new().name("kiln-background".into()).stack_size(STACK_BYTES);
            *thread = new.spawn(move || shared.work(&compiler)).ok();
        }
        if thread.is_some() {
            self.shared.state.lock().queue.push_back(job.clone());
            self.shared.changed.notify_all();
        } else {
            job.run(&self.compiler, false);
            self.shared.count_done();
        }
        job
    }

    /// The unit of `source`, if its code is stored or has been generated by now; otherwise its code is generated, and the job is
    /// added to `awaited`. `typed` is the code instance that the unit is kept with.
    pub(crate) fn unit(
        &self,
        env: &CompileEnv<'_>,
        (typed, target, kind): (&CodeInstance, &UnitTarget, EntryKind),
        source: UnitSource,
        awaited: &Mutex<Vec<Arc<BackgroundJob>>>,
    ) -> Result<Arc<BoundUnit>, Unmade> {
        let in_making = typed.result_or_insert_with(UnitsInMaking::default);
        let key = (target.number(), kind);
        let known = in_making.0.lock().remove(&key);
        if let Some(known) = known.filter(|it| it.source.is_as(&source)) {
            let outcome = known.job.outcome.lock().take();
            match outcome {
                Some(Outcome::Done(made)) => {
                    let UnitInMaking { source, job } = known;
                    let failed = |why| Unmade::Failed(error_of(env, (&source, &job.generation), why));
                    let (body, stages) = made.map_err(failed)?;
                    return Ok(Arc::new(source.bind(body, stages)));
                }
                Some(Outcome::Dropped) => {}
                None => {
                    awaited.lock().push(known.job.clone());
                    in_making.0.lock().insert(key, known);
                    return Err(Unmade::InMaking);
                }
            }
        }
        match look_up_unit(env, source, kind, &|| ()).map_err(Unmade::Failed)? {
            LookedUp::Found(unit) => Ok(unit),
            LookedUp::Absent(absent) => {
                let (source, generation) = *absent;
                let job = self.ask(generation);
                awaited.lock().push(job.clone());
                in_making.0.lock().insert(key, UnitInMaking { source, job });
                Err(Unmade::InMaking)
            }
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.settle();
    }
}
