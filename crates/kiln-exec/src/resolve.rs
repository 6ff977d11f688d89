//! From a job to a kernel that can be launched: found in the launch table if nothing was defined since it was last asked
//! for, and otherwise found to be good still, or compiled, by one thread, while those that want the same job wait.
//!
//! A job that does not compile is kept as well, with what was said of it, for as long as all that was looked at is what it
//! was. Threads that want different jobs do not wait for one another but in inference, which one thread does at a time.
//!
//! # Deadlocks
//! A thread holds the locks of the jobs it compiles, taken in the order of their entries, while it infers. What runs during
//! inference (generators) must not wait for a kernel that another thread compiles.

use crate::ahead::compile_ahead;
use crate::children::children;
use crate::env::ExecEnv;
use crate::jobs::{JobEntry, KernelHandle, Made, Outcome, Uncompiled};
use crate::kernel::Kernel;
use crate::launch_table::{DeviceId, KernelJob};
use crate::make_kernels::{compile_all, compiling};
use crate::tiers::tier_of;
use kiln_compile::{CompileError, View, all_hold, code_instance, diagnostics, entry_instance, keep};
use kiln_ir::Instance;
use kiln_targets::Items;
use parking_lot::ReentrantMutexGuard;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A job that has to be compiled.
struct Open<'a> {
    job: KernelJob,
    entry: &'a JobEntry,
    view: View,
    _alone: ReentrantMutexGuard<'a, ()>,
}

/// The kernel of a job, compiled in the caller's world unless it has been.
///
/// # Errors
/// Why it does not compile.
#[inline]
pub fn resolve(env: &ExecEnv<'_>, job: &KernelJob) -> Result<KernelHandle, Arc<Uncompiled>> {
    match env.exec.jobs.resolved(env.rt, job) {
        Some(handle) => Ok(handle),
        None => resolve_now(env, job),
    }
}

#[cold]
fn resolve_now(env: &ExecEnv<'_>, job: &KernelJob) -> Result<KernelHandle, Arc<Uncompiled>> {
    resolve_all(env, &[*job]).pop().unwrap_or_else(|| unreachable!("one job is asked for"))
}

/// The kernels of many jobs: what has to be compiled is compiled on all cores.
pub fn resolve_all(env: &ExecEnv<'_>, jobs: &[KernelJob]) -> Vec<Result<KernelHandle, Arc<Uncompiled>>> {
    let ExecEnv { rt, exec } = *env;
    let mut wanted: Vec<KernelJob> = Vec::new();
    for job in jobs {
        exec.jobs.entry(job);
        let is_done = exec.jobs.current(rt.current_world(), job).is_some();
        if !is_done && !wanted.contains(job) {
            wanted.push(*job);
        }
    }
    // All threads take the locks in one order.
    wanted.sort_unstable_by_key(|it| std::ptr::from_ref(exec.jobs.entry(it)).addr());
    let open = wanted.iter().filter_map(|job| open(env, job)).collect();
    let missed = compile_open(env, open);
    let outcome = |job: &KernelJob| {
        let made = missed.iter().find(|it| it.0 == *job).map(|it| it.1.clone());
        match made.or_else(|| exec.jobs.latest(job)) {
            Some(Outcome::Ready(handle)) => Ok(handle),
            Some(Outcome::Refused(why)) => Err(why),
            None => unreachable!("a job that was compiled has an outcome"),
        }
    };
    jobs.iter().map(outcome).collect()
}

/// Waits until no other thread compiles the job; it, if it still has to be compiled then.
fn open<'a>(env: &ExecEnv<'a>, job: &KernelJob) -> Option<Open<'a>> {
    let entry = env.exec.jobs.entry(job);
    let _alone = entry.compiling.lock();
    let view = env.view(job.config);
    if let Some(made) = env.exec.jobs.made(entry) {
        let is_new = made.validated_at.load(Ordering::Acquire) == view.world.number();
        if is_new || is_still_good(env, &view, job, made) {
            made.validated_at.store(view.world.number(), Ordering::Release);
            return None;
        }
    }
    Some(Open { job: *job, entry, view, _alone })
}

/// Whether compiling a job in the world of `view` would make what was made of it.
fn is_still_good(env: &ExecEnv<'_>, view: &View, job: &KernelJob, made: &Made) -> bool {
    let Some(first) = made.parts.first() else { return false };
    let Ok(entry) = entry_instance(&env.stages(view), job.function, job.args) else { return false };
    let typed = code_instance(&env.stages(view), entry);
    typed.is_ok_and(|it| Arc::ptr_eq(&it, first)) && all_hold(&env.stages(view), &made.parts)
}

