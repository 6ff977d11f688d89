//! The tree between surface syntax and flat statements: few forms, names still lexical.
//!
//! `desugar` makes it, `resolve` replaces every [`Kind::Name`] by a variable or a global, `linearize` flattens
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
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) loc: SourceLoc,
}

/// The kind of a node.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Const(Const),
    Global(Module, Symbol),
    /// A name not resolved yet.
    Name(Symbol),
    Var(VarId),
    Temp(Temp),
    Scratch(Scratch),
    /// `args[0](args[1..]...)`.
    Call(Vec<Node>),
    New(Vec<Node>),
    SplatNew(Box<Node>, Box<Node>),
    /// The target is a `Name`, `Var`, `Global`, `Temp` or `Scratch`; the value is the right side.
    Assign(Box<Node>, Box<Node>),
    /// The value is that of the last node; `nothing` if there is none.
    Block(Vec<Node>),
    If(Box<Node>, Box<Node>, Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
    While(Box<Node>, Box<Node>),
    /// `Break` of the same exit goes behind the body.
    BreakBlock(Exit, Box<Node>),
    Break(Exit),
    Return(Box<Node>),
    /// A local scope.
    Scope(Box<ScopeData>),
    /// `local x`.
    Local(Symbol),
    /// `for outer x`: there must be a variable of this name around the loop.
    RequireLocal(Symbol),
    /// `x::T` where `x` is a variable of this scope: assignments convert. `global x::T` if it is one.
    DeclType(Symbol, Box<Node>),
    /// `global x::T`; what `resolve` makes of the above.
    GlobalType(Module, Symbol, Box<Node>),
    /// `global x`; no value.
    GlobalDecl(Symbol, Option<Module>),
    /// The name is global in the scope around, as that of a type is which is defined there. Does nothing.
    GlobalName(Symbol),
    /// `const x = value`, or the definition of a type.
    ConstDecl(Box<Node>, Box<Node>),
    /// `A{T} = value`: an assignment to a local, a constant otherwise.
    AliasDecl(Box<Node>, Box<Node>),
    /// `function f end`.
    GenericFunction(Box<Node>),
    /// Methods of one named function, of a callable object or of an anonymous function.
    Function(Box<FunctionDef>),
    /// An instance of a closure: what `resolve` makes of local functions.
    /// An instance of a local function, where these of its methods are written.
    Closure(GroupId, Range<usize>),
    /// The type methods of this function have as their first.
    TypeOfFunction(Box<Node>),
    TryCatch(Box<TryData>),
    Label(Symbol),
    Goto(Symbol),
    IsDefined(Box<Node>),
    TheException,
    BoundsCheck,
    InboundsBegin,
    InboundsEnd,
    LoopInfo(Vec<Symbol>),
    /// A call that is evaluated where the method around is defined: the function that checks, the kind of the checked call,
    /// and types.
    DefinitionCheck(Vec<Node>),
    /// Refuses these names if they are local variables.
    NoLocals(Vec<Symbol>),
    LatestWorld,
    /// The same at top level, nothing in a function.
    LatestWorldAtTopLevel,
    /// `value isa ty ? value : convert(ty, value)::ty`.
    ConvertTo {
        ty: Box<Node>,
        value: Box<Node>,
        assert: bool,
    },
}

/// A scope and what is new in it whatever surrounds it.
#[derive(Clone, Debug)]
pub(crate) struct ScopeData {
    /// Variables that are new here even where an outer one of the name exists.
    pub(crate) fresh: Vec<Symbol>,
    /// The variable of `catch`: new here unless a local one of the name exists around it.
    pub(crate) caught: Option<Symbol>,
    /// A loop or `try` at top level: an assignment there may mean an existing global.
    pub(crate) soft: bool,
    pub(crate) body: Node,
    /// Filled by `resolve`: every variable this scope declares.
    pub(crate) vars: Vec<VarId>,
}

/// `try`.
#[derive(Clone, Debug)]
pub(crate) struct TryData {
    pub(crate) body: Node,
    /// The handler; `TheException` inside is what was caught.
    pub(crate) catch: Option<Node>,
    pub(crate) or_else: Option<Node>,
    pub(crate) finally: Option<Node>,
}

/// The thing that is given methods.
#[derive(Clone, Debug)]
pub(crate) enum Callee {
    /// A function with a name; the resolver finds out whether it is local.
    Named(Box<Node>),
    /// `x -> ...`: a new function, the value of the node.
    Anonymous,
    /// `(::T)(x)`, `A.f(x)` and others: the first type says it all. No value but `nothing`.
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
    pub(crate) lower: Option<Node>,
    pub(crate) upper: Option<Node>,
}

/// One method.
#[derive(Clone, Debug)]
pub(crate) struct MethodDef {
    pub(crate) typevars: Vec<TypeVar>,
    /// Variables that the types do not mention, so that no call determines them.
    pub(crate) unbound: Vec<Symbol>,
    /// Types of all arguments, the function first.
    pub(crate) types: Vec<Node>,
    pub(crate) table: Option<Node>,
    pub(crate) lambda: Lambda,
    /// Filled by `resolve`: what is evaluated before the method is defined.
    pub(crate) checks: Vec<Node>,
    /// No method of its own, but what the generator before it stands for where it does not run.
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
    pub(crate) ret: Option<Box<Node>>,
    pub(crate) body: Box<Node>,
    pub(crate) meta: CodeMeta,
    pub(crate) loc: SourceLoc,
    /// Filled by `resolve`.
    pub(crate) id: LambdaId,
    pub(crate) arg_vars: Vec<VarId>,
    pub(crate) sparam_vars: Vec<VarId>,
}

