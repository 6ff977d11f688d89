//! The CPU as a device: work-groups on a thread pool.
//!
//! A launch of few items runs on the calling thread, because waking another costs more than the items do; other
//! launches are cut into runs of consecutive groups that the workers claim from a counter. A kernel is a plain call per
//! run. A kernel with barriers has a frame for each item of a group; if it could not be cut at the barriers, it runs
//! each item on a fiber (see [`ffi`]). A kernel that reports runs on another thread, while the calling thread processes
//! the reports: only it may run Julia code.

mod check;
mod ffi;

pub use check::{Checker, Finding, FindingKind, HostArray, MemorySpace, Party};

use crate::grid::{Failure, Grid, Report, Seed};
use ffi::{FiberStacks, Frames, Scratch};
use kiln_link::{Linked, Linker};
use kiln_unit::{HostTable, LaunchContext, LaunchHeap, LaunchRecord, LinkInfo, RECORD_FRAMES};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The minimum number of items of a launch that wakes other threads.
const ITEMS_INLINE_MAX: i64 = 256;
/// Runs of groups a worker claims in a launch, if there are that many: enough to even out unequal groups.
const RUNS_A_WORKER: i64 = 8;

/// Items of a warp, unless a kernel has more.
const LANES: u32 = 32;

/// Reports that may wait to be taken; items that report more wait too.
const REPORTS_WAITING_MAX: usize = 4096;

/// A kernel that can be launched. Keeps its code mapped.
#[derive(Debug, Clone)]
pub struct CpuKernel {
    entry: ffi::Entry,
    shared_bytes: usize,
    /// Of an item.
    frame_bytes: usize,
    /// The items of a group, if it runs groups of one size alone.
    group_size: Option<[i64; 3]>,
    reports: bool,
    heap_bytes: usize,
    /// The length of its argument block.
    args_bytes: usize,
    /// It calls a checker.
    is_checked: bool,
    /// Its items may wait for each other; known of checked kernels.
    waits: bool,
    /// It is a screened form.
    is_screened: bool,
    /// The items of a warp.
    lanes: usize,
    /// `None`: the system's loader keeps it mapped.
    _code: Option<Arc<Linker>>,
}

impl CpuKernel {
    /// Returns a kernel that codegen emitted and described, and `linker` placed. Its groups have `shared_bytes` of
    /// static shared memory, and its launches have `heap_bytes` for objects if it allocates any. `None` if its entry
    /// is not in `linked`.
    ///
    /// # Safety
    /// `linked` is code that `linker` placed, complete with everything that it calls or refers to; codegen emitted it
    /// for this processor, `info` is its description, and `shared_bytes` is at least the amount that it uses.
    #[expect(unsafe_code, reason = "machine code is trusted; see ARCHITECTURE.md")]
    pub unsafe fn new(
        linker: Arc<Linker>,
        linked: &Linked,
        info: &LinkInfo,
        shared_bytes: usize,
        heap_bytes: usize,
    ) -> Option<Self> {
        let entry = linked.address(&info.entry)?;
        // SAFETY: the caller's promise; the linker stays.
        let kernel = unsafe { Self::loaded(entry, info, shared_bytes, heap_bytes) };
        Some(Self { _code: Some(linker), ..kernel })
    }

    /// Returns a kernel that the system's loader placed, as [`CpuKernel::new`] does for one that `kiln_link` placed.
    ///
    /// # Safety
    /// `entry` is the address of the entry of a kernel as [`CpuKernel::new`] requires it, and stays it as long as the kernel
    /// or a clone of it is launched.
    #[expect(unsafe_code, reason = "machine code is trusted; see ARCHITECTURE.md")]
    pub unsafe fn loaded(entry: u64, info: &LinkInfo, shared_bytes: usize, heap_bytes: usize) -> Self {
        let entry = ffi::Entry::new(entry, info.has_barrier || info.is_checked);
        let heap_bytes = if info.allocates { heap_bytes } else { 0 };
        let (reports, args_bytes) = (info.reports, info.args_bytes as usize);
        let frame_bytes = info.frame_bytes as usize;
        let (is_checked, is_screened, waits) = (info.is_checked, info.is_screened, info.waits);
        Self {
            entry,
            shared_bytes,
            frame_bytes,
            group_size: info.group_size.map(|it| it.map(i64::from)),
            reports,
            heap_bytes,
            args_bytes,
            is_checked,
            waits,
            is_screened,
            lanes: info.lanes.max(LANES) as usize,
            _code: None,
        }
    }

