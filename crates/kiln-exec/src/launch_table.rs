//! From a job to what became of it: a table that is read without locks and without allocating.
//!
//! Slots of a power of two in number, probed one after the other; a slot holds the number of an entry plus 1. When half of
//! them are taken, a table of twice as many takes over; a reader that still looks at the old one may miss what is newer,
//! and asks again under the lock that writers hold. Nothing is ever removed: jobs of a session are few.

use boxcar::Vec as Entries;
use kiln_types::Type;
use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// How a kernel is compiled, and what messages call it: a number of this session's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConfigId(pub(crate) u32);

impl ConfigId {
    /// Its number.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A device of this session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceId(u32);

impl DeviceId {
    /// This machine's processor.
    pub const CPU: Self = Self(0);

    /// The device of this number among those that a session has opened.
    pub(crate) fn of_index(index: usize) -> Self {
        Self(index as u32 + 1)
    }

    /// That number; `None` for this machine's processor.
    #[inline]
    pub(crate) fn index(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }
}

/// A unit of compilation: a function and its argument types, how, and for which device. The same in all worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelJob {
    /// The type of the function.
    pub function: Type,
    /// The tuple of the types of its arguments, as the device has them.
    pub args: Type,
    /// How it is compiled.
    pub config: ConfigId,
    /// The device it runs on.
    pub device: DeviceId,
}

impl KernelJob {
    fn hash(&self) -> usize {
        let pair = |a: usize, b: u32| (a as u64) << 32 | u64::from(b);
        // Two products that do not wait for each other.
        let called =
            pair(self.function.index(), self.args.index() as u32).wrapping_mul(0x517c_c1b7_2722_0a95);
        let how = pair(self.config.0 as usize, self.device.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = called ^ how.rotate_left(23);
        (hash ^ (hash >> 32)) as usize
    }
}

/// Slots of the first table.
const SLOTS_MIN: usize = 64;
/// Tables, each of twice as many slots: more entries than there can be types.
const LEVELS: usize = 26;

/// Jobs, and an entry of type `T` for each.
#[derive(Debug)]
pub(crate) struct LaunchTable<T> {
    levels: [OnceLock<Box<[AtomicU32]>>; LEVELS],
    /// The level that is in use.
    level: AtomicUsize,
    entries: Entries<(KernelJob, T)>,
    writing: Mutex<()>,
}

impl<T> Default for LaunchTable<T> {
    fn default() -> Self {
        Self {
            levels: [const { OnceLock::new() }; LEVELS],
            level: AtomicUsize::new(0),
            entries: Entries::new(),
            writing: Mutex::new(()),
        }
    }
}

impl<T: Default> LaunchTable<T> {
    /// The entry of a job, if it has one.
    #[inline]
    pub(crate) fn find(&self, job: &KernelJob) -> Option<&T> {
        let slots = self.levels[self.level.load(Ordering::Acquire)].get()?;
        let mut at = job.hash();
        loop {
            let number = slots[at & (slots.len() - 1)].load(Ordering::Acquire);
            let (known, entry) = self.entries.get(number.checked_sub(1)? as usize)?;
            if known == job {
                return Some(entry);
            }
            at = at.wrapping_add(1);
        }
    }

    /// The job that was asked for last for the first time, of those that are meant.
    pub(crate) fn latest(&self, is_meant: impl Fn(&KernelJob) -> bool) -> Option<KernelJob> {
        let all = (0..self.entries.count()).rev().filter_map(|it| self.entries.get(it));
        all.map(|it| it.0).find(|it| is_meant(it))
    }

    /// The entry of a job; a new one if it has none.
    pub(crate) fn find_or_insert(&self, job: &KernelJob) -> &T {
        if let Some(found) = self.find(job) {
            return found;
        }
        let _writing = self.writing.lock();
        if let Some(found) = self.find(job) {
            return found;
        }
        let number = self.entries.push((*job, T::default()));
        let level = self.level.load(Ordering::Relaxed);
        match self.levels[level].get() {
            Some(slots) if 2 * (number + 1) <= slots.len() => place(slots, job, number),
            Some(slots) => self.grow(level + 1, 2 * slots.len()),
            None => self.grow(level, SLOTS_MIN),
        }
        &self.entries[number].1
    }

    /// Begins a table of so many slots, with everything in it.
    fn grow(&self, level: usize, len: usize) {
        let slots: Box<[AtomicU32]> = (0..len).map(|_| AtomicU32::new(0)).collect();
        for (number, (job, _)) in self.entries.iter() {
            place(&slots, job, number);
        }
        let _ = self.levels[level].set(slots);
        self.level.store(level, Ordering::Release);
    }
}

fn place(slots: &[AtomicU32], job: &KernelJob, number: usize) {
    let mut at = job.hash();
    while slots[at & (slots.len() - 1)].load(Ordering::Relaxed) != 0 {
        at = at.wrapping_add(1);
    }
    slots[at & (slots.len() - 1)].store(number as u32 + 1, Ordering::Release);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(function: usize, config: u32) -> KernelJob {
        let (function, args) = (Type::from_index(function), Type::from_index(function / 3));
        KernelJob { function, args, config: ConfigId(config), device: DeviceId::CPU }
    }

    /// Every job keeps the entry it got first, also while the table grows, and jobs that differ in one part have their own.
    #[test]
    fn jobs_keep_their_entries() {
        let table = LaunchTable::<AtomicU32>::default();
        assert!(table.find(&job(1, 1)).is_none());
        for n in 0..1000 {
            table.find_or_insert(&job(n, n as u32 % 2)).store(n as u32, Ordering::Relaxed);
        }
        for n in 0..1000 {
            let found = table.find(&job(n, n as u32 % 2)).unwrap();
            assert_eq!(found.load(Ordering::Relaxed), n as u32);
            assert!(table.find(&job(n, 1 - n as u32 % 2)).is_none());
        }
    }

    /// Threads that insert the same jobs at once agree on the entries.
    #[test]
    fn threads_agree() {
        let table = LaunchTable::<AtomicU32>::default();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for n in 0..500 {
                        table.find_or_insert(&job(n, 0)).fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        for n in 0..500 {
            assert_eq!(table.find(&job(n, 0)).unwrap().load(Ordering::Relaxed), 8);
        }
    }
}
