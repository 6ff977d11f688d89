//! Launches on devices: put in a stream; their results surface at the next synchronization.
//!
//! A pending launch is *drained* at the next synchronization: `synchronize`, an access to an object that the launch uses, the end
//! of the program. Draining prints what its items printed and throws what the first of them threw. Launches are drained in the
//! order in which they were made. Of those that fail before a synchronization, the first one's exception is thrown; the others
//! have run, as all launches behind a failing one do.
//!
//! A launch whose arguments reach memory without coherence (an object with fields, memory that is not the heap's, arrays of
//! addresses) is drained at once, since no later access would wait for it. So is a launch whose items launch kernels through
//! the host, and so are those kernels: all of them are over before the next launch of the stream begins.

use super::addresses::{ProgramMemory, has_address, range_at};
use super::coherence::{DeviceCopies, Fence};
use super::draining::drain_through;
use super::entry::DeviceEntry;
use super::loadable::{Mirrored, set_word, word};
use super::opened::OpenDevice;
use super::pending::PendingLaunch;
use crate::block::Block;
use crate::env::ExecEnv;
use crate::failure::kernel_error;
use crate::jobs::KernelHandle;
use crate::kernel::Kernel;
use kiln_launch::{DeviceError, Event, Grid, HostRange, Residency, Seed};
use kiln_metrics::{add_min, count};
use kiln_runtime::heap::{allocation, coherence};
use kiln_runtime::{Run, Runtime};
use std::sync::Arc;
use std::time::Instant;

/// Mirrors of arrays are kept while they are at most this part of the device's memory: three quarters.
pub(super) const MIRRORED_PART_MAX: (u64, u64) = (3, 4);

/// The memory that a launch is given by its addresses.
#[derive(Debug, Default)]
struct Given {
    /// Offsets in the block, and of the addresses there in the ranges.
    places: Vec<(usize, u64)>,
    ranges: Vec<HostRange>,
    /// The ranges that an access on the host waits for.
    coherent: Vec<HostRange>,
    /// The other ranges: the launch is drained at once.
    incoherent: Vec<HostRange>,
}

/// A launch that has been put in its stream.
struct Started {
    event: Box<dyn Event>,
    given: Given,
    mirrors: Vec<Mirrored>,
}

/// Puts a kernel in the current stream of a device, with the block of its arguments; `waits`: until it is drained.
///
/// # Errors
/// Why the device does not run it; if it is waited for, what the first item threw that failed, or a report's thunk, of
/// this launch or of one before it.
pub(crate) fn launch_on_device(
    env: &ExecEnv<'_>,
    (handle, kernel, entry, open): (KernelHandle, &Kernel, &DeviceEntry, &OpenDevice),
    grid: (&Grid, Option<Seed>),
    block: &mut Block,
    waits: bool,
) -> Run<()> {
    let (rt, launches) = (env.rt, &env.exec.launches);
    if entry.has_large_record() {
        launches.pending.wait_for_room();
    }
    launches.pending.excess().map_or(Ok(()), |it| drain_through(env, &it))?;
    let link = kernel.program.entry();
    let size = link.args_bytes as usize;
    let bytes = &mut block.bytes_mut()[..size];
    let addresses = env.exec.loadables.translate(rt, (link, &entry.args), bytes);
    count(&env.counters().kernels_launched);
    let start = Instant::now();
    let stream = launches.streams.current();
    let started = put_in_stream(env, (open, entry), grid, (bytes, &addresses), stream);
    let took = start.elapsed();
    add_min(&env.counters().launch_ns, &env.counters().launch_min_ns, took);
    env.counters().span("launch", || rt.types.name(kernel.name).to_owned(), start, took);
    let Started { event, given, mirrors } = started.map_err(|it| kernel_error(rt, &it.to_string()))?;
    let number = launches.pending.number();
    let fence = Arc::new(Fence { event, stream, number });
    launches.copies.begin(&given.coherent, &fence);
    let (kernel, is_large) = (handle, entry.has_large_record());
    let coherent = given.coherent.iter().map(|it| it.base).collect();
    let pending = PendingLaunch { fence: fence.clone(), kernel, mirrors, coherent, is_large };
    launches.pending.add(pending);
    if waits || launches.pending.is_draining() || entry.has_essential || !given.incoherent.is_empty() {
        fence.wait();
        let back = write_back(rt, &open.residency, &given.incoherent);
        drain_through(env, &fence)?;
        back.map_err(|it| kernel_error(rt, &it.to_string()))?;
    }
    Ok(())
}

