//! The kernel state: a launch's first failure, followed by the reports of items, in memory of the device.
//!
//! A record belongs to one stream, and one launch at a time. Resting records are in their initial state, or are
//! renewed in their stream before the next launch, after the work that still runs there.
//!
//! This module reads the state that the library's device runtime (`base/core/device_runtime.jl`) writes: items
//! reserve space for their reports one after the other, so the reserved space is valid up to the first failed
//! reservation.

use crate::artifact::DeviceArtifact;
use crate::device::{Device, DeviceError, LaunchOutcome, MemoryKind, Stream};
use crate::grid::{Failure, Report, Seed};
use kiln_unit::{LaunchRecord, RECORD_FRAMES, RECORD_OPERAND_BYTES};
use parking_lot::Mutex;
use std::mem::offset_of;
use std::sync::OnceLock;

/// Size of a record of a failure.
const RECORD_BYTES: usize = size_of::<LaunchRecord>();
/// The words of the state with the capacity for reports in bytes, the bytes requested, and the number of rejected
/// reports; the reports follow.
/// none; and where the reports begin.
const ROOM: usize = RECORD_BYTES;
const USED: usize = ROOM + 8;
const LOST: usize = ROOM + 16;
/// The words of the state with the address of the heap for objects, its size, and the bytes requested.
const HEAP: usize = ROOM + 24;
const HEAP_BYTES: usize = ROOM + 32;
const HEAP_USED: usize = ROOM + 40;
const FIRST: usize = 640;
/// Of each report: its site, its length, and alignment.
const HEADER: usize = 16;
/// The capacity for reports of one launch in bytes: that of other implementations for printing.
const ROOM_BYTES: usize = 1 << 20;

/// The room that a kernel needs beside a record of its first failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// Room for reports.
    reports: bool,
    /// Bytes for objects.
    heap_bytes: u64,
}

impl Room {
    /// Returns the needs of an artifact's kernel.
    pub(crate) fn for_artifact(artifact: &DeviceArtifact) -> Self {
        Self { reports: artifact.reports, heap_bytes: artifact.heap_bytes }
    }
}

/// The records of a device.
#[derive(Debug, Default)]
pub(crate) struct Records {
    at_rest: Mutex<Vec<Record>>,
    /// Where records are made and read that no launch uses: they wait for no launch.
    quiet: OnceLock<Stream>,
}

/// A record of one stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    stream: Stream,
    /// Where it is.
    pub(crate) address: u64,
    room: Room,
    /// Where the memory for objects is, if there is any.
    heap: u64,
    /// Nothing was written to it.
    is_new: bool,
    /// No launch uses it.
    is_idle: bool,
}

impl Record {
    fn bytes(&self) -> usize {
        if self.room.reports { FIRST + ROOM_BYTES } else { FIRST }
    }
}

impl Records {
    /// A record that has no failure and no reports when the launch that is put in the stream next begins.
    pub(crate) fn acquire(
        &self,
        device: &dyn Device,
        stream: Stream,
        room: Room,
        seed: Option<Seed>,
    ) -> Result<Record, DeviceError> {
        let found = {
            let mut at_rest = self.at_rest.lock();
            let fits = |it: &Record| it.stream == stream && it.room == room;
            at_rest.iter().rposition(fits).map(|it| at_rest.swap_remove(it))
        };
        let record = match found {
            Some(record) => record,
            None => {
                let new = Record { stream, address: 0, room, heap: 0, is_new: false, is_idle: true };
                allocate(device, new)?
            }
        };
        if !record.is_new {
            let quiet = self.stream_for(device, &record);
            renew(device, quiet, &record).inspect_err(|_| self.release(record))?;
        }
        if let Some(seed) = seed {
            set_seed(device, self.stream_for(device, &record), &record, seed)
                .inspect_err(|_| self.release(record))?;
        }
        // From now on a kernel may write to it.
        Ok(Record { is_new: false, is_idle: false, ..record })
    }

    /// Where a record is written to before a launch: where it waits for no others, or behind those that may still use it.
    fn stream_for(&self, device: &dyn Device, record: &Record) -> Stream {
        if record.is_idle { self.quiet(device) } else { record.stream }
    }

    fn quiet(&self, device: &dyn Device) -> Stream {
        *self.quiet.get_or_init(|| device.new_stream().unwrap_or(Stream::DEFAULT))
    }

    /// Reads the record of a launch that is over, and takes the record back.
    pub(crate) fn finish(&self, device: &dyn Device, record: Record) -> Result<LaunchOutcome, DeviceError> {
        let left = read(device, self.quiet(device), &record);
        let is_new = left.as_ref().is_ok_and(|(it, used)| it.failure.is_none() && *used == 0);
        self.release(Record { is_new, is_idle: true, ..record });
        left.map(|it| it.0)
    }

    /// Takes back a record that a launch may still write to: the next one is behind it in the stream.
    pub(crate) fn release(&self, record: Record) {
        self.at_rest.lock().push(record);
    }
}

/// Allocates a record and its memory.
fn allocate(device: &dyn Device, new: Record) -> Result<Record, DeviceError> {
    let address = device.alloc(new.bytes(), MemoryKind::Device)?;
    let Ok(heap_bytes @ 1..) = usize::try_from(new.room.heap_bytes) else {
        return Ok(Record { address, ..new });
    };
    match device.alloc(heap_bytes, MemoryKind::Device) {
        Ok(heap) => Ok(Record { address, heap, ..new }),
        Err(error) => {
            device.free(address)?;
            Err(error)
        }
    }
}

