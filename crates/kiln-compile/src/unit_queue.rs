//! Compiling units over a work queue: every core takes units of which all callees are done, of one kernel or of many.
//!
//! Inference has been done by then, by one thread; what is left is LLVM's work, in a context of its own for each unit. More
//! threads are started only when there is more than one unit to compile that is not stored, and end with the queue. A unit
//! that several threads want is compiled by one: the others wait for it.

use crate::background::{Background, BackgroundJob, Unmade};
use crate::env::{CompileEnv, Compiler};
use crate::error::CompileError;
use crate::found_kernel::keep_kernel;
use crate::generate::{compile_unit, led_to};
use crate::graph::{CallGraph, Node};
use crate::inputs::View;
use crate::late_unit::{late_unit, may_be_late};
use crate::naming::job;
use crate::program::{LinkSet, is_valid, source};
use crate::typed::resolve;
use crate::typed_cache::keep_with_callees;
use crate::unit::{BoundUnit, Units};
use kiln_ir::Instance;
use kiln_runtime::bug::{catch, while_doing};
use kiln_unit::{EntryKind, Traits};
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{Builder, Scope};

/// Stack of a thread that compiles: LLVM nests as deeply as functions do. Address space only until touched.
const STACK_BYTES: usize = 64 << 20;

/// A program whose units are wanted.
pub struct LinkSetRequest<'a> {
    /// The environment of the job.
    pub env: CompileEnv<'a>,
    /// The functions of the program.
    pub graph: &'a CallGraph,
    /// The kind of its entry.
    pub entry: EntryKind,
    /// Whether units of which no function has run may be [late](crate::LateUnit).
    pub may_be_late: bool,
}

/// One unit to be made.
struct Task<'a> {
    wanted: &'a LinkSetRequest<'a>,
    /// Which of the programs that is.
    program: usize,
    /// Its functions, as nodes of the graph, the entry first.
    group: Vec<usize>,
    kind: EntryKind,
    /// Units it waits for.
    waits_for: AtomicUsize,
    /// Tasks that wait for it.
    users: Vec<usize>,
    made: OnceLock<Result<Arc<BoundUnit>, Unmade>>,
}

/// The units of a program, as far as they could be had without waiting.
pub enum PromptLinkSet {
    /// All of them.
    Made(LinkSet),
    /// The code of these is being generated, and of others that wait for them.
    Awaits(Vec<Arc<BackgroundJob>>),
}

/// The thread that generates code beside this one.
#[derive(Clone, Copy)]
struct Beside<'a> {
    background: &'a Background,
    awaited: &'a Mutex<Vec<Arc<BackgroundJob>>>,
    /// Whether the program's units are asked for for the first time.
    is_first: bool,
}

/// The tasks of all programs, and for each program its tasks, callees first, and which task makes which function.
struct Plan<'a> {
    tasks: Vec<Task<'a>>,
    programs: Vec<(Vec<usize>, FxHashMap<Instance, usize>)>,
}

/// The state that the threads share.
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// Threads that may still be started.
    helpers: AtomicUsize,
}

struct State {
    ready: Vec<usize>,
    left: usize,
    /// The panic of a helper: then all threads stop.
    bug: Option<kiln_runtime::bug::Bug>,
}

impl<'a> Plan<'a> {
    fn new(wanted: &'a [LinkSetRequest<'a>]) -> Self {
        let mut plan = Plan { tasks: Vec::new(), programs: Vec::new() };
        // Kernels share units: those of the same result for the same target are one task.
        let mut known: FxHashMap<(usize, bool, u32), usize> = FxHashMap::default();
        for (program, it) in wanted.iter().enumerate() {
            let (mut tasks, mut makes) = (Vec::new(), FxHashMap::default());
            let groups = it.graph.groups();
            let last = groups.len().wrapping_sub(1);
            for (at, mut group) in groups.into_iter().enumerate() {
                if group.iter().any(|node| it.graph.nodes[*node].is_interpreted) {
                    continue; // alone, as it calls nothing
                }
                group.sort_unstable(); // the entry is node 0
                let kind = if at == last { it.entry } else { EntryKind::Body };
                let whole = group.iter().map(|node| Arc::as_ptr(&it.graph.nodes[*node].typed).addr()).min();
                let key =
                    (whole.unwrap_or_default(), kind == EntryKind::Body, it.env.view.unit.of(kind).number());
                let new = plan.tasks.len();
                let task = *known.entry(key).or_insert(new);
                makes.extend(group.iter().map(|node| (it.graph.nodes[*node].typed.instance, task)));
                if task == new {
                    let callees = group.iter().flat_map(|node| &it.graph.nodes[*node].callees);
                    let callees = callees.filter_map(|node| makes.get(&it.graph.nodes[*node].typed.instance));
                    let mut waits_for: Vec<usize> = callees.copied().filter(|it| *it != new).collect();
                    waits_for.sort_unstable();
                    waits_for.dedup();
                    waits_for.iter().for_each(|it| plan.tasks[*it].users.push(new));
                    let waits_for = AtomicUsize::new(waits_for.len());
                    let (users, made) = (Vec::new(), OnceLock::new());
                    plan.tasks.push(Task { wanted: it, program, group, kind, waits_for, users, made });
                }
                tasks.push(task);
            }
            plan.programs.push((tasks, makes));
        }
        plan
    }

    /// Makes the units, with the help of up to so many threads, or in the background.
    fn make(&self, compiler: &Compiler, (helpers, beside): (usize, Option<Beside<'_>>)) {
        let ready = (0..self.tasks.len()).filter(|it| self.tasks[*it].waits_for.load(Ordering::Relaxed) == 0);
        // The last is taken first.
        let ready: Vec<usize> = ready.rev().collect();
        let queue = Queue {
            state: Mutex::new(State { ready, left: self.tasks.len(), bug: None }),
            changed: Condvar::new(),
            helpers: AtomicUsize::new(helpers),
        };
        std::thread::scope(|scope| Worker { compiler, plan: self, queue: &queue, beside }.run(scope));
        if let Some(bug) = queue.state.into_inner().bug {
            resume_unwind(Box::new(bug));
        }
    }

    /// The unit that a task made.
    fn unit(&self, task: usize) -> Option<&Arc<BoundUnit>> {
        self.tasks[task].made.get()?.as_ref().ok()
    }
}

