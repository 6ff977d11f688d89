//! The tree between surface syntax and flat statements: few forms, names still lexical.
//!
//! `desugar` makes it, `resolve` replaces every [`HirKind::Name`] by a variable or a global, `linearize` flattens
//! it. A [`Temp`] is assigned once and read only in the body that assigns it; everything a closure may see is a
//! named variable.

use kiln_ir::{CodeMeta, SourceLoc};
use kiln_types::{Const, Module, Symbol};
use std::ops::Range;

/// A compiler-made value, assigned once before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Temp(pub(crate) u32);

/// A compiler-made variable of the enclosing body that may be assigned in several places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Scratch(pub(crate) u32);

/// A place `break` and `continue` go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Exit(pub(crate) u32);

/// A variable after resolution; indexes the table of the whole lowering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct VarId(pub(crate) u32);

/// A function body; 0 is the top-level thunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LambdaId(pub(crate) u32);

/// The methods of one local function, which share a closure type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GroupId(pub(crate) u32);

/// A node and its place.
#[derive(Clone, Debug)]
pub(crate) struct HirNode {
    pub(crate) kind: HirKind,
    pub(crate) loc: SourceLoc,
}

/// The kind of a node.
#[derive(Clone, Debug)]
pub(crate) enum HirKind {
    Const(Const),
    Global(Module, Symbol),
    /// A name not resolved yet.
    Name(Symbol),
    Var(VarId),
    Temp(Temp),
    Scratch(Scratch),
    /// `args[0](args[1..]...)`.
    Call(Vec<HirNode>),
    New(Vec<HirNode>),
    SplatNew(Box<HirNode>, Box<HirNode>),
    /// The target is a `Name`, `Var`, `Global`, `Temp` or `Scratch`; the value is the right side.
    Assign(Box<HirNode>, Box<HirNode>),
    /// The value is that of the last node; `nothing` if there is none.
    Block(Vec<HirNode>),
    If(Box<HirNode>, Box<HirNode>, Box<HirNode>),
    And(Vec<HirNode>),
    Or(Vec<HirNode>),
    While(Box<HirNode>, Box<HirNode>),
    /// The body; `Break` of the same exit continues after it.
    BreakBlock(Exit, Box<HirNode>),
    Break(Exit),
    Return(Box<HirNode>),
    /// A local scope.
    Scope(Box<ScopeData>),
    /// `local x`.
    Local(Symbol),
    /// `for outer x`: there must be a variable of this name around the loop.
    RequireLocal(Symbol),
    /// `x::T` where `x` is a variable of this scope: assignments convert. `global x::T` if `x` is global.
    DeclType(Symbol, Box<HirNode>),
    /// `global x::T`; `resolve` makes it from the above.
    GlobalType(Module, Symbol, Box<HirNode>),
    /// `global x`; no value.
    GlobalDecl(Symbol, Option<Module>),
    /// The name is global in the scope around, as that of a type is which is defined there. Does nothing.
    GlobalName(Symbol),
    /// `const x = value`, or the definition of a type.
    ConstDecl(Box<HirNode>, Box<HirNode>),
    /// `A{T} = value`: an assignment to a local, a constant otherwise.
    AliasDecl(Box<HirNode>, Box<HirNode>),
    /// `function f end`.
    GenericFunction(Box<HirNode>),
    /// Methods of one named function, of a callable object or of an anonymous function.
    Function(Box<FunctionDef>),
    /// The closure of a local function, at the definition of these of its methods. `resolve` makes it.
    Closure(GroupId, Range<usize>),
    /// The type methods of this function have as their first.
    TypeOfFunction(Box<HirNode>),
    TryCatch(Box<TryData>),
    Label(Symbol),
    Goto(Symbol),
    IsDefined(Box<HirNode>),
    /// The local variables that have a value here, by name. `resolve` replaces it.
    Locals,
    TheException,
    BoundsCheck,
    InboundsBegin,
    InboundsEnd,
    LoopInfo(Vec<Symbol>),
    /// A call that is evaluated where the method around is defined: the function that checks, the kind of the checked call,
    /// and types.
    DefinitionCheck(Vec<HirNode>),
    /// Refuses these names if they are local variables.
    NoLocals(Vec<Symbol>),
    LatestWorld,
    /// As `LatestWorld`, but only at top level, outside of functions.
    LatestWorldAtTopLevel,
    /// `value isa ty ? value : convert(ty, value)::ty`.
    ConvertTo {
        ty: Box<HirNode>,
        value: Box<HirNode>,
        assert: bool,
    },
}

