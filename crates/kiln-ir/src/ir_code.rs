//! Typed SSA: the output of inference, the input and output of the optimizer, and the input of codegen.
//!
//! # Invariants
//! * A statement's operands are defined before it on every path; `verify` checks.
//! * The last statement of a block is its one terminator; phis come first.
//! * Block 0 is the entry and has no predecessors.
//! * A handler has one predecessor, the block of its `Enter`: what the region defines is not defined in the handler, which gets it by
//!   `PhiC`s. On all ways to a block the same regions are open ([`Handlers`](crate::Handlers)); none is at a `Return`.
//! * A pass never renumbers. `compact` does, and only it.

use crate::{Builtin, HostFunction, Intrinsic, SourceLoc};
use cranelift_entity::{PrimaryMap, entity_impl};
use kiln_types::{Const, Module, Symbol, Type};

/// One statement, and the SSA value it defines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stmt(u32);
entity_impl!(Stmt, "%");

/// One basic block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block(u32);
entity_impl!(Block, "bb");

/// A method instance, opaque here: the runtime's number for it, or an ordinal in a serialized body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance(u32);
entity_impl!(Instance, "mi");

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The value of a statement.
    Stmt(Stmt),
    /// An argument; 0 is the function itself.
    Arg(u32),
    /// A constant.
    Const(Const),
}

/// A place where compiled code turns to the host, with a thunk in `IrCode::throw_sites`: it gives up, and the thunk
/// throws the exception, or it reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThrowSite(u32);
entity_impl!(ThrowSite, "site");

/// A variable that may have no value where it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// A local variable.
    Local(Symbol),
    /// A static parameter that the call does not determine.
    StaticParam(Symbol),
}

impl Undefined {
    /// Its name.
    pub fn name(self) -> Symbol {
        match self {
            Self::Local(name) | Self::StaticParam(name) => name,
        }
    }
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// One value a predecessor. A predecessor left out means undefined there (and never read).
    Phi(Vec<(Block, Value)>),
    /// The operand, known here to have the statement's (narrower) type.
    Pi(Value),
    /// Keeps the operand, as the value that the variable has from here on, for the `PhiC` of a handler that may run next.
    Upsilon(Value),
    /// The operand of that one of these `Upsilon`s that ran last. Only at the start of a handler.
    PhiC(Vec<Value>),
    /// A primitive operation.
    Intrinsic(Intrinsic, Vec<Value>),
    /// A call of a builtin.
    Builtin(Builtin, Vec<Value>),
    /// A call of a host function.
    Host(HostFunction, Vec<Value>),
    /// A static call; `args[0]` is the function. The arguments match `IrCode::args` of the callee one to one: the
    /// trailing arguments of a vararg method have been packed into a tuple before.
    Invoke(Instance, Vec<Value>),
    /// The address of a function for calls through it: of the instance that a call of the operands would go to, the
    /// function first, trailing arguments not packed. Only their types matter.
    Lookup(Instance, Vec<Value>),
    /// A dynamic call; `args[0]` is the callee.
    Call(Vec<Value>),
    /// `new(T, fields...)` of the statement's type, a concrete type. Trailing fields may be missing.
    New(Vec<Value>),
    /// `new(T, ...)` of a type not known statically (`args[0]`).
    NewDynamic(Vec<Value>),
    /// `new(T, tuple...)`.
    SplatNew(Value, Value),
    /// The value of a non-constant global.
    Global(Module, Symbol),
    /// Whether bounds are checked; resolved by inlining, `true` if it survives.
    BoundsCheck,
    /// Whether a global is defined.
    IsDefinedGlobal(Module, Symbol),
    /// Throws `UndefVarError` if the flag is false (a variable that may be undefined here).
    ThrowUndefIfNot(Undefined, Value),
    /// Begin of a `try`: control may pass to the handler from any statement until the matching `Leave`, and the handler starts
    /// with the exception on the stack of those being handled. Its value is the token that `Leave` and `PopException` take.
    /// Terminator. Host code only.
    Enter {
        /// The normal successor.
        body: Block,
        /// Where exceptions go.
        handler: Block,
    },
    /// End of the `try`s of these `Enter`s.
    Leave(Vec<Value>),
    /// The innermost exception being handled.
    TheException,
    /// End of a handler: the exceptions being handled are those of when this `Enter` ran.
    PopException(Value),
    /// A copy of a quoted expression.
    CopyAst(Const),
    /// A hint for the loop whose header follows.
    LoopInfo(Vec<Symbol>),
    /// Removed; `compact` drops it.
    Nop,
    /// Terminator.
    Goto(Block),
    /// Terminator. `cond` is a `Bool`.
    Branch {
        /// The condition.
        cond: Value,
        /// The successor for `true`.
        then: Block,
        /// The successor for `false`.
        other: Block,
    },
    /// Terminator.
    Return(Value),
    /// Terminator: gives up at this site with these (isbits) operands. Made by the optimizer from `throw` and
    /// from calls that never return.
    Fail(ThrowSite, Vec<Value>),
    /// Makes the host run this site's thunk with these (isbits) operands, and continues. The optimizer makes it from
    /// `kiln_report`.
    Report(ThrowSite, Vec<Value>),
    /// Terminator: control does not get here (after a call of type `Union{}`).
    Unreachable,
}

