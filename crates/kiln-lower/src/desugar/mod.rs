//! Surface syntax to the few forms of [`crate::hir`].
//!
//! One file per concept; this one holds the context, the small constructors the others use, and the dispatch on an
//! expression's head. Names stay as written: `resolve` decides which are local.

mod assign;
mod block;
mod broadcast;
mod call;
mod comprehension;
mod control;
mod destructure;
mod foreign;
mod function;
mod generated;
mod index;
mod keyword;
mod keyword_def;
mod literal;
mod meta;
mod op_assign;
mod quote;
mod signature;
mod struct_ctor;
mod struct_def;
mod type_expr;

use crate::error::{LowerWarning, Lowering, problem, problem_with_help};
use crate::expand::DEPTH_MAX;
use crate::hir::{Exit, HirKind, HirNode, Scratch, Temp};
use index::IndexContext;
use kiln_ir::{Ast, CodeMeta, Expr, ExprId, SourceLoc};
use kiln_types::{Const, ConstData, Module, Symbol, Types, consts, datatype, display};
use struct_def::ConstructorContext;

/// The state of the innermost function.
#[derive(Debug, Default)]
struct Frame {
    /// The loops around this place: where `break` and `continue` go.
    loops: Vec<(Exit, Exit)>,
    /// Marks found in the body so far.
    meta: CodeMeta,
    /// Arguments named by `@nospecialize`; `None` in the list means all of them.
    nospecialize: Vec<Option<Symbol>>,
    /// The body of a generator or comprehension.
    generator: bool,
    /// For each `Expr(:inbounds, ..)` not popped yet: whether it opened a region.
    inbounds: Vec<bool>,
}

/// The context of one lowering.
pub(crate) struct Desugar<'a> {
    pub(crate) types: &'a Types,
    pub(crate) ast: &'a mut Ast,
    pub(crate) module: Module,
    /// Numbers for temps, scratch variables, exits and made-up names.
    counter: u32,
    /// The state of the function around this place.
    frame: Frame,
    /// The meaning of `end` here.
    index: Option<IndexContext>,
    /// Inside the constructors of this struct.
    constructor: Option<ConstructorContext>,
    depth: u32,
    /// The number of signatures or `where` types with a variable named `_` around this type: it may be read there.
    underscore_types: usize,
    /// The number of functions around this place.
    functions: u32,
    /// The line node met last.
    line: Option<(u32, Option<Symbol>)>,
    /// The expression contains `Expr(:softscope, true)`.
    pub(crate) softscope: bool,
    /// The next function is the body of a generator.
    generator: bool,
    /// The variables of the outer generators, when several are flattened into one.
    flattened: Vec<Symbol>,
    /// Remarks about the program.
    pub(crate) warnings: Vec<LowerWarning>,
}