    /// Whether each of its items runs on a fiber.
    pub fn uses_fibers(&self) -> bool {
        matches!(self.entry, ffi::Entry::Item(_))
    }

    /// Returns the items of a group in each dimension, if it runs groups of one size alone. A launch with others panics.
    pub fn group_size(&self) -> Option<[i64; 3]> {
        self.group_size
    }

    /// Whether some groups of a launch may run later than others, by themselves: it neither reports nor allocates.
    pub fn is_divisible(&self) -> bool {
        !self.reports && self.heap_bytes == 0
    }
}

thread_local! {
    /// Cleared records that no call uses: one is larger than all else that a call of a host function needs. Compiled code has
    /// their addresses.
    #[expect(clippy::vec_box, reason = "a record is in use while it is not here, and does not move")]
    static RECORDS: RefCell<Vec<Box<LaunchRecord>>> = const { RefCell::new(Vec::new()) };
}

/// A compiled host function. Keeps its code mapped.
#[derive(Debug, Clone)]
pub struct CpuFunction {
    entry: ffi::Function,
    shared_bytes: usize,
    /// `None`: the system's loader keeps it mapped.
    _code: Option<Arc<Linker>>,
}

impl CpuFunction {
    /// Returns the function that starts at `symbol` of `linked`. `None` if the symbol is undefined.
    ///
    /// # Safety
    /// `symbol` is a `FunctionEntry` that codegen emitted for this processor; `linked` is code that `linker` placed,
    /// complete with everything that it calls or refers to; `shared_bytes` is at least the amount that it uses.
    #[expect(unsafe_code, reason = "machine code is trusted; see ARCHITECTURE.md")]
    pub unsafe fn new(
        linker: Arc<Linker>,
        linked: &Linked,
        symbol: &str,
        shared_bytes: usize,
    ) -> Option<Self> {
        // SAFETY: the caller's promise; the linker stays.
        let function = unsafe { Self::loaded(linked.address(symbol)?, shared_bytes) };
        Some(Self { _code: Some(linker), ..function })
    }

    /// Returns the function that the system's loader placed at `entry`.
    ///
    /// # Safety
    /// `entry` is the address of a function as [`CpuFunction::new`] requires it, and stays it as long as the function or a
    /// clone of it is called.
    #[expect(unsafe_code, reason = "machine code is trusted; see ARCHITECTURE.md")]
    pub unsafe fn loaded(entry: u64, shared_bytes: usize) -> Self {
        Self { entry: ffi::Function::new(entry), shared_bytes, _code: None }
    }

    /// Calls it on this thread: `args` and `result` are aligned to 8 bytes. The function calls the services of `host`.
    ///
    /// # Safety
    /// `args` holds arguments, and `result` has room, as codegen's `LinkInfo` lays them out; addresses among the arguments
    /// are of memory that the function may use as it does. The functions of `host` do as [`HostTable`] says; it may be null
    /// for a function that calls none of them.
    ///
    /// # Errors
    /// Where it gave up.
    #[expect(unsafe_code, reason = "machine code trusts its arguments; see ARCHITECTURE.md")]
    pub unsafe fn call(&self, args: &[u8], result: &mut [u8], host: *const HostTable) -> Result<(), Failure> {
        // SAFETY: the caller's promise.
        unsafe { self.call_seeded(args, result, host, None) }
    }