/// A scope with the variables that it declares in any context.
#[derive(Clone, Debug)]
pub(crate) struct ScopeData {
    /// Variables that are new here even where an outer one of the name exists.
    pub(crate) fresh: Vec<Symbol>,
    /// The variable of `catch`: new here unless a local one of the name exists around it.
    pub(crate) caught: Option<Symbol>,
    /// A loop or `try` at top level: an assignment there may mean an existing global.
    pub(crate) soft: bool,
    pub(crate) body: HirNode,
    /// Filled by `resolve`: every variable this scope declares.
    pub(crate) vars: Vec<VarId>,
}

/// `try`.
#[derive(Clone, Debug)]
pub(crate) struct TryData {
    pub(crate) body: HirNode,
    /// The handler; `TheException` inside is the caught exception.
    pub(crate) catch: Option<HirNode>,
    pub(crate) or_else: Option<HirNode>,
    pub(crate) finally: Option<HirNode>,
}

/// The thing that is given methods.
#[derive(Clone, Debug)]
pub(crate) enum Callee {
    /// A function with a name; the resolver finds out whether it is local.
    Named(Box<HirNode>),
    /// `x -> ...`: a new function, the value of the node.
    Anonymous,
    /// `(::T)(x)`, `A.f(x)` and others: the first type identifies the function. The value is `nothing`.
    Typed,
}

/// Methods defined together.
#[derive(Clone, Debug)]
pub(crate) struct FunctionDef {
    pub(crate) callee: Callee,
    pub(crate) methods: Vec<MethodDef>,
}

/// A `where` variable.
#[derive(Clone, Debug)]
pub(crate) struct TypeVar {
    pub(crate) name: Symbol,
    pub(crate) lower: Option<HirNode>,
    pub(crate) upper: Option<HirNode>,
}

/// One method.
#[derive(Clone, Debug)]
pub(crate) struct MethodDef {
    pub(crate) typevars: Vec<TypeVar>,
    /// Variables that the types do not mention, so that no call determines them.
    pub(crate) unbound: Vec<Symbol>,
    /// Types of all arguments, the function first.
    pub(crate) types: Vec<HirNode>,
    pub(crate) table: Option<HirNode>,
    pub(crate) lambda: Lambda,
    /// Filled by `resolve`: code that runs before the method is defined.
    pub(crate) checks: Vec<HirNode>,
    /// The alternative of the preceding generator for calls that do not run it; not a method of its own.
    pub(crate) is_fallback: bool,
    pub(crate) loc: SourceLoc,
}

/// A body with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Lambda {
    pub(crate) name: Symbol,
    /// The function first.
    pub(crate) args: Vec<Symbol>,
    pub(crate) is_va: bool,
    /// The argument that is the function the method belongs to: 0, but not in keyword methods.
    pub(crate) self_arg: usize,
    /// In a keyword body: the argument that is the user's function, and that function's name.
    pub(crate) alias: Option<(usize, Symbol)>,
    pub(crate) ret: Option<Box<HirNode>>,
    pub(crate) body: Box<HirNode>,
    pub(crate) meta: CodeMeta,
    pub(crate) loc: SourceLoc,
    /// Filled by `resolve`.
    pub(crate) id: LambdaId,
    pub(crate) arg_vars: Vec<VarId>,
    pub(crate) sparam_vars: Vec<VarId>,
}