/// The units of each program, compiled unless they have been.
pub fn link_sets(compiler: &Compiler, wanted: &[LinkSetRequest<'_>]) -> Vec<Result<LinkSet, CompileError>> {
    let plan = Plan::new(wanted);
    plan.make(compiler, (compiler.threads().saturating_sub(1), None));
    let each = wanted.iter().zip(&plan.programs);
    let link_sets = each.map(|(it, program)| planned_link_set(it, &plan, &program.0));
    let link_set = |it| match it {
        Ok(link_set) => Ok(link_set),
        Err(Unmade::Failed(why)) => Err(why),
        Err(Unmade::InMaking) => Err(CompileError::bug("a unit is made elsewhere")),
    };
    link_sets.map(link_set).collect()
}

/// The units of a program, if each has been made or is stored. The code of the others is generated in the background;
/// `is_first` says that they have not been asked for before, so that the ones that there are count as found.
///
/// # Errors
/// When a unit cannot be made.
pub fn prompt_link_set(
    wanted: &LinkSetRequest<'_>,
    background: &Background,
    is_first: bool,
) -> Result<PromptLinkSet, CompileError> {
    let plan = Plan::new(std::slice::from_ref(wanted));
    let awaited = Mutex::default();
    let beside = Beside { background, awaited: &awaited, is_first };
    plan.make(wanted.env.compiler, (0, Some(beside)));
    match planned_link_set(wanted, &plan, &plan.programs[0].0) {
        Ok(link_set) => Ok(PromptLinkSet::Made(link_set)),
        Err(Unmade::Failed(why)) => Err(why),
        Err(Unmade::InMaking) => Ok(PromptLinkSet::Awaits(awaited.into_inner())),
    }
}

/// The units of one program, once all are made.
fn planned_link_set(
    wanted: &LinkSetRequest<'_>,
    plan: &Plan<'_>,
    tasks: &[usize],
) -> Result<LinkSet, Unmade> {
    let mut units: Vec<Arc<BoundUnit>> = Vec::with_capacity(tasks.len());
    let (mut refused, mut awaits) = (None::<CompileError>, false);
    for &task in tasks {
        match plan.tasks[task].made.get() {
            Some(Ok(unit)) => units.push(unit.clone()),
            Some(Err(Unmade::InMaking)) => awaits = true,
            Some(Err(Unmade::Failed(why))) => match &mut refused {
                Some(refused) => refused.add(why),
                None => refused = Some(why.clone()),
            },
            None => return Err(Unmade::Failed(CompileError::bug("a unit was not compiled"))),
        }
    }
    if let Some(refused) = refused {
        return Err(Unmade::Failed(refused));
    }
    if awaits {
        return Err(Unmade::InMaking);
    }
    let means = units.iter().flat_map(|it| &it.callees);
    let means = means.map(|it| (it.instance, resolve(&wanted.env, it.instance))).collect();
    Ok(LinkSet::new(units, means))
}

/// One thread that compiles.
#[derive(Clone, Copy)]
struct Worker<'a> {
    compiler: &'a Compiler,
    plan: &'a Plan<'a>,
    queue: &'a Queue,
    beside: Option<Beside<'a>>,
}