impl<'a> Desugar<'a> {
    pub(crate) fn new(types: &'a Types, ast: &'a mut Ast, module: Module) -> Self {
        Self {
            types,
            ast,
            module,
            counter: 0,
            frame: Frame::default(),
            index: None,
            constructor: None,
            depth: 0,
            underscore_types: 0,
            functions: 0,
            line: None,
            softscope: false,
            generator: false,
            flattened: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Any expression.
    pub(crate) fn expr(&mut self, e: ExprId) -> Lowering<HirNode> {
        let loc = self.ast.loc(e);
        if self.depth >= DEPTH_MAX {
            return Err(problem("nesting-too-deep", "this expression nests too deeply", loc));
        }
        self.depth += 1;
        let result = self.expr_at(e, loc);
        self.depth -= 1;
        result
    }

    fn expr_at(&mut self, e: ExprId, loc: SourceLoc) -> Lowering<HirNode> {
        match self.ast.expr(e).clone() {
            Expr::Symbol(name) => self.identifier(name, loc),
            Expr::Const(value) => match self.node_of_code(value) {
                Some(name) => {
                    let message = format!("{name} objects should not occur in an AST");
                    Err(problem("malformed-expression", message, loc))
                }
                None => Ok(HirNode::new(HirKind::Const(value), loc)),
            },
            Expr::Global(module, name) => Ok(HirNode::new(HirKind::Global(module, name), loc)),
            Expr::Quote(inner) => self.quoted(inner, loc),
            Expr::Line { .. } => Ok(self.nothing(loc)),
            Expr::Node { head, args } => self.node(e, self.types.name(head).to_owned().as_str(), &args, loc),
        }
    }

    /// The type's name of a constant that only lowered code may hold.
    fn node_of_code(&self, value: Const) -> Option<&'static str> {
        let ConstData::Bits { ty, .. } = self.types.const_data(value) else { return None };
        let name = self.types.type_name(datatype::name_of(self.types, *ty)?).def.clone();
        let is_core = name.module == Module::CORE;
        ["SSAValue", "SlotNumber"].into_iter().find(|it| is_core && self.types.name(name.name) == *it)
    }

    fn identifier(&mut self, name: Symbol, loc: SourceLoc) -> Lowering<HirNode> {
        match self.types.name(name) {
            "end" | "begin" => self.index_end(name, loc),
            text if self.underscore_types == 0 && is_underscores(text) => Err(problem_with_help(
                "underscore-read",
                "all-underscore identifiers are write-only and their values cannot be used in expressions",
                loc,
                "give the variable a name to read its value",
            )),
            "#unused#" => Err(problem("unused-read", "Attempted to use slot marked unused", loc)),
            _ => Ok(HirNode::new(HirKind::Name(name), loc)),
        }
    }

    fn node(&mut self, e: ExprId, head: &str, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        match head {
            "block" => self.block(args, loc),
            "call" => self.call(args, loc),
            "=" => self.assignment(e, args, loc),
            "." => self.dot(args, loc),
            "ref" => self.reference(args, loc),
            "tuple" => self.tuple(args, loc),
            "if" | "elseif" => self.if_else(args, loc),
            "&&" | "||" => self.short_circuit(head, args, loc),
            "comparison" => self.comparison(args, loc),
            "while" => self.while_loop(args, loc),
            "for" => self.for_loop(args, loc),
            "break" | "continue" => self.break_continue(head, loc),
            "return" => self.return_(args, loc),
            "let" => self.let_(args, loc),
            "try" => self.try_(args, loc),
            "tryfinally" => self.try_finally(args, loc),
            "function" => self.function(args, loc),
            "->" => self.arrow(args, loc),
            "do" => self.do_block(args, loc),
            "macro" => self.macro_definition(args, loc),
            "struct" => self.struct_definition(args, loc),
            "abstract" => self.abstract_type(args, loc),
            "primitive" => self.primitive_type(args, loc),
            "where" => self.where_type(args, loc),
            "curly" => self.curly(args, loc),
            "::" => self.type_assertion(args, loc),
            "<:" | ">:" => self.subtype_call(head, args, loc),
            "local" | "global" | "const" => self.declaration(head, args, loc),
            "string" => self.string(args, loc),
            "quote" => self.quote(args, loc),
            "inert" => self.inert(args, loc),
            "generator" | "comprehension" | "typed_comprehension" | "flatten" | "filter" => {
                self.comprehension_form(head, args, loc)
            }
            _ => self.rarer_node(e, head, args, loc),
        }
    }

    fn rarer_node(&mut self, e: ExprId, head: &str, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        match head {
            "vect" | "hcat" | "vcat" | "ncat" | "typed_hcat" | "typed_vcat" | "typed_ncat" => {
                self.array_literal(head, args, loc)
            }
            "braces" | "bracescat" | "row" | "nrow" => {
                let message = format!("`{head}` syntax has no meaning outside a macro call or an array");
                Err(problem("invalid-syntax", message, loc))
            }
            "'" => {
                let args = self.exprs(args)?;
                let adjoint = self.name(self.sym("'"), loc);
                Ok(self.apply(adjoint, args, loc))
            }
            ".=" => self.broadcast_assign(args, loc),
            ".&&" | ".||" => self.broadcast_value(e, loc),
            "kw" => Err(problem("invalid-syntax", "a keyword argument outside a call", loc)),
            "parameters" => {
                Err(problem("invalid-syntax", "unexpected semicolon: parameters outside a call", loc))
            }
            "..." => Err(problem_with_help(
                "splat-outside-call",
                "\"...\" expression outside call",
                loc,
                "splatting works in calls, tuples and array literals",
            )),
            "$" => Err(problem("interpolation-outside-quote", "\"$\" expression outside quote", loc)),
            "macrocall" => {
                Err(problem("internal-macrocall", "a macro call was not expanded before lowering", loc))
            }
            "escape" | "hygienic-scope" => match args.first() {
                Some(&inner) => self.expr(inner),
                None => Ok(self.nothing(loc)),
            },
            "using" | "import" | "export" | "public" if self.functions == 0 => self.evaluated(e, loc),
            "module" | "using" | "import" | "export" | "public" => Err(self.not_at_top_level(head, loc)),
            "error" | "incomplete" => Err(problem("syntax", self.error_text(args), loc)),
            "=>" | "-->" => {
                let f = self.name(self.sym(head), loc);
                self.call_function(f, args, loc)
            }
            "&" => {
                let text = crate::expr::deparse(self.ast, self.types, e);
                Err(problem("invalid-syntax", format!("invalid syntax {text}"), loc))
            }
            ":=" => {
                let message = "unsupported assignment operator \":=\"";
                Err(problem("invalid-syntax", message, loc))
            }
            _ if head.len() > 1 && head.ends_with('=') && self.is_op_assign(head) => {
                self.op_assign(head, args, loc)
            }
            _ => self.internal_node(head, args, loc),
        }
    }

    /// The text of a syntax error that the parser left in the tree.
    fn error_text(&self, args: &[ExprId]) -> String {
        match args.first().map(|&it| self.ast.expr(it)) {
            Some(Expr::Const(value)) => display::of_const(self.types, *value),
            _ => "invalid syntax".to_owned(),
        }
    }

    /// Rejects forms that are only valid at the top level of a module.
    pub(crate) fn not_at_top_level(&self, what: &str, loc: SourceLoc) -> Box<crate::LowerError> {
        problem("not-at-top-level", format!("\"{what}\" expression not at top level"), loc)
    }

    /// The text of an expression, as messages show it.
    pub(crate) fn text_of(&self, e: ExprId) -> String {
        crate::expr::deparse(self.ast, self.types, e)
    }

    /// ` around file:line` of the line node before this place, for messages.
    pub(crate) fn around(&self) -> String {
        match self.line {
            Some((line, Some(file))) => format!(" around {}:{line}", self.types.name(file)),
            Some((line, None)) => format!(" around none:{line}"),
            None => String::new(),
        }
    }

    // Small constructors.

    pub(crate) fn sym(&self, name: &str) -> Symbol {
        self.types.symbol(name)
    }
    pub(crate) fn head(&self, e: ExprId) -> Option<&str> {
        self.ast.as_node(e).map(|(head, _)| self.types.name(head))
    }
    pub(crate) fn is_head(&self, e: ExprId, head: &str) -> bool {
        self.head(e) == Some(head)
    }
    pub(crate) fn args(&self, e: ExprId) -> Vec<ExprId> {
        self.ast.as_node(e).map(|(_, args)| args.to_vec()).unwrap_or_default()
    }
    /// Head and arguments, if the node is an `Expr`.
    pub(crate) fn parts(&self, e: ExprId) -> Option<(String, Vec<ExprId>)> {
        self.ast.as_node(e).map(|(head, args)| (self.types.name(head).to_owned(), args.to_vec()))
    }
    pub(crate) fn as_symbol(&self, e: ExprId) -> Option<Symbol> {
        match self.ast.expr(e) {
            Expr::Symbol(name) => Some(*name),
            Expr::Node { .. } | Expr::Const(_) | Expr::Global(..) | Expr::Quote(_) | Expr::Line { .. } => {
                None
            }
        }
    }
    /// A name, written by the user or, as a `GlobalRef`, by a macro.
    pub(crate) fn is_symbol(&self, e: ExprId, name: &str) -> bool {
        matches!(*self.ast.expr(e), Expr::Symbol(it) | Expr::Global(_, it) if self.types.name(it) == name)
    }
    pub(crate) fn is_line(&self, e: ExprId) -> bool {
        matches!(self.ast.expr(e), Expr::Line { .. })
    }
    pub(crate) fn nothing(&self, loc: SourceLoc) -> HirNode {
        self.value(consts::nothing(self.types), loc)
    }
    pub(crate) fn value(&self, value: Const, loc: SourceLoc) -> HirNode {
        HirNode::new(HirKind::Const(value), loc)
    }
    pub(crate) fn int(&self, value: i64, loc: SourceLoc) -> HirNode {
        self.value(consts::int(self.types, value), loc)
    }
    pub(crate) fn bool(&self, value: bool, loc: SourceLoc) -> HirNode {
        self.value(consts::bool(self.types, value), loc)
    }
    pub(crate) fn symbol_value(&self, name: Symbol, loc: SourceLoc) -> HirNode {
        self.value(consts::symbol(self.types, name), loc)
    }
    pub(crate) fn module_value(&self, loc: SourceLoc) -> HirNode {
        self.value(self.types.constant(kiln_types::ConstData::Module(self.module)), loc)
    }
    pub(crate) fn name(&self, name: Symbol, loc: SourceLoc) -> HirNode {
        HirNode::new(HirKind::Name(name), loc)
    }
    pub(crate) fn base(&self, name: &str, loc: SourceLoc) -> HirNode {
        HirNode::new(HirKind::Global(Module::BASE, self.sym(name)), loc)
    }
    pub(crate) fn core(&self, name: &str, loc: SourceLoc) -> HirNode {
        HirNode::new(HirKind::Global(Module::CORE, self.sym(name)), loc)
    }
    pub(crate) fn apply(&self, f: HirNode, mut args: Vec<HirNode>, loc: SourceLoc) -> HirNode {
        args.insert(0, f);
        HirNode::new(HirKind::Call(args), loc)
    }
    pub(crate) fn base_call(&self, name: &str, args: Vec<HirNode>, loc: SourceLoc) -> HirNode {
        self.apply(self.base(name, loc), args, loc)
    }
    pub(crate) fn core_call(&self, name: &str, args: Vec<HirNode>, loc: SourceLoc) -> HirNode {
        self.apply(self.core(name, loc), args, loc)
    }
    pub(crate) fn svec(&self, args: Vec<HirNode>, loc: SourceLoc) -> HirNode {
        self.core_call("svec", args, loc)
    }
    pub(crate) fn number(&mut self) -> u32 {
        self.counter += 1;
        self.counter
    }
    pub(crate) fn temp(&mut self, loc: SourceLoc) -> HirNode {
        HirNode::new(HirKind::Temp(Temp(self.number())), loc)
    }
    pub(crate) fn scratch(&mut self, loc: SourceLoc) -> HirNode {
        HirNode::new(HirKind::Scratch(Scratch(self.number())), loc)
    }
    pub(crate) fn exit(&mut self) -> Exit {
        Exit(self.number())
    }
    /// A variable name no program can write.
    pub(crate) fn fresh_name(&mut self, hint: &str) -> Symbol {
        let number = self.number();
        self.sym(&format!("#{hint}#{number}"))
    }
    /// `node`, or a temp that `before` assigns it to when reading it twice could differ.
    pub(crate) fn stable(&mut self, node: HirNode, before: &mut Vec<HirNode>) -> HirNode {
        if node.is_stable() {
            return node;
        }
        self.hold(node, before)
    }
    /// A temp that `before` assigns the node to.
    pub(crate) fn hold(&mut self, node: HirNode, before: &mut Vec<HirNode>) -> HirNode {
        let temp = self.temp(node.loc);
        before.push(HirNode::assign(temp.clone(), node));
        temp
    }
    /// `last` behind `before`.
    pub(crate) fn after(&self, mut before: Vec<HirNode>, last: HirNode, loc: SourceLoc) -> HirNode {
        if before.is_empty() {
            return last;
        }
        before.push(last);
        HirNode::block(before, loc)
    }
    pub(crate) fn scope(&self, fresh: Vec<Symbol>, body: HirNode, loc: SourceLoc) -> HirNode {
        let data = crate::hir::ScopeData { fresh, caught: None, soft: false, body, vars: Vec::new() };
        HirNode::new(HirKind::Scope(Box::new(data)), loc)
    }
    /// The scope of a loop or of a part of `try`.
    pub(crate) fn soft_scope(&self, fresh: Vec<Symbol>, body: HirNode, loc: SourceLoc) -> HirNode {
        let data = crate::hir::ScopeData { fresh, caught: None, soft: true, body, vars: Vec::new() };
        HirNode::new(HirKind::Scope(Box::new(data)), loc)
    }
    pub(crate) fn if_node(&self, cond: HirNode, then: HirNode, other: HirNode, loc: SourceLoc) -> HirNode {
        HirNode::new(HirKind::If(Box::new(cond), Box::new(then), Box::new(other)), loc)
    }
    pub(crate) fn exprs(&mut self, args: &[ExprId]) -> Lowering<Vec<HirNode>> {
        args.iter().map(|&it| self.expr(it)).collect()
    }
    /// A synthetic surface node.
    pub(crate) fn make(&mut self, head: &str, args: Vec<ExprId>, loc: SourceLoc) -> ExprId {
        let head = self.sym(head);
        self.ast.node(head, args, loc)
    }
    pub(crate) fn make_symbol(&mut self, name: Symbol, loc: SourceLoc) -> ExprId {
        self.ast.push(Expr::Symbol(name), loc)
    }
    /// Checks the number of arguments a head takes; macros can make anything.
    pub(crate) fn arity(
        &self,
        head: &str,
        args: &[ExprId],
        least: usize,
        most: usize,
        loc: SourceLoc,
    ) -> Lowering<()> {
        if (least..=most).contains(&args.len()) {
            return Ok(());
        }
        debug_assert!(!head.is_empty(), "every head has a name");
        Err(problem("malformed-expression", "malformed expression", loc))
    }
    /// Runs `inner` as the body of a new function, which `break`, annotations and the like do not leave; also returns
    /// the annotations of the body.
    fn in_function<T>(&mut self, inner: impl FnOnce(&mut Self) -> Lowering<T>) -> Lowering<(T, Frame)> {
        let frame = Frame { generator: std::mem::take(&mut self.generator), ..Frame::default() };
        let outer = std::mem::replace(&mut self.frame, frame);
        let line = self.line;
        self.functions += 1;
        let result = inner(self);
        self.functions -= 1;
        self.line = line;
        let frame = std::mem::replace(&mut self.frame, outer);
        Ok((result?, frame))
    }
}

/// Whether a name consists of underscores only: it can be assigned to, not read.
fn is_underscores(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it == b'_')
}
