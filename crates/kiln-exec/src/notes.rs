//! Notes that a session takes while it compiles, for those who ask later: what compilations cost, which host code ran often,
//! which kernels an image lacks, and which jobs were asked for during a watch.

use crate::launch_table::KernelJob;
use kiln_compile::CompileError;
use kiln_metrics::Compilation;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Host code that ran often, for `KILN_HOT`.
#[derive(Clone, Debug)]
pub struct HotCode {
    /// The method's name and the argument types.
    pub name: String,
    /// Nanoseconds that compiling it, or finding out that it cannot be, took.
    pub nanos: u64,
    /// Why it goes on being interpreted.
    pub outcome: Result<(), CompileError>,
}

/// A kernel that an image lacks for a target, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The kernel's name for users.
    pub kernel: String,
    /// The target's name.
    pub target: String,
    /// The problems, rendered.
    pub why: String,
}

/// A list that grows while the session runs.
#[derive(Debug)]
pub struct Log<T>(Mutex<Vec<T>>);

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Log<T> {
    /// Adds an entry.
    pub(crate) fn add(&self, entry: T) {
        self.0.lock().push(entry);
    }

    /// Adds an entry unless there is an equal one.
    pub(crate) fn add_new(&self, entry: T)
    where
        T: PartialEq,
    {
        let mut all = self.0.lock();
        if !all.contains(&entry) {
            all.push(entry);
        }
    }

    /// Returns the entries so far, in order.
    pub fn entries(&self) -> Vec<T> {
        self.0.lock().clone()
    }
}

/// Lists of the jobs that were asked for since each watch began.
#[derive(Debug, Default)]
pub struct Watches {
    /// A list for each watch, the innermost last.
    jobs: Mutex<Vec<Vec<KernelJob>>>,
    is_watched: AtomicBool,
}

impl Watches {
    /// Notes the jobs that are asked for from now on, until [`Self::end`].
    pub fn begin(&self) {
        self.jobs.lock().push(Vec::new());
        self.is_watched.store(true, Ordering::Relaxed);
    }

    /// Ends the innermost watch. Returns the jobs that were asked for since it began, each once, in their order.
    pub fn end(&self) -> Vec<KernelJob> {
        let mut watches = self.jobs.lock();
        let jobs = watches.pop().unwrap_or_default();
        self.is_watched.store(!watches.is_empty(), Ordering::Relaxed);
        jobs
    }

    /// Notes a job that is asked for.
    #[inline]
    pub fn note(&self, job: &KernelJob) {
        if self.is_watched.load(Ordering::Relaxed) {
            self.note_watched(job);
        }
    }

    #[cold]
    fn note_watched(&self, job: &KernelJob) {
        for jobs in self.jobs.lock().iter_mut().filter(|it| !it.contains(job)) {
            jobs.push(*job);
        }
    }
}

/// The notes of a session.
#[derive(Debug, Default)]
pub struct Notes {
    /// The compilations, in order.
    pub compilations: Log<Compilation>,
    /// The outcomes of host code that ran often, in order.
    pub hot: Log<HotCode>,
    /// The kernels that an image will lack for devices it is built for.
    pub missing: Log<Missing>,
    /// The watches that programs began.
    pub watches: Watches,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch_table::{ConfigId, DeviceId};
    use kiln_types::Type;

    fn job(function: usize) -> KernelJob {
        let (function, args) = (Type::from_index(function), Type::from_index(0));
        KernelJob { function, args, config: ConfigId(0), device: DeviceId::CPU }
    }

    /// A watch has the jobs that were asked for since it began, each once; an inner watch takes none from the outer one.
    #[test]
    fn watches_nest() {
        let watches = Watches::default();
        watches.note(&job(1));
        watches.begin();
        watches.note(&job(2));
        watches.begin();
        watches.note(&job(3));
        watches.note(&job(3));
        assert_eq!(watches.end(), [job(3)]);
        watches.note(&job(4));
        assert_eq!(watches.end(), [job(2), job(3), job(4)]);
        watches.note(&job(5));
        assert_eq!(watches.end(), []);
    }

    /// A list has its entries in order; of equal ones that are added as new the first stays.
    #[test]
    fn a_log_keeps_the_order() {
        let log = Log::default();
        [1, 2].into_iter().for_each(|it| log.add(it));
        [2, 3].into_iter().for_each(|it| log.add_new(it));
        assert_eq!(log.entries(), [1, 2, 3]);
    }
}
