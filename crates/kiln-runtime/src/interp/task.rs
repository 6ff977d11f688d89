//! The task on a native thread: its world, depth, budget and exceptions being handled.
//!
//! The state belongs to the native stack, so it is per thread. Sessions do not see each other through it: each
//! entry into a runtime saves what it finds and puts it back.

use crate::heap::{Registers, Value};
use crate::tables::{MethodId, ViewId, World};
use crate::thrown::{Abort, Run, Thrown};
use kiln_types::Type;
use std::cell::{Cell, RefCell};

/// The maximum depth of Julia frames.
pub const DEPTH_MAX: u32 = 20_000;

thread_local! {
    static WORLD: Cell<u64> = const { Cell::new(0) };
    static VIEW: Cell<u32> = const { Cell::new(ViewId::HOST.number()) };
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static BUDGET: Cell<u64> = const { Cell::new(u64::MAX) };
    static GENERATING: Cell<Option<(MethodId, World)>> = const { Cell::new(None) };
    static HANDLED: RefCell<Vec<Thrown>> = const { RefCell::new(Vec::new()) };
    /// Their number, which compiled code reads.
    static HANDLED_COUNT: Cell<u32> = const { Cell::new(0) };
}

/// An undefined register.
pub(super) const UNDEFINED: Value = Value::inline(Type::from_index(u32::MAX as usize), 0);

/// Whether a register holds nothing.
#[inline]
pub(super) fn is_undefined(value: Value) -> bool {
    value.ty() == UNDEFINED.ty()
}

/// A `try` that has been entered and not left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handler {
    /// The statement to go on at.
    pub(super) target: u32,
    /// The `Enter` statement.
    pub(super) enter: u32,
    /// The frame it belongs to.
    pub(super) base: usize,
}

/// The interpreter's state for one entry from Rust: registers of all frames, one after the other.
#[derive(Debug)]
pub(super) struct Machine {
    /// Registers.
    pub(super) stack: Registers,
    /// Handlers of all frames.
    pub(super) handlers: Vec<Handler>,
    /// The world of the running frame.
    pub(super) world: World,
    /// The view of the method tables.
    pub(super) view: ViewId,
    /// Whether the current call is under `@inbounds`.
    pub(super) inbounds: bool,
}

impl Machine {
    /// A machine without frames.
    pub(super) fn new(world: World) -> Self {
        let stack = Registers::new();
        Self { stack, handlers: Vec::new(), world, view: running_view(), inbounds: false }
    }
}

/// Sets the world of this thread until it is dropped.
#[derive(Debug)]
pub(super) struct WorldGuard(u64);

impl WorldGuard {
    pub(super) fn enter(world: World) -> Self {
        Self(WORLD.replace(world.number()))
    }
}

impl Drop for WorldGuard {
    fn drop(&mut self) {
        WORLD.set(self.0);
    }
}

/// The world of the code that runs on this thread, if any does.
#[inline]
pub(super) fn running_world() -> Option<World> {
    match WORLD.get() {
        0 => None,
        number => Some(World::new(number)),
    }
}

/// The view that code on this thread runs under.
pub(crate) fn running_view() -> ViewId {
    ViewId::from_number(VIEW.get())
}

/// Runs `work` with calls dispatched under `view`.
pub(crate) fn in_view<T>(view: ViewId, work: impl FnOnce() -> T) -> T {
    struct Restore(u32);
    impl Drop for Restore {
        fn drop(&mut self) {
            VIEW.set(self.0);
        }
    }
    let _restore = Restore(VIEW.replace(view.number()));
    work()
}

/// Runs `work` in `world`.
pub(crate) fn in_world<T>(world: World, work: impl FnOnce() -> T) -> T {
    let _world = WorldGuard::enter(world);
    work()
}

/// Runs `work` as part of the generator of a method, for a caller in a world. It may neither wait nor request code.
pub(crate) fn generating<T>(method: MethodId, caller: World, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<(MethodId, World)>);
    impl Drop for Restore {
        fn drop(&mut self) {
            GENERATING.set(self.0);
        }
    }
    let _restore = Restore(GENERATING.replace(Some((method, caller))));
    work()
}

/// Whether a generator runs on this thread.
pub(crate) fn is_generating() -> bool {
    GENERATING.get().is_some()
}