    /// As [`CpuFunction::call`], for a function that draws random numbers.
    ///
    /// # Safety
    /// As for [`CpuFunction::call`].
    ///
    /// # Errors
    /// Where it gave up.
    #[expect(unsafe_code, reason = "machine code trusts its arguments; see ARCHITECTURE.md")]
    pub unsafe fn call_seeded(
        &self,
        args: &[u8],
        result: &mut [u8],
        host: *const HostTable,
        seed: Option<Seed>,
    ) -> Result<(), Failure> {
        let mut record = RECORDS.with_borrow_mut(Vec::pop).unwrap_or_default();
        if let Some(Seed { value, launch }) = seed {
            (record.seed, record.launch) = (value, launch);
        }
        let mut shared = Scratch::new(self.shared_bytes);
        let mut ctx = LaunchContext {
            num_groups: [1; 3],
            local_size: [1; 3],
            group_id: [0; 3],
            shared: shared.as_mut_ptr(),
            dynamic_shared: std::ptr::null_mut(),
            record: &raw mut *record,
            barrier: None,
            scheduler: std::ptr::null_mut(),
            warp_barrier: None,
            report: None,
            reports: std::ptr::null(),
            stack_limit: std::ptr::null(),
            heap: std::ptr::null_mut(),
            dynamic_shared_bytes: 0,
            frames: std::ptr::null_mut(),
            checks: std::ptr::null(),
            checker: std::ptr::null_mut(),
            screen: std::ptr::null_mut(),
            host,
        };
        ffi::with_stack(|limit| {
            ctx.stack_limit = limit;
            self.entry.call(&mut ctx, args, result);
        });
        let done = failure(&record);
        record.clear();
        RECORDS.with_borrow_mut(|it| it.push(record));
        done
    }

    /// Calls it as [`CpuFunction::call`] does, for a host function that this thread is in: with its context, and so with its services.
    /// `None`, and no call, if there is less stack than a call of its own would be given.
    ///
    /// # Safety
    /// As for [`CpuFunction::call`]. `ctx` is the context that the running host function was given, whose record has no failure.
    ///
    /// # Errors
    /// Where it gave up; the record has no failure then.
    #[inline]
    #[expect(unsafe_code, reason = "machine code trusts its arguments; see ARCHITECTURE.md")]
    pub unsafe fn call_within(
        &self,
        ctx: *mut LaunchContext,
        args: &[u8],
        result: &mut [u8],
    ) -> Option<Result<(), Failure>> {
        // SAFETY: the caller's promise: the context and its record outlive the running function.
        let (context, record) = unsafe { (&mut *ctx, (*ctx).record) };
        if self.shared_bytes > 0 || ffi::stack_above(context.stack_limit) < STACK_WITHIN {
            return None;
        }
        self.entry.call(context, args, result);
        // SAFETY: as above; no code that could use the record runs now.
        let record = unsafe { &mut *record };
        if record.site.load(Ordering::Relaxed) == 0 {
            return Some(Ok(()));
        }
        let done = failure(record);
        record.clear();
        Some(done)
    }
}

/// Bytes of stack that a function called from another one finds above the limit.
const STACK_WITHIN: usize = 512 << 10;

/// This machine's cores.
#[derive(Debug)]
pub struct CpuDevice {
    /// Started by the first launch that is large enough; `None` where the system gives no threads.
    pool: OnceLock<Option<rayon::ThreadPool>>,
    workers: i64,
    stacks: FiberStacks,
    frames: Frames,
}

impl CpuDevice {
    /// A device of `threads` workers (0: one a core). Threads start when there is work for them, and sleep between.
    ///
    /// # Errors
    /// When the system does not say how many cores there are.
    pub fn new(threads: usize) -> Result<Self, std::io::Error> {
        let threads = if threads == 0 { std::thread::available_parallelism()?.get() } else { threads };
        Ok(Self {
            pool: OnceLock::new(),
            workers: threads as i64,
            stacks: FiberStacks::default(),
            frames: Frames::default(),
        })
    }

