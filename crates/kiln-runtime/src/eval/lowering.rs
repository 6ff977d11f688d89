//! `Meta.lower`: the lowered form of an expression, as a value.

use crate::heap::{Value, constants, exprs, text};
use crate::interp::with_room;
use crate::runtime::Runtime;
use crate::services::{ExpandError, FrontError};
use crate::thrown::Run;
use kiln_ir::{Ast, Expansion, Expr, ExprId, Lowered, LoweredStmt, SourceLoc};
use kiln_types::Module;

impl Runtime {
    /// `Meta.lower(module, expr)`: `Expr(:thunk, code)`, `Expr(:error, message)` for an expression that is wrong, and
    /// the expression itself where there is nothing to lower.
    pub fn lower(&self, module: Module, expr: Value) -> Run {
        let mut ast = Ast::new();
        let id = self.value_expr(&mut ast, expr, SourceLoc::NONE, &super::QuoteLocations::default());
        if self.needs_no_lowering(&ast, id) {
            let broken = exprs::has_undefined_part(&self.heap, expr);
            return Ok(if broken { self.expr_value(&ast, id) } else { expr });
        }
        let expanded = match with_room(|| self.frontend.expand(self, module, &mut ast, id, Expansion::Whole))
        {
            Ok(expanded) => expanded,
            Err(ExpandError::Thrown(thrown, _)) => return Err(thrown),
            Err(ExpandError::Front(error)) => return Ok(self.error_expr(&error)),
        };
        if self.needs_no_lowering(&ast, expanded) {
            return Ok(self.expr_value(&ast, expanded));
        }
        match with_room(|| self.frontend.lower_toplevel(self, module, &mut ast, expanded)) {
            Ok(code) => {
                if let [LoweredStmt::Return(Lowered::Const(value))] = code.stmts[..] {
                    return Ok(constants::value_of(&self.heap, value));
                }
                let code = self.lowered_value(&code)?;
                Ok(exprs::new(&self.heap, self.types.symbol("thunk"), &[code]))
            }
            Err(error) => Ok(self.error_expr(&error)),
        }
    }

    fn error_expr(&self, error: &FrontError) -> Value {
        exprs::new(&self.heap, self.types.symbol("error"), &[text::string(&self.heap, &error.message)])
    }

    /// Whether an expression is evaluated as it is: it is no call of anything, or carried out statement by statement.
    fn needs_no_lowering(&self, ast: &Ast, expr: ExprId) -> bool {
        match ast.expr(expr) {
            Expr::Node { head, .. } => {
                matches!(self.types.name(*head), "error" | "incomplete" | "thunk")
                    || self.is_toplevel_only(ast, expr)
            }
            Expr::Symbol(name) => !self.types.name(*name).bytes().all(|it| it == b'_'),
            Expr::Global(..) | Expr::Const(_) | Expr::Line { .. } | Expr::Quote(_) => true,
        }
    }
}
