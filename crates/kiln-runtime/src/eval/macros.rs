//! Calling macros: expressions become values, the macro's function is called, its result becomes an expression.

use super::QuoteLocations;
use crate::heap::{Value, constants, fields};
use crate::runtime::Runtime;
use crate::throw::NameScope;
use crate::thrown::Run;
use kiln_ir::{Ast, Expansion, Expr, ExprId, SourceLoc};
use kiln_types::Module;

impl Runtime {
    /// Calls the macro `name` (an identifier, a `GlobalRef` or a dotted path) in `module`. Returns an expression of
    /// `ast`, and the module in which the macro's method was defined. `source` is the macro's `__source__`: see
    /// [`Runtime::macro_source`].
    pub fn call_macro(
        &self,
        ast: &mut Ast,
        module: Module,
        name: ExprId,
        args: &[ExprId],
        (source, loc): (Value, SourceLoc),
    ) -> Run<(ExprId, Module)> {
        let world = self.tables.world();
        let function = crate::interp::in_world(world, || self.path_value(ast, module, name))?;
        let core = self.types.core();
        let mut places = QuoteLocations::default();
        let mut call = vec![function, source, Value::module(core, module)];
        call.extend(args.iter().map(|&it| self.expr_value_with(ast, it, &mut places)));
        let defined_in = self.method_module(&call).unwrap_or(module);
        let result = self.call_in_world(function, &call[1..], world)?;
        Ok((self.value_expr(ast, result, loc, &places), defined_in))
    }

    /// The value of an identifier, a `GlobalRef` or a dotted path.
    fn path_value(&self, ast: &Ast, module: Module, expr: ExprId) -> Run {
        match ast.expr(expr) {
            Expr::Symbol(name) => self.get_global(module, *name),
            Expr::Global(owner, name) => self.get_global(*owner, *name),
            Expr::Const(constant) => Ok(constants::value_of(&self.heap, *constant)),
            Expr::Quote(inner) => self.path_value(ast, module, *inner),
            Expr::Node { head, args } if self.types.name(*head) == "." && args.len() == 2 => {
                let owner = self.path_value(ast, module, args[0])?;
                let Some(owner) = owner.as_module(self.types.core()) else {
                    return Err(self.type_error("getproperty", "", self.types.core().module, owner));
                };
                let mut name = ast.expr(args[1]);
                if let Expr::Quote(inner) = name {
                    name = ast.expr(*inner);
                }
                let &Expr::Symbol(name) = name else {
                    return Err(self.error("syntax: invalid macro name"));
                };
                self.get_global(owner, name)
            }
            Expr::Node { .. } | Expr::Line { .. } => Err(self.error("syntax: invalid macro name")),
        }
    }

    /// Returns the module of the method that a call dispatches to.
    fn method_module(&self, call: &[Value]) -> Option<Module> {
        let entry = self.find_entry(call, self.tables.world()).ok()?;
        Some(self.tables.calls.entry(entry).method.module)
    }

    /// Returns the line node of a macro call: the call's own, if its line differs from the call's place in the text,
    /// as in the result of a macro.
    pub fn macro_source(&self, ast: &Ast, line: Option<ExprId>, loc: SourceLoc) -> Value {
        let place = self.frontend.place(loc);
        let says_more = |it: &ExprId| match (ast.expr(*it), &place) {
            (&Expr::Line { line, .. }, Some((_, known))) => line > 0 && line != *known,
            (_, place) => place.is_none(),
        };
        match line.filter(says_more) {
            Some(line) => self.expr_value(ast, line),
            None => self.line_node(loc),
        }
    }

    /// `LineNumberNode` of a place.
    pub fn line_node(&self, loc: SourceLoc) -> Value {
        let (file, line) = match self.frontend.place(loc) {
            Some((file, line)) => (self.heap.symbol(&file), line),
            None => (self.heap.nothing(), 0),
        };
        let fields = [self.heap.int(i64::from(line)), file];
        fields::new_struct(&self.heap, self.types.core().line_number_node, &fields)
    }

    /// `macroexpand(module, expr; recursive)`.
    pub fn macroexpand(&self, module: Module, expr: Value, recursive: bool) -> Run {
        let mut ast = Ast::new();
        let id = self.value_expr(&mut ast, expr, SourceLoc::NONE, &QuoteLocations::default());
        let expansion = if recursive { Expansion::Whole } else { Expansion::Once };
        let expanded = self.expand(module, &mut ast, id, expansion)?;
        Ok(self.expr_value(&ast, expanded))
    }

    /// The `UndefVarError` of an undefined macro, for the front end.
    pub fn undefined_name(&self, module: Module, name: &str) -> Box<crate::thrown::Thrown> {
        self.undef_var(self.types.symbol(name), NameScope::Global(module))
    }
}