/// Launches with what the host's addresses are on the device.
fn put_in_stream(
    env: &ExecEnv<'_>,
    (open, entry): (&OpenDevice, &DeviceEntry),
    (grid, seed): (&Grid, Option<Seed>),
    (bytes, addresses): (&mut [u8], &[(usize, Option<u64>)]),
    stream: u32,
) -> Result<Started, DeviceError> {
    let (rt, launches) = (env.rt, &env.exec.launches);
    let kernel = entry.load(&env.exec.compiler, open)?;
    let of_device = launches.streams.on(open, stream)?;
    rt.heap.coherence.attach(launches.copies.clone());
    let given = given(rt, open, bytes, addresses)?;
    launches.copies.make_ready(&rt.heap, &given.coherent, &open.residency, stream);
    let memory = &mut ProgramMemory(&rt.heap);
    // The host may have changed these since the last launch without an access that coherence sees.
    given.incoherent.iter().for_each(|it| open.residency.invalidate(it.base, it.bytes));
    if !open.residency.is_direct() {
        let wanted: u64 = given.ranges.iter().map(|it| it.bytes as u64).sum();
        let (part, whole) = MIRRORED_PART_MAX;
        let most = open.device.limits().memory_bytes / whole * part;
        if open.residency.mirrored_bytes() as u64 + wanted > most {
            make_memory(rt, &launches.copies, open, &given)?;
        }
    }
    let bases = open.residency.acquire_for_device(memory, &given.ranges).or_else(|_| {
        make_memory(rt, &launches.copies, open, &given)?;
        open.residency.acquire_for_device(memory, &given.ranges)
    })?;
    for ((at, offset), base) in given.places.iter().zip(&bases) {
        set_word(bytes, *at, base + offset);
    }
    let event = kernel.launch_seeded(of_device, grid, seed, bytes);
    if event.is_err() {
        write_back(rt, &open.residency, &given.incoherent)?;
    }
    // Mirrors are on the device, whatever has become of the launch.
    launches.copies.acquire_for_device(&rt.heap, &given.coherent, &open.residency);
    let mirrors = given.ranges.iter().zip(&bases).map(|(range, base)| Mirrored {
        host: range.base,
        device: *base,
        bytes: range.bytes as u64,
    });
    let mirrors = if open.residency.is_direct() { Vec::new() } else { mirrors.collect() };
    Ok(Started { event: event?, given, mirrors })
}

/// Frees mirrors that a launch does not need, if they are as large as those that it does.
fn make_memory(
    rt: &Runtime,
    copies: &DeviceCopies,
    open: &OpenDevice,
    given: &Given,
) -> Result<(), DeviceError> {
    let needed: u64 = given.ranges.iter().map(|it| it.bytes as u64).sum();
    if open.residency.mirrored_bytes() as u64 <= needed {
        return Ok(());
    }
    copies.evict(&rt.heap, &open.residency)
}

/// Returns the memory that the addresses in a block lead to.
fn given(
    rt: &Runtime,
    open: &OpenDevice,
    bytes: &[u8],
    addresses: &[(usize, Option<u64>)],
) -> Result<Given, DeviceError> {
    let mut all = Given::default();
    for (at, known) in addresses {
        let Some(address) = word(bytes, *at).filter(|it| *it != 0 && *known != Some(0)) else { continue };
        let Some(range) = range_at(&rt.heap, address, *known) else {
            if open.residency.is_direct() {
                // The device reaches it as the host does, and it is waited for.
                all.incoherent.push(HostRange {
                    base: address,
                    bytes: 0,
                    access: kiln_launch::Access::Write,
                });
                continue;
            }
            return Err(DeviceError::NoDevice(format!(
                "{} reaches arrays that are arguments, and {address:#x} is an address in none",
                open.device.name()
            )));
        };
        let element =
            allocation::extent_of(&rt.heap, address).and_then(|it| coherence::memory_at(&rt.heap, it.0));
        if element.is_some_and(|it| !has_address(&rt.types, it)) {
            all.coherent.push(range)
        } else {
            all.incoherent.push(range)
        }
        all.places.push((*at, address - range.base));
        all.ranges.push(range);
    }
    Ok(all)
}

/// Copies incoherent ranges to the host, and frees the copies: no call tells when such memory is reused.
fn write_back(rt: &Runtime, residency: &Residency, ranges: &[HostRange]) -> Result<(), DeviceError> {
    if residency.is_direct() {
        return Ok(());
    }
    let memory = &mut ProgramMemory(&rt.heap);
    ranges.iter().try_for_each(|it| {
        residency.write_back(memory, it.base, it.bytes)?;
        residency.drop_mirrors(it.base, it.bytes)
    })
}