    /// Threads that run work-groups.
    pub fn workers(&self) -> u64 {
        self.workers.unsigned_abs()
    }

    /// The other workers, if there are any.
    fn pool(&self) -> Option<&rayon::ThreadPool> {
        let start = || start_pool(usize::try_from(self.workers - 1).ok()?).ok();
        if self.workers > 1 { self.pool.get_or_init(start).as_ref() } else { None }
    }

    /// Runs `kernel` over `grid` and waits for it. `take` is called on this thread for each report, while the kernel runs:
    /// those of an item in their order, all of them before this returns.
    ///
    /// # Safety
    /// `args` holds arguments as codegen's `LinkInfo` lays them out; addresses among them are of memory that the kernel may
    /// use as it does until this returns.
    ///
    /// # Errors
    /// The first item that failed; the others have run.
    #[expect(unsafe_code, reason = "machine code trusts its arguments; see ARCHITECTURE.md")]
    pub unsafe fn launch(
        &self,
        kernel: &CpuKernel,
        grid: &Grid,
        args: &[u8],
        take: &mut dyn FnMut(Report),
    ) -> Result<(), Failure> {
        // SAFETY: the caller's promise.
        unsafe { self.launch_seeded(kernel, grid, None, args, take) }
    }

    /// Runs groups of `grid`, from the number `first` on, in ascending order, until all have run, or until `budget` is
    /// spent, if there is one: groups that have begun are finished then. Returns the number of the first group that has
    /// not run, and the first item that failed. The kernel neither reports nor allocates: see [`CpuKernel::is_divisible`].
    ///
    /// # Safety
    /// As for [`CpuDevice::launch`].
    #[expect(unsafe_code, reason = "machine code trusts its arguments; see ARCHITECTURE.md")]
    pub unsafe fn launch_part(
        &self,
        kernel: &CpuKernel,
        grid: &Grid,
        seed: Option<Seed>,
        args: &[u8],
        (first, budget): (i64, Option<Duration>),
    ) -> (i64, Result<(), Failure>) {
        assert!(args.len() >= kernel.args_bytes, "a block of {} bytes of arguments", args.len());
        if grid.is_empty() {
            return (0, Ok(()));
        }
        let mut record = record_of(seed);
        let until = budget.and_then(|it| Instant::now().checked_add(it));
        let next =
            self.run(kernel, grid, args, &mut record, (&Part { first, until, reports: None }, Unchecked));
        (next, failure(&record))
    }

    /// As [`CpuDevice::launch`], for items that draw random numbers.
    ///
    /// # Safety
    /// As for [`CpuDevice::launch`].
    ///
    /// # Errors
    /// As for [`CpuDevice::launch`].
    #[expect(unsafe_code, reason = "machine code trusts its arguments; see ARCHITECTURE.md")]
    #[inline]
    pub unsafe fn launch_seeded(
        &self,
        kernel: &CpuKernel,
        grid: &Grid,
        seed: Option<Seed>,
        args: &[u8],
        take: &mut dyn FnMut(Report),
    ) -> Result<(), Failure> {
        assert!(!kernel.is_checked && !kernel.is_screened, "a checked kernel is launched with a checker");
        self.launch_any(kernel, grid, seed, args, (take, Unchecked))
    }

