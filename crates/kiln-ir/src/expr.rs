//! `Expr`, the surface syntax as data: the output of the parser, the input and output of macros, and the input of
//! lowering. Heads and argument order are those of Julia's `Meta.parse`.

use crate::SourceLoc;
use cranelift_entity::{PrimaryMap, entity_impl};
use kiln_types::{Const, Module, Symbol};

/// The extent of macro expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// All macro calls, those in results included.
    Whole,
    /// Only the outermost call: `macroexpand(...; recursive = false)`.
    Once,
}

/// One node of an [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(u32);
entity_impl!(ExprId, "e");

/// A node and its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// `Expr(head, args...)`.
    Node {
        /// `:call`, `:block`, `:(=)`...
        head: Symbol,
        /// In Julia's order.
        args: Vec<ExprId>,
    },
    /// An identifier.
    Symbol(Symbol),
    /// A literal, or any value a macro put there. A `Symbol` value in quoted position is a `Quote`.
    Const(Const),
    /// `GlobalRef(mod, name)`.
    Global(Module, Symbol),
    /// `QuoteNode(value)`: the node is the quoted expression, not evaluated.
    Quote(ExprId),
    /// `LineNumberNode(line, file)`.
    Line {
        /// Counted from 1.
        line: u32,
        /// `None` is Julia's `nothing`.
        file: Option<Symbol>,
    },
}

/// An arena of expressions. Nodes are shared freely (the structure is a DAG) and never changed in place.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    nodes: PrimaryMap<ExprId, (Expr, SourceLoc)>,
    /// How many of them a parser made of a file.
    parsed: usize,
}

impl Ast {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a node.
    pub fn push(&mut self, expr: Expr, loc: SourceLoc) -> ExprId {
        self.nodes.push((expr, loc))
    }
    /// Adds an `Expr(head, args...)`.
    pub fn node(&mut self, head: Symbol, args: Vec<ExprId>, loc: SourceLoc) -> ExprId {
        self.push(Expr::Node { head, args }, loc)
    }
    /// The node itself.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.nodes[id].0
    }
    /// Where it came from.
    pub fn loc(&self, id: ExprId) -> SourceLoc {
        self.nodes[id].1
    }
    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
    /// Says that a parser made all nodes so far of a file: where one came from is its text.
    pub fn set_parsed(&mut self) {
        self.parsed = self.nodes.len();
    }
    /// Whether a parser made this node of a file.
    pub fn is_parsed(&self, id: ExprId) -> bool {
        (id.as_u32() as usize) < self.parsed
    }
    /// Head and arguments, if the node is an `Expr`.
    pub fn as_node(&self, id: ExprId) -> Option<(Symbol, &[ExprId])> {
        match self.expr(id) {
            Expr::Node { head, args } => Some((*head, args)),
            Expr::Symbol(_) | Expr::Const(_) | Expr::Global(..) | Expr::Quote(_) | Expr::Line { .. } => None,
        }
    }
}
