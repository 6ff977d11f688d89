//! The kernel state: where a launch's first failure goes, and behind it what items report, in memory of the device.
//!
//! A record belongs to one stream, and one launch at a time. Those at rest are known to be as they were made, or else are
//! made again in their stream before the next launch: behind whatever still runs there.
//!
//! What the library's device runtime (`base/core/device_runtime.jl`) does with the state is what is read here: items
//! reserve room for their reports one behind the other, so that what was reserved is whole up to the first that found
//! none.

use crate::device::{Device, DeviceError, Finished, MemoryKind, Stream};
use crate::grid::{Failure, Report, Seed};
use kiln_unit::{LaunchRecord, RECORD_OPERAND_BYTES};
use parking_lot::Mutex;
use std::mem::offset_of;

/// Size of a record of a failure.
const RECORD_BYTES: usize = size_of::<LaunchRecord>();
/// Where the state says how many bytes of reports there is room for, how many were asked for, and how many reports found
/// none; and where the reports begin.
const ROOM: usize = RECORD_BYTES;
const USED: usize = ROOM + 8;
const LOST: usize = ROOM + 16;
const FIRST: usize = 576;
/// Of each report: its site, its length, and alignment.
const HEADER: usize = 16;
/// Bytes of reports of one launch: what others have for what kernels print.
const ROOM_BYTES: usize = 1 << 20;

/// The records of a device.
#[derive(Debug, Default)]
pub(crate) struct Records {
    at_rest: Mutex<Vec<Record>>,
}

/// A record of one stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    stream: Stream,
    /// Where it is.
    pub(crate) address: u64,
    /// There is room for reports.
    reports: bool,
    /// Nothing was written to it.
    is_new: bool,
}

impl Record {
    fn bytes(&self) -> usize {
        if self.reports { FIRST + ROOM_BYTES } else { RECORD_BYTES }
    }
}

impl Records {
    /// A record that has no failure and no reports when the launch that is put in the stream next begins.
    pub(crate) fn take(
        &self,
        device: &dyn Device,
        stream: Stream,
        reports: bool,
        seed: Option<Seed>,
    ) -> Result<Record, DeviceError> {
        let found = {
            let mut at_rest = self.at_rest.lock();
            let fits = |it: &Record| it.stream == stream && it.reports == reports;
            at_rest.iter().rposition(fits).map(|it| at_rest.swap_remove(it))
        };
        let record = match found {
            Some(record) => record,
            None => {
                let new = Record { stream, address: 0, reports, is_new: false };
                Record { address: device.alloc(new.bytes(), MemoryKind::Device)?, ..new }
            }
        };
        if !record.is_new {
            renew(device, &record).inspect_err(|_| self.give_back(record))?;
        }
        if let Some(seed) = seed {
            sow(device, &record, seed).inspect_err(|_| self.give_back(record))?;
        }
        // From now on a kernel may write to it.
        Ok(Record { is_new: false, ..record })
    }

    /// What the launch left, when it is over. The record goes back.
    pub(crate) fn finish(&self, device: &dyn Device, record: Record) -> Result<Finished, DeviceError> {
        let left = read(device, &record);
        let is_new = left.as_ref().is_ok_and(|(it, used)| it.failure.is_none() && *used == 0);
        self.give_back(Record { is_new, ..record });
        left.map(|it| it.0)
    }

    /// Takes back a record that a launch may still write to: the next one is behind it in the stream.
    pub(crate) fn give_back(&self, record: Record) {
        self.at_rest.lock().push(record);
    }
}

/// Makes it what it is to be before a launch.
fn renew(device: &dyn Device, record: &Record) -> Result<(), DeviceError> {
    device.fill(record.stream, record.address, 0, record.bytes())?;
    if record.reports {
        let room = (ROOM_BYTES as u64).to_ne_bytes();
        device.write(record.stream, record.address + ROOM as u64, &room)?;
    }
    Ok(())
}

/// Says what random numbers follow from. Launches that draw none do not look there.
fn sow(device: &dyn Device, record: &Record, seed: Seed) -> Result<(), DeviceError> {
    let at = |offset: usize| record.address + offset as u64;
    device.write(record.stream, at(offset_of!(LaunchRecord, launch)), &seed.launch.to_ne_bytes())?;
    device.write(record.stream, at(offset_of!(LaunchRecord, seed)), &seed.value.to_ne_bytes())
}

/// What is in it, and how much of the room for reports was asked for.
fn read(device: &dyn Device, record: &Record) -> Result<(Finished, u64), DeviceError> {
    let mut head = [0; FIRST];
    let head = if record.reports { &mut head[..] } else { &mut head[..RECORD_BYTES] };
    device.read(record.stream, record.address, head)?;
    let failure = failure(head);
    if !record.reports {
        return Ok((Finished { failure, ..Finished::default() }, 0));
    }
    let (used, reports_lost) = (word(head, USED), word(head, LOST));
    let mut bytes = vec![0; used.min(ROOM_BYTES as u64) as usize];
    if !bytes.is_empty() {
        device.read(record.stream, record.address + FIRST as u64, &mut bytes)?;
    }
    Ok((Finished { failure, reports: reports(&bytes), reports_lost, took: None }, used))
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(std::array::from_fn(|it| bytes[at + it]))
}

fn half_word(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(std::array::from_fn(|it| bytes[at + it]))
}

/// The failure in the bytes of a record.
fn failure(bytes: &[u8]) -> Option<Failure> {
    let ids = |at: usize| std::array::from_fn(|d| word(bytes, at + 8 * d) as i64);
    let site = half_word(bytes, offset_of!(LaunchRecord, site));
    (site != 0).then(|| Failure {
        site,
        group_id: ids(offset_of!(LaunchRecord, group_id)),
        local_id: ids(offset_of!(LaunchRecord, local_id)),
        operands: bytes[offset_of!(LaunchRecord, operands)..][..RECORD_OPERAND_BYTES].to_vec(),
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
        assert_eq!((ROOM, USED, LOST, FIRST, HEADER), (512, 520, 528, 576, 16));
    }
}