/// Whether the device of a job runs what is compiled for its target. What an image is built of runs elsewhere.
fn runs(env: &ExecEnv<'_>, view: &View, device: DeviceId) -> Result<(), CompileError> {
    let (facts, exec) = (&view.unit.facts, env.exec);
    if let Some(open) = exec.devices.get(device)
        && open.facts.backend == facts.backend
    {
        return Ok(());
    }
    let is_cpu = facts.items == Items::Loops;
    if is_cpu && (*facts == exec.compiler.options.facts || exec.collects() || kiln_targets::runs_here(facts))
    {
        return Ok(());
    }
    Err(CompileError::in_this_world(vec![diagnostics::no_device(&facts.name)]))
}

/// Compiles jobs, and keeps what becomes of them. What is not kept is returned.
fn compile_open(env: &ExecEnv<'_>, open: Vec<Open<'_>>) -> Vec<(KernelJob, Outcome)> {
    for it in &open {
        compile_ahead(env, &it.job);
    }
    let asked: Vec<KernelJob> = open.iter().map(|it| it.job).collect();
    let missed = compile_opened(env, open);
    if env.exec.collects() {
        asked.iter().for_each(|it| compile_children(env, it));
    }
    missed
}

/// Compiles what items of a kernel ask the host to launch on the processor, and what the items of that do. Devices that an
/// image is built for have kernels of their own to ask.
fn compile_children(env: &ExecEnv<'_>, job: &KernelJob) {
    let (world, jobs) = (env.rt.current_world(), &env.exec.jobs);
    let Some(Outcome::Ready(handle)) = jobs.current(world, job) else { return };
    let Some(kernel) = jobs.kernel(handle) else { return };
    for (function, args, config) in children(env, &kernel.program) {
        let child = KernelJob { function, args, config, device: job.device };
        // Its own launch says why it does not compile.
        if jobs.current(world, &child).is_none()
            && let Some(open) = open(env, &child)
        {
            compile_opened(env, vec![open]);
            compile_children(env, &child);
        }
    }
}

fn compile_opened(env: &ExecEnv<'_>, open: Vec<Open<'_>>) -> Vec<(KernelJob, Outcome)> {
    let entries: Vec<Result<Instance, CompileError>> = open
        .iter()
        .map(|it| {
            runs(env, &it.view, it.job.device)?;
            entry_instance(&env.stages(&it.view), it.job.function, it.job.args)
        })
        .collect();
    let compiled: Vec<Result<Kernel, CompileError>> = match (&open[..], &entries[..]) {
        ([one], [Ok(entry)]) => {
            let make = || compile_all(env, &[(&one.view, Ok(*entry))]);
            compiling(env, *entry, true, make)
        }
        _ => {
            let all: Vec<_> = open.iter().map(|it| &it.view).zip(entries).collect();
            compile_all(env, &all)
        }
    };
    let mut missed = Vec::new();
    for (it, kernel) in open.into_iter().zip(compiled) {
        let (outcome, parts) = match kernel {
            Ok(mut kernel) => {
                kernel.tier = tier_of(env, &it.view, &kernel);
                if let Some(name) = env.config(it.job.config).options.name {
                    kernel.set_name(name);
                }
                kernel.device = it.job.device;
                env.counters().count(|it| &it.kernels_compiled);
                let parts = kernel.parts.clone();
                (Outcome::Ready(env.exec.jobs.add(kernel)), Some(parts))
            }
            Err(refusal) => {
                env.counters().count(|it| &it.kernels_refused);
                // The next session finds out sooner.
                refusal
                    .dependencies
                    .iter()
                    .flat_map(|it| it.iter())
                    .for_each(|part| keep(&env.stages(&it.view), part));
                let message = env.exec.compiler.render(&refusal.diagnostics);
                let dependencies = refusal.dependencies.clone();
                (Outcome::Refused(Arc::new(Uncompiled { message, error: refusal })), dependencies)
            }
        };
        let Some(parts) = parts else {
            missed.push((it.job, outcome));
            continue;
        };
        let validated_at = AtomicU64::new(it.view.world.number());
        env.exec.jobs.keep(it.entry, Made { outcome, validated_at, parts });
    }
    missed
}
