//! The ends of Julia code besides a value.

use crate::heap::Value;
use crate::tables::MethodId;
use kiln_ir::{Instance, SourceLoc};
use kiln_types::{Module, Symbol, Type};

/// A Julia exception on its way up.
#[derive(Clone, Debug)]
pub struct Thrown {
    /// The exception. Meaningless if `abort` is set.
    pub exception: Value,
    /// Where it came through, innermost first; where a handler has taken it, the frames that wait for the handler's too.
    pub trace: Vec<TraceFrame>,
    /// Whether a handler has taken it: its trace is whole, and it leaves the exceptions being handled if it is thrown again.
    pub was_handled: bool,
    /// Where it left the running frame, if that is not the statement that the interpreter is at.
    pub place: SourceLoc,
    /// Set when this is no exception but an end that no `catch` sees.
    pub abort: Option<Abort>,
}

/// An end of running code that no Julia handler sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abort {
    /// The instruction budget is used up.
    Budget,
    /// `exit(code)`.
    Exit(i64),
}

/// One running body in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceFrame {
    /// The name of the function.
    pub name: Symbol,
    /// The statement that was running.
    pub loc: SourceLoc,
    /// The code that was running, if it is known.
    pub code: Option<FrameCode>,
}

/// The code of a [`TraceFrame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameCode {
    /// Top-level code of a module.
    TopLevel(Module),
    /// A method, when the arguments have no instance.
    Method(MethodId),
    /// A method instance.
    Instance(Instance),
}

impl TraceFrame {
    /// A frame with a name and a location only.
    pub fn new(name: Symbol, loc: SourceLoc) -> Self {
        Self { name, loc, code: None }
    }
}

impl Thrown {
    /// An exception thrown here.
    #[cold]
    pub fn new(exception: Value) -> Box<Self> {
        Box::new(Self {
            exception,
            trace: Vec::new(),
            was_handled: false,
            place: SourceLoc::NONE,
            abort: None,
        })
    }
    /// Adds a frame that the exception unwinds, unless the trace is complete.
    pub fn leaves(&mut self, frame: TraceFrame) {
        let place = std::mem::take(&mut self.place);
        if !self.was_handled {
            self.trace.push(if place.is_none() { frame } else { TraceFrame { loc: place, ..frame } });
        }
    }
    /// An end that no handler sees.
    #[cold]
    pub fn abort(abort: Abort) -> Box<Self> {
        let exception = Value::inline(Type::from_index(u32::MAX as usize), 0);
        let mut ended = Self::new(exception);
        ended.abort = Some(abort);
        ended
    }
}

/// The result of everything that may throw.
pub type Run<T = Value> = Result<T, Box<Thrown>>;
