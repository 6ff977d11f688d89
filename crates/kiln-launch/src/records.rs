//! The kernel state: where a launch's first failure goes, in memory of the device.
//!
//! A record belongs to one stream, and one launch at a time. Those at rest are known to be zero, or else are zeroed in
//! their stream before the next launch: behind whatever still runs there.

use crate::device::{Device, DeviceError, MemoryKind, Stream};
use crate::grid::Failure;
use kiln_unit::{LaunchRecord, RECORD_OPERAND_BYTES};
use parking_lot::Mutex;
use std::mem::offset_of;

/// Size of a record.
const RECORD_BYTES: usize = size_of::<LaunchRecord>();

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
    is_zero: bool,
}

impl Records {
    /// A record that is zero when the launch that is put in the stream next begins.
    pub(crate) fn take(&self, device: &dyn Device, stream: Stream) -> Result<Record, DeviceError> {
        let found = {
            let mut at_rest = self.at_rest.lock();
            at_rest.iter().rposition(|it| it.stream == stream).map(|it| at_rest.swap_remove(it))
        };
        let record = match found {
            Some(record) => record,
            None => {
                let address = device.alloc(RECORD_BYTES, MemoryKind::Device)?;
                Record { stream, address, is_zero: false }
            }
        };
        if !record.is_zero {
            let zeroed = device.fill(stream, record.address, 0, RECORD_BYTES);
            zeroed.inspect_err(|_| self.give_back(record))?;
        }
        // From now on a kernel may write to it.
        Ok(Record { is_zero: false, ..record })
    }

    /// What the launch left, when it is over. The record goes back.
    pub(crate) fn finish(&self, device: &dyn Device, record: Record) -> Result<Option<Failure>, DeviceError> {
        let mut bytes = [0; RECORD_BYTES];
        let read = device.read(record.stream, record.address, &mut bytes);
        let failure = read.map(|()| failure(&bytes));
        self.give_back(Record { is_zero: failure == Ok(None), ..record });
        failure
    }

    /// Takes back a record that a launch may still write to: the next one is behind it in the stream.
    pub(crate) fn give_back(&self, record: Record) {
        self.at_rest.lock().push(record);
    }
}

/// The failure in the bytes of a record.
fn failure(bytes: &[u8; RECORD_BYTES]) -> Option<Failure> {
    let word = |at: usize| -> [u8; 8] { std::array::from_fn(|it| bytes[at + it]) };
    let ids = |at: usize| std::array::from_fn(|d| i64::from_ne_bytes(word(at + 8 * d)));
    let site = offset_of!(LaunchRecord, site);
    let site = u32::from_ne_bytes(std::array::from_fn(|it| bytes[site + it]));
    (site != 0).then(|| Failure {
        site,
        group_id: ids(offset_of!(LaunchRecord, group_id)),
        local_id: ids(offset_of!(LaunchRecord, local_id)),
        operands: bytes[offset_of!(LaunchRecord, operands)..][..RECORD_OPERAND_BYTES].to_vec(),
    })
}
