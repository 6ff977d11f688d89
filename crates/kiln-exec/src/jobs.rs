//! Jobs and the kernels made of them: what was found out of each, and since which world it is known to be good.
//!
//! Looking a job up that was asked for before takes no lock and allocates nothing.

use crate::kernel::Kernel;
use crate::launch_table::{KernelJob, LaunchTable};
use kiln_compile::CompileError;
use kiln_runtime::Runtime;
use kiln_runtime::tables::{CodeInstance, World};
use parking_lot::ReentrantMutex;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A kernel that has been compiled and linked: a number of this session's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelHandle(u64);

impl KernelHandle {
    /// The handle of this number, if there is one: else launching it says so.
    pub fn from_number(number: u64) -> Self {
        Self(number)
    }
    /// Its number.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// Why a job does not compile.
#[derive(Debug)]
pub struct Uncompiled {
    /// The error.
    pub error: CompileError,
    /// Its diagnostics, rendered once: a job that is asked for again is refused at once.
    pub message: String,
}

impl std::error::Error for Uncompiled {}

impl fmt::Display for Uncompiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The outcome of a job.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// A kernel.
    Ready(KernelHandle),
    /// Why there is none.
    Refused(Arc<Uncompiled>),
}

/// The outcome of a job when it was last compiled.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) outcome: Outcome,
    /// The newest world in which it was found to be good.
    pub(crate) validated_at: AtomicU64,
    /// The results it was made of, the entry's first. None: nothing is known of what it depends on.
    pub(crate) parts: Arc<[Arc<CodeInstance>]>,
}

/// The launch table's entry of a job.
#[derive(Debug, Default)]
pub(crate) struct JobEntry {
    /// The number of what was made of it last, plus 1.
    made: AtomicU32,
    /// Held while it is compiled. A generator may ask for the job that it is run for.
    pub(crate) compiling: ReentrantMutex<()>,
}

/// The jobs of a session that were asked for, and the kernels made of them.
#[derive(Debug, Default)]
pub struct Jobs {
    table: LaunchTable<JobEntry>,
    /// The outcomes of jobs, the latest last.
    made: boxcar::Vec<Made>,
    /// By handle.
    kernels: boxcar::Vec<Kernel>,
}

impl Jobs {
    /// Returns the kernel of a job that was asked for before, if nothing has been defined since: one probe, no lock, nothing
    /// allocated, nothing counted.
    #[inline]
    pub fn resolved(&self, rt: &Runtime, job: &KernelJob) -> Option<KernelHandle> {
        match self.made(self.table.find(job)?)? {
            Made { outcome: Outcome::Ready(handle), validated_at, .. }
                if validated_at.load(Ordering::Acquire) == rt.current_world().number() =>
            {
                Some(*handle)
            }
            Made { .. } => None,
        }
    }

    /// Returns the last outcome of an entry.
    #[inline]
    pub(crate) fn made(&self, entry: &JobEntry) -> Option<&Made> {
        self.made.get(entry.made.load(Ordering::Acquire).checked_sub(1)? as usize)
    }

    /// Returns the entry of a job; a new one if it has none.
    pub(crate) fn entry(&self, job: &KernelJob) -> &JobEntry {
        self.table.find_or_insert(job)
    }

    /// Returns the last outcome of a job.
    pub(crate) fn latest(&self, job: &KernelJob) -> Option<Outcome> {
        Some(self.made(self.table.find(job)?)?.outcome.clone())
    }

    /// Returns the outcome of a job, if it is known to be good in `world`.
    pub(crate) fn current(&self, world: World, job: &KernelJob) -> Option<Outcome> {
        let made = self.made(self.table.find(job)?)?;
        (made.validated_at.load(Ordering::Acquire) == world.number()).then(|| made.outcome.clone())
    }

    /// Keeps the outcome of a job.
    pub(crate) fn keep(&self, entry: &JobEntry, made: Made) {
        let number = self.made.push(made);
        entry.made.store(number as u32 + 1, Ordering::Release);
    }

    /// Adds a kernel.
    pub(crate) fn add(&self, kernel: Kernel) -> KernelHandle {
        KernelHandle(self.kernels.push(kernel) as u64)
    }

    /// Returns the kernel of a handle.
    pub fn kernel(&self, handle: KernelHandle) -> Option<&Kernel> {
        self.kernels.get(usize::try_from(handle.0).ok()?)
    }

    /// Returns the job that was asked for last for the first time, of those that are meant.
    pub fn last_asked(&self, is_meant: impl Fn(&KernelJob) -> bool) -> Option<KernelJob> {
        self.table.latest(is_meant)
    }
}
