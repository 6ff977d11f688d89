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
use super::chosen::OpenDevice;
use super::coherence::Fence;
use super::entry::{DeviceEntry, Mirrored, set_word, word};
use crate::arguments;
use crate::block::Block;
use crate::failure;
use crate::jobs::KernelHandle;
use crate::kernel::{Kernel, KernelEntry};
use crate::kernel_host::Driver;
use crate::reports::Reports;
use kiln_launch::{DeviceError, Event, Finished, Grid, HostRange, Residency, Seed};
use kiln_metrics::{add_min, count};
use kiln_runtime::{Run, Runtime, Value};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Pending launches; a launch beyond them drains the oldest first.
const PENDING_MAX: usize = 1 << 10;
/// Of launches whose records are large, those that may run at a time.
const LARGE_MAX: usize = 16;
/// Mirrors of arrays are kept while they are at most this part of the device's memory: three quarters.
const MIRRORED_PART_MAX: (u64, u64) = (3, 4);

/// A launch that has not been drained.
#[derive(Debug)]
pub(crate) struct PendingLaunch {
    fence: Arc<Fence>,
    kernel: u64,
    mirrors: Vec<Mirrored>,
    /// The coherent objects that it uses, by first byte.
    coherent: Vec<u64>,
    is_large: bool,
}

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

impl Driver {
    /// Puts a kernel in the current stream of a device; `waits`: until it is drained.
    ///
    /// # Errors
    /// Why the device does not run it; if it is waited for, what the first item threw that failed, or a report's thunk, of
    /// this launch or of one before it.
    pub(crate) fn launch_on_device(
        &self,
        rt: &Runtime,
        (handle, kernel, entry, open): (KernelHandle, &Kernel, &DeviceEntry, &OpenDevice),
        grid: (&Grid, Option<Seed>),
        (function, args): (Value, &[Value]),
        waits: bool,
    ) -> Run<()> {
        self.make_room(rt, entry.has_large_record())?;
        let link = kernel.program.entry();
        let size = link.args_bytes as usize;
        let mut block = Block::new(size.next_multiple_of(8));
        arguments::pack(rt, link, function, args, block.bytes_mut());
        let bytes = &mut block.bytes_mut()[..size];
        let addresses = self.translate(rt, entry, link, bytes);
        count(&self.counters().kernels_launched);
        let start = Instant::now();
        let stream = self.streams.current();
        let started = self.start(rt, (open, entry), grid, (bytes, &addresses), stream);
        let took = start.elapsed();
        add_min(&self.counters().launch_ns, &self.counters().launch_min_ns, took);
        self.counters().span("launch", || rt.types.name(kernel.name).to_owned(), start, took);
        let Started { event, given, mirrors } = started.map_err(|it| self.throw(rt, &it.to_string()))?;
        let number = self.launches_begun.fetch_add(1, Ordering::Relaxed);
        let fence = Arc::new(Fence { event, stream, number });
        self.copies.begin(&given.coherent, &fence);
        let (kernel, is_large) = (handle.number(), entry.has_large_record());
        let coherent = given.coherent.iter().map(|it| it.base).collect();
        let pending = PendingLaunch { fence: fence.clone(), kernel, mirrors, coherent, is_large };
        self.pending.lock().push_back(pending);
        let in_report = self.draining.load(Ordering::Relaxed) > 0;
        if waits || in_report || entry.has_essential || !given.incoherent.is_empty() {
            fence.wait();
            let back = write_back(rt, &open.residency, &given.incoherent);
            self.drain_through(rt, &fence)?;
            back.map_err(|it| self.throw(rt, &it.to_string()))?;
        }
        Ok(())
    }

