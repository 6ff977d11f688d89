//! Residency: the device addresses of the host arrays that a launch uses.
//!
//! A device that reaches all memory of the host uses arrays in place. Other devices get *mirrors*: device memory that
//! is filled on first use by a launch, kept for later launches, and copied back when the host reads results. A mirror
//! is valid until the host reports that it has changed or freed the mirrored range: only the host knows. Overlapping
//! ranges share one mirror, so writes through one are visible through the other.
//!
//! Between a launch that may write to a range and [`Residency::write_back_all`] or [`Residency::write_back`], the device owns the
//! range. Copies use a stream of their own and wait for no launch; the caller has waited for the launches that use
//! the copied range.

use crate::device::{Device, DeviceError, HostMemoryAccess, MemoryKind, Stream};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Bytes that are copied at a time.
const CHUNK_BYTES: usize = 4 << 20;

/// The alignment of the host's addresses that mirrors keep: as much as drivers give, since devices access lines of memory, and
/// a group's items that read neighbours would touch one line more.
const ALIGNMENT: u64 = 256;

/// The host's memory, by its addresses. An implementation answers for ranges being there.
pub trait HostMemory {
    /// Copies from the host.
    fn read(&self, from: u64, bytes: &mut [u8]);
    /// Copies to the host.
    fn write(&mut self, to: u64, bytes: &[u8]);
}

/// The use that a launch makes of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The launch only reads the range.
    Read,
    /// The launch may write to the range.
    Write,
}

/// Bytes of the host that a launch uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRange {
    /// The first.
    pub base: u64,
    /// The size in bytes.
    pub bytes: usize,
    /// The use of the range.
    pub access: Access,
}

impl HostRange {
    fn end(&self) -> u64 {
        self.base.saturating_add(self.bytes as u64)
    }
}

/// A copy of bytes of the host on the device.
#[derive(Debug)]
struct Mirror {
    bytes: usize,
    /// The first byte's address on the device.
    address: u64,
    /// Bytes of the allocation before it, which give it the host's alignment.
    lead: u64,
    /// The mirror is at least as new as the host's range.
    is_current: bool,
    /// Launches may have written to it, and the host has not seen that.
    is_written: bool,
}

/// The parts of the host's memory that a device has.
#[derive(Debug)]
pub struct Residency {
    device: Arc<dyn Device>,
    is_direct: bool,
    /// By first byte; they do not overlap.
    mirrors: Mutex<BTreeMap<u64, Mirror>>,
    copies: OnceLock<Stream>,
    /// Bytes that were copied to the device, and from it.
    copied: [AtomicU64; 2],
}

impl Residency {
    /// Nothing so far. `must_mirror`: even if the device could reach the host's memory.
    pub fn new(device: Arc<dyn Device>, must_mirror: bool) -> Self {
        let is_direct = !must_mirror && device.limits().host_memory == HostMemoryAccess::All;
        let (copies, copied) = (OnceLock::new(), Default::default());
        Self { device, is_direct, mirrors: Mutex::default(), copies, copied }
    }

    /// Bytes that were copied to the device so far, and from it.
    pub fn copied_bytes(&self) -> [u64; 2] {
        [0, 1].map(|it: usize| self.copied[it].load(Ordering::Relaxed))
    }

    /// The stream of copies; the default stream, where the driver creates no more.
    fn copies(&self) -> Stream {
        *self.copies.get_or_init(|| self.device.new_stream().unwrap_or(Stream::DEFAULT))
    }

    /// Whether the device works on the host's own memory: then nothing is ever copied.
    pub fn is_direct(&self) -> bool {
        self.is_direct
    }

    /// Returns the device's addresses for all ranges of a launch that is about to be enqueued, after the launches
    /// that wrote to them. An address returned earlier is still valid if its range overlaps none of these.
    ///
    /// # Errors
    /// When the device's memory is exhausted, or those of its driver.
    pub fn acquire_for_device(
        &self,
        host: &mut dyn HostMemory,
        ranges: &[HostRange],
    ) -> Result<Vec<u64>, DeviceError> {
        if self.is_direct {
            return Ok(ranges.iter().map(|it| it.base).collect());
        }
        let mut mirrors = self.mirrors.lock();
        // All first: a later range may take over the mirror of an earlier one.
        for range in ranges.iter().filter(|it| it.bytes > 0) {
            self.cover(&mut mirrors, host, range)?;
        }
        ranges.iter().map(|it| self.refresh(&mut mirrors, host, it)).collect()
    }

