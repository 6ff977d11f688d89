//! From a job to a kernel that can be launched: found in the launch table if nothing was defined since it was last asked
//! for, and otherwise found to be good still, or compiled, by one thread, while those that want the same job wait.
//!
//! A job that does not compile is kept as well, with what was said of it, for as long as all that was looked at is what it
//! was. Threads that want different jobs do not wait for one another but in inference, which one thread does at a time.
//!
//! # Deadlocks
//! A thread holds the locks of the jobs it compiles, taken in the order of their entries, while it infers. What runs during
//! inference (generators) must not wait for a kernel that another thread compiles.

use crate::kernel::{Kernel, KernelEntry};
use crate::kernel_host::Driver;
use crate::launch_table::{DeviceId, KernelJob};
use kiln_compile::{
    CacheHit, CallGraph, CompileError, Composition, Program, View, Wanted, all_hold, checked_graph,
    code_instance, compose_all, device::device_program, diagnostics, entry_instance, found_kernel, keep,
};
use kiln_ir::Instance;
use kiln_runtime::Runtime;
use kiln_runtime::tables::CodeInstance;
use kiln_targets::Items;
use kiln_unit::EntryKind;
use kiln_types::Type;
use parking_lot::{ReentrantMutex, ReentrantMutexGuard};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A kernel that has been compiled and linked: a number of this session's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelHandle(u64);

impl KernelHandle {
    /// The handle of this number, if there is one: else launching it says so.
    pub fn from_number(number: u64) -> Self {
        Self(number)
    }
    /// Its number.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// Why a job does not compile.
#[derive(Debug)]
pub struct Uncompiled {
    /// The problems, rendered.
    pub message: String,
}

impl std::error::Error for Uncompiled {}

impl fmt::Display for Uncompiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The outcome of a job.
#[derive(Clone, Debug)]
enum Outcome {
    Ready(KernelHandle),
    Refused(Arc<Uncompiled>),
}

/// The outcome of a job when it was last compiled.
#[derive(Debug)]
pub(crate) struct Made {
    outcome: Outcome,
    /// The newest world in which it was found to be good.
    validated_at: AtomicU64,
    /// The results it was made of, the entry's first. None: nothing is known of what it depends on.
    parts: Arc<[Arc<CodeInstance>]>,
}

/// The launch table's entry of a job.
#[derive(Debug, Default)]
pub(crate) struct JobEntry {
    /// The number of what was made of it last, plus 1.
    made: AtomicU32,
    /// Held while it is compiled. A generator may ask for the job that it is run for.
    compiling: ReentrantMutex<()>,
}

/// A job that has to be compiled.
struct Open<'a> {
    job: KernelJob,
    entry: &'a JobEntry,
    view: View,
    _alone: ReentrantMutexGuard<'a, ()>,
}

impl Driver {
    /// The kernel of a job that was asked for before, if nothing has been defined since: one probe, no lock, nothing
    /// allocated, nothing counted.
    #[inline]
    pub fn resolved(&self, rt: &Runtime, job: &KernelJob) -> Option<KernelHandle> {
        match self.made(self.jobs.find(job)?)? {
            Made { outcome: Outcome::Ready(handle), validated_at, .. }
                if validated_at.load(Ordering::Acquire) == rt.current_world().number() =>
            {
                Some(*handle)
            }
            Made { .. } => None,
        }
    }

    /// The kernel of a job, compiled in the caller's world unless it has been.
    ///
    /// # Errors
    /// Why it does not compile.
    #[inline]
    pub fn resolve(&self, rt: &Runtime, job: &KernelJob) -> Result<KernelHandle, Arc<Uncompiled>> {
        match self.resolved(rt, job) {
            Some(handle) => Ok(handle),
            None => self.resolve_now(rt, job),
        }
    }

    #[cold]
    fn resolve_now(&self, rt: &Runtime, job: &KernelJob) -> Result<KernelHandle, Arc<Uncompiled>> {
        self.resolve_all(rt, &[*job]).pop().unwrap_or_else(|| unreachable!("one job is asked for"))
    }