    /// Waits for launches of which there are too many.
    fn make_room(&self, rt: &Runtime, is_large: bool) -> Run<()> {
        let large = |it: &VecDeque<PendingLaunch>| {
            let running = it.iter().rev().filter(|it| it.is_large).nth(LARGE_MAX - 1);
            running.map(|it| it.fence.clone())
        };
        let waited_for = if is_large { large(&self.pending.lock()) } else { None };
        if let Some(fence) = waited_for {
            fence.wait();
        }
        let oldest = Some(self.pending.lock()).filter(|it| it.len() >= PENDING_MAX);
        let oldest = oldest.and_then(|it| it.front().map(|it| it.fence.clone()));
        oldest.map_or(Ok(()), |it| self.drain_through(rt, &it))
    }

    /// Launches with what the host's addresses are on the device.
    fn start(
        &self,
        rt: &Runtime,
        (open, entry): (&OpenDevice, &DeviceEntry),
        (grid, seed): (&Grid, Option<Seed>),
        (bytes, addresses): (&mut [u8], &[(usize, Option<u64>)]),
        stream: u32,
    ) -> Result<Started, DeviceError> {
        let kernel = entry.load(self, open)?;
        let of_device = self.streams.on(open, stream)?;
        rt.heap.set_coherence(self.copies.clone());
        let given = given(rt, open, bytes, addresses)?;
        self.copies.make_ready(&rt.heap, &given.coherent, &open.residency, stream);
        let memory = &mut ProgramMemory(&rt.heap);
        // The host may have changed these since the last launch without an access that coherence sees.
        given.incoherent.iter().for_each(|it| open.residency.invalidate(it.base, it.bytes));
        if !open.residency.is_direct() {
            let wanted: u64 = given.ranges.iter().map(|it| it.bytes as u64).sum();
            let (part, whole) = MIRRORED_PART_MAX;
            let most = open.device.limits().memory_bytes / whole * part;
            if open.residency.mirrored_bytes() as u64 + wanted > most {
                self.make_memory(rt, open, &given)?;
            }
        }
        let bases = open.residency.enter(memory, &given.ranges).or_else(|_| {
            self.make_memory(rt, open, &given)?;
            open.residency.enter(memory, &given.ranges)
        })?;
        for ((at, offset), base) in given.places.iter().zip(&bases) {
            set_word(bytes, *at, base + offset);
        }
        let event = kernel.launch_seeded(of_device, grid, seed, bytes);
        if event.is_err() {
            write_back(rt, &open.residency, &given.incoherent)?;
        }
        // Mirrors are on the device, whatever has become of the launch.
        self.copies.acquire_for_device(&rt.heap, &given.coherent, &open.residency);
        let mirrors = given.ranges.iter().zip(&bases).map(|(range, base)| Mirrored {
            host: range.base,
            device: *base,
            bytes: range.bytes as u64,
        });
        let mirrors = if open.residency.is_direct() { Vec::new() } else { mirrors.collect() };
        Ok(Started { event: event?, given, mirrors })
    }

    /// Frees mirrors that a launch does not need, if they are as large as those that it does.
    fn make_memory(&self, rt: &Runtime, open: &OpenDevice, given: &Given) -> Result<(), DeviceError> {
        let needed: u64 = given.ranges.iter().map(|it| it.bytes as u64).sum();
        if open.residency.mirrored_bytes() as u64 <= needed {
            return Ok(());
        }
        self.copies.evict(&rt.heap, &open.residency)
    }

    /// Drains a launch and all before it in its stream.
    pub(crate) fn drain_through(&self, rt: &Runtime, last: &Fence) -> Run<()> {
        self.drain_where(rt, &|it| it.stream == last.stream && it.number <= last.number)
    }

