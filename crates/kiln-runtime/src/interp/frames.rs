//! The running frames of a native thread: the ones that `backtrace` reports, and that an exception adds to its trace when
//! a handler takes it.
//!
//! A frame costs one entry of a vector. The statement that it is at is stored where it calls, and moves to the entry of
//! its callee, so that a return restores it.

use crate::runtime::Runtime;
use crate::tables::MethodId;
use crate::thrown::{FrameCode, TraceFrame};
use kiln_ir::{CodeInfo, Instance, SourceLoc};
use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;

/// Marks a frame of compiled code, whose statement is unknown.
const NOWHERE: u32 = u32::MAX;
/// Marks a frame of no method instance; the other bits index [`OTHERS`].
const OTHER: u32 = 1 << 31;
/// Frames that are remembered: calls are no deeper, and each entry from Rust has a frame at most that is no call.
const FRAMES_MAX: usize = super::DEPTH_MAX as usize + 64;
/// Frames that are made room for at once. A thread's own storage is cleared when it starts, so it has to be small.
const CHUNK: usize = 256;

type Chunk = Box<[Cell<Running>; CHUNK]>;
/// Frames in the traces of all exceptions being handled: a recursion of handlers would square them.
const TRACED_MAX: usize = 1 << 20;

thread_local! {
    // Without a borrow flag: a call writes two words.
    static RUNNING: [OnceCell<Chunk>; FRAMES_MAX.div_ceil(CHUNK)] =
        const { [const { OnceCell::new() }; FRAMES_MAX.div_ceil(CHUNK)] };
    static TOP: Top = const { Top { count: Cell::new(0), statement: Cell::new(0) } };
    static OTHERS: RefCell<Vec<Other>> = const { RefCell::new(Vec::new()) };
}

/// The number of frames, and the statement of the innermost.
#[derive(Debug)]
struct Top {
    count: Cell<u32>,
    statement: Cell<u32>,
}

/// A running frame: its instance, or the index of another body; and the statement that its caller is at.
#[derive(Clone, Copy, Debug)]
struct Running {
    what: u32,
    caller_at: u32,
}

/// The body of a frame of no instance.
#[derive(Clone, Debug)]
struct Other {
    code: Arc<CodeInfo>,
    method: Option<MethodId>,
}

/// The running frame is at this statement, which calls.
#[inline]
pub(super) fn at_statement(pc: usize) {
    TOP.with(|it| it.statement.set(pc as u32));
}

/// One more frame, until it is dropped.
#[derive(Debug)]
pub(super) struct FrameGuard {
    /// The number of those before.
    count: u32,
    caller_at: u32,
    is_other: bool,
}

impl FrameGuard {
    /// A frame of a method instance.
    #[inline]
    pub(super) fn instance(instance: Instance) -> Self {
        Self::push(instance.as_u32(), false)
    }

    /// The frame of compiled code, whose statements are unknown.
    #[inline]
    pub(super) fn compiled(instance: Instance) -> Self {
        let guard = Self::push(instance.as_u32(), false);
        TOP.with(|it| it.statement.set(NOWHERE));
        guard
    }

    /// A frame of another body: of a method, or of top-level code.
    pub(super) fn other(code: &Arc<CodeInfo>, method: Option<MethodId>) -> Self {
        let index = OTHERS.with_borrow_mut(|it| {
            it.push(Other { code: code.clone(), method });
            it.len() - 1
        });
        Self::push(OTHER | index as u32, true)
    }

    #[inline]
    fn push(what: u32, is_other: bool) -> Self {
        let (count, caller_at) = TOP.with(|it| (it.count.replace(it.count.get() + 1), it.statement.get()));
        RUNNING.with(|it| {
            if let Some(chunk) = it.get(count as usize / CHUNK) {
                chunk.get_or_init(new_chunk)[count as usize % CHUNK].set(Running { what, caller_at });
            }
        });
        Self { count, caller_at, is_other }
    }
}

#[cold]
fn new_chunk() -> Chunk {
    Box::new([const { Cell::new(Running { what: 0, caller_at: 0 }) }; CHUNK])
}

impl Drop for FrameGuard {
    #[inline]
    fn drop(&mut self) {
        TOP.with(|it| {
            it.count.set(self.count);
            it.statement.set(self.caller_at);
        });
        if self.is_other {
            OTHERS.with_borrow_mut(Vec::pop);
        }
    }
}

/// Whether no frame runs on this thread.
pub(super) fn is_empty() -> bool {
    TOP.with(|it| it.count.get()) == 0
}

/// The frames, the innermost first, without the first `skipped`.
fn running(skipped: usize) -> impl Iterator<Item = Running> {
    let count = (TOP.with(|it| it.count.get()) as usize).min(FRAMES_MAX);
    let frame = |at: usize| RUNNING.with(|it| it[at / CHUNK].get().map(|it| it[at % CHUNK].get()));
    (0..count).rev().skip(skipped).filter_map(frame)
}

/// The running frames, the innermost first.
pub fn backtrace(rt: &Runtime) -> Vec<TraceFrame> {
    frames_from(rt, 0, TOP.with(|it| it.statement.get()), usize::MAX)
}

/// The code of the running frame.
pub(super) fn running_code(rt: &Runtime) -> Option<FrameCode> {
    running(0).next().and_then(|it| trace_frame(rt, it, NOWHERE)).and_then(|it| it.code)
}

/// The frames that wait for the running one, the innermost first; not all of them where `traced` frames are kept already.
pub(super) fn callers(rt: &Runtime, traced: usize) -> Vec<TraceFrame> {
    let Some(own) = running(0).next() else { return Vec::new() };
    frames_from(rt, 1, own.caller_at, TRACED_MAX.saturating_sub(traced))
}

fn frames_from(rt: &Runtime, skipped: usize, mut at: u32, most: usize) -> Vec<TraceFrame> {
    let mut told = Vec::new();
    for it in running(skipped).take(most) {
        told.extend(trace_frame(rt, it, at));
        at = it.caller_at;
    }
    told
}

fn trace_frame(rt: &Runtime, running: Running, at: u32) -> Option<TraceFrame> {
    if running.what & OTHER != 0 {
        let index = (running.what & !OTHER) as usize;
        let other = OTHERS.with_borrow(|it| it.get(index).cloned())?;
        let code = other.method.map_or(FrameCode::TopLevel(other.code.module), FrameCode::Method);
        return Some(frame(&other.code, at, code));
    }
    let instance = Instance::from_u32(running.what);
    let data = rt.tables.instance_data(instance);
    let code = FrameCode::Instance(instance);
    Some(match data.generated.get() {
        Some(generated) => frame(generated, at, code),
        None => frame(&rt.tables.method(data.method).code, at, code),
    })
}

fn frame(body: &CodeInfo, at: u32, code: FrameCode) -> TraceFrame {
    let loc = body.locs.get(at as usize).copied().filter(|it| *it != SourceLoc::NONE).unwrap_or(body.loc);
    TraceFrame { name: body.name, loc, code: Some(code) }
}
