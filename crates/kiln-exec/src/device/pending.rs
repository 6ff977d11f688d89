//! Launches that have been put in a stream and whose results have not surfaced.

use super::coherence::Fence;
use super::loadable::Mirrored;
use crate::jobs::KernelHandle;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Pending launches; a launch beyond them drains the oldest first.
const PENDING_MAX: usize = 1 << 10;
/// Of launches whose records are large, those that may run at a time.
const LARGE_MAX: usize = 16;

/// A launch that has not been drained.
#[derive(Debug)]
pub(crate) struct PendingLaunch {
    pub(super) fence: Arc<Fence>,
    pub(super) kernel: KernelHandle,
    pub(super) mirrors: Vec<Mirrored>,
    /// The coherent objects that it uses, by first byte.
    pub(super) coherent: Vec<u64>,
    pub(super) is_large: bool,
}

/// Pending launches, in the order in which they were made.
#[derive(Debug, Default)]
pub struct PendingLaunches {
    queue: Mutex<VecDeque<PendingLaunch>>,
    begun: AtomicU64,
    /// Launches that are being drained.
    draining: AtomicU32,
}

impl PendingLaunches {
    /// Returns the number of a new launch.
    pub(super) fn number(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::Relaxed)
    }

    /// Adds a launch.
    pub(super) fn add(&self, launch: PendingLaunch) {
        self.queue.lock().push_back(launch);
    }

    /// Takes the oldest launch of those that are meant.
    pub(super) fn take(&self, is_meant: &dyn Fn(&Fence) -> bool) -> Option<PendingLaunch> {
        let mut queue = self.queue.lock();
        let at = queue.iter().position(|it| is_meant(&it.fence))?;
        queue.remove(at)
    }

    /// Drains a launch: meanwhile [`Self::is_draining`].
    pub(super) fn while_draining<T>(&self, drain: impl FnOnce() -> T) -> T {
        self.draining.fetch_add(1, Ordering::Relaxed);
        let done = drain();
        self.draining.fetch_sub(1, Ordering::Relaxed);
        done
    }

    /// Whether a launch is being drained.
    pub(super) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed) > 0
    }

    /// Waits until few enough launches with large records run for another one.
    pub(super) fn wait_for_room(&self) {
        let running = {
            let queue = self.queue.lock();
            let large = queue.iter().rev().filter(|it| it.is_large).nth(LARGE_MAX - 1);
            large.map(|it| it.fence.clone())
        };
        if let Some(fence) = running {
            fence.wait();
        }
    }

    /// Returns the oldest launch, if there are so many that it has to be drained before another one.
    pub(super) fn excess(&self) -> Option<Arc<Fence>> {
        let queue = self.queue.lock();
        queue.front().filter(|_| queue.len() >= PENDING_MAX).map(|it| it.fence.clone())
    }

    /// Whether nothing that was put in a stream is still to be done.
    pub(super) fn is_idle(&self, stream: u32) -> bool {
        self.last_in(stream).is_none_or(|it| it.event.is_over())
    }

    /// Returns the launch that was put in a stream last, if it is pending.
    pub(super) fn last_in(&self, stream: u32) -> Option<Arc<Fence>> {
        let queue = self.queue.lock();
        queue.iter().rev().find(|it| it.fence.stream == stream).map(|it| it.fence.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_launch::{DeviceError, Event, LaunchOutcome};

    /// An event of a launch that is over.
    #[derive(Debug)]
    struct Over;

    impl Event for Over {
        fn wait(&self) -> Result<LaunchOutcome, DeviceError> {
            Ok(LaunchOutcome::default())
        }
    }

    fn launch(stream: u32, number: u64, is_large: bool) -> PendingLaunch {
        let fence = Arc::new(Fence { event: Box::new(Over), stream, number });
        let kernel = KernelHandle::from_number(0);
        PendingLaunch { fence, kernel, mirrors: Vec::new(), coherent: Vec::new(), is_large }
    }

    /// Launches leave in the order in which they came, those of one stream without those of another.
    #[test]
    fn launches_are_taken_in_order() {
        let pending = PendingLaunches::default();
        for stream in [1, 2, 1] {
            pending.add(launch(stream, pending.number(), false));
        }
        assert_eq!(pending.last_in(1).map(|it| it.number), Some(2));
        let taken = |stream: u32| pending.take(&|it| it.stream == stream).map(|it| it.fence.number);
        assert_eq!([taken(1), taken(1), taken(1)], [Some(0), Some(2), None]);
        assert!(pending.is_idle(1) && pending.last_in(2).is_some());
    }

    /// The oldest launch has to go when there are as many as there may be, and not before.
    #[test]
    fn the_oldest_launch_makes_room() {
        let pending = PendingLaunches::default();
        for number in 0..PENDING_MAX as u64 {
            assert!(pending.excess().is_none());
            pending.add(launch(0, number, true));
        }
        assert_eq!(pending.excess().map(|it| it.number), Some(0));
        pending.wait_for_room();
        assert!(pending.while_draining(|| pending.is_draining()) && !pending.is_draining());
    }
}
