//! Kernels that are compiled again when they are worth it.
//!
//! On the processor, a kernel with barriers is first compiled to run its items on fibers. Regions take 2 to 3 times as long to
//! compile, and run 50 to 300 times faster. So launches on fibers are timed, and when they have taken about as long as compiling
//! regions does, the kernel is compiled once more: the launch that exceeds the limit goes on with the groups that have not run.
//!
//! What the cache or an image has is used at once, and images are built of regions.

use crate::env::ExecEnv;
use crate::kernel::{Kernel, KernelEntry, Tier};
use crate::make_kernels::{compile_all, compiling, kernel_of};
use crate::trusted;
use kiln_compile::{View, found_kernel};
use kiln_launch::{CpuDevice, CpuKernel, Failure, Grid, Seed};
use kiln_metrics::nanos;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The time on fibers after which a kernel is compiled again: what compiling the regions of a small kernel takes.
const ON_FIBERS_MAX: Duration = Duration::from_millis(20);

/// Returns the tier of a kernel that was made in this view; `None` if it has no better form.
pub(crate) fn tier_of(env: &ExecEnv<'_>, view: &View, kernel: &Kernel) -> Option<Tier> {
    if is_cut(kernel) || !matches!(kernel.entry, KernelEntry::Cpu(_)) {
        return None;
    }
    let targets = &env.exec.compiler.targets;
    let unit = targets.with_regions(&view.unit).or_else(|| targets.with_screen(&view.unit))?;
    let tier = Tier::new(View { unit, ..view.clone() }, kernel.parts[0].instance);
    if env.exec.collects() {
        improve(env, &tier);
    } else if let Some(found) = found_kernel(&env.stages(&tier.view), tier.entry) {
        let made = kernel_of(env, &tier.view, &found).ok().filter(is_cut);
        let _ = tier.better.set(made.map(Box::new));
    }
    Some(tier)
}

/// Returns the better form of a kernel, compiled now if it has not been.
fn improve<'k>(env: &ExecEnv<'_>, tier: &'k Tier) -> Option<&'k Kernel> {
    let make = || {
        let compile = || compile_all(env, &[(&tier.view, Ok(tier.entry))]);
        let mut made = compiling(env, tier.entry, true, compile);
        // A kernel that does not compile so has its other form.
        let kernel = made.pop().and_then(Result::ok).filter(is_cut);
        kernel.map(|mut it| {
            it.name = tier.name.unwrap_or(it.name);
            Box::new(it)
        })
    };
    tier.better.get_or_init(make).as_deref()
}

/// A launch of so many items is screened from the first one on.
const ITEMS_SCREENED: i64 = 1024;
/// A kernel whose screened form has suspected so many launches is checked at once.
const SUSPECTED_MAX: u32 = 3;

/// Returns the screened form of a checked kernel for a launch, if that is worth it.
pub(crate) fn screened<'k>(env: &ExecEnv<'_>, kernel: &'k Kernel, grid: &Grid) -> Option<&'k CpuKernel> {
    let tier = kernel.tier.as_ref().filter(|it| it.screens)?;
    if tier.suspected.load(Ordering::Relaxed) >= SUSPECTED_MAX {
        return None;
    }
    let items = grid.groups.iter().chain(&grid.items).fold(1i64, |all, it| all.saturating_mul(*it));
    let spent = Duration::from_nanos(tier.spent_ns.load(Ordering::Relaxed));
    let is_small = items < ITEMS_SCREENED && !env.exec.compiler.targets.are_best_at_once();
    if tier.better.get().is_none() && is_small && spent < ON_FIBERS_MAX {
        return None;
    }
    match improve(env, tier) {
        Some(Kernel { entry: KernelEntry::Cpu(screened), .. }) => Some(screened),
        _ => None,
    }
}

/// Notes how long a launch of a checked kernel took, and whether its screened form suspected it.
pub(crate) fn note_checked(kernel: &Kernel, took: Duration, is_suspected: bool) {
    if let Some(tier) = kernel.tier.as_ref().filter(|it| it.screens) {
        tier.spent_ns.fetch_add(nanos(took), Ordering::Relaxed);
        tier.suspected.fetch_add(is_suspected.into(), Ordering::Relaxed);
    }
}

/// Whether a kernel runs without fibers.
fn is_cut(kernel: &Kernel) -> bool {
    matches!(&kernel.entry, KernelEntry::Cpu(it) if !it.uses_fibers())
}

/// Launches a kernel that may get better. A failure comes with the form that failed.
pub(crate) fn launch<'k>(
    env: &ExecEnv<'_>,
    device: &CpuDevice,
    (kernel, tier, entry): (&'k Kernel, &'k Tier, &CpuKernel),
    (grid, seed): (&Grid, Option<Seed>),
    args: &[u8],
) -> Result<(), (&'k Kernel, Failure)> {
    let spent = Duration::from_nanos(tier.spent_ns.load(Ordering::Relaxed));
    let budget = ON_FIBERS_MAX.saturating_sub(spent);
    let is_open = tier.better.get().is_none();
    let budget = (is_open && entry.is_divisible()).then_some(budget);
    let start = Instant::now();
    let (next, result) = trusted::launch_part(device, entry, (grid, seed), args, (0, budget));
    let took = start.elapsed();
    tier.spent_ns.fetch_add(nanos(took), Ordering::Relaxed);
    let result = result.map_err(|it| (kernel, it));
    if next >= grid.groups.iter().product::<i64>() {
        if is_open && spent + took >= ON_FIBERS_MAX {
            improve(env, tier); // for the launches to come
        }
        return result;
    }
    let (form, entry) = match improve(env, tier) {
        Some(Kernel { entry: KernelEntry::Cpu(better), .. }) => (kernel.best(), better),
        _ => (kernel, entry),
    };
    // The other groups run although an item has failed, as they would on fibers; that item is before those of theirs.
    let (_, rest) = trusted::launch_part(device, entry, (grid, seed), args, (next, None));
    result.and(rest.map_err(|it| (form, it)))
}