/// The method whose generator runs on this thread, and the world of the request.
pub(crate) fn generated_method() -> Option<(MethodId, World)> {
    GENERATING.get()
}

/// Continues in another world, within the current [`WorldGuard`].
pub(super) fn set_world(world: World) {
    WORLD.set(world.number());
}

/// Arguments beyond a method's own, gathered in a tuple, that count as one more frame.
const REST_OF_FRAME: usize = 256;

/// One more frame, until it is dropped; `None` when there are too many.
#[derive(Debug)]
pub(super) struct DepthGuard(u32);

impl DepthGuard {
    #[inline]
    pub(super) fn enter() -> Option<Self> {
        Self::enter_with(0)
    }

    /// As [`Self::enter`], for a frame that gathers `rest` arguments in a tuple: recursion that adds arguments would
    /// exhaust the memory long before the maximum depth.
    #[inline]
    pub(super) fn enter_with(rest: usize) -> Option<Self> {
        let weight = 1 + u32::try_from(rest / REST_OF_FRAME).unwrap_or(DEPTH_MAX).min(DEPTH_MAX);
        let depth = DEPTH.get();
        if depth >= DEPTH_MAX {
            return None;
        }
        DEPTH.set(depth + weight);
        Some(Self(weight))
    }
}

impl Drop for DepthGuard {
    #[inline]
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - self.0);
    }
}

/// Uses up one unit of the budget.
#[inline]
pub(super) fn spend() -> Run<()> {
    let left = BUDGET.get();
    if left == u64::MAX {
        return Ok(());
    }
    if left == 0 {
        return Err(Thrown::abort(Abort::Budget));
    }
    BUDGET.set(left - 1);
    Ok(())
}

/// Whether calls and loop iterations are counted, which compiled code does not do.
#[inline]
pub(super) fn is_limited() -> bool {
    BUDGET.get() != u64::MAX
}

/// Runs `work` with at most `budget` calls and loop iterations, out of the caller's budget.
pub(super) fn with_budget<T>(budget: u64, work: impl FnOnce() -> T) -> T {
    struct Restore(u64, u64);
    impl Drop for Restore {
        fn drop(&mut self) {
            let spent = self.1 - BUDGET.get();
            BUDGET.set(if self.0 == u64::MAX { self.0 } else { self.0 - spent });
        }
    }
    let outer = BUDGET.get();
    let inner = budget.min(outer);
    let _restore = Restore(outer, inner);
    BUDGET.set(inner);
    work()
}

/// Returns the exceptions being handled, the innermost last.
pub(super) fn handled() -> Vec<Thrown> {
    HANDLED.with_borrow(Clone::clone)
}

/// The values of the exceptions being handled.
pub(crate) fn handled_values() -> Vec<Value> {
    HANDLED.with_borrow(|it| it.iter().map(|it| it.exception).collect())
}

/// Returns the number of exceptions being handled.
pub(super) fn handled_count() -> usize {
    HANDLED_COUNT.get() as usize
}

/// The address of that number.
pub(super) fn handled_count_address() -> *const u32 {
    HANDLED_COUNT.with(Cell::as_ptr)
}

/// The value of the innermost one.
pub(super) fn handled_value() -> Option<Value> {
    HANDLED.with_borrow(|it| it.last().map(|it| it.exception))
}

/// The innermost one.
pub(super) fn handled_last() -> Option<Box<Thrown>> {
    HANDLED.with_borrow(|it| it.last().cloned().map(Box::new))
}

/// Returns the number of frames in their traces.
pub(super) fn handled_frames() -> usize {
    HANDLED.with_borrow(|it| it.iter().map(|it| it.trace.len()).sum())
}

/// Starts handling an exception. The exceptions already being handled stay below it, as its causes; a rethrown
/// exception takes its own place.
pub(super) fn push_handled(mut thrown: Box<Thrown>) {
    HANDLED.with_borrow_mut(|handled| {
        if thrown.was_handled {
            handled.pop();
        }
        thrown.was_handled = true;
        handled.push(*thrown);
        HANDLED_COUNT.set(handled.len() as u32);
    });
}

/// Handlers end: there were this many before them.
pub(super) fn truncate_handled(count: usize) {
    if handled_count() > count {
        HANDLED.with_borrow_mut(|it| it.truncate(count));
        HANDLED_COUNT.set(count as u32);
    }
}
