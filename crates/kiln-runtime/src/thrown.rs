//! What running Julia code may end with besides a value.

use crate::heap::Value;
use kiln_ir::SourceLoc;
use kiln_types::{Symbol, Type};

/// A Julia exception on its way up.
#[derive(Clone, Debug)]
pub struct Thrown {
    /// What was thrown. Meaningless if `abort` is set.
    pub exception: Value,
    /// Where it came through, innermost first.
    pub trace: Vec<Frame>,
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
pub struct Frame {
    /// The name of the function.
    pub name: Symbol,
    /// The statement that was running.
    pub loc: SourceLoc,
}

impl Thrown {
    /// An exception thrown here.
    #[cold]
    pub fn new(exception: Value) -> Box<Self> {
        Box::new(Self { exception, trace: Vec::new(), abort: None })
    }
    /// An end that no handler sees.
    #[cold]
    pub fn abort(abort: Abort) -> Box<Self> {
        let exception = Value::inline(Type::from_index(u32::MAX as usize), 0);
        Box::new(Self { exception, trace: Vec::new(), abort: Some(abort) })
    }
}

/// The result of everything that may throw.
pub type Run<T = Value> = Result<T, Box<Thrown>>;
