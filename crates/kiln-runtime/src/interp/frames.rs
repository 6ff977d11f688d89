//! The running frames of a native thread: the ones that `backtrace` reports, and that an exception adds to its trace when
//! a handler takes it.
//!
//! A frame costs one entry of a vector. The statement that it is at is stored where it calls, and moves to the entry of
//! its callee, so that a return restores it.

use crate::runtime::Runtime;
use crate::tables::MethodId;
use crate::thrown::{Frame, FrameCode};
use kiln_ir::{CodeInfo, Instance, SourceLoc};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// A frame whose statement is not known: compiled code.
const NOWHERE: u32 = u32::MAX;
/// Marks a frame of no method instance; the other bits index [`Frames::others`].
const OTHER: u32 = 1 << 31;
/// Frames in the traces of all exceptions being handled: a recursion of handlers would square them.
const TRACED_MAX: usize = 1 << 20;

thread_local! {
    static FRAMES: RefCell<Frames> = const { RefCell::new(Frames { running: Vec::new(), others: Vec::new() }) };
    static STATEMENT: Cell<u32> = const { Cell::new(NOWHERE) };
}

/// A running frame: its instance, or the index of another body; and the statement that its caller is at.
#[derive(Clone, Copy, Debug)]
struct Running {
    what: u32,
    caller_at: u32,
}

#[derive(Debug)]
struct Frames {
    running: Vec<Running>,
    others: Vec<Other>,
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
    STATEMENT.set(pc as u32);
}

/// One more frame, until it is dropped.
#[derive(Debug)]
pub(super) struct FrameGuard(());

impl FrameGuard {
    /// A frame of a method instance.
    #[inline]
    pub(super) fn instance(instance: Instance) -> Self {
        Self::push(instance.as_u32())
    }

    /// The same for compiled code, whose statements are not known.
    #[inline]
    pub(super) fn compiled(instance: Instance) -> Self {
        let guard = Self::push(instance.as_u32());
        STATEMENT.set(NOWHERE);
        guard
    }

    /// A frame of another body: of a method, or of top-level code.
    pub(super) fn other(code: &Arc<CodeInfo>, method: Option<MethodId>) -> Self {
        let what = FRAMES.with_borrow_mut(|it| {
            it.others.push(Other { code: code.clone(), method });
            OTHER | (it.others.len() - 1) as u32
        });
        Self::push(what)
    }

    #[inline]
    fn push(what: u32) -> Self {
        let caller_at = STATEMENT.get();
        FRAMES.with_borrow_mut(|it| it.running.push(Running { what, caller_at }));
        Self(())
    }
}

impl Drop for FrameGuard {
    #[inline]
    fn drop(&mut self) {
        let ended = FRAMES.with_borrow_mut(|it| {
            let ended = it.running.pop();
            if ended.is_some_and(|it| it.what & OTHER != 0) {
                it.others.pop();
            }
            ended
        });
        STATEMENT.set(ended.map_or(NOWHERE, |it| it.caller_at));
    }
}

/// Whether no frame runs on this thread.
pub(super) fn is_empty() -> bool {
    FRAMES.with_borrow(|it| it.running.is_empty())
}

impl Runtime {
    /// The running frames, the innermost first.
    pub fn backtrace(&self) -> Vec<Frame> {
        FRAMES.with_borrow(|it| self.frames_from(it, STATEMENT.get(), usize::MAX))
    }

    /// The running frame, whose name and place the caller knows better.
    pub(super) fn running_code(&self) -> Option<FrameCode> {
        FRAMES.with_borrow(|it| {
            let running = it.running.last()?;
            self.told(it, *running, NOWHERE).code
        })
    }

    /// The frames that wait for the running one, the innermost first; not all of them where `traced` frames are kept already.
    pub(super) fn callers(&self, traced: usize) -> Vec<Frame> {
        FRAMES.with_borrow(|it| {
            let mut all = self.frames_from(it, NOWHERE, TRACED_MAX.saturating_sub(traced));
            if !all.is_empty() {
                all.remove(0);
            }
            all
        })
    }

    fn frames_from(&self, frames: &Frames, mut at: u32, most: usize) -> Vec<Frame> {
        let count = frames.running.len().min(most);
        let mut told = Vec::with_capacity(count);
        for running in frames.running.iter().rev().take(count) {
            told.push(self.told(frames, *running, at));
            at = running.caller_at;
        }
        told
    }

    fn told(&self, frames: &Frames, running: Running, at: u32) -> Frame {
        if running.what & OTHER != 0 {
            let other = &frames.others[(running.what & !OTHER) as usize];
            let code = other.method.map_or(FrameCode::TopLevel(other.code.module), FrameCode::Method);
            return frame(&other.code, at, code);
        }
        let instance = Instance::from_u32(running.what);
        let data = self.tables.instance_data(instance);
        let code = FrameCode::Instance(instance);
        match data.generated.get() {
            Some(generated) => frame(generated, at, code),
            None => frame(&self.tables.method(data.method).code, at, code),
        }
    }
}

fn frame(body: &CodeInfo, at: u32, code: FrameCode) -> Frame {
    let loc = body.locs.get(at as usize).copied().filter(|it| *it != SourceLoc::NONE).unwrap_or(body.loc);
    Frame { name: body.name, loc, code: Some(code) }
}
