//! Launching kernels that have been compiled: arguments to bytes, and what failed to exceptions.

use crate::arguments;
use crate::block::Block;
use crate::checking::launch_checked;
use crate::device::draining::drain_waited_for;
use crate::device::launching::launch_on_device;
use crate::env::ExecEnv;
use crate::failure;
use crate::imitation;
use crate::jobs::KernelHandle;
use crate::kernel::{Kernel, KernelEntry};
use crate::reports::Reports;
use crate::seed::draw_seed;
use crate::{tiers, trusted};
use kiln_launch::{Grid, SHARED_BYTES_MAX};
use kiln_metrics::{add_min, count};
use kiln_runtime::heap::coherence;
use kiln_runtime::{Run, Runtime, Value, throw};
use kiln_types::{Type, datatype, display};
use std::time::Instant;

/// Shared memory that checked kernels have between their blocks, at most.
const RED_ZONES_MAX: usize = 64 << 10;

/// Runs a kernel over `grid` and waits for it. `function` and `args` have the types of the kernel's job. Does nothing
/// where an image is built.
///
/// # Errors
/// Fails with the exception of the first item that failed, or of a report's thunk, or if the launch is malformed.
pub fn launch_kernel(
    env: &ExecEnv<'_>,
    kernel: KernelHandle,
    grid: &Grid,
    function: Value,
    args: &[Value],
) -> Run<()> {
    launch_in_stream(env, kernel, grid, (function, args), true)
}

/// The same on the processor; other devices are waited for if `waits`, and otherwise on demand.
///
/// # Errors
/// As for [`launch_kernel`]; what an item threw only if it was waited for.
pub fn launch_in_stream(
    env: &ExecEnv<'_>,
    handle: KernelHandle,
    grid: &Grid,
    (function, args): (Value, &[Value]),
    waits: bool,
) -> Run<()> {
    let (rt, exec) = (env.rt, env.exec);
    let Some(kernel) = exec.jobs.kernel(handle) else {
        return Err(rt.error(&format!("no kernel has the handle {}", handle.number())));
    };
    let kernel = kernel.form_for(&grid.items);
    check_arguments(rt, kernel, function, args)?;
    if exec.collects() {
        return Ok(());
    }
    let link = kernel.program.entry();
    let mut block = Block::new((link.args_bytes as usize).next_multiple_of(8));
    arguments::pack(rt, link, function, args, block.bytes_mut());
    launch_block(env, (handle, kernel), grid, &mut block, waits)
}

/// Launches a kernel with the block of its arguments.
///
/// # Errors
/// As for [`launch_in_stream`].
pub(crate) fn launch_block(
    env: &ExecEnv<'_>,
    (handle, kernel): (KernelHandle, &Kernel),
    grid: &Grid,
    block: &mut Block,
    waits: bool,
) -> Run<()> {
    let (rt, exec) = (env.rt, env.exec);
    check_sizes(rt, grid)?;
    let seed = kernel.is_random.then(|| draw_seed(rt, &exec.launches.seeded)).transpose()?;
    let entry = match &kernel.entry {
        KernelEntry::Cpu(entry) => entry,
        KernelEntry::Device(entry) => {
            let open = exec.devices.get(kernel.device);
            let open = open.ok_or_else(|| rt.error("the device of this kernel is not open"))?;
            let launched = (handle, kernel, &**entry, open);
            return launch_on_device(env, launched, (grid, seed), block, waits);
        }
    };
    if grid.together.has_clusters() {
        return Err(rt.error("a launch with clusters of groups, which the processor does not have"));
    }
    if let Some(model) = &exec.options.imitated {
        imitation::check(rt, model, kernel, grid)?;
    }
    check_shared_memory(env, kernel, grid)?;
    let device = exec.devices.cpu(exec.compiler.options.threads);
    let device = device.map_err(|it| rt.error(&it.to_string()))?;
    if rt.heap.coherence.has_device_copies() {
        coherence::acquire_all_for_host(&rt.heap, true);
        drain_waited_for(env)?;
    }
    count(&env.counters().kernels_launched);
    let mut reports = Reports::new(rt, kernel);
    let start = Instant::now();
    let mut take = |it| reports.take(&it);
    let done = match (&kernel.tier, &exec.checking) {
        (_, Some(checking)) => {
            let launched = (device, entry, kernel);
            let done = launch_checked(env, checking, launched, (grid, seed), block.bytes(), &mut take);
            done.map_err(|it| (kernel, it))
        }
        (Some(tier), None) if !kernel.program.entry().reports => {
            tiers::launch(env, device, (kernel, tier, entry), (grid, seed), block.bytes())
        }
        _ => {
            let done = trusted::launch_cpu(device, entry, (grid, seed), block.bytes(), &mut take);
            done.map_err(|it| (kernel, it))
        }
    };
    let took = start.elapsed();
    add_min(&env.counters().launch_ns, &env.counters().launch_min_ns, took);
    env.counters().span("launch", || rt.types.name(kernel.name).to_owned(), start, took);
    done.map_err(|(form, it)| failure::of_item(rt, form, &it))?;
    reports.finish()
}

/// Fails unless numbers of groups and items can be counted.
fn check_sizes(rt: &Runtime, grid: &Grid) -> Run<()> {
    if let Some(size) = grid.groups.iter().chain(&grid.items).find(|it| **it > i64::from(i32::MAX)) {
        let max = i32::MAX;
        return Err(
            rt.error(&format!("a launch has at most {max} groups or items in a dimension, not {size}"))
        );
    }
    let counts = [&grid.groups, &grid.items].map(|it| it.iter().try_fold(1i64, |a, b| a.checked_mul(*b)));
    if counts.contains(&None) {
        return Err(rt.error("a launch has fewer than 2^63 groups, and as many items in a group"));
    }
    Ok(())
}

/// Fails if a group of a launch has more shared memory than there is.
fn check_shared_memory(env: &ExecEnv<'_>, kernel: &Kernel, grid: &Grid) -> Run<()> {
    let zones = if env.exec.checking.is_some() { RED_ZONES_MAX } else { 0 };
    let shared = grid.dynamic_shared_bytes.saturating_add(kernel.program.shared_bytes as usize);
    if shared > SHARED_BYTES_MAX + zones {
        return Err(env.rt.error(&format!(
            "a launch with {shared} bytes of shared memory for a group, where there are {SHARED_BYTES_MAX}"
        )));
    }
    Ok(())
}

/// Fails unless the values are of the types that the kernel was compiled for.
fn check_arguments(rt: &Runtime, kernel: &Kernel, function: Value, args: &[Value]) -> Run<()> {
    let types = datatype::params(&rt.types, kernel.signature);
    let given = std::iter::once(&function).chain(args);
    // Most values are no types; those that are have a type of their own for dispatch.
    let same = |(value, ty): (&Value, &Type)| value.ty() == *ty || rt.heap.dispatch_type(*value) == *ty;
    if types.len() == args.len() + 1 && given.clone().zip(types).all(same) {
        return Ok(());
    }
    let all: Vec<Type> = given.map(|it| rt.heap.dispatch_type(*it)).collect();
    if rt.types.subtype(datatype::tuple(&rt.types, &all), kernel.signature) {
        return Ok(());
    }
    let given = display::of_type(&rt.types, datatype::tuple(&rt.types, &all[1..]));
    let (name, types) = (rt.types.name(kernel.name), display::of_type(&rt.types, kernel.signature));
    Err(throw::argument_error(
        rt,
        &format!("a launch of `{name}`, compiled for {types}, with arguments of {given}"),
    ))
}
