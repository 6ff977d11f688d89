//! Where checked kernels meet the checker: the functions of `kiln_unit::CheckTable`, and the run of their groups.
#![expect(unsafe_code, reason = "called by compiled code, and calls it; see ARCHITECTURE.md")]

use super::access::{Access, Verdict, decide};
use super::screen::Screen;
use super::{Checker, HostArray};
use crate::cpu::ffi::group::{self, Observer, Wait};
use crate::cpu::ffi::{Entry, FiberStacks};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use kiln_unit::{ACCESS_RELEASE, CheckTable, LaunchContext, SCREEN_SLOTS, ScreenSlot, ScreenState};

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

/// The stack of a screened launch: address space only until touched.
const SCREEN_STACK_BYTES: usize = 16 << 20;
/// The bytes left below the limit of that stack, for callees.
const SCREEN_LEAF_BYTES: usize = 128 << 10;

/// The data that functions of a screened kernel find in `LaunchContext::checker`.
struct Screening {
    screen: *mut Screen,
    /// Of the launch, which is left for good once it is suspected.
    launch: *const Yielder<(), ()>,
}

/// A pointer that a screened launch carries to the code it runs; it never leaves its thread.
#[derive(Clone, Copy)]
struct Call {
    ctx: *mut LaunchContext,
    args: *const u8,
    screening: *mut Screening,
}

/// Returns the state of a screen, with its functions.
pub(super) fn screen_state() -> ScreenState {
    ScreenState {
        epoch: 0,
        group: 0,
        launch: 0,
        check: screen_check,
        begin_group: screen_group,
        begin_epoch: screen_epoch,
        suspect: screen_suspect,
        declare: screen_declare,
        slots: [ScreenSlot::default(); SCREEN_SLOTS],
    }
}

/// Runs all groups of a screened kernel on this thread. False if the launch is suspected: then it is undone.
///
/// It has a stack of its own, so that it can be left in the midst.
pub(crate) fn run_screened(checker: &mut Checker, ctx: &mut LaunchContext, run: &Run<'_>) -> bool {
    let screen = &mut checker.screen;
    let Entry::Groups(entry) = run.entry else { return false };
    let Ok(stack) = DefaultStack::new(SCREEN_STACK_BYTES) else { return false };
    let dynamic = (ctx.dynamic_shared.expose_provenance() as u64, ctx.dynamic_shared_bytes as u64);
    let items = ctx.local_size.iter().product::<i64>();
    let is_clear = screen.begin_launch(items as u32, dynamic, run.arrays);
    let mut screening = Screening { screen: &raw mut *screen, launch: std::ptr::null() };
    let call = Call { ctx: &raw mut *ctx, args: run.args.as_ptr(), screening: &raw mut screening };
    let groups = run.groups;
    let mut launch = Coroutine::with_stack(stack, move |yielder: &Yielder<(), ()>, ()| {
        let call = call;
        let local = std::hint::black_box(0u8);
        let top = std::ptr::from_ref(&local).addr();
        let limit = std::ptr::without_provenance(top - (SCREEN_STACK_BYTES - SCREEN_LEAF_BYTES));
        // SAFETY: the context and the screening outlive the launch, and nothing else uses them while it runs; the ABI is as
        // `CpuKernel::new` requires.
        unsafe {
            (*call.screening).launch = yielder;
            (*call.ctx).checker = call.screening.cast();
            (*call.ctx).screen = &raw mut *(*(*call.screening).screen).state;
            (*call.ctx).stack_limit = limit;
            entry(call.ctx, call.args, 0, groups);
        }
    });
    let is_right = is_clear && matches!(launch.resume(()), CoroutineResult::Return(()));
    if launch.started() && !launch.done() {
        // SAFETY: compiled code has nothing to drop.
        unsafe { launch.force_reset() };
    }
    (ctx.checker, ctx.screen) = (std::ptr::null_mut(), std::ptr::null_mut());
    is_right
}

/// Ends a screened launch: its stores are undone if it `is_suspected`.
pub(crate) fn end_screened(checker: &mut Checker, is_suspected: bool) {
    checker.screen.end_launch(is_suspected, |address, bytes| {
        let to = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
        // SAFETY: the bytes are of an array of the launch, which was saved from there.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    });
}

/// Copies memory of an array of a launch.
fn save(address: u64, bytes: &mut [u8]) {
    let from = std::ptr::with_exposed_provenance::<u8>(address as usize);
    // SAFETY: the array has these bytes.
    unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len()) };
}

/// Returns the data of a screened launch.
///
/// # Safety
/// The context is that of a launch that `run_screened` runs.
unsafe fn screening<'a>(ctx: *mut LaunchContext) -> &'a Screening {
    // SAFETY: `run_screened` set it.
    unsafe { &*(*ctx).checker.cast::<Screening>() }
}

/// Leaves a launch for good unless it `is_right`.
///
/// # Safety
/// As for [`screening`].
unsafe fn go_on_if(ctx: *mut LaunchContext, is_right: bool) {
    if !is_right {
        // SAFETY: the launch runs, and set its yielder when it began.
        unsafe { (*screening(ctx).launch).suspend(()) };
    }
}

/// `ScreenState::check`.
///
/// # Safety
/// As for [`screening`].
unsafe extern "C" fn screen_check(
    ctx: *mut LaunchContext,
    address: *mut u8,
    bytes: u64,
    access: u32,
    item: u32,
    lanes: u64,
) {
    let address = address.expose_provenance() as u64;
    // SAFETY: the caller's promise; no reference to the screen is live while items run.
    unsafe {
        let is_right = (*screening(ctx).screen).check((address, bytes), (access, item, lanes), save);
        go_on_if(ctx, is_right);
    }
}

/// `ScreenState::begin_group`.
///
/// # Safety
/// As for [`screening`].
unsafe extern "C" fn screen_group(ctx: *mut LaunchContext) {
    // SAFETY: as for `screen_check`.
    unsafe { go_on_if(ctx, (*screening(ctx).screen).begin_group()) }
}

/// `ScreenState::begin_epoch`.
///
/// # Safety
/// As for [`screening`].
unsafe extern "C" fn screen_epoch(ctx: *mut LaunchContext) {
    // SAFETY: as for `screen_check`.
    unsafe { go_on_if(ctx, (*screening(ctx).screen).begin_epoch()) }
}

/// `ScreenState::suspect`.
///
/// # Safety
/// As for [`screening`].
unsafe extern "C" fn screen_suspect(ctx: *mut LaunchContext) {
    // SAFETY: as for `screen_check`.
    unsafe { go_on_if(ctx, false) }
}

/// `ScreenState::declare`.
///
/// # Safety
/// As for [`screening`].
unsafe extern "C" fn screen_declare(ctx: *mut LaunchContext, address: *mut u8, bytes: u64, kind: u32) {
    let address = address.expose_provenance() as u64;
    // SAFETY: as for `screen_check`.
    unsafe { go_on_if(ctx, (*screening(ctx).screen).declare(address, bytes, kind)) }
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
