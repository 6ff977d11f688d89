//! One group with barriers: each item has a fiber, and a barrier is a suspension.
//!
//! The items of a warp are resumed in turn until each has stopped at the group's barrier or returned; then the next
//! warp runs. A round in which every live item has stopped *is* the group's barrier. So a returned item counts as
//! arrived, and a barrier in a loop, in a callee or under a divergent branch needs no analysis.
//!
//! Within a warp, items that wait with the same mask meet when every live lane of the mask waits. If no such set is
//! complete, items that wait for all lanes at their place meet, and then items whose mask contains a lane that will
//! not arrive: code that would hang, or is undefined, on a GPU continues here.

use super::{DefaultStack, ItemEntry, LEAF_BYTES, LaunchContext, STACK_BYTES};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use kiln_unit::PLACE_ANY;

/// Items of a warp.
const WARP: usize = 32;

/// Told of the course of a group.
pub(crate) trait Observer {
    /// An item runs from here on, until it stops.
    fn resumes(&mut self, item: usize);
    /// The items of `mask`, counted from `first`, have met at a barrier of their warp.
    fn warp_met(&mut self, first: usize, mask: u32);
    /// All items have stopped: each at the barrier of a place, or at its end.
    fn group_met(&mut self, places: &[Option<u32>]);
}

/// Nothing is told.
impl Observer for () {
    fn resumes(&mut self, _: usize) {}
    fn warp_met(&mut self, _: usize, _: u32) {}
    fn group_met(&mut self, _: &[Option<u32>]) {}
}

/// The state by which the barrier functions find the fiber they were called on.
struct Scheduler {
    /// Of the item that runs now; set when an item starts and again each time it resumes.
    running: *const Yielder<u32, Wait>,
}

/// The reason why an item has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The barrier of the group. The place is for an observer.
    Group { place: u32 },
    /// Nothing: others run in between.
    Others,
    /// A barrier of the warp: for the lanes of `mask`, or if it is 0 for all that reach `place`.
    Warp { mask: u32, place: u32 },
}

/// Suspends with the awaited barrier, and is resumed with the mask of the lanes that met.
type Fiber = Coroutine<u32, Wait, (), DefaultStack>;

/// An item of the group.
struct Item {
    /// `None` once it has returned.
    fiber: Option<Fiber>,
    /// `None` while it may run.
    wait: Option<Wait>,
    met: u32,
}

impl Item {
    /// Runs to the next barrier or to the end.
    fn run(&mut self, stacks: &mut Vec<DefaultStack>) {
        let Some(fiber) = &mut self.fiber else { return };
        match fiber.resume(self.met) {
            CoroutineResult::Yield(Wait::Others) => {}
            CoroutineResult::Yield(wait) => self.wait = Some(wait),
            CoroutineResult::Return(()) => {
                stacks.extend(self.fiber.take().map(Fiber::into_stack));
            }
        }
    }

    fn is_live(&self) -> bool {
        self.fiber.is_some()
    }

    /// Whether it has stopped without a reason to wait.
    fn is_ready(&self) -> bool {
        self.is_live() && self.wait.is_none()
    }

    /// The place of the group's barrier that it waits at.
    fn place(&self) -> Option<u32> {
        match self.wait {
            Some(Wait::Group { place }) => Some(place),
            Some(Wait::Others | Wait::Warp { .. }) | None => None,
        }
    }
}

/// A pointer that a fiber carries to the code it runs; the fiber never leaves its thread.
#[derive(Clone, Copy)]
struct Call {
    entry: ItemEntry,
    ctx: *mut LaunchContext,
    args: *const u8,
    scheduler: *mut Scheduler,
}

/// Runs the items of the group `ctx.group_id`.
pub(crate) fn run(
    entry: ItemEntry,
    ctx: &mut LaunchContext,
    args: &[u8],
    stacks: &mut Vec<DefaultStack>,
    observer: &mut impl Observer,
) {
    let mut scheduler = Scheduler { running: std::ptr::null() };
    ctx.scheduler = (&raw mut scheduler).cast();
    ctx.barrier = Some(barrier);
    ctx.warp_barrier = Some(warp_barrier);
    let [nx, ny, nz] = ctx.local_size;
    let call = Call { entry, ctx: &raw mut *ctx, args: args.as_ptr(), scheduler: &raw mut scheduler };
    let mut items = Vec::with_capacity((nx * ny * nz) as usize);
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let Some(stack) = stacks.pop() else { continue };
                let fiber =
                    Coroutine::with_stack(stack, move |yielder, _| run_item(call, yielder, [x, y, z]));
                items.push(Item { fiber: Some(fiber), wait: None, met: 0 });
            }
        }
    }
    let mut places = Vec::with_capacity(items.len());
    while items.iter().any(Item::is_live) {
        for (number, warp) in items.chunks_mut(WARP).enumerate() {
            run_warp(warp, number * WARP, stacks, observer);
        }
        if items.iter().any(Item::is_ready) {
            continue; // no barrier yet
        }
        places.clear();
        places.extend(items.iter().map(Item::place));
        observer.group_met(&places);
        items.iter_mut().for_each(|it| it.wait = None);
    }
}