    /// Drains launches.
    ///
    /// # Errors
    /// The first exception.
    pub(crate) fn drain_where(&self, rt: &Runtime, which: &dyn Fn(&Fence) -> bool) -> Run<()> {
        let mut drained = match self.copies.take_failure() {
            Some(error) => Err(self.throw(rt, &error.to_string())),
            None => Ok(()),
        };
        loop {
            let next = {
                let mut pending = self.pending.lock();
                let at = pending.iter().position(|it| which(&it.fence));
                at.and_then(|it| pending.remove(it))
            };
            let Some(next) = next else { return drained };
            // What it launches is behind it in its stream.
            let current = self.streams.set_current(next.fence.stream);
            self.draining.fetch_add(1, Ordering::Relaxed);
            let done = self.drain_one(rt, &next);
            self.draining.fetch_sub(1, Ordering::Relaxed);
            self.streams.set_current(current);
            drained = drained.and(done);
        }
    }

    /// Drains all launches.
    ///
    /// # Errors
    /// Fails with the exception of the first item that failed in the first launch that did.
    pub fn drain(&self, rt: &Runtime) -> Run<()> {
        self.drain_where(rt, &|_| true)
    }

    /// Drains the launches that accesses on the host waited for, and those before them.
    pub(crate) fn drain_waited_for(&self, rt: &Runtime) -> Run<()> {
        let mut drained = Ok(());
        for fence in self.copies.take_waited_for() {
            let done = self.drain_through(rt, &fence);
            drained = drained.and(done);
        }
        let failed = self.copies.take_failure().map(|it| self.throw(rt, &it.to_string()));
        drained.and(failed.map_or(Ok(()), Err))
    }

    fn drain_one(&self, rt: &Runtime, launch: &PendingLaunch) -> Run<()> {
        let start = Instant::now();
        let finished = launch.fence.event.wait();
        self.copies.end(&rt.heap, &launch.coherent, &launch.fence);
        self.counters().launch_ns.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        let Finished { failure, reports: reported, reports_lost, took: _ } =
            finished.map_err(|it| self.throw(rt, &it.to_string()))?;
        let Some(kernel) = self.kernel(launch.kernel) else { return Ok(()) };
        let KernelEntry::Device(entry) = &kernel.entry else { return Ok(()) };
        let name = rt.types.name(kernel.name);
        let lost_calls = reports_lost > 0 && entry.has_essential;
        if reports_lost > 0 && !lost_calls {
            self.compiler.warn(&format!(
                "`{name}` printed more than a launch has room for: {reports_lost} lines are lost"
            ));
        }
        let mut reports = Reports::new(rt, kernel);
        for mut report in reported {
            self.name_operands(rt, &kernel.program, report.site, &mut report.operands, &launch.mirrors);
            reports.take(&report);
        }
        if let Some(mut failure) = failure {
            self.name_operands(rt, &kernel.program, failure.site, &mut failure.operands, &launch.mirrors);
            return Err(failure::of_item(rt, kernel, &failure));
        }
        reports.finish()?;
        if lost_calls {
            let what =
                format!("`{name}` asked for more than a launch has room for: {reports_lost} calls are lost");
            return Err(rt.error(&what));
        }
        Ok(())
    }

    /// Whether nothing that was put in a stream is still to be done.
    pub(crate) fn is_idle(&self, stream: u32) -> bool {
        let pending = self.pending.lock();
        pending.iter().rev().find(|it| it.fence.stream == stream).is_none_or(|it| it.fence.event.is_over())
    }

    /// The launch that was put in a stream last, if it is pending.
    pub(crate) fn last_in(&self, stream: u32) -> Option<Arc<Fence>> {
        let pending = self.pending.lock();
        pending.iter().rev().find(|it| it.fence.stream == stream).map(|it| it.fence.clone())
    }

    /// Bytes that were copied to devices so far, and from them.
    pub fn copied_bytes(&self) -> [u64; 2] {
        let each = self.devices.iter().map(|it| it.1.residency.copied_bytes());
        each.fold([0, 0], |sum, it| [sum[0] + it[0], sum[1] + it[1]])
    }
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
        let element = rt.heap.extent_of(address).and_then(|it| rt.heap.memory_at(it.0));
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
        residency.fetch(memory, it.base, it.bytes)?;
        residency.forget(it.base, it.bytes)
    })
}
