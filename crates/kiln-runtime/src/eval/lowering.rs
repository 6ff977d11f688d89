//! `Meta.lower`: the lowered form of an expression, as a value.

use super::{code_value, quote, toplevel};
use crate::heap::{Value, constants, exprs, text};
use crate::interp::with_room;
use crate::runtime::Runtime;
use crate::services::{ExpandError, FrontError};
use crate::thrown::Run;
use kiln_ir::{Ast, Expansion, Expr, ExprId, Lowered, LoweredStmt, SourceLoc};
use kiln_types::Module;

/// `Meta.lower(module, expr)`: `Expr(:thunk, code)`, `Expr(:error, message)` for an expression that is wrong, and
/// the expression itself where there is nothing to lower.
pub fn lower(rt: &Runtime, module: Module, expr: Value) -> Run {
    let mut ast = Ast::new();
    let id = quote::value_expr(rt, &mut ast, expr, SourceLoc::NONE, &super::QuoteLocations::default());
    if needs_no_lowering(rt, &ast, id) {
        let broken = exprs::has_undefined_part(&rt.heap, expr);
        return Ok(if broken { quote::expr_value(rt, &ast, id) } else { expr });
    }
    let expanded = match with_room(|| rt.frontend.expand(rt, module, &mut ast, id, Expansion::Whole)) {
        Ok(expanded) => expanded,
        Err(ExpandError::Thrown(thrown, _)) => return Err(thrown),
        Err(ExpandError::Front(error)) => return Ok(error_expr(rt, &error)),
    };
    if needs_no_lowering(rt, &ast, expanded) {
        return Ok(quote::expr_value(rt, &ast, expanded));
    }
    match with_room(|| rt.frontend.lower_toplevel(rt, module, &mut ast, expanded)) {
        Ok(code) => {
            if let [LoweredStmt::Return(Lowered::Const(value))] = code.stmts[..] {
                return Ok(constants::value_of(&rt.heap, value));
            }
            let code = code_value::lowered_value(rt, &code)?;
            Ok(exprs::new(&rt.heap, rt.types.symbol("thunk"), &[code]))
        }
        Err(error) => Ok(error_expr(rt, &error)),
    }
}

fn error_expr(rt: &Runtime, error: &FrontError) -> Value {
    exprs::new(&rt.heap, rt.types.symbol("error"), &[text::string(&rt.heap, &error.message)])
}

/// Whether an expression is evaluated as it is: it is no call of anything, or carried out statement by statement.
fn needs_no_lowering(rt: &Runtime, ast: &Ast, expr: ExprId) -> bool {
    match ast.expr(expr) {
        Expr::Node { head, .. } => {
            matches!(rt.types.name(*head), "error" | "incomplete" | "thunk")
                || toplevel::is_toplevel_only(rt, ast, expr)
        }
        Expr::Symbol(name) => !rt.types.name(*name).bytes().all(|it| it == b'_'),
        Expr::Global(..) | Expr::Const(_) | Expr::Line { .. } | Expr::Quote(_) => true,
    }
}