impl<'a> Worker<'a> {
    /// Takes tasks until all are done.
    fn run<'scope>(self, scope: &'scope Scope<'scope, 'a>) {
        while let Some(task) = self.next() {
            let made = catch(|| self.make(task, &|| self.ask_for_help(scope)));
            let mut state = self.queue.state.lock();
            match made {
                Ok(made) => {
                    let _ = self.plan.tasks[task].made.set(made);
                    state.left -= 1;
                    let users = self.plan.tasks[task].users.iter();
                    let ready = users
                        .filter(|it| self.plan.tasks[**it].waits_for.fetch_sub(1, Ordering::AcqRel) == 1);
                    state.ready.extend(ready);
                }
                Err(bug) => state.bug = Some(bug),
            }
            drop(state);
            self.queue.changed.notify_all();
        }
    }

    fn next(self) -> Option<usize> {
        let mut state = self.queue.state.lock();
        loop {
            if state.left == 0 || state.bug.is_some() {
                return None;
            }
            if let Some(task) = state.ready.pop() {
                return Some(task);
            }
            self.queue.changed.wait(&mut state);
        }
    }

    /// Starts another thread, if there is something for it to do.
    fn ask_for_help<'scope>(self, scope: &'scope Scope<'scope, 'a>) {
        if self.queue.state.lock().ready.is_empty() {
            return;
        }
        let take = |left: usize| left.checked_sub(1);
        if self.queue.helpers.fetch_update(Ordering::AcqRel, Ordering::Relaxed, take).is_ok() {
            let thread = Builder::new().name("kiln-compile".into()).stack_size(STACK_BYTES);
            // Without another thread this one does it all.
            let tallies = self.compiler.counters.tallies();
            let work = move || self.compiler.counters.on_behalf_of(&tallies, || self.run(scope));
            let _ = thread.spawn_scoped(scope, work);
        }
    }

    /// The unit of a task, whose callees are done. `is_work` is called before it is compiled.
    fn make(self, task: usize, is_work: &dyn Fn()) -> Result<Arc<BoundUnit>, Unmade> {
        let Worker { plan, beside, .. } = self;
        let Task { wanted, program, group, kind, .. } = &plan.tasks[task];
        let makes = &plan.programs[*program].1;
        let traits =
            |instance: Instance| -> Option<Traits> { plan.unit(*makes.get(&instance)?)?.traits(instance) };
        let (graph, env) = (wanted.graph, &wanted.env);
        let ready = group.iter().flat_map(|it| &graph.nodes[*it].callees).filter(|it| !group.contains(it));
        for node in ready {
            // Its own failure is what is reported.
            let callee =
                makes.get(&graph.nodes[*node].typed.instance).and_then(|it| plan.tasks[*it].made.get());
            if let Some(Err(unmade)) = callee {
                return Err(unmade.clone());
            }
        }
        let first = group.iter().min_by_key(|it| graph.nodes[**it].typed.instance);
        let of_first = &graph.nodes[*first.expect("a group has a function")].typed;
        let (target, resolve) = (env.view.unit.of(*kind), |it: Instance| resolve(env, it));
        let is_valid = |it: &BoundUnit| is_valid(it, (graph, group), (target, *kind), &traits, &resolve);
        let is_found = Cell::new(true);
        // A late unit stays one although its functions have run: its entries are where callers call it.
        let is_enough = |it: &BoundUnit| is_valid(it) && (wanted.may_be_late || it.late.is_none());
        let unit = Units::of(of_first).get_or_make((target, *kind), is_enough, |known| {
            is_found.set(false);
            let nodes: Vec<&Node> = group.iter().map(|it| &graph.nodes[*it]).collect();
            let is_late = wanted.may_be_late && *kind == EntryKind::Body && may_be_late(env, &nodes);
            let late = known.filter(|it| is_valid(it)).and_then(|it| it.late.as_deref());
            let named = graph.nodes[group[0]].typed.instance;
            let what = || format!("compiling the unit of {}", job(env.rt, named));
            let source = late.map_or_else(|| source(graph, group, &traits), |it| it.source.clone());
            let is_own = Arc::ptr_eq(target, &env.view.unit);
            let other = (!is_own).then(|| View { unit: target.clone(), ..env.view.clone() });
            let by = &other.as_ref().map_or(*env, |it| env.with_view(it));
            let unit = while_doing(what, || match beside {
                _ if is_late => {
                    let typed = nodes.iter().map(|it| Arc::downgrade(&it.typed)).collect();
                    late_unit(by, source, typed).map_err(Unmade::Failed)
                }
                None => compile_unit(by, source, *kind, is_work).map_err(Unmade::Failed),
                Some(it) => it.background.unit(by, (of_first, target, *kind), source, it.awaited),
            });
            let unit = unit.map_err(|it| match it {
                Unmade::Failed(why) => Unmade::Failed(led_to(env.compiler, why, &graph.path_to(group[0]))),
                Unmade::InMaking => Unmade::InMaking,
            })?;
            if let Some(late) = late {
                let _ = late.made.set(unit.clone());
            }
            group.iter().for_each(|it| keep_with_callees(env, &graph.nodes[*it].typed));
            // The warnings of one that has any are told by its call graph.
            if graph.doubts.is_empty() {
                keep_kernel(env, (&graph.nodes[group[0]].typed, *kind), &unit);
            }
            group.iter().for_each(|it| Units::of(&graph.nodes[*it].typed).put(target, *kind, unit.clone()));
            Ok::<_, Unmade>(unit)
        })?;
        if is_found.get() && beside.is_none_or(|it| it.is_first) {
            env.counters().count(|it| &it.memory_hits);
        }
        Ok(unit)
    }
}