    /// Makes a mirror of a range of the host that has no contents behind the first `head` bytes: only these are copied there, and
    /// until a launch uses it nothing back. Returns whether there is one; a range of which there are mirrors gets none.
    ///
    /// # Errors
    /// When the device's memory is exhausted.
    pub fn reserve(
        &self,
        host: &dyn HostMemory,
        range: &HostRange,
        head: usize,
    ) -> Result<bool, DeviceError> {
        let mut mirrors = self.mirrors.lock();
        if self.is_direct || range.bytes == 0 || !overlapping(&mirrors, range.base, range.end()).is_empty() {
            return Ok(false);
        }
        let lead = range.base % ALIGNMENT;
        let address = self.device.alloc(range.bytes + lead as usize, MemoryKind::Device)? + lead;
        let mut buffer = vec![0; head.min(range.bytes)];
        host.read(range.base, &mut buffer);
        let mirror = Mirror { bytes: range.bytes, address, lead, is_current: true, is_written: false };
        mirrors.insert(range.base, mirror);
        let written = self.device.write(self.copies(), address, &buffer);
        written.or_else(|error| self.drop_mirror(&mut mirrors, range.base).and(Err(error)))?;
        self.copied[0].fetch_add(buffer.len() as u64, Ordering::Relaxed);
        Ok(true)
    }

    /// Makes one mirror hold a range, and with it all mirrors that had a part of it.
    fn cover(
        &self,
        mirrors: &mut BTreeMap<u64, Mirror>,
        host: &mut dyn HostMemory,
        range: &HostRange,
    ) -> Result<(), DeviceError> {
        let touched = overlapping(mirrors, range.base, range.end());
        let end_of = |base: &u64| base + mirrors[base].bytes as u64;
        if let [one] = touched[..]
            && one <= range.base
            && range.end() <= end_of(&one)
        {
            return Ok(());
        }
        let first = touched.iter().copied().fold(range.base, u64::min);
        let end = touched.iter().map(end_of).fold(range.end(), u64::max);
        let bytes = (end - first) as usize;
        let lead = first % ALIGNMENT;
        let allocation = self.device.alloc(bytes + lead as usize, MemoryKind::Device)?;
        if !touched.is_empty() {
            self.device.synchronize()?;
        }
        for base in touched {
            let moved =
                self.write_back_mirror(mirrors, host, base).and_then(|()| self.drop_mirror(mirrors, base));
            moved.inspect_err(|_| drop(self.device.free(allocation)))?;
        }
        let address = allocation + lead;
        mirrors.insert(first, Mirror { bytes, address, lead, is_current: false, is_written: false });
        Ok(())
    }

    /// Fills the mirror of a range if it is not current; the range's address.
    fn refresh(
        &self,
        mirrors: &mut BTreeMap<u64, Mirror>,
        host: &dyn HostMemory,
        range: &HostRange,
    ) -> Result<u64, DeviceError> {
        let found = mirrors.range_mut(..=range.base).next_back();
        let found = found.filter(|(base, it)| range.end() <= **base + it.bytes as u64);
        let Some((base, mirror)) = found else {
            // Only a range of no bytes has no mirror: it is never read or written.
            return Ok(range.base);
        };
        if !mirror.is_current {
            let mut buffer = vec![0; mirror.bytes.min(CHUNK_BYTES)];
            for at in (0..mirror.bytes).step_by(CHUNK_BYTES) {
                let part = &mut buffer[..CHUNK_BYTES.min(mirror.bytes - at)];
                host.read(base + at as u64, part);
                self.device.write(self.copies(), mirror.address + at as u64, part)?;
            }
            self.copied[0].fetch_add(mirror.bytes as u64, Ordering::Relaxed);
            mirror.is_current = true;
        }
        mirror.is_written |= range.access == Access::Write && range.bytes > 0;
        Ok(mirror.address + (range.base - base))
    }