/// The operation of a statement, the type of its value, and its source location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StmtData {
    /// The operation and its operands.
    pub op: Op,
    /// The inferred type of the value; `Union{}` if it never yields one.
    pub ty: Type,
    /// Opaque here; only the driver can turn it into a file and a line.
    pub loc: SourceLoc,
    /// Inlined from: an index into `IrCode::inlined_at`, 0 for the body's own statements.
    pub inlined: u32,
    /// In an `@inbounds` region: a `BoundsCheck` of a body inlined here is `false`.
    pub inbounds: bool,
}

/// The statements of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockData {
    /// In order.
    pub stmts: Vec<Stmt>,
}

/// The host's work at a site: a little body over the site's operands. A `Fail`'s ends by throwing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThrowSiteData {
    /// Types of the operands, all isbits.
    pub operands: Vec<Type>,
    /// Its steps in order, run by the interpreter.
    pub thunk: Vec<ThunkStep>,
    /// The location of the statement that throws or reports.
    pub loc: SourceLoc,
    /// Inlined from, as `StmtData::inlined`.
    pub inlined: u32,
}

/// One call of a thunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThunkStep {
    /// `args[0](args[1..]...)`.
    Call(Vec<ThunkValue>),
    /// `new(T, fields...)`.
    New(Type, Vec<ThunkValue>),
}

/// An operand of a thunk step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThunkValue {
    /// The site's operand.
    Operand(u32),
    /// The value of an earlier step.
    Step(u32),
    /// A constant.
    Const(Const),
}

/// A call that was inlined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlinedAt {
    /// The inlined instance.
    pub callee: Instance,
    /// Its name, for line tables and messages.
    pub name: Symbol,
    /// Where it was called.
    pub call: SourceLoc,
    /// Where that was inlined, in turn; 0 is the body itself.
    pub parent: u32,
}

/// The body of one `CodeInstance`, in SSA form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IrCode {
    /// The name of the method.
    pub name: Symbol,
    /// Types of the arguments, the function first; a vararg method's last is its tuple.
    pub args: Vec<Type>,
    /// Every statement.
    pub stmts: PrimaryMap<Stmt, StmtData>,
    /// The statements of each block.
    pub blocks: PrimaryMap<Block, BlockData>,
    /// Inlined calls; entry 0 is the body itself.
    pub inlined_at: Vec<InlinedAt>,
    /// The places that give up or report.
    pub throw_sites: PrimaryMap<ThrowSite, ThrowSiteData>,
    /// The return type.
    pub return_type: Type,
}
