//! One pass over the tree in post-order, with a stack of converted nodes that no parent has taken yet.

use super::heads::Heads;
use super::literals::{self, Literal};
use kiln_ir::{Ast, Expr, ExprId, SourceLoc};
use kiln_syntax::{Flags, Parse, SyntaxKind, SyntaxNode};
use kiln_types::{ConstData, Module, Symbol, Types, consts};

/// An expression that its parent may still change.
pub(super) enum Draft {
    /// `Expr(head, args...)`.
    Node {
        /// Its head.
        head: Symbol,
        /// Its arguments.
        args: Vec<ExprId>,
    },
    /// Anything else.
    Leaf(Expr),
    /// A piece of a string's text.
    Chunk,
}

/// A converted node.
pub(super) struct Item {
    pub(super) kind: SyntaxKind,
    pub(super) flags: Flags,
    /// Its index in the tree.
    pub(super) node: u32,
    /// It was in parentheses.
    pub(super) parens: bool,
    pub(super) draft: Draft,
}

impl Item {
    pub(super) fn is_head(&self, wanted: Symbol) -> bool {
        matches!(&self.draft, Draft::Node { head, .. } if *head == wanted)
    }
    /// An operator with a dot, alone.
    pub(super) fn is_dotted_operator(&self) -> bool {
        self.kind.is_operator() && self.flags.has(Flags::DOTTED) && matches!(self.draft, Draft::Leaf(_))
    }
}

pub(super) struct Converter<'a> {
    pub(super) parse: &'a Parse,
    pub(super) types: &'a Types,
    pub(super) ast: &'a mut Ast,
    pub(super) heads: Heads,
    pub(super) file_name: Option<Symbol>,
    pub(super) stack: Vec<Item>,
}

impl<'a> Converter<'a> {
    pub(super) fn new(parse: &'a Parse, types: &'a Types, ast: &'a mut Ast) -> Self {
        let file_name = parse.name.as_deref().map(|name| types.symbol(name));
        Self { parse, types, ast, heads: Heads::new(types), file_name, stack: Vec::new() }
    }

    /// Converts the whole tree: one expression a statement of the file.
    pub(super) fn run(mut self) -> Vec<ExprId> {
        let Some(root) = self.parse.nodes.len().checked_sub(1) else { return Vec::new() };
        for index in 0..root {
            let node = self.parse.nodes[index];
            let item = if node.size == 1 && is_leaf(node.kind) {
                self.leaf(index as u32, &node)
            } else {
                let children = self.take_children(index, &node);
                self.interior(index as u32, &node, children)
            };
            self.stack.push(item);
        }
        let statements = std::mem::take(&mut self.stack);
        statements.into_iter().map(|item| self.finish(item)).collect()
    }

    fn take_children(&mut self, index: usize, node: &SyntaxNode) -> Vec<Item> {
        let first = (index + 1 - node.size as usize) as u32;
        let from = self.stack.iter().rposition(|item| item.node < first).map_or(0, |last| last + 1);
        self.stack.split_off(from)
    }

    // Places.

    pub(super) fn loc(&self, node: u32) -> SourceLoc {
        let node = &self.parse.nodes[node as usize];
        SourceLoc::new(self.parse.file.0, node.start, node.end - node.start)
    }

    /// A `LineNumberNode` for byte `offset`.
    pub(super) fn line_at(&mut self, offset: u32) -> ExprId {
        let line = self.parse.lines.line(offset) + self.parse.first_line - 1;
        let loc = SourceLoc::new(self.parse.file.0, offset, 0);
        self.ast.push(Expr::Line { line, file: self.file_name }, loc)
    }

    /// The line where the node starts.
    pub(super) fn line_of(&mut self, node: u32) -> ExprId {
        let start = self.parse.nodes[node as usize].start;
        self.line_at(start)
    }

    /// The line where the node ends.
    pub(super) fn end_line_of(&mut self, node: u32) -> ExprId {
        let end = self.parse.nodes[node as usize].end;
        self.line_at(end.saturating_sub(1))
    }

    // Making expressions.

    pub(super) fn push(&mut self, node: u32, head: Symbol, args: Vec<ExprId>) -> ExprId {
        let loc = self.loc(node);
        self.ast.node(head, args, loc)
    }

    pub(super) fn push_leaf(&mut self, node: u32, leaf: Expr) -> ExprId {
        let loc = self.loc(node);
        self.ast.push(leaf, loc)
    }

    pub(super) fn bool(&mut self, node: u32, value: bool) -> ExprId {
        let value = consts::bool(self.types, value);
        self.push_leaf(node, Expr::Const(value))
    }

    pub(super) fn int(&mut self, node: u32, value: i64) -> ExprId {
        let value = consts::int(self.types, value);
        self.push_leaf(node, Expr::Const(value))
    }

