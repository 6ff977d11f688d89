//! Kernels that are compiled again when they are worth it.
//!
//! On the processor, a kernel with barriers is first compiled to run its items on fibers. Regions take 2 to 3 times as long to
//! compile, and run 50 to 1,000 times faster. So launches on fibers are timed, and when they have taken about as long as compiling
//! regions does, the kernel is compiled once more, for groups of that size: the launch that exceeds the limit goes on with the groups
//! that have not run. Launches with groups of other sizes are timed in turn, and get a form for all sizes.
//!
//! A form that the cache or an image has is used at once. Images have the one for all sizes.

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

/// The time in regions after which a kernel is compiled for the size of its groups: they are at most three times faster then.
const IN_REGIONS_MAX: Duration = Duration::from_millis(100);

/// Returns the tier of a kernel that was made in this view; `None` if it has no better form.
pub(crate) fn tier_of(env: &ExecEnv<'_>, view: &View, kernel: &Kernel) -> Option<Tier> {
    let targets = &env.exec.compiler.targets;
    let has_barrier = kernel.program.entry().definitions.first().is_some_and(|it| it.traits.has_barrier);
    if !matches!(kernel.entry, KernelEntry::Cpu(_)) || (is_cut(kernel) && !targets.are_sized_at_once()) {
        return None;
    }
    if is_cut(kernel) {
        // It has the form for all sizes already.
        let tier = has_barrier.then(|| Tier::new(view.clone(), kernel.parts[0].instance));
        return tier.inspect(|it| drop(it.better.set(None)));
    }
    let unit = targets.with_regions(&view.unit).or_else(|| targets.with_screen(&view.unit))?;
    let tier = Tier::new(View { unit, ..view.clone() }, kernel.parts[0].instance);
    if env.exec.collects() {
        improve(env, &tier);
    } else if let Some(found) = found_kernel(&env.stages(&tier.view), tier.entry) {
        let made = kernel_of(env, &tier.view, &found).ok();
        let _ = tier.better.set(made.and_then(|it| form_of(&tier, it)));
    }
    Some(tier)
}

/// Returns the better form of a kernel, compiled now if it has not been.
fn improve<'k>(env: &ExecEnv<'_>, tier: &'k Tier) -> Option<&'k Kernel> {
    tier.better.get_or_init(|| cut(env, tier, &tier.view)).as_deref()
}

/// Compiles a kernel so that it is cut at its barriers; `None` if it cannot be.
fn cut(env: &ExecEnv<'_>, tier: &Tier, view: &View) -> Option<Box<Kernel>> {
    let compile = || compile_all(env, &[(view, Ok(tier.entry))]);
    let mut made = compiling(env, tier.entry, true, compile);
    // A kernel that does not compile so has its other form.
    made.pop().and_then(Result::ok).and_then(|it| form_of(tier, it))
}

/// Returns a kernel as a form of another, if it is cut at its barriers.
fn form_of(tier: &Tier, kernel: Kernel) -> Option<Box<Kernel>> {
    is_cut(&kernel).then(|| Box::new(Kernel { name: tier.name.unwrap_or(kernel.name), ..kernel }))
}

/// Returns the better form of a kernel for groups of these items, compiled now; that for all sizes if there is one for another size.
fn improve_for<'k>(env: &ExecEnv<'_>, tier: &'k Tier, items: &[i64; 3]) -> Option<&'k Kernel> {
    let make = || {
        // Launches with other sizes are timed anew.
        tier.spent_ns.store(0, Ordering::Relaxed);
        cut(env, tier, &sized_view(env, tier, items)?)
    };
    let Some(sized) = tier.sized.get_or_init(make) else {
        // What cannot be cut for one size cannot be for all.
        return tier.better.get_or_init(|| None).as_deref();
    };
    if sized.runs_groups_of(items) { Some(sized) } else { improve(env, tier) }
}

/// Returns the view of the form for groups of these items.
fn sized_view(env: &ExecEnv<'_>, tier: &Tier, items: &[i64; 3]) -> Option<View> {
    let size = [to_size(items[0])?, to_size(items[1])?, to_size(items[2])?];
    let unit = env.exec.compiler.targets.with_group_size(&tier.view.unit, size)?;
    Some(View { unit, ..tier.view.clone() })
}

fn to_size(items: i64) -> Option<u32> {
    u32::try_from(items).ok().filter(|it| *it > 0)
}

/// Looks once for the form for groups of these items, where earlier processes left it.
fn find_sized(env: &ExecEnv<'_>, tier: &Tier, items: &[i64; 3]) {
    if tier.was_sought.swap(true, Ordering::Relaxed) {
        return;
    }
    let Some(view) = sized_view(env, tier, items) else { return };
    if let Some(found) = found_kernel(&env.stages(&view), tier.entry)
        && let Some(kernel) = kernel_of(env, &view, &found).ok().and_then(|it| form_of(tier, it))
    {
        let _ = tier.sized.set(Some(kernel));
    }
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
    let run = |form: &'k Kernel, entry: &CpuKernel, part: (i64, Option<Duration>)| {
        let (next, result) = trusted::launch_part(device, entry, (grid, seed), args, part);
        (next, result.map_err(|it| (form, it)))
    };
    if env.exec.compiler.targets.are_sized_at_once() {
        improve_for(env, tier, &grid.items);
    } else {
        find_sized(env, tier, &grid.items);
    }
    let found = kernel.form_for(&grid.items);
    let known = tier.better.get().and_then(Option::as_deref);
    let found = if std::ptr::eq(found, kernel) { known.unwrap_or(kernel) } else { found };
    let (form, entry) = match &found.entry {
        KernelEntry::Cpu(entry) => (found, entry),
        KernelEntry::Device(_) => (kernel, entry),
    };
    let is_cut = !entry.uses_fibers();
    let spent = Duration::from_nanos(tier.spent_ns.load(Ordering::Relaxed));
    let max = if is_cut { IN_REGIONS_MAX } else { ON_FIBERS_MAX };
    let is_open = if is_cut { tier.sized.get().is_none() } else { tier.better.get().is_none() };
    let budget = (is_open && !is_cut && entry.is_divisible()).then(|| max.saturating_sub(spent));
    let start = Instant::now();
    let (next, result) = run(form, entry, (0, budget));
    let took = start.elapsed();
    tier.spent_ns.fetch_add(nanos(took), Ordering::Relaxed);
    if next >= grid.groups.iter().product::<i64>() {
        if is_open && spent + took >= max {
            improve_for(env, tier, &grid.items); // for the launches to come
        }
        return result;
    }
    let (form, entry) = match improve_for(env, tier, &grid.items) {
        Some(better @ Kernel { entry: KernelEntry::Cpu(entry), .. }) => (better, entry),
        _ => (kernel, entry),
    };
    // The other groups run although an item has failed, as they would on fibers; that item is before those of theirs.
    result.and(run(form, entry, (next, None)).1)
}