    /// The kernels of many jobs: what has to be compiled is compiled on all cores.
    pub fn resolve_all(
        &self,
        rt: &Runtime,
        jobs: &[KernelJob],
    ) -> Vec<Result<KernelHandle, Arc<Uncompiled>>> {
        let mut wanted: Vec<KernelJob> = Vec::new();
        for job in jobs {
            self.jobs.find_or_insert(job);
            let is_done = self.current(rt, job).is_some();
            if !is_done && !wanted.contains(job) {
                wanted.push(*job);
            }
        }
        // All threads take the locks in one order.
        wanted.sort_unstable_by_key(|it| std::ptr::from_ref(self.jobs.find_or_insert(it)).addr());
        let open = wanted.iter().filter_map(|job| self.open(rt, job)).collect();
        let missed = self.compile_open(rt, open);
        let outcome = |job: &KernelJob| {
            let made = missed.iter().find(|it| it.0 == *job).map(|it| it.1.clone());
            match made.or_else(|| self.latest(job)) {
                Some(Outcome::Ready(handle)) => Ok(handle),
                Some(Outcome::Refused(why)) => Err(why),
                None => unreachable!("a job that was compiled has an outcome"),
            }
        };
        jobs.iter().map(outcome).collect()
    }

    /// Returns the last result of an entry.
    #[inline]
    fn made(&self, entry: &JobEntry) -> Option<&Made> {
        self.made.get(entry.made.load(Ordering::Acquire).checked_sub(1)? as usize)
    }

    fn latest(&self, job: &KernelJob) -> Option<Outcome> {
        Some(self.made(self.jobs.find(job)?)?.outcome.clone())
    }

    /// The same, if it is good in the caller's world and that is known.
    fn current(&self, rt: &Runtime, job: &KernelJob) -> Option<Outcome> {
        let made = self.made(self.jobs.find(job)?)?;
        (made.validated_at.load(Ordering::Acquire) == rt.current_world().number())
            .then(|| made.outcome.clone())
    }