/// Runs a warp, whose first item is `first` of the group, until each item has stopped at the group's barrier or returned, or
/// lets others run.
fn run_warp(warp: &mut [Item], first: usize, stacks: &mut Vec<DefaultStack>, observer: &mut impl Observer) {
    loop {
        for (lane, item) in warp.iter_mut().enumerate().filter(|(_, it)| it.wait.is_none()) {
            observer.resumes(first + lane);
            item.run(stacks);
        }
        let met = meeting_lanes(warp);
        if met == 0 {
            return;
        }
        observer.warp_met(first, met);
        for (lane, item) in warp.iter_mut().enumerate() {
            if met & 1 << lane != 0 {
                (item.wait, item.met) = (None, met);
            }
        }
    }
}

/// Returns the mask of the items to resume, when each live item has stopped; 0 if all of them wait for the group.
fn meeting_lanes(warp: &[Item]) -> u32 {
    let lanes = |test: &dyn Fn(&Item) -> bool| {
        warp.iter()
            .enumerate()
            .filter(|(_, it)| it.is_live() && test(it))
            .fold(0, |all, (lane, _)| all | 1 << lane)
    };
    let live: u32 = lanes(&|_| true);
    let (mut at_place, mut stuck) = (0, 0);
    for item in warp.iter().filter(|it| it.is_live()) {
        let Some(Wait::Warp { mask, .. }) = item.wait else { continue };
        if mask == 0 {
            at_place = if at_place == 0 { lanes(&|it| it.wait == item.wait) } else { at_place };
            continue;
        }
        let same = |it: &Item| matches!(it.wait, Some(Wait::Warp { mask: other, .. }) if other == mask);
        let arrived = lanes(&same);
        if mask & live & !arrived == 0 {
            return arrived;
        }
        stuck = if stuck == 0 { arrived } else { stuck };
    }
    if warp.iter().any(Item::is_ready) {
        return 0; // they may still come
    }
    if at_place == 0 { stuck } else { at_place }
}

fn run_item(call: Call, yielder: &Yielder<u32, Wait>, [x, y, z]: [i64; 3]) {
    let local = std::hint::black_box(0u8);
    let top = std::ptr::from_ref(&local).addr();
    // SAFETY: the scheduler outlives the group's fibers, and only one of them runs at a time on this thread.
    unsafe {
        (*call.scheduler).running = yielder;
        (*call.ctx).stack_limit = std::ptr::without_provenance(top - (STACK_BYTES - 2 * LEAF_BYTES));
    }
    // SAFETY: the ABI is as `CpuKernel::new` requires.
    unsafe { (call.entry)(call.ctx, call.args, x, y, z) };
}

/// Suspends the running item; returns the mask of the lanes that met.
///
/// # Safety
/// Called by an item that `run` started, with the context it was given.
pub(crate) unsafe fn stop(ctx: *mut LaunchContext, wait: Wait) -> u32 {
    // SAFETY: `run` set the scheduler, and it outlives the fibers; no reference to it is held across the
    // suspension, during which other items change it.
    unsafe {
        let scheduler = (*ctx).scheduler.cast::<Scheduler>();
        let (mine, stack_limit) = ((*scheduler).running, (*ctx).stack_limit);
        let met = (*mine).suspend(wait);
        (*scheduler).running = mine;
        (*ctx).stack_limit = stack_limit;
        met
    }
}

/// `LaunchContext::barrier`.
///
/// # Safety
/// As for [`stop`].
unsafe extern "C" fn barrier(ctx: *mut LaunchContext) {
    // SAFETY: the caller's promise is the same.
    unsafe { stop(ctx, Wait::Group { place: 0 }) };
}

/// `LaunchContext::warp_barrier`.
///
/// # Safety
/// As for [`stop`].
unsafe extern "C" fn warp_barrier(ctx: *mut LaunchContext, mask: u32, place: u32) -> u32 {
    let wait = if place == PLACE_ANY { Wait::Others } else { Wait::Warp { mask, place } };
    // SAFETY: the caller's promise is the same.
    unsafe { stop(ctx, wait) }
}
