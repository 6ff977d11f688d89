//! What a device has allocated: every address that the host gives it to copy from or to is looked up here.

use crate::device::DeviceError;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// The allocations of a device, by first address.
#[derive(Debug, Default)]
pub(crate) struct Allocations {
    bytes_at: Mutex<BTreeMap<u64, usize>>,
    changes: AtomicU64,
}

impl Allocations {
    pub(crate) fn insert(&self, address: u64, bytes: usize) {
        self.bytes_at.lock().insert(address, bytes);
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// Forgets one.
    pub(crate) fn remove(&self, address: u64) -> Result<(), DeviceError> {
        let found = self.bytes_at.lock().remove(&address);
        self.changes.fetch_add(1, Ordering::Release);
        found.map(|_| ()).ok_or(DeviceError::Address { address, bytes: 0 })
    }

    /// Calls `access` if one allocation has all of these bytes, which it keeps from being freed meanwhile.
    pub(crate) fn with<T>(
        &self,
        address: u64,
        bytes: usize,
        access: impl FnOnce() -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        let bytes_at = self.bytes_at.lock();
        let holds = bytes_at.range(..=address).next_back().is_some_and(|(first, size)| {
            let before = address - first;
            before <= *size as u64 && bytes as u64 <= *size as u64 - before
        });
        if holds { access() } else { Err(DeviceError::Address { address, bytes }) }
    }

    /// How often something was allocated or freed.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// All of them.
    pub(crate) fn addresses(&self) -> Vec<u64> {
        self.bytes_at.lock().keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An access is in one allocation or an error, at the edges of the address space too.
    #[test]
    fn accesses_are_inside_of_one_allocation() {
        let all = Allocations::default();
        all.insert(0x1000, 64);
        all.insert(0x1040, 64);
        all.insert(u64::MAX - 15, 16);
        let check = |address, bytes| all.with(address, bytes, || Ok(())).is_ok();
        assert!(check(0x1000, 64) && check(0x1010, 48) && check(0x107f, 1) && check(u64::MAX - 15, 16));
        assert!(!check(0x1000, 65) && !check(0xfff, 1) && !check(0x1081, 0) && !check(u64::MAX, 2));
        assert!(!check(0, usize::MAX));
        assert_eq!(all.remove(0x1040), Ok(()));
        assert_eq!(all.remove(0x1040), Err(DeviceError::Address { address: 0x1040, bytes: 0 }));
        assert!(!check(0x1040, 1));
        assert_eq!(all.addresses(), [0x1000, u64::MAX - 15]);
    }
}