    /// Waits until no other thread compiles the job; it, if it still has to be compiled then.
    fn open<'a>(&'a self, rt: &Runtime, job: &KernelJob) -> Option<Open<'a>> {
        let entry = self.jobs.find_or_insert(job);
        let _alone = entry.compiling.lock();
        let view = self.config_view(rt, job.config);
        if let Some(made) = self.made(entry) {
            let is_new = made.validated_at.load(Ordering::Acquire) == view.world.number();
            if is_new || self.is_still_good(rt, &view, job, made) {
                made.validated_at.store(view.world.number(), Ordering::Release);
                return None;
            }
        }
        Some(Open { job: *job, entry, view, _alone })
    }

    /// Whether compiling a job in the world of `view` would make what was made of it.
    fn is_still_good(&self, rt: &Runtime, view: &View, job: &KernelJob, made: &Made) -> bool {
        let Some(first) = made.parts.first() else { return false };
        let Ok(entry) = entry_instance(&self.env(rt, view), job.function, job.args) else { return false };
        let typed = code_instance(&self.env(rt, view), entry);
        typed.is_ok_and(|it| Arc::ptr_eq(&it, first)) && all_hold(&self.env(rt, view), &made.parts)
    }

    /// Whether the device of a job runs what is compiled for its target. What an image is built of runs elsewhere.
    fn runs(&self, view: &View, device: DeviceId) -> Result<(), CompileError> {
        let facts = &view.unit.facts;
        if let Some(open) = self.opened_device(device)
            && open.facts.backend == facts.backend
        {
            return Ok(());
        }
        let is_cpu = facts.items == Items::Loops;
        if is_cpu && (facts == self.facts() || self.collects() || kiln_targets::runs_here(facts)) {
            return Ok(());
        }
        Err(CompileError::in_this_world(vec![diagnostics::no_device(&facts.name)]))
    }

    /// Compiles jobs, and keeps what becomes of them. What is not kept is returned.
    fn compile_open(&self, rt: &Runtime, open: Vec<Open<'_>>) -> Vec<(KernelJob, Outcome)> {
        for it in &open {
            self.compile_ahead(rt, &it.job);
        }
        let asked: Vec<KernelJob> = open.iter().map(|it| it.job).collect();
        let missed = self.compile_opened(rt, open);
        if self.collects() {
            asked.iter().for_each(|it| self.compile_children(rt, it));
        }
        missed
    }

    /// Compiles what items of a kernel ask the host to launch on the processor, and what the items of that do. Devices that an
    /// image is built for have kernels of their own to ask.
    fn compile_children(&self, rt: &Runtime, job: &KernelJob) {
        let Some(Outcome::Ready(handle)) = self.current(rt, job) else { return };
        let Some(kernel) = self.kernel(handle.number()) else { return };
        for (function, args, config) in self.children(rt, &kernel.program) {
            let child = KernelJob { function, args, config, device: job.device };
            // Its own launch says why it does not compile.
            if self.current(rt, &child).is_none()
                && let Some(open) = self.open(rt, &child)
            {
                self.compile_opened(rt, vec![open]);
                self.compile_children(rt, &child);
            }
        }
    }

    fn compile_opened(&self, rt: &Runtime, open: Vec<Open<'_>>) -> Vec<(KernelJob, Outcome)> {
        let entries: Vec<Result<Instance, CompileError>> = open
            .iter()
            .map(|it| {
                self.runs(&it.view, it.job.device)?;
                entry_instance(&self.env(rt, &it.view), it.job.function, it.job.args)
                    .map_err(CompileError::in_this_world)
            })
            .collect();
        let compiled: Vec<Result<Kernel, CompileError>> = match (&open[..], &entries[..]) {
            ([one], [Ok(entry)]) => {
                let make = || self.compile_all(rt, &[(&one.view, Ok(*entry))]);
                self.compiling(rt, *entry, true, make)
            }
            _ => {
                let all: Vec<_> = open.iter().map(|it| &it.view).zip(entries).collect();
                self.compile_all(rt, &all)
            }
        };
        let mut missed = Vec::new();
        for (it, kernel) in open.into_iter().zip(compiled) {
            let (outcome, parts) = match kernel {
                Ok(mut kernel) => {
                    kernel.name = self.config(it.job.config).options.name.unwrap_or(kernel.name);
                    kernel.device = it.job.device;
                    self.counters().count(|it| &it.kernels_compiled);
                    let parts = kernel.parts.clone();
                    (Outcome::Ready(KernelHandle(self.kernels.push(kernel) as u64)), Some(parts))
                }
                Err(refusal) => {
                    self.counters().count(|it| &it.kernels_refused);
                    // The next session finds out sooner.
                    refusal
                        .dependencies
                        .iter()
                        .flat_map(|it| it.iter())
                        .for_each(|part| keep(&self.env(rt, &it.view), part));
                    let message = self.compiler.render(&refusal.diagnostics);
                    (Outcome::Refused(Arc::new(Uncompiled { message })), refusal.dependencies)
                }
            };
            let Some(parts) = parts else {
                missed.push((it.job, outcome));
                continue;
            };
            let validated_at = AtomicU64::new(it.view.world.number());
            let number = self.made.push(Made { outcome, validated_at, parts });
            it.entry.made.store(number as u32 + 1, Ordering::Release);
        }
        missed
    }

    /// Infers and checks each entry, then compiles the units of all that passed, then links.
    pub(crate) fn compile_all(
        &self,
        rt: &Runtime,
        entries: &[(&View, Result<Instance, CompileError>)],
    ) -> Vec<Result<Kernel, CompileError>> {
        let made = |(view, entry): &(&View, Result<Instance, CompileError>)| {
            let entry = entry.clone()?;
            Ok(match found_kernel(&self.env(rt, view), entry) {
                Some(found) => Checked::Found(found),
                None => Checked::Graph(checked_graph(&self.env(rt, view), entry)?),
            })
        };
        let checked: Vec<Result<Checked, CompileError>> = entries.iter().map(made).collect();
        let passed = entries.iter().zip(&checked).filter_map(|(it, checked)| match checked {
            Ok(Checked::Graph(graph)) => Some((it.0, graph)),
            Ok(Checked::Found(_)) | Err(_) => None,
        });
        let wanted: Vec<Wanted<'_>> = passed
            .map(|(view, graph)| Wanted { env: self.env(rt, view), graph, entry: EntryKind::Kernel })
            .collect();
        let composed = if wanted.is_empty() { Vec::new() } else { compose_all(&self.compiler, &wanted) };
        let mut composed = composed.into_iter();
        let each = entries.iter().zip(&checked);
        each.map(|(it, checked)| match checked {
            Err(refusal) => Err(refusal.clone()),
            Ok(Checked::Found(found)) => {
                self.cpu_kernel(rt, it.0, &found.composition, [found.typed.clone()].into())
            }
            Ok(Checked::Graph(graph)) => {
                let composition =
                    composed.next().unwrap_or_else(|| unreachable!("each graph that passed has one"));
                let composition = composition.map_err(|it| it.with_dependencies(graph.parts()))?;
                if it.0.unit.facts.items == Items::Loops {
                    self.cpu_kernel(rt, it.0, &composition, graph.parts())
                } else {
                    self.device_kernel(rt, it.0, graph, &composition)
                }
            }
        })
        .collect()
    }

    fn device_kernel(
        &self,
        rt: &Runtime,
        view: &View,
        graph: &CallGraph,
        composition: &Composition,
    ) -> Result<Kernel, CompileError> {
        let parts = graph.parts();
        let wanted = kiln_unit::Wanted { object: true, ..kiln_unit::Wanted::default() };
        let made = device_program(&self.env(rt, view), graph, composition, None, wanted)?;
        let made = self.device_entry(rt, view, made);
        let (entry, program) = made.map_err(|it| CompileError::of_driver(&it))?;
        let (entry, device) = (KernelEntry::Device(Box::new(entry)), DeviceId::CPU);
        let (name, is_random) = (entry_method_name(rt, &parts), crate::seed::is_drawn_from(rt, &parts));
        let signature = signature_of(rt, &program);
        Ok(Kernel { name, entry, device, program, signature, is_random, parts })
    }

    /// Links a kernel for this machine.
    fn cpu_kernel(
        &self,
        rt: &Runtime,
        view: &View,
        composition: &Composition,
        parts: Arc<[Arc<CodeInstance>]>,
    ) -> Result<Kernel, CompileError> {
        let linker = self.linker().map_err(|it| CompileError::bug(&it))?;
        let linked = Program::link(&self.env(rt, view), &linker, composition);
        let (program, linked) = linked.map_err(|it| CompileError::bug(&it.to_string()))?;
        let (link, shared) = (program.entry(), program.shared_bytes as usize);
        let heap = view.heap_bytes as usize;
        let bound = view.unit.facts.limits.static_shared_bytes;
        if let Some(max) = bound.filter(|it| program.shared_bytes > *it) {
            let method = rt.tables.method(rt.tables.instance_data(parts[0].instance).method);
            let message = format!(
                "{shared} bytes of static shared memory, where a group has {max}: {} may be larger",
                diagnostics::memory_of_launch(rt)
            );
            return Err(CompileError::limit(diagnostics::target_limit(method.loc, &message), parts));
        }
        let entry = crate::trusted::cpu_kernel(linker, &linked, link, shared, heap)
            .ok_or_else(|| CompileError::bug(&format!("the code generator made no `{}`", link.entry)))?;
        let (entry, device) = (KernelEntry::Cpu(entry), DeviceId::CPU);
        let (name, is_random) = (entry_method_name(rt, &parts), crate::seed::is_drawn_from(rt, &parts));
        let signature = signature_of(rt, &program);
        Ok(Kernel { name, entry, device, program, signature, is_random, parts })
    }
}

fn signature_of(rt: &Runtime, program: &Program) -> Type {
    rt.tables.instance_data(program.entry_function().instance).spec_types
}

/// An entry that passed.
enum Checked {
    /// Its kernel was found.
    Found(CacheHit),
    /// The call graph.
    Graph(CallGraph),
}

fn entry_method_name(rt: &Runtime, parts: &[Arc<CodeInstance>]) -> kiln_types::Symbol {
    rt.tables.method(rt.tables.instance_data(parts[0].instance).method).name
}
