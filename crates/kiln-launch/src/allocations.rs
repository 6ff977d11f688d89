//! The allocations of a device: every address that the host gives it to copy from or to is looked up here.

use crate::device::DeviceError;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// The allocations of a device.
#[derive(Debug, Default)]
pub(crate) struct Allocations {
    all: Mutex<All>,
}

#[derive(Debug, Default)]
struct All {
    /// By first address.
    bytes_at: BTreeMap<u64, usize>,
    /// The number of allocations and frees so far.
    changes: u64,
}

impl Allocations {
    pub(crate) fn insert(&self, address: u64, bytes: usize) {
        let mut all = self.all.lock();
        all.bytes_at.insert(address, bytes);
        all.changes += 1;
    }

    /// Forgets one.
    pub(crate) fn remove(&self, address: u64) -> Result<(), DeviceError> {
        let mut all = self.all.lock();
        all.changes += 1;
        all.bytes_at.remove(&address).map(|_| ()).ok_or(DeviceError::Address { address, bytes: 0 })
    }

    /// Calls `access` if one allocation has all of these bytes, which it keeps from being freed meanwhile.
    pub(crate) fn with<T>(
        &self,
        address: u64,
        bytes: usize,
        access: impl FnOnce() -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        let all = self.all.lock();
        let holds = all.bytes_at.range(..=address).next_back().is_some_and(|(first, size)| {
            let before = address - first;
            before <= *size as u64 && bytes as u64 <= *size as u64 - before
        });
        if holds { access() } else { Err(DeviceError::Address { address, bytes }) }
    }

    /// Calls `access` with the number of changes so far and a function that lists all allocations; none is freed
    /// meanwhile.
    pub(crate) fn with_all<T>(&self, access: impl FnOnce(u64, &dyn Fn() -> Vec<u64>) -> T) -> T {
        let all = self.all.lock();
        access(all.changes, &|| all.bytes_at.keys().copied().collect())
    }

    /// All of them.
    pub(crate) fn addresses(&self) -> Vec<u64> {
        self.with_all(|_, list| list())
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