    /// As [`CpuDevice::launch_seeded`], for a kernel that was compiled with checks: its groups run one after another on one
    /// thread. `arrays` are those that its items reach, as far as they are known. The screened form, if there is one, runs
    /// first; if it suspects nothing, that was all.
    ///
    /// # Safety
    /// As for [`CpuDevice::launch`]. Accesses outside of `arrays` but around them are not made.
    ///
    /// # Errors
    /// As for [`CpuDevice::launch`].
    #[expect(unsafe_code, reason = "machine code trusts its arguments; see ARCHITECTURE.md")]
    pub unsafe fn launch_checked(
        &self,
        (kernel, screened): (&CpuKernel, Option<&CpuKernel>),
        (grid, seed): (&Grid, Option<Seed>),
        args: &[u8],
        (checker, arrays): (&mut Checker, &[HostArray]),
        take: &mut dyn FnMut(Report),
    ) -> Result<(), Failure> {
        checker.is_suspected = false;
        if let Some(screened) = screened.filter(|it| it.is_screened && it.is_divisible()) {
            let is_right = self.screen(screened, (grid, seed), args, (&mut *checker, arrays));
            checker.is_suspected = !is_right;
            if is_right {
                return Ok(());
            }
        }
        checker.begin_launch(grid);
        let checked = kernel.is_checked.then_some((checker, arrays));
        self.launch_any(kernel, grid, seed, args, (take, checked))
    }

    /// Runs a screened kernel. False if it is suspected, or an item failed: then nothing has happened.
    fn screen(
        &self,
        kernel: &CpuKernel,
        (grid, seed): (&Grid, Option<Seed>),
        args: &[u8],
        (checker, arrays): (&mut Checker, &[HostArray]),
    ) -> bool {
        assert!(args.len() >= kernel.args_bytes, "a block of {} bytes of arguments", args.len());
        if grid.is_empty() {
            return true;
        }
        let mut record = record_of(seed);
        let mut heap = LaunchHeap { used: AtomicU64::new(0), bytes: 0, base: std::ptr::null_mut() };
        let launch = Launch {
            kernel,
            grid,
            args,
            record: &raw mut record,
            heap: &raw mut heap,
            groups: grid.groups.iter().product::<i64>(),
            stacks: &self.stacks,
            frames: &self.frames,
            part: &Part::default(),
        };
        let mut is_right = false;
        launch.within_context(|ctx| {
            is_right = check::run_screened(checker, ctx, &launch.check_run(arrays));
        });
        is_right &= failure(&record).is_ok();
        check::end_screened(checker, !is_right);
        is_right
    }

    fn launch_any<C: LaunchChecks>(
        &self,
        kernel: &CpuKernel,
        grid: &Grid,
        seed: Option<Seed>,
        args: &[u8],
        (take, checked): (&mut dyn FnMut(Report), C),
    ) -> Result<(), Failure> {
        assert!(args.len() >= kernel.args_bytes, "a block of {} bytes of arguments", args.len());
        if grid.is_empty() {
            return Ok(());
        }
        let mut record = record_of(seed);
        if kernel.reports {
            let (sender, reports) = sync_channel(REPORTS_WAITING_MAX);
            let record = &mut record;
            std::thread::scope(|scope| {
                // Owns the sender, so that the reports end with it.
                scope.spawn(move || {
                    let part = Part { reports: Some(&sender), ..Part::default() };
                    self.run(kernel, grid, args, record, (&part, checked))
                });
                reports.iter().for_each(take);
            });
        } else {
            self.run(kernel, grid, args, &mut record, (&Part::default(), checked));
        }
        failure(&record)
    }

