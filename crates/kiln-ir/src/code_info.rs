//! Lowered code: one flat list of statements over slots. The interpreter runs it, inference reads it.

use crate::SourceLoc;
use kiln_types::{Const, Module, Symbol};

/// An operand of a lowered statement. Reading one never has an effect, except that an undefined slot or global
/// throws `UndefVarError`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lowered {
    /// The value of statement `n` of the same body.
    Ssa(u32),
    /// A local variable or argument. Slot 0 is the function itself, slots `1..nargs` its arguments.
    Slot(u32),
    /// A literal or other value.
    Const(Const),
    /// A global, resolved in the running world.
    Global(Module, Symbol),
    /// The `n`th static parameter (from 0) of the method.
    StaticParam(u32),
}

/// One lowered statement; its value is `Ssa(its index)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoweredStmt {
    /// The operand's value (a read that must happen here).
    Value(Lowered),
    /// `slot = value`.
    SetSlot(u32, Lowered),
    /// Makes a slot undefined: a loop body's local starts afresh.
    NewVar(u32),
    /// `args[0](args[1..]...)`. Builtins and intrinsics are called by value like every function.
    Call(Box<[Lowered]>),
    /// `new(T, fields...)`: `args[0]` is the type.
    New(Box<[Lowered]>),
    /// `new(T, tuple...)`.
    SplatNew(Lowered, Lowered),
    /// Whether a slot, a global or a static parameter is defined.
    IsDefined(Lowered),
    /// Jump to a statement.
    Goto(u32),
    /// Jump when the operand is `false`; `TypeError` when it is no `Bool`.
    GotoIfNot(Lowered, u32),
    /// Return.
    Return(Lowered),
    /// Begin a `try`; on an exception go to the statement. Its value is the token `Leave` and `PopException` take.
    Enter(u32),
    /// End the `try` blocks of these `Enter`s, innermost last.
    Leave(Box<[Lowered]>),
    /// The current exception, in a handler.
    TheException,
    /// Leave the handler of this `Enter`: the exception stack is as it was there.
    PopException(Lowered),
    /// `Expr(:boundscheck)`: whether bounds are checked here (false when the caller said `@inbounds` and this
    /// body is inlined into it with `@propagate_inbounds`/`@inline`, else true).
    BoundsCheck,
    /// `Expr(:inbounds, true)` pushes, `Expr(:inbounds, :pop)` pops the `@inbounds` state of this body.
    InboundsBegin,
    /// See `InboundsBegin`.
    InboundsEnd,
    /// `@fastmath`, `@simd ivdep` loop marks and the like: a hint for the loop that the statement precedes.
    LoopInfo(Box<[Symbol]>),
    /// A fresh copy of a quoted expression (a constant that holds an `Expr`).
    CopyAst(Const),
    /// `function f end`: creates the global generic function if needed; its value is the function.
    GenericFunction(Module, Symbol),
    /// `Expr(:method, ...)`: adds a method. `signature` is `svec(svec(types...), svec(typevars...))`, the first
    /// type being that of the function; `body` indexes `CodeInfo::bodies`.
    Method {
        /// The signature operand.
        signature: Lowered,
        /// The index of the nested body.
        body: u32,
        /// The overlay table of the method, if any.
        table: Option<Lowered>,
    },
    /// `global x` (no value), `global x::T`, `const x = value`, or the declaration by an assignment of `x` (no
    /// value).
    DeclareGlobal {
        /// The module of the variable.
        module: Module,
        /// The name.
        name: Symbol,
        /// The value of a constant, the declared type of a variable.
        value: Option<Lowered>,
        /// The kind of global that the declaration makes.
        kind: Declaration,
    },
    /// Go on in the newest world (between the statements of top-level code).
    LatestWorld,
    /// Statements that top-level evaluation carries out: `module`, `using`, `import`, `export`, `public`. The
    /// constant holds the `Expr`.
    TopLevel(Const),
}

/// The binding that a declaration makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Declaration {
    /// A variable that is only mentioned: a constant or an import may still take its place.
    Weak,
    /// A variable.
    Variable,
    /// A constant.
    Constant,
}

/// A local variable or argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotInfo {
    /// Its name; several slots may share one.
    pub name: Symbol,
    /// Never read.
    pub unused: bool,
    /// Assigned at one place only, which dominates every read.
    pub single_assignment: bool,
}

/// The inlining that the author asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Inlining {
    /// Up to the cost model.
    #[default]
    Default,
    /// `@inline`.
    Always,
    /// `@noinline`.
    Never,
}

/// Marks on a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeMeta {
    /// `@inline` / `@noinline`.
    pub inlining: Inlining,
    /// `@propagate_inbounds`.
    pub propagate_inbounds: bool,
    /// `Base.@assume_effects :foldable` and its like, by Julia's name (`:consistent`, `:total`, ...).
    pub assumed_effects: Vec<Symbol>,
    /// `@constprop :aggressive` / `:none`.
    pub constprop: Option<Symbol>,
    /// `@nospecialize`d arguments, bit `n` for slot `n`.
    pub nospecialize: u32,
    /// `@generated`: the body makes the expression that is the real body.
    pub generated: bool,
    /// Marks that mean nothing to kiln: programs read them.
    pub others: Vec<Mark>,
    /// The variables of functions around a closure that it has in boxes, each with a place that assigns it again.
    pub boxed: Vec<(Symbol, SourceLoc)>,
}

/// A mark of `Expr(:meta, marks...)`, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A name.
    Name(Symbol),
    /// A constant.
    Value(Const),
    /// An expression.
    Node(Symbol, Vec<Mark>),
}

/// A lowered body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// The name errors show.
    pub name: Symbol,
    /// The module globals resolve in.
    pub module: Module,
    /// Slots; the first `nargs` are the function and its arguments.
    pub slots: Vec<SlotInfo>,
    /// The number of slots that are arguments, the function included; 0 for top-level code.
    pub nargs: u32,
    /// The last argument takes the rest as a tuple.
    pub is_va: bool,
    /// Names of the static parameters.
    pub static_params: Vec<Symbol>,
    /// The statements. The last one never falls through.
    pub stmts: Vec<LoweredStmt>,
    /// Where each statement came from.
    pub locs: Vec<SourceLoc>,
    /// Bodies of the methods that `LoweredStmt::Method` adds.
    pub bodies: Vec<CodeInfo>,
    /// Marks.
    pub meta: CodeMeta,
    /// The whole definition.
    pub loc: SourceLoc,
}
