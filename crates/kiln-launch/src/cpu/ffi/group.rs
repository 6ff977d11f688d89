//! One group with barriers: each item has a fiber, and a barrier is a suspension.
//!
//! The items of a warp are resumed in turn until each has stopped at the group's barrier or returned; then the next
//! warp runs. A round in which every live item has stopped *is* the group's barrier. So a returned item counts as
//! arrived, and a barrier in a loop, in a callee or under a divergent branch needs no analysis.
//!
//! Within a warp, items that wait with the same mask meet when every live lane of the mask waits. If no such set is
//! complete, items that wait for all lanes at their place meet, those at the earliest place first, and then items whose mask
//! contains a lane that will not arrive: code that would hang, or is undefined, on a GPU continues here.

use super::{DefaultStack, ItemEntry, LEAF_BYTES, LaunchContext, STACK_BYTES};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use kiln_unit::{MEET_GIVES, MEET_NARROW, PLACE_ANY};

/// The bits of lanes that narrow masks name.
const NARROW: u64 = 0xffff_ffff;

/// Told of the course of a group.
pub(crate) trait Observer {
    /// An item runs from here on, until it stops.
    fn resumes(&mut self, item: usize);
    /// The items of `mask`, counted from `first`, have met at a barrier of their warp.
    fn warp_met(&mut self, first: usize, mask: u64);
    /// All items have stopped: each at the barrier of a place, or at its end.
    fn group_met(&mut self, places: &[Option<u32>]);
}

/// Nothing is told.
impl Observer for () {
    fn resumes(&mut self, _: usize) {}
    fn warp_met(&mut self, _: usize, _: u64) {}
    fn group_met(&mut self, _: &[Option<u32>]) {}
}

/// The state by which the barrier functions find the fiber they were called on.
struct Scheduler {
    /// Of the item that runs now; set when an item starts and again each time it resumes.
    running: *const Yielder<u64, Wait>,
}

/// The reason why an item has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The barrier of the group. The place is for an observer.
    Group { place: u32 },
    /// Nothing: others run in between.
    Others,
    /// A barrier of the warp.
    Warp(Meeting),
}

/// A barrier of the warp as an item comes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// The lanes that it waits for; 0: all that reach `place`.
    mask: u64,
    place: u32,
    /// Whether the item gives its bit.
    gives: bool,
    /// Whether masks are of the 32 lanes around the item.
    is_narrow: bool,
}

impl Meeting {
    /// Returns the lanes that the masks of a lane name, and the number of the first.
    fn scope(self, lane: usize) -> (u64, u32) {
        match self.is_narrow {
            true => (NARROW << (lane & 32), (lane & 32) as u32),
            false => (u64::MAX, 0),
        }
    }

    /// Returns the lanes that an item of a lane waits for.
    fn wanted(self, lane: usize) -> u64 {
        let (scope, first) = self.scope(lane);
        (self.mask << first) & scope
    }
}

/// Suspends with the awaited barrier, and is resumed with the mask of the lanes that met and gave their bit.
type Fiber = Coroutine<u64, Wait, (), DefaultStack>;

/// An item of the group.
struct Item {
    /// `None` once it has returned.
    fiber: Option<Fiber>,
    /// `None` while it may run.
    wait: Option<Wait>,
    met: u64,
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
            Some(Wait::Others | Wait::Warp(_)) | None => None,
        }
    }

    /// The barrier of the warp that it waits at.
    fn meeting(&self) -> Option<Meeting> {
        match self.wait.filter(|_| self.is_live()) {
            Some(Wait::Warp(it)) => Some(it),
            Some(Wait::Others | Wait::Group { .. }) | None => None,
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

/// Runs the items of the group `ctx.group_id`, in warps of `lanes`.
pub(crate) fn run(
    (entry, lanes): (ItemEntry, usize),
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
        for (number, warp) in items.chunks_mut(lanes).enumerate() {
            run_warp(warp, number * lanes, stacks, observer);
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
        let gives =
            |(lane, item): (usize, &Item)| u64::from(item.meeting().is_some_and(|it| it.gives)) << lane;
        let given = met & warp.iter().enumerate().map(gives).fold(0, |all, it| all | it);
        for (lane, item) in warp.iter_mut().enumerate().filter(|(lane, _)| met >> lane & 1 == 1) {
            let (scope, first) = item.meeting().map_or((u64::MAX, 0), |it| it.scope(lane));
            (item.wait, item.met) = (None, (given & scope) >> first);
        }
    }
}

/// Returns the mask of the items to resume, when each live item has stopped; 0 if all of them wait for the group.
fn meeting_lanes(warp: &[Item]) -> u64 {
    let lanes = |test: &dyn Fn(usize, &Item) -> bool| {
        warp.iter()
            .enumerate()
            .filter(|(lane, it)| it.is_live() && test(*lane, it))
            .fold(0, |all, (lane, _)| all | 1 << lane)
    };
    let live: u64 = lanes(&|_, _| true);
    let (mut earliest, mut at_place, mut stuck) = (u32::MAX, 0, 0);
    for (lane, item) in warp.iter().enumerate() {
        let Some(meeting) = item.meeting() else { continue };
        let wanted = meeting.wanted(lane);
        let meets = |other: usize, it: &Item| {
            it.meeting().is_some_and(|it| match wanted {
                0 => it.mask == 0 && it.place == meeting.place && it.scope(other) == meeting.scope(lane),
                _ => it.wanted(other) == wanted,
            })
        };
        let arrived = lanes(&meets);
        if wanted == 0 {
            if at_place == 0 || meeting.place < earliest {
                (earliest, at_place) = (meeting.place, arrived);
            }
            continue;
        }
        if wanted & live & !arrived == 0 {
            return arrived;
        }
        stuck = if stuck == 0 { arrived } else { stuck };
    }
    if warp.iter().any(Item::is_ready) {
        return 0; // they may still come
    }
    if at_place == 0 { stuck } else { at_place }
}

fn run_item(call: Call, yielder: &Yielder<u64, Wait>, [x, y, z]: [i64; 3]) {
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

/// Suspends the running item; returns the mask of the lanes that met and gave their bit.
///
/// # Safety
/// Called by an item that `run` started, with the context it was given.
pub(crate) unsafe fn stop(ctx: *mut LaunchContext, wait: Wait) -> u64 {
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
unsafe extern "C" fn warp_barrier(ctx: *mut LaunchContext, mask: u64, place: u32, flags: u32) -> u64 {
    let (gives, is_narrow) = (flags & MEET_GIVES != 0, flags & MEET_NARROW != 0);
    let meeting = Meeting { mask, place, gives, is_narrow };
    let wait = if place == PLACE_ANY { Wait::Others } else { Wait::Warp(meeting) };
    // SAFETY: the caller's promise is the same.
    unsafe { stop(ctx, wait) }
}