impl Node {
    pub(crate) fn new(kind: Kind, loc: SourceLoc) -> Self {
        Self { kind, loc }
    }
    /// Reading it again gives the same value and has no effect.
    pub(crate) fn is_stable(&self) -> bool {
        matches!(
            self.kind,
            Kind::Const(_) | Kind::Global(..) | Kind::Name(_) | Kind::Temp(_) | Kind::Scratch(_)
        )
    }
    pub(crate) fn block(nodes: Vec<Node>, loc: SourceLoc) -> Self {
        Self::new(Kind::Block(nodes), loc)
    }
    pub(crate) fn assign(target: Node, value: Node) -> Self {
        let loc = value.loc;
        Self::new(Kind::Assign(Box::new(target), Box::new(value)), loc)
    }
}

impl Kind {
    /// Calls `f` with every node directly inside, in order of evaluation; not with what is inside function
    /// definitions.
    pub(crate) fn children(&self, f: &mut dyn FnMut(&Node)) {
        match self {
            Kind::Const(_) | Kind::Global(..) | Kind::Name(_) | Kind::Var(_) | Kind::Temp(_) => {}
            Kind::Scratch(_)
            | Kind::Break(_)
            | Kind::Local(_)
            | Kind::GlobalDecl(..)
            | Kind::GlobalName(_)
            | Kind::Closure(..) => {}
            Kind::RequireLocal(_) => {}
            Kind::Label(_) | Kind::Goto(_) | Kind::TheException | Kind::BoundsCheck | Kind::InboundsBegin => {
            }
            Kind::InboundsEnd | Kind::LoopInfo(_) | Kind::Function(_) | Kind::NoLocals(_) => {}
            Kind::LatestWorld | Kind::LatestWorldAtTopLevel => {}
            Kind::Call(nodes)
            | Kind::New(nodes)
            | Kind::DefinitionCheck(nodes)
            | Kind::Block(nodes)
            | Kind::And(nodes)
            | Kind::Or(nodes) => {
                nodes.iter().for_each(f);
            }
            Kind::SplatNew(a, b) | Kind::While(a, b) => [a, b].into_iter().for_each(|it| f(it)),
            Kind::Assign(target, value) | Kind::ConstDecl(target, value) | Kind::AliasDecl(target, value) => {
                [value, target].into_iter().for_each(|it| f(it));
            }
            Kind::ConvertTo { ty, value, .. } => [ty, value].into_iter().for_each(|it| f(it)),
            Kind::If(a, b, c) => [a, b, c].into_iter().for_each(|it| f(it)),
            Kind::BreakBlock(_, a) | Kind::Return(a) | Kind::DeclType(_, a) | Kind::GenericFunction(a) => {
                f(a)
            }
            Kind::GlobalType(_, _, a) => f(a),
            Kind::TypeOfFunction(a) | Kind::IsDefined(a) => f(a),
            Kind::Scope(scope) => f(&scope.body),
            Kind::TryCatch(data) => {
                f(&data.body);
                data.catch.iter().chain(&data.or_else).chain(&data.finally).for_each(f);
            }
        }
    }

    /// As [`Kind::children`], for changing them.
    pub(crate) fn children_mut(&mut self, f: &mut dyn FnMut(&mut Node)) {
        match self {
            Kind::Const(_) | Kind::Global(..) | Kind::Name(_) | Kind::Var(_) | Kind::Temp(_) => {}
            Kind::Scratch(_)
            | Kind::Break(_)
            | Kind::Local(_)
            | Kind::GlobalDecl(..)
            | Kind::GlobalName(_)
            | Kind::Closure(..) => {}
            Kind::RequireLocal(_) => {}
            Kind::Label(_) | Kind::Goto(_) | Kind::TheException | Kind::BoundsCheck | Kind::InboundsBegin => {
            }
            Kind::InboundsEnd | Kind::LoopInfo(_) | Kind::Function(_) | Kind::NoLocals(_) => {}
            Kind::LatestWorld | Kind::LatestWorldAtTopLevel => {}
            Kind::Call(nodes)
            | Kind::New(nodes)
            | Kind::DefinitionCheck(nodes)
            | Kind::Block(nodes)
            | Kind::And(nodes)
            | Kind::Or(nodes) => {
                nodes.iter_mut().for_each(f);
            }
            Kind::SplatNew(a, b) | Kind::While(a, b) => [a, b].into_iter().for_each(|it| f(it)),
            Kind::Assign(target, value) | Kind::ConstDecl(target, value) | Kind::AliasDecl(target, value) => {
                [value, target].into_iter().for_each(|it| f(it));
            }
            Kind::ConvertTo { ty, value, .. } => [ty, value].into_iter().for_each(|it| f(it)),
            Kind::If(a, b, c) => [a, b, c].into_iter().for_each(|it| f(it)),
            Kind::BreakBlock(_, a) | Kind::Return(a) | Kind::DeclType(_, a) | Kind::GenericFunction(a) => {
                f(a)
            }
            Kind::GlobalType(_, _, a) => f(a),
            Kind::TypeOfFunction(a) | Kind::IsDefined(a) => f(a),
            Kind::Scope(scope) => f(&mut scope.body),
            Kind::TryCatch(data) => {
                f(&mut data.body);
                data.catch.iter_mut().chain(&mut data.or_else).chain(&mut data.finally).for_each(f);
            }
        }
    }
}