    /// Waits for the device, and copies the ranges that launches may have written to the host. Returns these ranges:
    /// mirrors of them on other devices are outdated.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn write_back_all(&self, host: &mut dyn HostMemory) -> Result<Vec<HostRange>, DeviceError> {
        self.device.synchronize()?;
        let mut mirrors = self.mirrors.lock();
        let written: Vec<HostRange> = mirrors
            .iter()
            .filter(|(_, it)| it.is_written)
            .map(|(base, it)| HostRange { base: *base, bytes: it.bytes, access: Access::Write })
            .collect();
        for range in &written {
            self.write_back_mirror(&mut mirrors, host, range.base)?;
        }
        Ok(written)
    }

    /// Copies the parts of this range that launches may have written to the host. The launches have ended.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn write_back(&self, host: &mut dyn HostMemory, base: u64, bytes: usize) -> Result<(), DeviceError> {
        let mut mirrors = self.mirrors.lock();
        let touched = overlapping(&mirrors, base, base.saturating_add(bytes as u64));
        touched.into_iter().try_for_each(|it| self.write_back_mirror(&mut mirrors, host, it))
    }

    /// Copies a mirror to the host if launches may have written to it.
    fn write_back_mirror(
        &self,
        mirrors: &mut BTreeMap<u64, Mirror>,
        host: &mut dyn HostMemory,
        base: u64,
    ) -> Result<(), DeviceError> {
        let Some(mirror) = mirrors.get_mut(&base).filter(|it| it.is_written) else { return Ok(()) };
        let mut buffer = vec![0; mirror.bytes.min(CHUNK_BYTES)];
        for at in (0..mirror.bytes).step_by(CHUNK_BYTES) {
            let part = &mut buffer[..CHUNK_BYTES.min(mirror.bytes - at)];
            self.device.read(self.copies(), mirror.address + at as u64, part)?;
            host.write(base + at as u64, part);
        }
        self.copied[1].fetch_add(mirror.bytes as u64, Ordering::Relaxed);
        mirror.is_written = false;
        Ok(())
    }

    fn drop_mirror(&self, mirrors: &mut BTreeMap<u64, Mirror>, base: u64) -> Result<(), DeviceError> {
        mirrors.remove(&base).map_or(Ok(()), |it| self.device.free(it.address - it.lead))
    }

    /// Marks a range that the host has changed. If launches have written it and the host has not written them back yet,
    /// the results of the launches win.
    pub fn invalidate(&self, base: u64, bytes: usize) {
        let mut mirrors = self.mirrors.lock();
        for base in overlapping(&mirrors, base, base.saturating_add(bytes as u64)) {
            if let Some(mirror) = mirrors.get_mut(&base).filter(|it| !it.is_written) {
                mirror.is_current = false;
            }
        }
    }

    /// Drops the mirrors of a range that the host has freed, along with results that were not copied back.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn drop_mirrors(&self, base: u64, bytes: usize) -> Result<(), DeviceError> {
        let mut mirrors = self.mirrors.lock();
        let touched = overlapping(&mirrors, base, base.saturating_add(bytes as u64));
        touched.into_iter().try_for_each(|it| self.drop_mirror(&mut mirrors, it))
    }

    /// Bytes of the device's memory that are mirrors.
    pub fn mirrored_bytes(&self) -> usize {
        self.mirrors.lock().values().map(|it| it.bytes).sum()
    }
}

impl Drop for Residency {
    fn drop(&mut self) {
        for mirror in self.mirrors.get_mut().values() {
            // The device goes on without this memory; no caller is left to be told.
            let _ = self.device.free(mirror.address - mirror.lead);
        }
    }
}

/// The first bytes of all mirrors that have some of these bytes.
fn overlapping(mirrors: &BTreeMap<u64, Mirror>, first: u64, end: u64) -> Vec<u64> {
    let before = mirrors.range(..end).rev();
    let mut found: Vec<u64> =
        before.take_while(|(base, it)| **base + it.bytes as u64 > first).map(|it| *it.0).collect();
    found.reverse();
    found
}