    pub(super) fn string_const(&self, bytes: Vec<u8>) -> Expr {
        Expr::Const(self.types.constant(ConstData::String(bytes.into())))
    }

    pub(super) fn core_ref(&mut self, node: u32, name: Symbol) -> ExprId {
        let core = Module::CORE;
        self.push_leaf(node, Expr::Global(core, name))
    }

    /// Adds a converted node to the arena.
    pub(super) fn finish(&mut self, item: Item) -> ExprId {
        let loc = self.loc(item.node);
        if item.is_dotted_operator() {
            return self.finish_dotted_operator(item, false);
        }
        match item.draft {
            Draft::Node { head, args } => self.ast.node(head, args, loc),
            Draft::Leaf(leaf) => self.ast.push(leaf, loc),
            Draft::Chunk => {
                let text = self.parse.node_text(&self.parse.nodes[item.node as usize]).as_bytes().to_vec();
                let leaf = self.string_const(text);
                self.ast.push(leaf, loc)
            }
        }
    }

    /// `.+` is one symbol where it is called, and `Expr(:., :+)` where it is a value.
    pub(super) fn finish_dotted_operator(&mut self, item: Item, called: bool) -> ExprId {
        let loc = self.loc(item.node);
        let whole = (called && !item.parens) || item.kind.is_syntactic_operator();
        let Draft::Leaf(Expr::Symbol(symbol)) = item.draft else {
            unreachable!("an operator converts to a symbol")
        };
        if whole {
            return self.ast.push(Expr::Symbol(symbol), loc);
        }
        let name = self.types.name(symbol).trim_start_matches('.').to_owned();
        let bare = self.types.symbol(&name);
        let bare = self.ast.push(Expr::Symbol(bare), loc);
        self.ast.node(self.heads.dot, vec![bare], loc)
    }

    /// Returns the symbol of a leaf that is a name.
    pub(super) fn symbol_of(item: &Item) -> Option<Symbol> {
        match item.draft {
            Draft::Leaf(Expr::Symbol(symbol)) => Some(symbol),
            _ => None,
        }
    }

    // Leaves.

    fn leaf(&mut self, index: u32, node: &SyntaxNode) -> Item {
        let draft = self.leaf_draft(index, node);
        Item { kind: node.kind, flags: node.flags, node: index, parens: false, draft }
    }

    fn leaf_draft(&mut self, index: u32, node: &SyntaxNode) -> Draft {
        let text = self.parse.node_text(node);
        match node.kind {
            SyntaxKind::StrChunk => Draft::Chunk,
            SyntaxKind::NoCatchVar => Draft::Leaf(Expr::Const(consts::bool(self.types, false))),
            SyntaxKind::Bool => Draft::Leaf(Expr::Const(consts::bool(self.types, text == "true"))),
            SyntaxKind::Char => match literals::character(self.types, text) {
                Some(value) => Draft::Leaf(Expr::Const(value)),
                None => self.error_draft(),
            },
            SyntaxKind::VarName => {
                let inner = text.strip_prefix("var\"").unwrap_or(text);
                let inner = inner.strip_suffix('"').unwrap_or(inner);
                let name = kiln_syntax::literal::unescape_raw(inner.as_bytes(), b'"');
                Draft::Leaf(Expr::Symbol(self.types.symbol(&kiln_types::name_of_bytes(&name))))
            }
            kind if kind.is_number() => self.number(index, text, kind),
            SyntaxKind::Error | SyntaxKind::BadToken => self.error_draft(),
            _ if text.is_ascii() => Draft::Leaf(Expr::Symbol(self.types.symbol(text))),
            _ => Draft::Leaf(Expr::Symbol(self.types.symbol(&literals::name(text)))),
        }
    }

    pub(super) fn error_draft(&self) -> Draft {
        Draft::Node { head: self.heads.error, args: Vec::new() }
    }

    fn number(&mut self, index: u32, text: &str, kind: SyntaxKind) -> Draft {
        let maker = match literals::number(self.types, text, kind) {
            Literal::Const(value) => return Draft::Leaf(Expr::Const(value)),
            Literal::Malformed => return self.error_draft(),
            Literal::Int128 => self.heads.at_int128,
            Literal::UInt128 => self.heads.at_uint128,
            Literal::Big => self.heads.at_big,
        };
        let name = self.core_ref(index, maker);
        let nothing = Expr::Const(consts::nothing(self.types));
        let nothing = self.push_leaf(index, nothing);
        let text = self.string_const(text.replace('_', "").into_bytes());
        let text = self.push_leaf(index, text);
        Draft::Node { head: self.heads.macrocall, args: vec![name, nothing, text] }
    }
}

/// Whether a node of this kind has no children.
fn is_leaf(kind: SyntaxKind) -> bool {
    kind < SyntaxKind::Error || matches!(kind, SyntaxKind::Error | SyntaxKind::NoCatchVar)
}