/// Restores the initial state before a launch.
fn renew(device: &dyn Device, stream: Stream, record: &Record) -> Result<(), DeviceError> {
    let room = if record.room.reports { ROOM_BYTES as u64 } else { 0 };
    let heap_bytes = if record.heap == 0 { 0 } else { record.room.heap_bytes };
    let mut head = [0; FIRST];
    for (at, value) in [(ROOM, room), (HEAP, record.heap), (HEAP_BYTES, heap_bytes)] {
        head[at..at + 8].copy_from_slice(&value.to_ne_bytes());
    }
    for at in [offset_of!(LaunchRecord, group_id), offset_of!(LaunchRecord, local_id)] {
        head[at..at + 24].fill(0xff); // NO_ITEM
    }
    if record.room.reports {
        device.fill(stream, record.address + FIRST as u64, 0, ROOM_BYTES)?;
    }
    // Waits for both.
    device.write(stream, record.address, &head)
}

/// Sets the seed of random numbers. Launches that draw none do not read it.
fn set_seed(device: &dyn Device, stream: Stream, record: &Record, seed: Seed) -> Result<(), DeviceError> {
    let at = |offset: usize| record.address + offset as u64;
    device.write(stream, at(offset_of!(LaunchRecord, launch)), &seed.launch.to_ne_bytes())?;
    device.write(stream, at(offset_of!(LaunchRecord, seed)), &seed.value.to_ne_bytes())
}

/// Reads the record: its contents, and the room that was asked for, or 0.
fn read(device: &dyn Device, stream: Stream, record: &Record) -> Result<(LaunchOutcome, u64), DeviceError> {
    let mut head = [0; FIRST];
    device.read(stream, record.address, &mut head)?;
    let (failure, objects) = (failure(&head), word(&head, HEAP_USED));
    if !record.room.reports {
        return Ok((LaunchOutcome { failure, ..LaunchOutcome::default() }, objects));
    }
    let (used, reports_lost) = (word(&head, USED), word(&head, LOST));
    let mut bytes = vec![0; used.min(ROOM_BYTES as u64) as usize];
    if !bytes.is_empty() {
        device.read(stream, record.address + FIRST as u64, &mut bytes)?;
    }
    Ok((LaunchOutcome { failure, reports: reports(&bytes), reports_lost, took: None }, used | objects))
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(std::array::from_fn(|it| bytes[at + it]))
}

fn half_word(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(std::array::from_fn(|it| bytes[at + it]))
}

/// The failure in the bytes of a record.
fn failure(bytes: &[u8]) -> Option<Failure> {
    let count = half_word(bytes, offset_of!(LaunchRecord, frame_count)) as usize;
    let frame = |it: usize| half_word(bytes, offset_of!(LaunchRecord, frames) + 4 * it);
    let ids = |at: usize| std::array::from_fn(|d| word(bytes, at + 8 * d) as i64);
    let site = half_word(bytes, offset_of!(LaunchRecord, site));
    (site != 0).then(|| Failure {
        site,
        group_id: ids(offset_of!(LaunchRecord, group_id)),
        local_id: ids(offset_of!(LaunchRecord, local_id)),
        operands: bytes[offset_of!(LaunchRecord, operands)..][..RECORD_OPERAND_BYTES].to_vec(),
        frames: (0..count.min(RECORD_FRAMES)).map(frame).collect(),
    })
}

/// The reports in the room for them, up to the first that found none: nothing was written there.
fn reports(mut bytes: &[u8]) -> Vec<Report> {
    let mut reports = Vec::new();
    while bytes.len() >= HEADER {
        let (site, len) = (half_word(bytes, 0), half_word(bytes, 4) as usize);
        let Some(operands) = bytes.get(HEADER..).and_then(|it| it.get(..len)).filter(|_| site != 0) else {
            break;
        };
        reports.push(Report { site, operands: operands.into() });
        bytes = bytes.get(HEADER + len.next_multiple_of(8)..).unwrap_or_default();
    }
    reports
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports follow one another at multiples of 8, and end where one found no room.
    #[test]
    fn reports_end_where_there_was_no_room() {
        let mut bytes = Vec::new();
        for (site, operands) in [(3u32, &[1u8, 2, 3][..]), (7, &[]), (9, &[4; 8])] {
            bytes.extend(site.to_ne_bytes());
            bytes.extend((operands.len() as u32).to_ne_bytes());
            bytes.extend([0; 8]);
            bytes.extend(operands);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        let sites = |bytes: &[u8]| reports(bytes).iter().map(|it| it.site).collect::<Vec<_>>();
        let whole = bytes.len();
        assert_eq!(reports(&bytes)[0].operands[..], [1, 2, 3]);
        assert_eq!(sites(&bytes), [3, 7, 9]);
        bytes.resize(whole + 40, 0);
        assert_eq!(sites(&bytes), [3, 7, 9]);
        assert_eq!(sites(&bytes[..whole - 1]), [3, 7]);
        assert_eq!(sites(&[]), []);
    }

    /// The library's device runtime addresses the state by number.
    #[test]
    fn fields_are_where_the_library_looks() {
        assert_eq!((ROOM, USED, LOST, FIRST, HEADER), (576, 584, 592, 640, 16));
        assert_eq!((HEAP, HEAP_BYTES, HEAP_USED), (600, 608, 616));
    }
}
