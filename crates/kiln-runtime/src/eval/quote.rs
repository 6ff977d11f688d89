//! Conversion between expressions of an [`Ast`] and `Expr` values of the heap.
//!
//! An `Expr` value has no field for a [`SourceLoc`]. Code that a macro passes on unchanged keeps its location
//! nevertheless: [`QuoteLocations`] maps objects to the locations of their nodes, and a line node gives its location
//! to the expressions after it. In an expression that a program evaluates, locations are those of its line nodes.

use crate::heap::{Value, constants, exprs, fields, text};
use crate::runtime::Runtime;
use kiln_ir::{Ast, Expr, ExprId, SourceLoc};
use kiln_types::Symbol;
use rustc_hash::FxHashMap;

/// Where the objects of one conversion came from, by their addresses.
#[derive(Debug, Default)]
pub struct QuoteLocations {
    by_address: FxHashMap<u64, SourceLoc>,
    reads_lines: bool,
}

impl QuoteLocations {
    /// Places that only line nodes tell.
    pub(crate) fn from_line_nodes() -> Self {
        Self { by_address: FxHashMap::default(), reads_lines: true }
    }
}

impl Runtime {
    /// An expression as a Julia value.
    pub fn expr_value(&self, ast: &Ast, expr: ExprId) -> Value {
        self.expr_value_with(ast, expr, &mut QuoteLocations::default())
    }

    /// An expression as a Julia value; `places` learns where its parts are from.
    pub fn expr_value_with(&self, ast: &Ast, expr: ExprId, places: &mut QuoteLocations) -> Value {
        let core = self.types.core();
        let heap = &self.heap;
        let value = match ast.expr(expr) {
            Expr::Node { head, args } => {
                let args: Vec<Value> = args.iter().map(|&it| self.expr_value_with(ast, it, places)).collect();
                exprs::new(heap, *head, &args)
            }
            Expr::Symbol(name) => return Value::symbol(core, *name),
            Expr::Const(constant) => return constants::value_of(heap, *constant),
            Expr::Global(module, name) => fields::new_struct(
                heap,
                core.global_ref,
                &[Value::module(core, *module), Value::symbol(core, *name)],
            ),
            Expr::Quote(inner) => {
                let inner = self.expr_value_with(ast, *inner, places);
                fields::new_struct(heap, core.quote_node, &[inner])
            }
            Expr::Line { line, file } => {
                let file = file.map_or(heap.nothing(), |it| Value::symbol(core, it));
                fields::new_struct(heap, core.line_number_node, &[heap.int(i64::from(*line)), file])
            }
        };
        if !value.is_inline() {
            places.by_address.insert(value.bits(), ast.loc(expr));
        }
        value
    }

    /// Converts a Julia value to an expression. Objects without a location in `places` get `loc`.
    pub fn value_expr(&self, ast: &mut Ast, value: Value, loc: SourceLoc, places: &QuoteLocations) -> ExprId {
        let core = self.types.core();
        let heap = &self.heap;
        let own = if value.is_inline() { None } else { places.by_address.get(&value.bits()).copied() };
        let loc = own.filter(|it| !it.is_none()).unwrap_or(loc);
        if exprs::has_undefined_part(heap, value) {
            let message = ast.push(
                Expr::Const(constants::const_of(heap, text::string(heap, "undefined reference in AST"))),
                loc,
            );
            return ast.node(self.types.symbol("error"), vec![message], loc);
        }
        if let Some((head, args)) = exprs::parts(heap, value) {
            let loc = self.definition_line(head, &args, places).unwrap_or(loc);
            let mut here = loc;
            let mut ids = Vec::with_capacity(args.len());
            for arg in args {
                here = self.line_place(arg, places).unwrap_or(here);
                ids.push(self.value_expr(ast, arg, here, places));
            }
            return ast.node(head, ids, loc);
        }
        if let Some(name) = value.as_symbol(core) {
            return ast.push(Expr::Symbol(name), loc);
        }
        let field = |at| fields::get(heap, value, at);
        if value.ty() == core.quote_node
            && let Some(inner) = field(0)
        {
            let inner = self.value_expr(ast, inner, loc, places);
            return ast.push(Expr::Quote(inner), loc);
        }
        if value.ty() == core.global_ref
            && let (Some(module), Some(name)) =
                (field(0).and_then(|it| it.as_module(core)), field(1).and_then(|it| it.as_symbol(core)))
        {
            return ast.push(Expr::Global(module, name), loc);
        }
        if value.ty() == core.line_number_node {
            let line = field(0).and_then(|it| it.as_int(core)).unwrap_or(0);
            let file = field(1).and_then(|it| it.as_symbol(core));
            return ast.push(Expr::Line { line: u32::try_from(line).unwrap_or(0), file }, loc);
        }
        ast.push(Expr::Const(constants::const_of(heap, value)), loc)
    }

    /// Returns the location of a line node.
    fn line_place(&self, value: Value, places: &QuoteLocations) -> Option<SourceLoc> {
        let core = self.types.core();
        if value.ty() != core.line_number_node {
            return None;
        }
        let field = |at| fields::get(&self.heap, value, at);
        let place = if places.reads_lines {
            let line = u32::try_from(field(0)?.as_int(core)?).ok()?;
            self.frontend.line_loc(self.types.name(field(1)?.as_symbol(core)?), line)
        } else {
            *places.by_address.get(&value.bits())?
        };
        Some(place).filter(|it| !it.is_none())
    }

    /// Returns the first line of the body of a function definition, if locations come from line nodes.
    fn definition_line(&self, head: Symbol, args: &[Value], places: &QuoteLocations) -> Option<SourceLoc> {
        let defines =
            places.reads_lines && matches!(self.types.name(head), "function" | "macro" | "=" | "->");
        let &[_, body] = args else { return None };
        let (head, body) = exprs::parts(&self.heap, body).filter(|_| defines)?;
        let first = body.first().filter(|_| self.types.name(head) == "block")?;
        self.line_place(*first, places)
    }

    /// A copy of a quoted expression: fresh `Expr`s and argument lists, the same leaves.
    pub fn copy_ast(&self, value: Value) -> Value {
        match exprs::parts(&self.heap, value) {
            Some((head, args)) => {
                let args: Vec<Value> = args.into_iter().map(|it| self.copy_ast(it)).collect();
                exprs::new(&self.heap, head, &args)
            }
            None => value,
        }
    }
}
