//! What running Julia code may end with besides a value.

use crate::heap::Value;
use kiln_ir::SourceLoc;
use kiln_types::Symbol;

/// A Julia exception on its way up.
#[derive(Clone, Debug)]
pub struct Thrown {
    /// What was thrown.
    pub exception: Value,
    /// Where it came through, innermost first.
    pub trace: Vec<Frame>,
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
        Box::new(Self { exception, trace: Vec::new() })
    }
}

/// The result of everything that may throw.
pub type Run<T = Value> = Result<T, Box<Thrown>>;