    /// Returns the number of the first group that has not run.
    #[inline]
    fn run<C: LaunchChecks>(
        &self,
        kernel: &CpuKernel,
        grid: &Grid,
        args: &[u8],
        record: &mut LaunchRecord,
        (part, checked): (&Part<'_>, C),
    ) -> i64 {
        let fits = kernel.group_size.is_none_or(|it| it == grid.items);
        assert!(fits, "groups of {:?} items, for a kernel of {:?}", grid.items, kernel.group_size);
        let groups = grid.groups.iter().product::<i64>();
        let items = grid.items.iter().product::<i64>();
        let mut memory = Scratch::try_new(kernel.heap_bytes);
        let base = memory.as_mut_ptr();
        let bytes = if base.is_null() { 0 } else { kernel.heap_bytes as u64 };
        let mut heap = LaunchHeap { used: AtomicU64::new(0), bytes, base };
        let launch = Launch {
            kernel,
            grid,
            args,
            record: &raw mut *record,
            heap: &raw mut heap,
            groups,
            stacks: &self.stacks,
            frames: &self.frames,
            part,
        };
        if checked.run(&launch) {
            return groups;
        }
        let is_large = groups > 1 && groups.saturating_mul(items) > ITEMS_INLINE_MAX;
        match is_large.then(|| self.pool()).flatten() {
            Some(pool) => self.launch_parallel(pool, &launch, record),
            None if part.until.is_some() => {
                let next = AtomicI64::new(part.first);
                launch.worker(&next, 1);
                next.into_inner().min(groups)
            }
            None => {
                launch.all_groups();
                groups
            }
        }
    }

    /// Runs the groups on all workers. Each has a record of its own: which one fails first is a matter of time, which item comes
    /// first is not.
    fn launch_parallel(
        &self,
        pool: &rayon::ThreadPool,
        launch: &Launch<'_>,
        first: &mut LaunchRecord,
    ) -> i64 {
        let next = AtomicI64::new(launch.part.first);
        let left = launch.groups - launch.part.first;
        let runs = if launch.part.until.is_some() { left } else { self.workers * RUNS_A_WORKER };
        let run = (left / runs.max(1)).max(1);
        let helpers = (self.workers - 1).min(launch.groups - 1);
        let seed = (first.seed, first.launch);
        let found = Mutex::new(first);
        let worker = || {
            let mut record = LaunchRecord::new();
            (record.seed, record.launch) = seed;
            Launch { record: &raw mut record, ..*launch }.worker(&next, run);
            found.lock().take_first(record);
        };
        pool.in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|_| worker());
            }
            worker();
        });
        next.into_inner().min(launch.groups)
    }
}

/// The part of a launch that is run.
#[derive(Clone, Copy, Default)]
struct Part<'a> {
    /// The first group.
    first: i64,
    /// When no further group begins.
    until: Option<Instant>,
    reports: Option<&'a SyncSender<Report>>,
}

fn start_pool(threads: usize) -> Result<rayon::ThreadPool, std::io::Error> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|it| format!("kiln-cpu-{it}"))
        .build()
        .map_err(std::io::Error::other)
}

fn record_of(seed: Option<Seed>) -> LaunchRecord {
    let mut record = LaunchRecord::new();
    if let Some(Seed { value, launch }) = seed {
        (record.seed, record.launch) = (value, launch);
    }
    record
}

fn failure(record: &LaunchRecord) -> Result<(), Failure> {
    Failure::of_record(record).map_or(Ok(()), Err)
}

impl Failure {
    /// The failure that a record has.
    pub fn of_record(record: &LaunchRecord) -> Option<Self> {
        match record.site.load(Ordering::Acquire) {
            0 => None,
            site => Some(Self {
                site,
                group_id: record.group_id,
                local_id: record.local_id,
                operands: record.operands.to_vec(),
                frames: record.frames[..(record.frame_count as usize).min(RECORD_FRAMES)].to_vec(),
            }),
        }
    }
}

/// The checks of a launch: a program that makes none has no code for them.
trait LaunchChecks: Send {
    /// Runs all groups with checks, if there are any; false if not.
    fn run(self, launch: &Launch<'_>) -> bool;
}

/// No checks.
struct Unchecked;

impl LaunchChecks for Unchecked {
    #[inline]
    fn run(self, _: &Launch<'_>) -> bool {
        false
    }
}

/// The checker of a launch, with the arrays that items reach.
type Checked<'a> = Option<(&'a mut Checker, &'a [HostArray])>;

impl LaunchChecks for Checked<'_> {
    fn run(self, launch: &Launch<'_>) -> bool {
        let Some(checked) = self else { return false };
        launch.checked(checked);
        true
    }
}