impl HirNode {
    pub(crate) fn new(kind: HirKind, loc: SourceLoc) -> Self {
        Self { kind, loc }
    }
    /// Reading it again gives the same value and has no effect.
    pub(crate) fn is_stable(&self) -> bool {
        matches!(
            self.kind,
            HirKind::Const(_)
                | HirKind::Global(..)
                | HirKind::Name(_)
                | HirKind::Temp(_)
                | HirKind::Scratch(_)
        )
    }
    pub(crate) fn block(nodes: Vec<HirNode>, loc: SourceLoc) -> Self {
        Self::new(HirKind::Block(nodes), loc)
    }
    pub(crate) fn assign(target: HirNode, value: HirNode) -> Self {
        let loc = value.loc;
        Self::new(HirKind::Assign(Box::new(target), Box::new(value)), loc)
    }
}

/// Calls `$f` with each node directly inside a `HirKind`, in the order in which they are evaluated: by `iter`, or by `iter_mut` and
/// `mut`.
macro_rules! each_child {
    ($kind:expr, $f:expr, $iter:ident $(, $mutable:tt)?) => {
        match $kind {
            HirKind::Const(_)
            | HirKind::Global(..)
            | HirKind::Name(_)
            | HirKind::Var(_)
            | HirKind::Temp(_) => {}
            HirKind::Scratch(_)
            | HirKind::Break(_)
            | HirKind::Local(_)
            | HirKind::GlobalDecl(..)
            | HirKind::GlobalName(_)
            | HirKind::Closure(..) => {}
            HirKind::RequireLocal(_) => {}
            HirKind::Label(_)
            | HirKind::Goto(_)
            | HirKind::TheException
            | HirKind::BoundsCheck
            | HirKind::Locals
            | HirKind::InboundsBegin => {}
            HirKind::InboundsEnd | HirKind::LoopInfo(_) | HirKind::Function(_) | HirKind::NoLocals(_) => {}
            HirKind::LatestWorld | HirKind::LatestWorldAtTopLevel => {}
            HirKind::Call(nodes)
            | HirKind::New(nodes)
            | HirKind::DefinitionCheck(nodes)
            | HirKind::Block(nodes)
            | HirKind::And(nodes)
            | HirKind::Or(nodes) => {
                nodes.$iter().for_each($f);
            }
            HirKind::SplatNew(a, b) | HirKind::While(a, b) => [a, b].into_iter().for_each(|it| $f(it)),
            HirKind::Assign(target, value)
            | HirKind::ConstDecl(target, value)
            | HirKind::AliasDecl(target, value) => {
                [value, target].into_iter().for_each(|it| $f(it));
            }
            HirKind::ConvertTo { ty, value, .. } => [ty, value].into_iter().for_each(|it| $f(it)),
            HirKind::If(a, b, c) => [a, b, c].into_iter().for_each(|it| $f(it)),
            HirKind::BreakBlock(_, a)
            | HirKind::Return(a)
            | HirKind::DeclType(_, a)
            | HirKind::GenericFunction(a) => $f(a),
            HirKind::GlobalType(_, _, a) => $f(a),
            HirKind::TypeOfFunction(a) | HirKind::IsDefined(a) => $f(a),
            HirKind::Scope(scope) => $f(&$($mutable)? scope.body),
            HirKind::TryCatch(data) => {
                $f(&$($mutable)? data.body);
                let rest = data.catch.$iter().chain(data.or_else.$iter());
                rest.chain(data.finally.$iter()).for_each($f);
            }
        }
    };
}

impl HirKind {
    /// Calls `f` on every direct child, in evaluation order, but not inside function definitions.
    pub(crate) fn children(&self, f: &mut dyn FnMut(&HirNode)) {
        each_child!(self, f, iter);
    }

    /// As [`HirKind::children`], with mutable access.
    pub(crate) fn children_mut(&mut self, f: &mut dyn FnMut(&mut HirNode)) {
        each_child!(self, f, iter_mut, mut);
    }
}
