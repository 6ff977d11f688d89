//! Where checked kernels meet the checker: the functions of `kiln_unit::CheckTable`, and the run of their groups.
#![expect(unsafe_code, reason = "called by compiled code, and calls it; see ARCHITECTURE.md")]

use super::access::{Access, Verdict, decide};
use super::{Checker, HostArray};
use crate::cpu::ffi::group::{self, Observer, Wait};
use crate::cpu::ffi::{Entry, FiberStacks};
use kiln_unit::{ACCESS_RELEASE, CheckTable, LaunchContext};

static TABLE: CheckTable = CheckTable { access, fence, barrier, declare };

/// The parts of a launch.
pub(crate) struct Run<'a> {
    pub(crate) entry: Entry,
    pub(crate) args: &'a [u8],
    pub(crate) groups: i64,
    pub(crate) stacks: &'a FiberStacks,
    /// Items may wait for each other.
    pub(crate) waits: bool,
    /// The items of a warp.
    pub(crate) lanes: usize,
    pub(crate) shared_bytes: usize,
    pub(crate) arrays: &'a [HostArray],
}

/// The checker, as the scheduler of fibers tells it. It is reached through the pointer each time, since kernels reach it, too.
struct Watch(*mut Checker);

impl Observer for Watch {
    fn resumes(&mut self, item: usize) {
        // SAFETY: the checker outlives the run, and no reference to it is live while items run.
        unsafe { (*self.0).resumes(item) }
    }
    fn warp_met(&mut self, first: usize, mask: u64) {
        // SAFETY: as above.
        unsafe { (*self.0).warp_met(first, mask) }
    }
    fn group_met(&mut self, places: &[Option<u32>]) {
        // SAFETY: as above.
        unsafe { (*self.0).group_met(places) }
    }
}

/// Runs all groups of a checked kernel, one after another on this thread.
pub(crate) fn run(checker: &mut Checker, ctx: &mut LaunchContext, run: &Run<'_>) {
    let shared = (ctx.shared.expose_provenance() as u64, run.shared_bytes as u64);
    let dynamic = (ctx.dynamic_shared.expose_provenance() as u64, ctx.dynamic_shared_bytes as u64);
    checker.memory.begin_launch(shared, dynamic, run.arrays);
    let Entry::Item(entry) = run.entry else { unreachable!("checked kernels run item by item") };
    let checker: *mut Checker = checker;
    (ctx.checks, ctx.checker) = (&raw const TABLE, checker.cast());
    let [sx, sy, sz] = ctx.local_size;
    let mut fibers = run.stacks.acquire(if run.waits { (sx * sy * sz) as usize } else { 0 });
    for group in 0..run.groups {
        let [nx, ny, _] = ctx.num_groups;
        ctx.group_id = [group % nx, group / nx % ny, group / nx / ny];
        // SAFETY: no item runs, so that nothing else refers to the checker.
        unsafe { (*checker).begin_group(group) };
        if run.waits {
            group::run((entry, run.lanes), ctx, run.args, &mut fibers, &mut Watch(checker));
            ctx.scheduler = std::ptr::null_mut();
        } else {
            let items = (0..sz).flat_map(|z| (0..sy).flat_map(move |y| (0..sx).map(move |x| [x, y, z])));
            for (item, [x, y, z]) in items.enumerate() {
                // SAFETY: as above; the ABI is as `CpuKernel::new` requires.
                unsafe {
                    (*checker).resumes(item);
                    entry(ctx, run.args.as_ptr(), x, y, z);
                }
            }
        }
        // SAFETY: as above.
        unsafe { decide(&mut *checker) };
    }
    run.stacks.release(fibers);
}

/// Returns up to 16 bytes of memory that an item accesses.
pub(super) fn bytes_at(address: u64, count: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    let from = std::ptr::with_exposed_provenance::<u8>(address as usize);
    let count = (count as usize).min(bytes.len());
    // SAFETY: an item of the running kernel is about to access these bytes, or has done so just now.
    unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), count) };
    bytes
}

/// `CheckTable::access`.
///
/// # Safety
/// Called by an item of a kernel that `run` runs, with the context it was given.
unsafe extern "C" fn access(
    ctx: *mut LaunchContext,
    address: *mut u8,
    bytes: u64,
    bits: u32,
    site: u32,
) -> *mut u8 {
    let access = Access { address: address.expose_provenance() as u64, bytes, bits, site };
    // SAFETY: `run` set the checker; the reference ends before another item runs.
    unsafe {
        let checker = (*ctx).checker.cast::<Checker>();
        if (*checker).lets_others_run(access) && !(*ctx).scheduler.is_null() {
            group::stop(ctx, Wait::Others);
        }
        match (*checker).access(access) {
            Verdict::Go => address,
            Verdict::Elsewhere => (*checker).elsewhere(bytes),
        }
    }
}

/// `CheckTable::fence`.
///
/// # Safety
/// As for [`access`].
unsafe extern "C" fn fence(ctx: *mut LaunchContext, order: u32) {
    if order & ACCESS_RELEASE != 0 {
        // SAFETY: as above.
        unsafe { (*(*ctx).checker.cast::<Checker>()).fence() }
    }
}

/// `CheckTable::barrier`.
///
/// # Safety
/// As for [`access`].
unsafe extern "C" fn barrier(ctx: *mut LaunchContext, site: u32) {
    // SAFETY: a kernel with barriers runs on fibers, whose scheduler the context has.
    unsafe { group::stop(ctx, Wait::Group { place: site }) };
}

/// `CheckTable::declare`.
///
/// # Safety
/// As for [`access`].
unsafe extern "C" fn declare(ctx: *mut LaunchContext, address: *mut u8, bytes: u64, kind: u32, site: u32) {
    let start = address.expose_provenance() as u64;
    // SAFETY: as above.
    unsafe { (*(*ctx).checker.cast::<Checker>()).declare((start, bytes), kind, site) }
}
