//! Kernels that are compiled again when they are worth it.
//!
//! On the processor, a kernel with barriers is first compiled to run its items on fibers. Regions take 2 to 3 times as long to
//! compile, and run 50 to 300 times faster. So launches on fibers are timed, and when they have taken about as long as compiling
//! regions does, the kernel is compiled once more: the launch that exceeds the limit goes on with the groups that have not run.
//!
//! What the cache or an image has is used at once, and images are built of regions.

use crate::env::ExecEnv;
use crate::kernel::{Kernel, KernelEntry};
use crate::make_kernels::{compile_all, compiling, kernel_of};
use crate::trusted;
use kiln_compile::{View, found_kernel};
use kiln_ir::Instance;
use kiln_launch::{CpuDevice, CpuKernel, Failure, Grid, Seed};
use kiln_metrics::nanos;
use kiln_types::Symbol;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The time on fibers after which a kernel is compiled again: what compiling the regions of a small kernel takes.
const ON_FIBERS_MAX: Duration = Duration::from_millis(20);

/// The better form that a kernel may get.
pub(crate) struct Tier {
    /// The view of the better form.
    view: View,
    entry: Instance,
    /// The name that the launch gave.
    name: Option<Symbol>,
    spent_ns: AtomicU64,
    /// The better form; `None` if there is none.
    better: OnceLock<Option<Box<Kernel>>>,
}

impl std::fmt::Debug for Tier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tier")
            .field("spent_ns", &self.spent_ns)
            .field("better", &self.better)
            .finish_non_exhaustive()
    }
}

impl Tier {
    /// Returns the tier of a kernel that was made in this view; `None` if it has no better form.
    pub(crate) fn new(env: &ExecEnv<'_>, view: &View, entry: Instance, kernel: &CpuKernel) -> Option<Self> {
        if !kernel.uses_fibers() {
            return None;
        }
        let unit = env.exec.compiler.targets.with_regions(&view.unit)?;
        let view = View { unit, ..view.clone() };
        let tier = Self { view, entry, name: None, spent_ns: AtomicU64::new(0), better: OnceLock::new() };
        if env.exec.collects() {
            tier.improve(env);
        } else if let Some(found) = found_kernel(&env.stages(&tier.view), entry) {
            let made = kernel_of(env, &tier.view, &found).ok().filter(is_cut);
            let _ = tier.better.set(made.map(Box::new));
        }
        Some(tier)
    }

    /// Returns the better form, compiled now if it has not been.
    fn improve(&self, env: &ExecEnv<'_>) -> Option<&Kernel> {
        let make = || {
            let compile = || compile_all(env, &[(&self.view, Ok(self.entry))]);
            let mut made = compiling(env, self.entry, true, compile);
            // A kernel that does not compile so has its other form.
            let kernel = made.pop().and_then(Result::ok).filter(is_cut);
            kernel.map(|mut it| {
                it.name = self.name.unwrap_or(it.name);
                Box::new(it)
            })
        };
        self.better.get_or_init(make).as_deref()
    }
}

/// Whether a kernel runs without fibers.
fn is_cut(kernel: &Kernel) -> bool {
    matches!(&kernel.entry, KernelEntry::Cpu(it) if !it.uses_fibers())
}

impl Kernel {
    /// Names it, in messages.
    pub(crate) fn set_name(&mut self, name: Symbol) {
        self.name = name;
        if let Some(tier) = &mut self.tier {
            tier.name = Some(name);
            if let Some(Some(better)) = tier.better.get_mut() {
                better.name = name;
            }
        }
    }

    /// Returns the best form that there is of this kernel.
    #[inline]
    pub fn best(&self) -> &Self {
        let better = self.tier.as_ref().and_then(|it| it.better.get());
        better.and_then(Option::as_deref).unwrap_or(self)
    }
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
    tier.spent_ns.fetch_add(nanos(start.elapsed()), Ordering::Relaxed);
    result.map_err(|it| (kernel, it))?;
    let groups = grid.groups.iter().product::<i64>();
    if next >= groups {
        return Ok(());
    }
    let (form, entry) = match tier.improve(env) {
        Some(Kernel { entry: KernelEntry::Cpu(better), .. }) => (kernel.best(), better),
        _ => (kernel, entry),
    };
    let (_, result) = trusted::launch_part(device, entry, (grid, seed), args, (next, None));
    result.map_err(|it| (form, it))
}