/// One launch, as its workers share it.
#[derive(Clone, Copy)]
struct Launch<'a> {
    kernel: &'a CpuKernel,
    grid: &'a Grid,
    args: &'a [u8],
    record: *mut LaunchRecord,
    heap: *mut LaunchHeap,
    groups: i64,
    stacks: &'a FiberStacks,
    frames: &'a Frames,
    part: &'a Part<'a>,
}

impl Launch<'_> {
    /// Claims runs of `run` groups until all are taken, or the time is spent.
    fn worker(&self, next: &AtomicI64, run: i64) {
        let mut first = next.fetch_add(run, Ordering::Relaxed);
        if first >= self.groups {
            return;
        }
        self.within_context(|ctx| {
            while first < self.groups {
                let last = first.saturating_add(run).min(self.groups);
                self.kernel.entry.run(ctx, self.args, (first, last), (self.stacks, self.kernel.lanes));
                if self.part.until.is_some_and(|it| Instant::now() >= it) {
                    break;
                }
                first = next.fetch_add(run, Ordering::Relaxed);
            }
        });
    }

    /// Runs all groups on this thread.
    #[inline]
    fn all_groups(&self) {
        let first = self.part.first;
        let (groups, fibers) = ((first, self.groups), (self.stacks, self.kernel.lanes));
        self.within_context(|ctx| self.kernel.entry.run(ctx, self.args, groups, fibers));
    }

    /// Runs all groups on this thread, for a checker.
    fn checked(&self, (checker, arrays): (&mut Checker, &[HostArray])) {
        let run = self.check_run(arrays);
        self.within_context(|ctx| check::run(checker, ctx, &run));
    }

    /// Returns the run of a checker.
    fn check_run<'r>(&'r self, arrays: &'r [HostArray]) -> check::Run<'r> {
        check::Run {
            entry: self.kernel.entry,
            args: self.args,
            groups: self.groups,
            stacks: self.stacks,
            waits: self.kernel.waits,
            lanes: self.kernel.lanes,
            shared_bytes: self.kernel.shared_bytes,
            arrays,
        }
    }

    /// Calls `work` with the context of a worker.
    #[inline]
    fn within_context(&self, work: impl FnOnce(&mut LaunchContext)) {
        let is_watched = self.kernel.is_checked || self.kernel.is_screened;
        let zone = |bytes: usize| if is_watched && bytes > 0 { check::RED_ZONE as usize } else { 0 };
        let with_zone = |bytes: usize| Scratch::new(bytes + zone(bytes));
        let mut shared = with_zone(self.kernel.shared_bytes);
        let mut dynamic = with_zone(self.grid.dynamic_shared_bytes);
        let items = self.grid.items.iter().product::<i64>() as usize;
        let mut frames = self.frames.take(self.kernel.frame_bytes.saturating_mul(items));
        let mut ctx = LaunchContext {
            num_groups: self.grid.groups,
            local_size: self.grid.items,
            group_id: [0; 3],
            shared: shared.as_mut_ptr(),
            dynamic_shared: dynamic.as_mut_ptr(),
            record: self.record,
            barrier: None,
            scheduler: std::ptr::null_mut(),
            warp_barrier: None,
            report: self.part.reports.map(|_| ffi::report as _),
            reports: self.part.reports.map_or(std::ptr::null(), |it| (&raw const *it).cast()),
            stack_limit: ffi::stack_limit(),
            heap: self.heap,
            dynamic_shared_bytes: self.grid.dynamic_shared_bytes as i64,
            frames: frames.as_mut_ptr(),
            checks: std::ptr::null(),
            checker: std::ptr::null_mut(),
            screen: std::ptr::null_mut(),
            host: std::ptr::null(),
        };
        work(&mut ctx);
        self.frames.give_back(frames);
    }
}
